//! Episodes: the agent's own units of work, and the stretches between them.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use strum::{EnumString, IntoStaticStr};

use crate::{BlockIdx, EpisodeIdx, EpisodeName, Evidence, TurnIdx};

/// The kinds of episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EpisodeKind {
    /// `expl`: gathers information.
    #[strum(serialize = "expl")]
    Exploratory,
    /// `act`: changes something, and draws on explorations.
    #[strum(serialize = "act")]
    Action,
    /// A stretch between two episodes, which the agent did not mark.
    Unannotated,
}

impl EpisodeKind {
    /// Returns the name on the wire: `expl`, `act`, `unannotated`.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The stages of an episode's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Life {
    /// The episode has not begun.
    Unborn,
    /// Active: the agent is in the middle of it; nothing of it may go.
    Open,
    /// Closed: a policy may take it.
    Closed,
    /// The stretch went to another episode when a late delimiter result came.
    Vanished,
}

/// A declared dependency, and the edge it became.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// The name as the act declares it.
    pub declared: EpisodeName,
    /// The exploration, where the edge is kept.
    pub on: Option<EpisodeIdx>,
}

/// An episode: one annotated unit of work, and a node of the [`EpisodeGraph`](crate::EpisodeGraph).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Episode {
    /// The name, `name#2` where the name was used before, `~1` for a stretch without annotation.
    pub name: EpisodeName,
    /// The kind.
    pub kind: EpisodeKind,
    /// The stage of its life; never unborn.
    pub state: Life,
    /// The first block: the start call, or the first block of a stretch.
    pub start: BlockIdx,
    /// The end call, where one closed it.
    pub end_call: Option<BlockIdx>,
    /// True when the start of the next episode closed it (P001).
    pub cut_off: bool,
    /// The blocks in log order.
    pub blocks: Vec<BlockIdx>,
    /// The text that says what the agent learned; it stays after full eviction.
    pub description: Option<Arc<str>>,
    /// Why it begins where it does; `None` if this program did not infer it.
    pub evidence: Option<Arc<Evidence>>,
    /// The dependencies it declares, in declared order.
    pub dependencies: Vec<Dependency>,
    /// The first turn whose request holds a block of it.
    pub first_turn: TurnIdx,
    /// The first turn at which it is closed; `None` while it is active.
    pub closed_turn: Option<TurnIdx>,
}

impl Episode {
    /// Begins an episode without blocks.
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

    /// Returns the text that stays of it after full eviction: `[NAME] DESCRIPTION` of an exploration, else nothing.
    pub fn residue_text(&self) -> Option<String> {
        let description = self.description.as_ref().filter(|_| self.leaves_residue())?;
        Some(format!("[{}] {description}", self.name))
    }

    /// Tells whether it has a [`Episode::residue_text`].
    pub fn leaves_residue(&self) -> bool {
        self.kind == EpisodeKind::Exploratory && self.description.is_some()
    }

    /// Tells whether it is active.
    pub fn is_open(&self) -> bool {
        self.state == Life::Open
    }
}
