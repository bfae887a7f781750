//! The arguments of `scorers new`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `scorers new`
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Name of the crate, such as my-scorer; the scorer's id is the same with '_'
    #[arg(value_name = "NAME")]
    pub name: String,

    /// What the scorer reads
    #[arg(long, value_enum, default_value_t = Kind::Csv)]
    pub kind: Kind,

    /// Folder to make the crate's folder in
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,

    /// The plugin-api folder of an autoscorer repository [default: looked for above DIR and around this program]
    #[arg(long, value_name = "DIR")]
    pub api: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// What a new scorer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Two CSV files, joined by id
    Csv,
    /// Two JSON files
    Json,
    /// Two texts: the least there is
    Blank,
}
