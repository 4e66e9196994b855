//! Enumerations of answers that the engine does not have. Each string is declared once; JSON, TypeScript and `name` use it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Declares enums whose variants are strings in JSON.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
        pub enum $name {
            $($(#[$of_word])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.name())
            }
        }
    )*};
}

words! {
    /// The form in which the log holds a compaction's summary.
    SummaryForm {
        Text = "text",
        Encrypted = "encrypted",
        Unlogged = "unlogged",
    }
    DetailFateName {
        /// Neither word for word nor by name in the context.
        Lost = "lost",
        Untold = "untold",
        /// By a part of the name.
        Named = "named",
        /// Word for word.
        Literal = "literal",
    }
    WorkKindName {
        Human = "human",
        Mark = "mark",
        Reply = "reply",
        Edit = "edit",
        Publish = "publish",
        /// A call that changes anything else.
        Mutate = "mutate",
        Delegate = "delegate",
        Check = "check",
        Run = "run",
        Look = "look",
        Ask = "ask",
        GitLook = "git_look",
        Wait = "wait",
        Tasks = "tasks",
    }

    FigureUnit {
        Count = "count",
        Tokens = "tokens",
        /// Millionths of a US dollar.
        Money = "money",
        Turn = "turn",
    }

    EpisodeLife {
        /// No block has arrived yet, or all moved to another episode because of a late result.
        NotBegun = "not begun",
        Active = "active",
        Closed = "closed",
    }

    /// Eviction levels 0 to 4. Each level includes the previous ones.
    LevelName {
        Intact = "intact",
        Reasoning = "reasoning stripped",
        Bulk = "bulk stripped",
        Intermediate = "intermediate stripped",
        Removed = "removed",
    }

    BudgetOrigin {
        /// Neither the user nor a trace states a budget.
        Default = "default",
        User = "user",
        Trace = "trace",
    }

    #[derive(Default)]
    OverheadSource {
        Given = "given",
        Inferred = "inferred",
        /// Taken as 0 because no usage is reported.
        #[default]
        Unknown = "unknown",
    }

    /// Request content missing from the log. The first five values all include the system prompt and tools.
    UnloggedContent {
        /// System prompt and tool definitions only.
        Prompt = "prompt",
        /// Also unlogged messages at the start of each request.
        Opening = "opening",
        /// Also earlier history, because the log begins in mid-session.
        EarlierHistory = "earlier_history",
        /// Also attachments added by the harness after a compaction.
        Attachments = "attachments",
        /// Also content sent without any trace in the log.
        Unsaid = "unsaid",
        /// Unknown amount: no usage is reported, or the reports do not follow the counted sizes.
        Unknown = "unknown",
    }

    MarksEffectKind {
        /// Less is read again, or more references find their block.
        Better = "better",
        Worse = "worse",
        /// Less is read again and fewer references find their block, or the other way round.
        Mixed = "mixed",
        /// The memory is the same; only the cost differs.
        CacheOnly = "cache_only",
        /// Only descriptions differ, which keep nothing by themselves.
        WordsOnly = "words_only",
        Same = "same",
    }

    ReacquisitionCauseName {
        /// The content had changed since. The marks are not to blame.
        Changed = "changed",
        /// The policy ignores declared dependencies.
        Policy = "policy",
        /// The budget is too small for the episode's working set.
        TooSmall = "too_small",
        /// The first or second acquisition is in an unannotated stretch.
        Unmarked = "unmarked",
        Undeclared = "undeclared",
        /// One episode has the wrong kind.
        WrongKind = "wrong_kind",
        /// The first episode closed while its work continued.
        ClosedEarly = "closed_early",
        /// The content was read in an act, and acts cannot be declared.
        ReadInAct = "read_in_act",
        /// The remaining description lacks the needed content.
        ThinDescription = "thin_description",
        /// The remaining description has all that was needed.
        InDescription = "in_description",
        /// The content was evicted before the episode that needed it began.
        StrippedBefore = "stripped_before",
        /// The content was needed by an exploration, and explorations declare nothing.
        NeededByExploration = "needed_by_exploration",
    }

    LostContent {
        /// Logged content: the request is smaller than the logged content alone.
        Log = "log",
        /// System prompt or tools: more is missing than the log contains.
        Unlogged = "unlogged",
        /// Logged content or system prompt and tools; the sizes do not tell.
        Either = "either",
    }

    GainCause {
        /// The provider ran a tool of its own before the request.
        Search = "search",
        /// Content of unknown size was added: an attachment, a picture, a reminder.
        Attachment = "attachment",
        Resumed = "resumed",
        Unknown = "unknown",
    }

    /// How long reasoning of earlier replies is sent back.
    #[derive(Default)]
    ReasoningRetention {
        Always = "always",
        UntilHuman = "until_human",
        Never = "never",
        #[default]
        Unknown = "unknown",
    }

    ContextItemKind {
        Text = "text",
        Reasoning = "reasoning",
        Call = "call",
        Result = "result",
        Image = "image",
        /// A block the adapter cannot interpret.
        Opaque = "opaque",
        /// The description left of an exploration.
        Residue = "residue",
        /// A summary a policy composed by rules.
        Summary = "summary",
    }

    DiffChange {
        Same = "same",
        Added = "added",
        Removed = "removed",
        Changed = "changed",
    }

    #[derive(Default)]
    EvictedOrder {
        #[default]
        Log = "log",
        Size = "size",
        Turn = "turn",
    }
}

