//! The settings: from flags, environment and file, in this order; checked once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use clap::Args;
use serde::Deserialize;

use crate::daemon::{ServeArgs, ServeFile, ServeSettings};
use crate::isolate::Limits;
use crate::job::{bytes_of_text, count_of_text, count_or_none_of_text, seconds_of_number};
use crate::load::{Isolation, LoaderSettings};
use crate::origin::Picker;
use crate::telemetry::narrate;

/// The settings file of the current folder.
pub const FILE: &str = "autoscorer.toml";

/// Flags that every command takes, and their environment variables.
#[derive(Debug, Default, Args)]
pub struct HostArgs {
    /// Settings file [default: autoscorer.toml, if it is there]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_CONFIG",
        value_name = "FILE",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub config: Option<PathBuf>,

    /// Folder of built-in plugins [default: around the executable]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_PLUGINS",
        value_name = "DIR",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub plugins: Option<PathBuf>,

    /// Folder of custom scorers [default: custom_scorers]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_CUSTOM_SCORERS",
        value_name = "DIR",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub custom_scorers: Option<PathBuf>,

    /// Folder for private copies of libraries [default: autoscorer/plugins in the user's cache]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_STORE",
        value_name = "DIR",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub store: Option<PathBuf>,

    /// Let a custom file replace this built-in scorer (repeatable)
    #[arg(long, global = true, value_name = "ID", help_heading = "Host", hide_short_help = true)]
    pub allow_override: Vec<String>,

    /// Seconds a library may take to open in a child process [default: 5]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_PROBE_TIMEOUT",
        value_name = "SECONDS",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub probe_timeout: Option<f64>,

    /// Libraries that may be open at once, old generations included [default: 1000]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_MAX_GENERATIONS",
        value_name = "N",
        value_parser = count_of_text::<usize>,
        help_heading = "Host",
        hide_short_help = true
    )]
    pub max_generations: Option<usize>,

    /// Where scorers run: built-in ones in the host and custom ones apart (auto), all apart, or all in the host
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_ISOLATION",
        value_name = "MODE",
        help_heading = "Host",
        hide_short_help = true
    )]
    pub isolation: Option<Isolation>,

    /// Worker processes that a library may have [default: number of cores]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_MAX_WORKERS",
        value_name = "N",
        value_parser = count_of_text::<usize>,
        help_heading = "Host",
        hide_short_help = true
    )]
    pub max_workers: Option<usize>,

    /// Crashes and timeouts in a row that take a custom library out, 0 for never [default: 5]
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_BREAKER",
        value_name = "N",
        value_parser = count_or_none_of_text::<u32>,
        help_heading = "Host",
        hide_short_help = true
    )]
    pub breaker: Option<u32>,

    /// Tell more on stderr
    #[arg(short, long, global = true, help_heading = "Host", hide_short_help = true)]
    pub verbose: bool,
}

/// What the host works with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of built-in plugins; without one they are looked for around the executable.
    pub plugins: Option<PathBuf>,
    /// The watched folder.
    pub custom_scorers: PathBuf,
    /// Built-in scorers that a custom file may replace.
    pub allow_override: BTreeSet<String>,
    /// How libraries are loaded.
    pub loader: LoaderSettings,
    /// So many failures in a row take a library out; 0 for never.
    pub breaker: u32,
}

/// The settings file. Relative paths are relative to it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    plugins: Option<PathBuf>,
    custom_scorers: Option<PathBuf>,
    store: Option<PathBuf>,
    #[serde(default)]
    allow_override: Vec<String>,
    probe_timeout: Option<f64>,
    max_generations: Option<usize>,
    isolation: Option<Isolation>,
    max_workers: Option<usize>,
    breaker: Option<u32>,
    timeout: Option<f64>,
    memory: Option<String>,
    #[serde(default)]
    serve: ServeFile,
}

impl Settings {
    /// Merges flags and environment, which clap has read, with the file and the defaults.
    pub fn load(args: &HostArgs) -> Result<Self, ScoreError> {
        Self::picked(args, &mut Picker::default()).map(|(settings, _)| settings)
    }

    /// The same with the settings of the daemon.
    pub fn load_serve(args: &HostArgs, serve: &ServeArgs) -> Result<(Self, ServeSettings, Picker), ScoreError> {
        let mut picker = Picker::default();
        let (settings, file) = Self::picked(args, &mut picker)?;
        let serve = ServeSettings::merge(serve, file, &mut picker).map_err(wrong)?;
        Ok((settings, serve, picker))
    }

    /// The settings file that is read, if there is one.
    pub fn file(args: &HostArgs) -> Option<&Path> {
        args.config.as_deref().or_else(|| Some(Path::new(FILE)).filter(|file| file.exists()))
    }

