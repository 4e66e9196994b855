//! Exports: a page's look-ups equal the commands' answers, and no secret remains.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cwl_host::dto::{
    BandsByDto, CacheRulesDto, CapturedBodyDto, CapturedBodyRequest, CapturedPartDto, CompareAtDto,
    CompareColumnDto, CompareRequest, CutDto, EpisodeAtCutDto, EpisodeRequest, ExportDto, ExportRequest,
    ExportedViewDto, FindingDto, FrameRequest, HeldDto, ItemDto, KeptByDto, LifeDto, RecoveryRequest,
    SortDto, ViewDto, ViewRequest,
};
use cwl_host::{LogInput, PageExtent, SessionSnapshot, Tools, commands, load_file, make_export};

fn sample(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    let lines = folder.join("input.jsonl");
    if lines.exists() { lines } else { folder.join("input.json") }
}

fn open(path: PathBuf) -> SessionSnapshot {
    load_file(&LogInput::File(path), None, &Tools::builtin_tables()).unwrap()
}

fn view(policy: &str, budget: &str) -> ViewDto {
    ViewDto { policy: policy.into(), budget: budget.into(), ..ViewDto::counted("o200k") }
}

fn export(opened: &SessionSnapshot, views: Vec<ViewDto>, redact: bool) -> ExportDto {
    let request = ExportRequest { session: 0, views, cut: CutDto::default(), redact, compared: Vec::new() };
    let json = make_export(opened, &request).unwrap().json;
    assert!(!json.contains(&b'<'), "nothing in it ends its element");
    serde_json::from_slice(&json).unwrap()
}

/// Lists a view's places in time with their cuts.
fn places(view: &ExportedViewDto) -> Vec<(u32, CutDto)> {
    let turns = (1u32..).zip(&view.replay.n_steps);
    let cuts = turns.flat_map(|(turn, n_steps)| {
        (0..=*n_steps).map(move |step| CutDto { turn: Some(turn), step: Some(step) })
    });
    (0u32..).zip(cuts).collect()
}

/// Applies all changes up to a place in time.
fn folded(first: Vec<u32>, changes: &[u32], place: u32) -> Vec<u32> {
    let mut values = first;
    for change in changes.chunks_exact(3).take_while(|change| change[0] <= place) {
        values[change[1] as usize] = change[2];
    }
    values
}

/// Returns the value that holds at a place in time.
fn span_at(pairs: &[u32], place: u32) -> Option<u32> {
    pairs.chunks_exact(2).take_while(|pair| pair[0] <= place).last().map(|pair| pair[1])
}

/// Compares every look-up at every place in time with the answer of its command.
fn check(name: &str, policy: &str, budget: &str, every: usize) {
    check_view(name, &open(sample(name)), &view(policy, budget), every);
}

/// Tells whether `moment` lies between an entry and the next exit.
fn is_between(in_and_out: &[u32], moment: u32) -> bool {
    in_and_out.iter().filter(|toggle| **toggle <= moment).count() % 2 == 1
}

