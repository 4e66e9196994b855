//! Words: the values of fields that take one of a few words, each with its word on the wire.
//!
//! A word is declared here and nowhere else: `name` writes it, JSON and TypeScript are made of it. Where the engine has
//! names of its own for traces, a test compares them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Declares an enum whose variants are words on the wire.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
        #[ts(export)]
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

words! {
    /// The kind of an episode.
    EpisodeKindDto {
        /// It finds something out.
        Exploratory = "expl",
        /// It changes something.
        Action = "act",
        /// A stretch between two episodes.
        Unannotated = "unannotated",
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

    /// The action of a step.
    ActionDto {
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
        /// Puts a summary in the place of an episode.
        Fold = "fold",
        /// Puts a summary in the place of a span.
        Summarise = "summarise",
        /// Puts a summary into the archive.
        Archive = "archive",
        /// Brings blocks back.
        PageIn = "page-in",
    }

    /// A band of the timeline, bottom first.
    BandNameDto {
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
    }

    /// Where the overhead comes from.
    OverheadSourceDto {
        /// The view gives it.
        Given = "given",
        /// The usage that the provider reported tells it.
        Inferred = "inferred",
        /// No usage is reported: it is taken to be 0.
        Unknown = "unknown",
    }

    /// The role of a message.
    RoleDto {
        /// The system's.
        System = "system",
        /// The user's.
        User = "user",
        /// The model's.
        Assistant = "assistant",
        /// A tool's.
        Tool = "tool",
    }

    /// The author of a message, in the world and not on the wire.
    AuthorDto {
        /// A person.
        Human = "human",
        /// The program around the model.
        Harness = "harness",
        /// The model.
        Model = "model",
        /// A tool.
        Tool = "tool",
    }

    /// The kind of an item of a list.
    ItemKindDto {
        /// Text.
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

    /// How grave a problem or a finding is.
    SeverityDto {
        /// Worth knowing.
        Info = "info",
        /// Probably a mistake.
        Warning = "warning",
        /// A broken rule.
        Error = "error",
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

    /// The form of a request, by its provider.
    ProviderDto {
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

impl From<cwl_engine::EpisodeKind> for EpisodeKindDto {
    fn from(kind: cwl_engine::EpisodeKind) -> Self {
        match kind {
            cwl_engine::EpisodeKind::Exploratory => Self::Exploratory,
            cwl_engine::EpisodeKind::Action => Self::Action,
            cwl_engine::EpisodeKind::Unannotated => Self::Unannotated,
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

impl From<cwl_engine::Action> for ActionDto {
    fn from(action: cwl_engine::Action) -> Self {
        use cwl_engine::Action;
        match action {
            Action::Reasoning => Self::Reasoning,
            Action::BulkOutput => Self::BulkOutput,
            Action::Intermediate => Self::Intermediate,
            Action::Shell => Self::Shell,
            Action::Read => Self::Read,
            Action::Remove => Self::Remove,
            Action::DropTurn => Self::DropTurn,
            Action::Clear => Self::Clear,
            Action::Dedupe => Self::Dedupe,
            Action::Fold => Self::Fold,
            Action::Summarise => Self::Summarise,
            Action::Archive => Self::Archive,
            Action::PageIn => Self::PageIn,
        }
    }
}

impl From<cwl_engine::Band> for BandNameDto {
    fn from(band: cwl_engine::Band) -> Self {
        use cwl_engine::Band;
        match band {
            Band::Unlogged => Self::Unlogged,
            Band::Human => Self::Human,
            Band::Prologue => Self::Prologue,
            Band::Action => Self::Action,
            Band::Exploratory => Self::Exploratory,
            Band::Unannotated => Self::Unannotated,
            Band::Reasoning => Self::Reasoning,
            Band::Residue => Self::Residue,
        }
    }
}

impl From<cwl_engine::Role> for RoleDto {
    fn from(role: cwl_engine::Role) -> Self {
        match role {
            cwl_engine::Role::System => Self::System,
            cwl_engine::Role::User => Self::User,
            cwl_engine::Role::Assistant => Self::Assistant,
            cwl_engine::Role::Tool => Self::Tool,
        }
    }
}

impl From<cwl_engine::Author> for AuthorDto {
    fn from(author: cwl_engine::Author) -> Self {
        match author {
            cwl_engine::Author::Human => Self::Human,
            cwl_engine::Author::Harness => Self::Harness,
            cwl_engine::Author::Model => Self::Model,
            cwl_engine::Author::Tool => Self::Tool,
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

impl From<ProviderDto> for cwl_engine::Provider {
    fn from(provider: ProviderDto) -> Self {
        match provider {
            ProviderDto::Pi => Self::Pi,
            ProviderDto::Anthropic => Self::Anthropic,
            ProviderDto::OpenAiResponses => Self::OpenAiResponses,
            ProviderDto::OpenAiChat => Self::OpenAiChat,
            ProviderDto::Gemini => Self::Gemini,
        }
    }
}

impl From<cwl_engine::Severity> for SeverityDto {
    fn from(severity: cwl_engine::Severity) -> Self {
        match severity {
            cwl_engine::Severity::Info => Self::Info,
            cwl_engine::Severity::Warning => Self::Warning,
            cwl_engine::Severity::Error => Self::Error,
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
