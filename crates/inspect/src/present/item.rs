//! Items: blocks of a context, ghosts and residues, as rows of a list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use cwl_engine::{
    AnnotationSource, Author, BlockIdx, BlockKind, BlockPlace, EpisodeIdx, EvictionLevel, Fate, GoneReason,
    MessageIdx, MessageOrigin, RenderedContext, RenderedMessage, Role, Session, ToolClass,
};
use cwl_formats::read_call;

use crate::ApiError;
use crate::api::{ABOUT_CHARS, ContextItem, ContextItemKind, PREVIEW_CHARS};
use crate::figures::{saturate_u32, shorten_line, with_commas};
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::sentence;

#[derive(Debug, Clone, Copy)]
pub enum ContextRow<'a> {
    Block {
        message: MessageIdx,
        block: BlockIdx,
        episode: Option<EpisodeIdx>,
        fate: &'a Fate,
    },
    Residue {
        episode: EpisodeIdx,
        text: &'a str,
        tokens: u64,
    },
    /// A summary by fixed rules; `number` counts the context's summaries from 1.
    Summary {
        number: usize,
        before: MessageIdx,
        covers: &'a Range<usize>,
        text: &'a str,
        tokens: u64,
    },
}

impl ContextRow<'_> {
    pub fn block_idx(&self) -> Option<BlockIdx> {
        match self {
            ContextRow::Block { block, .. } => Some(*block),
            ContextRow::Residue { .. } | ContextRow::Summary { .. } => None,
        }
    }

    pub fn is_kept(&self) -> bool {
        match self {
            ContextRow::Block { fate, .. } => fate.is_kept(),
            ContextRow::Residue { .. } | ContextRow::Summary { .. } => true,
        }
    }

    /// Tells whether the row's text or a placeholder is sent.
    pub fn is_sent(&self) -> bool {
        self.is_kept() || matches!(self, ContextRow::Block { fate: Fate::Masked(..), .. })
    }

    pub fn row_name(&self, run: &ReplayRun) -> String {
        match self {
            ContextRow::Block { block, .. } => run.branch.session.blocks[block.at()].id.to_string(),
            ContextRow::Residue { episode, .. } => {
                format!("residue:{}", run.branch.growth.graph.episode(*episode).name)
            }
            ContextRow::Summary { number, .. } => format!("summary:{number}"),
        }
    }

    pub fn policy_text(&self) -> Option<&str> {
        match self {
            ContextRow::Residue { text, .. } | ContextRow::Summary { text, .. } => Some(text),
            ContextRow::Block { fate: Fate::Masked(placeholder, _), .. } => Some(placeholder.text()),
            ContextRow::Block { .. } => None,
        }
    }

    pub(crate) fn line_number(&self, opened: &SessionSnapshot, run: &ReplayRun) -> u64 {
        let session = &run.branch.session;
        match self {
            ContextRow::Block { block, .. } => opened.line_of(session, *block),
            ContextRow::Residue { episode, .. } => {
                opened.line_of(session, run.branch.growth.graph.episode(*episode).start)
            }
            ContextRow::Summary { before, .. } => session.messages[before.at()].line,
        }
    }

    pub(crate) fn sent_tokens(&self, run: &ReplayRun) -> u64 {
        match self {
            ContextRow::Block { fate: Fate::Masked(placeholder, _), .. } => {
                run.policy_table().tokens_from_units(run.policy_table().placeholder_units(*placeholder))
            }
            ContextRow::Block { fate: Fate::Gone(_), .. } => 0,
            _ => self.row_tokens(run),
        }
    }

    /// Returns the size in tokens, rounded up.
    pub fn row_tokens(&self, run: &ReplayRun) -> u64 {
        match self {
            ContextRow::Block { block, .. } => {
                run.policy_table().tokens_from_units(run.policy_table().units(*block))
            }
            ContextRow::Residue { tokens, .. } | ContextRow::Summary { tokens, .. } => *tokens,
        }
    }
}

/// Lists every block, residue and summary of `context` in model order.
pub fn context_rows(context: &RenderedContext) -> impl Iterator<Item = ContextRow<'_>> {
    let mut n_summaries = 0;
    context.messages.iter().flat_map(move |of_row| {
        n_summaries += usize::from(matches!(of_row.origin, MessageOrigin::Summary { .. }));
        let blocks = of_row.items.iter().filter_map(|item| {
            let MessageOrigin::Log(message) = of_row.origin else { return None };
            Some(ContextRow::Block { message, block: item.block, episode: item.episode, fate: &item.fate })
        });
        made_row(of_row, n_summaries).into_iter().chain(blocks)
    })
}

