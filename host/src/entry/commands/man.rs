//! `man`: the manual pages, one for the program and one for each command.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use clap::CommandFactory;

use crate::entry::cli::{Cli, ManArgs};
use crate::entry::exit::Exit;

/// Writes the pages.
pub fn run(args: &ManArgs) -> Result<Exit, ScoreError> {
    let folder = &args.folder;
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map(|()| Exit::Done).map_err(|error| {
        let message = format!("the manual pages cannot be written to {}: {error}", folder.display());
        ScoreError::new(ErrorCode::WorkspaceNotFound, message)
            .file(folder.display().to_string())
            .expected("a folder that can be written to; it is made if it is not there")
            .hint("name a folder, such as man1")
            .at_stage("save")
    })
}
