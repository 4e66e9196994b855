//! Random logs with every kind of record, and invariants of every context.

use std::collections::BTreeSet;

use super::{Played, mark, reasoning, shell, text};
use cwl_engine::testing::{LogBuilder, Part, act, end, expl};
use cwl_engine::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub enum Beat {
    Human(usize),
    HumanShell(bool),
    Injected(usize),
    Reply(Vec<BeatPart>, bool),
    Answer(usize),
    Fail(usize),
    Refuse(usize),
    Compact(usize),
    Clear(usize),
    Rewind(usize),
    Revise(usize),
    Stray,
}

#[derive(Debug, Clone)]
pub enum BeatPart {
    Text(usize),
    Reasoning(usize),
    Signed(usize),
    Unsent(usize),
    Call(usize),
    Shell(bool),
    Expl(usize),
    Act(usize, Vec<usize>),
    End(bool),
}

fn beat_part() -> impl Strategy<Value = BeatPart> {
    prop_oneof![
        2 => (0..40usize).prop_map(BeatPart::Text),
        2 => (0..40usize).prop_map(BeatPart::Reasoning),
        1 => (0..40usize).prop_map(BeatPart::Signed),
        1 => (0..40usize).prop_map(BeatPart::Unsent),
        4 => (0..5usize).prop_map(BeatPart::Call),
        1 => any::<bool>().prop_map(BeatPart::Shell),
        3 => (0..5usize).prop_map(BeatPart::Expl),
        3 => (0..5usize, prop::collection::vec(0..6usize, 0..3)).prop_map(|(name, deps)| BeatPart::Act(name, deps)),
        4 => any::<bool>().prop_map(BeatPart::End),
    ]
}

pub fn beat() -> impl Strategy<Value = Beat> {
    prop_oneof![
        2 => (0..60usize).prop_map(Beat::Human),
        1 => any::<bool>().prop_map(Beat::HumanShell),
        1 => (0..60usize).prop_map(Beat::Injected),
        10 => (prop::collection::vec(beat_part(), 0..4), prop::bool::weighted(0.05)).prop_map(|(p, e)| Beat::Reply(p, e)),
        12 => (0..200usize).prop_map(Beat::Answer),
        1 => (0..50usize).prop_map(Beat::Fail),
        1 => (0..50usize).prop_map(Beat::Refuse),
        1 => (0..30usize).prop_map(Beat::Compact),
        1 => (0..12usize).prop_map(Beat::Clear),
        1 => (0..30usize).prop_map(Beat::Rewind),
        1 => (0..30usize).prop_map(Beat::Revise),
        1 => Just(Beat::Stray),
    ]
}

/// Turns beats into a log without signatures and without human words in results. Results answer the oldest
/// pending call, so some come late or never.
pub fn log_of(beats: &[Beat]) -> LogBuilder {
    log_with(beats, false)
}

