//! Pins and probes: parsing, and finding the pinned blocks.

use std::sync::Arc;

use cwl_engine::{BlockId, BlockIdx, BlockKind, EntryId, Session, TurnIdx, WatchedKind};
use regex::RegexBuilder;

use crate::asked::effort::{Effort, WeightedExpression};
use crate::{ApiError, ErrorCode};

pub(crate) const MAX_WATCHED: usize = 100;

/// A search text as people type it: plain, `/regex/` or `/regex/i`.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub typed: String,
    regex: Option<WeightedExpression>,
}

impl Pattern {
    pub(crate) fn parse_pattern(typed: &str) -> Result<Self, ApiError> {
        let body = typed.strip_prefix('/').and_then(|rest| {
            let plain = rest.strip_suffix('/').map(|body| (body, false));
            plain.or_else(|| rest.strip_suffix("/i").map(|body| (body, true)))
        });
        match body.filter(|(body, _)| !body.is_empty()) {
            None if typed.is_empty() => Err(ApiError::new(ErrorCode::BadView, "nothing to look for")
                .with_hint(
                    "a pin is a text, /an expression/ or block:ID, a probe a text or /an expression/",
                )),
            None => Ok(Self { typed: typed.to_owned(), regex: None }),
            Some((body, folds_case)) => {
                let made = WeightedExpression::compile_weighted(
                    RegexBuilder::new(body).case_insensitive(folds_case),
                );
                made.map(|regex| Self { typed: typed.to_owned(), regex: Some(regex) }).map_err(|error| {
                    let why = reason_of(&error);
                    ApiError::new(ErrorCode::BadView, format!("`{typed}` is no regular expression ({why})"))
                })
            }
        }
    }

