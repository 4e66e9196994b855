//! The policy interface and the registry: a replay runs any policy listed here.

mod auto;
mod cheap_turns;
mod cwl;
mod cwl_plus;
mod extract;
mod fold;
mod holdings;
mod ladder;
mod mask;
mod none;
mod open_loop;
mod options;
mod evictable;
mod pi_cwl;
mod running;
mod summary;
mod tiers;
mod window;

pub use options::*;
pub use pi_cwl::{PiCwlPass, pi_cwl_pass};

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{
    BlockIdx, Cut, KeptReason, MessageIdx, Pass, ReplayInput, Session, StateAt, Steps, TokenTable,
    Transition, TurnIdx,
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

/// How a policy explains a kept block.
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
    /// Set if the policy removes messages without blocks.
    pub bare: Option<ListBare>,
    /// Set if the policy counts other sizes than the [`TokenTable`].
    pub sizes: Option<fn(&Session, &TokenTable) -> TokenTable>,
    pub options: &'static [OptionSpec],
    begin: for<'a> fn(ReplayInput<'a>) -> Box<dyn PolicyRun + 'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumString, IntoStaticStr)]
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

/// Defaults for rows below: a policy with memory that uses the graph and counts everything.
const CARRIED: Policy = Policy {
    name: "",
    plain: "",
    family: PolicyFamily::Paper,
    about: "",
    source: "",
    memory: Memory::Carried,
    levels: Levels::BySteps,
    kept: KeptRule::ByGraph,
    needs_material: false,
    needs_episodes: false,
    own_marks: false,
    counts_overhead: true,
    is_as_shipped: false,
    answers_calls: false,
    bare: None,
    sizes: None,
    options: &[],
    begin: none::begin_run,
};

