//! Fits the inference weights to marked sessions.

use cwl_engine::{EdgeFeature, Hindsight, LabeledSegment, StartFeature, TurnFacts, Weights, edge_features};
use strum::EnumCount;

use crate::crf::{self, Example};
use crate::marks::{Episode, Marks};
use crate::minimum::minimum;
use crate::numbers::{Numbers, UseNumbers};
use crate::score::labels;

/// Weight for a compaction, which no marked session determines: readers say that an episode begins after one.
const COMPACTED: f64 = 1.0;

/// A fit's settings.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Settings {
    /// Regularisation strength.
    #[arg(long, default_value_t = 1.2)]
    scale: f64,
    /// Added to every episode start: readers agree on more starts than the likelihood alone gives.
    #[arg(long, default_value_t = 0.5)]
    bonus: f64,
    /// Weight of a session marked later, relative to the first ten. There are twice as many later ones, and
    /// two are as long as five others.
    #[arg(long, default_value_t = 0.5)]
    later: f64,
    /// Regularisation strength for the habits of the first ten sessions' readers: their explorations are
    /// sometimes acts to later readers. Weights of starts, lengths and contents are shared.
    #[arg(long, default_value_t = 4.0)]
    habit: f64,
    /// Added to every edge: a missing edge lets an exploration go too early.
    #[arg(long, default_value_t = 0.3)]
    edge: f64,
    /// Regularisation strength for edge weights.
    #[arg(long, default_value_t = 4.0)]
    edge_scale: f64,
}

pub(crate) struct MarkedSession {
    pub name: String,
    pub repository: String,
    /// `true` if it was marked after the ten sessions behind the goals.
    pub later: bool,
    pub facts: Vec<TurnFacts>,
    pub uses: Vec<Vec<UseNumbers>>,
    pub lines: Vec<(u64, u64)>,
    pub readings: Vec<Marks>,
    example: Example,
}

impl MarkedSession {
    pub(crate) fn new(numbers: &Numbers, readings: Vec<Marks>) -> Self {
        let facts: Vec<TurnFacts> = numbers.turns.iter().map(crate::numbers::Turn::facts).collect();
        let lines: Vec<(u64, u64)> = numbers.turns.iter().map(|turn| (turn.first, turn.last)).collect();
        let of = |marks: &Marks| -> Vec<Option<(usize, bool)>> {
            let by_turn = labels(&lines, &marks.episodes);
            by_turn.iter().map(|label| label.map(|at| (at, marks.episodes[at].kind == "act"))).collect()
        };
        let labels: Vec<_> = readings.iter().map(of).collect();
        let example = Example::new(&facts, &labels);
        let repository = readings.first().map_or(String::new(), |marks| marks.source.repository.clone());
        let later = readings.first().is_some_and(|marks| marks.later);
        let uses = numbers.turns.iter().map(|turn| turn.uses.clone()).collect();
        Self { name: numbers.session.clone(), repository, later, facts, uses, lines, readings, example }
    }

    pub(crate) fn read_segments(&self, marks: &Marks) -> (Vec<LabeledSegment>, Vec<usize>) {
        let by_turn = labels(&self.lines, &marks.episodes);
        let (mut segments, mut episodes): (Vec<LabeledSegment>, Vec<usize>) = (Vec::new(), Vec::new());
        for (at, label) in by_turn.iter().enumerate() {
            let Some(episode) = *label else { continue };
            match segments.last_mut().filter(|_| episodes.last() == Some(&episode)) {
                Some(last) => last.end = at + 1,
                None => {
                    let label = if marks.episodes[episode].kind == "act" { 2 } else { 1 };
                    segments.push(LabeledSegment { first: at, end: at + 1, label, margin: 0 });
                    episodes.push(episode);
                }
            }
        }
        (segments, episodes)
    }

    pub(crate) fn episodes(&self, segments: &[LabeledSegment], edges: &[(usize, usize)]) -> Vec<Episode> {
        let episode = |(at, segment): (usize, &LabeledSegment)| Episode {
            name: at.to_string(),
            kind: if segment.label == 2 { "act" } else { "expl" }.to_owned(),
            first: self.lines[segment.first].0,
            last: self.lines[segment.end - 1].1,
            dependencies: edges
                .iter()
                .filter(|(_, to)| *to == at)
                .map(|(from, _)| from.to_string())
                .collect(),
        };
        segments.iter().enumerate().filter(|(_, segment)| segment.label != 0).map(episode).collect()
    }
}

