//! The course of a session: what its episodes did, block by block, as input for the rules.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::{EVIDENCE_LISTED, QualityInput, Remark, RemarkKind, Threshold};
use crate::infer::Effect;
use crate::{
    AnnotationSource, BlockIdx, BlockKind, Effects, Episode, EpisodeGraph, EpisodeIdx, ReplacementCause,
    ToolClass, TurnIdx,
};

#[derive(Debug, Clone, Copy)]
pub(super) struct CallWithEffects {
    pub(super) block: BlockIdx,
    pub(super) effects: Effects,
    pub(super) ok: bool,
}

pub(super) struct Course<'a> {
    pub(super) input: QualityInput<'a>,
    pub(super) graph: &'a EpisodeGraph,
    /// The first message at which the harness removed each block; empty if it removed none.
    dropped: Vec<Option<usize>>,
}

pub(super) const EDITS: [Effect; 2] = [Effect::Edit, Effect::Publish];
pub(super) const CHANGES: [Effect; 5] =
    [Effect::Edit, Effect::Publish, Effect::Mutate, Effect::Delegate, Effect::Run];

impl<'a> Course<'a> {
    pub(super) fn from_input(input: QualityInput<'a>) -> Self {
        let mut dropped = Vec::new();
        for one in input.session.replacements.iter().filter(|one| one.cause != ReplacementCause::Lapse) {
            dropped.resize(input.session.blocks.len(), None);
            for block in &one.drops {
                dropped[block.at()].get_or_insert(one.at);
            }
            for block in &one.restores {
                dropped[block.at()] = None;
            }
        }
        Self { input, graph: &input.growth.graph, dropped }
    }

    pub(super) fn threshold(&self, threshold: Threshold) -> u64 {
        self.input.thresholds.value(threshold)
    }

    pub(super) fn is_worded(&self) -> bool {
        self.input.growth.source != AnnotationSource::Inferred
    }

    pub(super) fn calls_in(&self, episode: &'a Episode) -> impl Iterator<Item = CallWithEffects> + '_ {
        episode.blocks.iter().filter_map(|block| self.call_at(*block))
    }

    pub(super) fn call_at(&self, block: BlockIdx) -> Option<CallWithEffects> {
        let row = self.input.session.blocks.get(block.at())?;
        let is_call = matches!(row.kind, BlockKind::Call(_)) && row.class != Some(ToolClass::Delimiter);
        let effects = is_call.then(|| self.input.facts.effects_of(block))?;
        let answer = row.pair.map(|result| &self.input.session.blocks[result.at()].kind);
        Some(CallWithEffects {
            block,
            effects,
            ok: !matches!(answer, Some(BlockKind::Result(result)) if !result.ok),
        })
    }

    pub(super) fn turn_of(&self, block: BlockIdx) -> TurnIdx {
        let after = self.input.session.turn_after(self.input.session.blocks[block.at()].message);
        TurnIdx::new(after.number().saturating_sub(1))
    }

    pub(super) fn is_gone(&self, block: BlockIdx, turn: TurnIdx) -> bool {
        self.input
            .absences
            .blocks
            .get(block.at())
            .and_then(|absence| absence.first)
            .is_some_and(|first| first <= turn)
    }

    pub(super) fn is_dropped(&self, block: BlockIdx, before: BlockIdx) -> bool {
        let message = self.input.session.blocks[before.at()].message.at();
        self.dropped.get(block.at()).copied().flatten().is_some_and(|at| at <= message)
    }

    pub(super) fn tokens_of(&self, blocks: impl Iterator<Item = BlockIdx>) -> u64 {
        let units = blocks.map(|block| self.input.table.units(block)).sum();
        self.input.table.tokens_from_units(units)
    }

    pub(super) fn n_turns(&self, episode: &Episode) -> u32 {
        let end = episode.closed_turn.unwrap_or_else(|| self.input.session.last_turn());
        end.number().saturating_sub(episode.first_turn.number()).max(1)
    }

    pub(super) fn new_remark(
        &self,
        episode: EpisodeIdx,
        evidence: impl IntoIterator<Item = BlockIdx>,
        strength: u64,
        kind: RemarkKind,
    ) -> Remark {
        let blocks: BTreeSet<BlockIdx> = evidence.into_iter().collect();
        let evidence: Vec<BlockIdx> = blocks.into_iter().take(EVIDENCE_LISTED).collect();
        let at = evidence.first().copied().unwrap_or(self.graph.episode(episode).start);
        let strength = u16::try_from(strength.min(1000)).unwrap_or(1000);
        Remark { episode, on: None, at, evidence, strength, cost: None, kind }
    }
}

pub(super) fn per_mille(part: u64, whole: u64) -> u64 {
    (part.saturating_mul(1000)).checked_div(whole).unwrap_or(0)
}