fn check_view(name: &str, opened: &SessionSnapshot, asked: &ViewDto, every: usize) {
    let (policy, budget) = (&asked.policy, &asked.budget);
    let whole = export(opened, vec![asked.clone()], false);
    let of = &whole.views[0];
    let frame_at = |cut: CutDto, held: HeldDto| {
        let request =
            FrameRequest { session: 0, view: asked.clone(), cut, held, bands: BandsByDto::default() };
        commands::frame(opened, &request).unwrap()
    };
    let first = frame_at(CutDto::default(), HeldDto::Nothing);
    for (recorded, answered) in [
        (serde_json::to_value(&of.graph), serde_json::to_value(&first.graph)),
        (serde_json::to_value(&of.history), serde_json::to_value(&first.history)),
        (serde_json::to_value(&of.replay), serde_json::to_value(&first.replay)),
    ] {
        assert_eq!(recorded.unwrap(), answered.unwrap());
    }
    let word = |at: u32| whole.words[at as usize].as_str();
    for (place, cut) in places(of).into_iter().step_by(every) {
        let at = format!("{name} {policy} {budget} {cut:?}");
        let frame = frame_at(cut, HeldDto::Replay);
        let recorded = &of.steps[cut.turn.unwrap() as usize - 1];
        assert_eq!(
            serde_json::to_value(recorded).unwrap(),
            serde_json::to_value(&frame.steps).unwrap(),
            "{at}"
        );
        let levels: Vec<u32> = frame.levels.into_iter().map(u32::from).collect();
        assert_eq!(folded(vec![0; levels.len()], &of.levels, place), levels, "{at}");
        let sizes = of.graph.episodes.iter().map(|episode| u32::try_from(episode.kept_at[0]).unwrap());
        assert_eq!(folded(sizes.collect(), &of.left, place), frame.left, "{at}");
        if of.looked_at.as_ref().is_some_and(|looked_at| !looked_at.contains(&place)) {
            continue;
        }
        let context = commands::context(opened, asked, cut, true, PageExtent::ALL).unwrap();
        let met = of.met.iter().filter(|toggle| **toggle <= place).count().is_multiple_of(2);
        let listed: Vec<_> = of
            .spans
            .iter()
            .enumerate()
            .filter_map(|(row, span)| {
                let state = &of.states[span_at(span, place).filter(|state| *state > 0)? as usize - 1];
                let reason = if met { state.reason } else { state.reason_over };
                Some((
                    whole.rows.block[row].clone(),
                    state.kept,
                    word(reason).to_owned(),
                    state.evicted_step,
                    of.tokens[row],
                    state.placeholder.map(|text| word(text).to_owned()),
                    whole.rows.path[row].map(|path| word(path).to_owned()),
                ))
            })
            .collect();
        let answered: Vec<_> = context
            .items
            .into_iter()
            .map(|item| {
                let ItemDto { block, kept, reason, evicted_step, tokens, placeholder, path, .. } = item;
                (block, kept, reason, evicted_step, tokens, placeholder, path)
            })
            .collect();
        assert_eq!(listed.len(), answered.len(), "{at}");
        let spans = of.findings.iter().zip(&of.finding_spans);
        let found: Vec<FindingDto> =
            spans.filter(|(_, span)| is_between(span, place)).map(|(finding, _)| finding.clone()).collect();
        assert_eq!(found, context.findings, "{at}");
        assert_eq!(of.totals[place as usize], context.total, "{at}");
        check_gone(&whole, opened, asked, cut, place);
        let over = of.over.iter().find(|(moment, _)| *moment == place).map(|(_, over)| over.clone());
        assert_eq!(over, context.over_budget, "{at}");
        for (listed, answered) in listed.iter().zip(&answered) {
            assert_eq!(listed, answered, "{at}");
        }
        for episode in 0..u32::try_from(of.detail_spans.len()).unwrap() {
            let Some(detail) = span_at(&of.detail_spans[episode as usize], place) else { continue };
            let detail = &of.details[detail as usize];
            let request = EpisodeRequest { session: 0, view: asked.clone(), cut, episode };
            let known = commands::episode(opened, &request).unwrap();
            assert_eq!(history_at(of, episode as usize, place), known.history, "{at}, {}", known.name);
            assert_eq!(*detail, known.at_cut, "{at}, {}", known.name);
            assert_eq!(freed_by(of, episode, place), known.frees, "{at}, {}", known.name);
            assert_eq!(whole.episodes[episode as usize], known.always, "{at}, {}", known.name);
        }
    }
}

/// Closed episodes with only one dependent at a moment.
fn freed_by(of: &ExportedViewDto, episode: u32, moment: u32) -> Vec<u32> {
    let details = (0u32..).zip(&of.detail_spans).filter_map(|(at, span)| Some((at, span_at(span, moment)?)));
    let is_freed = |detail: u32| {
        let EpisodeAtCutDto { life, blocked_by, .. } = &of.details[detail as usize];
        *life == LifeDto::Closed && *blocked_by == [episode]
    };
    details.filter(|(_, detail)| is_freed(*detail)).map(|(at, _)| at).collect()
}

/// Steps that touched an episode and are history at a moment.
fn history_at(of: &ExportedViewDto, episode: usize, moment: u32) -> Vec<(u32, u32, String, u64)> {
    let cuts: Vec<CutDto> = places(of).into_iter().map(|(_, cut)| cut).collect();
    let spans = of.histories[episode].chunks_exact(2);
    let there = spans.filter(|span| span[0] <= moment && moment < span[1]);
    there
        .map(|span| {
            let CutDto { turn: Some(turn), step: Some(step) } = cuts[span[0] as usize] else {
                unreachable!()
            };
            let taken = &of.steps[turn as usize - 1].steps[step as usize - 1];
            (turn, step, taken.sentence.clone(), taken.before)
        })
        .collect()
}

