//! The use of inference: `cwl` on inferred episodes, beside shuffled ones, `window`, `mask` and `none`.
//!
//! Every policy gets the budget at which its mean request is that of `cwl` on the inferred episodes. Edges are drawn
//! from lines up to an act's start only: one drawn from later use would be judged by itself.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use cwl_engine::{
    BlockIdx, BlockKind, CacheOptions, Episode, EpisodeKind, Facts, FoundNames, Growth, Hindsight, History,
    Material, NamesBuilder, Overhead, Placeholder, Policy, PolicyOptions, Prices, PromptLayout, Rates,
    Replay, ReplayInput, Segment, Session, TokenTable, TurnFacts, WEIGHTS, divide, infer_with,
    label_stretches, look_back, prefix_cache, session_cost, shuffled as shuffle, summary_calls,
};
use cwl_tokens::{Tokenizer, count, count_all};

use crate::numbers::{Read, facts_of, read_log};

/// How many shuffles a session is compared with.
const N_SHUFFLES: u64 = 20;

/// Prices per million tokens in millionths of a dollar: $3 input, $0.30 read from the cache, $3.75 written, $15 output.
const PRICES: Prices = Prices {
    rates: Rates { input: 3_000_000, cache_read: 300_000, cache_write: 3_750_000, output: 15_000_000 },
    long: None,
};

/// The figures of one replay.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    mean_request: u64,
    max_request: u64,
    n_steps: usize,
    /// Of the tokens that later turns use, those that were still there, per mille.
    found_per_mille: u64,
    regret_tokens: u64,
    /// Millionths of a dollar.
    cost: u64,
}

/// One session, ready for replays.
struct Bench<'a> {
    session: &'a Session,
    facts: &'a Facts,
    units: Vec<u32>,
    placeholders: [u32; 3],
    material: Material,
    layout: PromptLayout,
}

impl<'a> Bench<'a> {
    fn new(read: &'a Read, facts: &'a Facts) -> Self {
        let mut names = NamesBuilder::new(&read.session, None);
        for (at, text) in read.texts.iter().enumerate() {
            let reading = match &read.session.blocks[at].kind {
                BlockKind::Call(call) => Some(cwl_formats::read_call(&call.name, text)),
                _ => None,
            };
            names.block(BlockIdx::new(at), text, reading.as_ref());
        }
        let FoundNames { names, uses, changes, effects, lost } = names.finish();
        let texts: Vec<&str> = read.texts.iter().map(String::as_str).collect();
        Self {
            session: &read.session,
            facts,
            units: count_all(Tokenizer::O200k, &texts),
            placeholders: Placeholder::ALL.map(|placeholder| count(Tokenizer::O200k, placeholder.text())),
            material: Material { names, uses, changes, effects, lost, ..Material::default() },
            layout: PromptLayout::of(&read.session),
        }
    }

    fn growth(&self, divide: impl FnOnce(&[TurnFacts]) -> Vec<Segment>) -> Growth {
        let annotation = infer_with(self.session, self.facts, Hindsight::UpToStart, divide);
        Growth::annotated(self.session, &annotation).0
    }

    fn play(&self, growth: &Growth, policy: &str, budget: u64) -> anyhow::Result<Figures> {
        let policy = Policy::find(policy).context("no such policy")?;
        let options = PolicyOptions::of(policy)?;
        let residues = growth.graph.iter();
        let residues =
            residues.filter_map(|(idx, episode)| Some((idx, count(Tokenizer::O200k, &episode.residue()?))));
        let table = TokenTable::new(1, self.units.clone(), residues.collect::<BTreeMap<_, _>>())
            .with_placeholders(self.placeholders);
        let overhead = Overhead::default();
        let input = ReplayInput {
            session: self.session,
            growth,
            table: &table,
            material: &self.material,
            pins: &[],
            overhead: &overhead,
            budget,
            policy,
            options: &options,
        };
        let replay = Replay::run(&input);
        let turns = prefix_cache(&input, &replay, &self.layout, &CacheOptions::default());
        let cost = session_cost(&input, &turns, &summary_calls(&input, &replay), &PRICES).total();
        let found = look_back(&input, &replay).total;
        let made = &replay.turns[..replay.turns.len() - 1];
        let sum: u64 = made.iter().map(|turn| turn.after).sum();
        Ok(Figures {
            mean_request: sum.checked_div(made.len() as u64).unwrap_or(0),
            max_request: made.iter().map(|turn| turn.after).max().unwrap_or(0),
            n_steps: replay.n_steps() as usize,
            found_per_mille: (found.hit_tokens * 1000).checked_div(found.used_tokens).unwrap_or(1000),
            regret_tokens: found.regret_tokens,
            cost,
        })
    }

    /// Plays a policy with the budget at which its mean request comes nearest to a given one.
    fn play_at_mean(&self, growth: &Growth, policy: &str, mean: u64, most: u64) -> anyhow::Result<Figures> {
        let (mut low, mut high) = (0u64, most);
        let mut best: Option<Figures> = None;
        for _ in 0..12 {
            let budget = low.midpoint(high);
            let figures = self.play(growth, policy, budget)?;
            if best.is_none_or(|best| figures.mean_request.abs_diff(mean) < best.mean_request.abs_diff(mean))
            {
                best = Some(figures);
            }
            if figures.mean_request < mean { low = budget } else { high = budget }
        }
        best.context("no budget was tried")
    }
}

