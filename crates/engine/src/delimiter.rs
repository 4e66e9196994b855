//! Delimiter marks: the meaning of a call of the tool `delimiter`, or of its result.

use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::EpisodeName;

/// The type of an episode as the agent declares it; `expl` and `act` on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum DeclaredKind {
    /// `expl`: gathers information.
    #[strum(serialize = "expl")]
    Exploratory,
    /// `act`: writes, edits, runs; its effects are durable outside the context.
    #[strum(serialize = "act")]
    Action,
}

/// A part of a mark that is missing or of a wrong JSON type (P012).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MarkField {
    /// `start` or `end`.
    Action,
    /// The episode's name.
    Name,
    /// `expl` or `act`.
    Type,
    /// The list of names an act draws on.
    Dependencies,
    /// The text that says what an exploration learned.
    Description,
}

impl MarkField {
    /// Returns the key in the call's arguments.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// One delimiter event, from a call's arguments or from its result's details.
///
/// Fields of a wrong JSON type that do not void the event stand in `odd` and count as absent (P012).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DelimiterMark {
    /// `action: start`.
    Open {
        /// The name the agent gave.
        name: EpisodeName,
        /// `expl` or `act`.
        kind: DeclaredKind,
        /// The declared names in order; `None` if there is no list.
        dependencies: Option<Vec<EpisodeName>>,
        /// Fields of a wrong type, as if absent.
        odd: Vec<MarkField>,
    },
    /// `action: end`.
    Close {
        /// The name, where the harness records one; it does not choose the episode (P013).
        name: Option<EpisodeName>,
        /// The text that says what an exploration learned; the only text that stays of it.
        description: Option<alloc::sync::Arc<str>>,
        /// Fields of a wrong type, as if absent.
        odd: Vec<MarkField>,
    },
    /// A required field is missing or has an invalid value: no event (P012), but one to `pi-cwl`, to which any action but
    /// `start` is an end, any type but `act` an exploration, and no name a name like any other.
    Malformed {
        /// The first field that is not as it must be: of an end the action.
        field: MarkField,
        /// The name the agent gave; may be empty.
        name: Option<EpisodeName>,
        /// True for the type `act`.
        is_act: bool,
        /// The declared names in order; `None` if there is no list.
        dependencies: Option<Vec<EpisodeName>>,
    },
}
