//! Invariants of graph and policy on random logs, and `cwl` against a plain version that rebuilds everything
//! before every turn and recounts after every step.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::random::{beat, halves, head_of, log_of, n_cases, synthetic_between_call_and_result};
use crate::common::{Played, options_of};
use cwl_engine::testing::{LogBuilder, tools};
use cwl_engine::*;
use proptest::prelude::*;

/// An episode's identity across versions of the graph; a stretch that becomes an episode is another one.
type Key = (BlockId, EpisodeKind);

/// Turn, the episode's first block, level, total before and after, blocks.
type PlainStep = (u32, String, &'static str, u64, u64, Vec<String>);

/// Plain Algorithm 1: rebuilds the graph of the prefix before every turn, and recounts everything after
/// every step.
struct Plain<'a> {
    log: &'a LogBuilder,
    budget: u64,
    divisor: u32,
    levels: BTreeMap<Key, u8>,
    evicted: BTreeSet<BlockId>,
    residues: BTreeMap<Key, String>,
    /// Each episode's residue, from the whole log.
    texts: &'a BTreeMap<Key, String>,
    steps: Vec<PlainStep>,
}

impl Plain<'_> {
    fn turn(&mut self, turn: u32, n_events: usize) {
        let mut prefix = EventLog::default();
        for event in self.log.log.events().range(0..n_events) {
            prefix.push(event.clone());
        }
        let (session, _) = Session::build(&prefix, None, History::AsRecorded, &tools());
        let (growth, _) = GraphTimeline::build(&session);
        let table = self.log.table(&session, &growth, self.divisor);
        let mut dropped = BTreeSet::new();
        for replacement in &session.replacements {
            dropped.extend(replacement.drops.iter().copied());
            for block in &replacement.restores {
                dropped.remove(block);
            }
        }
        let view = View { session: &session, growth: &growth, table: &table, dropped };
        let key = |e: &Episode| (session.blocks[e.start.at()].id.clone(), e.kind);
        // An episode emptied by the harness is gone, and blocks arriving in a stripped episode are stripped.
        let mut level_of = BTreeMap::new();
        for (idx, episode) in growth.graph.episodes() {
            let mut level = self.levels.get(&key(episode)).copied().unwrap_or(0);
            if !episode.is_open()
                && !episode.blocks.is_empty()
                && episode.blocks.iter().all(|b| view.dropped.contains(b))
            {
                level = 4;
            }
            level_of.insert(idx, level);
            for &block in &episode.blocks {
                let own = view.level(block, episode.kind);
                // A call goes with its results, whichever went first.
                let half_gone = (0..session.blocks.len())
                    .map(BlockIdx::new)
                    .filter(|other| head_of(&session, *other) == head_of(&session, block))
                    .any(|other| self.evicted.contains(&session.blocks[other.at()].id));
                if (half_gone || own <= level) && !view.dropped.contains(&block) {
                    self.evicted.insert(session.blocks[block.at()].id.clone());
                }
            }
        }
        loop {
            let before = self.total(&view, &level_of);
            if before <= self.budget {
                break;
            }
            let whole = |idx: &EpisodeIdx| level_of[idx] == 4;
            let target = growth
                .graph
                .episodes()
                .filter(|(idx, e)| !e.is_open() && !whole(idx))
                .filter(|(idx, _)| growth.graph.dependents(*idx).iter().all(whole))
                .filter(|(idx, _)| growth.graph.implicit_dependents(*idx).all(|act| whole(&act)))
                .min_by_key(|(_, e)| (e.kind != EpisodeKind::Action, e.start));
            let Some((target, episode)) = target else { break };
            for level in EvictionLevel::ALL {
                if level.number() <= level_of[&target] || !level.applies_to(episode.kind) {
                    continue;
                }
                let before = self.total(&view, &level_of);
                let blocks: Vec<BlockIdx> = episode
                    .blocks
                    .iter()
                    .copied()
                    .filter(|&b| {
                        level == EvictionLevel::WholeEpisode || view.level(b, episode.kind) == level.number()
                    })
                    .filter(|b| {
                        !view.dropped.contains(b) && !self.evicted.contains(&session.blocks[b.at()].id)
                    })
                    .collect();
                if blocks.is_empty() && level != EvictionLevel::WholeEpisode {
                    continue;
                }
                let ids: Vec<BlockId> = blocks.iter().map(|b| session.blocks[b.at()].id.clone()).collect();
                self.evicted.extend(ids.iter().cloned());
                level_of.insert(target, level.number());
                self.levels.insert(key(episode), level.number());
                if level == EvictionLevel::WholeEpisode
                    && episode.residue_text().is_some()
                    && let Some(text) = self.texts.get(&key(episode))
                {
                    self.residues.insert(key(episode), text.clone());
                }
                let after = self.total(&view, &level_of);
                let ids = ids.iter().map(ToString::to_string).collect();
                self.steps.push((turn, key(episode).0.to_string(), level.name(), before, after, ids));
                if after <= self.budget {
                    break;
                }
            }
        }
    }

    fn total(&self, view: &View<'_>, levels: &BTreeMap<EpisodeIdx, u8>) -> u64 {
        let mut total = 0;
        for message in &view.session.messages {
            let units: u64 = message
                .blocks
                .clone()
                .map(BlockIdx::new)
                .filter(|b| {
                    !view.dropped.contains(b) && !self.evicted.contains(&view.session.blocks[b.at()].id)
                })
                .map(|b| view.table.units(b))
                .sum();
            total += units.div_ceil(self.divisor.into());
        }
        for (idx, episode) in view.growth.graph.episodes() {
            let emptied = episode.blocks.iter().all(|b| view.dropped.contains(b));
            if levels[&idx] == 4
                && !emptied
                && let Some(text) =
                    self.residues.get(&(view.session.blocks[episode.start.at()].id.clone(), episode.kind))
            {
                total += (text.len() as u64).div_ceil(self.divisor.into());
            }
        }
        total
    }
}

