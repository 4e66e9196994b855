//! The formats: one registry row each.

use cwl_engine::EntryId;
use dyn_clone::DynClone;
use strum::VariantArray;

use crate::atif::{self, Atif};
use crate::bodies::{self, anthropic, chat, responses};
use crate::claude;
use crate::codex::{self, Codex};
use crate::copilot::{self, Copilot};
use crate::gemini::{self, GeminiCli};
use crate::json::Value;
use crate::mini::{self, Mini};
use crate::opencode::{self, Opencode};
use crate::pi;
use crate::qwen::{self, QwenCode};
use crate::reader::Batch;
use crate::swe::{self, Swe};

/// A format of session logs.
#[derive(strum::Display, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownFormat, parse_err_fn = UnknownFormat::from_name)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// pi, pi-cwl and what embeds them: one JSON record per line, versions 1 to 3.
    Pi,
    /// Claude Code: one JSON row per content block.
    ClaudeCode,
    /// Codex: a rollout, one item or event per line.
    Codex,
    /// Copilot CLI: one event of the session per line.
    Copilot,
    /// Gemini CLI: a document of messages (old), or a record per line.
    GeminiCli,
    /// Qwen Code: a record per line, in a tree.
    QwenCode,
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

/// The way in which records stand in a file.
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

/// The data of a format the rest of the crate needs.
#[derive(Clone, Copy)]
pub(crate) struct FormatSpec {
    pub(crate) framing: Framing,
    pub(crate) recognises: Recognises,
    pub(crate) adapter: MakeAdapter,
}

/// Tells whether a record, which may be cut at its end, is of the format. A format of whole documents may get a
/// list.
pub(crate) type Recognises = fn(Value<'_>) -> bool;
/// Makes a reader that goes on after `n_records` of a log of that version.
pub(crate) type MakeAdapter = fn(version: u32, n_records: u64) -> Box<dyn Adapter>;

impl Format {
    /// All formats.
    pub const ALL: &[Self] = <Self as VariantArray>::VARIANTS;

    /// Returns the name on the command line and in the store.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the program that writes it, and how, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Pi => {
                "pi 1 to 3, pi-cwl, OpenClaw (the outputs that it prunes count in full) and pi-subagents: a record on each line"
            }
            Self::ClaudeCode => "Claude Code 1.0 to 2.1: a row on each line, several of them to a reply",
            Self::Codex => "Codex: a rollout, an item or event on each line, also packed as .jsonl.zst",
            Self::Copilot => "Copilot CLI: events.jsonl, an event on each line",
            Self::GeminiCli => "Gemini CLI: a recording, one document (old) or a record on each line",
            Self::QwenCode => "Qwen Code: a record on each line, with messages in the form of Gemini's API",
            Self::Opencode => {
                "OpenCode: what `opencode export` prints; its database and its files are read as that"
            }
            Self::Atif => "Harbor: a trajectory in ATIF, one document a run",
            Self::SweAgent => "SWE-agent: a trajectory (.traj), one document",
            Self::MiniSweAgent => "mini-SWE-agent: a trajectory, one document",
            Self::Anthropic => "bodies of the Anthropic Messages API, one or one after the other",
            Self::OpenaiChat => "bodies of the OpenAI Chat Completions API, also as LiteLLM dumps them",
            Self::OpenaiResponses => "bodies of the OpenAI Responses API",
            Self::Gemini => "bodies of the Gemini API",
        }
    }

    /// Returns the number of the rules by which its logs are read: raised by 1 whenever the same bytes give other
    /// events. A stored log that was read by other rules is read anew.
    pub fn rules(self) -> u32 {
        match self {
            Self::Pi => 8,
            Self::ClaudeCode => 8,
            Self::Opencode => 7,
            Self::GeminiCli | Self::Codex => 5,
            Self::Anthropic | Self::Copilot => 4,
            Self::MiniSweAgent | Self::OpenaiChat | Self::OpenaiResponses | Self::Gemini => 3,
            Self::Atif | Self::SweAgent => 2,
            Self::QwenCode => 1,
        }
    }

    /// Returns the data the rest of the crate needs.
    pub(crate) fn spec(self) -> FormatSpec {
        use Framing::{Either, Lines, Values};
        let of = |framing, recognises, adapter| FormatSpec { framing, recognises, adapter };
        match self {
            Self::Pi => of(Lines, pi::is_record, pi::resume_adapter),
            Self::ClaudeCode => of(Lines, claude::recognises, claude::adapter),
            Self::Codex => of(Lines, codex::is_rollout, from_start::<Codex>),
            Self::Copilot => of(Lines, copilot::recognises, from_start::<Copilot>),
            Self::GeminiCli => of(Either, gemini::recognises, from_start::<GeminiCli>),
            Self::QwenCode => of(Lines, qwen::recognises, from_start::<QwenCode>),
            Self::Opencode => of(Values, opencode::recognises, from_start::<Opencode>),
            Self::Atif => of(Values, atif::is_document, from_start::<Atif>),
            Self::SweAgent => of(Values, swe::is_document, from_start::<Swe>),
            Self::MiniSweAgent => of(Values, mini::is_document, from_start::<Mini>),
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

/// Makes a reader that always begins at a log's start.
fn from_start<A: Adapter + Default + 'static>(_version: u32, _n_records: u64) -> Box<dyn Adapter> {
    Box::<A>::default()
}

/// A name no format has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`; known formats are {}", known_names())]
pub struct UnknownFormat {
    /// The name.
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

/// The place of a record in its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordPlace {
    pub(crate) line: u64,
    /// The position among the line's records, from 1.
    pub(crate) nth: u32,
}

impl RecordPlace {
    /// Returns the place before a record on `line`, on which this one may stand as well.
    pub(crate) fn on(self, line: u64) -> Self {
        Self { line, nth: if self.line == line { self.nth } else { 0 } }
    }

    pub(crate) fn entry(self) -> EntryId {
        match self.nth {
            0 | 1 => EntryId::of_line(self.line),
            nth => EntryId::new(format!("L{}.{nth}", self.line)),
        }
    }
}

/// Makes events of the records of one log, in file order.
pub(crate) trait Adapter: DynClone + Send + Sync {
    /// Reads one record, a JSON object (or a list, where records are documents): adds its events, any
    /// number of them, and everything odd about it.
    fn record(&mut self, record: Value<'_>, at: RecordPlace, out: &mut Batch);

    /// Adds the events of records that wait for a later one, as they are known so far.
    fn waiting(&self, _out: &mut Batch) {}

    fn pass_over(&mut self) {}

    /// Returns the version and the records so far; `None` if a log must be read from its start again.
    fn resumable(&self) -> Option<(u32, u64)> {
        None
    }
}

dyn_clone::clone_trait_object!(Adapter);