/// Compares evicted rows in every order with answers of `evicted`, and checks the sent rows.
fn check_gone(whole: &ExportDto, opened: &SessionSnapshot, asked: &ViewDto, cut: CutDto, moment: u32) {
    let of = &whole.views[0];
    let list = of
        .looked_at
        .as_ref()
        .map_or(moment as usize, |looked_at| looked_at.iter().position(|other| *other == moment).unwrap());
    let state = |row: usize| {
        let state = span_at(&of.spans[row], moment).filter(|state| *state > 0)?;
        Some(&of.states[state as usize - 1])
    };
    let listed = |is_wanted: &dyn Fn(usize) -> Option<bool>, order: &[u32]| -> Vec<usize> {
        order.iter().map(|row| *row as usize).filter(|row| is_wanted(*row) == Some(true)).collect()
    };
    let n_rows = u32::try_from(of.spans.len()).unwrap();
    let in_order: Vec<u32> = (0..n_rows).collect();
    let in_log_order = whole.rows.in_log_order.as_ref().unwrap_or(&in_order);
    let blocks =
        |rows: Vec<usize>| rows.into_iter().map(|row| whole.rows.block[row].clone()).collect::<Vec<_>>();
    for sort in SortDto::ALL.iter().copied() {
        let answered = commands::evicted(opened, asked, cut, None, sort, PageExtent::ALL).unwrap();
        let mut gone = listed(&|row| state(row).map(|state| !state.kept), in_log_order);
        let key = |row: usize| match sort {
            SortDto::Size => (of.tokens[row], 0),
            SortDto::Turn => state(row).map_or((0, 0), |state| {
                (state.evicted_turn.unwrap_or(0).into(), state.evicted_step.unwrap_or(0))
            }),
            SortDto::Log => (0, 0),
        };
        gone.sort_by_key(|row| std::cmp::Reverse(key(*row)));
        let turns: Vec<_> = answered.items.iter().map(|item| (item.first_turn, item.again_turn)).collect();
        assert_eq!(gone.iter().map(|row| of.absences[*row]).collect::<Vec<_>>(), turns, "{sort} {cut:?}");
        let expected: Vec<String> = answered.items.into_iter().map(|item| item.block).collect();
        assert_eq!(blocks(gone), expected, "{sort} {cut:?}");
        assert_eq!(of.gone_tokens[list], answered.tokens, "{cut:?}");
    }
    let answered = commands::context(opened, asked, cut, false, PageExtent::ALL).unwrap();
    let answered = answered.items.into_iter().map(|item| item.block);
    let sent = listed(&|row| state(row).map(|state| state.sent), &in_order);
    assert_eq!(blocks(sent), answered.collect::<Vec<_>>(), "{cut:?}");
}

#[test]
fn everything_that_is_looked_up_is_what_the_commands_answer() {
    for (policy, budget) in [
        ("cwl", "6k"),
        ("cwl", "20k"),
        ("cwl+", "6k"),
        ("window", "6k"),
        ("mask", "6k"),
        ("pi-cwl", "6k"),
        ("summary", "6k"),
        ("ladder", "8k"),
        ("fold", "8k"),
        ("tiers", "6k"),
        ("none", "6k"),
    ] {
        check("pi/quickstart", policy, budget, 1);
    }
    check("claude-code/compaction", "cwl", "4k", 1);
    check("pi/quickstart", "cwl", "2k", 1);
    check("codex/compacted", "cwl", "4k", 1);
    check("opencode/reverted", "cwl", "2k", 1);
}

#[test]
fn what_is_found_stands_where_it_was_found() {
    let opened = open(sample("pi/quickstart"));
    let probes = vec!["the".into(), "nowhere to be found".into()];
    let asked = ViewDto { probes, ..view("cwl", "2k") };
    check_view("pi/quickstart", &opened, &asked, 1);
    let of = &export(&opened, vec![asked], false).views[0];
    assert!(of.findings.iter().any(|one| one.watched) && !of.over.is_empty());
}

#[test]
fn a_long_session_has_its_lists_at_every_step() {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/wild.jsonl");
    let opened = open(log);
    for (policy, budget) in [("cwl", "40k"), ("pi-cwl", "6k"), ("mask", "20k"), ("tiers", "20k")] {
        check_view("wild", &opened, &view(policy, budget), 89);
    }
}

