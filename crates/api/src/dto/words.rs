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
            /// All variants in declaration order.
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
    /// Whether an act declares an exploration and uses it.
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
        /// Finds something out.
        Exploratory = "expl",
        /// Changes something.
        Action = "act",
        /// A stretch between two episodes.
        Unannotated = "unannotated",
    }

    /// Families of policies, in display order.
    PolicyFamilyDto: PolicyFamily {
        /// The paper's algorithm and variants.
        Paper = "paper",
        /// Something shorter replaces evicted content.
        Compaction = "compaction",
        /// Tool outputs are cleared.
        Clearing = "clearing",
        /// References for comparison.
        Baseline = "baseline",
    }

    /// The source of episodes.
    AnnotationSourceDto: AnnotationSource {
        /// Marked by the agent with `delimiter` calls.
        Declared = "declared",
        /// Inferred by this program from the agent's activity.
        Inferred = "inferred",
        /// Marked by the agent; inferred in unannotated stretches.
        Filled = "filled",
        /// Marked afterwards by a reader.
        Written = "written",
    }

    /// The effect of an eviction step.
    ActionDto: Action {
        /// Evicts reasoning.
        Reasoning = "reasoning",
        /// Evicts search results.
        BulkOutput = "bulk",
        /// Evicts reads, commands and other calls.
        Intermediate = "intermediate",
        /// Evicts shell commands.
        Shell = "bash",
        /// Evicts file reads.
        Read = "read",
        /// Evicts the rest of the episode.
        Remove = "remove",
        /// Evicts a whole turn.
        DropTurn = "drop",
        /// Replaces an output by a placeholder.
        Clear = "clear",
        /// Evicts the repetition of an output in the context.
        Dedupe = "dedupe",
        /// Evicts an output whose file or command was accessed again later.
        Supersede = "supersede",
        /// Replaces an episode by a summary.
        Fold = "fold",
        /// Replaces a span by a summary.
        Summarise = "summarise",
        /// Evicts a span and stores a summary outside the context.
        PageOut = "page-out",
        /// Restores blocks or their summary.
        PageIn = "page-in",
    }

    /// Bands of the timeline, bottom first.
    BandNameDto: Band {
        /// Content missing from the log.
        Unlogged = "unlogged",
        Human = "human",
        /// Content before the first episode.
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
        /// Results of file reads.
        Reads = "reads",
        Searches = "searches",
        /// Results of shell commands.
        Shell = "shell",
        /// Results of other tools.
        Results = "results",
    }

    /// A division of contexts into bands.
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
        /// The program around the model.
        #[default]
        Harness = "harness",
        Model = "model",
        Tool = "tool",
    }

    SeverityDto: Severity {
        /// Worth knowing.
        Info = "info",
        /// Probably a mistake.
        Warning = "warning",
        /// A broken rule.
        Error = "error",
    }

    /// The difference of two aligned turns.
    DiffersDto: RowDifference {
        Nothing = "nothing",
        /// The same work with different wording or results, or in another turn.
        Texts = "texts",
        /// The same work with different episode marks.
        Marks = "marks",
        /// Work only one side does.
        Work = "work",
    }

    ProviderDto: Provider {
        /// Messages in pi's format.
        Pi = "pi",
        Anthropic = "anthropic",
        OpenAiResponses = "openai",
        OpenAiChat = "openai-chat",
        Gemini = "gemini",
    }
}

