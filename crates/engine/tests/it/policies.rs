//! Laws for every policy of the registry, over random logs, budgets, options and pins.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::Played;
use crate::common::random::{Setting, halves, log_with, n_cases, setting, synthetic_between_call_and_result};
use cwl_engine::*;
use proptest::prelude::*;

/// The published form separates calls from results, and evicts shell commands run by the human.
fn is_pi_cwl(policy: &Policy) -> bool {
    policy.name == "pi-cwl"
}

/// A block's place according to the journal of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whereabouts {
    Absent,
    Live,
    Out,
    Masked(Placeholder),
    Dropped,
}

impl Whereabouts {
    fn from_presence(presence: Presence) -> Self {
        match presence {
            Presence::Absent => Self::Absent,
            Presence::Live => Self::Live,
            Presence::Evicted(_) | Presence::ArrivedStripped(_) => Self::Out,
            Presence::Masked(_, placeholder) => Self::Masked(placeholder),
            Presence::Dropped(_) => Self::Dropped,
        }
    }
}

/// The state according to the journal of moves, turn by turn.
struct Journal {
    arrived: Vec<bool>,
    dropped: Vec<bool>,
    policy: Vec<Whereabouts>,
    residues: BTreeSet<EpisodeIdx>,
    summaries: BTreeMap<u32, Summary>,
}

impl Journal {
    fn new(n_blocks: usize) -> Self {
        Self {
            arrived: vec![false; n_blocks],
            dropped: vec![false; n_blocks],
            policy: vec![Whereabouts::Live; n_blocks],
            residues: BTreeSet::new(),
            summaries: BTreeMap::new(),
        }
    }

    fn turn(&mut self, played: &Played, turn: TurnIdx) {
        for change in played.growth.changes_at(turn) {
            match *change {
                GraphChange::Arrived(run) => self.arrived[run.range()].fill(true),
                GraphChange::Dropped(block, _) => self.dropped[block.at()] = true,
                GraphChange::Restored(block) => self.dropped[block.at()] = false,
                _ => {}
            }
        }
        played.replay.moves_of(turn, |one| match one {
            Move::Out(block) => self.policy[block.at()] = Whereabouts::Out,
            Move::In(block) => self.policy[block.at()] = Whereabouts::Live,
            Move::Masked(block, placeholder) => self.policy[block.at()] = Whereabouts::Masked(placeholder),
            Move::Placed(number) => {
                let summary = played.replay.summary_numbered(number).clone();
                assert!(self.summaries.insert(number, summary).is_none(), "placed once");
            }
            Move::Lifted(number) => assert!(self.summaries.remove(&number).is_some(), "placed before"),
            Move::Residue(episode, true) => {
                self.residues.insert(episode);
            }
            Move::Residue(episode, false) => {
                self.residues.remove(&episode);
            }
        });
    }

    fn place(&self, at: usize) -> Whereabouts {
        match (self.arrived[at], self.dropped[at]) {
            (_, true) => Whereabouts::Dropped,
            (false, false) => Whereabouts::Absent,
            (true, false) => self.policy[at],
        }
    }
}

fn sorted<'a>(summaries: impl Iterator<Item = &'a Summary>) -> Vec<String> {
    let mut texts: Vec<String> = summaries.map(|summary| format!("{summary:?}")).collect();
    texts.sort();
    texts
}

