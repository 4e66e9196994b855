//! Problems: everything odd about input, as data with a place.

use alloc::boxed::Box;
use core::fmt;

use crate::{BlockId, EntryId, EpisodeName, MarkField, Rule, ToolCallId};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Probably not what was meant.
    Warning,
    /// Something was lost or ignored.
    Error,
}

impl Severity {
    /// Returns the name on the wire: `info`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Where a problem is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The line, from 1.
    pub line: Option<u64>,
    /// The record.
    pub entry: Option<EntryId>,
    /// The block.
    pub block: Option<BlockId>,
}

impl Place {
    /// Makes the place of a line.
    pub fn line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// Makes the place of a block on a line.
    pub fn block(line: u64, block: BlockId) -> Self {
        Self { line: Some(line), entry: Some(block.entry.clone()), block: Some(block) }
    }

    /// Makes the place of a record on a line.
    pub fn entry(line: u64, entry: EntryId) -> Self {
        Self { line: Some(line), entry: Some(entry), block: None }
    }
}

/// Something odd about input, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// The kind of oddity.
    pub kind: ProblemKind,
}

/// The kinds of oddity; their codes and severities are rows of `docs/rules.md`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// A start while another episode is open; that one is closed without description.
    StartWhileOpen {
        /// The episode that was open.
        open: EpisodeName,
    },
    /// An end with no episode open; ignored.
    EndWithoutOpen,
    /// A name used before.
    NameReused {
        /// The name that the new episode gets.
        renamed: EpisodeName,
    },
    /// An act without dependencies.
    ActWithoutDependencies,
    /// A dependency on an unknown name; no edge.
    UnknownDependency {
        /// The declared name.
        name: EpisodeName,
    },
    /// A dependency on an act; no edge.
    DependencyOnAct {
        /// The declared name.
        name: EpisodeName,
    },
    /// A dependency on an episode that is open, later, or the act itself; no edge.
    DependencyNotClosed {
        /// The declared name.
        name: EpisodeName,
    },
    /// An exploration ended without description; nothing stays of it.
    NoDescription,
    /// A description on an act's end; ignored.
    DescriptionOnAct,
    /// Dependencies on an exploration; ignored.
    DependenciesOnExploration,
    /// An episode that is never closed.
    NeverClosed,
    /// A field of a delimiter event is missing or of a wrong type.
    MalformedMark {
        /// The field.
        field: MarkField,
    },
    /// An end names an episode that is not the open one.
    EndNamesOther {
        /// The declared name.
        name: EpisodeName,
    },
    /// A result whose call is not in the log.
    ResultWithoutCall {
        /// The call's id.
        call: ToolCallId,
    },
    /// A call that a later record proves unanswered.
    CallWithoutResult {
        /// The call's id.
        call: ToolCallId,
    },
    /// A second result for one call.
    ResultRepeated {
        /// The call's id.
        call: ToolCallId,
    },
    /// A call id used before.
    CallRepeated {
        /// The call's id.
        call: ToolCallId,
    },
    /// A line that is not JSON; kept as an opaque record.
    NotJson {
        /// The parser's reason.
        reason: Box<str>,
    },
    /// JSON that is not an object.
    NotObject,
    /// Several JSON objects on one line; each is read.
    SeveralObjects {
        /// How many.
        n_objects: u32,
    },
    /// A line without its end, which may still be being written.
    TornLine,
    /// A line too long to load; skipped.
    LongLine {
        /// Its length in bytes.
        n_bytes: u64,
    },
    /// Bytes that are not UTF-8, or a lone surrogate, replaced by U+FFFD.
    LossyText,
    /// A record of unknown type; kept.
    UnknownRecord {
        /// Its type.
        record: Box<str>,
    },
    /// A part of unknown type; kept.
    UnknownPart {
        /// Its type.
        part: Box<str>,
    },
    /// A field of a known record is missing or of a wrong type.
    OddField {
        /// The field.
        field: Box<str>,
    },
    /// A record id used before; the later record stands apart.
    EntryRepeated {
        /// The id.
        entry: EntryId,
    },
    /// A parent that is not in the log; the record counts as a root.
    UnknownParent {
        /// The parent's id.
        parent: EntryId,
    },
    /// A chain of parents that returns to itself; cut there.
    ParentCycle,
    /// A compaction keeps from a record that is not on the branch; nothing before it is kept.
    UnknownKeep {
        /// The record's id.
        entry: EntryId,
    },
    /// The first record is not a session header.
    NoHeader,
    /// A parent that is not in the log; the record goes on after the one before it.
    MissingParent {
        /// The parent's id.
        parent: EntryId,
    },
    /// A rewrite names something that is not in the history; nothing is taken and nothing put in.
    UnknownTarget {
        /// The name that it gives.
        target: Box<str>,
    },
    /// The log does not tell whether the human or the harness wrote it.
    UnsureAuthor,
    /// A summary that only the provider can read; what it says and its size are unknown.
    UnreadableSummary,
    /// It continues something that is not in the log; what stood before is unknown.
    MissingHistory {
        /// The name of that something.
        before: Box<str>,
    },
    /// Compressed bytes that cannot be unpacked; what follows them is not read.
    DamagedCompression {
        /// The decompressor's reason.
        reason: Box<str>,
    },
    /// A version of the format that is newer than what is known; read as the newest known one.
    UnknownVersion {
        /// The version as the log states it.
        version: u32,
    },
}