words! {
    /// Kinds of work units.
    WorkKindDto {
        Human = "human",
        /// An episode mark.
        Mark = "mark",
        /// A reply without a call.
        Reply = "reply",
        /// A call that writes or changes a file.
        Edit = "edit",
        /// A call that commits, pushes or opens a pull request.
        Publish = "publish",
        /// A call that changes anything else.
        Mutate = "mutate",
        /// A call to a subagent.
        Delegate = "delegate",
        /// A call that runs tests, a build or a linter.
        Check = "check",
        /// A call with unknown effect.
        Run = "run",
        /// A call that reads, searches or lists.
        Look = "look",
        /// A question to the human.
        Ask = "ask",
        /// A call that inspects the repository's state.
        GitLook = "git_look",
        /// A call that waits for a running process.
        Wait = "wait",
        /// A call that updates the task list.
        Tasks = "tasks",
    }

    FigureUnitDto {
        Count = "count",
        Tokens = "tokens",
        /// Millionths of a US dollar.
        Money = "money",
        /// A turn's number.
        Turn = "turn",
    }

    LifeDto {
        /// No block has arrived yet, or all moved to another episode because of a late result.
        NotBegun = "not begun",
        /// The agent is working on the episode.
        Active = "active",
        Closed = "closed",
    }

    /// Eviction levels 0 to 4. Each level includes the previous ones.
    LevelDto {
        /// Nothing is evicted.
        Intact = "intact",
        /// Reasoning is evicted.
        Reasoning = "reasoning stripped",
        /// Search results are evicted.
        Bulk = "bulk stripped",
        /// File reads and commands are evicted.
        Intermediate = "intermediate stripped",
        /// The episode is evicted.
        Removed = "removed",
    }

    /// The source of a token budget.
    BudgetSourceDto {
        /// Neither the user nor a trace states a budget.
        Default = "default",
        User = "user",
        /// The harness's own budget, from its trace.
        Trace = "trace",
    }

    /// The source of the overhead.
    #[derive(Default)]
    OverheadSourceDto {
        /// Stated in the view.
        Given = "given",
        /// Inferred from reported usage.
        Inferred = "inferred",
        /// Taken as 0 because no usage is reported.
        #[default]
        Unknown = "unknown",
    }

    /// Content of a request missing from the log. Each of the first five values includes the system prompt and the
    /// tools.
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

    /// The likely cause of a regret.
    RegretCauseDto {
        /// The content had changed since. The marks are not to blame.
        Changed = "changed",
        /// The policy ignores declared dependencies.
        Policy = "policy",
        /// The budget is too small for the episode's working set.
        TooSmall = "too_small",
        /// The first or second acquisition is in an unannotated stretch.
        Unmarked = "unmarked",
        /// The act did not declare the exploration it needed.
        Undeclared = "undeclared",
        /// One of the two episodes has the wrong kind.
        WrongKind = "wrong_kind",
        /// The first episode closed while its work continued.
        ClosedEarly = "closed_early",
        /// The content was read in an act, and acts cannot be declared.
        ReadInAct = "read_in_act",
        /// The remaining description lacks the needed content.
        ThinDescription = "thin_description",
        /// The content was evicted before the episode that needed it began.
        StrippedBefore = "stripped_before",
        /// The content was needed by an exploration, and explorations declare nothing.
        NeededByExploration = "needed_by_exploration",
    }

    /// Why a request missed the prompt cache.
    MissCauseDto {
        /// The first request has no predecessor.
        First = "first",
        /// The model changed.
        Model = "model",
        /// The system prompt or tool definitions changed.
        Prompt = "prompt",
        /// The harness compacted older messages.
        Compacted = "compacted",
        /// The harness cleared old outputs.
        Cleared = "cleared",
        /// Messages were rewritten.
        Revised = "revised",
        /// The request continues from an earlier point.
        Branch = "branch",
        /// More time has passed than the provider keeps a prefix.
        Expired = "expired",
        /// Content vanished without a trace in the log.
        HiddenLoss = "hidden_loss",
        /// The log shows no cause.
        Unknown = "unknown",
    }

    /// The part of a request affected by a hidden loss.
    LossOfDto {
        /// Logged content: the request is smaller than the logged content alone.
        Log = "log",
        /// System prompt or tools: more is missing than the log contains.
        Unlogged = "unlogged",
        /// Logged content or system prompt and tools; the sizes do not tell.
        Either = "either",
    }

    /// The likely cause of an unexplained growth of a request.
    GainCauseDto {
        /// The provider ran a tool of its own before the request.
        Search = "search",
        /// Content of unknown size was added: an attachment, a picture, a reminder.
        Attachment = "attachment",
        /// The session was resumed after a long pause.
        Resumed = "resumed",
        /// The log shows no cause.
        Unknown = "unknown",
    }

    /// How long reasoning of earlier replies is sent back.
    #[derive(Default)]
    CarriedDto {
        /// While its reply is in the history.
        Always = "always",
        /// Until the next human message.
        UntilHuman = "until_human",
        Never = "never",
        /// No source states it.
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

    /// The difference of a row between two contexts.
    ChangeDto {
        /// Identical in both contexts.
        Same = "same",
        /// Only in the context at the cut.
        Added = "added",
        /// Only in the other context.
        Removed = "removed",
        /// In both contexts, with different text.
        Changed = "changed",
    }

    #[derive(Default)]
    SessionsSortDto {
        /// Most recently changed first.
        #[default]
        Changed = "changed",
        /// Largest history first, by tokens.
        Tokens = "tokens",
        /// Most requests first.
        Turns = "turns",
        /// Largest log first, by bytes.
        Size = "size",
        Title = "title",
    }

    #[derive(Default)]
    SortDto {
        #[default]
        Log = "log",
        Size = "size",
        /// Most recently evicted first.
        Turn = "turn",
    }
}

impl LevelDto {
    pub fn from_level(level: u8) -> Self {
        Self::ALL.get(usize::from(level)).copied().unwrap_or(Self::Removed)
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
