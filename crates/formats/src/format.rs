//! The formats: one registry row each.

use std::fmt;
use std::str::FromStr;

use cwl_engine::EntryId;

use crate::atif;
use crate::bodies::{anthropic_api, chat_api, gemini_api, responses_api};
use crate::claude;
use crate::codex;
use crate::gemini;
use crate::json::Value;
use crate::mini;
use crate::opencode;
use crate::pi;
use crate::reader::Batch;
use crate::swe;

/// A format of session logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// pi, pi-cwl and what embeds them: one JSON record per line, versions 1 to 3.
    Pi,
    /// Claude Code: one JSON row per content block.
    ClaudeCode,
    /// Codex: a rollout, one item or event per line.
    Codex,
    /// Gemini CLI: a document of messages (old), or a record per line.
    GeminiCli,
    /// OpenCode: a session as it is exported, one document.
    Opencode,
    /// ATIF: a trajectory of Harbor, one document per run.
    Atif,
    /// SWE-agent: a trajectory (`.traj`), one document.
    SweAgent,
    /// mini-SWE-agent: a trajectory, one document.
    MiniSweAgent,
    /// Bodies of the Anthropic Messages API.
    Anthropic,
    /// Bodies of the OpenAI Chat Completions API, also as LiteLLM dumps them.
    OpenaiChat,
    /// Bodies of the OpenAI Responses API.
    OpenaiResponses,
    /// Bodies of the Gemini API.
    Gemini,
}

/// How records stand in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One on each line.
    Lines,
    /// One JSON value after the other, over any number of lines; a document is one of them.
    Values,
    /// One on each line, or a document that goes on behind the first line: an agent that changed from one to
    /// the other.
    Either,
}

/// What the rest of the crate needs to know of a format.
struct Row {
    name: &'static str,
    framing: Framing,
    /// Tells whether a record, which may be cut at its end, is of this format. Where records are whole
    /// documents, it may be a list.
    recognises: fn(Value<'_>) -> bool,
    /// Makes a reader of records that goes on after so many records of a log of that version.
    adapter: fn(version: u32, n_records: u64) -> Box<dyn Adapter>,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::Pi,
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Opencode,
        Self::Atif,
        Self::SweAgent,
        Self::MiniSweAgent,
        Self::Anthropic,
        Self::OpenaiChat,
        Self::OpenaiResponses,
        Self::Gemini,
    ];

    /// Returns the name on the command line and in the store.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub(crate) fn framing(self) -> Framing {
        self.row().framing
    }

    pub(crate) fn recognises(self, record: Value<'_>) -> bool {
        (self.row().recognises)(record)
    }

    pub(crate) fn adapter(self, version: u32, n_records: u64) -> Box<dyn Adapter> {
        (self.row().adapter)(version, n_records)
    }

    fn row(self) -> &'static Row {
        match self {
            Self::Pi => {
                &Row { name: "pi", framing: Framing::Lines, recognises: pi::recognises, adapter: pi::adapter }
            }
            Self::ClaudeCode => &Row {
                name: "claude-code",
                framing: Framing::Lines,
                recognises: claude::recognises,
                adapter: claude::adapter,
            },
            Self::Codex => &Row {
                name: "codex",
                framing: Framing::Lines,
                recognises: codex::recognises,
                adapter: codex::adapter,
            },
            Self::GeminiCli => &Row {
                name: "gemini-cli",
                framing: Framing::Either,
                recognises: gemini::recognises,
                adapter: gemini::adapter,
            },
            Self::Opencode => &Row {
                name: "opencode",
                framing: Framing::Values,
                recognises: opencode::recognises,
                adapter: opencode::adapter,
            },
            Self::Atif => &Row {
                name: "atif",
                framing: Framing::Values,
                recognises: atif::recognises,
                adapter: atif::adapter,
            },
            Self::SweAgent => &Row {
                name: "swe-agent",
                framing: Framing::Values,
                recognises: swe::recognises,
                adapter: swe::adapter,
            },
            Self::MiniSweAgent => &Row {
                name: "mini-swe-agent",
                framing: Framing::Values,
                recognises: mini::recognises,
                adapter: mini::adapter,
            },
            Self::Anthropic => &Row {
                name: "anthropic",
                framing: Framing::Values,
                recognises: anthropic_api::recognises,
                adapter: anthropic_api::adapter,
            },
            Self::OpenaiChat => &Row {
                name: "openai-chat",
                framing: Framing::Values,
                recognises: chat_api::recognises,
                adapter: chat_api::adapter,
            },
            Self::OpenaiResponses => &Row {
                name: "openai-responses",
                framing: Framing::Values,
                recognises: responses_api::recognises,
                adapter: responses_api::adapter,
            },
            Self::Gemini => &Row {
                name: "gemini",
                framing: Framing::Values,
                recognises: gemini_api::recognises,
                adapter: gemini_api::adapter,
            },
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no format has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format `{}`; known formats are {}", self.name, known_names())
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.into_iter().find(|format| format.name() == name);
        known.ok_or_else(|| UnknownFormat { name: name.into() })
    }
}

pub(crate) fn known_names() -> String {
    Format::ALL.map(Format::name).join(", ")
}

/// Where a record stands in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    /// Its line, from 1.
    pub(crate) line: u64,
    /// Its position among the records of the line, from 1.
    pub(crate) nth: u32,
}

impl At {
    /// Returns the id of a record that has none.
    pub(crate) fn entry(self) -> EntryId {
        match self.nth {
            0 | 1 => EntryId::of_line(self.line),
            nth => EntryId::new(format!("L{}.{nth}", self.line)),
        }
    }
}

/// What a format makes of the records of one log, in file order.
pub(crate) trait Adapter: Send + Sync {
    /// Reads one record, a JSON object (or a list, where records are documents): adds its events, any
    /// number of them, and everything odd about it.
    fn record(&mut self, record: Value<'_>, at: At, out: &mut Batch);

    /// Takes note of a JSON value that is no record.
    fn pass_over(&mut self);

    /// Returns the version and the records so far; `None` where a log cannot be gone on with.
    fn resumable(&self) -> Option<(u32, u64)>;

    /// Returns a copy.
    fn copy(&self) -> Box<dyn Adapter>;
}
