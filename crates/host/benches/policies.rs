//! Replay time of every policy in the registry, with its measures and limits. `make bench` generates the log
//! and runs `policies --replay LOG [--only POLICY]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that measures and prints")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cwl_engine::testing::{LogBuilder, Part, act, end, expl, plain_pi_cwl};
use cwl_engine::{
    BlockIdx, BlockKind, CacheOptions, DigestBuilder, EventBody, EventLog, FoundNames, GraphTimeline,
    History, Material, NamesBuilder, NumbersBuilder, Overhead, Placeholder, Policy, PolicyOptions, Prices,
    PromptLayout, Rates, Replay, ReplayInput, SUMMARY_TITLE, Session, SummarySlot, TokenTable,
    hit_upper_bound, measure_recall, prefix_cache, session_cost, summary_calls,
};
use cwl_formats::read_call;
use cwl_host::api::{
    BandsBy, CacheRules, CompareRequest, FrontierMeasure, SweepRequest, ViewCut, ViewSettings,
};
use cwl_host::{LogInput, Tools, commands, load_file};
use cwl_tokens::{Tokenizer, count_all, count_units};

use common::{Table, median, milliseconds, within};

/// The allocator of the released programs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let value = |name| Some(args.get(args.iter().position(|arg| arg == name)? + 1)?.as_str());
    let Some(log) = value("--replay").map(PathBuf::from) else {
        println!("policies --replay LOG [--only POLICY]; `make bench` generates it");
        return;
    };
    let mut table = Table::default();
    replays(&mut table, &log, value("--only"));
    if value("--only").is_none() {
        sweep(&mut table, &log);
        plain(&mut table);
    }
    table.print();
}

/// Prices do not affect the time.
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

/// Times a replay of every policy with cost, recall and bound, over one prebuilt session.
fn replays(table: &mut Table, path: &Path, only: Option<&str>) {
    let bytes = std::fs::read(path).unwrap();
    let (events, _) = cwl_formats::parse_log(cwl_formats::Format::Pi, &bytes);
    let mut log = EventLog::default();
    let mut texts: Vec<Vec<String>> = Vec::new();
    for parsed in events {
        texts.push(parsed.contents.into_iter().map(|content| content.text).collect());
        log.push(parsed.event);
    }
    let (session, _) = Session::build(&log, None, History::AsRecorded, &cwl_formats::default_tools());
    let (growth, _) = GraphTimeline::build(&session);
    let text_of = |row: &cwl_engine::SessionBlock| texts[row.event.at()][row.part as usize].as_str();
    let flat: Vec<&str> = session.blocks.iter().map(text_of).collect();
    let units = count_all(Tokenizer::O200k, &flat);
    let residues = growth.graph.episodes();
    let residues = residues
        .filter_map(|(idx, episode)| Some((idx, count_units(Tokenizer::O200k, &episode.residue_text()?))));
    let sizes = TokenTable::new(1, units, residues.collect::<BTreeMap<_, _>>()).with_placeholders(
        Placeholder::ALL.map(|placeholder| count_units(Tokenizer::O200k, placeholder.text())),
    );
    let cwd = log.events().iter().find_map(|event| match &event.body {
        EventBody::Header(header) => header.cwd.as_deref(),
        _ => None,
    });
    let laying = Instant::now();
    let layout = PromptLayout::from_session(&session);
    let laid = laying.elapsed();
    let making = Instant::now();
    let material = material(&session, &growth, cwd, &flat);
    let made = making.elapsed();
    let shape = format!(
        "{} turns, {} blocks, {} episodes, {} uses",
        session.turns.len() - 1,
        session.blocks.len(),
        growth.graph.episodes.len(),
        material.uses.len(),
    );
    for policy in Policy::ALL.iter().filter(|policy| only.is_none_or(|only| policy.name == only)) {
        let options = PolicyOptions::defaults(policy).unwrap();
        let own = policy.adjust_table(&session, &sizes);
        let input = ReplayInput {
            session: &session,
            growth: &growth,
            table: &own,
            material: &material,
            pins: &[],
            overhead: &Overhead::from(4000),
            budget: 80_000,
            policy,
            options: &options,
        };
        let mut parts: [Vec<Duration>; 4] = Default::default();
        let mut whole = Vec::new();
        let mut n_steps = 0;
        for _ in 0..30 {
            let start = Instant::now();
            let replay = Replay::run(&input);
            let ran = start.elapsed();
            let turns = prefix_cache(&input, &replay, &layout, &CacheOptions::default());
            let cost = session_cost(&input, &turns, &summary_calls(&input, &replay), &[PRICES]);
            let costed = start.elapsed();
            let found = measure_recall(&input, &replay);
            let looked = start.elapsed();
            let bound = hit_upper_bound(&input, &replay);
            let all = start.elapsed();
            assert!(cost.total_money() > 0 && bound.hit_tokens >= found.total.hit_tokens, "{}", policy.name);
            n_steps = replay.n_steps();
            for (part, took) in parts.iter_mut().zip([ran, costed - ran, looked - costed, all - looked]) {
                part.push(took);
            }
            whole.push(costed);
        }
        let alone = median(&parts[0]);
        let [ran, cost, look, bound] = parts.map(|times| milliseconds(median(&times)));
        let on = format!("{n_steps} steps: replay {ran}, cost {cost}; recall {look} and bound {bound} apart");
        let what = format!("{}: replay with the cost model", policy.name);
        table.row(&what, &on, median(&whole), "≤ 8 ms", within(median(&whole), 8.0));
        if policy.name == "cwl" {
            table.row("cwl: the replay alone", &shape, alone, "≤ 2 ms", within(alone, 2.0));
        }
    }
    table.plain("the layout of prompts, for all policies once", &shape, &milliseconds(laid));
    table.plain("what the texts say, for all policies once", &shape, &milliseconds(made));
}

