//! Eviction levels: what each level strips from an episode.

use crate::{BlockKind, EpisodeKind, SessionBlock, ToolClass};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvictionLevel {
    /// Level 1: reasoning. Not applied to acts.
    Reasoning,
    /// Level 2: searches and their results.
    BulkOutput,
    /// Level 3: reads, shell commands and other tools, with their results.
    Intermediate,
    /// Level 4: everything else.
    WholeEpisode,
}

impl EvictionLevel {
    pub const ALL: [Self; 4] = [Self::Reasoning, Self::BulkOutput, Self::Intermediate, Self::WholeEpisode];

    /// Returns 1 to 4; level 0, intact, has no variant.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::BulkOutput => "bulk",
            Self::Intermediate => "intermediate",
            Self::WholeEpisode => "remove",
        }
    }

    pub fn applies_to(self, kind: EpisodeKind) -> bool {
        self != Self::Reasoning || kind != EpisodeKind::Action
    }

    /// Returns the lowest level that evicts `block`. Calls go with their results.
    pub fn of_block(block: &SessionBlock, classify_shell: bool) -> Self {
        match block.kind {
            BlockKind::Reasoning => Self::Reasoning,
            BlockKind::Call(_) | BlockKind::Result(_) => match block.class {
                Some(ToolClass::Search) => Self::BulkOutput,
                Some(ToolClass::Shell) if classify_shell && block.shell_search => Self::BulkOutput,
                Some(ToolClass::Read | ToolClass::Shell | ToolClass::Other) => Self::Intermediate,
                Some(ToolClass::Write | ToolClass::Delimiter) | None => Self::WholeEpisode,
            },
            BlockKind::Text | BlockKind::Image | BlockKind::Opaque => Self::WholeEpisode,
        }
    }
}