#[test]
fn what_was_read_again_and_what_would_become_free_are_in_a_page() {
    let opened = open(sample("pi/long"));
    let asked = view("cwl", "80k");
    let whole = export(&opened, vec![asked.clone()], false);
    let of = &whole.views[0];
    let (last, cut) = places(of).pop().unwrap();
    check_gone(&whole, &opened, &asked, cut, last);
    let n_again = of.absences.iter().filter(|(first, again)| first.is_some() && again.is_some()).count();
    assert!(n_again > 0);
    let n_episodes = u32::try_from(of.graph.episodes.len()).unwrap();
    let mut n_freed = 0;
    for (moment, cut) in places(of).into_iter().step_by(40) {
        for episode in 0..n_episodes {
            let freed = freed_by(of, episode, moment);
            if !freed.is_empty() && n_freed < 10 {
                let request = EpisodeRequest { session: 0, view: asked.clone(), cut, episode };
                assert_eq!(freed, commands::episode(&opened, &request).unwrap().frees, "{cut:?} {episode}");
                n_freed += 1;
            }
        }
    }
    assert_eq!(n_freed, 10);
}

#[test]
fn a_comparison_is_that_of_the_commands_at_its_turns() {
    let opened = open(sample("pi/quickstart"));
    let beside: Vec<ViewDto> = ["summary", "mask", "none"].map(|policy| view(policy, "6k")).into();
    let views = vec![view("cwl", "6k"), view("cwl", "8k")];
    let compared = vec![beside.clone(), Vec::new()];
    let request = ExportRequest { session: 0, views, cut: CutDto::default(), redact: true, compared };
    let whole: ExportDto = serde_json::from_slice(&make_export(&opened, &request).unwrap().json).unwrap();
    assert!(whole.views[1].comparison.is_none(), "nothing stands beside that view");
    let recorded = whole.views[0].comparison.as_ref().unwrap();
    assert_eq!(recorded.turns.len(), whole.views[0].steps.len(), "a short session has all its turns");
    for (at, turn) in recorded.turns.iter().enumerate() {
        let cut = CutDto { turn: Some(*turn), step: None };
        let views = [view("cwl", "6k")].into_iter().chain(beside.clone()).collect();
        let request = CompareRequest {
            session: 0,
            views,
            cut,
            cache: CacheRulesDto::default(),
            by: KeptByDto::default(),
            bands: BandsByDto::default(),
        };
        let answered = commands::compare(&opened, &request).unwrap();
        for (column, (whole, at_turns)) in
            answered.columns.iter().zip(recorded.whole.columns.iter().zip(&recorded.at))
        {
            let shown = with_figures(whole, &at_turns[at]);
            assert_eq!(shown, serde_json::to_value(column).unwrap(), "{} at {turn}", column.policy);
        }
    }
}

fn json(value: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap()
}

/// Puts the figures of a turn into a column, as a page does.
fn with_figures(column: &CompareColumnDto, at: &CompareAtDto) -> serde_json::Value {
    let mut column = serde_json::to_value(column).unwrap();
    let at = serde_json::to_value(at).unwrap();
    column.as_object_mut().unwrap().extend(at.as_object().unwrap().clone());
    column
}

#[test]
fn read_again_and_compactions_are_those_of_the_commands() {
    let check = |name: &str, budget: &str, n_stories: usize, n_compactions: usize| {
        let opened = open(sample(name));
        let asked = view("cwl", budget);
        let whole = export(&opened, vec![asked.clone()], false);
        let of = &whole.views[0];
        let request = ViewRequest { session: 0, view: asked.clone() };
        let regrets = commands::regrets(&opened, &request).unwrap();
        assert_eq!(json(&of.regrets), json(&regrets), "{name}");
        let stories = commands::regret_stories(&opened, &request).unwrap();
        assert_eq!(stories.stories.len(), n_stories, "{name}");
        assert_eq!(json(&of.stories), json(&stories), "{name}");
        let audit = commands::compactions(&opened, &request).unwrap();
        assert_eq!(audit.compactions.len(), n_compactions, "{name}");
        assert_eq!(json(&whole.compactions), json(&(n_compactions > 0).then_some(audit)), "{name}");
        for (compaction, recorded) in &whole.recoveries {
            let request = RecoveryRequest { session: 0, view: asked.clone(), compaction: *compaction };
            assert_eq!(*recorded, commands::recovery(&opened, &request).unwrap(), "{name} {compaction}");
        }
    };
    check("pi/quickstart", "6k", 0, 0);
    check("pi/long", "80k", 58, 0);
    check("pi/compacted", "80k", 0, 2);
}

