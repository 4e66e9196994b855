//! Links that open a window. The page parses and writes their queries.

const SCHEME: &str = "cwl-inspector:";

/// Splits a command-line target into `(log or session, link query)`. A query looks like `session=…&turn=…`.
pub fn read_target(target: Option<String>) -> (Option<String>, Option<String>) {
    match target {
        Some(target)
            if target.get(..SCHEME.len()).is_some_and(|start| start.eq_ignore_ascii_case(SCHEME)) =>
        {
            let query = target.split_once('?').map_or("", |(_, query)| query);
            (None, Some(query.to_owned()))
        }
        target => (target, None),
    }
}

#[cfg(test)]
mod tests {
    use super::read_target;

    #[test]
    fn a_link_is_told_from_a_log() {
        let check = |target: Option<&str>, log: Option<&str>, link: Option<&str>| {
            let told = read_target(target.map(str::to_owned));
            assert_eq!((told.0.as_deref(), told.1.as_deref()), (log, link), "{target:?}");
        };
        check(None, None, None);
        check(Some("a.jsonl"), Some("a.jsonl"), None);
        check(Some("cwl-inspector"), Some("cwl-inspector"), None);
        check(Some("cwl-inspector.jsonl?x"), Some("cwl-inspector.jsonl?x"), None);
        check(Some("cwl-inspector://open?session=/a&turn=3"), None, Some("session=/a&turn=3"));
        check(Some("CWL-Inspector://open?session=a?b"), None, Some("session=a?b"));
        check(Some("cwl-inspector://open"), None, Some(""));
        check(Some("é"), Some("é"), None);
        check(Some("cwl-inspecto\u{e9}:x"), Some("cwl-inspecto\u{e9}:x"), None);
    }
}
