//! Block-by-block comparison, and a sweep with progress.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cwl_host::api::{
    CompareBlocksAnswer, CompareBlocksRequest, DefaultsAnswer, SweepRequest, ViewCut, ViewSettings,
};
use cwl_host::{
    ErrorCode, Inspector, InspectorConfig, LogInput, PageExtent, SessionSnapshot, Tools, commands, load_file,
};

fn log(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn view(policy: &str, budget: &str) -> ViewSettings {
    ViewSettings { policy: policy.into(), budget: budget.into(), ..ViewSettings::counted("o200k") }
}

fn sent(opened: &SessionSnapshot, view: &ViewSettings, cut: ViewCut) -> BTreeSet<String> {
    let context = commands::context(opened, view, cut, false, PageExtent::ALL).unwrap();
    context.items.into_iter().map(|item| item.block).collect()
}

fn differences(
    opened: &SessionSnapshot,
    a: &ViewSettings,
    b: &ViewSettings,
    cut: ViewCut,
    page: (u32, u32),
) -> CompareBlocksAnswer {
    let (a, b, (offset, limit)) = (a.clone(), b.clone(), page);
    commands::compare_blocks(opened, &CompareBlocksRequest { a, b, cut, offset, limit }).unwrap()
}

#[test]
fn the_difference_is_that_of_both_contexts() {
    let check = |name: &str, a: &ViewSettings, b: &ViewSettings, turn: Option<u32>| {
        let opened = load_file(&LogInput::File(log(name)), None, &Tools::builtin_tables()).unwrap();
        let cut = ViewCut { turn, step: None };
        let (sent_a, sent_b) = (sent(&opened, a, cut), sent(&opened, b, cut));
        let all = differences(&opened, a, b, cut, (0, u32::MAX));
        let listed = |in_a: bool| -> BTreeSet<String> {
            all.items.iter().filter(|row| row.in_a == in_a).map(|row| row.item.block.clone()).collect()
        };
        assert_eq!(listed(true), &sent_a - &sent_b, "{name} {turn:?}: only a");
        assert_eq!(listed(false), &sent_b - &sent_a, "{name} {turn:?}: only b");
        assert_eq!((all.n_only_a + all.n_only_b) as usize, all.items.len());
        for (in_a, tokens) in [(true, all.only_a_tokens), (false, all.only_b_tokens)] {
            let sum: u64 = all.items.iter().filter(|row| row.in_a == in_a).map(|row| row.item.tokens).sum();
            assert_eq!(sum, tokens);
        }
        for row in &all.items {
            assert!(row.item.kept, "the item is that of the view that sends it");
            assert!(row.item.kind.name() == "residue" || !row.why_not.is_empty());
        }
        let paged: Vec<String> = (0..all.n_items)
            .step_by(3)
            .flat_map(|offset| differences(&opened, a, b, cut, (offset, 3)).items)
            .map(|row| row.item.block)
            .collect();
        assert_eq!(paged, all.items.iter().map(|row| row.item.block.clone()).collect::<Vec<_>>(), "pages");
        all.n_items
    };
    let (tight, loose, none) = (view("cwl", "6000"), view("cwl", "20000"), view("none", "6000"));
    assert!(check("tame.jsonl", &tight, &none, None) > 0);
    assert!(check("tame.jsonl", &tight, &loose, None) > 0);
    check("wild.jsonl", &loose, &tight, None);
    check("broken.jsonl", &tight, &none, Some(3));
    assert_eq!(check("tame.jsonl", &tight, &tight, None), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_answers_a_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let config = InspectorConfig {
        data_dir: folder.path().join("data"),
        defaults: DefaultsAnswer::default(),
        folders: Some(Vec::new()),
        corpora: None,
    };
    let host = Inspector::start(config).await.unwrap();
    let path = folder.path().join("tame.jsonl");
    // No table knows the context window of this model.
    let tame = std::fs::read_to_string(log("tame.jsonl")).unwrap();
    std::fs::write(&path, tame.replace("gpt-5.4", "gpt-unheard-of")).unwrap();
    let session = host.open_target(path.display().to_string(), None).await.unwrap().session();
    let request = |budgets: &[&str]| SweepRequest {
        view: view("cwl", "50%"),
        budgets: budgets.iter().map(|text| (*text).to_owned()).collect(),
        cache: cwl_host::api::CacheRules::default(),
        beside: Vec::new(),
        by: cwl_host::api::FrontierMeasure::default(),
    };
    let sweep = host.sweep(session, &request(&["6k..20k:2k"])).unwrap();
    assert_eq!(sweep.points.len(), 8, "the view's own budget, for which there is no window, is left aside");
    assert!(sweep.points.windows(2).all(|pair| pair[0].budget < pair[1].budget), "in rising order");
    assert_eq!(host.sweep(session, &request(&["50%"])).unwrap_err().code, ErrorCode::NeedsWindow);
    assert!(!host.cancel(cwl_host::api::SessionRequest { session }).unwrap().stopped, "nothing is under way");
    assert_eq!(host.sweep(session + 1000, &request(&["6k"])).unwrap_err().code, ErrorCode::UnknownSession);
}