fn material(session: &Session, growth: &GraphTimeline, cwd: Option<&str>, texts: &[&str]) -> Material {
    let mut names = NamesBuilder::new(session, cwd);
    let mut numbers = NumbersBuilder::new(session);
    let mut digest = DigestBuilder::new(session, growth);
    let mut firsts: BTreeMap<&str, u64> = BTreeMap::new();
    let mut alike = Vec::with_capacity(texts.len());
    for (number, text) in (1u64..).zip(texts) {
        let block = BlockIdx::new(alike.len());
        let kind = &session.blocks[block.at()].kind;
        let reading = match kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        names.add_block(block, text, reading.as_ref());
        numbers.add_block(block, text);
        digest.add_block(block, text, reading.as_ref());
        let is_result = matches!(kind, BlockKind::Result(_));
        let is_said = is_result && !text.is_empty();
        alike.push(if is_said { *firsts.entry(text).or_insert(number) } else { 0 });
    }
    let FoundNames { names, uses, changes, lost } = names.finish();
    let (lines, plans) = digest.finish();
    let units = |text: &str| count_units(Tokenizer::O200k, &format!("{text}\n"));
    Material {
        title_units: units(SUMMARY_TITLE),
        heading_units: SummarySlot::ALL.map(|slot| units(slot.heading())),
        digest: lines
            .into_iter()
            .map(|line| {
                let units = units(&line.as_text());
                line.with_units(units)
            })
            .collect(),
        plans,
        alike,
        names,
        uses,
        changes,
        numbers: numbers.finish(),
        lost,
        windows: Vec::new(),
    }
}

