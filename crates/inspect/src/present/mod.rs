//! Results as rows and sentences for people.

pub mod annotation;
pub(crate) mod compaction;
pub mod cues;
pub mod diagnostic;
pub mod diff;
pub mod frontier;
pub mod hidden;
pub mod item;
pub mod consumers;
pub mod quality;
pub(crate) mod recall_question;
pub mod pieces;
pub mod sentence;
pub mod story;
mod blame;
pub mod marks_effect;
pub mod trace;
pub mod verdict;
pub mod work;