pub(crate) fn fit(sessions: &[&MarkedSession], settings: Settings) -> anyhow::Result<Weights> {
    let strength = crf::regularisation(settings.scale);
    let with_habits = |shared: &[f64], habits: &[f64]| {
        let mut theta = shared.to_vec();
        theta[crf::KINDS].iter_mut().zip(habits).for_each(|(value, habit)| *value += habit);
        theta
    };
    let found = minimum(crf::N + crf::KINDS.len(), |both| {
        let (shared, habits) = both.split_at(crf::N);
        let first = with_habits(shared, habits);
        let mut of_all: Vec<f64> =
            shared.iter().zip(&strength).map(|(value, strength)| value * strength).collect();
        let mut of_first: Vec<f64> = habits
            .iter()
            .zip(&strength[crf::KINDS])
            .map(|(value, strength)| settings.habit * value * strength)
            .collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let compacted = StartFeature::Compacted as usize;
        let mut loss = 0.5 * (dot(shared, &of_all) + dot(habits, &of_first));
        of_all[compacted] -= strength[compacted] * COMPACTED;
        loss -= strength[compacted] * COMPACTED * shared[compacted];
        for session in sessions {
            let (share, theta) = if session.later { (settings.later, shared) } else { (1.0, &first[..]) };
            let mut own = vec![0.0; crf::N];
            loss += share * crf::add_loss(theta, &session.example, &mut own);
            of_all.iter_mut().zip(&own).for_each(|(sum, own)| *sum += share * own);
            if !session.later {
                of_first.iter_mut().zip(&own[crf::KINDS]).for_each(|(sum, own)| *sum += own);
            }
        }
        of_all.extend(of_first);
        (loss, of_all)
    })?;
    let (shared, habits) = found.split_at(crf::N);
    let theta = with_habits(shared, habits);
    Ok(crf::table(&theta, fit_edges(sessions, settings)?, settings.bonus))
}

fn fit_edges(sessions: &[&MarkedSession], settings: Settings) -> anyhow::Result<[i32; EdgeFeature::COUNT]> {
    let mut rows: Vec<(Vec<usize>, bool)> = Vec::new();
    for session in sessions {
        for marks in &session.readings {
            let (segments, episodes) = session.read_segments(marks);
            for (from, to, features) in edge_features(&session.facts, &segments, Hindsight::WholeAct) {
                let name = &marks.episodes[episodes[from]].name;
                let is_edge = marks.episodes[episodes[to]].dependencies.contains(name);
                rows.push((features.iter().map(|feature| *feature as usize).collect(), is_edge));
            }
        }
    }
    let theta = minimum(EdgeFeature::COUNT, |theta| {
        let strength = |at: usize| if at == EdgeFeature::Always as usize { 0.1 } else { settings.edge_scale };
        let mut gradient: Vec<f64> =
            theta.iter().enumerate().map(|(at, value)| strength(at) * value).collect();
        let mut loss: f64 =
            theta.iter().enumerate().map(|(at, value)| 0.5 * strength(at) * value * value).sum();
        for (features, is_edge) in &rows {
            let score: f64 = features.iter().map(|feature| theta[*feature]).sum();
            let p = 1.0 / (1.0 + (-score).exp());
            loss -= if *is_edge { p.max(1e-12).ln() } else { (1.0 - p).max(1e-12).ln() };
            let error = p - f64::from(u8::from(*is_edge));
            features.iter().for_each(|feature| gradient[*feature] += error);
        }
        (loss, gradient)
    })?;
    let unit = |(at, value): (usize, &f64)| {
        let lower = if at == EdgeFeature::Always as usize { settings.edge } else { 0.0 };
        (16.0 * (value + lower)).round() as i32
    };
    let weights: Vec<i32> = theta.iter().enumerate().map(unit).collect();
    Ok(core::array::from_fn(|at| weights[at]))
}
