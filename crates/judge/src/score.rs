//! Scores: how far two segmentations of a session agree, by turns.

use crate::marks::Episode;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Score {
    /// F1 for starts, which match one to one if they are at most one turn apart.
    pub f1: f64,
    pub precision: f64,
    pub recall: f64,
    pub window_diff: f64,
    /// Cohen's κ for the labels expl, act and none, turn by turn.
    pub kappa: f64,
    /// `None` without predicted edges.
    pub edge_precision: Option<f64>,
    /// `None` if the reader has no edges.
    pub edge_recall: Option<f64>,
    /// Share of the reader's edges whose episodes the prediction has with the right kinds: the upper bound
    /// for any rule about edges. `None` without edges.
    pub edges_within: Option<f64>,
    pub n_gold: usize,
    pub n_found: usize,
}

/// Returns for each turn the episode that holds most of its lines.
pub(crate) fn labels(turns: &[(u64, u64)], episodes: &[Episode]) -> Vec<Option<usize>> {
    let of = |&(first, last): &(u64, u64)| {
        let mut best: Option<(u64, usize)> = None;
        for (at, episode) in episodes.iter().enumerate() {
            let (from, to) = (first.max(episode.first), last.min(episode.last));
            if from <= to && best.is_none_or(|(most, _)| to - from > most) {
                best = Some((to - from, at));
            }
        }
        best.map(|(_, at)| at)
    };
    turns.iter().map(of).collect()
}

pub(crate) fn starts(labels: &[Option<usize>]) -> Vec<usize> {
    (0..labels.len())
        .filter(|&at| labels[at].is_some() && (at == 0 || labels[at] != labels[at - 1]))
        .collect()
}

pub(crate) fn score(turns: &[(u64, u64)], gold: &[Episode], found: &[Episode]) -> Score {
    let (of_gold, of_found) = (labels(turns, gold), labels(turns, found));
    let (f1, precision, recall) = matched(&starts(&of_gold), &starts(&of_found));
    let (edge_precision, edge_recall, edges_within) = edge_scores(gold, &of_gold, found, &of_found);
    Score {
        f1,
        precision,
        recall,
        window_diff: window_diff(&of_gold, &of_found),
        kappa: kappa(&kinds(&of_gold, gold), &kinds(&of_found, found)),
        edge_precision,
        edge_recall,
        edges_within,
        n_gold: gold.len(),
        n_found: found.len(),
    }
}

pub(crate) fn mean(scores: &[Score]) -> Score {
    let of = |figure: fn(&Score) -> f64| scores.iter().map(figure).sum::<f64>() / scores.len().max(1) as f64;
    let of_some = |figure: fn(&Score) -> Option<f64>| {
        let known: Vec<f64> = scores.iter().filter_map(figure).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let count = |figure: fn(&Score) -> usize| scores.iter().map(figure).sum::<usize>() / scores.len().max(1);
    Score {
        f1: of(|score| score.f1),
        precision: of(|score| score.precision),
        recall: of(|score| score.recall),
        window_diff: of(|score| score.window_diff),
        kappa: of(|score| score.kappa),
        edge_precision: of_some(|score| score.edge_precision),
        edge_recall: of_some(|score| score.edge_recall),
        edges_within: of_some(|score| score.edges_within),
        n_gold: count(|score| score.n_gold),
        n_found: count(|score| score.n_found),
    }
}

impl Score {
    pub(crate) fn edge_f(&self) -> f64 {
        let (p, r) = (self.edge_precision.unwrap_or(0.0), self.edge_recall.unwrap_or(0.0));
        if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 }
    }
}

fn matched(gold: &[usize], found: &[usize]) -> (f64, f64, f64) {
    let mut free = found.to_vec();
    let mut n_hits = 0usize;
    for start in gold {
        let near = free.iter().enumerate().filter(|(_, other)| other.abs_diff(*start) <= 1);
        if let Some((at, _)) = near.min_by_key(|(_, other)| (other.abs_diff(*start), **other)) {
            free.remove(at);
            n_hits += 1;
        }
    }
    let share = |of: usize| if of > 0 { n_hits as f64 / of as f64 } else { 0.0 };
    let (precision, recall) = (share(found.len()), share(gold.len()));
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    (f1, precision, recall)
}