impl LevelName {
    pub fn from_level(level: u8) -> Self {
        Self::ALL.get(usize::from(level)).copied().unwrap_or(Self::Removed)
    }
}

impl From<cwl_engine::WorkKind> for WorkKindName {
    fn from(kind: cwl_engine::WorkKind) -> Self {
        use cwl_engine::{Effect, WorkKind};
        match kind {
            WorkKind::Human => Self::Human,
            WorkKind::Mark => Self::Mark,
            WorkKind::Reply => Self::Reply,
            WorkKind::Call(effect) => match effect {
                Effect::Edit => Self::Edit,
                Effect::Publish => Self::Publish,
                Effect::Mutate => Self::Mutate,
                Effect::Delegate => Self::Delegate,
                Effect::Check => Self::Check,
                Effect::Run => Self::Run,
                Effect::Look => Self::Look,
                Effect::Ask => Self::Ask,
                Effect::GitLook => Self::GitLook,
                Effect::Wait => Self::Wait,
                Effect::Tasks => Self::Tasks,
            },
        }
    }
}

impl From<cwl_engine::Life> for EpisodeLife {
    fn from(life: cwl_engine::Life) -> Self {
        match life {
            cwl_engine::Life::Unborn | cwl_engine::Life::Vanished => Self::NotBegun,
            cwl_engine::Life::Open => Self::Active,
            cwl_engine::Life::Closed => Self::Closed,
        }
    }
}

impl From<&cwl_engine::BlockKind> for ContextItemKind {
    fn from(kind: &cwl_engine::BlockKind) -> Self {
        use cwl_engine::BlockKind;
        match kind {
            BlockKind::Text => Self::Text,
            BlockKind::Reasoning => Self::Reasoning,
            BlockKind::Call(_) => Self::Call,
            BlockKind::Result(_) => Self::Result,
            BlockKind::Image => Self::Image,
            BlockKind::Opaque => Self::Opaque,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use cwl_engine::{
        Action, AnnotationSource, Author, Band, BandsBy, BlameClass, DetailKind, EdgeUse, EpisodeKind,
        MissCause, NameKind, PolicyFamily, Provider, Role, RowDifference, Severity,
    };

    use super::*;

    #[track_caller]
    fn check<T: Copy + Display + Serialize>(kinds: &[T]) {
        for kind in kinds {
            assert_eq!(serde_json::json!(kind), kind.to_string());
        }
    }

    /// Each name stands twice, for the engine and for JSON.
    #[test]
    fn an_enumeration_of_the_engine_has_its_name_in_json() {
        check(Action::ALL);
        check(Band::ALL);
        check(DetailKind::ALL);
        check(&Provider::ALL);
        check(&[EpisodeKind::Exploratory, EpisodeKind::Action, EpisodeKind::Unannotated]);
        check(&[
            AnnotationSource::Declared,
            AnnotationSource::Inferred,
            AnnotationSource::Filled,
            AnnotationSource::Written,
        ]);
        check(&[Role::System, Role::User, Role::Assistant, Role::Tool]);
        check(&[Author::Human, Author::Harness, Author::Model, Author::Tool]);
        check(&[Severity::Info, Severity::Warning, Severity::Error]);
        check(&[BandsBy::Episode, BandsBy::Content]);
        check(&[BlameClass::Mendable, BlameClass::Reader, BlameClass::NoMark, BlameClass::Changed]);
        check(&[EdgeUse::Used, EdgeUse::Unused, EdgeUse::Untold, EdgeUse::Forgotten]);
        check(&[NameKind::Path, NameKind::Command, NameKind::Symbol]);
        check(&[
            PolicyFamily::Paper,
            PolicyFamily::Compaction,
            PolicyFamily::Clearing,
            PolicyFamily::Baseline,
        ]);
        check(&[RowDifference::Nothing, RowDifference::Texts, RowDifference::Marks, RowDifference::Work]);
        check(&[MissCause::First, MissCause::HiddenLoss, MissCause::Unknown]);
    }
}
