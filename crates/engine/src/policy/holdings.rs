//! Holdings: each episode's blocks and level, also when the harness empties it.
//!
//! If the harness has removed every block, the episode counts as fully evicted, without a residue. If the
//! harness restores a block, the episode returns to the policy's level and residue.

use alloc::vec::Vec;

use crate::{BlockIdx, EpisodeIdx, GraphTimeline, Life, Pass, ResidueOption, Transition};

#[derive(Debug, Clone)]
pub(super) struct Holding {
    pub(super) life: Life,
    pub(super) level: u8,
    described: bool,
    n_blocks: u32,
    n_dropped: u32,
    /// Level and residue when the harness removed the last block; `Some` while all are removed.
    emptied_at: Option<(u8, bool)>,
}

impl Holding {
    pub(super) fn is_closed(&self) -> bool {
        self.life == Life::Closed
    }

    pub(super) fn is_empty(&self) -> bool {
        self.n_blocks == 0
    }
}

pub(super) struct Holdings {
    of: Vec<Holding>,
    owners: Vec<Option<EpisodeIdx>>,
    late: bool,
}

impl Holdings {
    pub(super) fn new(growth: &GraphTimeline) -> Self {
        let unborn = Holding {
            life: Life::Unborn,
            level: 0,
            described: false,
            n_blocks: 0,
            n_dropped: 0,
            emptied_at: None,
        };
        Self {
            of: alloc::vec![unborn; growth.graph.episodes.len()],
            owners: alloc::vec![None; growth.n_blocks()],
            late: growth.has_late_marks(),
        }
    }

    pub(super) fn episode(&self, idx: EpisodeIdx) -> &Holding {
        &self.of[idx.at()]
    }

    pub(super) fn set_level(&mut self, idx: EpisodeIdx, level: u8) {
        self.of[idx.at()].level = level;
    }

    pub(super) fn owner_of(&self, block: BlockIdx) -> Option<EpisodeIdx> {
        self.owners[block.at()]
    }

    pub(super) fn blocks_of<'g>(
        &self,
        growth: &'g GraphTimeline,
        idx: EpisodeIdx,
    ) -> impl Iterator<Item = BlockIdx> + use<'_, 'g> {
        // Only late marks remove blocks from an episode.
        let ever = growth.members_of(idx).iter().copied();
        ever.filter(move |block| !self.late || self.owners[block.at()] == Some(idx))
    }

    pub(super) fn leaves_residue(&self, idx: EpisodeIdx, pass: &Pass<'_>) -> bool {
        pass.input.options.residue == ResidueOption::Description
            && self.episode(idx).described
            && pass.input.growth.graph.episode(idx).leaves_residue()
    }

    /// Applies `transition` and returns the changed episodes: the former owner if blocks change
    /// owners, and the other changed episode.
    pub(super) fn on_transition(
        &mut self,
        transition: Transition,
        pass: &mut Pass<'_>,
    ) -> [Option<EpisodeIdx>; 2] {
        let changed = match transition {
            Transition::Owned(run, to) => {
                // All blocks in a run have the same owner.
                let from = self.owners[run.first.at()];
                self.owners[run.range()].fill(to);
                let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                let n_dropped = count(pass.n_dropped(run));
                if let Some(from) = from {
                    self.of[from.at()].n_blocks -= count(run.range().len());
                    self.of[from.at()].n_dropped -= n_dropped;
                }
                if let Some(to) = to {
                    self.of[to.at()].n_blocks += count(run.range().len());
                    self.of[to.at()].n_dropped += n_dropped;
                }
                [from, to]
            }
            Transition::Lives(idx, life) => {
                self.of[idx.at()].life = life;
                [None, Some(idx)]
            }
            Transition::Described(idx, described) => {
                self.of[idx.at()].described = described;
                [None, None]
            }
            _ => {
                let Some((block, is)) = transition.by_harness() else { return [None, None] };
                let owner = self.owners[block.at()];
                if let Some(owner) = owner {
                    let n_dropped = &mut self.of[owner.at()].n_dropped;
                    *n_dropped = if is.is_dropped() { *n_dropped + 1 } else { *n_dropped - 1 };
                }
                [None, owner]
            }
        };
        changed.into_iter().flatten().for_each(|idx| self.weigh_episode(idx, pass));
        changed
    }

    fn weigh_episode(&mut self, idx: EpisodeIdx, pass: &mut Pass<'_>) {
        let holding = &mut self.of[idx.at()];
        let is_emptied = holding.is_closed() && !holding.is_empty() && holding.n_dropped == holding.n_blocks;
        let (level, residue) = match (is_emptied, holding.emptied_at) {
            (true, None) => {
                holding.emptied_at = Some((holding.level, pass.has_residue(idx)));
                (4, false)
            }
            (false, Some(before)) => {
                holding.emptied_at = None;
                before
            }
            _ => return,
        };
        holding.level = level;
        pass.set_level(idx, level, residue);
    }
}
