//! Sessions without episodes: their human turns, and what the harness took out.

use std::collections::BTreeMap;

use cwl_engine::{BlockIdx, BlockKind, MessageIdx, Replacement, ReplacementCause};
use cwl_formats::title::first_words;

use crate::ApiError;
use crate::api::ViewRequest;
use crate::asked::view::find_policy;
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HumanTurn {
    /// First turn with the message in its request, from 1.
    pub turn: u32,
    pub n_replies: u32,
    /// Everything that entered the context during this human turn, in tokens.
    pub tokens: u64,
    /// The message's first words; empty for content before the first message.
    pub text: String,
}

/// Splits a session at the human's typed messages; consecutive ones count as one.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn human_turns(opened: &SessionSnapshot, request: &ViewRequest) -> Result<Vec<HumanTurn>, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let (session, table) = (&run.branch.session, run.policy_table());
    let mut human_turns: Vec<HumanTurn> = Vec::new();
    let mut heads = Vec::new();
    let mut after_human = false;
    // Messages added by a compaction or a rewrite repeat others.
    for (at, message) in session.messages.iter().enumerate().filter(|(_, message)| !message.added) {
        let idx = MessageIdx::new(at);
        let is_human = message.is_typed();
        if human_turns.is_empty() || (is_human && !after_human) {
            let text = session.blocks_of(idx).find(|(_, block)| is_human && block.kind == BlockKind::Text);
            heads.push(text.map(|(block, _)| SessionSnapshot::place_of(session, block)));
            let turn = session.turn_after(idx).number();
            human_turns.push(HumanTurn { turn, n_replies: 0, tokens: 0, text: String::new() });
        }
        after_human = is_human;
        if let Some(human_turn) = human_turns.last_mut() {
            let units = message.blocks.clone().map(|block| table.units(BlockIdx::new(block))).sum();
            human_turn.tokens = human_turn.tokens.saturating_add(table.tokens_from_units(units));
        }
    }
    let replies = session.turns.iter().filter(|turn| turn.message.is_some());
    for (turn, _) in (1u32..).zip(replies) {
        let at = human_turns.partition_point(|human_turn| human_turn.turn <= turn);
        if let Some(human_turn) = at.checked_sub(1).and_then(|at| human_turns.get_mut(at)) {
            human_turn.n_replies += 1;
        }
    }
    let places: Vec<_> = heads.iter().copied().flatten().collect();
    let mut texts = opened.texts.block_contents(&places)?.into_iter();
    for (human_turn, _) in human_turns.iter_mut().zip(&heads).filter(|(_, head)| head.is_some()) {
        human_turn.text = texts.next().map(|content| first_words(&content.text)).unwrap_or_default();
    }
    Ok(human_turns)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenOut {
    pub turn: u32,
    /// `true` for a summary in its place, `false` for cleared outputs.
    pub compacted: bool,
    pub n_blocks: u32,
    pub tokens: u64,
}

/// Lists what the harness took out of the history to save room, turn by turn.
///
/// # Errors
/// If `request.view` is invalid.
pub fn taken_out(opened: &SessionSnapshot, request: &ViewRequest) -> Result<Vec<TakenOut>, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let (session, table) = (&run.branch.session, run.policy_table());
    let mut units: BTreeMap<(u32, bool), (u32, u64)> = BTreeMap::new();
    // A policy at work in the agent is no harness; the decisions of `cwl live` are told apart.
    let by_harness = |one: &&Replacement| one.cause.saves_room() && one.cause != ReplacementCause::Eviction;
    for replacement in session.replacements.iter().filter(by_harness) {
        let turn = session.turn_of(replacement).number();
        let (n_blocks, of_turn) =
            units.entry((turn, replacement.cause == ReplacementCause::Compaction)).or_default();
        *n_blocks += saturate_u32(replacement.drops.len());
        *of_turn += replacement.drops.iter().map(|block| table.units(*block)).sum::<u64>();
    }
    Ok(units
        .into_iter()
        .map(|((turn, compacted), (n_blocks, units))| TakenOut {
            turn,
            compacted,
            n_blocks,
            tokens: table.tokens_from_units(units),
        })
        .collect())
}

