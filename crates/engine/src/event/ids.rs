//! Ids: names given by logs (text) and positions in our own tables (indices), each with its own
//! type.

use alloc::sync::Arc;
use core::fmt;

macro_rules! name_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    )*};
}

macro_rules! index_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Positions above `u32::MAX` become `u32::MAX`.
            pub fn new(position: usize) -> Self {
                Self(u32::try_from(position).unwrap_or(u32::MAX))
            }

            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

name_type! {
    SessionId;
    /// One log record; a record without an id gets `L<line number>`.
    EntryId;
    ToolCallId;
    /// A second episode with the same name is called `name#2` (P003).
    EpisodeName;
}

index_type! {
    /// Position in [`crate::EventLog`].
    EventIdx;
    /// Position in [`crate::Session::messages`].
    MessageIdx;
    /// Position in [`crate::Session::blocks`].
    BlockIdx;
    /// Position in [`crate::EpisodeGraph::episodes`].
    EpisodeIdx;
}

impl EntryId {
    pub fn of_line(line: u64) -> Self {
        Self::new(alloc::format!("L{line}"))
    }
}

/// A request to the model, counted from 1. The last turn is `now`, the next possible request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnIdx(u32);

impl TurnIdx {
    pub const FIRST: Self = Self(1);

    /// Takes a number from 1; 0 becomes 1.
    pub fn new(number: u32) -> Self {
        Self(number.max(1))
    }

    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the position in [`crate::Session::turns`], from 0.
    pub fn at(self) -> usize {
        self.0 as usize - 1
    }

    pub(crate) fn from_position(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX - 1) + 1)
    }
}

impl fmt::Display for TurnIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A block's stable id, written `ENTRY:INDEX`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockId {
    pub entry: EntryId,
    /// Position in the record's content array, unknown parts included.
    pub index: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BlockPlace {
    /// Index of the record, from 0.
    pub seq: u32,
    /// Index of the block in the record, from 0, in the order of [`crate::EventBody::all_blocks`].
    pub part: u32,
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entry, self.index)
    }
}
