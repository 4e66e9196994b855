//! Quality rules: for each one, stories that trigger it, and near misses.

use std::collections::BTreeMap;

use crate::common::random::{beat, log_of, material_of};
use crate::common::{Played, mark, options_of};
use cwl_engine::testing::{LogBuilder, Part, act, end, expl};
use cwl_engine::*;
use cwl_formats::read_call;
use proptest::prelude::*;

/// One step per line: `human WORDS`, `say WORDS`, `expl NAME`, `act NAME EXPLORATIONS`, `end DESCRIPTION`,
/// `read PATH > RESULT`, `edit PATH`, `sh COMMAND > RESULT`, `fail COMMAND > RESULT`.
fn log(story: &str) -> LogBuilder {
    let mut log = LogBuilder::new();
    for (at, line) in story.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (what, result) = rest.split_once(" > ").unwrap_or((rest, "fine"));
        let id = format!("c{at}");
        let with = |tool: &str, key: &str| {
            Part::CallWith(id.clone(), tool.into(), format!("{{\"{key}\":\"{what}\"}}"))
        };
        let mut words = rest.split(' ').filter(|word| !word.is_empty());
        match verb {
            "human" => drop(log.human(rest).last()),
            "say" => drop(log.reply(&[Part::Text(rest.into())]).last()),
            "expl" => drop(log.step(&[mark(&id, expl(rest))], 0).last()),
            "act" => {
                let name = words.next().unwrap();
                let on: Vec<&str> = words.collect();
                log.step(&[mark(&id, act(name, &on))], 0);
            }
            "end" => drop(log.step(&[mark(&id, end(rest))], 0).last()),
            "read" => drop(log.reply(&[with("read", "path")]).result(&id, result).last()),
            "edit" => drop(log.reply(&[with("edit", "path")]).result(&id, result).last()),
            "sh" => drop(log.reply(&[with("bash", "command")]).result(&id, result).last()),
            "fail" => drop(log.reply(&[with("bash", "command")]).failure(&id, result).last()),
            _ => panic!("no verb {verb}"),
        }
    }
    log
}

fn found(log: &LogBuilder, budget: u64, thresholds: &Thresholds) -> (Session, GraphTimeline, Vec<Remark>) {
    judged(log, budget, thresholds, find_remarks)
}