/// Returns the row for a message made by a policy; `None` for a message from the log. `number` counts summaries from 1.
fn made_row(message: &RenderedMessage, number: usize) -> Option<ContextRow<'_>> {
    let tokens = message.tokens;
    match &message.origin {
        MessageOrigin::Residue { episode, text } => {
            Some(ContextRow::Residue { episode: *episode, text, tokens })
        }
        MessageOrigin::Summary { before, covers, text, .. } => {
            Some(ContextRow::Summary { number, before: *before, covers, text, tokens })
        }
        MessageOrigin::Log(_) => None,
    }
}

#[derive(Debug, Clone, Copy)]
pub struct PageExtent {
    pub offset: u32,
    pub limit: u32,
    pub n_chars: usize,
}

impl PageExtent {
    pub const IN_FULL: Self = Self { offset: 0, limit: u32::MAX, n_chars: usize::MAX };
    /// Every item, with long texts truncated.
    pub const ALL: Self = Self::with_limit(0, u32::MAX);

    pub const fn with_limit(offset: u32, limit: u32) -> Self {
        Self { offset, limit, n_chars: PREVIEW_CHARS }
    }

    pub fn page<T>(self, rows: &[T]) -> &[T] {
        let rest = rows.get(self.offset as usize..).unwrap_or_default();
        &rest[..rest.len().min(self.limit as usize)]
    }
}

