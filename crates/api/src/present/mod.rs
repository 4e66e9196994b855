//! Results as rows and sentences for people.

pub(crate) mod annotation;
pub(crate) mod cues;
pub(crate) mod diff;
pub(crate) mod frontier;
pub(crate) mod hidden;
pub(crate) mod item;
pub(crate) mod consumers;
pub(crate) mod quality;
pub(crate) mod pieces;
pub(crate) mod sentence;
pub(crate) mod story;
mod blame;
pub(crate) mod marks_effect;
pub(crate) mod trace;
pub(crate) mod verdict;
pub(crate) mod work;
