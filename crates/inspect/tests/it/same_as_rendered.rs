//! On random stories, at every request: the edited list equals the inspector's rendering of the same log.

use cwl_engine::{
    Content, Cut, EventIdx, GraphTimeline, Material, ParsedEvent, Provider, RawPayload, Replay, ReplayInput,
    StateAt, render,
};
use cwl_formats::render::{ContentSource, render_context};
use cwl_formats::{Format, parse_log};
use cwl_inspect::{DecisionSettings, Verdict};
use serde_json::Value;

use crate::story::{Story, n_bytes, settings};

struct Texts(Vec<ParsedEvent>);

impl ContentSource for Texts {
    fn content(&self, event: EventIdx, part: u32) -> Content {
        self.0[event.at()].contents[part as usize].clone()
    }

    fn envelope(&self, event: EventIdx) -> RawPayload {
        self.0[event.at()].envelope.clone()
    }
}

/// Renders the last turn of a story's log as the inspector does.
fn rendered(story: &Story, settings: &DecisionSettings) -> Vec<Value> {
    let mut history = story.history();
    let session = history.current_session();
    let (growth, _) = GraphTimeline::build(&session);
    let table = history.build_table(&session, &growth, n_bytes);
    let input = ReplayInput {
        session: &session,
        growth: &growth,
        table: &table,
        material: &Material::default(),
        pins: &[],
        overhead: &settings.overhead,
        budget: settings.budget,
        policy: settings.policy,
        options: &settings.options,
    };
    let replay = Replay::run(&input);
    let state = StateAt::fold_to(&input, &replay, Cut::end_of(session.last_turn()));
    let context = render(&input, &replay, &state);
    let texts = Texts(parse_log(Format::Pi, story.log().as_bytes()).0);
    let body = render_context(Provider::Pi, Format::Pi, &session, &context, &texts).body;
    serde_json::from_str(&body).unwrap()
}

/// Deterministic random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Adds words, work or a mark at random.
fn add_beat(story: &mut Story, dice: &mut Dice, open: &mut bool, names: &mut Vec<String>) {
    let at = story.0.len();
    let tool = ["grep", "read", "bash", "edit", "odd"][dice.roll(5) as usize];
    let call = format!("c{at} {tool}");
    let n = dice.roll(400) as usize;
    match dice.roll(10) {
        0 => _ = story.human("words of the human"),
        1 | 2 if *open => {
            let description = if dice.roll(3) == 0 { "" } else { "what was found there" };
            story.end(description);
            *open = false;
        }
        1..=3 if !*open => {
            let name = format!("e{at}");
            match names.last().filter(|_| dice.roll(2) == 0) {
                Some(known) => _ = story.act(&name, &[&known.clone()]),
                None => {
                    story.expl(&name);
                    names.push(name);
                }
            }
            *open = true;
        }
        4 => _ = story.step(&["!thinking it over", "\"I look", &call], n),
        5 => _ = story.step(&[&call, &format!("d{at} read")], n),
        _ => _ = story.step(&[&call], n),
    }
}

#[test]
fn the_rest_is_what_the_inspector_renders() {
    let (mut n_requests, mut n_evicting) = (0, 0);
    for seed in 0..60 {
        let mut dice = Dice(seed);
        let (mut story, mut open, mut names) = (Story::default(), false, Vec::new());
        story.human("the task");
        let policy = ["cwl", "cwl+", "cwl granularity=item", "fold", "window", "cwl residue=none"]
            [dice.roll(6) as usize];
        let settings = settings(policy, 300 + dice.roll(1500), Provider::Pi);
        for _ in 0..25 {
            add_beat(&mut story, &mut dice, &mut open, &mut names);
            let decision = story.decide(&settings);
            n_requests += 1;
            if decision.verdict == Verdict::Evict {
                n_evicting += 1;
                let expected = rendered(&story, &settings);
                assert_eq!(story.edited(&decision.edits), expected, "seed {seed}, {policy}");
            } else {
                assert_eq!(decision.edits, [], "seed {seed}, {policy}");
            }
            let last = story.edited(&decision.edits).last().cloned();
            assert_eq!(last.as_ref(), story.0.last(), "seed {seed}, {policy}: the last turn stays");
        }
    }
    assert!(n_evicting * 4 > n_requests, "{n_evicting} of {n_requests} requests evict");
}
