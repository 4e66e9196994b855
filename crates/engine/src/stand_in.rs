//! Stand-ins: what a policy itself puts into a context, in place of what it takes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{Material, MessageIdx};

/// A text of fixed wording that stands in place of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placeholder {
    /// An old output was cleared.
    Cleared,
    /// Another output says the same.
    Duplicate,
    /// The same was read or written again later.
    Superseded,
}

impl Placeholder {
    /// All placeholders.
    pub const ALL: [Self; 3] = [Self::Cleared, Self::Duplicate, Self::Superseded];

    /// Returns its text.
    pub fn text(self) -> &'static str {
        match self {
            Self::Cleared => "[old tool output cleared]",
            Self::Duplicate => "[the same output stands elsewhere in this context]",
            Self::Superseded => "[superseded: read or written again later in this context]",
        }
    }
}

/// A message made by fixed rules from what it stands for: no model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The message it stands before.
    pub before: MessageIdx,
    /// The messages it covers, from the first to before the last.
    pub covers: Range<usize>,
    /// 0 is a summary of messages, 1 a summary of summaries.
    pub depth: u32,
    /// The lines, as places in [`Material::digest`], slot by slot.
    pub lines: Arc<[u32]>,
    /// Size in units.
    pub units: u64,
}

/// The first line of every summary this program makes, so no reader takes it for a model's.
pub const SUMMARY_TITLE: &str = "[summary by fixed rules: no model wrote it]";

/// The kind of a line in a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SummarySlot {
    /// Choices made, with their reasons.
    Decisions,
    /// Facts that were established.
    Facts,
    /// Work that is not finished.
    Open,
    /// Failures that were seen.
    Errors,
    /// Rules that must still hold.
    Constraints,
}

impl SummarySlot {
    /// All slots in the order of a summary.
    pub const ALL: [Self; 5] = [Self::Decisions, Self::Facts, Self::Open, Self::Errors, Self::Constraints];

    /// Returns the heading.
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
    /// Makes a summary of lines, which are put in the order of their slots.
    ///
    /// Its size is that of its lines, its headings and its title, each counted on its own with its line end.
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

    /// Writes it out.
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
