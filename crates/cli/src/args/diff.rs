use std::path::PathBuf;

use clap::Args;

use super::{CacheArgs, InputArgs, ViewArgs, known};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The session beside it, named in the same way
    #[arg(value_name = "OTHER")]
    other: PathBuf,
    /// The format of the other log; without it the content tells
    #[arg(long, value_name = "FORMAT", value_parser = known::known_formats(), hide_possible_values = true)]
    other_format: Option<String>,
    /// The last record of a branch of the other session; without it its current branch
    #[arg(long, value_name = "RECORD")]
    pub(crate) other_branch: Option<String>,
    /// The most turns to print in which one session does what the other does not
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) limit: usize,
    /// Print JSON, with all turns
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) cache: CacheArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}

impl DiffArgs {
    pub(crate) fn other_input(&self) -> InputArgs {
        InputArgs { file: self.other.clone(), format: self.other_format.clone() }
    }
}
