//! Stand-ins: texts a policy puts into a context to replace evicted content.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{Material, MessageIdx};

/// A fixed text that replaces an evicted output, or the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placeholder {
    Cleared,
    Duplicate,
    Superseded,
    /// Replaces the arguments of a call, whose result or placeholder stays.
    Arguments,
}

impl Placeholder {
    pub const ALL: [Self; 4] = [Self::Cleared, Self::Duplicate, Self::Superseded, Self::Arguments];

    pub fn text(self) -> &'static str {
        match self {
            Self::Cleared => "[old tool output cleared]",
            Self::Duplicate => "[the same output stands elsewhere in this context]",
            Self::Superseded => "[superseded: read or written again later in this context]",
            Self::Arguments => "[old arguments cleared]",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub before: MessageIdx,
    pub covers: Range<usize>,
    /// 0 if the summary covers messages, 1 if it covers summaries.
    pub depth: u32,
    /// Positions in [`Material::digest`], sorted by slot.
    pub lines: Arc<[u32]>,
    pub units: u64,
}

/// First line in every summary, so no reader mistakes it for a model's.
pub const SUMMARY_TITLE: &str = "[summary by fixed rules: no model wrote it]";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SummarySlot {
    Decisions,
    Facts,
    Open,
    Errors,
    Constraints,
}

impl SummarySlot {
    pub const ALL: [Self; 5] = [Self::Decisions, Self::Facts, Self::Open, Self::Errors, Self::Constraints];

    pub fn heading(self) -> &'static str {
        match self {
            Self::Decisions => "DECISIONS:",
            Self::Facts => "FACTS:",
            Self::Open => "OPEN:",
            Self::Errors => "ERRORS:",
            Self::Constraints => "CONSTRAINTS:",
        }
    }
}

impl Summary {
    /// Sorts the lines by slot and removes duplicates.
    ///
    /// The size adds up lines, headings and title, each counted separately with its line end.
    pub fn new(
        before: MessageIdx,
        covers: Range<usize>,
        depth: u32,
        mut lines: Vec<u32>,
        material: &Material,
    ) -> Self {
        lines.sort_unstable_by_key(|line| (material.digest[*line as usize].slot, *line));
        lines.dedup();
        let mut units = u64::from(material.title_units);
        let mut last = None;
        for line in &lines {
            let line = &material.digest[*line as usize];
            if last.replace(line.slot) != Some(line.slot) {
                units += u64::from(material.heading_units[line.slot as usize]);
            }
            units += u64::from(line.units);
        }
        Self { before, covers, depth, lines: lines.into(), units }
    }

    pub fn write_text(&self, material: &Material) -> String {
        let mut text = String::from(SUMMARY_TITLE);
        text.push('\n');
        let mut last = None;
        for line in &*self.lines {
            let Some(line) = material.digest.get(*line as usize) else { continue };
            if last.replace(line.slot) != Some(line.slot) {
                text.push_str(line.slot.heading());
                text.push('\n');
            }
            text.push_str(&line.as_text());
            text.push('\n');
        }
        text
    }
}
