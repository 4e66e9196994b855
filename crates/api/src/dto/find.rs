//! Find: which blocks of a list hold a text, and where in each it stands.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AgainstDto, CutDto, SortDto, ViewDto};

/// A text to look for, as people type it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(default)]
pub struct WantedDto {
    /// The text, or the regular expression.
    pub query: String,
    /// True where it is a regular expression.
    pub regex: bool,
    /// True where upper and lower case differ.
    pub case: bool,
}

/// A list of blocks that a pane shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ListDto {
    /// The context.
    Context {
        /// True keeps ghosts of what went in the list.
        ghosts: bool,
    },
    /// The blocks that the model would not receive.
    Evicted {
        /// Only texts that hold this.
        only: Option<WantedDto>,
        /// The order.
        #[serde(default)]
        sort: SortDto,
    },
    /// The differences from another context.
    Diff {
        /// The other context.
        against: AgainstDto,
        /// The runs of equal blocks that are open, by their first blocks.
        open: Vec<String>,
    },
}

/// Asks which blocks of a list hold a text.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FindRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The list.
    pub list: ListDto,
    /// The text.
    pub wanted: WantedDto,
}

/// Which blocks of a list hold a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FindDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// How often it is in all of them.
    #[ts(type = "number")]
    pub n_matches: u64,
    /// The places in the list, ascending.
    pub at: Vec<u32>,
    /// How often it is in each, `MATCHES_COUNTED` at the most.
    pub counts: Vec<u32>,
}

/// So many matches are counted in one block.
pub const MATCHES_COUNTED: u32 = 1000;

/// Asks where in one block a text stands.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MarksRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The block, as its item names it.
    pub block: String,
    /// True looks into what is sent in its place, where that is a placeholder.
    pub as_sent: bool,
    /// The text.
    pub wanted: WantedDto,
}

/// Where in one block a text stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MarksDto {
    /// The first and the last place of each match, in UTF-16 units of the whole text; `MATCHES_COUNTED` at the most.
    pub ranges: Vec<(u32, u32)>,
    /// The surroundings of the first match on one line: before it, itself, after it.
    pub snippet: Option<(String, String, String)>,
}

/// Asks where in a list a block stands.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct PlaceRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The list.
    pub list: ListDto,
    /// The block, as its item names it.
    pub block: String,
    /// Its line in the log: where it is not in the list, its nearest neighbour is.
    #[ts(type = "number")]
    pub line: u64,
}

/// Where in a list a block stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct PlaceDto {
    /// Its place, or that of its nearest neighbour; `null` where neither can be told.
    pub index: Option<u32>,
    /// True where it is the block itself.
    pub exact: bool,
}
