//! Extract: chooses a summary's lines from the evicted blocks' digest.

use alloc::vec::Vec;

use crate::{BlockIdx, DigestLine, Material, Pass, SummarySlot};

/// Slots by priority: standing rules and unfinished work first.
const SERVED: [SummarySlot; 5] = [
    SummarySlot::Constraints,
    SummarySlot::Open,
    SummarySlot::Decisions,
    SummarySlot::Errors,
    SummarySlot::Facts,
];

/// Lines from evicted blocks per slot, newest last.
///
/// A summary takes constraints and open items, newest first, up to half its size, and then one line from
/// every slot in turn until nothing more fits. Excluded are older copies of equal lines, all plans but the
/// newest, answered questions, and lines from blocks the harness removed.
pub(super) struct Extract<'a> {
    material: &'a Material,
    first_lines: Vec<u32>,
    /// Positions in [`Material::digest`].
    slots: [Vec<u32>; 5],
}

impl<'a> Extract<'a> {
    pub(super) fn new(material: &'a Material, n_blocks: usize) -> Self {
        let mut first_lines = Vec::with_capacity(n_blocks + 1);
        for (number, line) in (0u32..).zip(&material.digest) {
            first_lines.resize((line.block.at() + 1).min(n_blocks).max(first_lines.len()), number);
        }
        first_lines.resize(n_blocks + 1, u32::try_from(material.digest.len()).unwrap_or(u32::MAX));
        Self { material, first_lines, slots: Default::default() }
    }

    pub(super) fn add_block(&mut self, block: BlockIdx) {
        (self.first_lines[block.at()]..self.first_lines[block.at() + 1]).for_each(|line| self.add_line(line));
    }

    pub(super) fn add_line(&mut self, line: u32) {
        let slot = &mut self.slots[self.material.digest[line as usize].slot as usize];
        let in_order = slot.last().is_none_or(|last| *last < line);
        slot.push(line);
        if !in_order {
            slot.sort_unstable();
            slot.dedup();
        }
    }

    pub(super) fn drop_newest(&mut self, counts: impl Fn(BlockIdx) -> bool) {
        for slot in &mut self.slots {
            while slot.pop_if(|line| !counts(self.material.digest[*line as usize].block)).is_some() {}
        }
    }

    pub(super) fn clear_lines(&mut self) {
        self.slots.iter_mut().for_each(Vec::clear);
    }

    /// Chooses lines for a summary of at most `size` units, title and headings included.
    ///
    /// Lines that no longer count are dropped, so each is visited once.
    pub(super) fn choose_lines(
        &mut self,
        size: u64,
        pass: &Pass<'_>,
        counts: impl Fn(BlockIdx) -> bool,
    ) -> Vec<u32> {
        let plan = newest_plan(self.material, pass);
        let mut choice = Choice {
            material: self.material,
            units: self.material.title_units.into(),
            lines: Default::default(),
            prints: Default::default(),
        };
        let counts = |line: &DigestLine| {
            let is_old_plan =
                plan != Some(line.block) && self.material.plans.binary_search(&line.block).is_ok();
            let is_answered = line.until.is_some_and(|answer| pass.state(answer).has_arrived());
            !is_old_plan && !is_answered && !pass.state(line.block).is_dropped() && counts(line.block)
        };
        for slot in &SERVED[..2] {
            while choice.take_newest(*slot, &mut self.slots[*slot as usize], size / 2, &counts) {}
        }
        let mut hungry = SERVED.to_vec();
        while !hungry.is_empty() {
            hungry.retain(|slot| choice.take_newest(*slot, &mut self.slots[*slot as usize], size, &counts));
        }
        let lines = choice.lines;
        for (slot, taken) in self.slots.iter_mut().zip(&lines) {
            slot.extend(taken.iter().rev());
        }
        // Oldest first, as in a summary.
        lines.iter().flat_map(|taken| taken.iter().rev()).copied().collect()
    }
}

struct Choice<'a> {
    material: &'a Material,
    units: u64,
    lines: [Vec<u32>; 5],
    prints: [Vec<u64>; 5],
}

impl Choice<'_> {
    /// Takes the newest line that counts; returns `false` if it does not fit or none is left.
    fn take_newest(
        &mut self,
        slot: SummarySlot,
        from: &mut Vec<u32>,
        size: u64,
        counts: &impl Fn(&DigestLine) -> bool,
    ) -> bool {
        while let Some(popped) = from.pop() {
            let line = &self.material.digest[popped as usize];
            let same = |known: &u32| self.material.digest[*known as usize].text == line.text;
            let is_known = self.prints[slot as usize].contains(&line.print)
                && self.lines[slot as usize].iter().any(same);
            if is_known || !counts(line) {
                continue;
            }
            let heading = if self.lines[slot as usize].is_empty() {
                self.material.heading_units[slot as usize]
            } else {
                0
            };
            // At least one unit, so a summary stays finite whatever the counter returns.
            let units = self.units + u64::from(line.units.max(1)) + u64::from(heading);
            if units > size {
                from.push(popped);
                return false;
            }
            self.units = units;
            self.lines[slot as usize].push(popped);
            self.prints[slot as usize].push(line.print);
            return true;
        }
        false
    }
}

fn newest_plan(material: &Material, pass: &Pass<'_>) -> Option<BlockIdx> {
    let known = material.plans.partition_point(|plan| pass.state(*plan).has_arrived());
    material.plans[..known].iter().rev().copied().find(|plan| !pass.state(*plan).is_dropped())
}