/// Judges every log of a folder, and prints a table; sessions are called by numbers where they are no marked ones.
pub(crate) fn value(logs: &Path, write: bool) -> anyhow::Result<()> {
    let formats: BTreeMap<String, String> = crate::marks::read_all(&crate::home().join("marks"))?
        .into_iter()
        .map(|marks| (marks.session, marks.format))
        .collect();
    let mut paths: Vec<_> =
        std::fs::read_dir(logs)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let mut lines = vec![
        "| session | turns | episodes | mean request | cwl, inferred: found, looked up again, cost | cwl, shuffled | window | mask | none | more found than shuffled |".to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    let (mut n_beaten, mut n_sessions, mut n_without) = (0, 0, 0);
    for path in paths {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let detected =
            || cwl_formats::detect(&std::fs::read(&path).ok()?).ok().map(|format| format.name().to_owned());
        let Some(format) = formats.get(&stem).cloned().or_else(detected) else { continue };
        let read = read_log(&path, &format, History::Full)?;
        let facts = facts_of(&read);
        let name = if formats.contains_key(&stem) {
            stem
        } else {
            format!("{} {}", format, n_sessions + n_without + 1)
        };
        match row(&name, &Bench::new(&read, &facts))? {
            Some((line, is_beaten)) => {
                lines.push(line);
                n_sessions += 1;
                n_beaten += usize::from(is_beaten);
            }
            None => n_without += 1,
        }
    }
    lines.push(format!(
        "\nOn {n_beaten} of {n_sessions} sessions more is found on inferred episodes than on the mean of shuffled ones; \
         {n_without} sessions have fewer than two closed episodes."
    ));
    let text = lines.join("\n");
    println!("{text}");
    if write {
        crate::report::write("valued", &text)?;
    }
    Ok(())
}

/// Tells of how many logs of a folder `cwl` evicts at half their size, and why of the others it does not.
pub(crate) fn evicts(logs: &Path) -> anyhow::Result<()> {
    let mut paths: Vec<_> =
        std::fs::read_dir(logs)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let (mut n_logs, mut n_few, mut n_evict) = (0, 0, 0);
    for path in paths {
        let Ok(format) = cwl_formats::detect(&std::fs::read(&path)?) else { continue };
        let read = read_log(&path, format.name(), History::AsRecorded)?;
        let facts = facts_of(&read);
        let bench = Bench::new(&read, &facts);
        let growth = bench.growth(|turns| divide(turns, &WEIGHTS));
        n_logs += 1;
        let is_closed = |episode: &Episode| episode.kind != EpisodeKind::Unannotated && !episode.is_open();
        let n_closed = growth.graph.iter().filter(|(_, episode)| is_closed(episode)).count();
        if n_closed < 2 {
            n_few += 1;
            continue;
        }
        let whole = bench.play(&growth, "none", u64::MAX)?;
        let half = bench.play(&growth, "cwl", whole.max_request / 2)?;
        if half.n_steps > 0 {
            n_evict += 1;
        } else {
            println!(
                "{}: {n_closed} closed episodes, the largest request {}",
                path.display(),
                whole.max_request
            );
        }
    }
    println!(
        "{n_logs} logs; {n_few} with fewer than two closed inferred episodes; of the other {} cwl evicts at half the size of {n_evict}",
        n_logs - n_few
    );
    Ok(())
}

fn row(name: &str, bench: &Bench<'_>) -> anyhow::Result<Option<(String, bool)>> {
    let mut lengths = Vec::new();
    let inferred = bench.growth(|turns| {
        let segments = divide(turns, &WEIGHTS);
        lengths = segments.iter().map(|segment| segment.end - segment.first).collect();
        segments
    });
    let n_closed = inferred.graph.iter().filter(|(_, episode)| !episode.is_open()).count();
    if n_closed < 2 {
        return Ok(None);
    }
    let whole = bench.play(&inferred, "none", u64::MAX)?;
    // Half of the session's size.
    let half = whole.max_request / 2;
    let own = bench.play(&inferred, "cwl", half)?;
    let most = bench.units.iter().map(|units| u64::from(*units)).sum::<u64>();
    let mut shuffled = Vec::new();
    for seed in 1..=N_SHUFFLES {
        let order = shuffle(&lengths, seed);
        let growth = bench.growth(|turns| label_stretches(turns, &order, &WEIGHTS));
        shuffled.push(bench.play_at_mean(&growth, "cwl", own.mean_request, most)?);
    }
    let mean = |of: fn(&Figures) -> u64| shuffled.iter().map(of).sum::<u64>() / N_SHUFFLES;
    let shuffled = Figures {
        mean_request: mean(|figures| figures.mean_request),
        max_request: mean(|figures| figures.max_request),
        n_steps: own.n_steps,
        found_per_mille: mean(|figures| figures.found_per_mille),
        regret_tokens: mean(|figures| figures.regret_tokens),
        cost: mean(|figures| figures.cost),
    };
    let others =
        ["window", "mask"].map(|policy| bench.play_at_mean(&inferred, policy, own.mean_request, most));
    let [window, mask] = others;
    let show = |figures: &Figures| {
        format!(
            "{}.{} %, {}, ${:.2}",
            figures.found_per_mille / 10,
            figures.found_per_mille % 10,
            figures.regret_tokens,
            figures.cost as f64 / 1e6
        )
    };
    let is_beaten = own.found_per_mille > shuffled.found_per_mille;
    let line = format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        bench.session.turns.len() - 1,
        lengths.len(),
        own.mean_request,
        show(&own),
        show(&shuffled),
        show(&window?),
        show(&mask?),
        show(&whole),
        if is_beaten { "yes" } else { "no" }
    );
    Ok(Some((line, is_beaten)))
}
