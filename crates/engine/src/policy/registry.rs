//! The registry: one row for each policy, and one for each preset of a policy.
//!
//! Presets are in [`super::presets`].

use super::{
    auto, cwl, cwl_plus, dedup, fold, ladder, mask, none, pages, pi_cwl, presets, summary, tiers, window,
};
use crate::{KeptRule, Levels, Memory, OptionSpec, Policy, PolicyFamily};

/// Defaults for rows below: a policy with memory that uses the graph and counts everything.
const CARRIED: Policy = Policy {
    name: "",
    plain: "",
    family: PolicyFamily::Paper,
    about: "",
    source: "",
    checked: "",
    differs: "",
    preset_of: None,
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

pub(super) const CHECKED: &str = "2026-11-29";

pub(super) const WINDOW: Policy = Policy {
    name: "window",
    plain: "recency",
    family: PolicyFamily::Baseline,
    about: "over the budget the oldest turns go, whole",
    source: "recency truncation, the plain sliding window of most harnesses",
    levels: Levels::ByContent,
    kept: KeptRule::By(window::kept_reason),
    options: const { &OptionSpec::all_of::<3>("window") },
    begin: window::begin_run,
    ..CARRIED
};

pub(super) const MASK: Policy = Policy {
    name: "mask",
    plain: "clear old tool output",
    family: PolicyFamily::Clearing,
    about: "old outputs of tools become a placeholder, the newest stay",
    source: "observation masking, The Complexity Trap (arXiv 2508.21433)",
    levels: Levels::ByContent,
    kept: KeptRule::AtOnce(mask::kept_reasons),
    options: const { &OptionSpec::all_of::<14>("mask") },
    begin: mask::begin_run,
    ..CARRIED
};

pub(super) const SUMMARY: Policy = Policy {
    name: "summary",
    plain: "threshold compaction",
    family: PolicyFamily::Compaction,
    about: "over the budget all turns but the last go, and one summary by fixed rules stands for them",
    source: "threshold compaction as most harnesses do it, with an extractive stand-in for the model's words",
    levels: Levels::ByContent,
    kept: KeptRule::By(summary::kept_reason),
    needs_material: true,
    options: const { &OptionSpec::all_of::<9>("summary") },
    begin: summary::begin_run,
    ..CARRIED
};

pub(super) const LRU: Policy = Policy {
    name: "lru",
    plain: "least recently used output",
    family: PolicyFamily::Baseline,
    about: "over the budget outputs of tools are cleared, those first whose paths, commands and names were used least recently",
    source: "page replacement as in operating systems (Denning, Virtual Memory, 1970), with outputs as pages",
    levels: Levels::ByContent,
    kept: KeptRule::AtOnce(pages::kept_reasons),
    needs_material: true,
    options: const { &OptionSpec::all_of::<8>("lru") },
    begin: pages::begin_run,
    ..CARRIED
};

impl Policy {
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|policy| policy.name == name)
    }

    /// The registry; a new policy is one file and one row, a new preset is one row.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "cwl",
            plain: "context window lifecycle",
            about: "oldest act first, an exploration only after its acts, level by level",
            source: "Beyond Compaction (arXiv 2606.11213), section 4.4, Algorithm 1",
            needs_episodes: true,
            options: const { &OptionSpec::all_of::<5>("cwl") },
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
            options: const { &OptionSpec::all_of::<7>("cwl+") },
            begin: cwl_plus::begin_run,
            ..CARRIED
        },
        WINDOW,
        presets::INSPECT_TRIM,
        MASK,
        presets::CLAUDE_CODE_CLEARING,
        presets::CLEAR_THINKING,
        presets::CLAUDE_CODE_IDLE,
        presets::GEMINI_MASK,
        presets::OPENCODE_PRUNE,
        presets::INSPECT_EDIT,
        Self {
            name: "dedup",
            plain: "repeated calls",
            family: PolicyFamily::Clearing,
            about: "of calls with the same tool and arguments only the last output stays, and arguments of failed calls go \
                    after 4 turns, at any budget",
            source: "Dynamic Context Pruning for OpenCode, lib/strategies at fbd75bc",
            checked: CHECKED,
            differs: "there the rules run when the agent's compress tool does, here before every request; arguments are \
                      compared there without their order; superseded writes are switched off there and missing here",
            levels: Levels::ByContent,
            kept: KeptRule::AtOnce(dedup::kept_reasons),
            needs_material: true,
            options: const { &OptionSpec::all_of::<3>("dedup") },
            begin: dedup::begin_run,
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
            options: const { &OptionSpec::all_of::<2>("pi-cwl") },
            counts_overhead: false,
            is_as_shipped: true,
            bare: Some(pi_cwl::bare_messages),
            sizes: Some(pi_cwl::adjust_sizes),
            answers_calls: true,
            begin: pi_cwl::begin_run,
            ..CARRIED
        },
        SUMMARY,
        presets::CODEX_COMPACT,
        presets::CLAUDE_CODE_COMPACT,
        presets::ANTHROPIC_COMPACT,
        presets::OPENHANDS,
        presets::HERMES_LEAN,
        Self {
            name: "auto",
            plain: "automatic compaction before an overflow",
            family: PolicyFamily::Compaction,
            about: "a request that would overflow is compacted until room is reserved again, in at most two tries",
            source: "Context Window Auto-Compaction (Awesome Agentic Patterns, after Clawdbot)",
            levels: Levels::ByContent,
            kept: KeptRule::By(auto::kept_reason),
            needs_material: true,
            options: const { &OptionSpec::all_of::<4>("auto") },
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
            options: const { &OptionSpec::all_of::<5>("ladder") },
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
            options: const { &OptionSpec::all_of::<2>("fold") },
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
            options: const { &OptionSpec::all_of::<8>("tiers") },
            begin: tiers::begin_run,
            ..CARRIED
        },
        LRU,
        presets::LFU,
        presets::GDSF,
        presets::PAGING,
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
}
