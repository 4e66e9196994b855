//! Episodes: the agent's units of work, and the stretches between them.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{Display, EnumString, IntoStaticStr};

use crate::{BlockIdx, EpisodeIdx, EpisodeName, Evidence, TurnIdx};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr, Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, ts_rs::TS))]
#[strum(serialize_all = "snake_case")]
pub enum EpisodeKind {
    #[strum(serialize = "expl")]
    #[cfg_attr(feature = "serde", serde(rename = "expl"))]
    Exploratory,
    #[strum(serialize = "act")]
    #[cfg_attr(feature = "serde", serde(rename = "act"))]
    Action,
    Unannotated,
}

impl EpisodeKind {
    /// Returns the name on the wire: `expl`, `act` or `unannotated`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Life {
    Unborn,
    Open,
    Closed,
    /// The stretch was given to another episode when a late delimiter result arrived.
    Vanished,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub declared: EpisodeName,
    /// `None` if the declaration gives no edge.
    pub on: Option<EpisodeIdx>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    /// Unique: a reused name becomes `name#2`, an unannotated stretch `~1`.
    pub name: EpisodeName,
    pub kind: EpisodeKind,
    pub state: Life,
    /// The start call, or the first block of a stretch.
    pub start: BlockIdx,
    /// `None` if the agent did not close the episode itself.
    pub end_call: Option<BlockIdx>,
    /// True if the next episode's start closed this one (P001).
    pub cut_off: bool,
    pub blocks: Vec<BlockIdx>,
    /// The findings in the agent's words; they stay in the context after full eviction.
    pub description: Option<Arc<str>>,
    pub evidence: Option<Arc<Evidence>>,
    pub dependencies: Vec<Dependency>,
    pub first_turn: TurnIdx,
    /// First turn after the episode closed; `None` while it is open.
    pub closed_turn: Option<TurnIdx>,
}

impl Episode {
    pub(crate) fn new_empty(
        name: EpisodeName,
        kind: EpisodeKind,
        start: BlockIdx,
        first_turn: TurnIdx,
    ) -> Self {
        Self {
            name,
            kind,
            state: Life::Open,
            start,
            end_call: None,
            cut_off: false,
            blocks: Vec::new(),
            description: None,
            evidence: None,
            dependencies: Vec::new(),
            first_turn,
            closed_turn: None,
        }
    }

    /// Returns what stays after full eviction: `[NAME] DESCRIPTION` for an exploration, else
    /// `None`.
    pub fn residue_text(&self) -> Option<String> {
        let description = self.description.as_ref().filter(|_| self.leaves_residue())?;
        Some(format!("[{}] {description}", self.name))
    }

    pub fn leaves_residue(&self) -> bool {
        self.kind == EpisodeKind::Exploratory && self.description.is_some()
    }

    pub fn is_open(&self) -> bool {
        self.state == Life::Open
    }
}
