//! Rows: what lists are made of, once for all views, and the words that they share.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{BlockIdx, MessageIdx};
use cwl_store::BlockPlace;

use super::clean::Cleaner;
use crate::ApiError;
use crate::dto::{ExportedRowsDto, ExportedViewDto, ItemDto};
use crate::item::Row;
use crate::opened::{Branch, Opened};
use crate::view::BranchKey;

/// How much of a text is kept at the most, characters.
const MOST_CHARS: usize = 1000;
/// How much of a text is kept at the least.
const LEAST_CHARS: usize = 40;
/// How much all texts may have together, characters.
const MOST_CHARS_IN_ALL: usize = 4_000_000;
/// So many texts are fetched at once.
const AT_ONCE: usize = 2000;

/// What a row is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RowKey {
    /// What a policy made, by its name; it stands before the block of a place in model order.
    Made { before: usize, name: String },
    /// A block, by its place in model order.
    Block(usize),
}

impl RowKey {
    /// Rows in the order in which a context has them.
    fn order(&self) -> (usize, u8, &str) {
        match self {
            Self::Made { before, name } => (*before, 0, name),
            Self::Block(at) => (*at, 1, ""),
        }
    }
}

/// Words, each once.
#[derive(Debug, Default)]
pub(super) struct Words {
    places: BTreeMap<String, u32>,
    words: Vec<String>,
}

impl Words {
    pub(super) fn place(&mut self, word: &str) -> u32 {
        if let Some(place) = self.places.get(word) {
            return *place;
        }
        let place = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        self.places.insert(word.to_owned(), place);
        self.words.push(word.to_owned());
        place
    }
}

/// All rows of an export, as views find them.
pub(super) struct RowTable {
    branch: Arc<Branch>,
    /// The place of each block in model order.
    places: Vec<usize>,
    /// The rows, in the order in which they were met.
    numbers: BTreeMap<RowKey, usize>,
    items: Vec<(RowKey, ItemDto, Option<BlockIdx>)>,
    pub(super) words: Words,
}

impl RowTable {
    pub(super) fn new(opened: &Opened, branch: BranchKey) -> Self {
        let branch = opened.branch(branch);
        let session = &branch.session;
        let mut places = vec![0; session.blocks.len()];
        let ordered = session.model_order(session.messages.len()).into_iter();
        let blocks =
            ordered.flat_map(|message: MessageIdx| session.blocks_of(message).map(|(block, _)| block));
        for (place, block) in blocks.enumerate() {
            places[block.at()] = place;
        }
        Self { branch, places, numbers: BTreeMap::new(), items: Vec::new(), words: Words::default() }
    }

    pub(super) fn branch(&self) -> &Branch {
        &self.branch
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the key of a row; `before` is the place of the next block in model order.
    pub(super) fn key(&self, row: &Row<'_>, before: usize) -> RowKey {
        match row {
            Row::Block { block, .. } => RowKey::Block(self.places[block.at()]),
            Row::Residue { episode, .. } => {
                RowKey::Made { before, name: format!("residue:{}", episode.at()) }
            }
            Row::Summary { number, text, .. } => {
                RowKey::Made { before, name: format!("summary:{number}:{text}") }
            }
        }
    }

    /// Returns the place of a block in model order.
    pub(super) fn place(&self, block: BlockIdx) -> usize {
        self.places[block.at()]
    }

    /// Returns the number of a row, which `make` makes when it is met for the first time.
    pub(super) fn number(&mut self, key: RowKey, row: &Row<'_>, make: impl FnOnce() -> ItemDto) -> usize {
        if let Some(number) = self.numbers.get(&key) {
            return *number;
        }
        let number = self.items.len();
        let block = match row {
            Row::Block { block, .. } => Some(*block),
            Row::Residue { .. } | Row::Summary { .. } => None,
        };
        self.items.push((key.clone(), make(), block));
        self.numbers.insert(key, number);
        number
    }

    /// Brings the rows in order, their texts clean and cut, and the columns of the views with them.
    pub(super) fn finish(
        mut self,
        opened: &Opened,
        cleaner: &mut Cleaner,
        views: &mut [ExportedViewDto],
        left_out: &mut Vec<String>,
    ) -> Result<(ExportedRowsDto, Vec<String>), ApiError> {
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by(|a, b| self.items[*a].0.order().cmp(&self.items[*b].0.order()));
        for view in views {
            view.tokens.resize(order.len(), 0);
            view.spans.resize(order.len(), Vec::new());
            view.tokens = order.iter().map(|at| view.tokens[*at]).collect();
            view.spans = order.iter().map(|at| std::mem::take(&mut view.spans[*at])).collect();
        }
        let limit = (MOST_CHARS_IN_ALL / order.len().max(1)).clamp(LEAST_CHARS, MOST_CHARS);
        let mut rows = ExportedRowsDto::default();
        let mut n_cut = 0usize;
        for some in order.chunks(AT_ONCE) {
            let session = &self.branch.session;
            let places: Vec<BlockPlace> =
                some.iter().filter_map(|at| Some(Opened::place_of(session, self.items[*at].2?))).collect();
            let mut texts = opened.texts.contents(&places)?.into_iter();
            for at in some {
                let (_, item, block) = &self.items[*at];
                let text = match block {
                    Some(_) => texts.next().map(|content| content.text.to_string()).unwrap_or_default(),
                    None => item.text.clone(),
                };
                // The whole is redacted, and then cut: half a secret has not the form of one.
                let clean = cleaner.text(&text);
                let (cut, n_chars) = cut_after(&clean, limit);
                n_cut += usize::from(cut.len() < clean.len());
                let number = u32::try_from(rows.text.len()).unwrap_or(u32::MAX);
                let words = &mut self.words;
                rows.block.push(cleaner.text(&item.block));
                rows.entry.push(words.place(&item.entry));
                rows.line.push(item.line);
                rows.role.push(words.place(&item.role));
                rows.author.push(words.place(&item.author));
                rows.kind.push(words.place(&item.kind));
                rows.tool.push(item.tool.as_deref().map(|tool| words.place(tool)));
                if item.failed {
                    rows.failed.push(number);
                }
                rows.episode.push(item.episode);
                rows.n_chars.push(n_chars);
                rows.n_lines.push(u32::try_from(clean.lines().count()).unwrap_or(u32::MAX));
                rows.n_images.push(item.n_images);
                rows.text.push(cut.to_owned());
            }
        }
        if n_cut > 0 {
            left_out.push(format!(
                "of {} texts of blocks only the first {} characters are in here",
                crate::grouped(n_cut as u64),
                crate::grouped(limit as u64)
            ));
        }
        let words = self.words.words.iter().map(|word| cleaner.text(word)).collect();
        Ok((rows, words))
    }
}

/// Returns the first characters of a text, and how many it has in all.
fn cut_after(text: &str, limit: usize) -> (&str, u64) {
    let n_chars = text.chars().count() as u64;
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], n_chars),
        None => (text, n_chars),
    }
}