    fn picked(args: &HostArgs, picker: &mut Picker) -> Result<(Self, ServeFile), ScoreError> {
        let file = Self::file(args).map(File::read).transpose()?.unwrap_or_default();
        let seconds = |name: &str, value: f64| {
            seconds_of_number(value).map_err(|expected| wrong(format!("{name} is {value}; expected {expected}")))
        };
        let some = |name: &str, value: usize| at_least_one(name, value).map_err(wrong);
        let time = file.timeout.map(|value| seconds("timeout", value)).transpose()?;
        let memory = file
            .memory
            .as_deref()
            .map(bytes_of_text)
            .transpose()
            .map_err(|e| wrong(format!("memory: expected {e}")))?;
        picker.pick("timeout", None, file.timeout, || Limits::default().time.as_secs_f64());
        picker.pick("memory", None, memory, || Limits::default().memory);
        let loader = LoaderSettings {
            store: picker.pick("store", args.store.clone(), file.store, default_store),
            probe_timeout: seconds(
                "probe-timeout",
                picker.pick("probe-timeout", args.probe_timeout, file.probe_timeout, || 5.0),
            )?,
            max_libraries: some(
                "max-generations",
                picker.pick("max-generations", args.max_generations, file.max_generations, || 1_000),
            )?,
            isolation: picker.pick("isolation", args.isolation, file.isolation, Isolation::default),
            limits: Limits::default().with(time, memory),
            max_workers: some("max-workers", picker.pick("max-workers", args.max_workers, file.max_workers, cores))?,
        };
        // Flags add to the file, since a scorer that may be replaced may be so whoever says it.
        let allowed: BTreeSet<String> = args.allow_override.iter().cloned().chain(file.allow_override).collect();
        let (by_flag, by_file) = match (allowed.is_empty(), args.allow_override.is_empty()) {
            (true, _) => (None, None),
            (false, false) => (Some(allowed), None),
            (false, true) => (None, Some(allowed)),
        };
        let settings = Self {
            plugins: picker.pick("plugins", args.plugins.clone().map(Some), file.plugins.map(Some), || None),
            custom_scorers: picker
                .pick("custom-scorers", args.custom_scorers.clone(), file.custom_scorers, || "custom_scorers".into()),
            allow_override: picker.pick("allow-override", by_flag, by_file, BTreeSet::new),
            loader,
            breaker: picker.pick("breaker", args.breaker, file.breaker, || 5),
        };
        if let Some(folder) = settings.plugins.as_ref().filter(|folder| !folder.is_dir()) {
            let hint = match args.plugins {
                Some(_) => {
                    "it comes from --plugins or AUTOSCORER_PLUGINS: name a folder that is there, or leave it out"
                }
                None => "it comes from plugins in the settings file: name a folder that is there, or leave it out",
            };
            return Err(wrong(format!("there is no folder of plugins {}", folder.display())).hint(hint));
        }
        let custom = &settings.custom_scorers;
        if custom.exists() && !custom.is_dir() {
            return Err(wrong(format!("{} is no folder of custom scorers", custom.display())));
        }
        if args.custom_scorers.is_some() && !custom.exists() {
            narrate::line(Level::Warn, format_args!("warning: there is no folder {} (yet)", custom.display()));
        }
        Ok((settings, file.serve))
    }
}

impl File {
    fn read(path: &Path) -> Result<Self, ScoreError> {
        let name = path.display();
        let text = fs::read_to_string(path).map_err(|error| wrong(format!("{name} cannot be read: {error}")))?;
        let mut file: Self = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            let message = format!("{name} is wrong: {}", error.message().replace('\n', "; "));
            wrong(message).file(name.to_string()).line(line as u64)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for path in [&mut file.plugins, &mut file.custom_scorers, &mut file.store].into_iter().flatten() {
            *path = folder.join(&path);
        }
        file.serve.relative_to(folder);
        Ok(file)
    }
}

/// A setting of the file that makes no sense as 0; a flag is checked when it is read.
pub fn at_least_one<N: PartialEq + Default>(name: &str, value: N) -> Result<N, String> {
    if value == N::default() { Err(format!("{name} is 0; expected a whole number from 1 on")) } else { Ok(value) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Private to the user, and kept between runs so that a library is copied once.
fn default_store() -> PathBuf {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let user = rustix::process::geteuid().as_raw();
    cache.unwrap_or_else(|| std::env::temp_dir().join(format!("autoscorer-{user}"))).join("autoscorer/plugins")
}

fn wrong(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message)
        .hint("see 'autoscorer help' for the settings")
        .at_stage("settings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn flags_count_before_the_file_and_the_file_before_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("host.toml");
        fs::write(&config, "custom-scorers = 'drop'\nstore = '/s'\nallow-override = ['a']\nprobe-timeout = 2.5\ntimeout = 60\nmemory = '1Gi'\nisolation = 'in-process'\n")
            .unwrap();
        let args = HostArgs {
            config: Some(config),
            store: Some("/flag".into()),
            allow_override: vec!["b".to_owned()],
            ..HostArgs::default()
        };
        let settings = Settings::load(&args).unwrap();
        assert_eq!(settings.custom_scorers, folder.path().join("drop"));
        assert_eq!(settings.loader.store, Path::new("/flag"));
        assert_eq!(settings.allow_override, BTreeSet::from(["a".to_owned(), "b".to_owned()]));
        assert_eq!((settings.loader.limits.time, settings.loader.limits.memory), (Duration::from_secs(60), 1 << 30));
        assert_eq!(settings.loader.isolation, Isolation::InProcess);
        assert_eq!(
            (settings.loader.probe_timeout, settings.loader.max_libraries),
            (Duration::from_millis(2500), 1_000)
        );
    }

    #[test]
    fn a_wrong_file_is_an_error_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("host.toml");
        for text in ["no-such-key = 1", "store = ", "probe-timeout = -1", "memory = 'lots'", "isolation = 'none'"] {
            fs::write(&config, text).unwrap();
            let args = HostArgs { config: Some(config.clone()), ..HostArgs::default() };
            assert_eq!(Settings::load(&args).unwrap_err().code, ErrorCode::InvalidParams, "{text}");
        }
    }
}