    pub(crate) fn is_in(&self, text: &str, effort: &Effort) -> bool {
        match &self.regex {
            Some(weighed) => effort.allows_text(weighed, text) && weighed.regex.is_match(text),
            None => text.contains(&*self.typed),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct WatchedText {
    pub typed: Arc<str>,
    pub kind: WatchedKind,
    pub pattern: Pattern,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PinsAndProbes {
    pub blocks: Vec<BlockId>,
    pub texts: Vec<WatchedText>,
}

impl PinsAndProbes {
    pub(crate) fn parse_patterns(pins: &[String], probes: &[String]) -> Result<Self, ApiError> {
        if pins.len() + probes.len() > MAX_WATCHED {
            return Err(ApiError::new(ErrorCode::BadView, "too many pins and probes")
                .with_hint(format!("{MAX_WATCHED} together are the most")));
        }
        let mut watched = Self::default();
        for typed in pins {
            let pin = |error: ApiError| ApiError { message: format!("pin: {}", error.message), ..error };
            if let Some(id) = typed.trim().strip_prefix("block:") {
                watched.blocks.push(pinned_block(id).map_err(pin)?);
                continue;
            }
            let pattern = Pattern::parse_pattern(typed.trim()).map_err(pin)?;
            watched.texts.push(WatchedText { typed: typed.trim().into(), kind: WatchedKind::Pin, pattern });
        }
        for typed in probes {
            let probe = |error: ApiError| ApiError { message: format!("probe: {}", error.message), ..error };
            let (from, wanted) = read_probe(typed.trim());
            let pattern = Pattern::parse_pattern(wanted).map_err(probe)?;
            let kind = WatchedKind::Probe(from.map(TurnIdx::new));
            watched.texts.push(WatchedText { typed: typed.trim().into(), kind, pattern });
        }
        Ok(watched)
    }

    /// Returns pinned blocks in log order, each call with its results and each result with its call, and the ids not on
    /// this branch.
    pub(crate) fn pinned_blocks(&self, session: &Session) -> (Vec<BlockIdx>, Vec<Arc<str>>) {
        let mut missing = Vec::new();
        let mut found = Vec::new();
        for id in &self.blocks {
            match session.find_block(id) {
                Some(block) => found.push(head_of_pair(session, block)),
                None => missing.push(Arc::from(format!("block:{id}"))),
            }
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return (found, missing);
        }
        let is_pinned = |block: &BlockIdx| found.binary_search(&head_of_pair(session, *block)).is_ok();
        ((0..session.blocks.len()).map(BlockIdx::new).filter(is_pinned).collect(), missing)
    }
}

fn head_of_pair(session: &Session, block: BlockIdx) -> BlockIdx {
    let row = &session.blocks[block.at()];
    if matches!(row.kind, BlockKind::Result(_)) { row.pair.unwrap_or(block) } else { block }
}

fn pinned_block(id: &str) -> Result<BlockId, ApiError> {
    read_block(id).filter(|id| !id.entry.as_str().is_empty()).ok_or_else(|| {
        ApiError::new(ErrorCode::BadView, format!("`block:{id}` names no block"))
            .with_hint("a block is ENTRY:INDEX, as `cwl context --as list` shows it")
    })
}

pub fn read_block(name: &str) -> Option<BlockId> {
    let (entry, index) = name.rsplit_once(':')?;
    Some(BlockId { entry: EntryId::new(entry), index: index.parse().ok()? })
}

/// Returns the cause of a regex error: its last line, as the others are drawn for a terminal.
pub(crate) fn reason_of(error: &regex::Error) -> String {
    let error = error.to_string();
    error.lines().last().unwrap_or("not understood").trim_start_matches("error: ").to_owned()
}

fn read_probe(typed: &str) -> (Option<u32>, &str) {
    let turn = typed.split_once(':').and_then(|(turn, rest)| Some((turn.parse().ok()?, rest)));
    turn.map_or((None, typed), |(turn, rest)| (Some(turn), rest.trim_start()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::access::NoHost;

    use super::*;

    fn check_pin(typed: &str, has: &[&str], has_not: &[&str]) {
        let watched = PinsAndProbes::parse_patterns(&[typed.to_owned()], &[]).unwrap();
        let pattern = &watched.texts[0].pattern;
        assert!(
            has.iter().all(|text| pattern.is_in(text, &Effort::begin_search(&NoHost))),
            "{typed} is in {has:?}"
        );
        assert!(
            !has_not.iter().any(|text| pattern.is_in(text, &Effort::begin_search(&NoHost))),
            "{typed} is not in {has_not:?}"
        );
    }

    #[test]
    fn pins_are_texts_or_expressions() {
        check_pin("never push", &["we never push to main"], &["Never push"]);
        check_pin("/never\\s+push/", &["never  push"], &["Never push"]);
        check_pin("/never push/i", &["NEVER push"], &["push"]);
        check_pin("/etc/hosts", &["see /etc/hosts"], &["etc"]);
        check_pin("//", &["a // b"], &["/"]);
        check_pin("a.c", &["a.c"], &["abc"]);
    }

    #[test]
    fn blocks_are_named_by_record_and_place() {
        let watched = PinsAndProbes::parse_patterns(&["block:m:1:2".to_owned()], &[]).unwrap();
        assert_eq!(watched.blocks[0].to_string(), "m:1:2");
    }

    #[test]
    fn probes_may_say_from_when_on() {
        let read = |typed: &str| match PinsAndProbes::parse_patterns(&[], &[typed.to_owned()]).unwrap().texts
            [0]
        .kind
        {
            WatchedKind::Probe(from) => from.map(TurnIdx::number),
            WatchedKind::Pin => panic!("a probe"),
        };
        assert_eq!(read("12: the port"), Some(12));
        assert_eq!(read("the port: 12"), None);
        assert_eq!(read("12:/po.t/"), Some(12));
        assert_eq!(read_probe("12: a"), (Some(12), "a"));
    }

    #[test]
    fn what_is_not_understood_says_so() {
        let message = |pins: &[&str], probes: &[&str]| {
            let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            PinsAndProbes::parse_patterns(&own(pins), &own(probes)).unwrap_err().message
        };
        assert_eq!(message(&[""], &[]), "pin: nothing to look for");
        assert_eq!(message(&[], &["3:"]), "probe: nothing to look for");
        assert!(message(&["/(/"], &[]).starts_with("pin: `/(/` is no regular expression ("));
        assert_eq!(message(&["block:x"], &[]), "pin: `block:x` names no block");
        assert_eq!(message(&["a"; 101], &[]), "too many pins and probes");
        assert!(message(&["/(a{1000}){1000}/"], &[]).contains("is no regular expression"));
    }
}
