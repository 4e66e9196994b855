use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ViewArgs, known};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintSort {
    /// As their lines stand in the log
    Line,
    /// The gravest first
    Severity,
    /// The dearest first
    Cost,
    /// By code
    Code,
}

/// Which logs are looked through, and in which form the findings are printed.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("form"))]
pub(crate) struct LintArgs {
    /// Sessions: logs, `-` for standard input, ids or their beginnings, or what `cwl sessions` shows
    #[arg(required = true, value_name = "SESSION")]
    pub(crate) files: Vec<PathBuf>,
    /// The format of the logs; without it the content tells
    #[arg(long, value_name = "FORMAT", value_parser = known::known_formats(), hide_possible_values = true)]
    pub(crate) format: Option<String>,
    /// End with exit code 1 if a finding has at least this severity, or this code; can be repeated
    #[arg(long, value_name = "error|warning|info|CODE", value_delimiter = ',')]
    pub(crate) deny: Vec<String>,
    /// Do not report findings of this code; can be repeated
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// Report only what this baseline does not have
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings as a baseline, and report nothing
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// The file with thresholds and switches [default: cwl.toml in the working directory, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The order of the findings about each log
    #[arg(long, value_enum, default_value = "line")]
    pub(crate) sort: LintSort,
    /// The most findings that are printed about each log; counts and --deny use all
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// Print SARIF 2.1.0
    #[arg(long, group = "form")]
    pub(crate) sarif: bool,
    /// Print annotations for GitHub Actions
    #[arg(long, group = "form")]
    pub(crate) github: bool,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
}
