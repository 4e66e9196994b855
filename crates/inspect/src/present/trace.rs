//! Traces as JSON: a space after each comma and colon, ASCII only, with a line end.

use std::io::{self, Write};

use cwl_engine::{
    BlockIdx, Cut, EpisodeName, EvictionStep, Life, Memory, MessageIdx, Move, StateAt, Steps, Subject,
    TurnIdx, pi_cwl_pass,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::ser::Formatter;

use crate::ApiError;
use crate::api::{TraceAnswer, TraceEpisode, TraceStep, TraceTurn, ViewRequest};
use crate::measure::branch::Branch;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::hidden::write_escaping;
use crate::present::sentence;

/// A policy that starts from the whole history repeats its steps at every turn, so only every tenth turn lists them.
const LISTED_EVERY: usize = 10;

/// A view's trace, computed turn by turn during serialisation because it may be far larger than the log. Serialises
/// like [`TraceAnswer`].
pub struct ReplayTrace(ReplayRun);

impl ReplayTrace {
    /// Replays a view to write its trace.
    ///
    /// # Errors
    /// If the view is invalid, or the texts cannot be read.
    pub fn replay(opened: &SessionSnapshot, request: &ViewRequest) -> Result<Self, ApiError> {
        opened.replay_view(&request.view).map(Self)
    }

    fn without_turns(&self) -> TraceAnswer {
        let Self(run) = self;
        let (policy, now) = (run.replay.policy, run.branch.session.last_turn());
        TraceAnswer {
            policy: policy.name.to_owned(),
            budget: run.replay.budget,
            tokenizer: run.unit.name().to_owned(),
            overhead: policy.counts_overhead.then(|| run.replay.overhead.tokens_at(now)),
            source: (!run.branch.is_declared()).then(|| run.branch.growth.source),
            turns: Vec::new(),
            episodes: matches!(policy.memory, Memory::Carried).then(|| trace_episodes(run)),
        }
    }
}

pub fn trace(opened: &SessionSnapshot, request: &ViewRequest) -> Result<TraceAnswer, ApiError> {
    let trace = ReplayTrace::replay(opened, request)?;
    Ok(TraceAnswer { turns: Turns(&trace.0).all_turns().collect(), ..trace.without_turns() })
}

impl Serialize for ReplayTrace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TraceAnswer { policy, budget, tokenizer, overhead, source, turns: _, episodes } =
            self.without_turns();
        let n_given = [overhead.is_some(), source.is_some(), episodes.is_some()].map(usize::from);
        let n_fields = 4 + n_given.iter().sum::<usize>();
        let mut trace = serializer.serialize_struct("TraceAnswer", n_fields)?;
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

struct Turns<'a>(&'a ReplayRun);

impl Turns<'_> {
    fn all_turns(&self) -> impl Iterator<Item = TraceTurn> {
        let Self(run) = self;
        (1..=run.branch.session.last_turn().number()).map(|number| turn_of(run, number))
    }
}

impl Serialize for Turns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.all_turns())
    }
}

fn turn_of(run: &ReplayRun, number: u32) -> TraceTurn {
    let (session, turn) = (&run.branch.session, TurnIdx::new(number));
    let carried = matches!(run.replay.policy.memory, Memory::Carried);
    let outcome = run.replay.outcome_at(turn);
    let message = session.turn_at(turn).message;
    let mut told = TraceTurn {
        turn: number,
        message: message.map(|message| session.messages[message.at()].entry.to_string()),
        tokens_before: outcome.before,
        tokens_after: outcome.after,
        over_budget: outcome.over_budget,
        steps: None,
        evicted: None,
        messages: None,
    };
    if !carried && turn == session.last_turn() {
        let last = pi_cwl_pass(&run.replay_input(), turn);
        told.steps = Some(trace_steps(run, &last.pass));
        let name = |name: &Option<EpisodeName>| name.as_ref().map(ToString::to_string);
        told.evicted = Some(last.evicted.iter().map(name).collect());
        let entry = |message: &MessageIdx| session.messages[message.at()].entry.to_string();
        told.messages = Some(last.messages.iter().map(entry).collect());
    } else if carried || (number as usize).is_multiple_of(LISTED_EVERY) {
        told.steps = Some(trace_steps(run, &run.steps_of_turn(turn)));
    }
    told
}

fn trace_episodes(run: &ReplayRun) -> Vec<TraceEpisode> {
    let Branch { session, growth, .. } = &*run.branch;
    let graph = &growth.graph;
    let name = |idx| graph.episode(idx).name.to_string();
    let levels = StateAt::fold_to(&run.replay_input(), &run.replay, Cut::end_of(session.last_turn())).levels;
    graph
        .episodes()
        .map(|(idx, episode)| {
            let mut deps: Vec<String> = Vec::new();
            for on in episode.dependencies.iter().filter_map(|dependency| dependency.on) {
                let on = name(on);
                if !deps.contains(&on) {
                    deps.push(on);
                }
            }
            TraceEpisode {
                name: episode.name.to_string(),
                kind: episode.kind,
                deps,
                closed: episode.state == Life::Closed,
                level: levels[idx.at()],
            }
        })
        .collect()
}

fn trace_steps(run: &ReplayRun, pass: &Steps<'_>) -> Vec<TraceStep> {
    let carried = matches!(run.replay.policy.memory, Memory::Carried);
    let id = |block: BlockIdx| run.branch.session.blocks[block.at()].id.to_string();
    let step = |step: &EvictionStep| TraceStep {
        episode: match &step.subject {
            Subject::Segment { name: None, .. } => None,
            subject => Some(sentence::describe_subject(&run.branch, subject)),
        },
        level: step.action,
        tokens_before: step.before,
        tokens_after: step.after,
        blocks: carried.then(|| blocks_of_step(pass, step).map(id).collect()),
    };
    pass.steps.iter().map(step).collect()
}

pub(crate) fn blocks_of_step<'a>(
    pass: &'a Steps<'_>,
    step: &EvictionStep,
) -> impl Iterator<Item = BlockIdx> + 'a {
    let moved = pass.moves_of(step).iter().filter_map(|one| match one {
        Move::Out(block) | Move::Masked(block, _) => Some(*block),
        Move::In(_) | Move::Placed(_) | Move::Lifted(_) | Move::Residue(..) => None,
    });
    pass.blocks_of(step).iter().copied().chain(moved)
}

/// Writes `value` in the form of traces.
///
/// # Errors
/// If the writer fails.
pub fn write_spaced(value: &impl Serialize, writer: &mut impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *writer, SpacedJson);
    value.serialize(&mut serializer)?;
    writer.write_all(b"\n")
}

/// JSON on one line, with a space after each comma and colon, and non-ASCII characters escaped.
struct SpacedJson;

impl SpacedJson {
    fn write_comma<W: ?Sized + Write>(writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }
}

impl Formatter for SpacedJson {
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::write_comma(writer, first)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        Self::write_comma(writer, first)
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
