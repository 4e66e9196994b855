//! Annotations: the source of a graph's episodes, and marks in their file format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{AnnotationSourceDto, ViewDto};

/// The source of a graph's episodes; `says` has all fields in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EpisodesFromDto {
    pub source: AnnotationSourceDto,
    /// The overlay, or the file with marks, if `source` is `written`.
    pub name: Option<String>,
    pub by: Option<String>,
    pub says: String,
    pub note: Option<String>,
    pub problems: Vec<MarkProblemDto>,
}

impl Default for EpisodesFromDto {
    fn default() -> Self {
        let source = AnnotationSourceDto::Declared;
        Self { source, name: None, by: None, says: String::new(), note: None, problems: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkProblemDto {
    pub mark: u32,
    pub name: String,
    pub line: u64,
    pub message: String,
}

/// Marks in the format of `cwl annotate` files: episodes given by log lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksFileDto {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub made_by: Option<String>,
    /// Who read the session, if not `made_by`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reader: Option<String>,
    /// The original annotation: `declared`, `inferred`, or an overlay's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub based_on: Option<String>,
    /// The hash of the guide that the reader followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub guide_hash: Option<String>,
    /// The hash of the brief that the reader saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub brief_hash: Option<String>,
    pub episodes: Vec<MarkDto>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkDto {
    pub name: String,
    /// `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The first block's log line, from 1.
    pub first: u64,
    /// The last block's log line. `None` leaves the episode open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last: Option<u64>,
    /// The first block's index in line `first`, from 0. Defaults to the agent's first block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub first_block: Option<u32>,
    /// The last block's index in line `last`, from 0. Defaults to the line's last block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last_block: Option<u32>,
    /// Earlier explorations an `act` depends on.
    #[serde(default)]
    pub dependencies: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub description: Option<String>,
    /// Certainty of the start, per mille. Set if it was inferred and not yet accepted by a reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confidence: Option<u16>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub cues: Vec<String>,
}

/// A change of an annotation. Episodes are named as in [`EpisodeDto::name`](super::EpisodeDto::name).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum EditDto {
    Retype {
        of: String,
        /// `expl` or `act`.
        kind: String,
    },
    /// Makes `act` depend on the exploration `on`.
    Link {
        act: String,
        on: String,
    },
    Unlink {
        act: String,
        on: String,
    },
    Begin {
        of: String,
        at: MarkPlaceDto,
    },
    End {
        of: String,
        at: MarkPlaceDto,
    },
    Split {
        of: String,
        at: MarkPlaceDto,
    },
    /// Joins the episode with the next one. The earlier name stays.
    Merge {
        of: String,
    },
    Close {
        of: String,
    },
    Rename {
        of: String,
        to: String,
    },
    /// Sets an exploration's description. An empty `text` removes it.
    Describe {
        of: String,
        text: String,
    },
    Remove {
        of: String,
    },
    /// Turns an unannotated stretch into an episode.
    Add {
        /// A stretch name such as `~1`.
        stretch: String,
        name: String,
        /// `expl` or `act`.
        kind: String,
    },
    /// Confirms an inferred start.
    Accept {
        /// `null` confirms all inferred starts.
        of: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum MarkPlaceDto {
    /// The reply to a turn's request, and the results of its calls.
    Turn {
        turn: u32,
    },
    Block {
        block: String,
    },
}

/// Asks for a view's marks after `edits`, without saving.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksRequest {
    pub view: ViewDto,
    /// The edits in the order of application. If one edit fails, the command applies none.
    pub edits: Vec<EditDto>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct EditMarksDto {
    pub before: MarksFileDto,
    pub after: MarksFileDto,
    pub changes: Vec<String>,
    /// A name to save `after` under: the overlay that was edited if it is the user's own, else an unused name.
    pub name: String,
    pub touched: Vec<String>,
}

/// The comparison of a session's inferred episodes with shuffled ones and with `window`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorthDto {
    pub revision: u32,
    /// True if `cwl` keeps more needed content than with shuffled ones, and no less than `window`; `null` if the session cannot tell.
    pub beats: Option<bool>,
    pub says: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksReportRequest {
    pub view: ViewDto,
    /// The old annotation, as in [`ViewDto::annotation`](super::ViewDto::annotation). `null` means `based_on` of the
    /// new marks, else `auto`.
    pub before: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct SaveMarksRequest {
    pub session: u32,
    pub name: String,
    /// A [`MarksFileDto`] as JSON.
    pub json: String,
    /// Fails if `name` is in use.
    #[serde(default)]
    pub fresh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct SavedMarksDto {
    pub name: String,
    pub n_episodes: u32,
    pub problems: Vec<MarkProblemDto>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct KeptMarksRequest {
    pub session: u32,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlaysDto {
    pub overlays: Vec<OverlayDto>,
}

/// Marks saved under a `name`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct OverlayDto {
    pub name: String,
    pub by: Option<String>,
    pub based_on: Option<String>,
    pub n_marks: u32,
    pub saved_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksJsonDto {
    /// A [`MarksFileDto`] as JSON.
    pub json: String,
}
