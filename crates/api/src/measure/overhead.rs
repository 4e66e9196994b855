//! Overhead: what the log does not hold (system prompt, tool definitions), inferred from reported usage.

use cwl_engine::{Session, TurnIdx};

/// How many turns with usage are looked at.
const TURNS_LOOKED_AT: usize = 5;

/// Infers the overhead: the median over the first five turns with usage of reported prompt − counted history.
///
/// `full` is the counted history of every turn, tokens, nothing evicted and no overhead in it. Of an even
/// number of turns the median is the mean of the two in the middle, rounded down; it is never below 0.
/// `None` where no turn reports usage.
pub(crate) fn infer(session: &Session, full: &[u64]) -> Option<u64> {
    let mut differences: Vec<i128> = reported(session)
        .into_iter()
        .zip(full)
        .filter_map(|(reported, counted)| Some(i128::from(reported?) - i128::from(*counted)))
        .take(TURNS_LOOKED_AT)
        .collect();
    differences.sort_unstable();
    let middle = differences.len() / 2;
    let median = match differences.len() {
        0 => return None,
        n if n % 2 == 1 => differences[middle],
        _ => (differences[middle - 1] + differences[middle]).div_euclid(2),
    };
    Some(u64::try_from(median.max(0)).unwrap_or(u64::MAX))
}

/// Returns the prompt size that the provider reported for one turn; a reported 0 is none.
pub(crate) fn reported_at(session: &Session, turn: TurnIdx) -> Option<u64> {
    let usage = session.messages[session.turn(turn).message?.at()].usage?;
    Some(usage.prompt()).filter(|prompt| *prompt > 0)
}

/// Returns the prompt size that the provider reported, per turn; a reported 0 is none.
pub(crate) fn reported(session: &Session) -> Vec<Option<u64>> {
    (1..).zip(&session.turns).map(|(number, _)| reported_at(session, TurnIdx::new(number))).collect()
}

/// Makes a session of replies that report so much.
#[cfg(test)]
pub(crate) fn session_with(usages: &[Option<u64>]) -> Session {
    use cwl_formats::{Format, default_tools, parse};
    let line = |usage: &Option<u64>| {
        let usage = usage.map_or(String::new(), |input| {
            format!(r#","usage":{{"input":{input},"output":1,"cacheRead":0,"cacheWrite":0}}"#)
        });
        format!(r#"{{"type":"message","message":{{"role":"assistant","content":[]{usage}}}}}"#)
    };
    let log: Vec<String> = usages.iter().map(line).collect();
    let (events, _) = parse(Format::Pi, log.join("\n").as_bytes());
    let mut all = cwl_engine::EventLog::default();
    for parsed in events {
        all.push(parsed.event);
    }
    Session::build(&all, None, cwl_engine::History::AsRecorded, &default_tools()).0
}

#[cfg(test)]
mod tests {
    use super::session_with as session;
    use super::*;
    use cwl_engine::{MessageIdx, Turn, Usage};

    #[test]
    fn median_of_the_first_five() {
        let check = |usages: &[Option<u64>], full: u64, expected: Option<u64>| {
            let full = vec![full; usages.len() + 1];
            assert_eq!(infer(&session(usages), &full), expected, "{usages:?}");
        };
        check(&[], 0, None);
        check(&[None, None], 10, None);
        check(&[Some(0)], 10, None);
        check(&[Some(100)], 10, Some(90));
        check(&[Some(5)], 10, Some(0));
        check(&[Some(100), Some(131)], 0, Some(115));
        check(&[None, Some(3), None, Some(1), Some(2)], 0, Some(2));
        check(&[Some(1), Some(2), Some(3), Some(4), Some(5), Some(1000), Some(1000)], 0, Some(3));
    }

    #[test]
    fn usage_belongs_to_its_turn() {
        let session = session(&[None, Some(7)]);
        assert_eq!(reported(&session), [None, Some(7), None], "now has no reply yet");
        assert_eq!(session.turns.last(), Some(&Turn { message: None, end: 2 }));
        assert_eq!(
            session.messages[MessageIdx::new(1).at()].usage,
            Some(Usage { input: 7, output: 1, cache_read: 0, cache_write: 0 })
        );
    }
}
