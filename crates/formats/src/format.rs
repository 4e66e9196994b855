use strum::VariantArray;

use crate::adapter::Adapter;
use crate::antigravity::{self, Antigravity};
use crate::atif::{self, Atif};
use crate::bodies::{self, anthropic, chat, responses};
use crate::cache_trace::{self, CacheTrace};
use crate::claude;
use crate::codex::{self, Codex};
use crate::copilot::{self, Copilot};
use crate::cursor::{self, CursorTranscript};
use crate::droid::{self, Droid};
use crate::gemini::{self, GeminiCli};
use crate::hermes::{self, Hermes};
use crate::json::Value;
use crate::kimi::{self, KimiCode};
use crate::mini::{self, Mini};
use crate::opencode::{self, Opencode};
use crate::pi;
use crate::qwen::{self, QwenCode};
use crate::swe::{self, Swe};
use crate::vscode::{self, VscodeCopilot};

#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownFormat, parse_err_fn = UnknownFormat::from_name)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// pi, pi-cwl and programs built on them: one JSON record per line, versions 1 to 3.
    Pi,
    /// Claude Code: JSON, one content block per row.
    ClaudeCode,
    /// Codex: a rollout with one item or event per line.
    Codex,
    /// Copilot CLI: one session event per line.
    Copilot,
    /// VS Code Copilot Chat: a debug log, one record of a finished span per line.
    VscodeCopilot,
    /// Gemini CLI: one record per line, or an old version's document.
    GeminiCli,
    /// Qwen Code: one record per line, in a tree.
    QwenCode,
    /// Kimi Code: one record of an agent per line.
    KimiCode,
    /// Droid: one record per line, with messages in the form of Anthropic's API.
    Droid,
    /// Antigravity: one step per line.
    Antigravity,
    /// Cursor: a transcript, one message per line, without outputs of tools.
    Cursor,
    /// OpenCode: an exported session, one document.
    Opencode,
    /// Hermes Agent: an exported session, one document.
    Hermes,
    /// ATIF: Harbor's trajectory, one document per run.
    Atif,
    /// SWE-agent: a trajectory (`.traj`), one document.
    SweAgent,
    /// mini-SWE-agent: a trajectory, one document.
    MiniSweAgent,
    /// kv-cache-tester: a trace of a session's requests as hashes, one document.
    KvCacheTrace,
    Anthropic,
    /// Bodies of the OpenAI Chat Completions API, also in LiteLLM's dumps.
    OpenaiChat,
    OpenaiResponses,
    Gemini,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Lines,
    /// JSON values one after the other, on any number of lines, or a single document.
    Values,
    /// One record per line, or a document longer than its first line, because an agent changed from documents
    /// to lines.
    Either,
}

#[derive(Clone, Copy)]
pub(crate) struct FormatSpec {
    pub(crate) framing: Framing,
    pub(crate) recognises: Recognises,
    pub(crate) adapter: MakeAdapter,
}

