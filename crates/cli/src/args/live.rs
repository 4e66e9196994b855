//! Arguments of `cwl live`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::known;

#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// The folder of the store; without it CWL_DATA_DIR or the platform's data directory
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data_dir: Option<PathBuf>,
    /// Without one it decides for a running agent
    #[command(subcommand)]
    pub(crate) act: Option<LiveAct>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LiveAct {
    /// Show what a running process does: settings in force, the last request, what went and why
    Status(LiveStatusArgs),
    /// Change what is in force from the next request on
    Set(LiveSetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct LiveStatusArgs {
    /// The session: its id or the beginning of it, or its log; without it all that have a process
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// The most events that are listed
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) events: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub(crate) struct LiveSetArgs {
    /// The session: its id or the beginning of it, or its log; without it the only one that has a process
    #[arg(value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// Another policy; the options of the one before are dropped
    #[arg(long, value_name = "NAME", group = "change", value_parser = known::known_policies(), hide_possible_values = true)]
    pub(crate) policy: Option<String>,
    /// Another τ: 80000, 80k, 50%
    #[arg(long, value_name = "TOKENS", group = "change", allow_hyphen_values = true)]
    pub(crate) budget: Option<String>,
    /// Another source of marks: declared, filled or inferred
    #[arg(long, value_name = "MARKS", group = "change")]
    pub(crate) marks: Option<String>,
    /// An option of the policy, as `cwl policies NAME` lists them; can be repeated, and replaces all that were set
    #[arg(long, value_name = "KEY=VALUE", group = "change")]
    pub(crate) set: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