/// Times a sweep and a comparison of an open log, as the window asks for them.
fn sweep(table: &mut Table, path: &Path) {
    let opened = load_file(&LogInput::File(path.to_owned()), None, &Tools::builtin_tables()).unwrap();
    let request = |budgets: &str| SweepRequest {
        view: ViewSettings::counted("o200k"),
        budgets: vec![budgets.to_owned()],
        cache: CacheRules::default(),
        beside: Vec::new(),
        by: FrontierMeasure::default(),
    };
    // Counts and facts of texts are computed once per log, before the measurement.
    commands::sweep(&opened, &request("1")).unwrap();
    let mut times = Vec::new();
    for nth in 0..5 {
        let from = 20_000 + nth;
        let range = format!("{from}..{}:4000", from + 99 * 4000);
        let start = Instant::now();
        let sweep = commands::sweep(&opened, &request(&range)).unwrap();
        times.push(start.elapsed());
        assert_eq!(sweep.points.len(), 100);
    }
    let on = "with cost, recall and bound, and the paper's claims";
    table.row("a sweep of 100 budgets", on, median(&times), "≤ 1 s", within(median(&times), 1000.0));
    let views = ["cwl", "pi-cwl", "window", "none"];
    let views = views.map(|policy| ViewSettings {
        policy: policy.into(),
        budget: "77777".into(),
        ..ViewSettings::counted("o200k")
    });
    let request = CompareRequest {
        views: views.to_vec(),
        cut: ViewCut::default(),
        cache: CacheRules::default(),
        by: FrontierMeasure::default(),
        bands: BandsBy::default(),
    };
    let start = Instant::now();
    commands::compare(&opened, &request).unwrap();
    table.plain(
        "a comparison of four policies, asked for the first time",
        "now",
        &milliseconds(start.elapsed()),
    );
}

/// Times `pi-cwl` at one turn: the fast form, and the plain form that recounts everything.
fn plain(table: &mut Table) {
    const EPISODES: usize = 2500;
    let mut log = LogBuilder::new();
    for number in 0..EPISODES / 2 {
        let (found, done) = (format!("e{number}"), format!("a{number}"));
        let id = |what: &str| format!("{what}{number}");
        for (begin, name) in [(expl(&found), "e"), (act(&done, &[&found]), "a")] {
            let call = |what: &str, tool: &str| vec![Part::Call(id(&format!("{name}{what}")), tool.into())];
            log.step(&[Part::Mark(id(&format!("{name}b")), begin)], 0);
            log.step(&call("g", "grep"), 400);
            log.step(&call("r", "read"), 400);
            log.step(&[Part::Mark(id(&format!("{name}d")), end("learned"))], 0);
        }
    }
    let (session, growth, sizes) = log.build(4);
    let policy = Policy::find("pi-cwl").unwrap();
    let options = PolicyOptions::defaults(policy).unwrap();
    let own = policy.adjust_table(&session, &sizes);
    let material = Material::default();
    let input = ReplayInput {
        session: &session,
        growth: &growth,
        table: &own,
        material: &material,
        pins: &[],
        overhead: &Overhead::default(),
        budget: 80_000,
        policy,
        options: &options,
    };
    let now = session.last_turn();
    let cwl_engine::Memory::PerTurn(list) = policy.memory else { return };
    let mut times = Vec::new();
    let mut n_steps = 0;
    for _ in 0..30 {
        let start = Instant::now();
        n_steps = list(input, now).steps.len();
        times.push(start.elapsed());
    }
    let start = Instant::now();
    let passed = plain_pi_cwl(&session, &own, &[], input.options.delimiter, input.budget, now);
    let slow = start.elapsed();
    assert_eq!(passed.steps.len(), n_steps, "both forms take the same steps");
    let fast = median(&times);
    let ratio = slow.as_secs_f64() / fast.as_secs_f64();
    table.push(
        "pi-cwl at one turn, beside its plain form",
        &format!(
            "{} messages, {n_steps} steps; {} beside {}",
            session.messages.len(),
            milliseconds(fast),
            milliseconds(slow)
        ),
        &format!("{ratio:.0} ×"),
        "≥ 1,000 ×",
        if ratio >= 1000.0 { "within" } else { "BELOW" },
    );
}
