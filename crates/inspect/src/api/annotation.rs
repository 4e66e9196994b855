//! Annotations: the source of a graph's episodes, and marks in their file format.

use cwl_engine::AnnotationSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct AnnotationOrigin {
    pub source: AnnotationSource,
    /// The overlay, or the file with marks, if `source` is `written`.
    pub name: Option<String>,
    pub by: Option<String>,
    pub says: String,
    pub note: Option<String>,
    pub problems: Vec<MarkProblem>,
}

impl Default for AnnotationOrigin {
    fn default() -> Self {
        let source = AnnotationSource::Declared;
        Self { source, name: None, by: None, says: String::new(), note: None, problems: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarkProblem {
    pub mark: u32,
    pub name: String,
    pub line: u64,
    pub message: String,
}

/// Marks in the format of `cwl annotate` files: episodes given by log lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct MarksFile {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub guide_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub brief_hash: Option<String>,
    pub episodes: Vec<FileMark>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct FileMark {
    pub name: String,
    /// `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
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

/// A change of an annotation. Episodes are named as in [`EpisodeNode::name`](super::EpisodeNode::name).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum MarkEdit {
    Retype {
        of: String,
        kind: String,
    },
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
        at: EditPlace,
    },
    End {
        of: String,
        at: EditPlace,
    },
    Split {
        of: String,
        at: EditPlace,
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
    Add {
        /// A stretch name such as `~1`.
        stretch: String,
        name: String,
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
pub enum EditPlace {
    /// The reply to a turn's request, and the results of its calls.
    Turn {
        turn: u32,
    },
    Block {
        block: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct WorthAnswer {
    pub revision: u32,
    /// True if `cwl` keeps more needed content than with shuffled ones, and no less than `window`; `null` if the session cannot tell.
    pub beats: Option<bool>,
    pub says: Option<String>,
}
