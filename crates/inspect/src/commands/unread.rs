//! A log's unread parts, in one sentence.

use std::collections::BTreeMap;

use cwl_engine::ProblemKind;

use crate::figures::with_commas;
use crate::measure::opened::SessionSnapshot;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnreadPart {
    /// In no answer at all.
    Skipped,
    /// Kept, but counted as an unknown record.
    NotUnderstood,
}

fn unread_part(code: &str) -> Option<UnreadPart> {
    match code {
        "L001" | "L002" | "L005" | "L025" | "L031" => Some(UnreadPart::Skipped),
        "L007" | "L008" => Some(UnreadPart::NotUnderstood),
        _ => None,
    }
}

/// Says how much of a log was skipped or not understood, with problem codes. `None` if everything was read.
pub fn unread_of(opened: &SessionSnapshot) -> Option<String> {
    let mut found: BTreeMap<UnreadPart, (u64, Vec<&str>)> = BTreeMap::new();
    for problem in &opened.log_problems {
        let (code, n_told) = match &problem.kind {
            ProblemKind::MoreOfCode { code, n_more } => (&**code, *n_more),
            kind => (kind.code(), 1),
        };
        let Some(of) = unread_part(code) else { continue };
        let (n, codes) = found.entry(of).or_default();
        *n = n.saturating_add(n_told);
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    let parts: Vec<String> = found
        .into_iter()
        .map(|(of, (n, codes))| {
            let (what, are) = match (of, n) {
                (UnreadPart::Skipped, 1) => ("line", "was skipped"),
                (UnreadPart::Skipped, _) => ("lines", "were skipped"),
                (UnreadPart::NotUnderstood, 1) => ("record or part of one", "is not understood"),
                (UnreadPart::NotUnderstood, _) => ("records or parts of them", "are not understood"),
            };
            format!("{} {what} {are} ({})", with_commas(n), codes.join(", "))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::path::Path;

    use crate::load::load_log;
    use crate::tables::tools::Tools;

    #[test]
    fn what_was_not_read_is_said_once() {
        let check = |rest: &str, expected: Option<&str>| {
            let header =
                r#"{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T03:04:05Z","cwd":"/c"}"#;
            let message = r#"{"type":"message","id":"m","message":{"role":"user","content":"Do it."}}"#;
            let log = format!("{header}\n{message}\n{rest}");
            let opened = load_log(log.as_bytes(), None, Path::new("-"), &Tools::builtin_tables()).unwrap();
            assert_eq!(unread_of(&opened).as_deref(), expected);
        };
        check("", None);
        check("{half\n", Some("1 line was skipped (L001)"));
        check(
            "{half\n[]\n{\"type\":\"brand_new\",\"id\":\"b\"}\n",
            Some("2 lines were skipped (L001, L002), 1 record or part of one is not understood (L007)"),
        );
    }
}