/// Turns beats into a log; `holds` adds signatures and human words in results.
pub fn log_with(beats: &[Beat], holds: bool) -> LogBuilder {
    let mut log = LogBuilder::new();
    let mut waiting: Vec<String> = Vec::new();
    let mut n_calls = 0usize;
    for beat in beats {
        match beat {
            Beat::Human(n) => log.human(&"h".repeat(*n)),
            Beat::HumanShell(excluded) => log.human_shell("ls", *excluded),
            Beat::Injected(n) => log.injected(&"i".repeat(*n)),
            Beat::Stray => log.result("nobody", "stray"),
            Beat::Compact(n) => {
                let from = log.log.events().len().saturating_sub(*n).max(1);
                log.compaction(&"s".repeat(*n), &if *n == 0 { String::new() } else { format!("e{from}") })
            }
            Beat::Clear(n) => log.clearing(&format!("c{}", n_calls.saturating_sub(*n)), "cleared"),
            Beat::Rewind(0) => log.rewind(RewriteTarget::All),
            Beat::Rewind(n) if n % 2 == 0 => log.rewind(RewriteTarget::Turns(u32::try_from(n / 4).unwrap())),
            Beat::Rewind(n) => {
                let from = log.log.events().len().saturating_sub(*n).max(1);
                log.rewind(RewriteTarget::From(EntryId::new(format!("e{from}"))))
            }
            Beat::Revise(n) => {
                let at = log.log.events().len().saturating_sub(*n).max(1);
                log.revision(&format!("e{at}"), &"v".repeat(*n))
            }
            Beat::Answer(n) | Beat::Fail(n) | Beat::Refuse(n) => {
                // Mostly in order, but some calls are left for later.
                let at = if n % 7 == 0 { waiting.len().saturating_sub(1) } else { 0 };
                if waiting.is_empty() {
                    continue;
                }
                let id = waiting.remove(at);
                let body = "x".repeat(*n);
                match beat {
                    Beat::Refuse(_) if holds => log.refusal(&id, "no: ", &body),
                    Beat::Fail(_) | Beat::Refuse(_) => log.failure(&id, &body),
                    _ => log.result(&id, &body),
                }
            }
            Beat::Reply(pieces, failed) => {
                let parts: Vec<Part> = pieces
                    .iter()
                    .map(|piece| {
                        n_calls += 1;
                        let id = format!("c{n_calls}");
                        let name = |n: &usize| format!("n{n}");
                        let part = match piece {
                            BeatPart::Text(n) => return text(*n),
                            BeatPart::Reasoning(n) => return reasoning(*n),
                            BeatPart::Signed(n) if holds => return Part::Signed("r".repeat(*n)),
                            BeatPart::Unsent(n) if holds => return Part::Unsent("u".repeat(*n)),
                            BeatPart::Signed(n) | BeatPart::Unsent(n) => return reasoning(*n),
                            BeatPart::Call(tool) => super::call(
                                &id,
                                ["grep", "read", "edit", "bash", if holds { "ask" } else { "other" }][*tool],
                            ),
                            BeatPart::Shell(rg) => shell(&id, if *rg { "rg" } else { "cargo" }),
                            BeatPart::Expl(n) => mark(&id, expl(&name(n))),
                            BeatPart::Act(n, deps) => {
                                let deps: Vec<String> = deps.iter().map(name).collect();
                                let deps: Vec<&str> = deps.iter().map(String::as_str).collect();
                                mark(&id, act(&name(n), &deps))
                            }
                            BeatPart::End(described) => {
                                mark(&id, end(if *described { "learned much" } else { "" }))
                            }
                        };
                        waiting.push(id);
                        part
                    })
                    .collect();
                let outcome = if *failed { ReplyOutcome::Error } else { ReplyOutcome::Complete };
                log.reply_with(outcome, &parts)
            }
        };
    }
    log
}

pub fn halves(session: &Session, context: &RenderedContext) -> Vec<Violation> {
    let is_half = |v: &Violation| {
        matches!(v, Violation::CallWithoutResult { .. } | Violation::ResultWithoutCall { .. })
    };
    find_violations(session, context, Provider::OpenAiResponses).into_iter().filter(is_half).collect()
}

pub fn synthetic_between_call_and_result(session: &Session, context: &RenderedContext) -> bool {
    let mut open = BTreeSet::new();
    let kept = |message: &RenderedMessage| -> Vec<BlockIdx> {
        message
            .items
            .iter()
            .filter(|item| !matches!(item.fate, Fate::Gone(_)))
            .map(|item| item.block)
            .collect()
    };
    let answered: BTreeSet<BlockIdx> = context
        .messages
        .iter()
        .flat_map(kept)
        .filter(|b| matches!(session.blocks[b.at()].kind, BlockKind::Result(_)))
        .filter_map(|b| session.blocks[b.at()].pair)
        .collect();
    for message in &context.messages {
        if !matches!(message.origin, MessageOrigin::Log(_)) && !open.is_empty() {
            return true;
        }
        for block in kept(message) {
            match session.blocks[block.at()].kind {
                BlockKind::Call(_) if answered.contains(&block) => {
                    open.insert(block);
                }
                BlockKind::Result(_) => {
                    // Here, only the last of several results closes a call; random logs have one.
                    session.blocks[block.at()].pair.map(|call| open.remove(&call));
                }
                _ => {}
            }
        }
    }
    false
}

/// Returns the number of cases per property: four times `PROPTEST_CASES`, since engine properties are fast.
/// A failing case prints a line for `tests/proptest-regressions`, whose cases run first.
pub fn n_cases() -> u32 {
    ProptestConfig::default().cases * 4
}

/// Returns all policies, or only the one in the environment variable `POLICY`, for work on a single policy.
fn policies() -> Vec<&'static Policy> {
    match std::env::var("POLICY") {
        Ok(name) => vec![Policy::find(&name).unwrap()],
        Err(_) => Policy::ALL.iter().collect(),
    }
}

/// Generates an overhead with at most one change.
fn overhead() -> impl Strategy<Value = Overhead> {
    (0..100u64, 2..30u32, 0..100u64)
        .prop_map(|(first, turn, then)| Overhead::new([(TurnIdx::FIRST, first), (TurnIdx::new(turn), then)]))
}

#[derive(Debug, Clone)]
pub struct Setting {
    pub policy: &'static Policy,
    pub beats: Vec<Beat>,
    pub budget: u64,
    pub overhead: Overhead,
    pub divisor: u32,
    dice: Vec<u64>,
    chosen: Vec<usize>,
}