impl Policy {
    /// The registry; a new policy is one file and one row.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "cwl",
            plain: "context window lifecycle",
            about: "oldest act first, an exploration only after its acts, level by level",
            source: "Beyond Compaction (arXiv 2606.11213), section 4.4, Algorithm 1",
            needs_episodes: true,
            options: &OptionSpec::all_of::<5>("cwl"),
            begin: cwl::begin_run,
            ..CARRIED
        },
        Self {
            name: "cwl+",
            plain: "lifecycle with a lower stop",
            about: "the order of cwl, item by item, in fewer and larger passes, early where the provider's cache is lost anyway; \
                    fresh explorations are kept for their act",
            source: "ours, on Algorithm 1 of Beyond Compaction (arXiv 2606.11213)",
            needs_episodes: true,
            options: &OptionSpec::all_of::<7>("cwl+"),
            begin: cwl_plus::begin_run,
            ..CARRIED
        },
        Self {
            name: "window",
            plain: "recency",
            family: PolicyFamily::Baseline,
            about: "over the budget the oldest turns go, whole",
            source: "recency truncation, the plain sliding window of most harnesses",
            levels: Levels::ByContent,
            kept: KeptRule::By(window::kept_reason),
            options: &OptionSpec::all_of::<2>("window"),
            begin: window::begin_run,
            ..CARRIED
        },
        Self {
            name: "mask",
            plain: "clear old tool output",
            family: PolicyFamily::Clearing,
            about: "old outputs of tools become a placeholder, the newest stay",
            source: "observation masking, The Complexity Trap (arXiv 2508.21433)",
            levels: Levels::ByContent,
            kept: KeptRule::AtOnce(mask::kept_reasons),
            options: &OptionSpec::all_of::<9>("mask"),
            begin: mask::begin_run,
            ..CARRIED
        },
        Self {
            name: "claude-code-clearing",
            plain: "Anthropic's documented clearing",
            family: PolicyFamily::Clearing,
            about: "over the budget all outputs of tools but the newest 3 are cleared",
            source: "the defaults that Anthropic documents for clear_tool_uses_20250919; Claude Code's own \
                     numbers are in no log",
            levels: Levels::ByContent,
            kept: KeptRule::AtOnce(mask::kept_reasons),
            options: &OptionSpec::all_of::<8>("claude-code-clearing"),
            begin: mask::begin_run,
            ..CARRIED
        },
        Self {
            name: "opencode-prune",
            plain: "OpenCode's pruning",
            family: PolicyFamily::Clearing,
            about: "outputs older than the newest 40,000 tokens of them are cleared, at any budget",
            source: "OpenCode, prune in session/compaction.ts",
            levels: Levels::ByContent,
            kept: KeptRule::AtOnce(mask::kept_reasons),
            options: &OptionSpec::all_of::<8>("opencode-prune"),
            begin: mask::begin_run,
            ..CARRIED
        },
        Self {
            name: "pi-cwl",
            plain: "the paper's harness as shipped",
            about: "the oldest segment that nothing waits for, step by step, from the whole history at every turn",
            source: "pi-cwl, the harness published with the paper: its filter of messages as shipped",
            memory: Memory::PerTurn(pi_cwl::list_steps),
            kept: KeptRule::AtOnce(pi_cwl::kept_reasons),
            needs_episodes: true,
            own_marks: true,
            options: &OptionSpec::all_of::<2>("pi-cwl"),
            counts_overhead: false,
            is_as_shipped: true,
            bare: Some(pi_cwl::bare_messages),
            sizes: Some(pi_cwl::adjust_sizes),
            answers_calls: true,
            begin: pi_cwl::begin_run,
            ..CARRIED
        },
        Self {
            name: "summary",
            plain: "threshold compaction",
            family: PolicyFamily::Compaction,
            about: "over the budget all turns but the last go, and one summary by fixed rules stands for them",
            source: "threshold compaction as most harnesses do it, with an extractive stand-in for the model's words",
            levels: Levels::ByContent,
            kept: KeptRule::By(summary::kept_reason),
            needs_material: true,
            options: &OptionSpec::all_of::<4>("summary"),
            begin: summary::begin_run,
            ..CARRIED
        },
        Self {
            name: "auto",
            plain: "automatic compaction before an overflow",
            family: PolicyFamily::Compaction,
            about: "a request that would overflow is compacted until room is reserved again, in at most two tries",
            source: "Context Window Auto-Compaction (Awesome Agentic Patterns, after Clawdbot)",
            levels: Levels::ByContent,
            kept: KeptRule::By(auto::kept_reason),
            needs_material: true,
            options: &OptionSpec::all_of::<4>("auto"),
            begin: auto::begin_run,
            ..CARRIED
        },
        Self {
            name: "ladder",
            plain: "compaction in stages",
            family: PolicyFamily::Compaction,
            about: "outputs that are repeated or superseded, then old turns under a summary that is cut to what fits; never the open loop",
            source: "Context compaction: the compaction ladder, with hysteresis at 85 and 60 per cent",
            levels: Levels::ByContent,
            kept: KeptRule::By(ladder::kept_reason),
            needs_material: true,
            options: &OptionSpec::all_of::<5>("ladder"),
            begin: ladder::begin_run,
            ..CARRIED
        },
        Self {
            name: "fold",
            plain: "an episode folds when it closes",
            family: PolicyFamily::Compaction,
            about: "an episode collapses to its description when it closes",
            source: "Context-Folding (arXiv 2510.11967), with the agent's marks in the place of branches",
            kept: KeptRule::By(fold::kept_reason),
            needs_episodes: true,
            options: &OptionSpec::all_of::<2>("fold"),
            begin: fold::begin_run,
            ..CARRIED
        },
        Self {
            name: "tiers",
            plain: "paged memory",
            family: PolicyFamily::Compaction,
            about: "old turns are paged out, with summaries kept outside the context, and paged in when a call names them",
            source: "MemGPT (arXiv 2310.08560): working, recall and archive memory",
            levels: Levels::ByContent,
            kept: KeptRule::By(tiers::kept_reason),
            needs_material: true,
            options: &OptionSpec::all_of::<8>("tiers"),
            begin: tiers::begin_run,
            ..CARRIED
        },
        Self {
            name: "none",
            plain: "keep everything",
            family: PolicyFamily::Baseline,
            about: "nothing is evicted",
            source: "the history as it is",
            begin: none::begin_run,
            ..CARRIED
        },
    ];

    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|policy| policy.name == name)
    }

    pub fn begin_run<'a>(&self, input: ReplayInput<'a>) -> Box<dyn PolicyRun + 'a> {
        (self.begin)(input)
    }

    /// Returns the sizes as the policy counts them, for [`ReplayInput::table`].
    pub fn adjust_table<'a>(&self, session: &Session, table: &'a TokenTable) -> Cow<'a, TokenTable> {
        self.sizes.map_or(Cow::Borrowed(table), |sizes| Cow::Owned(sizes(session, table)))
    }
}
