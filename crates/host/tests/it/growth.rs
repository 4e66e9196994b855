//! Work grows linearly with the log: twice the lines take about twice the allocations and bytes.
//!
//! Allocations are counted on the test's thread, so the figures are the same on every machine.

use std::io::sink;

use allocation_counter::{AllocationInfo, measure};
use cwl_host::api::{
    BandsBy, BodyRequest, CacheRules, CompareRequest, FrontierMeasure, Provider, ViewCut, ViewRequest,
    ViewSettings,
};
use cwl_host::{LogInput, PageExtent, ReplayTrace, Tools, commands, load_file, write_spaced};

/// A pi session with `n` episodes, each of three lines and their answers.
fn episodes(n: usize) -> String {
    episodes_and(n, false)
}

/// The same, with a reply outside any episode after each.
fn episodes_and_stretches(n: usize) -> String {
    episodes_and(n, true)
}

fn episodes_and(n: usize, stretches: bool) -> String {
    let mut log = String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/home/dev\"}\n");
    let mut last = "null".to_owned();
    let mut add = |id: String, message: String| {
        log.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{last},\"message\":{message}}}\n"
        ));
        last = format!("\"{id}\"");
    };
    let call = |id: &str, tool: &str, arguments: &str| {
        format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"{id}\",\"name\":\"{tool}\",\
             \"arguments\":{{{arguments}}}}}]}}"
        )
    };
    let result = |id: &str, tool: &str, text: &str, details: &str| {
        format!(
            "{{\"role\":\"toolResult\",\"toolCallId\":\"{id}\",\"toolName\":\"{tool}\",\"isError\":false,\
             \"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"details\":{{{details}}}}}"
        )
    };
    for at in 0..n {
        let (kind, needs) = if at % 3 == 2 {
            ("act", format!(",\"dependencies\":[\"part-{}\"]", at - 1))
        } else {
            ("expl", String::new())
        };
        let chunk = format!("\"name\":\"part-{at}\",\"type\":\"{kind}\"{needs}");
        let event =
            |action: &str| format!("\"chunkEvent\":{{\"action\":\"{action}\",\"chunk\":{{{chunk}}}}}");
        let [begin, work, end] = ["b", "w", "e"].map(|step| format!("{step}{at}"));
        add(begin.clone(), call(&begin, "delimiter", &format!("\"action\":\"start\",{chunk}")));
        add(format!("{begin}r"), result(&begin, "delimiter", "done", &event("start")));
        add(work.clone(), call(&work, "read", &format!("\"path\":\"src/{at}.rs\"")));
        add(format!("{work}r"), result(&work, "read", &format!("the text of file {at}"), ""));
        add(end.clone(), call(&end, "delimiter", "\"action\":\"end\""));
        add(format!("{end}r"), result(&end, "delimiter", "done", &event("end")));
        if stretches {
            let reply = "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"On it goes.\"}]}";
            add(format!("s{at}"), reply.to_owned());
        }
    }
    log
}

/// As many lines of a human alone.
fn lone_lines(n: usize) -> String {
    let line =
        |at| format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"line {at}\"}}}}\n");
    (0..n).map(line).collect()
}

/// Counts the allocations for a report and a trace of a log.
fn work(format: &str, log: &str) -> AllocationInfo {
    let input = LogInput::Bytes(log.as_bytes().to_vec());
    measure(|| {
        let opened = load_file(&input, Some(format), &Tools::builtin_tables()).unwrap();
        let view =
            ViewSettings { budget: "2000".into(), overhead: "0".into(), ..ViewSettings::counted("o200k") };
        let request = ViewRequest { view };
        commands::session(&opened).unwrap();
        commands::graph(&opened, &request).unwrap();
        commands::history(&opened, &request).unwrap();
        commands::replay(&opened, &request).unwrap();
        commands::kept(&opened, &request.view, ViewCut::default()).unwrap();
        commands::findings(&opened, &request).unwrap();
        // With a probe, so that verification searches a text.
        let probed = ViewSettings { probes: vec!["3:the text of file 7".into()], ..request.view.clone() };
        let views = vec![ViewSettings { policy: "summary".into(), ..probed.clone() }, probed];
        let (cut, cache) = (ViewCut::default(), CacheRules::default());
        commands::compare(
            &opened,
            &CompareRequest { views, cut, cache, by: FrontierMeasure::Probes, bands: BandsBy::default() },
        )
        .unwrap();
        commands::Passes::replay(&opened, &request).unwrap().largest_steps(8);
        write_spaced(&ReplayTrace::replay(&opened, &request).unwrap(), &mut sink()).unwrap();
    })
}