fn window_diff(gold: &[Option<usize>], found: &[Option<usize>]) -> f64 {
    let cuts = |labels: &[Option<usize>]| -> Vec<usize> {
        labels.windows(2).map(|pair| usize::from(pair[0] != pair[1])).collect()
    };
    let (of_gold, of_found) = (cuts(gold), cuts(found));
    let half = gold.len() as f64 / (2.0 * (of_gold.iter().sum::<usize>() as f64 + 1.0));
    let width = (half.round_ties_even() as usize).max(2);
    if of_gold.len() < width {
        return 0.0;
    }
    let sums =
        |cuts: &[usize]| -> Vec<usize> { cuts.windows(width).map(|window| window.iter().sum()).collect() };
    let (of_gold, of_found) = (sums(&of_gold), sums(&of_found));
    let n_apart = of_gold.iter().zip(&of_found).filter(|(one, other)| one != other).count();
    n_apart as f64 / of_gold.len() as f64
}

fn kinds<'a>(labels: &[Option<usize>], episodes: &'a [Episode]) -> Vec<Option<&'a str>> {
    labels.iter().map(|label| label.map(|at| episodes[at].kind.as_str())).collect()
}

fn kappa(one: &[Option<&str>], other: &[Option<&str>]) -> f64 {
    let n = one.len() as f64;
    let agreed = one.iter().zip(other).filter(|(one, other)| one == other).count() as f64 / n;
    let share = |labels: &[Option<&str>], label: Option<&str>| {
        labels.iter().filter(|other| **other == label).count() as f64 / n
    };
    let all = [None, Some("expl"), Some("act")];
    let chance: f64 = all.iter().map(|label| share(one, *label) * share(other, *label)).sum();
    if chance < 1.0 { (agreed - chance) / (1.0 - chance) } else { 1.0 }
}

fn edges(episodes: &[Episode]) -> Vec<(usize, usize)> {
    let mut by_name = std::collections::HashMap::new();
    let mut found = Vec::new();
    for (at, episode) in episodes.iter().enumerate() {
        found.extend(episode.dependencies.iter().filter_map(|name| Some((*by_name.get(name.as_str())?, at))));
        by_name.insert(episode.name.as_str(), at);
    }
    found
}

/// An edge matches if at each end the common turns are at least half of either episode. Returns precision,
/// recall, and the share of edges with both ends present.
fn edge_scores(
    gold: &[Episode],
    of_gold: &[Option<usize>],
    found: &[Episode],
    of_found: &[Option<usize>],
) -> (Option<f64>, Option<f64>, Option<f64>) {
    let alike = |one: usize, other: usize| {
        let both = of_gold.iter().zip(of_found);
        let (mut n_both, mut n_either) = (0usize, 0usize);
        for (gold, found) in both {
            let (is_one, is_other) = (*gold == Some(one), *found == Some(other));
            n_both += usize::from(is_one && is_other);
            n_either += usize::from(is_one || is_other);
        }
        n_either > 0 && 2 * n_both >= n_either
    };
    let is_there =
        |one: usize| (0..found.len()).any(|other| gold[one].kind == found[other].kind && alike(one, other));
    let gold_edges = edges(gold);
    let n_within = gold_edges.iter().filter(|(from, to)| is_there(*from) && is_there(*to)).count();
    let (gold, found) = (gold_edges, edges(found));
    let same = |one: &(usize, usize), other: &(usize, usize)| alike(one.0, other.0) && alike(one.1, other.1);
    let recall = gold.iter().filter(|edge| found.iter().any(|other| same(edge, other))).count();
    let precision = found.iter().filter(|edge| gold.iter().any(|other| same(other, edge))).count();
    let share = |n: usize, of: usize| (of > 0).then(|| n as f64 / of as f64);
    (share(precision, found.len()), share(recall, gold.len()), share(n_within, gold.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::{Marks, read_all};

    #[test]
    fn readers_agree_as_they_are_known_to() -> anyhow::Result<()> {
        let mut all = read_all(&crate::home().join("marks"))?;
        all.retain(|marks| !marks.later && !marks.aside);
        let pairs: Vec<(&Marks, &Marks)> =
            all.chunks(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?))).collect();
        assert_eq!(pairs.len(), 10);
        let scores: Vec<Score> =
            pairs.iter().map(|(a, b)| score(&a.turns, &a.episodes, &b.episodes)).collect();
        let mean = mean(&scores);
        let figures = [mean.f1, mean.window_diff, mean.kappa, mean.edge_f()].map(|f| format!("{f:.2}"));
        assert_eq!(figures, ["0.93", "0.07", "0.93", "0.75"]);
        Ok(())
    }

    #[test]
    fn a_prediction_equal_to_the_marks_has_no_fault() -> anyhow::Result<()> {
        for marks in read_all(&crate::home().join("marks"))? {
            let same = score(&marks.turns, &marks.episodes, &marks.episodes);
            assert_eq!((same.f1, same.window_diff, same.kappa), (1.0, 0.0, 1.0), "{}", marks.session);
        }
        Ok(())
    }
}
