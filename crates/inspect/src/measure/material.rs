//! Builds the [`Material`] of a branch from its texts, for policies and measures.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use cwl_engine::{
    BlockFacts, BlockIdx, BlockKind, BlockPlace, DigestBuilder, DigestLine, Facts, FoundNames, Material,
    NamesBuilder, NumbersBuilder, SUMMARY_TITLE, Session, SummarySlot, TurnIdx,
};
use cwl_formats::read_call;
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::figures::saturate_u32;
use crate::measure::branch::Branch;
use crate::tables::models::WindowTable;
use crate::texts::counts::Counts;
use crate::texts::log_texts::Texts;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScanDepth {
    /// Everything except the digest, which stays empty.
    Names,
    /// Also the digest: candidate lines for summaries, with their sizes.
    Digest,
}

pub(crate) struct BranchTexts {
    pub material: Arc<Material>,
    /// The facts needed by quality rules. The facts needed by inference take longer.
    pub(crate) deeds: Arc<Facts>,
}

/// Builds the material in `depth`, and the facts about calls, in one pass over the texts. `cwd` is the session's
/// working directory.
pub(crate) fn build_material(
    branch: &Branch,
    (texts, counts): (&Texts, &Counts),
    cwd: Option<&str>,
    tokenizer: Tokenizer,
    depth: ScanDepth,
    windows: &WindowTable,
) -> Result<BranchTexts, ApiError> {
    let session = &branch.session;
    let mut names = NamesBuilder::new(session, cwd);
    let mut numbers = NumbersBuilder::new(session);
    let mut digest = (depth == ScanDepth::Digest).then(|| DigestBuilder::new(session, &branch.growth));
    let nothing = Arc::new(BlockFacts::default());
    let mut deeds = vec![nothing; session.blocks.len()];
    let mut outputs: Vec<Option<OutputFingerprint>> = vec![None; session.blocks.len()];
    let state = RandomState::new();
    scan_texts(session, texts, |block, text| {
        let row = &session.blocks[block.at()];
        let kind = &row.kind;
        let reading = match kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        if matches!(kind, BlockKind::Call(_) | BlockKind::Text) {
            let class = session.message_of(block).class;
            deeds[block.at()] = Arc::new(BlockFacts::of_deeds(row, class, text, reading.as_ref()));
        }
        names.add_block(block, text, reading.as_ref());
        numbers.add_block(block, text);
        if let Some(digest) = &mut digest {
            digest.add_block(block, text, reading.as_ref());
        }
        if matches!(kind, BlockKind::Call(_) | BlockKind::Result(_)) && !text.is_empty() {
            let is_call = matches!(kind, BlockKind::Call(_));
            outputs[block.at()] = Some((text.len(), state.hash_one((is_call, text))));
        }
    })?;
    let FoundNames { names, uses, changes, lost } = names.finish();
    let (lines, plans) = digest.map(DigestBuilder::finish).unwrap_or_default();
    // Each line is counted with its line end, as in a summary.
    let fixed =
        std::iter::once(SUMMARY_TITLE).chain(SummarySlot::ALL.map(SummarySlot::heading)).map(str::to_owned);
    let all: Vec<String> = match depth {
        ScanDepth::Names => Vec::new(),
        ScanDepth::Digest => {
            fixed.chain(lines.iter().map(DigestLine::as_text)).map(|line| format!("{line}\n")).collect()
        }
    };
    let mut units = counts.count_texts(tokenizer, &all)?.into_iter();
    let mut next = || units.next().unwrap_or(0);
    let material = Material {
        title_units: next(),
        heading_units: SummarySlot::ALL.map(|_| next()),
        digest: lines.into_iter().map(|line| line.with_units(next())).collect(),
        plans,
        alike: alike_outputs(&outputs),
        names,
        uses,
        changes,
        numbers: numbers.finish(),
        lost,
        windows: model_windows(session, windows),
    };
    Ok(BranchTexts { material: Arc::new(material), deeds: Arc::new(Facts::new(deeds)) })
}

/// Lists the context windows of the models asked, each with the turn from which it applies. A turn without a reply asks
/// the previous model.
fn model_windows(session: &Session, table: &WindowTable) -> Vec<(TurnIdx, Option<u64>)> {
    let mut windows: Vec<(TurnIdx, Option<u64>)> = Vec::new();
    let mut known: Option<&str> = None;
    for (number, turn) in (1u32..).zip(&session.turns) {
        let Some(model) = turn.message.and_then(|message| session.messages[message.at()].model.as_deref())
        else {
            continue;
        };
        if known.replace(model) != Some(model) {
            windows.push((TurnIdx::new(number), table.window_of(Some(model))));
        }
    }
    // Turns before the first reply that names a model ask that model, too.
    if let Some(first) = windows.first_mut() {
        first.0 = TurnIdx::new(1);
    }
    windows
}

/// The length in bytes and the hash of an output, or of a call's name and arguments. The hash key is random, so no log can contain crafted collisions.
type OutputFingerprint = (usize, u64);

/// Returns for each block 1 + the index of the first block with an equal output or call, or 0 if it is neither.
fn alike_outputs(outputs: &[Option<OutputFingerprint>]) -> Vec<u64> {
    let mut firsts: HashMap<OutputFingerprint, u64> = HashMap::new();
    outputs
        .iter()
        .zip(1..)
        .map(|(output, number)| output.map_or(0, |output| *firsts.entry(output).or_insert(number)))
        .collect()
}

/// Calls `visit` with the text of every block that can be in a context, in log order.
pub fn scan_texts(
    session: &Session,
    texts: &Texts,
    mut visit: impl FnMut(BlockIdx, &str),
) -> Result<(), ApiError> {
    let seq = |at: usize| saturate_u32(at);
    let mut blocks: Vec<(BlockPlace, BlockIdx)> = (0..session.blocks.len())
        .map(BlockIdx::new)
        .filter(|block| !session.is_excluded(*block))
        .map(|block| {
            let row = &session.blocks[block.at()];
            (BlockPlace { seq: seq(row.event.at()), part: row.part }, block)
        })
        .collect();
    blocks.sort_unstable();
    let mut blocks = blocks.into_iter().peekable();
    texts.scan_blocks(|at, text| {
        while blocks.next_if(|(place, _)| *place < at).is_some() {}
        while let Some((_, block)) = blocks.next_if(|(place, _)| *place == at) {
            visit(block, text);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_outputs_share_the_place_of_the_first() {
        let state = RandomState::new();
        let print = |text: &&str| (!text.is_empty()).then(|| (text.len(), state.hash_one(text)));
        let check = |texts: &[&str], expected: &[u64]| {
            assert_eq!(alike_outputs(&texts.iter().map(print).collect::<Vec<_>>()), expected);
        };
        check(&["a", "b", "a", "", "b", "a"], &[1, 2, 1, 0, 2, 1]);
        check(&["", ""], &[0, 0]);
        check(&[], &[]);
    }
}
