//! Presets: rules that harnesses and providers ship, and others of one kind with a policy.
//!
//! Each names its source, the day of the last comparison with it, and the points that the source leaves open.

use super::registry::{CHECKED, LRU, MASK, SUMMARY, WINDOW};
use crate::{OptionSpec, Policy, PolicyFamily};

const MASK_PRESET: Policy = Policy { checked: CHECKED, preset_of: Some("mask"), ..MASK };
const SUMMARY_PRESET: Policy = Policy { checked: CHECKED, preset_of: Some("summary"), ..SUMMARY };
const LRU_PRESET: Policy = Policy { preset_of: Some("lru"), ..LRU };

pub(super) const INSPECT_TRIM: Policy = Policy {
    name: "inspect-trim",
    plain: "Inspect's trim",
    about: "over the budget the oldest turns go, whole, and at least a fifth of the messages at once",
    source: "inspect_ai, CompactionTrim in src/inspect_ai/model/_compaction/trim.py at 499e6152e; \
             its trigger is 90 % of the model's window: --budget 90%",
    checked: CHECKED,
    differs: "the human's later words stay here and go there; whole turns go here, single messages there; a pass \
              goes on here until τ is met, there for at most three rounds",
    preset_of: Some("window"),
    options: const { &OptionSpec::preset_of::<3>("window", "inspect-trim") },
    ..WINDOW
};

pub(super) const CLAUDE_CODE_CLEARING: Policy = Policy {
    name: "claude-code-clearing",
    plain: "Anthropic's documented clearing",
    about: "over the budget all outputs of tools but the newest 3 are cleared",
    source: "the defaults that Anthropic documents for clear_tool_uses_20250919 \
             (platform.claude.com/docs/en/build-with-claude/context-editing), whose trigger is 100,000 tokens: \
             --budget 100k, or --set trigger=100000; Claude Code's own numbers are in no log",
    differs: "a trigger in tool uses and a list of tools for clear_tool_inputs are not played; the placeholder is ours",
    options: const { &OptionSpec::preset_of::<14>("mask", "claude-code-clearing") },
    ..MASK_PRESET
};

pub(super) const CLEAR_THINKING: Policy = Policy {
    name: "clear-thinking",
    plain: "Anthropic's clearing of reasoning",
    about: "reasoning from before the last turn of the assistant goes before every request, whatever τ is",
    source: "the default that Anthropic documents for clear_thinking_20251015 \
             (platform.claude.com/docs/en/build-with-claude/context-editing)",
    differs: "a turn of the assistant is all its replies since the human spoke, as the page says of tool use; \
              the provider keeps other amounts for some models",
    options: const { &OptionSpec::preset_of::<14>("mask", "clear-thinking") },
    ..MASK_PRESET
};

pub(super) const CLAUDE_CODE_IDLE: Policy = Policy {
    name: "claude-code-idle",
    plain: "Claude Code's clearing after an hour",
    about: "after a pause of an hour, in which the provider's cache is lost, all outputs but the newest 5 are cleared",
    source: "re-implementations that name Claude Code's rule: QwenLM/qwen-code pull request 3006, \
             lijunzh/koda pull request 660",
    differs: "the rule itself is not published; according to the sources it covers eight tools (files, searches, shell, web), here \
              all but those that exclude_tools names",
    options: const { &OptionSpec::preset_of::<14>("mask", "claude-code-idle") },
    ..MASK_PRESET
};

pub(super) const GEMINI_MASK: Policy = Policy {
    name: "gemini-mask",
    plain: "Gemini CLI's masking",
    about: "outputs older than the newest 50,000 tokens of them are cleared where 30,000 can go, at any budget; \
            the last turn and four tools are exempt",
    source: "Gemini CLI, ToolOutputMaskingService in packages/core/src/context at 5411f113ca",
    differs: "there a masked output keeps 250 signs at each end and the path of a file with the whole, here only a \
              placeholder; 30,000 tokens are counted here as what a pass saves; its context manager (profiles.ts), \
              which distils with a model, is not played",
    options: const { &OptionSpec::preset_of::<14>("mask", "gemini-mask") },
    ..MASK_PRESET
};

pub(super) const OPENCODE_PRUNE: Policy = Policy {
    name: "opencode-prune",
    plain: "OpenCode's pruning",
    about: "outputs older than the newest 40,000 tokens of them are cleared, at any budget",
    source: "OpenCode, prune in session/compaction.ts",
    options: const { &OptionSpec::preset_of::<14>("mask", "opencode-prune") },
    ..MASK_PRESET
};

pub(super) const INSPECT_EDIT: Policy = Policy {
    name: "inspect-edit",
    plain: "Inspect's editing",
    about: "over the budget all outputs but the newest 3 are cleared, and all reasoning but that of the last reply",
    source: "inspect_ai, CompactionEdit in src/inspect_ai/model/_compaction/edit.py at 499e6152e; \
             its trigger is 90 % of the model's window: --budget 90%",
    differs: "contents of its memory tool and citations stay here",
    options: const { &OptionSpec::preset_of::<14>("mask", "inspect-edit") },
    ..MASK_PRESET
};

