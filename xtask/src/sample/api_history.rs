//! The history that a plain client of a provider sends with every request.

use anyhow::{Context as _, Result};
use std::collections::BTreeMap;

use super::meter::{Meter, Usage};
use super::story::{Event, Reply, Stop, Timed, ToolResult};

/// The system prompt of the invented client.
pub(crate) const SYSTEM: &str = "You are a coding agent in the checkout of tidewater, a self-hosted feed reader.\n\
Mark each unit of work with the tool `delimiter`: start it with a name and its type (expl or act), end it before \
you start the next one. Keep diffs small and run the checks before you say that you are done.";

/// One message of the history.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    Human(String),
    /// A text that the client puts into the user's slot: rules, a summary.
    Injected(String),
    Reply(Reply),
    Result(ToolResult),
}

/// One request, by the history that it carries, and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) at_ms: i64,
    pub(crate) model: String,
    pub(crate) history: Vec<Entry>,
    pub(crate) reply: Reply,
    pub(crate) usage: Usage,
}

/// Plays a story as requests and answers.
///
/// A compaction puts its summary before what it keeps; going back cuts the history, and its summary is left
/// out, since no client of a bare API writes one. Replies that failed have no answer and no place.
pub(crate) fn exchanges(events: &[Timed], seed: u64) -> Result<Vec<Exchange>> {
    let mut history: Vec<Entry> = Vec::new();
    let mut marks: BTreeMap<&str, usize> = BTreeMap::new();
    let mut meter = Meter::new(seed);
    let mut model = "claude-sonnet-4-5".to_owned();
    let mut found = Vec::new();
    for timed in events {
        let entry = match &timed.event {
            Event::Begin { .. } | Event::Named(_) | Event::Labelled(_) => continue,
            Event::Model { model: other, .. } => {
                model.clone_from(other);
                continue;
            }
            Event::Human(text) => Entry::Human(text.clone()),
            Event::HumanShell { command, output, .. } => {
                Entry::Human(format!("I ran `{command}`:\n{output}"))
            }
            Event::Injected { text, .. } => Entry::Injected(text.clone()),
            Event::Reply(reply) if matches!(reply.stop, Stop::Failed(_) | Stop::Aborted) => continue,
            Event::Reply(reply) => {
                found.push(Exchange {
                    at_ms: timed.at_ms,
                    model: model.clone(),
                    history: history.clone(),
                    reply: reply.clone(),
                    usage: logged(meter.reply(reply.n_chars())),
                });
                history.push(Entry::Reply(reply.clone()));
                continue;
            }
            Event::Result(result) => Entry::Result(result.clone()),
            Event::Mark(name) => {
                marks.insert(name, history.len());
                continue;
            }
            Event::Compaction { keep_from, summary } => {
                let from = *marks.get(keep_from.as_str()).context("no such mark")?;
                history.drain(..from);
                history.insert(0, Entry::Injected(summary.clone()));
                meter.replace(history.iter().map(n_chars).sum());
                continue;
            }
            Event::Rewind { to, .. } => {
                history.truncate(*marks.get(to.as_str()).context("no such mark")?);
                meter.replace(history.iter().map(n_chars).sum());
                continue;
            }
        };
        meter.add(usize::try_from(n_chars(&entry))?);
        history.push(entry);
    }
    Ok(found)
}

/// The meter counts a large system prompt and many tools; here they stand in the log themselves, and are small.
const NOT_HERE: u64 = 3_500;

/// Returns what is used where the whole prompt is in the log.
pub(crate) fn logged(usage: Usage) -> Usage {
    // The prompts are the beginning, so that they are read from the cache where anything is.
    if usage.cache_read > 0 {
        return Usage { cache_read: usage.cache_read.saturating_sub(NOT_HERE), ..usage };
    }
    Usage { cache_write: usage.cache_write.saturating_sub(NOT_HERE), ..usage }
}

fn n_chars(entry: &Entry) -> u64 {
    let n_chars = match entry {
        Entry::Human(text) | Entry::Injected(text) => text.len(),
        Entry::Reply(reply) => reply.n_chars(),
        Entry::Result(result) => result.text.len(),
    };
    n_chars as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sample::teller::tell;

    #[test]
    fn each_request_carries_what_came_before() {
        let story = tell(include_str!("texts/scripts/exchange.txt"), 1).unwrap();
        let exchanges = exchanges(&story, 1).unwrap();
        let lengths: Vec<usize> = exchanges.iter().map(|exchange| exchange.history.len()).collect();
        assert_eq!(lengths, [1, 3, 6, 8, 11, 14, 16, 18]);
    }

    #[test]
    fn going_back_and_compaction_shorten_it() {
        let story = tell(include_str!("texts/scripts/branches.txt"), 1).unwrap();
        let exchanges = exchanges(&story, 1).unwrap();
        let shorter = exchanges.windows(2).filter(|pair| pair[1].history.len() < pair[0].history.len());
        assert_eq!(shorter.count(), 2);
    }
}