impl ProblemKind {
    /// Returns the rule that it breaks: a row of `docs/rules.md`.
    pub fn rule(&self) -> &'static Rule {
        match self {
            Self::StartWhileOpen { .. } => const { &Rule::of("P001") },
            Self::EndWithoutOpen => const { &Rule::of("P002") },
            Self::NameReused { .. } => const { &Rule::of("P003") },
            Self::ActWithoutDependencies => const { &Rule::of("P004") },
            Self::UnknownDependency { .. } => const { &Rule::of("P005") },
            Self::DependencyOnAct { .. } => const { &Rule::of("P006") },
            Self::DependencyNotClosed { .. } => const { &Rule::of("P007") },
            Self::NoDescription => const { &Rule::of("P008") },
            Self::DescriptionOnAct => const { &Rule::of("P009") },
            Self::DependenciesOnExploration => const { &Rule::of("P010") },
            Self::NeverClosed => const { &Rule::of("P011") },
            Self::MalformedMark { .. } => const { &Rule::of("P012") },
            Self::EndNamesOther { .. } => const { &Rule::of("P013") },
            Self::NotJson { .. } => const { &Rule::of("L001") },
            Self::NotObject => const { &Rule::of("L002") },
            Self::SeveralObjects { .. } => const { &Rule::of("L003") },
            Self::TornLine => const { &Rule::of("L004") },
            Self::LongLine { .. } => const { &Rule::of("L005") },
            Self::LossyText => const { &Rule::of("L006") },
            Self::UnknownRecord { .. } => const { &Rule::of("L007") },
            Self::UnknownPart { .. } => const { &Rule::of("L008") },
            Self::OddField { .. } => const { &Rule::of("L009") },
            Self::EntryRepeated { .. } => const { &Rule::of("L010") },
            Self::UnknownParent { .. } => const { &Rule::of("L011") },
            Self::ParentCycle => const { &Rule::of("L012") },
            Self::UnknownKeep { .. } => const { &Rule::of("L013") },
            Self::NoHeader => const { &Rule::of("L014") },
            Self::ResultWithoutCall { .. } => const { &Rule::of("L015") },
            Self::CallWithoutResult { .. } => const { &Rule::of("L016") },
            Self::ResultRepeated { .. } => const { &Rule::of("L017") },
            Self::CallRepeated { .. } => const { &Rule::of("L018") },
            Self::UnknownVersion { .. } => const { &Rule::of("L019") },
            Self::MissingParent { .. } => const { &Rule::of("L020") },
            Self::UnknownTarget { .. } => const { &Rule::of("L021") },
            Self::UnsureAuthor => const { &Rule::of("L022") },
            Self::UnreadableSummary => const { &Rule::of("L023") },
            Self::MissingHistory { .. } => const { &Rule::of("L024") },
            Self::DamagedCompression { .. } => const { &Rule::of("L025") },
        }
    }

    /// Returns the stable code: `P…` for the protocol, `L…` for the log.
    pub fn code(&self) -> &'static str {
        self.rule().code
    }

    /// Returns how much it matters.
    pub fn severity(&self) -> Severity {
        self.rule().severity
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartWhileOpen { open } => {
                write!(f, "starts while {open} is open; {open} is closed without a description")
            }
            Self::EndWithoutOpen => f.write_str("ends an episode, but none is open; ignored"),
            Self::NameReused { renamed } => write!(f, "uses a name again; this episode is {renamed}"),
            Self::ActWithoutDependencies => f.write_str("an act that names no exploration"),
            Self::UnknownDependency { name } => {
                write!(f, "depends on {name}, which does not exist; edge dropped")
            }
            Self::DependencyOnAct { name } => write!(f, "depends on {name}, which is an act; edge dropped"),
            Self::DependencyNotClosed { name } => {
                write!(f, "depends on {name}, which is not closed at this point; edge dropped")
            }
            Self::NoDescription => {
                f.write_str("an exploration ended without a description; nothing stays of it")
            }
            Self::DescriptionOnAct => f.write_str("a description on the end of an act; ignored"),
            Self::DependenciesOnExploration => f.write_str("dependencies on an exploration; ignored"),
            Self::NeverClosed => f.write_str("never closed; it stays active"),
            Self::MalformedMark { field } => {
                write!(f, "delimiter: `{}` is missing or of a wrong type", field.key())
            }
            Self::EndNamesOther { name } => {
                write!(f, "ends {name}, which is not the open episode; the open one is closed")
            }
            Self::ResultWithoutCall { call } => {
                write!(f, "a result for {call}, which no call in the log has")
            }
            Self::CallWithoutResult { call } => write!(f, "the call {call} was never answered"),
            Self::ResultRepeated { call } => write!(f, "a second result for the call {call}"),
            Self::CallRepeated { call } => write!(f, "the call id {call} was used before"),
            Self::NotJson { reason } => write!(f, "not JSON ({reason}); kept as it is"),
            Self::NotObject => f.write_str("JSON, but not an object; kept as it is"),
            Self::SeveralObjects { n_objects } => write!(f, "{n_objects} records on one line; each is read"),
            Self::TornLine => f.write_str("the last line has no end; it is read again when it grows"),
            Self::LongLine { n_bytes } => write!(f, "a line of {n_bytes} bytes; skipped"),
            Self::LossyText => f.write_str("bytes that are no text; replaced by \u{fffd}"),
            Self::UnknownRecord { record } => write!(f, "a record of unknown type `{record}`; kept"),
            Self::UnknownPart { part } => write!(f, "a part of unknown type `{part}`; kept"),
            Self::OddField { field } => write!(f, "`{field}` is missing or of a wrong type"),
            Self::EntryRepeated { entry } => write!(f, "the record id {entry} was used before"),
            Self::UnknownParent { parent } => {
                write!(f, "continues {parent}, which is not in the log; taken as a root")
            }
            Self::ParentCycle => f.write_str("continues itself in a circle; cut here"),
            Self::UnknownKeep { entry } => {
                write!(f, "keeps from {entry}, which is not on this branch; nothing before it is kept")
            }
            Self::NoHeader => f.write_str("the first record is not a session header"),
            Self::MissingParent { parent } => {
                write!(f, "continues {parent}, which is not in the log; taken to follow the record before it")
            }
            Self::UnknownTarget { target } => {
                write!(f, "takes out {target}, which is not in the history; nothing is taken")
            }
            Self::UnsureAuthor => {
                f.write_str("the log does not tell whether the human or the harness wrote this")
            }
            Self::UnreadableSummary => {
                f.write_str("the summary is encrypted; what it says and its size are unknown")
            }
            Self::MissingHistory { before } => {
                write!(f, "continues {before}, which is not in the log; what stood before is unknown")
            }
            Self::DamagedCompression { reason } => {
                write!(f, "compressed bytes that cannot be unpacked ({reason}); what follows is not read")
            }
            Self::UnknownVersion { version } => {
                write!(
                    f,
                    "version {version} of the format is newer than what is known; read as the newest known one"
                )
            }
        }
    }
}
