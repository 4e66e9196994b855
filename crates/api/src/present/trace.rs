//! Traces as bytes: JSON with a space after each comma and colon, ASCII only, and a line end.

use std::io::{self, Write};

use cwl_engine::{
    BlockIdx, Cut, EpisodeName, EvictionStep, Life, Memory, MessageIdx, Move, StateAt, Steps, Subject,
    TurnIdx, pi_cwl_pass,
};
use serde::Serialize;
use serde_json::ser::Formatter;

use crate::ApiError;
use crate::dto::{TraceDto, TraceEpisodeDto, TraceStepDto, TraceTurnDto, ViewRequest};
use crate::measure::opened::{Branch, Opened, Run};
use crate::present::sentence;

/// A policy that starts from the whole history lists all of it again at every turn: a trace holds every tenth.
const LISTED_EVERY: usize = 10;

/// Returns the trace of a view.
pub fn trace(opened: &Opened, request: &ViewRequest) -> Result<TraceDto, ApiError> {
    let run = opened.run(&request.view)?;
    let session = &run.branch.session;
    let carried = matches!(run.replay.policy.memory, Memory::Carried);
    let mut turns: Vec<TraceTurnDto> = (1..)
        .zip(session.turns.iter().zip(&run.replay.turns))
        .map(|(number, (turn, outcome)): (u32, _)| TraceTurnDto {
            turn: number,
            message: turn.message.map(|message| session.messages[message.at()].entry.to_string()),
            tokens_before: outcome.before,
            tokens_after: outcome.after,
            over_budget: outcome.over_budget,
            steps: (carried || (number as usize).is_multiple_of(LISTED_EVERY)).then(|| {
                let turn = TurnIdx::new(number);
                steps(&run, &run.pass(turn))
            }),
            evicted: None,
            messages: None,
        })
        .collect();
    if let (false, Some(now)) = (carried, turns.last_mut()) {
        let last = pi_cwl_pass(&run.input(), session.now());
        now.steps = Some(steps(&run, &last.pass));
        let name = |name: &Option<EpisodeName>| name.as_ref().map(ToString::to_string);
        now.evicted = Some(last.evicted.iter().map(name).collect());
        let entry = |message: &MessageIdx| session.messages[message.at()].entry.to_string();
        now.messages = Some(last.messages.iter().map(entry).collect());
    }
    Ok(TraceDto {
        policy: run.replay.policy.name.to_owned(),
        budget: run.replay.budget,
        tokenizer: run.tokenizer.name().to_owned(),
        overhead: run.replay.policy.counts_overhead.then(|| run.replay.overhead.at(session.now())),
        turns,
        episodes: carried.then(|| episodes(&run)),
    })
}

/// Lists the episodes as they are after the last turn.
fn episodes(run: &Run) -> Vec<TraceEpisodeDto> {
    let Branch { session, growth, .. } = &*run.branch;
    let graph = &growth.graph;
    let name = |idx| graph.get(idx).name.to_string();
    let levels = StateAt::fold(&run.input(), &run.replay, Cut::end_of(session.now())).levels;
    graph
        .iter()
        .map(|(idx, episode)| {
            let mut deps: Vec<String> = Vec::new();
            for on in episode.dependencies.iter().filter_map(|dependency| dependency.on) {
                let on = name(on);
                if !deps.contains(&on) {
                    deps.push(on);
                }
            }
            TraceEpisodeDto {
                name: episode.name.to_string(),
                kind: episode.kind.into(),
                deps,
                closed: episode.state == Life::Closed,
                level: levels[idx.at()],
            }
        })
        .collect()
}

/// Lists the steps of a pass.
fn steps(run: &Run, pass: &Steps<'_>) -> Vec<TraceStepDto> {
    let carried = matches!(run.replay.policy.memory, Memory::Carried);
    let id = |block: BlockIdx| run.branch.session.blocks[block.at()].id.to_string();
    let step = |step: &EvictionStep| TraceStepDto {
        episode: match &step.subject {
            Subject::Segment { name: None, .. } => None,
            subject => Some(sentence::subject(&run.branch, subject)),
        },
        level: step.action.into(),
        tokens_before: step.before,
        tokens_after: step.after,
        blocks: carried.then(|| taken(pass, step).map(id).collect()),
    };
    pass.steps.iter().map(step).collect()
}

/// Lists the blocks that a step takes, with those in whose place it puts a placeholder.
pub(crate) fn taken<'a>(pass: &'a Steps<'_>, step: &EvictionStep) -> impl Iterator<Item = BlockIdx> + 'a {
    let moved = pass.moves_of(step).iter().filter_map(|one| match one {
        Move::Out(block) | Move::Masked(block, _) => Some(*block),
        Move::In(_) | Move::Placed(_) | Move::Lifted(_) | Move::Residue(..) => None,
    });
    pass.blocks_of(step).iter().copied().chain(moved)
}

/// Writes a value in the form of traces, with a line end.
///
/// # Errors
/// Those of the writer.
pub fn write_spaced(value: &impl Serialize, writer: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *writer, Spaced);
    value.serialize(&mut serializer)?;
    writer.write_all(b"\n")
}

/// JSON on one line, a space after each comma and colon, everything beyond ASCII escaped.
struct Spaced;

impl Spaced {
    fn comma<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::comma(writer, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::comma(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut plain_from = 0;
        for (at, odd) in fragment.char_indices().filter(|(_, c)| !matches!(c, ' '..='~')) {
            writer.write_all(&fragment.as_bytes()[plain_from..at])?;
            for unit in odd.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain_from = at + odd.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[plain_from..])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn spaced_json() {
        let check = |value: serde_json::Value, expected: &str| {
            let mut bytes = Vec::new();
            write_spaced(&value, &mut bytes).unwrap();
            assert_eq!(String::from_utf8(bytes).unwrap(), format!("{expected}\n"));
        };
        check(serde_json::json!({"a": [1, 2], "b": {}, "c": []}), r#"{"a": [1, 2], "b": {}, "c": []}"#);
        check(serde_json::json!("é\u{7f}😀\u{1}\t\"\\/"), r#""\u00e9\u007f\ud83d\ude00\u0001\t\"\\/""#);
        check(serde_json::json!([null, true, "plain ~ text"]), r#"[null, true, "plain ~ text"]"#);
    }
}