pub(super) const CODEX_COMPACT: Policy = Policy {
    name: "codex-compact",
    plain: "Codex's compaction",
    about: "at 90 % of the model's window everything but the human's words goes, and one summary by fixed rules \
            stands for the provider's opaque item",
    source: "Codex, codex-rs/core/src/compact_remote_v2.rs at 009bd870 (RETAINED_MESSAGE_TOKEN_BUDGET); \
             the trigger is auto_compact_token_limit in codex-rs/protocol/src/openai_models.rs",
    differs: "there the human's messages stay newest first up to 64,000 tokens, here all of them; the size of \
              the opaque item is unknown: size; the summary is extractive",
    options: const { &OptionSpec::preset_of::<9>("summary", "codex-compact") },
    ..SUMMARY_PRESET
};

pub(super) const CLAUDE_CODE_COMPACT: Policy = Policy {
    name: "claude-code-compact",
    plain: "Claude Code's compaction",
    about: "33,000 tokens below the model's window everything but the human's words goes under one summary by fixed rules",
    source: "anthropics/claude-code issue 86863 (the window less a fixed buffer, about 83 % of 200,000) and \
             issue 12004 (20,000 for the answer and 13,000)",
    differs: "the vendor sets other windows for some models and plans; there the human's words go too, and files \
              that were read last come back; the summary is extractive",
    options: const { &OptionSpec::preset_of::<9>("summary", "claude-code-compact") },
    ..SUMMARY_PRESET
};

pub(super) const ANTHROPIC_COMPACT: Policy = Policy {
    name: "anthropic-compact",
    plain: "Anthropic's compaction",
    about: "above 150,000 tokens everything but the human's words goes under one summary by fixed rules",
    source: "the defaults that Anthropic documents for compact_20260112 \
             (platform.claude.com/docs/en/build-with-claude/compaction)",
    differs: "there the human's words go too; the model writes the summary there, here it is extractive",
    options: const { &OptionSpec::preset_of::<9>("summary", "anthropic-compact") },
    ..SUMMARY_PRESET
};

pub(super) const OPENHANDS: Policy = Policy {
    name: "openhands",
    plain: "OpenHands' condenser",
    about: "above 240 events the oldest go until half of them is left, and one summary by fixed rules stands for them",
    source: "OpenHands, LLMSummarizingCondenser in software-agent-sdk: max_size 240, keep_first 2",
    differs: "the first two events are the task and all before the first reply here; the human's words stay; whole \
              turns go; the model writes the summary there, here it is extractive",
    options: const { &OptionSpec::preset_of::<9>("summary", "openhands") },
    ..SUMMARY_PRESET
};

pub(super) const HERMES_LEAN: Policy = Policy {
    name: "hermes-lean",
    plain: "Hermes' lean tail",
    about: "at half of the model's window all but the last 10,000 tokens goes under one summary by fixed rules",
    source: "Hermes, tail_mode lean in agent/context_compressor.py (NousResearch/hermes-agent pull requests 87476 \
             and 95571)",
    differs: "there the tail is 2.5 % of the window, 10,000 to 25,000 tokens, and at least eight messages; the index \
              of anchors is the summary here, which is extractive",
    options: const { &OptionSpec::preset_of::<9>("summary", "hermes-lean") },
    ..SUMMARY_PRESET
};

pub(super) const LFU: Policy = Policy {
    name: "lfu",
    plain: "least often used output",
    about: "over the budget outputs of tools are cleared, those first whose paths, commands and names were used least often",
    source: "page replacement by frequency, with outputs as pages",
    options: const { &OptionSpec::preset_of::<8>("lru", "lfu") },
    ..LRU_PRESET
};

pub(super) const GDSF: Policy = Policy {
    name: "gdsf",
    plain: "fewest uses for its size",
    about: "over the budget outputs of tools are cleared, those first with the fewest uses per token, aged by what went before",
    source: "Greedy Dual Size Frequency (Cherkasova, HP Laboratories, HPL-98-69R1), with outputs as pages",
    differs: "getting an output again is taken to cost the same for each",
    options: const { &OptionSpec::preset_of::<8>("lru", "gdsf") },
    ..LRU_PRESET
};

pub(super) const PAGING: Policy = Policy {
    name: "paging",
    plain: "paging with pins",
    family: PolicyFamily::Clearing,
    about: "outputs older than 4 turns are cleared at any budget, unless they are small or failed; one that the agent \
            gets again unchanged stays for good",
    source: "Pichay (arXiv 2603.09023), src/pichay/pager.py at 10c53c1",
    checked: CHECKED,
    differs: "500 bytes are 125 tokens here; only reads of files make faults there, every output here; there a pin \
              ends if the file changes, and a line that describes the output stays",
    options: const { &OptionSpec::preset_of::<8>("lru", "paging") },
    ..LRU_PRESET
};
