//! Enumerations of strings on the wire.
//!
//! Each string is declared once, here; JSON, TypeScript and `name` use it. A test compares the strings with the
//! engine's own names in traces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Declares enums whose variants are strings on the wire.
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

/// Declares enums that mirror engine enums, with conversions in both directions.
macro_rules! words_of_the_engine {
    ($($(#[$about:meta])* $name:ident: $engine:ident $words:tt)*) => {$(
        words! { $(#[$about])* $name $words }
        same_variants! { $name $engine $words }
    )*};
}

macro_rules! same_variants {
    ($name:ident $engine:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)* }) => {
        impl From<cwl_engine::$engine> for $name {
            fn from(of: cwl_engine::$engine) -> Self {
                match of { $(cwl_engine::$engine::$variant => Self::$variant,)* }
            }
        }

        impl From<$name> for cwl_engine::$engine {
            fn from(word: $name) -> Self {
                match word { $($name::$variant => Self::$variant,)* }
            }
        }
    };
}

words_of_the_engine! {
    /// The kind of content that a compaction may lose.
    DetailKindDto: DetailKind {
        /// A path named by a call, or by the words of the human or the model.
        File = "file",
        /// A shell command line.
        Command = "command",
        /// A number of 4 to 12 digits, no year and no multiple of 100.
        Number = "number",
        /// The telling line of a failing result.
        Error = "error",
        /// A sentence in which the model states a choice or a reason.
        Decision = "decision",
        /// A sentence in which the human states a rule.
        Constraint = "constraint",
        /// An unfinished item of the newest task list, or a question without an answer.
        OpenItem = "open_item",
    }
    BlameClassDto: BlameClass {
        /// An edit of the marks mends it.
        Mendable = "mendable",
        /// A mark is to blame, and a reader must decide how to mend it.
        Reader = "reader",
        /// No mark is to blame.
        NoMark = "no_mark",
        /// The content had changed.
        Changed = "changed",
    }

    /// The verdict on an act's dependency on an exploration.
    EdgeUseDto: EdgeUse {
        /// Declared, and the act uses something from it.
        Used = "used",
        /// Declared but unused (`Q004`).
        Unused = "unused",
        /// Declared, but the act uses too little content to decide.
        Untold = "untold",
        /// Used but not declared (`Q003`).
        Forgotten = "forgotten",
    }

    EpisodeKindDto: EpisodeKind {
        Exploratory = "expl",
        Action = "act",
        Unannotated = "unannotated",
    }

    PolicyFamilyDto: PolicyFamily {
        /// The paper's algorithm and variants.
        Paper = "paper",
        /// Something shorter replaces evicted content.
        Compaction = "compaction",
        Clearing = "clearing",
        Baseline = "baseline",
    }

    AnnotationSourceDto: AnnotationSource {
        /// Marked by the agent with `delimiter` calls.
        Declared = "declared",
        /// Inferred by this program from the agent's activity.
        Inferred = "inferred",
        /// Marked by the agent; inferred in unannotated stretches.
        Filled = "filled",
        Written = "written",
    }

    ActionDto: Action {
        Reasoning = "reasoning",
        BulkOutput = "bulk",
        /// Evicts reads, commands and other calls.
        Intermediate = "intermediate",
        Shell = "bash",
        Read = "read",
        Remove = "remove",
        DropTurn = "drop",
        Clear = "clear",
        Dedupe = "dedupe",
        /// Evicts an output whose file or command was accessed again later.
        Supersede = "supersede",
        Fold = "fold",
        Summarise = "summarise",
        /// Evicts a span and stores a summary outside the context.
        PageOut = "page-out",
        /// Restores blocks or their summary.
        PageIn = "page-in",
    }

    BandNameDto: Band {
        /// Content missing from the log.
        Unlogged = "unlogged",
        Human = "human",
        Prologue = "prologue",
        Action = "act",
        Exploratory = "expl",
        Unannotated = "unannotated",
        Reasoning = "reasoning",
        /// Remaining descriptions and summaries.
        Residue = "residue",
        /// System content, and the harness's messages in the user role.
        System = "system",
        /// The model's words, and images not produced by tools.
        Text = "text",
        Calls = "calls",
        Reads = "reads",
        Searches = "searches",
        Shell = "shell",
        Results = "results",
    }

    #[derive(Default)]
    BandsByDto: BandsBy {
        /// By episode kind.
        #[default]
        Episode = "episode",
        /// By block kind, with results divided by tool class.
        Content = "content",
    }

    #[derive(Default)]
    RoleDto: Role {
        System = "system",
        #[default]
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }

    /// Who wrote a message, independent of its role on the wire.
    #[derive(Default)]
    AuthorDto: Author {
        Human = "human",
        #[default]
        Harness = "harness",
        Model = "model",
        Tool = "tool",
    }

    SeverityDto: Severity {
        Info = "info",
        Warning = "warning",
        Error = "error",
    }

    DiffersDto: RowDifference {
        Nothing = "nothing",
        /// The same work with different wording or results, or in another turn.
        Texts = "texts",
        /// The same work with different episode marks.
        Marks = "marks",
        Work = "work",
    }

    ProviderDto: Provider {
        Pi = "pi",
        Anthropic = "anthropic",
        OpenAiResponses = "openai",
        OpenAiChat = "openai-chat",
        Gemini = "gemini",
    }
}

words! {
    /// The form in which the log holds a compaction's summary.
    SummaryFormDto {
        Text = "text",
        /// The provider encrypted the summary.
        Encrypted = "encrypted",
        /// The log holds no summary.
        Unlogged = "unlogged",
    }
    DetailFateDto {
        /// Neither word for word nor by name in the context.
        Lost = "lost",
        /// The summary cannot be read.
        Untold = "untold",
        /// By a part of the name.
        Named = "named",
        /// Word for word.
        Literal = "literal",
    }
    WorkKindDto {
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

    FigureUnitDto {
        Count = "count",
        Tokens = "tokens",
        /// Millionths of a US dollar.
        Money = "money",
        Turn = "turn",
    }

    LifeDto {
        /// No block has arrived yet, or all moved to another episode because of a late result.
        NotBegun = "not begun",
        Active = "active",
        Closed = "closed",
    }

    /// Eviction levels 0 to 4. Each level includes the previous ones.
    LevelDto {
        Intact = "intact",
        Reasoning = "reasoning stripped",
        Bulk = "bulk stripped",
        Intermediate = "intermediate stripped",
        Removed = "removed",
    }

    BudgetSourceDto {
        /// Neither the user nor a trace states a budget.
        Default = "default",
        User = "user",
        Trace = "trace",
    }

    #[derive(Default)]
    OverheadSourceDto {
        Given = "given",
        Inferred = "inferred",
        /// Taken as 0 because no usage is reported.
        #[default]
        Unknown = "unknown",
    }

    /// Request content missing from the log. The first five values all include the system prompt and tools.
    UnloggedDto {
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

    MarksEffectKindDto {
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

    ReacquisitionCauseDto {
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

    MissCauseDto {
        First = "first",
        Model = "model",
        Prompt = "prompt",
        Compacted = "compacted",
        Cleared = "cleared",
        Revised = "revised",
        Branch = "branch",
        Expired = "expired",
        /// Content vanished without a trace in the log.
        HiddenLoss = "hidden_loss",
        Unknown = "unknown",
    }

    LossOfDto {
        /// Logged content: the request is smaller than the logged content alone.
        Log = "log",
        /// System prompt or tools: more is missing than the log contains.
        Unlogged = "unlogged",
        /// Logged content or system prompt and tools; the sizes do not tell.
        Either = "either",
    }

    /// The likely cause for a request's unexplained growth.
    GainCauseDto {
        /// The provider ran a tool of its own before the request.
        Search = "search",
        /// Content of unknown size was added: an attachment, a picture, a reminder.
        Attachment = "attachment",
        Resumed = "resumed",
        Unknown = "unknown",
    }

    /// How long reasoning of earlier replies is sent back.
    #[derive(Default)]
    CarriedDto {
        Always = "always",
        UntilHuman = "until_human",
        Never = "never",
        #[default]
        Unknown = "unknown",
    }

    #[derive(Default)]
    ItemKindDto {
        #[default]
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

    ChangeDto {
        Same = "same",
        Added = "added",
        Removed = "removed",
        Changed = "changed",
    }

    #[derive(Default)]
    SessionsSortDto {
        #[default]
        Changed = "changed",
        Tokens = "tokens",
        Turns = "turns",
        Size = "size",
        Title = "title",
    }

    #[derive(Default)]
    SortDto {
        #[default]
        Log = "log",
        Size = "size",
        Turn = "turn",
    }
}

impl LevelDto {
    pub fn from_level(level: u8) -> Self {
        Self::ALL.get(usize::from(level)).copied().unwrap_or(Self::Removed)
    }
}

impl From<cwl_engine::MissCause> for MissCauseDto {
    fn from(cause: cwl_engine::MissCause) -> Self {
        match cause {
            cwl_engine::MissCause::First => Self::First,
            cwl_engine::MissCause::Model => Self::Model,
            cwl_engine::MissCause::Prompt => Self::Prompt,
            cwl_engine::MissCause::Compacted => Self::Compacted,
            cwl_engine::MissCause::Cleared => Self::Cleared,
            cwl_engine::MissCause::Revised => Self::Revised,
            cwl_engine::MissCause::Branch => Self::Branch,
            cwl_engine::MissCause::Expired => Self::Expired,
            cwl_engine::MissCause::HiddenLoss => Self::HiddenLoss,
            cwl_engine::MissCause::Unknown => Self::Unknown,
        }
    }
}

impl From<cwl_engine::WorkKind> for WorkKindDto {
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

impl From<cwl_engine::Life> for LifeDto {
    fn from(life: cwl_engine::Life) -> Self {
        match life {
            cwl_engine::Life::Unborn | cwl_engine::Life::Vanished => Self::NotBegun,
            cwl_engine::Life::Open => Self::Active,
            cwl_engine::Life::Closed => Self::Closed,
        }
    }
}

impl From<&cwl_engine::BlockKind> for ItemKindDto {
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
    use cwl_engine::{Action, Band, EpisodeKind};

    use super::*;

    #[test]
    fn the_words_are_those_of_the_engine_in_a_trace() {
        for action in Action::ALL {
            assert_eq!(ActionDto::from(*action).name(), action.name());
        }
        for band in Band::ALL {
            assert_eq!(BandNameDto::from(*band).name(), band.name());
        }
        for kind in [EpisodeKind::Exploratory, EpisodeKind::Action, EpisodeKind::Unannotated] {
            assert_eq!(EpisodeKindDto::from(kind).name(), kind.name());
        }
    }
}
