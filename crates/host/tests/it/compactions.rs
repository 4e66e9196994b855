//! Audited compactions of the samples: what went, what was needed again, and what a policy would have kept.

use std::fmt::Write;
use std::path::Path;

use cwl_host::api::{
    CompactionReport, CompactionsAnswer, DetailCounts, NeededNameFate, RecallQuestion, RecoveryRequest,
    SummaryForm, ViewRequest, ViewSettings,
};
use cwl_host::{ErrorCode, LogInput, SessionSnapshot, Tools, commands, load_file};

fn opened(case: &str) -> SessionSnapshot {
    let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(case).join("input.jsonl");
    load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap()
}

fn audited(opened: &SessionSnapshot) -> CompactionsAnswer {
    commands::compactions(opened, &ViewRequest { view: ViewSettings::counted("o200k") }).unwrap()
}

fn recovery(opened: &SessionSnapshot, compaction: u32) -> Result<String, ErrorCode> {
    let request = RecoveryRequest { view: ViewSettings::counted("o200k"), compaction };
    commands::recovery(opened, &request).map(|recovery| recovery.text).map_err(|error| error.code)
}

/// Writes `kind number: literal + named, needed number: literal + named`; `?` if the others cannot be told.
fn write_counts(counts: &DetailCounts) -> String {
    let untold = if counts.n_lost.is_none() { " ?" } else { "" };
    format!(
        "{} {}: {} + {}, needed {}: {} + {}{untold}",
        counts.kind,
        counts.n_all,
        counts.n_literal,
        counts.n_named,
        counts.n_needed,
        counts.n_needed_literal,
        counts.n_needed_named,
    )
}

#[test]
fn the_audit_of_a_session() {
    let opened = opened("pi/compacted");
    let mut told = String::new();
    for one in audited(&opened).compactions {
        let CompactionReport { number, turn, line, before, after, says, .. } = one;
        writeln!(told, "{number}. before turn {turn}, line {line}: {before} → {after}").unwrap();
        for sentence in [says.gone, says.kinds, says.questions, says.needed, says.again, says.edit] {
            writeln!(told, "   {sentence}").unwrap();
        }
        for kind in one.kinds.into_iter().filter(|kind| kind.n_all > 0) {
            writeln!(told, "   {}", write_counts(&kind)).unwrap();
        }
        for RecallQuestion { question, answer, fate, turn, .. } in one.questions {
            writeln!(told, "   {question} {answer} ({fate}), for turn {turn}").unwrap();
        }
        writeln!(told, "   files {:?}, decisions {:?}", one.gone.files, one.gone.decisions).unwrap();
        for name in one.needed.names {
            let again = name.again_tokens.map(|tokens| format!(", again {tokens}")).unwrap_or_default();
            let (fate, kind) = (name.fate, name.kind);
            writeln!(told, "   {fate:?} {kind:?} {} at {} × {}{again}", name.name, name.turn, name.n_uses)
                .unwrap();
        }
        for other in one.instead {
            let over = if other.is_over { ", over" } else { "" };
            writeln!(
                told,
                "   {}: {} + {} in {}{over}",
                other.policy, other.n_kept, other.n_named, other.tokens
            )
            .unwrap();
            if !other.is_over {
                let kinds = other.kinds.iter().filter(|kind| kind.n_all > 0).map(write_counts);
                writeln!(told, "      {}", kinds.collect::<Vec<_>>().join("; ")).unwrap();
            }
        }
    }
    insta::assert_snapshot!(told);
}

#[test]
fn the_recovery_text_has_what_was_needed_again() {
    let opened = opened("pi/compacted");
    insta::assert_snapshot!(recovery(&opened, 1).unwrap());
    assert!(recovery(&opened, 2).unwrap().contains("Nothing that the compaction removed was used again."));
    assert_eq!(recovery(&opened, 0), Err(ErrorCode::BadRequest));
    assert_eq!(recovery(&opened, 3), Err(ErrorCode::BadRequest));
}

