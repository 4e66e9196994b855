//! Replay runs: a policy replayed over a branch for a view, with all inputs.

use std::sync::Arc;

use cwl_engine::{
    Absences, BlockIdx, Cut, Facts, KeptRule, Material, Overhead, Policy, QualityInput, ReacquisitionStory,
    Replay, ReplayInput, Steps, Thresholds, TokenTable, TurnIdx,
};

use crate::api::{OverheadSource, ViewCut};
use crate::asked::unit::TokenUnit;
use crate::asked::view::ViewSelection;
use crate::measure::branch::Branch;
use crate::measure::sizes::BranchSizes;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReplayKey {
    pub(super) chosen: ViewSelection,
    pub(super) budget: u64,
    pub(super) overhead: Overhead,
}

pub struct ReplayRun {
    pub(super) key: ReplayKey,
    pub branch: Arc<Branch>,
    pub sizes: Arc<BranchSizes>,
    /// Sizes as the policy counts them, if they differ from `sizes`.
    pub(super) own_table: Option<TokenTable>,
    pub material: Arc<Material>,
    /// Blocks no policy may evict, in log order.
    pub(super) pins: Arc<[BlockIdx]>,
    /// Pins of blocks missing from the branch, as typed.
    pub(crate) missing_pins: Vec<Arc<str>>,
    pub(super) policy: &'static Policy,
    pub replay: Arc<Replay>,
    pub unit: TokenUnit,
    pub(crate) overhead_source: OverheadSource,
}

impl ReplayRun {
    pub fn selection(&self) -> &ViewSelection {
        &self.key.chosen
    }

    pub fn clamp_cut(&self, cut: ViewCut) -> Cut {
        let now = self.branch.session.last_turn();
        let turn = cut.turn.map_or(now, TurnIdx::new).min(now);
        let n_steps = self.replay.outcome_at(turn).n_steps as usize;
        Cut { turn, step: cut.step.map_or(n_steps, |step| step as usize).min(n_steps) }
    }

    pub(crate) fn goes_by_graph(&self) -> bool {
        matches!(self.replay.policy.kept, KeptRule::ByGraph)
    }

    pub(crate) fn quality_input<'a>(
        &'a self,
        material: &'a Material,
        facts: &'a Facts,
        absences: &'a Absences,
        stories: &'a [ReacquisitionStory],
        thresholds: &'a Thresholds,
    ) -> QualityInput<'a> {
        QualityInput {
            session: &self.branch.session,
            growth: &self.branch.growth,
            table: &self.sizes.table,
            material,
            facts,
            absences,
            stories,
            budget: self.replay.budget,
            thresholds,
        }
    }

    pub fn policy_table(&self) -> &TokenTable {
        self.own_table.as_ref().unwrap_or(&self.sizes.table)
    }

    pub fn is_derived(&self, block: BlockIdx) -> bool {
        self.own_table.is_none() && self.sizes.derived.binary_search(&block).is_ok()
    }

    pub fn replay_input(&self) -> ReplayInput<'_> {
        ReplayInput {
            session: &self.branch.session,
            growth: &self.branch.growth,
            table: self.policy_table(),
            material: &self.material,
            pins: &self.pins,
            overhead: &self.key.overhead,
            budget: self.key.budget,
            policy: self.policy,
            options: &self.key.chosen.options,
        }
    }

    pub(crate) fn steps_of_turn(&self, turn: TurnIdx) -> Steps<'_> {
        self.replay.steps_of(&self.replay_input(), turn)
    }

    pub(crate) fn unit_factor(&self) -> f64 {
        match self.unit {
            TokenUnit::Provider => self.sizes.provider.factor(),
            TokenUnit::Tokenizer(_) => 1.0,
        }
    }

    /// Describes the unit of all counts: the provider's tokens with their factor, or a tokenizer with crate and version.
    pub fn counted_by(&self) -> String {
        let tokenizer = self.unit.tokenizer();
        match self.unit {
            TokenUnit::Provider => self.sizes.provider.describe(tokenizer.name()),
            TokenUnit::Tokenizer(_) => format!("{} ({})", tokenizer.name(), tokenizer.implementation()),
        }
    }
}