#[test]
fn every_row_has_a_name_of_its_own_and_defaults_that_it_takes() {
    let names: BTreeSet<&str> = Policy::ALL.iter().map(|policy| policy.name).collect();
    assert_eq!(names.len(), Policy::ALL.len());
    for policy in Policy::ALL {
        let options =
            PolicyOptions::defaults(policy).unwrap_or_else(|error| panic!("{}: {error}", policy.name));
        for spec in policy.options.iter().filter(|spec| spec.number_range().is_some()) {
            assert_eq!(options.number_value(spec).to_string(), spec.default, "{} {}", policy.name, spec.key);
        }
        let keys: BTreeSet<&str> = COMMON_OPTIONS.iter().chain(policy.options).map(|spec| spec.key).collect();
        assert_eq!(keys.len(), COMMON_OPTIONS.len() + policy.options.len(), "{}", policy.name);
        assert!(!policy.about.is_empty() && !policy.source.is_empty(), "{}", policy.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn laws_hold_for_every_policy(setting in setting()) {
        let Setting { policy, budget, .. } = setting;
        let played = setting.play();
        let Played { session, replay, pins, .. } = &played;
        let mut nothing = PolicyOptions::defaults(Policy::find("none").unwrap()).unwrap();
        nothing.history = replay.options.history;
        let whole = Played::replay("none", &log_with(&setting.beats, true), u64::MAX, 0, setting.divisor, &nothing);
        let again = setting.play();
        prop_assert_eq!(&replay.turns, &again.replay.turns, "same input, same totals");
        prop_assert_eq!(played.steps(), again.steps(), "same input, same steps");
        let bands = [BandsBy::Episode, BandsBy::Content].map(|by| bands_by_turn(&played.input(), replay, by));
        // Pairs calls and results by id, as with ambiguous ids.
        let by_ids = Session { odd_call_ids: true, ..session.clone() };
        let mut journal = Journal::new(session.blocks.len());
        for (at, outcome) in replay.turns.iter().enumerate() {
            let turn = TurnIdx::new(u32::try_from(at + 1).unwrap());
            let pass = played.pass(turn);
            prop_assert_eq!(outcome.n_steps as usize, pass.steps.len());
            prop_assert_eq!(outcome.over_budget, outcome.after > budget);
            for bands in &bands {
                prop_assert_eq!(bands[at].iter().sum::<u64>(), outcome.after, "bands add up");
            }
            let full = whole.context(Cut::end_of(turn));
            let by_harness: BTreeSet<BlockIdx> = full
                .messages
                .iter()
                .flat_map(|message| &message.items)
                .filter(|item| !item.fate.is_kept())
                .map(|item| item.block)
                .collect();
            for number in 0..=pass.steps.len() {
                let context = played.context(Cut { turn, step: number });
                let expected = number.checked_sub(1).map_or(outcome.before, |last| pass.steps[last].after);
                prop_assert_eq!(context.total, expected, "{} turn {} step {}: a recount", policy.name, turn, number);
                let recount = context.messages.iter().map(|m| m.tokens).sum::<u64>() + replay.overhead.tokens_at(turn);
                prop_assert_eq!(context.total, recount);
                if let Some(step) = pass.steps.get(number) {
                    prop_assert_eq!(step.before, expected, "a step begins where the one before ended");
                }
                for item in context.messages.iter().flat_map(|m| &m.items) {
                    let message = session.message_of(item.block);
                    let human_shell = matches!(message.form, MessageForm::HumanShell { .. });
                    let is_message = message.class.is_evictable() || human_shell;
                    let may_go = session.is_evictable(item.block) || is_pi_cwl(policy) && is_message;
                    match &item.fate {
                        Fate::Kept(_) => {
                            prop_assert!(!by_harness.contains(&item.block), "what the harness took is gone");
                        }
                        Fate::Gone(GoneReason::Harness { .. } | GoneReason::Excluded) => {
                            prop_assert!(by_harness.contains(&item.block), "only what the harness took");
                        }
                        Fate::Gone(_) | Fate::Masked(..) => {
                            prop_assert!(may_go, "{}: human and system words never go", policy.name);
                            prop_assert!(!pins.contains(&item.block), "{}: what is pinned never goes", policy.name);
                            // A policy that counts unsent blocks evicts them like any other.
                            let was_first = by_harness.contains(&item.block) && !session.is_excluded(item.block);
                            prop_assert!(!was_first, "the harness was first");
                        }
                    }
                }
            }
            let context = played.context(Cut::end_of(turn));
            prop_assert_eq!(context.total, outcome.after);
            for provider in [Provider::Anthropic, Provider::OpenAiResponses, Provider::Gemini] {
                prop_assert_eq!(find_violations(session, &context, provider), find_violations(&by_ids, &context, provider));
            }
            if !is_pi_cwl(policy) {
                let missing = |context| {
                    let mut refused = find_violations(session, context, Provider::Anthropic);
                    refused.retain(|one| matches!(one, Violation::ReasoningMissing { .. }));
                    refused
                };
                let by_log = missing(&full);
                prop_assert!(
                    missing(&context).iter().all(|one| by_log.contains(one)),
                    "{}: the last reply of a loop keeps its signed reasoning",
                    policy.name
                );
                let before = halves(session, &full);
                for half in halves(session, &context) {
                    prop_assert!(before.contains(&half), "{}: calls go with their results: {:?}", policy.name, half);
                }
                prop_assert!(!synthetic_between_call_and_result(session, &context));
            }
            journal.turn(&played, turn);
            let state = played.state(Cut::end_of(turn));
            for at in 0..session.blocks.len() {
                let presence = state.presence(BlockIdx::new(at));
                prop_assert_eq!(journal.place(at), Whereabouts::from_presence(presence), "{} turn {} block {}", policy.name, turn, at);
            }
            prop_assert_eq!(&journal.residues, &state.residues);
            prop_assert_eq!(sorted(journal.summaries.values()), sorted(state.summaries.values()));
        }
    }
}