#[test]
fn parts_of_an_audit_fit_together() {
    for (case, n_compactions) in [
        ("pi/compacted", 2),
        ("pi/branches", 1),
        ("pi/quickstart", 0),
        ("claude-code/compaction", 2),
        ("codex/compacted", 1),
    ] {
        let opened = opened(case);
        let audited = audited(&opened);
        assert_eq!(audited.compactions.len(), n_compactions, "{case}");
        for one in &audited.compactions {
            let needed = &one.needed;
            assert_eq!(needed.n_kept + needed.n_named + needed.n_lost, needed.n_names, "{case}");
            let lost = needed.names.iter().filter(|name| name.fate != NeededNameFate::Kept).count();
            assert!(one.n_recoverable as usize <= lost + one.n_late as usize, "{case}");
            assert!(one.again.n_files <= one.again.n_results, "{case}");
            assert_eq!(one.again.n_results == 0, one.again.tokens == 0, "{case}");
            assert_eq!(one.summary, SummaryForm::Text, "{case}: these samples have their summaries");
            for kind in one.kinds.iter().chain(one.instead.iter().flat_map(|other| &other.kinds)) {
                let n_absent = kind.n_all - kind.n_literal - kind.n_named;
                assert_eq!(kind.n_lost, Some(n_absent), "{case}: {}", kind.kind);
                assert!(kind.n_needed <= kind.n_all && kind.n_needed_literal <= kind.n_literal, "{case}");
            }
            let n_needed: u32 = one.kinds.iter().map(|kind| kind.n_needed).sum();
            assert_eq!(one.details.n_needed, n_needed, "{case}");
            assert!(one.n_questions.n_all <= n_needed, "{case}");
            assert!(!one.instead.is_empty(), "{case}");
            for other in &one.instead {
                assert_eq!(other.is_over, other.tokens > one.after, "{case}: {}", other.policy);
                assert!(other.tokens <= one.before, "{case}: {}", other.policy);
                assert!(other.n_kept + other.n_named <= needed.n_names, "{case}: {}", other.policy);
                let goes_by_episodes = commands::needs_episodes(&other.policy).unwrap();
                assert!(audited.is_annotated || !goes_by_episodes, "{case}: {}", other.policy);
            }
            let text = recovery(&opened, one.number).unwrap();
            assert_eq!(text.matches("\n## ").count(), one.n_recoverable as usize, "{case}");
        }
    }
}

#[test]
fn policy_and_budget_of_a_view_do_not_matter() {
    let opened = opened("pi/compacted");
    let view = ViewSettings {
        policy: "window".into(),
        budget: "100".into(),
        options: [("ignore_compaction".to_owned(), "true".to_owned())].into(),
        ..ViewSettings::counted("o200k")
    };
    let other = commands::compactions(&opened, &ViewRequest { view }).unwrap();
    let json = |audited: &CompactionsAnswer| serde_json::to_string(&audited.compactions).unwrap();
    assert_eq!(json(&other), json(&audited(&opened)));
}

#[test]
fn a_summary_that_cannot_be_read_is_not_scored() {
    for (case, form) in
        [("codex/branches", SummaryForm::Encrypted), ("codex/archived", SummaryForm::Unlogged)]
    {
        let audited = audited(&opened(case));
        let one = &audited.compactions[0];
        assert_eq!((one.summary, one.has_summary), (form, false), "{case}");
        assert!(one.kinds.iter().any(|kind| kind.n_all > 0), "{case}");
        for kind in &one.kinds {
            assert_eq!((kind.n_lost, kind.n_needed_lost), (None, None), "{case}: {}", kind.kind);
        }
        assert_eq!(one.details.n_remain, None, "{case}");
        assert_eq!((one.needed.n_lost, one.n_questions.n_lost), (0, None), "{case}");
        assert!(one.says.kinds.contains("nothing tells about the other"), "{case}: {}", one.says.kinds);
        // Policies write summaries that can be read.
        assert!(
            one.instead.iter().all(|other| other.kinds.iter().all(|kind| kind.n_lost.is_some())),
            "{case}"
        );
    }
}
