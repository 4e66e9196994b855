//! Rows in exported lists and their texts, shared by all views.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{BlockIdx, BlockPlace, MessageIdx};
use cwl_inspect::figures::{saturate_u32, shorten_line};
use cwl_inspect::measure::branch::Branch;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::present::item::{ContextRow, call_subjects, preview_text};

use super::ExportProgress;
use super::clean::Cleaner;
use crate::ApiError;
use crate::dto::{ABOUT_CHARS, ExportedRowsDto, ExportedViewDto, ItemDto};

/// Longest text, in characters.
const MOST_CHARS: usize = 2000;
/// Shortest limit for a text, in characters.
const LEAST_CHARS: usize = 40;
/// Limit for all texts together, in characters.
const MOST_CHARS_IN_ALL: usize = 8_000_000;
const AT_ONCE: usize = 2000;

/// Identifies a row; keys sort like the rows in a context.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKey {
    Block(usize),
    /// A policy's text, before the block at this position in model order.
    Made(usize, MadeName),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MadeName {
    Residue(usize),
    Summary(usize, String),
}

impl RowKey {
    fn order_key(&self) -> (usize, u8, Option<&MadeName>) {
        match self {
            Self::Made(before, name) => (*before, 0, Some(name)),
            Self::Block(at) => (*at, 1, None),
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct WordTable {
    places: BTreeMap<String, u32>,
    words: Vec<String>,
}

impl WordTable {
    pub(super) fn place_word(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = saturate_u32(self.words.len());
        self.places.insert(word.to_owned(), place);
        self.words.push(word.to_owned());
        place
    }
}

pub(super) struct RowTable {
    branch: Arc<Branch>,
    /// Each block's position in model order.
    places: Vec<usize>,
    of_blocks: Vec<Option<usize>>,
    of_made: BTreeMap<RowKey, usize>,
    /// Rows by first appearance.
    items: Vec<(RowKey, ItemDto, Option<BlockIdx>)>,
    pub(super) words: WordTable,
}

impl RowTable {
    pub(super) fn new(branch: Arc<Branch>) -> Self {
        let session = &branch.session;
        let mut places = vec![0; session.blocks.len()];
        let ordered = session.model_order(session.messages.len()).into_iter();
        let blocks =
            ordered.flat_map(|message: MessageIdx| session.blocks_of(message).map(|(block, _)| block));
        for (place, block) in blocks.enumerate() {
            places[block.at()] = place;
        }
        let of_blocks = vec![None; places.len()];
        let (of_made, items, words) = (BTreeMap::new(), Vec::new(), WordTable::default());
        Self { branch, places, of_blocks, of_made, items, words }
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn row_blocks(&self) -> impl Iterator<Item = Option<BlockIdx>> {
        self.items.iter().map(|(.., block)| *block)
    }

    /// Key for a policy's text; `before` is the next block's position.
    pub(super) fn made_key(&self, row: &ContextRow<'_>, before: usize) -> RowKey {
        match row {
            ContextRow::Block { block, .. } => RowKey::Block(self.block_place(*block)),
            ContextRow::Residue { episode, .. } => RowKey::Made(before, MadeName::Residue(episode.at())),
            ContextRow::Summary { number, text, .. } => {
                RowKey::Made(before, MadeName::Summary(*number, (*text).to_owned()))
            }
        }
    }

    pub(super) fn block_place(&self, block: BlockIdx) -> usize {
        self.places[block.at()]
    }

    pub(super) fn known_row(&self, key: &RowKey) -> Option<usize> {
        match key {
            RowKey::Block(place) => self.of_blocks[*place],
            RowKey::Made(..) => self.of_made.get(key).copied(),
        }
    }

    /// Returns a row's number. `make` builds the row on its first appearance.
    pub(super) fn number_row(
        &mut self,
        key: RowKey,
        row: &ContextRow<'_>,
        make: impl FnOnce() -> ItemDto,
    ) -> usize {
        if let Some(number) = self.known_row(&key) {
            return number;
        }
        let number = self.items.len();
        self.items.push((key.clone(), make(), row.block_idx()));
        match key {
            RowKey::Block(place) => self.of_blocks[place] = Some(number),
            RowKey::Made(..) => {
                self.of_made.insert(key, number);
            }
        }
        number
    }

    /// Sorts the rows, redacts and shortens their texts, and renumbers the columns in `views`.
    pub(super) fn finish_table(
        mut self,
        opened: &SessionSnapshot,
        cleaner: &mut Cleaner,
        views: &mut [ExportedViewDto],
        left_out: &mut Vec<String>,
        work: &mut ExportProgress<'_>,
    ) -> Result<(ExportedRowsDto, Vec<String>), ApiError> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by(|a, b| self.items[*a].0.order_key().cmp(&self.items[*b].0.order_key()));
        let mut numbers = vec![0; order.len()];
        for (number, at) in order.iter().enumerate() {
            numbers[*at] = saturate_u32(number);
        }
        for view in views {
            view.derived.iter_mut().for_each(|row| *row = numbers[*row as usize]);
            view.derived.sort_unstable();
            view.derived.dedup();
            view.tokens.resize(order.len(), 0);
            view.spans.resize(order.len(), Vec::new());
            view.absences.resize(order.len(), (None, None));
            view.tokens = order.iter().map(|at| view.tokens[*at]).collect();
            view.absences = order.iter().map(|at| view.absences[*at]).collect();
            view.spans = order.iter().map(|at| std::mem::take(&mut view.spans[*at])).collect();
        }
        let mut rows = ExportedRowsDto::default();
        for some in order.chunks(AT_ONCE) {
            work.go_on(some.len() as u64)?;
            let session = &self.branch.session;
            let places: Vec<BlockPlace> = some
                .iter()
                .filter_map(|at| Some(SessionSnapshot::place_of(session, self.items[*at].2?)))
                .collect();
            let mut texts = opened.texts.block_contents(&places)?.into_iter();
            let subjects = call_subjects(opened, session, some.iter().filter_map(|at| self.items[*at].2))?;
            for at in some {
                let (_, item, block) = &self.items[*at];
                let text = match block {
                    Some(_) => texts.next().map(|content| content.text.to_string()).unwrap_or_default(),
                    None => item.text.clone(),
                };
                // The whole text is redacted before it is cut: half a secret does not match any pattern.
                let clean = cleaner.clean_text(&text);
                let (cut, n_chars) = preview_text(&clean, MOST_CHARS);
                let number = saturate_u32(rows.text.len());
                let words = &mut self.words;
                rows.block.push(cleaner.clean_text(&item.block));
                rows.entry.push(words.place_word(&item.entry));
                rows.line.push(item.line);
                rows.role.push(words.place_word(item.role.name()));
                rows.author.push(words.place_word(item.author.name()));
                rows.kind.push(words.place_word(item.kind.name()));
                rows.tool.push(item.tool.as_deref().map(|tool| words.place_word(tool)));
                let subject = block.and_then(|block| subjects.get(&block));
                rows.path.push(
                    subject.and_then(|subject| subject.path.as_deref()).map(|path| words.place_word(path)),
                );
                // Redacted in full before the cut, like a text.
                let about = subject.and_then(|subject| subject.about.as_deref());
                let about = about.map(|about| shorten_line(&cleaner.clean_text(about), ABOUT_CHARS));
                rows.about.push(about.map(|about| words.place_word(&about)));
                if item.failed {
                    rows.failed.push(number);
                }
                rows.episode.push(item.episode);
                rows.n_chars.push(n_chars);
                rows.n_lines.push(saturate_u32(clean.lines().count()));
                rows.n_images.push(item.n_images);
                rows.text.push(cut.to_owned());
            }
        }
        rows.in_log_order = self.in_log_order(&order);
        let limit = text_limit(&rows.n_chars);
        let n_cut = rows.n_chars.iter().filter(|n_chars| **n_chars > limit as u64).count();
        for text in &mut rows.text {
            let end = preview_text(text, limit).0.len();
            text.truncate(end);
            text.shrink_to_fit();
        }
        if n_cut > 0 {
            left_out.push(format!(
                "of {} texts of blocks only the first {} characters are in here",
                cwl_inspect::figures::with_commas(n_cut as u64),
                cwl_inspect::figures::with_commas(limit as u64)
            ));
        }
        let words = self.words.words.iter().map(|word| cleaner.clean_text(word)).collect();
        Ok((rows, words))
    }
}

impl RowTable {
    /// Permutation of the ordered rows into log order, a policy's texts first. `None` if they are
    /// in log order already.
    fn in_log_order(&self, order: &[usize]) -> Option<Vec<u32>> {
        let block = |row: &u32| order.get(*row as usize).and_then(|at| self.items[*at].2);
        let mut rows: Vec<u32> = (0u32..).take(order.len()).collect();
        rows.sort_by_key(block);
        let made_by_policies = rows.iter().take_while(|row| block(row).is_none()).count();
        (!rows[made_by_policies..].is_sorted()).then_some(rows)
    }
}

/// Longest length per text so that the total stays within the limit; short texts leave room for others.
fn text_limit(n_chars: &[u64]) -> usize {
    let mut sizes: Vec<usize> =
        n_chars.iter().map(|n| usize::try_from(*n).unwrap_or(usize::MAX).min(MOST_CHARS)).collect();
    sizes.sort_unstable();
    let mut room = MOST_CHARS_IN_ALL;
    for (at, size) in sizes.iter().enumerate() {
        let each = room / (sizes.len() - at);
        if *size > each {
            return each.clamp(LEAST_CHARS, MOST_CHARS);
        }
        room -= size;
    }
    MOST_CHARS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_what_room_there_is() {
        let check = |sizes: &[(usize, u64)], expected: usize| {
            let sizes: Vec<u64> = sizes.iter().flat_map(|(n, size)| vec![*size; *n]).collect();
            assert_eq!(text_limit(&sizes), expected);
        };
        check(&[], MOST_CHARS);
        check(&[(10, 5_000_000)], MOST_CHARS);
        // A thousand short texts leave unused room to the others.
        check(&[(8_000, 1000)], MOST_CHARS);
        check(&[(8_000, 100), (10_000, 2_000)], 720);
        check(&[(1_000_000, 500)], LEAST_CHARS);
    }
}
