//! The arguments of `cwl-inspector`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use cwl_corpus::CorpusCache;
use cwl_host::api::{DefaultsAnswer, ViewCut, ViewSettings};
use cwl_host::{Corpora, InspectorConfig};

/// Shows what a coding agent's model would receive under an eviction policy and a token budget.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(
    name = "cwl-inspector",
    version,
    after_help = "Without a display, `cwl` answers the same questions in a terminal."
)]
pub struct LaunchArguments {
    /// A session log, the folder of a corpus, the id of a known session, or a link (cwl-inspector://…); without
    /// it the list of sessions
    #[arg(value_name = "PATH|SESSION_ID|LINK")]
    target: Option<String>,
    /// The turn to open at, from 1; without it the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), requires = "target")]
    turn: Option<u32>,
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The token budget: 80000, 80k or 50%
    #[arg(long, value_name = "TOKENS")]
    budget: Option<String>,
    /// Whose episodes: auto (the agent's own, else inferred ones), declared, inferred, a name or a file of marks
    #[arg(long, value_name = "auto|declared|inferred|NAME|FILE")]
    annotation: Option<String>,
    /// Play a sample as if an agent were writing it now
    #[arg(long, conflicts_with = "target")]
    demo: bool,
    /// The store's folder; without it CWL_DATA_DIR or the platform's data directory
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl LaunchArguments {
    /// Returns the host's configuration.
    ///
    /// # Errors
    /// A line of text if no data directory is known.
    pub(crate) fn into_config(self) -> Result<InspectorConfig, String> {
        let data_dir = match self.data_dir.clone() {
            Some(folder) => folder,
            None => cwl_host::default_data_dir().map_err(|error| error.to_string())?,
        };
        let corpora: Option<Arc<dyn Corpora>> = Some(Arc::new(CorpusCache::default()));
        Ok(InspectorConfig { data_dir, defaults: self.into_defaults(), folders: None, corpora })
    }

    fn into_defaults(self) -> DefaultsAnswer {
        let view = ViewSettings::default();
        let (target, link) = cwl_host::read_target(self.target);
        DefaultsAnswer {
            target,
            link,
            budget_given: self.budget.is_some(),
            policy_given: self.policy.is_some(),
            view: ViewSettings {
                policy: self.policy.unwrap_or(view.policy),
                budget: self.budget.unwrap_or(view.budget),
                annotation: self.annotation.unwrap_or(view.annotation),
                ..view
            },
            cut: ViewCut { turn: self.turn, step: None },
            demo: self.demo,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parse(line: &str) -> Result<LaunchArguments, clap::Error> {
        LaunchArguments::try_parse_from(std::iter::once("cwl-inspector").chain(line.split_whitespace()))
    }

    fn check(line: &str, expected: DefaultsAnswer) {
        assert_eq!(parse(line).unwrap().into_defaults(), expected, "{line}");
    }

    #[test]
    fn arguments_become_defaults() {
        let view = ViewSettings::default;
        check("", DefaultsAnswer::default());
        check("a.jsonl", DefaultsAnswer { target: Some("a.jsonl".into()), ..Default::default() });
        check(
            "a.jsonl --turn 7",
            DefaultsAnswer {
                target: Some("a.jsonl".into()),
                cut: ViewCut { turn: Some(7), step: None },
                ..Default::default()
            },
        );
        check(
            "--policy none --budget 50%",
            DefaultsAnswer {
                view: ViewSettings { policy: "none".into(), budget: "50%".into(), ..view() },
                budget_given: true,
                policy_given: true,
                ..Default::default()
            },
        );
        let inferred = ViewSettings { annotation: "inferred".into(), ..view() };
        check("--annotation inferred", DefaultsAnswer { view: inferred, ..Default::default() });
        let said = ViewSettings { budget: "80000".into(), ..view() };
        check("--budget 80000", DefaultsAnswer { view: said, budget_given: true, ..Default::default() });
        let linked = |link: &str| DefaultsAnswer { link: Some(link.into()), ..Default::default() };
        check("cwl-inspector://open?session=a&turn=3", linked("session=a&turn=3"));
        check("--demo", DefaultsAnswer { demo: true, ..Default::default() });
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let lines = [
            "a.jsonl --turn 0",
            "a.jsonl --turn x",
            "a.jsonl --turn -1",
            "--turn 7",
            "a.jsonl --demo",
            "a.jsonl b.jsonl",
            "--tau 3",
        ];
        for line in lines {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn the_store_can_be_elsewhere() {
        let config = parse("--data-dir here/store").unwrap().into_config().unwrap();
        assert_eq!(config.data_dir, PathBuf::from("here/store"));
        assert!(config.folders.is_none(), "the default folders are searched");
    }
}