#[test]
fn captured_bodies_are_in_a_page_and_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let from = sample("claude-code/captured");
    std::fs::copy(&from, folder.path().join("input.jsonl")).unwrap();
    std::fs::create_dir(folder.path().join("bodies")).unwrap();
    let secret = format!("{}{}", "ghp_", "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs");
    for entry in std::fs::read_dir(from.with_file_name("bodies")).unwrap() {
        let path = entry.unwrap().path();
        // The log does not hold the system prompt.
        let text = std::fs::read_to_string(&path).unwrap();
        let text = text.replace("billing: ", &format!("billing: {secret} "));
        std::fs::write(folder.path().join("bodies").join(path.file_name().unwrap()), text).unwrap();
    }
    let opened = open(folder.path().join("input.jsonl"));
    let asked = ViewDto::counted("o200k");
    let whole = export(&opened, vec![asked.clone()], false);
    let captured = whole.captured.unwrap();
    assert_eq!(captured.whole.folder.as_deref(), Some("bodies"));
    assert!(captured.bodies.len() > 1);
    for (body, (system, tools)) in captured.bodies.iter().zip(&captured.heads) {
        let request = CapturedBodyRequest { session: 0, view: asked.clone(), turn: body.turn };
        let answered = commands::captured_body(&opened, &request).unwrap();
        let parts = |places: &[u32]| -> Vec<CapturedPartDto> {
            places.iter().map(|at| captured.parts[*at as usize].clone()).collect()
        };
        let body = CapturedBodyDto { system: parts(system), tools: parts(tools), ..body.clone() };
        assert_eq!(body, answered);
    }
    let heads: usize = captured.heads.iter().map(|(system, tools)| system.len() + tools.len()).sum();
    assert!(captured.parts.len() < heads, "what all turns send stands there once");
    let shown = serde_json::to_string(&captured.parts).unwrap();
    assert!(shown.contains(&secret));
    let redacted = serde_json::to_string(&export(&opened, vec![asked], true)).unwrap();
    assert!(!redacted.contains(&secret) && redacted.contains("[redacted:github-token#1]"));
    assert!(export(&open(sample("pi/quickstart")), vec![view("cwl", "6k")], true).captured.is_none());
}

#[test]
fn no_secret_of_the_log_is_in_an_export() {
    let root = tempfile::tempdir().unwrap();
    let secret = format!("{}{}", "ghp_", "a8F3kQ92xLm04ZpT7rWv1cYb6NdE5gHj2uKs");
    let log = std::fs::read_to_string(sample("pi/quickstart")).unwrap();
    // In texts, arguments, descriptions and episode names.
    let planted = log
        .replace("\"text\":\"", &format!("\"text\":\"password=Tr0ub4dor&3 {secret} </script> "))
        .replace("\"description\":\"", &format!("\"description\":\"{secret} "))
        .replace(
            "\"command\":\"",
            &format!("\"command\":\"curl -H 'Cookie: sid=ZZ-0815-top' /home/verameier/{secret} "),
        );
    let path = root.path().join("input.jsonl");
    std::fs::write(&path, planted).unwrap();
    let opened = open(path);
    let views = vec![view("cwl", "6k"), view("summary", "6k"), view("tiers", "6k")];
    let json = serde_json::to_string(&export(&opened, views.clone(), true)).unwrap();
    for gone in [secret.as_str(), "Tr0ub4dor", "ZZ-0815-top", "verameier"] {
        assert!(!json.contains(gone), "{gone}");
    }
    assert!(json.contains("[redacted:github-token#1]"));
    let open = export(&opened, views, false);
    assert!(open.redacted.is_none() && serde_json::to_string(&open).unwrap().contains(&secret));
}

#[test]
fn what_was_redacted_is_counted() {
    let whole = export(&open(sample("pi/quickstart")), vec![view("cwl", "80k")], true);
    let redacted = whole.redacted.unwrap();
    let kinds: BTreeMap<&str, u32> =
        redacted.counts.iter().map(|(kind, _, places)| (kind.as_str(), *places)).collect();
    assert!(kinds["home"] > 0 && redacted.left_out == 0, "{kinds:?}");
    assert_eq!(whole.session.path, "input.jsonl");
    assert!(whole.session.cwd.unwrap().starts_with("~/"));
}

#[test]
fn views_are_of_one_branch_and_not_too_many() {
    let opened = open(sample("pi/quickstart"));
    for views in [Vec::new(), vec![view("cwl", "6k"); 13], vec![view("nobody", "6k")]] {
        let request =
            ExportRequest { session: 0, views, cut: CutDto::default(), redact: true, compared: Vec::new() };
        assert!(make_export(&opened, &request).is_err());
    }
}
