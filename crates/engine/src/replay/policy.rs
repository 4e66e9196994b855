//! The policy interface: what a replay asks of a policy. The policies themselves are in `policy`.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::{
    BlockIdx, Cut, KeptReason, MessageIdx, OptionSpec, Pass, ReplayInput, Session, StateAt, Steps,
    TokenTable, Transition, TurnIdx,
};

/// Lists one turn's steps from the whole history, for a policy without memory.
pub type ListPass = for<'a> fn(ReplayInput<'a>, TurnIdx) -> Steps<'static>;

/// Lists the messages without blocks a policy has removed at a cut.
pub type ListBare = for<'a> fn(&ReplayInput<'a>, Cut) -> Vec<MessageIdx>;

#[derive(Debug, Clone, Copy)]
pub enum Memory {
    Carried,
    /// Every turn starts from the whole history, and steps are listed on demand.
    PerTurn(ListPass),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    BySteps,
    ByContent,
}

#[derive(Debug, Clone, Copy)]
pub enum KeptRule {
    ByGraph,
    By(fn(&ReplayInput<'_>, &StateAt, BlockIdx) -> KeptReason),
    /// Explains all blocks at once, if reasons depend on their neighbours.
    AtOnce(fn(&ReplayInput<'_>, &StateAt) -> Vec<KeptReason>),
}

pub trait PolicyRun {
    /// Called for each change before the next request, after `pass` has applied it.
    fn on_transition(&mut self, _: Transition, _: &mut Pass<'_>) {}

    /// Called for a block that was held with the last reply and may now be evicted.
    fn on_release(&mut self, _: BlockIdx, _: &mut Pass<'_>) {}

    fn total_before(&self, pass: &Pass<'_>) -> u64 {
        pass.total()
    }

    fn evict(&mut self, pass: &mut Pass<'_>);
}

#[derive(Debug)]
pub struct Policy {
    pub name: &'static str,
    pub plain: &'static str,
    pub family: PolicyFamily,
    pub about: &'static str,
    pub source: &'static str,
    /// The day of the last comparison of the policy with its source, as `2026-11-29`; empty if the source is a
    /// publication or ours.
    pub checked: &'static str,
    /// Open points of the source and differences to it; empty if there are none.
    pub differs: &'static str,
    /// Name of the general policy, if this one is a preset: the same rule with other defaults.
    pub preset_of: Option<&'static str>,
    pub memory: Memory,
    pub levels: Levels,
    pub kept: KeptRule,
    pub needs_material: bool,
    /// True if the policy evicts only content in episodes, and thus nothing without marks.
    pub needs_episodes: bool,
    /// True if the policy's harness acts on the agent's own marks only. Under another annotation,
    /// a replay shows behaviour the harness would not have.
    pub own_marks: bool,
    pub counts_overhead: bool,
    /// True for a published filter as shipped: it evicts results with human words, and the last reply's
    /// signed reasoning.
    pub is_as_shipped: bool,
    /// True if the harness answers calls without results with an error; other harnesses drop them.
    pub answers_calls: bool,
    pub bare: Option<ListBare>,
    /// Set if the policy counts other sizes than the [`TokenTable`].
    pub sizes: Option<fn(&Session, &TokenTable) -> TokenTable>,
    pub options: &'static [OptionSpec],
    pub(crate) begin: for<'a> fn(ReplayInput<'a>) -> Box<dyn PolicyRun + 'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum PolicyFamily {
    Paper,
    Compaction,
    Clearing,
    Baseline,
}

impl PolicyFamily {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl Policy {
    pub fn describe_source(&self) -> String {
        let Self { source, checked, differs, .. } = self;
        let checked = if checked.is_empty() { String::new() } else { format!(" (looked up on {checked})") };
        let differs = if differs.is_empty() { String::new() } else { format!("; {differs}") };
        format!("{source}{checked}{differs}")
    }

    pub fn begin_run<'a>(&self, input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
        (self.begin)(input)
    }

    pub fn adjust_table<'a>(&self, session: &Session, table: &'a TokenTable) -> Cow<'a, TokenTable> {
        self.sizes.map_or(Cow::Borrowed(table), |sizes| Cow::Owned(sizes(session, table)))
    }
}