/// Returns the policy that copies a harness's own rule for old outputs. An unknown harness gives the general
/// rule and `false`.
pub fn rule_of_harness(harness: &str) -> (&'static str, bool) {
    match harness {
        "claude-code" => ("claude-code-clearing", true),
        "opencode" => ("opencode-prune", true),
        _ => ("mask", false),
    }
}

/// Tells whether a policy is idle in a session without episodes.
///
/// # Errors
/// If there is no such policy.
pub fn needs_episodes(policy: &str) -> Result<bool, ApiError> {
    Ok(find_policy(policy)?.needs_episodes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;

    use super::*;
    use crate::api::ViewSettings;
    use crate::testing::load_file;

    fn opened(sample: &str) -> (SessionSnapshot, ViewRequest) {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
        let opened = load_file(&log).unwrap();
        (opened, ViewRequest { view: ViewSettings::counted("o200k") })
    }

    #[test]
    fn stretches_hold_every_reply_and_every_message_once() {
        for sample in ["pi/quickstart", "claude-code/compaction", "codex/compacted", "opencode/pruned"] {
            let file = if sample.starts_with("opencode") { "input.json" } else { "input.jsonl" };
            let (opened, request) = opened(&format!("{sample}/{file}"));
            let run = opened.replay_view(&request.view).unwrap();
            let (session, table) = (&run.branch.session, run.policy_table());
            let human_turns = human_turns(&opened, &request).unwrap();
            let n_replies: u32 = human_turns.iter().map(|human_turn| human_turn.n_replies).sum();
            assert_eq!(n_replies as usize, session.turns.len() - 1, "{sample}");
            let own = session.messages.iter().filter(|message| !message.added);
            let of_message = |blocks: std::ops::Range<usize>| {
                table.tokens_from_units(blocks.map(|block| table.units(BlockIdx::new(block))).sum())
            };
            let all: u64 = own.map(|message| of_message(message.blocks.clone())).sum();
            assert_eq!(human_turns.iter().map(|human_turn| human_turn.tokens).sum::<u64>(), all, "{sample}");
            assert!(human_turns.iter().any(|human_turn| !human_turn.text.is_empty()), "{sample}");
        }
    }

    #[test]
    fn what_the_harness_took_stands_at_the_turns_that_the_history_names() {
        let (opened, request) = opened("claude-code/compaction/input.jsonl");
        let taken = taken_out(&opened, &request).unwrap();
        let history = crate::commands::history(&opened, &request).unwrap();
        let turns = |compacted| -> Vec<u32> {
            taken.iter().filter(|one| one.compacted == compacted).map(|one| one.turn).collect()
        };
        assert_eq!((turns(true), turns(false)), (history.compactions, history.clearings));
        assert!(taken.iter().all(|one| one.n_blocks > 0 && one.tokens > 0), "{taken:?}");
    }

    #[test]
    fn policies_that_need_episodes_take_nothing_without_them() {
        let (opened, _) = opened("codex/compacted/input.jsonl");
        for policy in cwl_engine::Policy::ALL {
            let view = ViewSettings {
                policy: policy.name.into(),
                budget: "10".into(),
                annotation: "declared".into(),
                ..ViewSettings::counted("o200k")
            };
            let replay = crate::commands::replay(&opened, &ViewRequest { view }).unwrap();
            let is_idle = needs_episodes(policy.name).unwrap() || policy.name == "none";
            if is_idle {
                assert_eq!(replay.n_steps_in_all, 0, "{}", policy.name);
            }
        }
        assert!(needs_episodes("magic").is_err());
    }
}