#[track_caller]
fn check(format: &str, log: impl Fn(usize) -> String, n: usize, most_per_line: u64) {
    // Warm-up: tables that are made once do not count.
    work(format, &log(n / 10));
    let (once, twice) = (work(format, &log(n)), work(format, &log(2 * n)));
    let grows = |once: u64, twice: u64, most: u64, what: &str| {
        assert!(twice * 10 <= once * most, "{what}: {once}, and {twice} for twice the lines");
    };
    grows(once.count_total, twice.count_total, 23, "allocations");
    // A growing table doubles at times.
    grows(once.bytes_total, twice.bytes_total, 30, "bytes");
    grows(once.bytes_max, twice.bytes_max, 30, "bytes at once");
    let n_lines = log(2 * n).lines().count() as u64;
    assert!(
        twice.count_total <= n_lines * most_per_line,
        "{} allocations per line",
        twice.count_total / n_lines
    );
}

#[test]
fn a_report_grows_with_the_episodes() {
    check("pi", episodes, 150, 400);
}

#[test]
fn a_report_grows_with_lone_lines() {
    check("claude-code", lone_lines, 1000, 200);
}

/// Every unannotated stretch waits for all later acts.
#[test]
fn a_context_grows_with_its_stretches() {
    let work = |n: usize| {
        let input = LogInput::Bytes(episodes_and_stretches(n).into_bytes());
        let opened = load_file(&input, Some("pi"), &Tools::builtin_tables()).unwrap();
        let view =
            ViewSettings { policy: "none".into(), overhead: "0".into(), ..ViewSettings::counted("o200k") };
        commands::replay(&opened, &ViewRequest { view: view.clone() }).unwrap();
        let context = || {
            commands::context(&opened, &view, ViewCut::default(), true, PageExtent::with_limit(0, 10))
                .unwrap()
        };
        measure(|| assert!(context().n_items > 6 * u32::try_from(n).unwrap())).bytes_total
    };
    let (once, twice) = (work(2000), work(4000));
    assert!(twice * 10 <= once * 24, "{once} bytes, and {twice} for twice the log");
}

/// Exchanges between human and model with texts of four kilobytes.
fn long_texts(n: usize) -> String {
    let text = "a word and another ".repeat(210);
    let line = |at: usize| {
        let (role, parent) = (if at.is_multiple_of(2) { "user" } else { "assistant" }, at.checked_sub(1));
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"u{parent}\""));
        format!(
            "{{\"type\":\"{role}\",\"uuid\":\"u{at}\",\"parentUuid\":{parent},\"message\":{{\"role\":\"{role}\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{at} {text}\"}}]}}}}\n"
        )
    };
    (0..n).map(line).collect()
}

#[test]
fn a_request_is_written_without_being_held() {
    let input = LogInput::Bytes(long_texts(2000).into_bytes());
    let opened = load_file(&input, Some("claude-code"), &Tools::builtin_tables()).unwrap();
    let view = ViewSettings { policy: "none".into(), ..ViewSettings::counted("o200k") };
    let ask = |provider| BodyRequest { view: view.clone(), cut: ViewCut::default(), provider };
    for provider in Provider::ALL.iter().copied() {
        let body = commands::body(&opened, &ask(provider)).unwrap().json;
        let mut written = Vec::new();
        commands::write_body(&opened, &ask(provider), &mut written).unwrap().unwrap();
        let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
        assert_eq!(value(body.as_bytes()), value(&written), "{provider:?}");
        let work = measure(|| {
            commands::write_body(&opened, &ask(provider), &mut sink()).unwrap().unwrap();
        });
        assert!(written.len() > 7_500_000, "{provider:?}: {}", written.len());
        let most = work.bytes_max;
        assert!(most < 5_000_000, "{provider:?}: {most} bytes at once for a body of {}", written.len());
    }
}