prop_compose! {
    pub fn setting()(
        policy in prop::sample::select(policies()),
        beats in prop::collection::vec(beat(), 0..50),
        budget in 0..800u64,
        overhead in overhead(),
        divisor in prop::sample::select(vec![1u32, 4, 3]),
        dice in prop::collection::vec(any::<u64>(), 1..12),
        chosen in prop::collection::vec(0..200usize, 0..3),
    ) -> Setting {
        Setting { policy, beats, budget, overhead, divisor, dice, chosen }
    }
}

impl Setting {
    pub fn play(&self) -> Played {
        self.play_with(&log_with(&self.beats, true), material_of)
    }

    pub fn play_with(&self, log: &LogBuilder, material: impl Fn(&Session) -> Material) -> Played {
        let Self { policy, budget, ref overhead, divisor, .. } = *self;
        let extra = |session: &Session| (material(session), pins_of(session, &self.chosen));
        Played::with(
            policy.name,
            log,
            budget,
            overhead.clone(),
            divisor,
            &settings_of(policy, &self.dice),
            extra,
        )
    }
}

/// Generates material: every third block has a summary line, results of equal size are equal, and calls use
/// what earlier results held.
pub fn material_of(session: &Session) -> Material {
    let units = |text: &str| u32::try_from(text.len() + 1).unwrap();
    let mut material = Material {
        title_units: units(SUMMARY_TITLE),
        heading_units: SummarySlot::ALL.map(|slot| units(slot.heading())),
        ..Material::default()
    };
    let mut results = Vec::new();
    for (at, row) in session.blocks.iter().enumerate() {
        let block = BlockIdx::new(at);
        if at % 3 == 0 {
            let text = format!("line {at}");
            let slot = SummarySlot::ALL[at / 3 % SummarySlot::ALL.len()];
            material.digest.push(DigestLine::new(block, slot, &*text, units(&text)));
        }
        let is_result = matches!(row.kind, BlockKind::Result(_));
        material.alike.push(match row.kind {
            BlockKind::Result(_) => at as u64 % 5,
            BlockKind::Call(_) => 5 + at as u64 % 5,
            _ => 0,
        });
        if matches!(row.kind, BlockKind::Call(_)) && !results.is_empty() {
            let name = u32::try_from(material.names.len()).unwrap();
            material.names.push(Name { kind: NameKind::Path, text: format!("/path/{at}").into() });
            let held = results[at * 7 % results.len()];
            material.uses.push(Use { name, by: block, held, again: None });
        }
        if is_result {
            results.push(block);
        }
    }
    material
}

pub fn head_of(session: &Session, block: BlockIdx) -> BlockIdx {
    let row = &session.blocks[block.at()];
    row.pair.filter(|_| matches!(row.kind, BlockKind::Result(_))).unwrap_or(block)
}

/// Pins some blocks; a call is pinned with its results.
pub fn pins_of(session: &Session, chosen: &[usize]) -> Vec<BlockIdx> {
    let head = |at: usize| head_of(session, BlockIdx::new(at)).at();
    let heads: BTreeSet<usize> = chosen
        .iter()
        .filter(|_| !session.blocks.is_empty())
        .map(|n| head(n % session.blocks.len()))
        .collect();
    (0..session.blocks.len()).filter(|at| heads.contains(&head(*at))).map(BlockIdx::new).collect()
}

pub fn settings_of(policy: &Policy, dice: &[u64]) -> PolicyOptions {
    let mut options = PolicyOptions::defaults(policy).unwrap();
    for (spec, roll) in COMMON_OPTIONS.iter().chain(policy.options).zip(dice.iter().cycle()) {
        let words: &[&str] = match (spec.key, spec.number_range()) {
            // Every third option keeps its default.
            _ if roll % 3 == 0 => continue,
            (key, Some((least, most))) => {
                let number = least.saturating_add(roll / 3 % 40).min(most);
                options.set_from_text(policy, key, &number.to_string()).unwrap();
                continue;
            }
            ("classify_shell" | "ignore_compaction", None) => &["true", "false"],
            ("granularity", None) => &["level", "item"],
            ("low_water", None) => &["1", "600", "1000"],
            ("protected_turns", None) => &["0", "1", "2"],
            ("levels", None) => &["134", "123", "4"],
            ("order", None) => &["lru", "lfu", "gdsf", "fifo"],
            ("exclude_tools", None) => &["none", "read", "grep,read"],
            ("residue", None) => &["description", "none"],
            (_, None) => &[],
        };
        let word = words.get((roll / 3) as usize % words.len().max(1)).copied().unwrap_or(spec.default);
        options.set_from_text(policy, spec.key, word).unwrap();
    }
    options
}