fn judged<T>(
    log: &LogBuilder,
    budget: u64,
    thresholds: &Thresholds,
    judge: impl FnOnce(&QualityInput<'_>) -> T,
) -> (Session, GraphTimeline, T) {
    let material = |session: &Session| {
        let (growth, _) = GraphTimeline::build(session);
        let base = log.material(session, &growth, read_call);
        let mut names = NamesBuilder::new(session, Some("/repo"));
        let mut numbers = NumbersBuilder::new(session);
        log.each_text(session, |block, text| {
            let reading = match &session.blocks[block.at()].kind {
                BlockKind::Call(call) => Some(read_call(&call.name, text)),
                _ => None,
            };
            names.add_block(block, text, reading.as_ref());
            numbers.add_block(block, text);
        });
        let FoundNames { names, uses, changes, lost } = names.finish();
        let numbers = numbers.finish();
        (Material { names, uses, changes, lost, numbers, ..base }, Vec::new())
    };
    let played = Played::with("cwl", log, budget, 0, 1, &options_of("cwl", &[]), material);
    let mut facts = FactsBuilder::new(&played.session);
    log.each_text(&played.session, |block, text| {
        let reading = match &played.session.blocks[block.at()].kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        facts.add_block(block, text, reading.as_ref());
    });
    let absences = find_absences(&played.input(), &played.replay, &played.material);
    let facts = facts.finish();
    let mut texts = BTreeMap::new();
    log.each_text(&played.session, |block, text| drop(texts.insert(block, text.to_owned())));
    let shared = |reacquisition: &Reacquisition| {
        shared_lines(&texts[&reacquisition.held], &texts[&reacquisition.again])
    };
    let same: Vec<u16> = absences.reacquisitions.iter().map(shared).collect();
    let stories =
        reacquisition_stories(&played.input(), &played.replay, &facts, &absences.reacquisitions, &same);
    let all = judge(&QualityInput {
        session: &played.session,
        growth: &played.growth,
        table: &played.table,
        material: &played.material,
        facts: &facts,
        absences: &absences,
        stories: &stories,
        budget,
        thresholds,
    });
    (played.session, played.growth, all)
}

/// Expected form: remarks of one rule as `EPISODE` or `ACT<EXPLORATION`, with `=COST` if known.
fn check_at(budget: u64, code: &str, story: &str, expected: &str) {
    let (_, growth, (all, n_of_policy)) = judged(&log(story), budget, &Thresholds::default(), |input| {
        (find_remarks(input), count_remarks_of_policy(input, &QualityGround::from_input(input)))
    });
    let of_policy = all.iter().filter(|remark| remark.kind.depends_on_policy());
    assert_eq!(of_policy.count(), n_of_policy, "{story}");
    let name = |idx: EpisodeIdx| growth.graph.episode(idx).name.to_string();
    let told: Vec<String> = all
        .iter()
        .filter(|remark| remark.kind.code() == code)
        .map(|remark| {
            let on = remark.on.map(|on| format!("<{}", name(on))).unwrap_or_default();
            let cost = remark.cost.map(|cost| format!("={cost}")).unwrap_or_default();
            format!("{}{on}{cost}", name(remark.episode))
        })
        .collect();
    assert_eq!(told.join(" "), expected, "{code} in {story}");
}

fn check(code: &str, story: &str, expected: &str) {
    check_at(100_000, code, story, expected);
}

#[test]
fn q001_an_exploration_that_changes_things() {
    check("Q001", "expl look\nread a.rs\nedit a.rs\nend found", "look");
    check("Q001", "expl look\nread a.rs\nsh git commit -m x\nend found", "look");
    check("Q001", "expl look\nsh rm -r x\nsh mv a b\nend found", "look");
    // Near misses: an act may change things, and a file outside the project is the agent's own note.
    check("Q001", "expl look\nread a.rs\nsh git log\nsh cargo test\nend found", "");
    check("Q001", "expl look\nread a.rs\nend found\nact fix look\nedit a.rs\nend", "");
    check("Q001", "expl look\nread a.rs\nsh mkdir /tmp/x\nend found", "");
    check("Q001", "expl look\nread a.rs\nfail git commit -m x > refused\nend found", "");
}

#[test]
fn q002_an_act_that_changes_nothing() {
    check("Q002", "act fix\nread a.rs\nsh rg main\nend", "fix");
    check("Q002", "act fix\nread a.rs\nsh cargo test\nend", "fix");
    check("Q002", "act fix\nread a.rs\nedit a.rs\nend", "");
    check("Q002", "act fix\nread a.rs\nsh npm start\nend", "");
    check("Q002", "act fix\nread a.rs", "");
    check("Q002", "act fix\nsay done\nend", "");
    check("Q002", "expl look\nread a.rs\nend found", "");
}

#[test]
fn q003_a_dependency_that_is_forgotten() {
    let story = |dependencies: &str, use_it: &str| {
        format!(
            "expl a\nread src/a.rs > one\nend found\nexpl b\nread src/b.rs > port 8041 and 9137 and 7713\nend found\n\
             act fix {dependencies}\n{use_it}\nend"
        )
    };
    check("Q003", &story("a", "edit src/b.rs"), "fix<b=0");
    check("Q003", &story("a b", "edit src/b.rs"), "");
    check("Q003", &story("a", "edit src/c.rs"), "");
    // Three rare numbers suffice, one does not, and round numbers and years do not count.
    check("Q003", &story("a", "say ports 8041 and 9137 and 7713"), "fix<b=0");
    check("Q003", &story("a", "say port 8041 and in 2026 and 9000"), "");
    let symbols = |n: usize| {
        let all = (0..n).map(|at| format!("parse_part_{at}")).collect::<Vec<_>>().join(" ");
        format!("expl a\nread src/a.rs > {all}\nend found\nact fix other\nsay {all}\nend")
    };
    check("Q003", &symbols(2), "");
    check("Q003", &symbols(3), "fix<a=0");
}

#[test]
fn q003_an_identifier_of_an_error_is_stronger() {
    let story = |verb: &str| {
        format!(
            "expl a\n{verb} make > no parse_head and parse_tail\nend found\nact fix other\nsay parse_head and parse_tail\nend"
        )
    };
    check("Q003", &story("fail"), "fix<a=0");
    check("Q003", &story("sh"), "");
}

#[test]
fn q003_costs_what_is_read_again_after_its_eviction() {
    let long = "x".repeat(3000);
    let story = format!(
        "expl a\nread src/a.rs > {long}\nend found\nact fix other\nsay go\nread src/z.rs > {long}y\n\
         edit src/z.rs\nread src/a.rs > {long}\nend"
    );
    check_at(4000, "Q003", &story, "fix<a=3000");
    check_at(40_000, "Q003", &story, "fix<a=0");
}

#[test]
fn q004_a_dependency_that_is_not_used() {
    let story = |dependencies: &str, n: usize| {
        let reads: String = (0..4).map(|at| format!("read src/b{at}.rs > text\n")).collect();
        let edits: String = (0..n).map(|at| format!("edit src/b{at}.rs\n")).collect();
        format!(
            "expl a\nread src/a.rs > one\nend found\nexpl b\n{reads}end found\nact fix {dependencies}\n{edits}end"
        )
    };
    check("Q004", &story("a b", 4), "fix<a=48");
    check("Q004", &story("b", 4), "");
    // Too few names to judge.
    check("Q004", &story("a b", 1), "");
}

#[test]
fn q005_an_act_on_a_stripped_exploration() {
    let story = |between: usize| {
        format!(
            "expl a\nread src/a.rs > {}\nend found\nact first a\nedit src/x.rs\nend\nexpl b\nread src/b.rs > {}\nend found\n\
             act fix a b\nedit src/a.rs\nend",
            "x".repeat(3000),
            "y".repeat(between)
        )
    };
    check_at(5000, "Q005", &story(3000), "fix<a=3023");
    check_at(5000, "Q005", &story(100), "");
    check_at(50_000, "Q005", &story(3000), "");
}

#[test]
fn q006_what_is_acquired_twice() {
    let long = "x".repeat(600);
    let story = |between: &str, again: &str| {
        format!("expl a\nread src/a.rs > {long}\n{between}\nread src/a.rs > {again}\nend found")
    };
    check("Q006", &story("say hm", &long), "a=600");
    // Another part of the file, an edit in between, a small result.
    check("Q006", &story("say hm", &"y".repeat(600)), "");
    check("Q006", &story("edit src/a.rs", &long), "");
    check("Q006", &story("sh git checkout main", &long), "");
    check("Q006", "expl a\nread src/a.rs > x\nread src/a.rs > x\nend found", "");
    let gone = |text: &str| {
        format!(
            "expl a\nread src/a.rs > {}\nend found\nexpl b\nread src/b.rs > {}\nend found\nsay hm\nexpl c\n\
             read src/a.rs > {}\nend found",
            "x".repeat(3000),
            "y".repeat(3000),
            text.repeat(3000)
        )
    };
    check_at(4000, "Q006", &gone("x"), "c=3000");
    // Another text is another part of the file, or the file changed.
    check_at(4000, "Q006", &gone("z"), "");
    check_at(40_000, "Q006", &gone("z"), "");
    // Nothing was evicted: the same text is read while it stands in the context.
    check_at(40_000, "Q006", &gone("x"), "c=3000");
}

#[test]
fn q007_a_thin_description() {
    let story = |description: &str, n: usize| {
        let reads: String =
            (0..6).map(|at| format!("read src/part{at}.rs > {}\n", "x".repeat(600 + at))).collect();
        let later: String = (0..n).map(|at| format!("edit src/part{at}.rs\n")).collect();
        let other = format!("expl other\nread src/other.rs > {}\nend found\n", "y".repeat(3000));
        format!("expl look\n{reads}end {description}\n{other}say hm\nact fix other\n{later}end")
    };
    check_at(4000, "Q007", &story("read it", 6), "look=0");
    check_at(4000, "Q007", &story("part0.rs part1.rs part2.rs part3.rs have it", 6), "");
    check_at(4000, "Q007", &story("read it", 3), "");
    // A block still in the context is read there.
    check_at(40_000, "Q007", &story("read it", 6), "");
    // A missing description is a protocol breach, not a doubt.
    check_at(4000, "Q007", &story("", 6), "");
}

/// A file is read, goes, and is read again; then the agent says `later`.
fn read_again(description: &str, between: &str, later: &str) -> String {
    let text = format!("fn parse_header() {} fn read_body()", "x".repeat(3000));
    format!(
        "expl look\nread src/a.rs > {text}\nend {description}\nexpl other\nread src/b.rs > {}\nend found\n\
         {between}\nexpl again\nread src/a.rs > {text}\nsay {later}\nend found",
        "y".repeat(3000)
    )
}

#[test]
fn q007_charges_what_the_engine_puts_down_to_a_description() {
    let again = "parse_header and read_body are there";
    check_at(4000, "Q007", &read_again("it has it", "say hm", again), "look=3033");
    check_at(4000, "Q007", &read_again("parse_header and read_body", "say hm", again), "");
    // A file that changed in between is no fault of a description.
    check_at(4000, "Q007", &read_again("it has it", "edit src/a.rs", again), "");
    check_at(4000, "Q006", &read_again("it has it", "say hm", again), "again=3033");
    check_at(4000, "Q006", &read_again("it has it", "edit src/a.rs", again), "");
    // Files that were read again are not missing in the description, only what was not read again is.
    let reads = |n: usize| {
        (0..n).map(|at| format!("read src/p{at}.rs > {}\n", "x".repeat(600 + at))).collect::<String>()
    };
    let edits: String = (0..6).map(|at| format!("edit src/p{at}.rs\n")).collect();
    let story = format!(
        "expl look\n{}end read it\nexpl other\nread src/b.rs > {}\nend found\nact fix other\n{edits}end\n\
         expl other-2\nread src/c.rs > {}\nend found\nexpl again\n{}end found",
        reads(6),
        "y".repeat(3000),
        "z".repeat(3000),
        reads(6)
    );
    check_at(8000, "Q007", &story, "");
}

#[test]
fn q008_an_episode_too_coarse_or_too_fine() {
    let story = |n: usize| {
        format!(
            "expl look\nread src/a.rs > {}\nend found\nact go look\nedit src/routes/settings/page.rs\nedit src/routes/settings/form.rs\nend",
            "x".repeat(n)
        )
    };
    check_at(10_000, "Q008", &story(6000), "look=1045");
    check_at(10_000, "Q008", &story(3000), "");
    check("Q008", "expl look\nend x", "look");
    check("Q008", "expl look", "");
}

#[test]
fn q009_a_long_stretch_without_an_episode() {
    let story = |n: usize| {
        format!("expl look\nread a.rs\nend found\n{}act fix look\nedit a.rs\nend", "read b.rs\n".repeat(n))
    };
    check("Q009", &story(8), "~1=184");
    check("Q009", &story(7), "");
    let large = format!("expl look\nread a.rs\nend found\nread b.rs > {}\nexpl more", "x".repeat(3000));
    check_at(10_000, "Q009", &large, "~1=3019");
    check("Q009", &large, "");
    // Without any episode, there is nothing to compare with.
    check("Q009", &"read b.rs\n".repeat(30), "");
}

#[test]
fn q010_an_episode_that_was_left_open() {
    let story = |n: usize| format!("expl look\n{}", "read b.rs\n".repeat(n));
    check("Q010", &story(25), "look=586");
    check("Q010", &story(20), "");
    check("Q010", &format!("{}end found", story(25)), "");
    check_at(1000, "Q010", &story(12), "look=287");
}

#[test]
fn q011_a_task_that_changes_inside_an_episode() {
    let words = "human the page of the settings has a fault of its own, look after that one as well";
    let story = |words: &str, after: &str| format!("act fix\nedit a.rs\nedit b.rs\n{words}\n{after}\nend");
    check("Q011", &story(words, "edit c.rs\nedit d.rs"), "fix");
    check("Q011", &story(words, "edit a.rs\nedit d.rs"), "");
    check("Q011", &story(words, "say I will"), "");
    check("Q011", &story("human yes, go on", "edit c.rs\nedit d.rs"), "");
    check("Q011", &story("human d.rs", "edit c.rs\nedit d.rs"), "");
}

#[test]
fn q012_a_name_that_says_nothing() {
    let check = |name: &str, expected: &str| {
        check("Q012", &format!("expl {name}\nread a.rs\nend found"), expected);
    };
    for name in ["task-2", "explore", "step_1", "fix", "work", "x", "a1", "next-part", "Explore-Code"] {
        check(name, name);
    }
    for name in ["fix-login", "read-insert-path", "ui", "parser-work", "règles"] {
        let expected = if name == "ui" { name } else { "" };
        check(name, expected);
    }
}

#[test]
fn thresholds_decide() {
    let log = log("expl read-parser\nread a.rs\nedit a.rs\nend found");
    let mut thresholds = Thresholds::default();
    let codes = |thresholds: &Thresholds| {
        let (_, _, all) = found(&log, 100_000, thresholds);
        all.iter().map(|remark| remark.kind.code()).collect::<Vec<_>>()
    };
    assert_eq!(codes(&thresholds), ["Q001"]);
    assert!(thresholds.set_value("Q001", "edits", 2));
    assert_eq!(codes(&thresholds), [""; 0]);
}

#[test]
fn inferred_episodes_are_not_blamed_for_words_that_no_agent_chose() {
    let log = log("human go\nread a.rs\nread b.rs");
    let (session, _, _) = found(&log, 100_000, &Thresholds::default());
    let span = |first| Span {
        name: "work".into(),
        kind: DeclaredKind::Exploratory,
        first: BlockIdx::new(first),
        last: None,
        dependencies: Vec::new(),
        description: None,
        evidence: None,
    };
    let codes = |annotation: Annotation| {
        let (growth, _) = GraphTimeline::build_annotated(&session, &annotation);
        let facts = FactsBuilder::new(&session).finish();
        let table = log.table(&session, &growth, 1);
        let all = find_remarks(&QualityInput {
            session: &session,
            growth: &growth,
            table: &table,
            material: &Material::default(),
            facts: &facts,
            absences: &Absences::default(),
            stories: &[],
            budget: 10,
            thresholds: &Thresholds::default(),
        });
        all.iter().map(|remark| remark.kind.code()).collect::<Vec<_>>()
    };
    assert_eq!(codes(Annotation::from_inferred(vec![span(1)])), ["Q008"]);
    assert_eq!(codes(Annotation::from_written(vec![span(1)])), ["Q008", "Q010", "Q012"]);
}

proptest! {
    #[test]
    fn every_remark_has_its_place(beats in prop::collection::vec(beat(), 0..60), budget in 1u64..3000) {
        let log = log_of(&beats);
        let material = |session: &Session| (material_of(session), Vec::new());
        let played = Played::with("cwl", &log, budget, 0, 1, &options_of("cwl", &[]), material);
        let absences = find_absences(&played.input(), &played.replay, &played.material);
        let facts = FactsBuilder::new(&played.session).finish();
        let stories = reacquisition_stories(&played.input(), &played.replay, &facts, &absences.reacquisitions, &[]);
        let input = QualityInput {
            session: &played.session,
            growth: &played.growth,
            table: &played.table,
            material: &played.material,
            facts: &facts,
            absences: &absences,
            stories: &stories,
            budget,
            thresholds: &Thresholds::default(),
        };
        let all = find_remarks(&input);
        prop_assert_eq!(&all, &find_remarks(&input));
        let of_policy = all.iter().filter(|remark| remark.kind.depends_on_policy()).count();
        prop_assert_eq!(count_remarks_of_policy(&input, &QualityGround::from_input(&input)), of_policy);
        prop_assert!(all.is_sorted_by_key(|remark| remark.at));
        for remark in all {
            prop_assert!(remark.episode.at() < played.growth.graph.episodes.len());
            prop_assert!(remark.at.at() < played.session.blocks.len());
            prop_assert!(remark.strength <= 1000 && remark.evidence.len() <= EVIDENCE_LISTED);
            prop_assert!(remark.evidence.is_sorted() && !remark.kind.to_string().is_empty());
            prop_assert!(remark.kind.code().starts_with('Q'));
        }
    }
}

fn figures(story: &str, budget: u64, breaches: &[Breach]) -> AnnotationFigures {
    let judge = |input: &QualityInput<'_>| AnnotationFigures::measure(input, &find_remarks(input), breaches);
    judged(&log(story), budget, &Thresholds::default(), judge).2
}

const TOLD_WELL: &str =
    "expl a\nread src/a.rs > one\nend src/a.rs has one\nact fix a\nedit src/a.rs\nedit src/a.rs\nend";

#[test]
fn figures_of_a_sound_annotation() {
    let of = figures(TOLD_WELL, 100_000, &[]);
    assert_eq!((of.n_episodes, of.n_sound, of.doubtful, of.n_breaches), (2, 2, 0, 0));
    assert_eq!(of.edges, EdgeFigures { used: 1, ..EdgeFigures::default() });
    assert_eq!((of.edges.precision(), of.edges.recall()), (Some(1000), Some(1000)));
    assert_eq!(of.spent.map(|spent| spent.n_calls), Some(4), "two starts, two ends");
    assert_eq!((of.early, of.late), (EarlyEviction::default(), LateRetention::default()));
    assert!(of.sound_share() == Some(1000) && of.sound > 0, "{of:?}");
}

#[test]
fn a_breach_that_names_an_episode_takes_its_tokens() {
    let breach = |severity| Breach { episode: Some(EpisodeIdx::new(0)), severity };
    let sound = figures(TOLD_WELL, 100_000, &[]);
    let check = |breaches: &[Breach], n_sound: u32, n_breaches: u32, per_hundred: u32| {
        let of = figures(TOLD_WELL, 100_000, breaches);
        assert_eq!((of.n_sound, of.n_breaches), (n_sound, n_breaches), "{breaches:?}");
        assert_eq!(of.breaches_per_hundred(), Some(per_hundred));
        assert_eq!(of.sound + of.doubtful, sound.sound, "{breaches:?}");
    };
    check(&[breach(Severity::Info)], 2, 0, 0);
    check(&[breach(Severity::Warning)], 1, 1, 500);
    check(&[breach(Severity::Error), breach(Severity::Warning)], 1, 2, 1000);
    check(&[Breach { episode: None, severity: Severity::Error }], 2, 1, 500);
}

#[test]
fn dependencies_are_judged_by_evidence() {
    // Declared and used; forgotten (Q003); declared but unused (Q004); not enough evidence.
    let check = |story: &str, used: u32, unused: u32, untold: u32, forgotten: u32| {
        let of = figures(story, 100_000, &[]).edges;
        assert_eq!(of, EdgeFigures { used, unused, untold, forgotten }, "{story}");
    };
    check(TOLD_WELL, 1, 0, 0, 0);
    let two = "expl a\nread src/a.rs > one\nend found\nexpl b\nread src/b.rs > two\nend found\n";
    check(&format!("{two}act fix a\nedit src/b.rs\nedit src/a.rs\nend"), 1, 0, 0, 1);
    let reads: String = (0..4).map(|at| format!("read src/b{at}.rs > text\n")).collect();
    let edits: String = (0..4).map(|at| format!("edit src/b{at}.rs\n")).collect();
    let many = format!("expl a\nread src/a.rs > one\nend found\nexpl b\n{reads}end found\n");
    check(&format!("{many}act fix a b\n{edits}end"), 1, 1, 0, 0);
    check(&format!("{many}act fix a\nedit src/z.rs\nend"), 0, 0, 1, 0);
    assert_eq!(EdgeFigures::default().precision(), None, "of nothing there is no share");
}

#[test]
fn what_comes_back_was_evicted_too_early_unless_it_changed() {
    let long = "x".repeat(3000);
    let story = |between: &str| {
        format!(
            "expl a\nread src/a.rs > {long}\nend found\nact fix other\nsay go\nread src/z.rs > {long}y\n{between}\n\
             read src/a.rs > {long}\nend"
        )
    };
    let check = |between: &str, budget: u64, expected: EarlyEviction| {
        assert_eq!(figures(&story(between), budget, &[]).early, expected, "{between} at {budget}");
    };
    check("edit src/z.rs", 4000, EarlyEviction { n: 1, tokens: 3000, n_changed: 0 });
    check("edit src/a.rs", 4000, EarlyEviction { n: 0, tokens: 0, n_changed: 1 });
    check("edit src/z.rs", 40_000, EarlyEviction::default());
}