struct View<'a> {
    session: &'a Session,
    growth: &'a GraphTimeline,
    table: &'a TokenTable,
    dropped: BTreeSet<BlockIdx>,
}

impl View<'_> {
    fn level(&self, block: BlockIdx, kind: EpisodeKind) -> u8 {
        let level = EvictionLevel::of_block(&self.session.blocks[block.at()], true);
        if level.applies_to(kind) { level.number() } else { 4 }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(n_cases()))]

    #[test]
    fn invariants_hold(
        beats in prop::collection::vec(beat(), 0..40),
        budget in 0..800u64,
        overhead in 0..100u64,
        divisor in prop::sample::select(vec![1u32, 4]),
        setting in prop::sample::select(vec![
            ("residue", "description"), ("granularity", "item"), ("low_water", "600"),
            ("protected_turns", "1"), ("levels", "134"), ("levels", "123"), ("residue", "none"),
            ("ignore_compaction", "true"), ("classify_shell", "false"),
        ]),
    ) {
        let log = log_of(&beats);
        let options = options_of("cwl", &[setting]);
        let run = || Played::replay("cwl", &log, budget, overhead, divisor, &options);
        let played = run();
        prop_assert_eq!(played.steps(), run().steps(), "same input, same steps");
        let Played { session, growth, replay, .. } = &played;
        let whole = Played::replay("none", &log, u64::MAX, 0, divisor, &options);
        prop_assert!(growth.graph.is_acyclic());
        for (from, to) in growth.graph.explicit_edges() {
            prop_assert_eq!(growth.graph.episode(from).kind, EpisodeKind::Exploratory);
            prop_assert_eq!(growth.graph.episode(to).kind, EpisodeKind::Action);
        }
        let mut taken = BTreeSet::new();
        for (at, outcome) in replay.turns.iter().enumerate() {
            let turn = TurnIdx::new(at as u32 + 1);
            let pass = played.pass(turn);
            prop_assert_eq!(outcome.over_budget, outcome.after > budget);
            for number in 0..=outcome.n_steps as usize {
                let context = played.context(Cut { turn, step: number });
                let expected = match number.checked_sub(1) {
                    Some(last) => pass.steps[last].after,
                    None => outcome.before,
                };
                prop_assert_eq!(context.total, expected, "turn {} step {}: a recount from scratch", turn, number);
                prop_assert_eq!(context.total, context.messages.iter().map(|m| m.tokens).sum::<u64>() + overhead);
                for item in context.messages.iter().flat_map(|m| &m.items) {
                    let evicted = matches!(item.fate, Fate::Gone(GoneReason::Evicted { .. } | GoneReason::ArrivedStripped { .. }));
                    prop_assert!(!evicted || session.is_evictable(item.block), "human and system words never go");
                    prop_assert!(!evicted || item.episode.is_some(), "the prologue never goes");
                }
            }
            let (full, context) = (whole.context(Cut::end_of(turn)), played.context(Cut::end_of(turn)));
            for half in halves(session, &context) {
                prop_assert!(halves(session, &full).contains(&half), "no call and no result loses its other half");
            }
            prop_assert!(!synthetic_between_call_and_result(session, &context));
            for (number, step) in pass.steps.iter().enumerate() {
                let before = played.state(Cut { turn, step: number });
                let episode = step.episode().unwrap();
                prop_assert_eq!(before.lives[episode.at()], Life::Closed, "no active episode loses a block");
                let waiting = Waits::new(growth, &before).waiting_acts(episode);
                prop_assert!(waiting.is_empty(), "no exploration goes before its acts");
                for block in pass.blocks_of(step) {
                    prop_assert!(taken.insert(*block), "a block goes once");
                }
            }
        }
        let bands = bands_by_turn(&played.input(), replay, BandsBy::Episode);
        for (band, outcome) in bands.iter().zip(&replay.turns) {
            prop_assert_eq!(band.iter().sum::<u64>(), outcome.after, "bands add up");
        }
    }

    #[test]
    fn the_incremental_replay_equals_the_plain_form(
        beats in prop::collection::vec(beat(), 0..40),
        budget in 0..800u64,
        divisor in prop::sample::select(vec![1u32, 4]),
    ) {
        let log = log_of(&beats);
        let played = Played::replay("cwl", &log, budget, 0, divisor, &options_of("cwl", &[]));
        let Played { session, growth, .. } = &played;
        let texts = growth.graph.episodes().filter_map(|(_, e)| Some(((session.blocks[e.start.at()].id.clone(), e.kind), e.residue_text()?))).collect();
        let mut plain = Plain {
            log: &log, budget, divisor, texts: &texts,
            levels: BTreeMap::new(), evicted: BTreeSet::new(), residues: BTreeMap::new(), steps: Vec::new(),
        };
        for (at, turn) in session.turns.iter().enumerate() {
            let n_events = turn.message.map_or(log.log.events().len(), |m| session.messages[m.at()].event.at());
            plain.turn(at as u32 + 1, n_events);
        }
        let passes: Vec<_> = (1..=session.last_turn().number()).map(|turn| played.pass(TurnIdx::new(turn))).collect();
        let steps = passes.iter().flat_map(|pass| pass.steps.iter().map(move |step| (pass, step)));
        let found: Vec<_> = steps.map(|(pass, step)| (
            step.turn.number(),
            session.blocks[growth.graph.episode(step.episode().unwrap()).start.at()].id.to_string(),
            step.action.name(),
            step.before,
            step.after,
            pass.blocks_of(step).iter().map(|b| session.blocks[b.at()].id.to_string()).collect::<Vec<_>>(),
        )).collect();
        // Identified by first block, because a late result may change a name.
        prop_assert_eq!(found, plain.steps);
    }
}
