//! Strict checks of a reader's marks: what a careful reader would mend before they are saved.

use std::collections::BTreeMap;

use cwl_engine::{Annotation, BlockIdx, BlockKind, EventLog, MessageClass, Session};

use super::draft::MarksDraft;
use super::spans::spans_of;
use crate::api::{MarkProblem, MarksFile};
use crate::figures::count_noun;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarksCheck {
    pub marks: MarksFile,
    /// Problems by line. Problem 0 of the document or of the session concerns no single mark.
    pub problems: Vec<MarkProblem>,
    pub n_episodes: usize,
    /// Calls of the agent, and those inside an episode. Calls that mark episodes do not count.
    pub n_calls: usize,
    pub n_covered: usize,
}

pub fn describe_problem(problem: &MarkProblem) -> String {
    let MarkProblem { mark, name, line, message } = problem;
    match (*mark, *line) {
        (0, 0) => message.clone(),
        (0, line) => format!("line {line}: {message}"),
        (mark, line) => format!("line {line}: mark {mark} ({name}): {message}"),
    }
}

/// Checks a draft against a session. Calls after the line `until` may belong to no episode yet.
pub fn check_draft(draft: MarksDraft, log: &EventLog, session: &Session, until: Option<u64>) -> MarksCheck {
    let MarksDraft { marks, numbers, mut problems } = draft;
    let (annotation, found) = spans_of(&marks, log, session);
    let renumbered = found.into_iter().map(|mut one| {
        let at = (one.mark as usize).checked_sub(1);
        one.mark = at.and_then(|at| numbers.get(at)).copied().unwrap_or(one.mark);
        one
    });
    problems.extend(renumbered);
    check_places(&marks, &numbers, &SessionLines::new(log, session), &mut problems);
    let calls = CallCover::measure(&annotation, log, session);
    problems.extend(calls.list_gaps(until.unwrap_or(u64::MAX)));
    problems.sort_by(|a, b| (a.line, a.mark, &a.message).cmp(&(b.line, b.mark, &b.message)));
    problems.dedup();
    MarksCheck {
        n_episodes: annotation.spans().map_or(0, <[_]>::len),
        n_calls: calls.calls.len(),
        n_covered: calls.calls.iter().filter(|call| call.is_covered).count(),
        marks,
        problems,
    }
}

