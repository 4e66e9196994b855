//! Traces as bytes: JSON with a space after each comma and colon, ASCII only, and a line end.

use std::io::{self, Write};

use cwl_engine::{
    BlockIdx, Cut, EpisodeName, EvictionStep, Life, Memory, MessageIdx, Move, StateAt, Steps, Subject,
    TurnIdx, pi_cwl_pass,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::ser::Formatter;

use crate::ApiError;
use crate::dto::{TraceDto, TraceEpisodeDto, TraceStepDto, TraceTurnDto, ViewRequest};
use crate::measure::branch::Branch;
use crate::measure::opened::Opened;
use crate::measure::run::Run;
use crate::present::hidden::write_escaping;
use crate::present::sentence;

/// A policy that starts from the whole history lists all of it again at every turn: a trace holds every tenth.
const LISTED_EVERY: usize = 10;

/// The trace of a view, which is worked out turn by turn as it is written: it may be far larger than the log. It has the
/// form of [`TraceDto`].
pub struct Trace(Run);

impl Trace {
    /// Runs a view, to write its trace.
    ///
    /// # Errors
    /// Where the view is not understood, and those of the texts.
    pub fn of(opened: &Opened, request: &ViewRequest) -> Result<Self, ApiError> {
        opened.run(&request.view).map(Self)
    }

    /// Returns everything but the turns.
    fn frame(&self) -> TraceDto {
        let Self(run) = self;
        let (policy, now) = (run.replay.policy, run.branch.session.now());
        TraceDto {
            policy: policy.name.to_owned(),
            budget: run.replay.budget,
            tokenizer: run.tokenizer.name().to_owned(),
            overhead: policy.counts_overhead.then(|| run.replay.overhead.at(now)),
            source: (!run.branch.is_declared()).then(|| run.branch.growth.source.into()),
            turns: Vec::new(),
            episodes: matches!(policy.memory, Memory::Carried).then(|| episodes(run)),
        }
    }
}

/// Returns the trace of a view, all of it at once.
pub fn trace(opened: &Opened, request: &ViewRequest) -> Result<TraceDto, ApiError> {
    let trace = Trace::of(opened, request)?;
    Ok(TraceDto { turns: Turns(&trace.0).all().collect(), ..trace.frame() })
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TraceDto { policy, budget, tokenizer, overhead, source, turns: _, episodes } = self.frame();
        let n_given = [overhead.is_some(), source.is_some(), episodes.is_some()].map(usize::from);
        let n_fields = 4 + n_given.iter().sum::<usize>();
        let mut trace = serializer.serialize_struct("TraceDto", n_fields)?;
        trace.serialize_field("policy", &policy)?;
        trace.serialize_field("budget", &budget)?;
        trace.serialize_field("tokenizer", &tokenizer)?;
        if let Some(overhead) = overhead {
            trace.serialize_field("overhead", &overhead)?;
        }
        if let Some(source) = source {
            trace.serialize_field("source", &source)?;
        }
        trace.serialize_field("turns", &Turns(&self.0))?;
        if let Some(episodes) = episodes {
            trace.serialize_field("episodes", &episodes)?;
        }
        trace.end()
    }
}

/// The turns of a trace, each worked out when it is written.
struct Turns<'a>(&'a Run);

impl Turns<'_> {
    fn all(&self) -> impl Iterator<Item = TraceTurnDto> {
        let Self(run) = self;
        (1..=run.branch.session.now().number()).map(|number| turn_of(run, number))
    }
}

impl Serialize for Turns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.all())
    }
}

/// Tells what happens at one turn.
fn turn_of(run: &Run, number: u32) -> TraceTurnDto {
    let (session, turn) = (&run.branch.session, TurnIdx::new(number));
    let carried = matches!(run.replay.policy.memory, Memory::Carried);
    let outcome = run.replay.turn(turn);
    let message = session.turn(turn).message;
    let mut told = TraceTurnDto {
        turn: number,
        message: message.map(|message| session.messages[message.at()].entry.to_string()),
        tokens_before: outcome.before,
        tokens_after: outcome.after,
        over_budget: outcome.over_budget,
        steps: None,
        evicted: None,
        messages: None,
    };
    if !carried && turn == session.now() {
        let last = pi_cwl_pass(&run.input(), turn);
        told.steps = Some(steps(run, &last.pass));
        let name = |name: &Option<EpisodeName>| name.as_ref().map(ToString::to_string);
        told.evicted = Some(last.evicted.iter().map(name).collect());
        let entry = |message: &MessageIdx| session.messages[message.at()].entry.to_string();
        told.messages = Some(last.messages.iter().map(entry).collect());
    } else if carried || (number as usize).is_multiple_of(LISTED_EVERY) {
        told.steps = Some(steps(run, &run.pass(turn)));
    }
    told
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
        write_escaping(fragment, |one| !matches!(one, ' '..='~'), writer)
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
