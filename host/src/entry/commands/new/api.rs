//! Where a new crate finds autoscorer-plugin-api: by path, or by version with a hint.

use std::fs;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::ApiVersion;

const FOLDER: &str = "plugin-api";
const NAME_LINE: &str = "name = \"autoscorer-plugin-api\"";

/// Where the API is.
pub struct Api {
    folder: Option<PathBuf>,
}

impl Api {
    /// The one that was given, or the first above the new crate, beside it, or around this program.
    pub fn find(given: Option<&Path>, dir: &Path) -> Result<Self, ScoreError> {
        if let Some(given) = given {
            return match is_api(given) {
                true => Ok(Self { folder: fs::canonicalize(given).ok() }),
                false => Err(ScoreError::new(
                    ErrorCode::InvalidParams,
                    format!("{} is not the plugin-api folder of autoscorer", given.display()),
                )
                .file(given.display().to_string())
                .expected(format!("a folder whose Cargo.toml says {NAME_LINE}"))
                .hint("give the folder plugin-api of an autoscorer repository")
                .at_stage("usage")),
            };
        }
        let around = [fs::canonicalize(dir).ok(), std::env::current_exe().ok()];
        let above = around.iter().flatten().flat_map(|place| place.ancestors());
        let places = above.flat_map(|folder| [folder.join(FOLDER), folder.join("autoscorer").join(FOLDER)]);
        Ok(Self { folder: places.into_iter().find(|place| is_api(place)) })
    }

    /// Where it is, if it was found.
    pub fn path(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The line of the manifest.
    pub fn dependency(&self) -> String {
        let version = ApiVersion::current();
        match &self.folder {
            // Text in quotes is the same in JSON and in TOML.
            Some(folder) => format!(
                "autoscorer-plugin-api = {{ path = {} }}\n",
                serde_json::Value::from(folder.to_string_lossy().as_ref())
            ),
            None => format!(
                "autoscorer-plugin-api = \"{}.{}\"\n\n# Until a registry has it, say where the repository is:\n\
                 # [patch.crates-io]\n# autoscorer-plugin-api = {{ path = \"/path/to/autoscorer/{FOLDER}\" }}\n",
                version.major, version.minor
            ),
        }
    }

    /// The lock file of the repository that the API is in.
    pub fn lock(&self) -> Option<String> {
        fs::read_to_string(self.folder.as_ref()?.parent()?.join("Cargo.lock")).ok()
    }
}

fn is_api(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == NAME_LINE))
}