/// Converts rows to items, fetching their texts at once and truncating them after `n_chars`. `met` tells whether the
/// budget is met.
pub fn make_items(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    rows: &[ContextRow<'_>],
    n_chars: usize,
    met: bool,
) -> Result<Vec<ContextItem>, ApiError> {
    let session = &run.branch.session;
    let blocks = || rows.iter().filter_map(ContextRow::block_idx);
    let places: Vec<BlockPlace> = blocks().map(|block| SessionSnapshot::place_of(session, block)).collect();
    let mut subjects = call_subjects(opened, session, blocks())?;
    let mut texts = opened.texts.block_contents(&places)?.into_iter();
    let items = rows.iter().map(|row| match row {
        ContextRow::Block { block, .. } => {
            let text = texts.next().map(|content| content.text).unwrap_or_default();
            let CallSubject { path, about } = subjects.remove(block).unwrap_or_default();
            let about = about.map(|about| shorten_line(&about, ABOUT_CHARS));
            ContextItem { path, about, ..make_item(opened, run, row, &text, n_chars, met) }
        }
        // A text made by a policy can be read nowhere else, so it is not truncated.
        ContextRow::Residue { text, .. } | ContextRow::Summary { text, .. } => {
            make_item(opened, run, row, text, usize::MAX, met)
        }
    });
    Ok(items.collect())
}

#[derive(Debug, Clone, Default)]
pub struct CallSubject {
    pub path: Option<String>,
    /// One line, untruncated: a command, a search pattern, or the first text argument.
    pub about: Option<String>,
}

pub(crate) fn call_subjects(
    opened: &SessionSnapshot,
    session: &Session,
    blocks: impl Iterator<Item = BlockIdx>,
) -> Result<BTreeMap<BlockIdx, CallSubject>, ApiError> {
    let call_of = |block: BlockIdx| {
        let of_block = &session.blocks[block.at()];
        let at = if matches!(of_block.kind, BlockKind::Result(_)) { of_block.pair? } else { block };
        match &session.blocks[at.at()].kind {
            BlockKind::Call(call) => Some((block, at, &*call.name)),
            _ => None,
        }
    };
    let calls: Vec<(BlockIdx, BlockIdx, &str)> = blocks.filter_map(call_of).collect();
    let places: Vec<BlockPlace> =
        calls.iter().map(|(_, at, _)| SessionSnapshot::place_of(session, *at)).collect();
    let texts = opened.texts.block_contents(&places)?;
    let subjects = calls.iter().zip(texts).map(|((block, at, tool), content)| {
        let is_search = session.blocks[at.at()].class == Some(ToolClass::Search);
        let reading = read_call(tool, &content.text);
        let about = reading.subject_line(is_search).map(Cow::into_owned);
        (*block, CallSubject { path: reading.path_arguments().next().map(str::to_owned), about })
    });
    Ok(subjects.collect())
}

fn make_item(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    row: &ContextRow<'_>,
    text: &str,
    limit: usize,
    met: bool,
) -> ContextItem {
    let session = &run.branch.session;
    let (preview, n_chars) = preview_text(text, limit);
    let mut item = ContextItem {
        block: row.row_name(run),
        line: row.line_number(opened, run),
        kept: row.is_kept(),
        tokens: row.row_tokens(run),
        text: preview.to_owned(),
        n_chars,
        n_lines: saturate_u32(text.lines().count()),
        role: Role::User,
        author: Author::Harness,
        kind: ContextItemKind::Text,
        entry: String::new(),
        tool: None,
        failed: false,
        episode: None,
        level: None,
        reason: String::new(),
        evicted_turn: None,
        evicted_step: None,
        derived: false,
        placeholder: None,
        n_images: 0,
        path: None,
        about: None,
        first_turn: None,
        again_turn: None,
        difference: None,
    };
    match *row {
        ContextRow::Residue { episode, .. } => {
            let growth = &run.branch.growth;
            let name = &growth.graph.episode(episode).name;
            item.entry.clone_from(&item.block);
            item.kind = ContextItemKind::Residue;
            item.episode = Some(saturate_u32(episode.at()));
            let words = match growth.source_of(growth.graph.episode(episode)) {
                AnnotationSource::Declared | AnnotationSource::Filled => "in the agent's own words",
                AnnotationSource::Inferred => "in a sentence that this program took from the log",
                AnnotationSource::Written => "in the words of who marked the session",
            };
            item.reason = format!("stays: what {name} learned, {words}");
        }
        ContextRow::Summary { covers, .. } => {
            item.entry.clone_from(&item.block);
            item.kind = ContextItemKind::Summary;
            item.reason = format!(
                "stands for {} messages; made by fixed rules, no model wrote it",
                with_commas(covers.len() as u64)
            );
        }
        ContextRow::Block { message, block, episode, fate } => {
            let of_message = &session.messages[message.at()];
            let of_block = &session.blocks[block.at()];
            item.entry = of_message.entry.to_string();
            item.role = of_message.role;
            // A result that contains the human's words is the human's.
            let is_with_words = of_block.holds.human_words().is_some();
            item.author = if is_with_words { Author::Human } else { of_message.author };
            item.kind = (&of_block.kind).into();
            item.episode = episode.map(|idx| saturate_u32(idx.at()));
            item.reason = sentence::describe_fate(&run.branch, episode, fate, met, run.goes_by_graph());
            item.n_images = of_block.images;
            item.derived = run.is_derived(block);
            let of_call = || tool_of(&session.blocks[of_block.pair?.at()].kind);
            item.tool = tool_of(&of_block.kind)
                .or_else(of_call)
                .or_else(|| of_block.holds.defined_tool())
                .map(str::to_owned);
            item.failed = matches!(&of_block.kind, BlockKind::Result(result) if !result.ok);
            if let Fate::Masked(placeholder, _) = fate {
                item.placeholder = Some(placeholder.text().to_owned());
            }
            match fate {
                Fate::Gone(GoneReason::Evicted { action, turn, step, .. })
                | Fate::Masked(_, GoneReason::Evicted { action, turn, step, .. }) => {
                    item.level = action.level().map(EvictionLevel::number);
                    item.evicted_turn = Some(turn.number());
                    item.evicted_step = Some(saturate_u32(*step));
                }
                Fate::Gone(GoneReason::ArrivedStripped { level }) => item.level = Some(level.number()),
                Fate::Gone(GoneReason::Harness { .. } | GoneReason::Excluded)
                | Fate::Masked(..)
                | Fate::Kept(_) => {}
            }
        }
    }
    item
}

pub fn tool_of(kind: &BlockKind) -> Option<&str> {
    match kind {
        BlockKind::Call(call) => Some(&call.name),
        BlockKind::Result(result) => result.name.as_deref(),
        BlockKind::Text | BlockKind::Reasoning | BlockKind::Image | BlockKind::Opaque => None,
    }
}

/// Returns the first `limit` characters, and the length in characters.
pub fn preview_text(text: &str, limit: usize) -> (&str, u64) {
    let n_chars = text.chars().count() as u64;
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], n_chars),
        None => (text, n_chars),
    }
}
