//! Words: the values of fields that take one of a few words, each with its word on the wire.
//!
//! A word is declared here and nowhere else: `name` writes it, JSON and TypeScript are made of it. Where the engine has
//! names of its own for traces, a test compares them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Declares enums whose variants are words on the wire.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
        pub enum $name {
            $($(#[$of_word])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the word.
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

/// Declares words for enums of the engine, variant by variant.
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
    /// Whether an act names an exploration and uses it.
    EdgeUseDto: EdgeUse {
        /// Named, and something of it comes back.
        Used = "used",
        /// Named, and nothing of it comes back (Q004).
        Unused = "unused",
        /// Named, and the act takes too little from anywhere to tell.
        Untold = "untold",
        /// Not named, and used (Q003).
        Forgotten = "forgotten",
    }

    /// The kind of an episode.
    EpisodeKindDto: EpisodeKind {
        /// It finds something out.
        Exploratory = "expl",
        /// It changes something.
        Action = "act",
        /// A stretch between two episodes.
        Unannotated = "unannotated",
    }

    /// The family of a policy, in the order in which people choose from them.
    PolicyFamilyDto: PolicyFamily {
        /// By the paper and on its algorithm.
        Paper = "paper",
        /// Something shorter stands for what goes.
        Compaction = "compaction",
        /// Outputs of tools are cleared.
        Clearing = "clearing",
        /// The others are measured against these.
        Baseline = "baseline",
    }

    /// The source of episodes.
    AnnotationSourceDto: AnnotationSource {
        /// The agent's own delimiter calls.
        Declared = "declared",
        /// This program worked the episodes out of what the agent did.
        Inferred = "inferred",
        /// The agent's own delimiter calls, and between them what this program worked out.
        Filled = "filled",
        /// A person or an agent marked the session afterwards.
        Written = "written",
    }

    /// The action of a step.
    ActionDto: Action {
        /// Takes reasoning.
        Reasoning = "reasoning",
        /// Takes output of searches.
        BulkOutput = "bulk",
        /// Takes reads, commands and other calls.
        Intermediate = "intermediate",
        /// Takes shell commands.
        Shell = "bash",
        /// Takes reads.
        Read = "read",
        /// Takes all that is left.
        Remove = "remove",
        /// Takes a whole turn.
        DropTurn = "drop",
        /// Puts a placeholder in the place of an output.
        Clear = "clear",
        /// Takes an output that stands in the context a second time.
        Dedupe = "dedupe",
        /// Takes an output whose file or command was read or written again later.
        Supersede = "supersede",
        /// Puts a summary in the place of an episode.
        Fold = "fold",
        /// Puts a summary in the place of a span.
        Summarise = "summarise",
        /// Takes a span and keeps a summary of it outside the context.
        PageOut = "page-out",
        /// Brings blocks back, or a summary of them.
        PageIn = "page-in",
    }

    /// A band of the timeline, bottom first.
    BandNameDto: Band {
        /// Content that the log does not hold.
        Unlogged = "unlogged",
        /// The human's words.
        Human = "human",
        /// Content before the first episode.
        Prologue = "prologue",
        /// Acts.
        Action = "act",
        /// Explorations.
        Exploratory = "expl",
        /// Unannotated stretches.
        Unannotated = "unannotated",
        /// Reasoning, wherever it stands.
        Reasoning = "reasoning",
        /// Descriptions and summaries that stay.
        Residue = "residue",
        /// System content, and what the harness puts into the user's slot.
        System = "system",
        /// The model's words, and images that belong to no tool.
        Text = "text",
        /// Calls of tools with their arguments.
        Calls = "calls",
        /// Results of tools that read files.
        Reads = "reads",
        /// Results of searches.
        Searches = "searches",
        /// Results of commands.
        Shell = "shell",
        /// Results of all other tools.
        Results = "results",
    }

    /// By which question a context is divided into bands.
    #[derive(Default)]
    BandsByDto: BandsBy {
        /// Where a block belongs: acts, explorations, stretches without annotation.
        #[default]
        Episode = "episode",
        /// The form of a block: words, reasoning, calls, results by the class of their tool.
        Content = "content",
    }

    /// The role of a message.
    #[derive(Default)]
    RoleDto: Role {
        /// The system's.
        System = "system",
        /// The user's.
        #[default]
        User = "user",
        /// The model's.
        Assistant = "assistant",
        /// A tool's.
        Tool = "tool",
    }

    /// The author of a message, in the world and not on the wire.
    #[derive(Default)]
    AuthorDto: Author {
        /// A person.
        Human = "human",
        /// The program around the model.
        #[default]
        Harness = "harness",
        /// The model.
        Model = "model",
        /// A tool.
        Tool = "tool",
    }

    /// How grave a problem or a finding is.
    SeverityDto: Severity {
        /// Worth knowing.
        Info = "info",
        /// Probably a mistake.
        Warning = "warning",
        /// A broken rule.
        Error = "error",
    }

    /// How two turns that stand side by side differ.
    DiffersDto: RowDifference {
        /// In nothing.
        Nothing = "nothing",
        /// The same work with other words or results, or in another turn.
        Texts = "texts",
        /// The same work with other marks of episodes.
        Marks = "marks",
        /// One side does what the other does not.
        Work = "work",
    }

    /// The form of a request, by its provider.
    ProviderDto: Provider {
        /// Messages as pi would hand them over.
        Pi = "pi",
        /// Anthropic Messages.
        Anthropic = "anthropic",
        /// OpenAI Responses.
        OpenAiResponses = "openai",
        /// OpenAI Chat Completions.
        OpenAiChat = "openai-chat",
        /// Gemini.
        Gemini = "gemini",
    }
}

words! {
    /// The kind of a unit of work.
    WorkKindDto {
        /// The human's words.
        Human = "human",
        /// A mark of an episode.
        Mark = "mark",
        /// A reply without a call.
        Reply = "reply",
        /// A call that writes or changes a file.
        Edit = "edit",
        /// A call that commits, pushes, opens a pull request.
        Publish = "publish",
        /// A call that changes anything else.
        Mutate = "mutate",
        /// A call that asks a subagent.
        Delegate = "delegate",
        /// A call that checks: tests, a build, a linter.
        Check = "check",
        /// A call of which the effect is not known.
        Run = "run",
        /// A call that reads, searches or lists.
        Look = "look",
        /// A call that asks the human.
        Ask = "ask",
        /// A call that looks at the state of the repository.
        GitLook = "git_look",
        /// A call that waits for something that runs.
        Wait = "wait",
        /// A call that keeps the list of tasks.
        Tasks = "tasks",
    }

    /// The unit of a figure.
    FigureUnitDto {
        /// A number of things.
        Count = "count",
        /// Tokens.
        Tokens = "tokens",
        /// Millionths of a dollar.
        Money = "money",
        /// A turn, by its number.
        Turn = "turn",
    }

    /// Where an episode is in its life.
    LifeDto {
        /// No block of it has come in, or a late result gave it to another one.
        NotBegun = "not begun",
        /// The agent works on it.
        Active = "active",
        /// It has ended.
        Closed = "closed",
    }

    /// The state of an episode by its level, 0 to 4.
    LevelDto {
        /// Nothing is taken of it.
        Intact = "intact",
        /// Its reasoning is taken.
        Reasoning = "reasoning stripped",
        /// Its search output is taken too.
        Bulk = "bulk stripped",
        /// Its reads and commands are taken too.
        Intermediate = "intermediate stripped",
        /// All of it is taken.
        Removed = "removed",
    }

    /// Where a token budget comes from.
    BudgetSourceDto {
        /// The user set none, and no trace tells the harness's own.
        Default = "default",
        /// The user set it.
        User = "user",
        /// The harness's own, as its trace tells it.
        Trace = "trace",
    }

    /// Where the overhead comes from.
    #[derive(Default)]
    OverheadSourceDto {
        /// The view gives it.
        Given = "given",
        /// The usage that the provider reported tells it.
        Inferred = "inferred",
        /// No usage is reported: it is taken to be 0.
        #[default]
        Unknown = "unknown",
    }

    /// The tokens of a request that the log does not hold.
    UnloggedDto {
        /// System prompt and tool definitions.
        Prompt = "prompt",
        /// Also the messages that the harness begins each request with, and does not log.
        Opening = "opening",
        /// Also earlier history: the log begins in the middle of a session.
        EarlierHistory = "earlier_history",
        /// Also what the harness attached after it had compacted.
        Attachments = "attachments",
        /// Also what was sent without a word in the log.
        Unsaid = "unsaid",
        /// Their number is not known: no usage is reported, or the reports follow nothing that is counted.
        Unknown = "unknown",
    }

    /// The likely cause of a regret: why the agent got again what a policy had evicted.
    RegretCauseDto {
        /// No mark's fault: the content was another one by then.
        Changed = "changed",
        /// The policy does not go by what acts declare.
        Policy = "policy",
        /// The budget is too small for what the episode worked with.
        TooSmall = "too_small",
        /// It was got in a stretch without marks, the first time or again.
        Unmarked = "unmarked",
        /// The act that needed it does not declare the exploration that had it.
        Undeclared = "undeclared",
        /// One of the two episodes is of the wrong kind.
        WrongKind = "wrong_kind",
        /// The episode that had it was closed while its work went on.
        ClosedEarly = "closed_early",
        /// It was read in an act, which nothing can declare.
        ReadInAct = "read_in_act",
        /// The description that stayed lacks what was needed.
        ThinDescription = "thin_description",
        /// It had gone before the episode that needed it began.
        StrippedBefore = "stripped_before",
        /// An exploration needed it, and explorations declare nothing.
        NeededByExploration = "needed_by_exploration",
    }

    /// Why a request did not read from the prompt cache what it should have read.
    MissCauseDto {
        /// No request stands before it.
        First = "first",
        /// Another model answered.
        Model = "model",
        /// System prompt or tool definitions are others.
        Prompt = "prompt",
        /// The harness put a summary in the place of older messages.
        Compacted = "compacted",
        /// The harness cleared old outputs.
        Cleared = "cleared",
        /// Messages were written anew.
        Revised = "revised",
        /// It goes on from an earlier point.
        Branch = "branch",
        /// More time has passed than the provider keeps a prefix.
        Expired = "expired",
        /// Something went without a word in the log.
        HiddenLoss = "hidden_loss",
        /// Nothing in the log tells.
        Unknown = "unknown",
    }

    /// The part of a request that a hidden loss took.
    LossOfDto {
        /// A part of what the log holds: the request is smaller than that alone.
        Log = "log",
        /// System prompt or tool definitions: more went than the log holds.
        Unlogged = "unlogged",
        /// Either of them, the log's or system prompt and tool definitions: the sizes do not tell.
        Either = "either",
    }

    /// The likely cause of a request that is larger than the log accounts for.
    GainCauseDto {
        /// The provider ran a tool of its own before it.
        Search = "search",
        /// Something came in whose size the log does not show: an attachment, a picture, a reminder.
        Attachment = "attachment",
        /// The session was taken up again after a long pause.
        Resumed = "resumed",
        /// Nothing in the log tells.
        Unknown = "unknown",
    }

    /// For how long reasoning of earlier replies is sent back.
    #[derive(Default)]
    CarriedDto {
        /// As long as its reply is in the history.
        Always = "always",
        /// Until the human speaks again.
        UntilHuman = "until_human",
        /// Not at all.
        Never = "never",
        /// No source says it.
        #[default]
        Unknown = "unknown",
    }

    /// The kind of an item of a list.
    #[derive(Default)]
    ItemKindDto {
        /// Text.
        #[default]
        Text = "text",
        /// The model's reasoning.
        Reasoning = "reasoning",
        /// A call of a tool.
        Call = "call",
        /// The result of a call.
        Result = "result",
        /// An image.
        Image = "image",
        /// A block that the adapter does not read.
        Opaque = "opaque",
        /// The description that stays of an exploration.
        Residue = "residue",
        /// A summary that a policy wrote by rules.
        Summary = "summary",
    }

    /// The difference of a row between two contexts.
    ChangeDto {
        /// Both contexts hold it to the letter.
        Same = "same",
        /// Only the context at the cut holds it.
        Added = "added",
        /// Only the other context holds it.
        Removed = "removed",
        /// Both hold it, with other words.
        Changed = "changed",
    }

    /// The order of the list of sessions.
    #[derive(Default)]
    SessionsSortDto {
        /// The last changed first.
        #[default]
        Changed = "changed",
        /// The largest history first, by its tokens.
        Tokens = "tokens",
        /// The most requests first.
        Turns = "turns",
        /// The largest log first, by its bytes.
        Size = "size",
        /// By title.
        Title = "title",
    }

    /// The order of the list of what is evicted.
    #[derive(Default)]
    SortDto {
        /// The order of the log.
        #[default]
        Log = "log",
        /// The largest first.
        Size = "size",
        /// The last evicted first.
        Turn = "turn",
    }
}

impl LevelDto {
    /// Returns the state of an episode at a level.
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