fn check_places(marks: &MarksFile, numbers: &[u32], lines: &SessionLines, problems: &mut Vec<MarkProblem>) {
    for (mark, number) in marks.episodes.iter().zip(numbers) {
        let mut says = |line: u64, message: String| {
            problems.push(MarkProblem { mark: *number, name: mark.name.clone(), line, message });
        };
        match lines.by_line.get(&mark.first) {
            Some(LineContent::Agent) => {}
            Some(LineContent::Human) => {
                let way = lines.describe_next(mark.first);
                says(
                    mark.first,
                    format!("line {} is the human's, who belongs to no episode{way}", mark.first),
                );
            }
            Some(LineContent::Result(call)) => {
                let way = format!("begin at line {call}, or after line {}", mark.first);
                says(
                    mark.first,
                    format!("line {} is the result of the call on line {call}: {way}", mark.first),
                );
            }
            None => {
                let before = lines.records.partition_point(|line| *line < mark.first);
                let is_start = lines.records.get(before) == Some(&mark.first);
                if let Some(start) = before.checked_sub(1).and_then(|at| lines.records.get(at))
                    && !is_start
                    && mark.first <= lines.last
                {
                    let way = lines.describe_next(mark.first);
                    says(
                        mark.first,
                        format!("line {} is inside the record that begins on line {start}{way}", mark.first),
                    );
                }
            }
        }
        if let Some(last) = mark.last.filter(|last| *last != mark.first)
            && lines.by_line.get(&last) == Some(&LineContent::Human)
        {
            let before =
                lines.by_line.range(..last).rev().find(|(_, content)| **content != LineContent::Human);
            let way = before.map(|(line, _)| format!(": end at line {line}")).unwrap_or_default();
            says(last, format!("line {last} is the human's, who belongs to no episode{way}"));
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineContent {
    /// The agent's words, reasoning or calls, perhaps beside others' blocks.
    Agent,
    Human,
    /// Results only, with the line of the first one's call.
    Result(u64),
}

struct SessionLines {
    by_line: BTreeMap<u64, LineContent>,
    records: Vec<u64>,
    last: u64,
}

impl SessionLines {
    fn new(log: &EventLog, session: &Session) -> Self {
        let line_of = |block: BlockIdx| log.record(session.blocks[block.at()].event).line;
        let mut by_line = BTreeMap::new();
        for at in (0..session.blocks.len()).map(BlockIdx::new) {
            let row = &session.blocks[at.at()];
            let message = &session.messages[row.message.at()];
            if message.added {
                continue;
            }
            let content = match (&row.kind, message.class) {
                (BlockKind::Result(_), _) => LineContent::Result(row.pair.map_or(line_of(at), line_of)),
                (_, MessageClass::Assistant) => LineContent::Agent,
                (_, MessageClass::User) => LineContent::Human,
                _ => continue,
            };
            let known = by_line.entry(line_of(at)).or_insert(content);
            if content == LineContent::Agent {
                *known = content;
            }
        }
        let mut records: Vec<u64> = log.events().iter().map(|event| event.line).collect();
        records.sort_unstable();
        records.dedup();
        let last = records.last().copied().unwrap_or(0);
        Self { by_line, records, last }
    }

    fn describe_next(&self, line: u64) -> String {
        let mut next = self.by_line.range(line..).filter(|(_, content)| **content == LineContent::Agent);
        next.next().map(|(line, _)| format!(": begin at line {line}")).unwrap_or_default()
    }
}

struct CallCover {
    calls: Vec<CoveredCall>,
}

struct CoveredCall {
    line: u64,
    is_covered: bool,
}

impl CallCover {
    fn measure(annotation: &Annotation, log: &EventLog, session: &Session) -> Self {
        let spans = annotation.spans().unwrap_or_default();
        let is_call = |block: &BlockIdx| {
            let row = &session.blocks[block.at()];
            let message = &session.messages[row.message.at()];
            let is_own = message.class == MessageClass::Assistant && !message.added && message.form.is_sent();
            matches!(&row.kind, BlockKind::Call(call) if call.mark.is_none() && !is_delimiter(&call.name))
                && is_own
        };
        let calls = (0..session.blocks.len()).map(BlockIdx::new).filter(is_call).map(|block| {
            let before = spans.partition_point(|span| span.first <= block);
            let span = before.checked_sub(1).map(|at| &spans[at]);
            let is_covered = span.is_some_and(|span| span.last.is_none_or(|last| block <= last));
            CoveredCall { line: log.record(session.blocks[block.at()].event).line, is_covered }
        });
        Self { calls: calls.collect() }
    }

    fn list_gaps(&self, until: u64) -> Vec<MarkProblem> {
        let seen = self.calls.partition_point(|call| call.line <= until);
        let gaps = self.calls[..seen].chunk_by(|a, b| a.is_covered == b.is_covered);
        let tell = |gap: &[CoveredCall]| {
            let (first, last) = (gap.first()?, gap.last()?);
            let calls = count_noun(gap.len(), "call");
            let belong = if gap.len() == 1 { "belongs" } else { "belong" };
            let place = if first.line == last.line {
                format!("on line {}", first.line)
            } else {
                format!("on lines {} to {}", first.line, last.line)
            };
            let way = "mark an episode there, or let one beside it go that far";
            let message = format!("{calls} {place} {belong} to no episode: {way}");
            Some(MarkProblem { mark: 0, name: String::new(), line: first.line, message })
        };
        gaps.filter(|gap| gap.iter().all(|call| !call.is_covered)).filter_map(tell).collect()
    }
}

fn is_delimiter(tool: &str) -> bool {
    tool.rsplit("__").next() == Some("delimiter")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::marks::draft::read_draft;
    use crate::marks::turns::TurnLines;
    use crate::testing::load_sample;

    /// Marks every call of the sample `claude-code/compaction`.
    const WHOLE: [&str; 4] = [
        r#""name":"look","type":"expl","first":4,"last":19,"description":"x""#,
        r#""name":"fix","type":"act","first":21,"last":28,"dependencies":["look"]"#,
        r#""name":"note","type":"act","first":34,"last":39,"dependencies":[]"#,
        r#""name":"after","type":"act","first":40,"last":40,"dependencies":[]"#,
    ];

    fn check_sample(marks: &[String], until: Option<u64>, sample: &str) -> MarksCheck {
        let opened = load_sample(sample);
        let branch = opened.current_branch();
        let answer = format!("{{\"episodes\": [{{{}}}]}}", marks.join("}, {"));
        let turns = TurnLines::new(&opened.log, &branch.session);
        let draft = read_draft(answer.as_bytes(), &turns).unwrap();
        check_draft(draft, &opened.log, &branch.session, until)
    }

    /// Checks the problems, as `NUMBER@LINE MESSAGE`, after some text of [`WHOLE`] is replaced.
    fn check(replaced: (&str, &str), until: Option<u64>, says: &[&str]) {
        let marks: Vec<String> = WHOLE.iter().map(|mark| mark.replace(replaced.0, replaced.1)).collect();
        let found = check_sample(&marks, until, "claude-code/compaction/input.jsonl");
        let told: Vec<String> =
            found.problems.iter().map(|one| format!("{}@{} {}", one.mark, one.line, one.message)).collect();
        assert_eq!(told, says, "{replaced:?}");
    }

    #[test]
    fn marks_of_a_whole_session_are_clean_and_cover_its_calls() {
        let marks: Vec<String> = WHOLE.iter().map(ToString::to_string).collect();
        let found = check_sample(&marks, None, "claude-code/compaction/input.jsonl");
        assert_eq!((found.problems, found.n_episodes), (Vec::new(), 4));
        assert_eq!((found.n_calls, found.n_covered), (6, 6));
    }

    #[test]
    fn lines_of_others_are_told() {
        check(
            ("\"first\":4,", "\"first\":3,"),
            None,
            &["1@3 line 3 is the human's, who belongs to no episode: begin at line 4"],
        );
        check(
            ("\"last\":28", "\"last\":33"),
            None,
            &["2@33 line 33 is the human's, who belongs to no episode: end at line 29"],
        );
        check(
            ("\"first\":34", "\"first\":37"),
            None,
            &[
                "0@36 1 call on line 36 belongs to no episode: mark an episode there, or let one beside it go that far",
                "3@37 line 37 is the result of the call on line 36: begin at line 36, or after line 37",
            ],
        );
    }

    #[test]
    fn calls_of_no_episode_are_told_up_to_the_line_that_was_read() {
        let gap = "0@23 2 calls on lines 23 to 25 belong to no episode: mark an episode there, or let one beside it go that far";
        check(("\"first\":21,\"last\":28", "\"first\":27,\"last\":28"), None, &[gap]);
        check(("\"first\":21,\"last\":28", "\"first\":27,\"last\":28"), Some(22), &[]);
        let one = gap.replace("2 calls on lines 23 to 25 belong", "1 call on line 23 belongs");
        check(("\"first\":21,\"last\":28", "\"first\":27,\"last\":28"), Some(24), &[&one]);
    }

    #[test]
    fn a_line_inside_a_record_is_told() {
        let of = |first: u64| {
            let mark = format!(r#""name":"a","type":"act","first":{first},"dependencies":[]"#);
            let found = check_sample(&[mark], Some(0), "atif/quickstart/input.json");
            let told = found.problems.into_iter().map(|one| one.message);
            told.filter(|message| message.contains("inside the record")).collect::<Vec<_>>()
        };
        let opened = load_sample("atif/quickstart/input.json");
        let session = &opened.current_branch().session;
        let lines = SessionLines::new(&opened.log, session);
        let own: Vec<u64> = lines
            .by_line
            .iter()
            .filter(|(_, one)| **one == LineContent::Agent)
            .map(|(line, _)| *line)
            .collect();
        let (start, next) = (own[0], own[1]);
        assert!(next > start + 1, "records of several lines");
        assert_eq!(of(start), Vec::<String>::new());
        let told = of(start + 1);
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(
            told[0]
                .starts_with(&format!("line {} is inside the record that begins on line {start}", start + 1)),
            "{told:?}"
        );
    }
}
