//! Problems: everything odd about the input, as data with a place.

pub(crate) mod rule;
mod rules;
pub(crate) mod problem_list;

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use strum::{Display, IntoStaticStr};

use crate::{BlockId, EntryId, EpisodeName, MarkField, Rule, ToolCallId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    pub line: Option<u64>,
    pub entry: Option<EntryId>,
    pub block: Option<BlockId>,
}

impl Place {
    pub fn at_line(line: u64) -> Self {
        Self { line: Some(line), ..Self::default() }
    }

    pub fn at_block(line: u64, block: BlockId) -> Self {
        Self { line: Some(line), entry: Some(block.entry.clone()), block: Some(block) }
    }

    pub fn at_entry(line: u64, entry: EntryId) -> Self {
        Self { line: Some(line), entry: Some(entry), block: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub place: Place,
    pub kind: ProblemKind,
}

/// Generates [`ProblemKind`] from rows: code, name, detail in the message (a text in braces,
/// optionally with a number, or a number in brackets), and message.
macro_rules! problem_kinds {
    ($(
        $(#[$doc:meta])*
        $code:literal $kind:ident $({ $text:ident: $type:ty $(, $with:ident: $with_type:ty)? })?
            $([ $amount:ident: $number:ty ])? => $message:literal;
    )*) => {
        /// A problem's kind. Severities, meanings and remedies are in its [`Rule`].
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
        pub enum ProblemKind {$(
            $(#[$doc])*
            #[error($message)]
            $kind $({
                $text: $type,
                $(/// The number that the message names beside it.
                $with: $with_type,)?
            })? $({
                $amount: $number,
            })?,
        )*}

        impl ProblemKind {
            pub fn rule(&self) -> &'static Rule {
                match self {
                    $(Self::$kind { .. } => const { &Rule::look_up($code) },)*
                }
            }

            /// Returns the text quoted in the problem's message, if any.
            pub fn subject(&self) -> Option<String> {
                match self {
                    $(Self::$kind { $($text,)? .. } => None $(.or(Some($text.to_string())))?,)*
                }
            }

            pub fn amount(&self) -> Option<u64> {
                match self {
                    $(Self::$kind { $($($with,)?)? $($amount,)? .. } => {
                        None $($(.or(Some(u64::from(*$with))))?)? $(.or(Some(u64::from(*$amount))))?
                    },)*
                }
            }

            /// Builds a kind from its code and the text or number of its message; `None` if they
            /// do not fit.
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
    "P001" StartWhileOpen { open: EpisodeName } =>
        "starts while {open} is open; {open} is closed without a description";
    "P002" EndWithoutOpen => "ends an episode, but none is open; ignored";
    "P003" NameReused { renamed: EpisodeName } => "uses a name again; this episode is {renamed}";
    "P004" ActWithoutDependencies => "an act that names no exploration";
    "P005" UnknownDependency { name: EpisodeName } => "draws on {name}, which does not exist; edge dropped";
    "P006" DependencyOnAct { name: EpisodeName } => "draws on {name}, which is an act; edge dropped";
    "P007" DependencyNotClosed { name: EpisodeName } =>
        "draws on {name}, which is not closed at this point; edge dropped";
    "P008" NoDescription => "an exploration ended without a description; nothing stays of it";
    "P009" DescriptionOnAct => "a description on the end of an act; ignored";
    "P010" DependenciesOnExploration => "dependencies on an exploration; ignored";
    "P011" NeverClosed => "never closed; it stays active";
    "P012" MalformedMark { field: MarkField } => "delimiter: `{field}` is missing or has an invalid value";
    "P013" EndNamesOther { name: EpisodeName } =>
        "ends {name}, which is not the open episode; the open one is closed";
    "L015" ResultWithoutCall { call: ToolCallId } => "a result for {call}, which no call in the log has";
    "L016" CallWithoutResult { call: ToolCallId } => "the call {call} was never answered";
    "L017" ResultRepeated { call: ToolCallId } => "a second result for the call {call}";
    "L018" CallRepeated { call: ToolCallId } => "the call id {call} was used before";
    "L001" NotJson { reason: Box<str> } => "not JSON ({reason}); kept as it is";
    "L002" NotObject => "JSON, but not an object; kept as it is";
    "L003" SeveralObjects [n_objects: u32] => "{n_objects} records on one line; each is read";
    "L004" TornLine => "the last line has no end; it is read again when it grows";
    "L005" LongLine [n_bytes: u64] => "a line of {n_bytes} bytes; skipped";
    "L006" LossyText => "bytes that are no text; replaced by \u{fffd}";
    "L007" UnknownRecord { record: Box<str> } => "a record of unknown type `{record}`; kept";
    "L008" UnknownPart { part: Box<str> } => "a part of unknown type `{part}`; kept";
    "L009" OddField { field: Box<str> } => "`{field}` is missing or has an invalid value";
    "L010" EntryRepeated { entry: EntryId } => "the record id {entry} was used before";
    "L011" UnknownParent { parent: EntryId } =>
        "continues {parent}, which is not in the log; taken as a root";
    "L012" ParentCycle => "continues itself in a circle; cut here";
    "L013" UnknownKeep { entry: EntryId } =>
        "keeps from {entry}, which is not on this branch; nothing before it is kept";
    "L014" NoHeader => "the first record is not a session header";
    "L020" MissingParent { parent: EntryId } =>
        "continues {parent}, which is not in the log; taken to follow the record before it";
    "L032" ContradictedParent { parent: Box<str> } =>
        "names as its parent {parent}; taken to follow the record before it";
    "L033" NulBytes [n_bytes: u64] => "NULs in the place of a record, {n_bytes} bytes of them; skipped";
    "L034" CutHistory { sizes: Box<str> } =>
        "was taken up again without what stood before: the last request had {sizes}; worked out from these, no record says it";
    "L035" RowsRepeated [n_rows: u64] => "{n_rows} rows from here on were written before, with the same ids; each counts once";
    "L036" TextsCut => "the harness cut texts of this log short; what they said in full is not in it";
    "L037" OutputsUnlogged => "the log has no outputs of tools; each call counts with an empty one";
    "L038" TextsUnlogged => "the log has no texts; each message counts with a placeholder of its size";
    "L021" UnknownTarget { target: Box<str> } =>
        "takes out {target}, which is not in the history; nothing is taken";
    "L022" UnsureAuthor => "the log does not tell whether the human or the harness wrote this";
    "L023" UnreadableSummary => "the summary is encrypted; what it says and its size are unknown";
    "L024" MissingHistory { before: Box<str> } =>
        "continues {before}, which is not in the log; what stood before is unknown";
    "L025" DamagedCompression { reason: Box<str> } =>
        "compressed bytes that cannot be unpacked ({reason}); what follows is not read";
    "L026" UnnamedKeep =>
        "a compaction that does not name the messages that it keeps; taken to keep none but the system prompt";
    "L027" UnnamedLoss [n_messages: u64] =>
        "{n_messages} messages went out of the history, and the log does not say which; they stay counted";
    "L028" HiddenLoss { sizes: Box<str> } => "{sizes}";
    "L029" RequestUnproved { why: Box<str> } =>
        "a logged request cannot be proved ({why}); its context is worked out from the rows";
    "L030" MoreOfCode { code: Box<str>, n_more: u64 } =>
        "{n_more} more problems {code}, which are counted and not listed";
    "L031" RecordBeyond => "beyond the two million records that are read of a log; left out";
    "L019" UnknownVersion [version: u32] =>
        "version {version} of the format is newer than what is known; read as the newest known one";
    "T001" TableRow { reason: Box<str> } => "{reason}";
}

impl ProblemKind {
    pub fn code(&self) -> &'static str {
        self.rule().code
    }

    /// [`Self::MoreOfCode`] has the same severity as the problems it counts.
    pub fn severity(&self) -> Severity {
        match self {
            Self::MoreOfCode { code, .. } => Rule::find(code).map_or(Severity::Warning, |rule| rule.severity),
            _ => self.rule().severity,
        }
    }
}
