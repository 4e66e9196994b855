//! The diff between the context at a cut and another context.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::Cut;
use similar::{ChangeTag, TextDiff};

use crate::ApiError;
use crate::api::{
    ContextItem, DiffAgainst, DiffAnswer, DiffChange, DiffWords, ItemDiff, ViewCut, ViewSettings,
};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::moment::CutContext;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;
use crate::present::diff::{RowPair, keyed_rows, pair_rows};
use crate::present::item::{ContextRow, PageExtent, make_items};

const COMPARED_CHARS: usize = 20_000;
/// After this time a word diff continues with larger pieces.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(100);

pub(crate) struct Sides {
    pub a: (ReplayRun, std::sync::Arc<CutContext>),
    pub b: (ReplayRun, std::sync::Arc<CutContext>),
    says: String,
}

impl Sides {
    pub(crate) fn render(
        opened: &SessionSnapshot,
        view: &ViewSettings,
        cut: ViewCut,
        against: &DiffAgainst,
    ) -> Result<Self, ApiError> {
        let run = opened.replay_view(view)?;
        let at = run.clamp_cut(cut);
        let (other, other_cut, says) = other_side(opened, view, &run, at, against)?;
        let (there, here) = (opened.context_at_cut(&other, other_cut)?, opened.context_at_cut(&run, cut)?);
        Ok(Self { a: (other, there), b: (run, here), says })
    }
}

#[derive(Debug, Clone, Copy)]
struct DiffListRow {
    first: usize,
    n: usize,
}

fn list_pairs(pairs: &[RowPair], is_open: impl Fn(&RowPair) -> bool) -> Vec<DiffListRow> {
    let mut out = Vec::new();
    for run in pairs.chunk_by(|a, b| a.change == DiffChange::Same && b.change == DiffChange::Same) {
        let first = out.last().map_or(0, |last: &DiffListRow| last.first + last.n);
        if run.len() > 1 && !run.first().is_some_and(&is_open) {
            out.push(DiffListRow { first, n: run.len() });
        } else {
            out.extend((first..first + run.len()).map(|first| DiffListRow { first, n: 1 }));
        }
    }
    out
}

struct AlignedRows<'a> {
    a: Vec<ContextRow<'a>>,
    b: Vec<ContextRow<'a>>,
    pairs: Vec<RowPair>,
    listed: Vec<DiffListRow>,
}

impl<'a> AlignedRows<'a> {
    fn pair_rows(sides: &'a Sides, open: &[String]) -> Self {
        let ((run_a, at_a), (run_b, at_b)) = (&sides.a, &sides.b);
        let ((a, keys_a), (b, keys_b)) = (keyed_rows(run_a, at_a), keyed_rows(run_b, at_b));
        let pairs = pair_rows(&keys_a, &keys_b);
        let open: BTreeSet<&str> = open.iter().map(String::as_str).collect();
        let is_open = |pair: &RowPair| pair.b.is_some_and(|at| open.contains(b[at].row_name(run_b).as_str()));
        let listed = list_pairs(&pairs, is_open);
        Self { a, b, pairs, listed }
    }
}