/// Returns true if a record, which may be cut at its end, belongs to the format. Formats with documents may
/// get a list.
pub(crate) type Recognises = fn(Value<'_>) -> bool;
pub(crate) type MakeAdapter = fn(version: u32, n_records: u64) -> Box<dyn Adapter>;

impl Format {
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Used on the command line and in the store.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The program, and the form of its logs.
    pub fn about(self) -> &'static str {
        match self {
            Self::Pi => {
                "pi 1 to 3, pi-cwl, OpenClaw (the outputs that it prunes count in full) and pi-subagents: a record on each line"
            }
            Self::ClaudeCode => "Claude Code 1.0 to 2.1: a row on each line, several of them to a reply",
            Self::Codex => "Codex: a rollout, an item or event on each line, also packed as .jsonl.zst",
            Self::Copilot => "Copilot CLI: events.jsonl, an event on each line",
            Self::VscodeCopilot => {
                "VS Code Copilot Chat: main.jsonl of a debug log, a record on each line, with subagents beside it"
            }
            Self::GeminiCli => "Gemini CLI: a recording, one document (old) or a record on each line",
            Self::QwenCode => "Qwen Code: a record on each line, with messages in the form of Gemini's API",
            Self::KimiCode => "Kimi Code: wire.jsonl, a record on each line, with system prompt and tools",
            Self::Droid => "Droid (Factory): a record on each line, with compactions and subagents",
            Self::Antigravity => "Antigravity: transcript_full.jsonl, a step on each line",
            Self::Cursor => "Cursor: a transcript, a message on each line, without outputs of tools",
            Self::Opencode => {
                "OpenCode: what `opencode export` prints; its database and its files are read as that"
            }
            Self::Hermes => {
                "Hermes Agent: what `hermes sessions export` prints of a session; its database is read as that"
            }
            Self::Atif => "Harbor: a trajectory in ATIF, one document a run",
            Self::SweAgent => "SWE-agent: a trajectory (.traj), one document",
            Self::MiniSweAgent => "mini-SWE-agent: a trajectory, one document",
            Self::KvCacheTrace => {
                "kv-cache-tester: sizes, times and hashes of a session's requests, without texts"
            }
            Self::Anthropic => "bodies of the Anthropic Messages API, one or one after the other",
            Self::OpenaiChat => "bodies of the OpenAI Chat Completions API, also as LiteLLM dumps them",
            Self::OpenaiResponses => "bodies of the OpenAI Responses API",
            Self::Gemini => "bodies of the Gemini API",
        }
    }

    /// Returns the version of the reading rules, raised by 1 whenever the same bytes give different events.
    ///
    /// A log stored under an older version is read again.
    pub fn rules(self) -> u32 {
        match self {
            Self::Pi | Self::ClaudeCode => 10,
            Self::Opencode => 8,
            Self::Anthropic | Self::GeminiCli | Self::Codex => 5,
            Self::Copilot | Self::OpenaiChat | Self::OpenaiResponses | Self::Gemini => 4,
            Self::MiniSweAgent => 3,
            Self::Atif | Self::SweAgent | Self::Droid | Self::Hermes | Self::KimiCode => 2,
            Self::QwenCode | Self::Antigravity | Self::Cursor | Self::KvCacheTrace | Self::VscodeCopilot => 1,
        }
    }

    pub(crate) fn spec(self) -> FormatSpec {
        use Framing::{Either, Lines, Values};
        let of = |framing, recognises, adapter| FormatSpec { framing, recognises, adapter };
        match self {
            Self::Pi => of(Lines, pi::is_record, pi::resume_adapter),
            Self::ClaudeCode => of(Lines, claude::recognises, claude::adapter),
            Self::Codex => of(Lines, codex::is_rollout, from_start::<Codex>),
            Self::Copilot => of(Lines, copilot::recognises, from_start::<Copilot>),
            Self::VscodeCopilot => of(Lines, vscode::recognises, from_start::<VscodeCopilot>),
            Self::GeminiCli => of(Either, gemini::recognises, from_start::<GeminiCli>),
            Self::QwenCode => of(Lines, qwen::recognises, from_start::<QwenCode>),
            Self::KimiCode => of(Lines, kimi::recognises, from_start::<KimiCode>),
            Self::Droid => of(Lines, droid::recognises, from_start::<Droid>),
            Self::Antigravity => of(Lines, antigravity::recognises, from_start::<Antigravity>),
            Self::Cursor => of(Lines, cursor::recognises, from_start::<CursorTranscript>),
            Self::Opencode => of(Values, opencode::recognises, from_start::<Opencode>),
            Self::Hermes => of(Values, hermes::recognises, from_start::<Hermes>),
            Self::Atif => of(Values, atif::is_document, from_start::<Atif>),
            Self::SweAgent => of(Values, swe::is_document, from_start::<Swe>),
            Self::MiniSweAgent => of(Values, mini::is_document, from_start::<Mini>),
            Self::KvCacheTrace => of(Values, cache_trace::is_document, from_start::<CacheTrace>),
            Self::Anthropic => {
                of(Values, anthropic::is_body, |_, _| bodies::new_adapter(anthropic::read_body))
            }
            Self::OpenaiChat => of(Values, chat::is_body, |_, _| bodies::new_adapter(chat::read_body)),
            Self::OpenaiResponses => {
                of(Values, responses::is_body, |_, _| bodies::new_adapter(responses::read_body))
            }
            Self::Gemini => {
                of(Values, bodies::gemini::is_body, |_, _| bodies::new_adapter(bodies::gemini::read_body))
            }
        }
    }
}

/// For adapters that cannot resume.
fn from_start<A: Adapter + Default + 'static>(_version: u32, _n_records: u64) -> Box<dyn Adapter> {
    Box::<A>::default()
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`; known formats are {}", known_names())]
pub struct UnknownFormat {
    pub name: String,
}

impl UnknownFormat {
    fn from_name(name: &str) -> Self {
        Self { name: name.into() }
    }
}

pub(crate) fn known_names() -> String {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().join(", ")
}
