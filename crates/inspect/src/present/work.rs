//! A turn's work in words, for aligned sessions.

use cwl_engine::{Effect, WorkKind, WorkUnit};

const TOLD: usize = 3;
const SAID_CHARS: usize = 120;

/// Describes a unit as the rest of a sentence whose subject is a turn.
pub(crate) fn describe_unit(unit: &WorkUnit) -> String {
    said_of(unit, &shorten_code(&unit.what))
}

/// Describes two units with a common beginning, starting shortly before their difference.
pub(crate) fn says_apart(one: &WorkUnit, other: &WorkUnit) -> [String; 2] {
    let alike = one.what.chars().zip(other.what.chars()).take_while(|(a, b)| a == b).count();
    let before = alike.saturating_sub(SAID_CHARS / 3);
    [one, other].map(|unit| {
        let tail: String = unit.what.chars().skip(before).collect();
        let mark = if before > 0 { "…" } else { "" };
        said_of(unit, &format!("{mark}{}", shorten_code(&tail)))
    })
}

fn said_of(unit: &WorkUnit, what: &str) -> String {
    let verb = match unit.kind {
        WorkKind::Human => return format!("hears from the human: “{what}”"),
        WorkKind::Reply => return "answers without a call".to_owned(),
        WorkKind::Mark => "marks",
        WorkKind::Call(effect) => match effect {
            Effect::Edit => "edits",
            Effect::Publish => "publishes with",
            Effect::Mutate => "changes something with",
            Effect::Delegate => "asks a subagent",
            Effect::Check => "checks with",
            Effect::Run => "runs",
            Effect::Look => "looks at",
            Effect::Ask => "asks the human",
            Effect::GitLook => "looks at the repository with",
            Effect::Wait => "waits for",
            Effect::Tasks => "updates its list of tasks",
        },
    };
    let fails = if unit.ok { "" } else { ", which fails" };
    match what.is_empty() {
        true => format!("{verb}{fails}"),
        false => format!("{verb} `{what}`{fails}"),
    }
}

pub(crate) fn says_all<'a>(units: impl IntoIterator<Item = &'a WorkUnit>) -> String {
    let mut said: Vec<String> = units.into_iter().map(describe_unit).collect();
    let more = said.len().saturating_sub(TOLD);
    said.truncate(TOLD);
    match more {
        0 => said.join(", "),
        1 => format!("{}, and does 1 thing more", said.join(", ")),
        more => format!("{}, and does {more} things more", said.join(", ")),
    }
}

fn shorten_code(text: &str) -> String {
    crate::figures::shorten_line(&text.replace('`', "'"), SAID_CHARS)
}

#[cfg(test)]
mod tests {
    use cwl_engine::{BlockIdx, TurnIdx};

    use super::*;

    #[test]
    fn work_is_told_in_words() {
        let unit = |kind, what: &str, ok| WorkUnit::new(TurnIdx::FIRST, kind, what, BlockIdx::new(0), ok);
        let check = |units: &[WorkUnit], expected: &str| assert_eq!(says_all(units), expected);
        let look = unit(WorkKind::Call(Effect::Look), "src/a.rs", true);
        check(&[], "");
        check(std::slice::from_ref(&look), "looks at `src/a.rs`");
        check(
            &[unit(WorkKind::Call(Effect::Check), "cargo test", false)],
            "checks with `cargo test`, which fails",
        );
        check(&[unit(WorkKind::Human, "Go  on", true)], "hears from the human: “Go on”");
        check(&[unit(WorkKind::Reply, "", true)], "answers without a call");
        check(&[unit(WorkKind::Call(Effect::Tasks), "", true)], "updates its list of tasks");
        let four = [look.clone(), look.clone(), look.clone(), look.clone()];
        let three = "looks at `src/a.rs`, looks at `src/a.rs`, looks at `src/a.rs`";
        check(&four, &format!("{three}, and does 1 thing more"));
        check(&[&four[..], &[look]].concat(), &format!("{three}, and does 2 things more"));
        let long = |end: &str| unit(WorkKind::Human, &format!("{} {end}", "so it goes on ".repeat(20)), true);
        let told = says_apart(&long("here"), &long("there"));
        assert!(told[0].ends_with("goes on here”") && told[1].ends_with("goes on there”"), "{told:?}");
        assert!(told.iter().all(|told| told.starts_with("hears from the human: “…")), "{told:?}");
    }
}
