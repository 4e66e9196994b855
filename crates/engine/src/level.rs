//! Eviction levels: how hard an episode is stripped, and what each level takes.

use crate::{BlockKind, EpisodeKind, SessionBlock, ToolClass};

/// The levels of eviction, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvictionLevel {
    /// Level 1 takes reasoning; it does not apply to acts.
    Reasoning,
    /// Level 2 takes searches and their results.
    BulkOutput,
    /// Level 3 takes reads, shell commands and other tools with their results.
    Intermediate,
    /// Level 4 takes everything that is left.
    WholeEpisode,
}

impl EvictionLevel {
    /// All levels, from the least to the most.
    pub const ALL: [Self; 4] = [Self::Reasoning, Self::BulkOutput, Self::Intermediate, Self::WholeEpisode];

    /// Returns the number people see, 1 to 4; 0 is intact.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the level of that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Returns the name in a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::BulkOutput => "bulk",
            Self::Intermediate => "intermediate",
            Self::WholeEpisode => "remove",
        }
    }

    /// Tells whether the level applies to episodes of that kind at all.
    pub fn applies_to(self, kind: EpisodeKind) -> bool {
        self != Self::Reasoning || kind != EpisodeKind::Action
    }

    /// Returns the level that takes `block`; calls go with their results.
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