pub(crate) fn visit_rows(
    sides: &Sides,
    open: &[String],
    mut visit: impl FnMut(usize, &ReplayRun, &ContextRow<'_>),
) {
    let aligned = AlignedRows::pair_rows(sides, open);
    for (index, row) in aligned.listed.iter().enumerate().filter(|(_, row)| row.n == 1) {
        let pair = aligned.pairs[row.first];
        match (pair.a, pair.b) {
            (Some(at), _) if pair.change == DiffChange::Removed => visit(index, &sides.a.0, &aligned.a[at]),
            (_, Some(at)) => visit(index, &sides.b.0, &aligned.b[at]),
            _ => {}
        }
    }
}

/// Returns the differences between the context at a cut and another one. Runs of equal blocks are expanded if
/// their first block is in `open`.
///
/// # Errors
/// If a view is invalid, or the log's texts cannot be read.
pub(crate) fn diff_contexts(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    cut: ViewCut,
    against: &DiffAgainst,
    open: &[String],
    extent: PageExtent,
) -> Result<DiffAnswer, ApiError> {
    let sides = Sides::render(opened, view, cut, against)?;
    let ((run_a, at_a), (run_b, at_b)) = (&sides.a, &sides.b);
    let aligned = AlignedRows::pair_rows(&sides, open);
    let AlignedRows { pairs, listed, .. } = &aligned;
    let sent = |pair: &RowPair| {
        let a = pair.a.map_or(0, |at| aligned.a[at].sent_tokens(run_a));
        let b = pair.b.map_or(0, |at| aligned.b[at].sent_tokens(run_b));
        (a, b)
    };
    let (mut added, mut removed) = (0, 0);
    let mut n_of = BTreeMap::new();
    for pair in pairs {
        *n_of.entry(pair.change).or_insert(0u32) += 1;
        if pair.change != DiffChange::Same {
            let (was, is) = sent(pair);
            (added, removed) = (added + is, removed + was);
        }
    }
    let n = |change| n_of.get(&change).copied().unwrap_or(0);
    let page = extent.page(listed);
    let mut texts = PageTexts::load(opened, &sides, &aligned, page, extent)?;
    let mut items = Vec::with_capacity(page.len());
    for listed in page {
        let of_run = &pairs[listed.first..listed.first + listed.n];
        let tokens = of_run.iter().map(|pair| match (pair.change, sent(pair)) {
            (DiffChange::Removed, (was, _)) => was,
            (_, (_, is)) => is,
        });
        items.extend(texts.pair_item(&pairs[listed.first], saturate_u32(listed.n), tokens.sum()));
    }
    let changes = listed.iter().enumerate().filter(|(_, row)| pairs[row.first].change != DiffChange::Same);
    let overhead = |moment: &CutContext| i64::try_from(moment.context.overhead).unwrap_or(i64::MAX);
    Ok(DiffAnswer {
        revision: opened.revision(),
        against: sides.says.clone(),
        before: at_a.context.total,
        after: at_b.context.total,
        overhead: overhead(at_b) - overhead(at_a),
        added,
        removed,
        n_added: n(DiffChange::Added),
        n_removed: n(DiffChange::Removed),
        n_changed: n(DiffChange::Changed),
        n_same: n(DiffChange::Same),
        n_items: saturate_u32(listed.len()),
        changes: changes.map(|(at, _)| saturate_u32(at)).collect(),
        items,
    })
}

fn other_side(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    run: &ReplayRun,
    at: Cut,
    against: &DiffAgainst,
) -> Result<(ReplayRun, ViewCut, String), ApiError> {
    let turn = at.turn.number();
    let cut = |turn: u32, step: Option<usize>| ViewCut { turn: Some(turn), step: step.map(saturate_u32) };
    let turn_before = |step_of_first: Option<usize>| match turn {
        ..=1 => (cut(1, step_of_first), "turn 1, the first".to_owned()),
        _ => (cut(turn - 1, None), format!("turn {}", with_commas((turn - 1).into()))),
    };
    Ok(match against {
        DiffAgainst::Full => {
            // Only the option that chooses the history stays.
            let options = view.options.clone().into_iter().filter(|(key, _)| key == "history").collect();
            let full = ViewSettings { policy: "none".into(), options, ..view.clone() };
            (opened.replay_view(&full)?, cut(turn, None), "the full history".to_owned())
        }
        DiffAgainst::TurnBefore | DiffAgainst::StepBefore => {
            let of_turn = *against == DiffAgainst::TurnBefore;
            let (cut, says) = match at.step.checked_sub(1).filter(|_| !of_turn) {
                Some(step) => (cut(turn, Some(step)), format!("step {step} of this turn")),
                None => turn_before((!of_turn).then_some(0)),
            };
            (opened.replay_view(view)?, cut, says)
        }
        DiffAgainst::Turn { turn } => {
            let turn = run.clamp_cut(cut((*turn).max(1), None)).turn.number();
            (opened.replay_view(view)?, cut(turn, None), format!("turn {}", with_commas(turn.into())))
        }
        DiffAgainst::View { view: other } => {
            // Both sides use the same branch and the same tokenizer.
            let other = ViewSettings {
                tokenizer: view.tokenizer.clone(),
                branch: view.branch.clone(),
                window: view.window,
                overhead: view.overhead.clone(),
                ..(**other).clone()
            };
            let other = opened.replay_view(&other)?;
            let says = match (other.replay.policy.name == run.replay.policy.name, other.replay.budget) {
                (true, budget) => format!("τ {}", with_commas(budget)),
                (false, budget) if budget == run.replay.budget => other.replay.policy.name.to_owned(),
                (false, budget) => format!("{}, τ {}", other.replay.policy.name, with_commas(budget)),
            };
            (other, cut(turn, None), says)
        }
    })
}

struct PageTexts {
    a: BTreeMap<usize, ContextItem>,
    b: BTreeMap<usize, ContextItem>,
    words: BTreeMap<usize, (Vec<DiffWords>, bool)>,
}

impl PageTexts {
    fn load(
        opened: &SessionSnapshot,
        sides: &Sides,
        aligned: &AlignedRows<'_>,
        page: &[DiffListRow],
        extent: PageExtent,
    ) -> Result<Self, ApiError> {
        let firsts = || page.iter().map(|listed| aligned.pairs[listed.first]);
        let items_of =
            |side: &(ReplayRun, std::sync::Arc<CutContext>), rows: &[ContextRow<'_>], places: Vec<usize>| {
                let wanted: Vec<ContextRow<'_>> = places.iter().map(|at| rows[*at]).collect();
                let made = make_items(opened, &side.0, &wanted, extent.n_chars, side.1.is_met(&side.0))?;
                Ok::<_, ApiError>(places.into_iter().zip(made).collect::<BTreeMap<_, _>>())
            };
        let a = firsts().filter(|pair| pair.change != DiffChange::Same).filter_map(|pair| pair.a).collect();
        let b = firsts().filter_map(|pair| pair.b).collect();
        let mut words = BTreeMap::new();
        for pair in firsts().filter(|pair| pair.change == DiffChange::Changed) {
            if let (Some(in_a), Some(in_b)) = (pair.a, pair.b) {
                let was = sent_text(opened, &sides.a.0, &aligned.a[in_a])?;
                let is = sent_text(opened, &sides.b.0, &aligned.b[in_b])?;
                words.insert(in_b, compare_words(&was, &is));
            }
        }
        Ok(Self { a: items_of(&sides.a, &aligned.a, a)?, b: items_of(&sides.b, &aligned.b, b)?, words })
    }

    fn pair_item(&mut self, pair: &RowPair, n: u32, tokens: u64) -> Option<ContextItem> {
        let of_a = pair.a.and_then(|at| self.a.get(&at).cloned());
        let of_b = pair.b.and_then(|at| self.b.get(&at).cloned());
        let reason =
            |item: &Option<ContextItem>| item.as_ref().map(|item| item.reason.clone()).unwrap_or_default();
        let (item, why_not) = match pair.change {
            DiffChange::Same => (of_b?, String::new()),
            DiffChange::Added => (of_b?, reason(&of_a)),
            DiffChange::Removed => (of_a?, reason(&of_b)),
            // The side that does not send the block verbatim gives the reason.
            DiffChange::Changed => {
                let (a, b) = (of_a?, of_b?);
                let why = if b.kept && !a.kept { &a } else { &b }.reason.clone();
                (b, why)
            }
        };
        let (words, cut) = pair.b.and_then(|at| self.words.remove(&at)).unwrap_or_default();
        let difference = ItemDiff { change: pair.change, n, tokens, why_not, words, cut };
        Some(ContextItem { difference: Some(difference), ..item })
    }
}

fn sent_text(opened: &SessionSnapshot, run: &ReplayRun, row: &ContextRow<'_>) -> Result<String, ApiError> {
    if let Some(made) = row.policy_text() {
        return Ok(made.to_owned());
    }
    let Some(block) = row.block_idx() else { return Ok(String::new()) };
    Ok(opened.block_content(&run.branch.session, block)?.text)
}

/// Compares two texts word by word. The flag is `true` if only their beginnings were compared.
fn compare_words(was: &str, is: &str) -> (Vec<DiffWords>, bool) {
    let head = |text: &str| text.char_indices().nth(COMPARED_CHARS).map_or(text.len(), |(end, _)| end);
    let (end_a, end_b) = (head(was), head(is));
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(&was[..end_a], &is[..end_b]);
    let mut words: Vec<DiffWords> = Vec::new();
    for change in diff.iter_all_changes() {
        let name = match change.tag() {
            ChangeTag::Equal => DiffChange::Same,
            ChangeTag::Insert => DiffChange::Added,
            ChangeTag::Delete => DiffChange::Removed,
        };
        match words.last_mut().filter(|last| last.change == name) {
            Some(last) => last.text.push_str(change.value()),
            None => words.push(DiffWords { change: name, text: change.value().to_owned() }),
        }
    }
    (words, end_a < was.len() || end_b < is.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        let check = |was: &str, is: &str, expected: &[(&str, &str)]| {
            let (words, cut) = compare_words(was, is);
            let found: Vec<(&str, &str)> =
                words.iter().map(|it| (it.change.name(), it.text.as_str())).collect();
            assert_eq!(found, expected, "{was} → {is}");
            assert!(!cut);
        };
        check("a b c", "a x c", &[("same", "a "), ("removed", "b"), ("added", "x"), ("same", " c")]);
        check("", "new", &[("added", "new")]);
        check("old", "", &[("removed", "old")]);
        check("", "", &[]);
        check("same", "same", &[("same", "same")]);
    }

    #[test]
    fn long_texts_are_compared_in_part() {
        let long = "ü ".repeat(COMPARED_CHARS);
        let (words, cut) = compare_words(&long, "short");
        assert!(cut);
        let n: usize = words.iter().map(|it| it.text.chars().count()).sum();
        assert!(n <= COMPARED_CHARS + 5, "{n}");
    }

    #[test]
    fn runs_of_equal_blocks_are_one_row() {
        let check = |spelled: &str, open: usize, expected: &[(usize, usize)]| {
            let pair = |(at, letter): (usize, char)| RowPair {
                change: if letter == '=' { DiffChange::Same } else { DiffChange::Added },
                a: None,
                b: Some(at),
            };
            let pairs: Vec<RowPair> = spelled.chars().enumerate().map(pair).collect();
            let rows: Vec<(usize, usize)> = list_pairs(&pairs, |pair| pair.b == Some(open))
                .iter()
                .map(|row| (row.first, row.n))
                .collect();
            assert_eq!(rows, expected, "{spelled}");
        };
        check("==+=++===", 99, &[(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 3)]);
        check("==+=++===", 6, &[(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (8, 1)]);
        check("", 0, &[]);
        check("===", 99, &[(0, 3)]);
    }
}
