//! A log's texts, and what is computed from each text once: token counts, facts, matches and media.

pub mod log_texts;
pub mod counter;
pub mod counts;
pub mod facts;
pub mod fitted;
pub mod matches;
pub mod media;
pub mod openings;
pub mod picture;
