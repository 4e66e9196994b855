//! Delimiter marks: parsed calls of the tool `delimiter`, or their results.

use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::EpisodeName;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum DeclaredKind {
    #[strum(serialize = "expl")]
    Exploratory,
    #[strum(serialize = "act")]
    Action,
}

/// A part of a mark whose value is missing or has the wrong type (P012).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[strum(serialize_all = "snake_case")]
pub enum MarkField {
    Action,
    Name,
    Type,
    Dependencies,
    Description,
}

impl MarkField {
    pub fn key(self) -> &'static str {
        self.into()
    }
}

/// One delimiter event, from a call's arguments or its result's details.
///
/// An optional field with the wrong JSON type is listed in `odd` and treated as absent (P012).
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DelimiterMark {
    Open {
        name: EpisodeName,
        kind: DeclaredKind,
        /// In declared order; `None` if the field is absent.
        dependencies: Option<Vec<EpisodeName>>,
        odd: Vec<MarkField>,
    },
    Close {
        /// Recorded by some harnesses. The end closes the open episode whatever its name (P013).
        name: Option<EpisodeName>,
        /// An exploration's findings; after full eviction, only this text remains.
        description: Option<alloc::sync::Arc<str>>,
        odd: Vec<MarkField>,
    },
    /// A required field is missing or invalid: no event (P012). `pi-cwl` is laxer: any action
    /// except `start` is an end, any type except `act` is an exploration, and an empty name is a
    /// name.
    Malformed {
        /// The first invalid field; for an end, [`MarkField::Action`].
        field: MarkField,
        name: Option<EpisodeName>,
        is_act: bool,
        dependencies: Option<Vec<EpisodeName>>,
    },
}
