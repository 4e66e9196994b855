//! The value of inference: `cwl` on inferred episodes against shuffled ones, `window`, `mask` and `none`.
//!
//! Every policy gets the budget at which its mean request equals that by `cwl` on the inferred episodes.
//! Edges come only from lines up to an act's start: edges from later use would be judged by themselves.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use cwl_engine::{
    BlockIdx, BlockKind, CacheOptions, Episode, EpisodeIdx, Facts, FoundNames, GraphTimeline, History,
    Material, NamesBuilder, Placeholder, Policy, Prices, PromptLayout, Rates, Replay, ReplayInput, Scales,
    TokenTable, measure_recall, prefix_cache, session_cost, summary_calls,
};
use cwl_tokens::{Tokenizer, count_all, count_units};

use crate::numbers::{Read, facts_of, read_log};

const N_SHUFFLES: u64 = 20;

/// Prices per million tokens in millionths of a dollar: $3 input, $0.30 cache read, $3.75 cache write, $15
/// output.
const PRICES: Prices = Prices {
    rates: Rates {
        input: 3_000_000,
        cache_read: 300_000,
        cache_write: 3_750_000,
        cache_write_hour: 6_000_000,
        output: 15_000_000,
    },
    long: None,
};

#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    mean_request: u64,
    found_per_mille: u32,
    reacquired_tokens: u64,
    cost: u64,
}

struct Bench<'a> {
    read: &'a Read,
    facts: &'a Facts,
    table: TokenTable,
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
            names.add_block(BlockIdx::new(at), text, reading.as_ref());
        }
        let FoundNames { names, uses, changes, lost } = names.finish();
        let texts: Vec<&str> = read.texts.iter().map(String::as_str).collect();
        let placeholders =
            Placeholder::ALL.map(|placeholder| count_units(Tokenizer::O200k, placeholder.text()));
        let units = count_all(Tokenizer::O200k, &texts);
        Self {
            read,
            facts,
            table: TokenTable::new(1, units, BTreeMap::new()).with_placeholders(placeholders),
            material: Material { names, uses, changes, lost, ..Material::default() },
            layout: PromptLayout::from_session(&read.session),
        }
    }

    fn scales(&self) -> Scales<'_> {
        Scales {
            session: &self.read.session,
            facts: self.facts,
            material: &self.material,
            table: &self.table,
            residues: &|growth: &GraphTimeline| {
                let sized = |(idx, episode): (EpisodeIdx, &Episode)| {
                    Some((idx, count_units(Tokenizer::O200k, &episode.residue_text()?)))
                };
                growth.graph.episodes().filter_map(sized).collect()
            },
        }
    }

    fn figures(&self, input: &ReplayInput<'_>, replay: &Replay) -> Figures {
        let turns = prefix_cache(input, replay, &self.layout, &CacheOptions::default());
        let cost = session_cost(input, &turns, &summary_calls(input, replay), &[PRICES]).total_money();
        let found = measure_recall(input, replay).total;
        Figures {
            mean_request: replay.mean_request(),
            found_per_mille: found.hit_per_mille(),
            reacquired_tokens: found.reacquired_tokens,
            cost,
        }
    }
}

fn policy(name: &str) -> anyhow::Result<&'static Policy> {
    Policy::find(name).with_context(|| format!("no policy {name}"))
}

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
        let detected = || {
            cwl_formats::detect_format(&std::fs::read(&path).ok()?)
                .ok()
                .map(|format| format.name().to_owned())
        };
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

pub(crate) fn evicts(logs: &Path) -> anyhow::Result<()> {
    let mut paths: Vec<_> =
        std::fs::read_dir(logs)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let (mut n_logs, mut n_few, mut n_evict) = (0, 0, 0);
    for path in paths {
        let Ok(format) = cwl_formats::detect_format(&std::fs::read(&path)?) else { continue };
        let read = read_log(&path, format.name(), History::AsRecorded)?;
        let facts = facts_of(&read);
        let bench = Bench::new(&read, &facts);
        let scales = bench.scales();
        n_logs += 1;
        let Some(inferred) = scales.inferred_trial() else {
            n_few += 1;
            continue;
        };
        let largest = scales
            .replay_trial(&inferred, policy("none")?, u64::MAX, |_, replay| replay.largest_request())?;
        let n_steps =
            scales.replay_trial(&inferred, policy("cwl")?, largest / 2, |_, replay| replay.n_steps())?;
        if n_steps > 0 {
            n_evict += 1;
        } else {
            println!("{}: the largest request {largest}", path.display());
        }
    }
    println!(
        "{n_logs} logs; {n_few} with fewer than two closed inferred episodes; of the other {} cwl evicts at half the size of {n_evict}",
        n_logs - n_few
    );
    Ok(())
}

fn row(name: &str, bench: &Bench<'_>) -> anyhow::Result<Option<(String, bool)>> {
    let scales = bench.scales();
    let Some(inferred) = scales.inferred_trial() else { return Ok(None) };
    let figures = |input: &ReplayInput<'_>, replay: &Replay| bench.figures(input, replay);
    let (largest, whole) = scales.replay_trial(&inferred, policy("none")?, u64::MAX, |input, replay| {
        (replay.largest_request(), figures(input, replay))
    })?;
    // Half the session's size.
    let own = scales.replay_trial(&inferred, policy("cwl")?, largest / 2, figures)?;
    let mut shuffled = Vec::new();
    for seed in 1..=N_SHUFFLES {
        let trial = scales.shuffled_trial(&inferred.lengths, seed);
        shuffled.push(scales.play_at_mean(&trial, policy("cwl")?, own.mean_request, figures)?);
    }
    let mean = |of: fn(&Figures) -> u64| shuffled.iter().map(of).sum::<u64>() / N_SHUFFLES;
    let shuffled = Figures {
        mean_request: mean(|figures| figures.mean_request),
        found_per_mille: u32::try_from(mean(|figures| figures.found_per_mille.into()))?,
        reacquired_tokens: mean(|figures| figures.reacquired_tokens),
        cost: mean(|figures| figures.cost),
    };
    let window = scales.play_at_mean(&inferred, policy("window")?, own.mean_request, figures)?;
    let mask = scales.play_at_mean(&inferred, policy("mask")?, own.mean_request, figures)?;
    let show = |figures: &Figures| {
        format!(
            "{}.{} %, {}, ${:.2}",
            figures.found_per_mille / 10,
            figures.found_per_mille % 10,
            figures.reacquired_tokens,
            figures.cost as f64 / 1e6
        )
    };
    let is_beaten = own.found_per_mille > shuffled.found_per_mille;
    let line = format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        bench.read.session.turns.len() - 1,
        inferred.lengths.len(),
        own.mean_request,
        show(&own),
        show(&shuffled),
        show(&window),
        show(&mask),
        show(&whole),
        if is_beaten { "yes" } else { "no" }
    );
    Ok(Some((line, is_beaten)))
}
