//! Problems: everything odd about input, as data with a place.

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use strum::IntoStaticStr;

use crate::{BlockId, EntryId, EpisodeName, MarkField, Rule, ToolCallId};

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }
}

/// A problem's place.
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
    /// Makes a line's place.
    pub fn at_line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    /// Makes the place of a block on `line`.
    pub fn at_block(line: u64, block: BlockId) -> Self {
        Self { line: Some(line), entry: Some(block.entry.clone()), block: Some(block) }
    }

    /// Makes the place of a record on `line`.
    pub fn at_entry(line: u64, entry: EntryId) -> Self {
        Self { line: Some(line), entry: Some(entry), block: None }
    }
}

/// Something odd about input, with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The problem's place.
    pub place: Place,
    /// The kind of oddity.
    pub kind: ProblemKind,
}

/// Makes the kinds of oddity of a table, one row each: code, name, the detail the message names (a text in braces, with a
/// number beside it or without, or a number in brackets), and the message.
macro_rules! problem_kinds {
    ($(
        $(#[$doc:meta])*
        $code:literal $kind:ident $({ $text:ident: $type:ty $(, $with:ident: $with_type:ty)? })?
            $([ $amount:ident: $number:ty ])? => $message:literal;
    )*) => {
        /// The kinds of oddity; their severities, meanings and remedies are rows of `docs/rules.md`.
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
        pub enum ProblemKind {$(
            $(#[$doc])*
            #[error($message)]
            $kind $({
                /// The subject the message names.
                $text: $type,
                $(/// The number that the message names beside it.
                $with: $with_type,)?
            })? $({
                /// The number the message names.
                $amount: $number,
            })?,
        )*}

        impl ProblemKind {
            /// Returns the rule it breaks: a row of `docs/rules.md`.
            pub fn rule(&self) -> &'static Rule {
                match self {
                    $(Self::$kind { .. } => const { &Rule::look_up($code) },)*
                }
            }

            /// Returns the subject the message names, if it is a text.
            pub fn subject(&self) -> Option<String> {
                match self {
                    $(Self::$kind { $($text,)? .. } => None $(.or(Some($text.to_string())))?,)*
                }
            }

            /// Returns the number the message names, if it names one.
            pub fn amount(&self) -> Option<u64> {
                match self {
                    $(Self::$kind { $($($with,)?)? $($amount,)? .. } => {
                        None $($(.or(Some(u64::from(*$with))))?)? $(.or(Some(u64::from(*$amount))))?
                    },)*
                }
            }

            /// Makes a kind of its code with the subject or the number its message names; `None` if they do not fit.
            pub fn from_code(code: &str, subject: Option<&str>, amount: Option<u64>) -> Option<Self> {
                match code {
                    $($code => Some(Self::$kind {
                        $($text: subject?.try_into().ok()?, $($with: amount?.try_into().ok()?,)?)?
                        $($amount: amount?.try_into().ok()?)?
                    }),)*
                    _ => None,
                }
            }
        }
    };
}

problem_kinds! {
    /// A start while another episode is open; that one is closed without description.
    "P001" StartWhileOpen { open: EpisodeName } =>
        "starts while {open} is open; {open} is closed without a description";
    /// An end with no episode open; ignored.
    "P002" EndWithoutOpen => "ends an episode, but none is open; ignored";
    /// A name used before.
    "P003" NameReused { renamed: EpisodeName } => "uses a name again; this episode is {renamed}";
    /// An act without dependencies.
    "P004" ActWithoutDependencies => "an act that names no exploration";
    /// A dependency on an unknown name; no edge.
    "P005" UnknownDependency { name: EpisodeName } => "depends on {name}, which does not exist; edge dropped";
    /// A dependency on an act; no edge.
    "P006" DependencyOnAct { name: EpisodeName } => "depends on {name}, which is an act; edge dropped";
    /// A dependency on an episode that is open, later, or the act itself; no edge.
    "P007" DependencyNotClosed { name: EpisodeName } =>
        "depends on {name}, which is not closed at this point; edge dropped";
    /// An exploration ended without description; nothing stays of it.
    "P008" NoDescription => "an exploration ended without a description; nothing stays of it";
    /// A description on an act's end; ignored.
    "P009" DescriptionOnAct => "a description on the end of an act; ignored";
    /// Dependencies on an exploration; ignored.
    "P010" DependenciesOnExploration => "dependencies on an exploration; ignored";
    /// An episode that is never closed.
    "P011" NeverClosed => "never closed; it stays active";
    /// A field of a delimiter event is missing or has an invalid value.
    "P012" MalformedMark { field: MarkField } => "delimiter: `{field}` is missing or has an invalid value";
    /// An end names an episode that is not the open one.
    "P013" EndNamesOther { name: EpisodeName } =>
        "ends {name}, which is not the open episode; the open one is closed";
    /// A result whose call is not in the log.
    "L015" ResultWithoutCall { call: ToolCallId } => "a result for {call}, which no call in the log has";
    /// A call a later record proves unanswered.
    "L016" CallWithoutResult { call: ToolCallId } => "the call {call} was never answered";
    /// A second result for one call.
    "L017" ResultRepeated { call: ToolCallId } => "a second result for the call {call}";
    /// A call id used before.
    "L018" CallRepeated { call: ToolCallId } => "the call id {call} was used before";
    /// A line that is not JSON; kept as an opaque record.
    "L001" NotJson { reason: Box<str> } => "not JSON ({reason}); kept as it is";
    /// JSON that is not an object.
    "L002" NotObject => "JSON, but not an object; kept as it is";
    /// Several JSON objects on one line; each is read.
    "L003" SeveralObjects [n_objects: u32] => "{n_objects} records on one line; each is read";
    /// A line without its end, which may still be being written.
    "L004" TornLine => "the last line has no end; it is read again when it grows";
    /// A line too long to load; skipped.
    "L005" LongLine [n_bytes: u64] => "a line of {n_bytes} bytes; skipped";
    /// Bytes that are not UTF-8, or a lone surrogate, replaced by U+FFFD.
    "L006" LossyText => "bytes that are no text; replaced by \u{fffd}";
    /// A record of unknown type; kept.
    "L007" UnknownRecord { record: Box<str> } => "a record of unknown type `{record}`; kept";
    /// A part of unknown type; kept.
    "L008" UnknownPart { part: Box<str> } => "a part of unknown type `{part}`; kept";
    /// A field of a known record is missing or has an invalid value.
    "L009" OddField { field: Box<str> } => "`{field}` is missing or has an invalid value";
    /// A record id used before; the later record stands apart.
    "L010" EntryRepeated { entry: EntryId } => "the record id {entry} was used before";
    /// A parent that is not in the log; the record counts as a root.
    "L011" UnknownParent { parent: EntryId } =>
        "continues {parent}, which is not in the log; taken as a root";
    /// A chain of parents that returns to itself; cut there.
    "L012" ParentCycle => "continues itself in a circle; cut here";
    /// A compaction keeps from a record that is not on the branch; nothing before it is kept.
    "L013" UnknownKeep { entry: EntryId } =>
        "keeps from {entry}, which is not on this branch; nothing before it is kept";
    /// The first record is not a session header.
    "L014" NoHeader => "the first record is not a session header";
    /// A parent that is not in the log; the record goes on after the one before it.
    "L020" MissingParent { parent: EntryId } =>
        "continues {parent}, which is not in the log; taken to follow the record before it";
    /// A parent the reported sizes contradict; the record goes on after the one before it.
    "L032" ContradictedParent { parent: Box<str> } =>
        "names as its parent {parent}; taken to follow the record before it";
    /// NULs at the end of a log or in place of a line, as a crash leaves them.
    "L033" NulBytes [n_bytes: u64] => "NULs in the place of a record, {n_bytes} bytes of them; skipped";
    /// A session that was taken up again with less than it had, as the reported sizes say.
    "L034" CutHistory { sizes: Box<str> } =>
        "was taken up again without what stood before: the last request had {sizes}; worked out from these, no record says it";
    /// Rows that were written again with the ids of earlier ones; each counts once.
    "L035" RowsRepeated [n_rows: u64] => "{n_rows} rows from here on were written before, with the same ids; each counts once";
    /// A rewrite names something that is not in the history; nothing is taken and nothing put in.
    "L021" UnknownTarget { target: Box<str> } =>
        "takes out {target}, which is not in the history; nothing is taken";
    /// The log does not tell whether the human or the harness wrote it.
    "L022" UnsureAuthor => "the log does not tell whether the human or the harness wrote this";
    /// A summary that only the provider can read; what it says and its size are unknown.
    "L023" UnreadableSummary => "the summary is encrypted; what it says and its size are unknown";
    /// The record continues something that is not in the log; the content before is unknown.
    "L024" MissingHistory { before: Box<str> } =>
        "continues {before}, which is not in the log; what stood before is unknown";
    /// Compressed bytes that cannot be unpacked; what follows them is not read.
    "L025" DamagedCompression { reason: Box<str> } =>
        "compressed bytes that cannot be unpacked ({reason}); what follows is not read";
    /// A compaction that does not name the messages it keeps.
    "L026" UnnamedKeep =>
        "a compaction that does not name the messages that it keeps; taken to keep none but the system prompt";
    /// Messages that went out of the history without being named.
    "L027" UnnamedLoss [n_messages: u64] =>
        "{n_messages} messages went out of the history, and the log does not say which; they stay counted";
    /// A request whose hashes the log does not bear out; its context is worked out from the rows.
    "L029" RequestUnproved { why: Box<str> } =>
        "a logged request cannot be proved ({why}); its context is worked out from the rows";
    /// Problems of one code beyond the hundred a list holds.
    "L030" MoreOfCode { code: Box<str>, n_more: u64 } =>
        "{n_more} more problems {code}, which are counted and not listed";
    /// A record beyond the number that is read of one log.
    "L031" RecordBeyond => "beyond the two million records that are read of a log; left out";
    /// A version of the format that is newer than what is known; read as the newest known one.
    "L019" UnknownVersion [version: u32] =>
        "version {version} of the format is newer than what is known; read as the newest known one";
}

impl ProblemKind {
    /// Returns the stable code: `P…` for the protocol, `L…` for the log.
    pub fn code(&self) -> &'static str {
        self.rule().code
    }

    /// Returns how much it matters: as much as the problems it counts, if it counts some.
    pub fn severity(&self) -> Severity {
        match self {
            Self::MoreOfCode { code, .. } => Rule::find(code).map_or(Severity::Warning, |rule| rule.severity),
            _ => self.rule().severity,
        }
    }
}
