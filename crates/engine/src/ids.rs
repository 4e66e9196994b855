//! Ids: names that logs give (text) and places in our own tables (indices), each its own type.

use alloc::sync::Arc;
use core::fmt;

macro_rules! name_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a text a log gave.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the text as the log gave it.
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
            /// Makes an index; a table of more than `u32::MAX` rows is cut there.
            pub fn new(position: usize) -> Self {
                Self(u32::try_from(position).unwrap_or(u32::MAX))
            }

            /// Returns the position in the table.
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

name_type! {
    /// One run of an agent: one log.
    SessionId;
    /// One record of a log; records without an id are `L<line number>`.
    EntryId;
    /// One request to run a tool; its result names it.
    ToolCallId;
    /// An episode's name; a second episode of a name is `name#2` (P003).
    EpisodeName;
}

index_type! {
    /// A position in [`crate::EventLog`].
    EventIdx;
    /// A position in [`crate::Session::messages`].
    MessageIdx;
    /// A position in [`crate::Session::blocks`].
    BlockIdx;
    /// A position in [`crate::EpisodeGraph::episodes`].
    EpisodeIdx;
}

impl EntryId {
    /// Makes the id of a record that has none: `L<line number>`, from 1.
    pub fn of_line(line: u64) -> Self {
        Self::new(alloc::format!("L{line}"))
    }
}

/// A request to the model, counted from 1; the last one is `now`, which the next request would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnIdx(u32);

impl TurnIdx {
    /// The first request.
    pub const FIRST: Self = Self(1);

    /// Makes a turn from its number, from 1; 0 becomes 1.
    pub fn new(number: u32) -> Self {
        Self(number.max(1))
    }

    /// Returns its number, from 1.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns its position in [`crate::Session::turns`], from 0.
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
///
/// `index` is the position in that record's own content array, unknown parts included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The record that holds the block.
    pub entry: EntryId,
    /// The position in that record's content.
    pub index: u32,
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.entry, self.index)
    }
}
