//! The comment files of a workspace: every `.txt` in `output/`, in the order of their names.

use std::fs;

use autoscorer_plugin_api::prelude::*;

use super::space::unix_lines;
use super::tagged::{self, Tagged};

/// One comment file.
#[derive(Debug, Default)]
pub(crate) struct CommentFile {
    pub(crate) name: String,
    /// What is in it; its comments move on to their pull request.
    pub(crate) tagged: Tagged,
    /// Whether there is nothing in it: its reviewer had nothing to say.
    pub(crate) blank: bool,
    /// Why it takes no part, if it does not.
    pub(crate) skipped: Option<String>,
}

impl CommentFile {
    /// Whether it says something about its pull request: that nothing is to be said counts, what cannot be used does not.
    pub(crate) fn speaks(&self) -> bool {
        self.skipped.is_none() || self.blank
    }
}

/// The names of all comment files.
pub(crate) fn names(ctx: &Context<'_>) -> Result<Vec<String>, ScoreError> {
    let folder = ctx.workspace().join("output");
    let unreadable = |error: std::io::Error| {
        ScoreError::new(ErrorCode::MissingFile, format!("output/ cannot be read: {error}")).file("output")
    };
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".txt") && !name.starts_with('.') {
            names.push(name.into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads a file. One that cannot be read or has no comment is skipped, with the reason.
pub(crate) fn read(ctx: &Context<'_>, name: String) -> CommentFile {
    let text = match ctx.read_text(&format!("output/{name}")) {
        Ok(text) => text,
        Err(error) => return CommentFile { name, skipped: Some(error.message), ..CommentFile::default() },
    };
    let tagged = tagged::parse(&unix_lines(text));
    let skipped = tagged.comments.is_empty().then(|| "there is no comment in it".to_owned());
    CommentFile { name, blank: tagged.comments.is_empty() && tagged.oddities.is_empty(), tagged, skipped }
}
