//! Annotations: where the episodes of a graph come from, and marks as they are written down.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationSourceDto, ViewDto};

/// Where the episodes of a graph come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodesFromDto {
    /// The source.
    pub source: AnnotationSourceDto,
    /// The name or the file of marks that were written afterwards.
    pub name: Option<String>,
    /// The name of who wrote these marks, where they tell it.
    pub by: Option<String>,
    /// All of that as a phrase.
    pub says: String,
    /// A sentence about what is to be kept in mind; `null` where there is nothing.
    pub note: Option<String>,
    /// The oddities of these marks, in their order.
    pub problems: Vec<MarkProblemDto>,
}

impl Default for EpisodesFromDto {
    fn default() -> Self {
        let source = AnnotationSourceDto::Declared;
        Self { source, name: None, by: None, says: String::new(), note: None, problems: Vec::new() }
    }
}

/// An oddity of one mark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkProblemDto {
    /// The number of the mark in the list, from 1.
    pub mark: u32,
    /// The name of its episode.
    pub name: String,
    /// The line of the log that it is about, from 1.
    pub line: u64,
    /// The problem and what is done about it, as a sentence.
    pub message: String,
}

/// Marks of a session as they stand in a file: episodes by the lines of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksFileDto {
    /// The name of who made them, a person or a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub made_by: Option<String>,
    /// The name of who read the session, where that is told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reader: Option<String>,
    /// The annotation that they were changed from: `declared`, `inferred`, or a name of marks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub based_on: Option<String>,
    /// The episodes, in the order of the log.
    pub episodes: Vec<MarkDto>,
}

/// One episode as a reader marks it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkDto {
    /// Its name.
    pub name: String,
    /// Its kind: `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The line of the log with its first block, from 1.
    pub first: u64,
    /// The line of the log with its last block; without it the episode goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last: Option<u64>,
    /// The number of its first block among those of the first line, from 0; without it the line's first one of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_block: Option<u32>,
    /// The number of its last block among those of the last line, from 0; without it the line's last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last_block: Option<u32>,
    /// The names of the earlier explorations that an act draws on.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// The text that says what an exploration found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// How sure its start is, per mille, where it was inferred and a reader has not accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confidence: Option<u16>,
    /// The cues of an inferred start, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub cues: Vec<String>,
}

/// One change of an annotation. Episodes are named as the graph names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum EditDto {
    /// Changes the kind.
    Retype {
        /// The episode.
        of: String,
        /// `expl` or `act`.
        kind: String,
    },
    /// Lets an act draw on an exploration.
    Link {
        /// The act.
        act: String,
        /// The exploration.
        on: String,
    },
    /// Lets an act no longer draw on an exploration.
    Unlink {
        /// The act.
        act: String,
        /// The exploration.
        on: String,
    },
    /// Lets an episode begin elsewhere.
    Begin {
        /// The episode.
        of: String,
        /// Where it begins from now on.
        at: MarkPlaceDto,
    },
    /// Lets an episode end elsewhere.
    End {
        /// The episode.
        of: String,
        /// Where it ends from now on.
        at: MarkPlaceDto,
    },
    /// Splits an episode in two.
    Split {
        /// The episode.
        of: String,
        /// Where its second part begins.
        at: MarkPlaceDto,
    },
    /// Joins an episode with the next one.
    Merge {
        /// The earlier episode, whose name stays.
        of: String,
    },
    /// Ends an open episode.
    Close {
        /// The episode.
        of: String,
    },
    /// Gives another name.
    Rename {
        /// The episode.
        of: String,
        /// Its new name.
        to: String,
    },
    /// Writes the description of an exploration; an empty one takes it away.
    Describe {
        /// The exploration.
        of: String,
        /// The text.
        text: String,
    },
    /// Takes the marks of an episode away.
    Remove {
        /// The episode.
        of: String,
    },
    /// Makes an episode of a stretch that no episode holds.
    Add {
        /// The stretch, as the graph names it: `~1`.
        stretch: String,
        /// The name of the new episode.
        name: String,
        /// `expl` or `act`.
        kind: String,
    },
    /// Vouches for the start of an inferred episode.
    Accept {
        /// The episode; `null` accepts all.
        of: Option<String>,
    },
}

/// A place at which an episode begins or ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum MarkPlaceDto {
    /// A turn: the reply to its request, with the results of its calls.
    Turn {
        /// The number of the turn, from 1.
        turn: u32,
    },
    /// A block.
    Block {
        /// Its id, `ENTRY:INDEX`.
        block: String,
    },
}

/// Asks for the marks of a view after some changes. Nothing is saved.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksRequest {
    /// The session.
    pub session: u32,
    /// The view whose annotation is changed.
    pub view: ViewDto,
    /// The changes, one after the other; where one cannot be made, none is.
    pub edits: Vec<EditDto>,
}

/// The marks of a view before and after some changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksDto {
    /// The marks before.
    pub before: MarksFileDto,
    /// The marks after.
    pub after: MarksFileDto,
    /// The differences, as sentences without their full stops.
    pub changes: Vec<String>,
    /// The name under which the marks after are to be saved: that of the marks that were changed, where they are the
    /// user's own, else one that is free.
    pub name: String,
    /// The names of the episodes that were changed or made, the first one first.
    pub touched: Vec<String>,
}

/// The worth of inferred episodes on one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorthDto {
    /// The revision of the session that it is of.
    pub revision: u32,
    /// True where they keep more of what is needed later than shuffled episodes; `null` where that cannot be told.
    pub beats: Option<bool>,
    /// The figures as a sentence.
    pub says: Option<String>,
}

/// Asks for a page about marks before and after they were changed.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksReportRequest {
    /// The session.
    pub session: u32,
    /// The view with the marks after.
    pub view: ViewDto,
    /// The annotation before, as in a view; `null` is the one that the marks were changed from, else `auto`.
    pub before: Option<String>,
}

/// Asks to keep marks under a name.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveMarksRequest {
    /// The session.
    pub session: u32,
    /// The name.
    pub name: String,
    /// The marks as JSON, in the form of [`MarksFileDto`].
    pub json: String,
    /// True to refuse a name that is in use.
    #[serde(default)]
    pub fresh: bool,
}

/// Marks that were kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedMarksDto {
    /// The name under which they are found.
    pub name: String,
    /// How many episodes they give.
    pub n_episodes: u32,
    /// The oddities of the marks, by line.
    pub problems: Vec<MarkProblemDto>,
}

/// Names marks that are kept.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct KeptMarksRequest {
    /// The session.
    pub session: u32,
    /// The name.
    pub name: String,
}

/// The marks of a session that are kept, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlaysDto {
    /// One for each name.
    pub overlays: Vec<OverlayDto>,
}

/// Marks that are kept under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlayDto {
    /// Their name.
    pub name: String,
    /// Who made them, where that is told.
    pub by: Option<String>,
    /// The annotation that they were changed from, where that is told.
    pub based_on: Option<String>,
    /// How many they are.
    pub n_marks: u32,
    /// When they were saved, milliseconds since 1970.
    pub saved_ms: i64,
}

/// The text of marks that are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksJsonDto {
    /// Their JSON, in the form of [`MarksFileDto`], to be saved elsewhere.
    pub json: String,
}
