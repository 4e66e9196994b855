//! Sentences about a compaction.

use crate::api::{
    CompactedContent, CompactionReport, CompactionSentences, DetailCounts, EditPaceFigures, NeededNames,
    QuestionCounts, ReacquiredCounts, SummaryForm,
};
use crate::figures::{count_noun, with_commas};
use crate::measure::measured::write_dollars;

pub(crate) fn say_compaction(compaction: &CompactionReport) -> CompactionSentences {
    let CompactedContent { n_blocks, tokens, n_files, n_commands, n_symbols, n_decisions, .. } =
        compaction.gone;
    let gone = format!(
        "{} with {} went: the contents of {}, the outputs of {}, {} that no result in the context holds any more, and {}",
        count_noun(n_blocks, "block"),
        count_noun(tokens, "token"),
        count_noun(n_files, "file"),
        count_noun(n_commands, "command"),
        count_noun(n_symbols, "identifier"),
        count_noun(n_decisions, "decision"),
    );
    CompactionSentences {
        gone,
        kinds: kinds_says(compaction),
        questions: questions_says(compaction),
        needed: needed_says(compaction),
        again: again_says(compaction),
        edit: edit_says(compaction),
    }
}

/// Returns why the summary cannot be read; `None` if the log holds its text.
fn unread_summary(form: SummaryForm) -> Option<&'static str> {
    match form {
        SummaryForm::Text => None,
        SummaryForm::Encrypted => Some("the summary is encrypted"),
        SummaryForm::Unlogged => Some("the log holds no summary"),
    }
}

fn kinds_says(compaction: &CompactionReport) -> String {
    let sum =
        |count: fn(&DetailCounts) -> u32| compaction.kinds.iter().map(count).fold(0, u32::saturating_add);
    let number = |n: u32| with_commas(n.into());
    let n_all = sum(|kind| kind.n_all);
    if n_all == 0 {
        return "no file, command, number, error text, decision, constraint or open item stood before it"
            .to_owned();
    }
    let (n_literal, n_named) = (sum(|kind| kind.n_literal), sum(|kind| kind.n_named));
    let remain = format!(
        "{} stood before it: {} word for word, {} by a part of the name",
        count_noun(n_all, "detail"),
        count_verb(n_literal, "remains", "remain"),
        number(n_named),
    );
    let n_needed = sum(|kind| kind.n_needed);
    let n_absent = n_needed - sum(|kind| kind.n_needed_literal) - sum(|kind| kind.n_needed_named);
    match unread_summary(compaction.summary) {
        Some(why) => {
            let n_untold = n_all - n_literal - n_named;
            format!("{remain}; {why}, so nothing tells about the other {}", number(n_untold))
        }
        None if n_needed == 0 => format!("{remain}; none was needed later"),
        None => format!(
            "{remain}; {} needed later, {}",
            count_verb(n_needed, "was", "were"),
            count_verb(n_absent, "is lost", "are lost"),
        ),
    }
}

fn questions_says(compaction: &CompactionReport) -> String {
    let QuestionCounts { n_all, n_literal, n_named, n_lost } = compaction.n_questions;
    if n_all == 0 {
        return "no recall question: no file, command or number from before the compaction was used after it"
            .to_owned();
    }
    let number = |n: u32| with_commas(n.into());
    let others = match n_lost {
        Some(n_lost) => format!("{} not at all", number(n_lost)),
        None => format!("the log does not tell about {}", number(n_all - n_literal - n_named)),
    };
    format!(
        "{} for something from before the compaction that was used after it: the context answers {} in full, {} in part, and {others}",
        count_verb(n_all, "recall question asks", "recall questions ask"),
        number(n_literal),
        number(n_named),
    )
}

fn needed_says(compaction: &CompactionReport) -> String {
    let NeededNames { n_names, n_kept, n_named, n_lost, n_untold, .. } = compaction.needed;
    if n_names == 0 {
        return "nothing that the context held before was used again".to_owned();
    }
    let number = |n: u32| with_commas(n.into());
    let size = count_noun(compaction.summary_tokens, "token");
    let (instead, others) = match unread_summary(compaction.summary) {
        None => (format!("the summary ({size})"), count_verb(n_lost, "is lost", "are lost")),
        Some(why) => (
            format!("what the log holds in their place ({size}, no summary)"),
            format!("nothing tells about {}, as {why}", number(n_untold)),
        ),
    };
    let kept = match n_kept {
        0 => "none of their original blocks remains".to_owned(),
        _ => format!("the original blocks of {} remain", number(n_kept)),
    };
    let more = if n_kept == 0 { "" } else { " more" };
    format!(
        "{} {} used again later: {kept}, {instead} mentions {}{more}, and {others}",
        count_noun(n_names, "name"),
        if n_names == 1 { "was" } else { "were" },
        number(n_named),
    )
}

fn again_says(compaction: &CompactionReport) -> String {
    let one = |again: &ReacquiredCounts| {
        format!(
            "{} read again ({} by reading, {} by running a command or a search), {}{}",
            count_noun(again.n_results, "output"),
            with_commas(again.n_files.into()),
            with_commas((again.n_results - again.n_files).into()),
            count_noun(again.tokens, "token"),
            again.cost.map_or_else(String::new, |cost| format!(", {} to send once", write_dollars(cost)))
        )
    };
    let now = match compaction.again.n_results {
        0 => "nothing of it was read again".to_owned(),
        _ => one(&compaction.again),
    };
    match compaction.n_late {
        0 => now,
        n_late => {
            let late = match compaction.late_again.n_results {
                0 => String::new(),
                _ => format!(", {}", one(&compaction.late_again)),
            };
            let were = if n_late == 1 { "was" } else { "were" };
            let names = count_noun(n_late, "more name");
            format!("{now}; after the next compaction, {names} of it {were} used{late}")
        }
    }
}

fn edit_says(compaction: &CompactionReport) -> String {
    let calls = count_noun(compaction.n_calls_before_edit, "call");
    let end = if compaction.next_turn.is_some() { "up to the next compaction" } else { "up to the end" };
    let tokens = count_noun(compaction.pace.tokens, "token");
    let after = match (compaction.edit_turn, compaction.n_calls_before_edit) {
        (Some(turn), _) => {
            format!("{calls} with {tokens} until the first edit, at turn {}", with_commas(turn.into()))
        }
        (None, 0) => return format!("no call {end}"),
        (None, _) => format!("{calls} with {tokens} and no edit {end}"),
    };
    let EditPaceFigures { n_edits, n_calls, tokens, from_turn } = compaction.pace_before;
    let from = with_commas(from_turn.into());
    match n_edits {
        0 => format!(
            "{after}; before the compaction, from turn {from}, {} and no edit",
            count_noun(n_calls, "call")
        ),
        _ => format!(
            "{after}; before the compaction, from turn {from}, an edit came after {} calls with {} tokens on average ({})",
            write_tenths(n_calls.into(), n_edits),
            with_commas(tokens / u64::from(n_edits)),
            count_noun(n_edits, "edit"),
        ),
    }
}

fn count_verb(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", with_commas(n.into()), if n == 1 { one } else { many })
}

fn write_tenths(of: u64, by: u32) -> String {
    let tenths = of * 10 / u64::from(by.max(1));
    format!("{}.{}", with_commas(tenths / 10), tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths() {
        let check = |of, by, expected: &str| assert_eq!(write_tenths(of, by), expected);
        check(7, 2, "3.5");
        check(10, 3, "3.3");
        check(0, 4, "0.0");
        check(12_345, 1, "12,345.0");
    }
}
