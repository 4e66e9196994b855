//! Annotations: where the episodes of a graph come from, and marks as they are written down.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::AnnotationSourceDto;

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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarksFileDto {
    /// The name of who made them, a person or a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<String>,
    /// The name of who read the session, where that is told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// The episodes, in the order of the log.
    pub episodes: Vec<MarkDto>,
}

/// One episode as a reader marks it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkDto {
    /// Its name.
    pub name: String,
    /// Its kind: `expl` or `act`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The line of the log with its first block, from 1.
    pub first: u64,
    /// The line of the log with its last block.
    pub last: u64,
    /// The names of the earlier explorations that an act draws on.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// The text that says what an exploration found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
