//! Converts marks to spans of a branch, and back.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use cwl_engine::{
    Annotation, BlockIdx, BlockKind, DeclaredKind, EpisodeName, EventLog, Evidence, MessageClass, Session,
    Span, StartFeature,
};

use crate::api::{FileMark, MarkProblem, MarksFile};
use crate::figures::saturate_u32;

/// Converts marks to an annotation, and lists their oddities.
///
/// An episode goes from the agent's first block at or after its first line to the last block at or before its last
/// line. Reasoning right before it in the same reply is included unless another mark contains it. A mark without any
/// such block is left out. A mark beginning inside the previous episode ends that episode. Results go with their calls,
/// so that a mark may begin between parallel calls of one reply.
pub fn spans_of(marks: &MarksFile, log: &EventLog, session: &Session) -> (Annotation, Vec<MarkProblem>) {
    let MarksOnBranch { annotation, problems, .. } = place_marks(marks, log, session);
    (annotation, problems)
}

pub struct MarksOnBranch {
    pub annotation: Annotation,
    pub problems: Vec<MarkProblem>,
    /// Indices of marks without an episode on this branch.
    pub left_out: Vec<usize>,
}

pub fn place_marks(marks: &MarksFile, log: &EventLog, session: &Session) -> MarksOnBranch {
    let lines = BlockLines::new(log, session);
    let mut problems = Vec::new();
    let mut placed: Vec<(usize, Span)> = Vec::new();
    for (at, mark) in marks.episodes.iter().enumerate() {
        let mut says = |line: u64, message: String| problems.push(mark_problem(at, mark, line, message));
        if let Some(span) = lines.span_of_mark(mark, &mut says) {
            placed.push((at, span));
        }
    }
    placed.sort_by_key(|(_, span)| span.first);
    for at in 0..placed.len() {
        let first = with_reasoning(session, placed[at].1.first);
        let is_free = at == 0 || placed[at - 1].1.last.is_some_and(|last| last < first);
        if is_free && marks.episodes[placed[at].0].first_block.is_none() {
            placed[at].1.first = first;
        }
    }
    for at in 1..placed.len() {
        let ((of_before, before), (of, span)) = (&placed[at - 1], &placed[at]);
        let (before_mark, mark) = (&marks.episodes[*of_before], &marks.episodes[*of]);
        if before.first == span.first {
            let message = format!("it begins with the same block as `{}` and is left out", before_mark.name);
            problems.push(mark_problem(*of, mark, mark.first, message));
        } else if before.last.is_none_or(|last| last >= span.first)
            && !is_between_calls(session, before, span.first, |block| lines.is_until(block, before_mark.last))
        {
            let message = format!("it begins inside `{}`, which ends there", before_mark.name);
            problems.push(mark_problem(*of, mark, mark.first, message));
        }
    }
    placed.dedup_by_key(|(_, span)| span.first);
    check_names(marks, &placed, &mut problems);
    problems.sort();
    let is_placed: HashSet<usize> = placed.iter().map(|(at, _)| *at).collect();
    let left_out = (0..marks.episodes.len()).filter(|at| !is_placed.contains(at)).collect();
    let annotation = Annotation::from_written(placed.into_iter().map(|(_, span)| span).collect());
    MarksOnBranch { annotation, problems, left_out }
}

/// Converts spans to marks. Converting them back gives equal spans.
pub fn marks_of(spans: &[Span], log: &EventLog, session: &Session) -> Vec<FileMark> {
    let lines = BlockLines::new(log, session);
    let places = lines.blocks.iter().enumerate().map(|(place, (_, block, _))| (*block, place));
    let mut places: Vec<(BlockIdx, usize)> = places.collect();
    places.sort_unstable();
    let mark =
        |span: &Span| lines.mark_of_span(span, with_reasoning(session, span.first) != span.first, &places);
    spans.iter().map(mark).collect()
}

/// Extends `block` to the left over reasoning in the same reply, because providers refuse reasoning without the call it
/// led to.
fn with_reasoning(session: &Session, block: BlockIdx) -> BlockIdx {
    let blocks = &session.blocks;
    let message = blocks[block.at()].message;
    let is_of_it = |at: &usize| blocks[*at].message == message && blocks[*at].kind == BlockKind::Reasoning;
    BlockIdx::new((0..block.at()).rev().take_while(is_of_it).last().unwrap_or(block.at()))
}

/// Tells whether `first` stands between parallel calls of one reply: of the blocks from there to the end of `before`,
/// those in its lines are results of its own calls. A harness that writes each result below its call has them so.
fn is_between_calls(
    session: &Session,
    before: &Span,
    first: BlockIdx,
    is_in_lines: impl Fn(BlockIdx) -> bool,
) -> bool {
    let Some(last) = before.last else { return false };
    let mut shared = (first.at()..=last.at()).map(BlockIdx::new).filter(|block| is_in_lines(*block));
    let is_own_result = |block: BlockIdx| {
        let row = &session.blocks[block.at()];
        matches!(row.kind, BlockKind::Result(_)) && row.pair.is_some_and(|call| call < first)
    };
    shared.all(is_own_result)
}

/// `placed` is in log order.
fn check_names(marks: &MarksFile, placed: &[(usize, Span)], problems: &mut Vec<MarkProblem>) {
    let mut seen: HashMap<&EpisodeName, DeclaredKind> = HashMap::new();
    let later: HashSet<&EpisodeName> = placed.iter().map(|(_, span)| &span.name).collect();
    let written: HashSet<&str> = marks.episodes.iter().map(|mark| mark.name.trim()).collect();
    for (at, span) in placed {
        let mark = &marks.episodes[*at];
        let mut says = |message: String| problems.push(mark_problem(*at, mark, mark.first, message));
        match span.kind {
            DeclaredKind::Exploratory if !span.dependencies.is_empty() => {
                says("an exploration draws on nothing: its dependencies are left out".to_owned());
            }
            DeclaredKind::Exploratory => {}
            DeclaredKind::Action => {
                for on in &span.dependencies {
                    let why = match seen.get(on) {
                        Some(DeclaredKind::Exploratory) => continue,
                        Some(DeclaredKind::Action) => "is an act",
                        None if *on == span.name => "is the act itself",
                        None if later.contains(on) => "begins later",
                        None if written.contains(on.as_str()) => "is left out itself",
                        None => "is the name of no mark",
                    };
                    says(format!("it draws on `{on}`, which {why}: that dependency is left out"));
                }
            }
        }
        if seen.insert(&span.name, span.kind).is_some() {
            says("the name is used a second time, so that it gets a number".to_owned());
        }
    }
}

fn mark_problem(at: usize, mark: &FileMark, line: u64, message: String) -> MarkProblem {
    MarkProblem { mark: saturate_u32(at + 1), name: mark.name.clone(), line, message }
}

/// Numbers blocks within their lines, from 0, as `first_block` and `last_block` do.
pub fn numbers_in_lines(log: &EventLog, session: &Session) -> HashMap<BlockIdx, usize> {
    let lines = BlockLines::new(log, session);
    let of_line = lines.blocks.chunk_by(|(one, ..), (other, ..)| one == other);
    of_line
        .flat_map(|blocks| blocks.iter().enumerate().map(|(number, (_, block, _))| (*block, number)))
        .collect()
}

struct BlockLines {
    /// Ascending: log line, block, whether the agent wrote it.
    blocks: Vec<(u64, BlockIdx, bool)>,
    last: u64,
}

impl BlockLines {
    fn new(log: &EventLog, session: &Session) -> Self {
        let sent = session.messages.iter().filter(|message| {
            // A message added by a compaction replaces others and belongs to no episode.
            !message.added && message.class.is_evictable() && message.form.is_sent()
        });
        let own = sent.flat_map(|message| {
            let is_agent = message.class == MessageClass::Assistant;
            message.blocks.clone().map(move |at| (BlockIdx::new(at), is_agent))
        });
        let mut blocks: Vec<(u64, BlockIdx, bool)> = own
            .map(|(block, is_agent)| {
                let row = &session.blocks[block.at()];
                let is_result = matches!(row.kind, BlockKind::Result(_));
                (log.record(row.event).line, block, is_agent && !is_result)
            })
            .collect();
        blocks.sort_unstable();
        let last = log.events().iter().map(|event| event.line).max().unwrap_or(0);
        Self { blocks, last }
    }

    fn is_until(&self, block: BlockIdx, line: Option<u64>) -> bool {
        let to = self.of_line(line.unwrap_or(self.last)).end;
        self.blocks[..to].iter().any(|(_, other, _)| *other == block)
    }

    /// Returns the indices in `blocks` for `line`; an empty range at the insertion point if the line has none.
    fn of_line(&self, line: u64) -> Range<usize> {
        let from = self.blocks.partition_point(|(other, ..)| *other < line);
        from..self.blocks.partition_point(|(other, ..)| *other <= line)
    }

    /// Converts a span to a mark. `first_block` and `last_block` are set only if the lines alone would be ambiguous,
    /// for example if the span `cuts` off reasoning.
    fn mark_of_span(&self, span: &Span, cuts: bool, places: &[(BlockIdx, usize)]) -> FileMark {
        // The block itself, or the nearest earlier one that may belong to an episode.
        let place = |block: BlockIdx| {
            let at = places.partition_point(|(other, _)| *other <= block);
            places.get(at.saturating_sub(1)).map_or(0, |(_, place)| *place)
        };
        let line = |place: usize| self.blocks.get(place).map_or(0, |(line, ..)| *line);
        let first = place(span.first);
        let of_first = self.of_line(line(first));
        let usual = of_first.clone().find(|at| self.blocks[*at].2);
        let last = span.last.map(place);
        let in_last = last.map(|last| self.of_line(line(last)));
        let is_odd = |last: &usize| in_last.as_ref().is_some_and(|of| last + 1 != of.end);
        FileMark {
            name: span.name.to_string(),
            kind: match span.kind {
                DeclaredKind::Exploratory => "expl".to_owned(),
                DeclaredKind::Action => "act".to_owned(),
            },
            first: line(first),
            last: last.map(line),
            first_block: (cuts || usual != Some(first)).then(|| saturate_u32(first - of_first.start)),
            last_block: last
                .filter(is_odd)
                .map(|last| saturate_u32(last - in_last.as_ref().map_or(0, |of| of.start))),
            dependencies: span.dependencies.iter().map(ToString::to_string).collect(),
            description: span.description.as_deref().map(str::to_owned),
            confidence: span.evidence.as_ref().map(|evidence| evidence.confidence),
            cues: span
                .evidence
                .iter()
                .flat_map(|evidence| &evidence.cues)
                .map(|cue| (*cue).to_owned())
                .collect(),
        }
    }

    fn span_of_mark(&self, mark: &FileMark, says: &mut impl FnMut(u64, String)) -> Option<Span> {
        let kind = match mark.kind.as_str() {
            "expl" => DeclaredKind::Exploratory,
            "act" => DeclaredKind::Action,
            other => {
                says(mark.first, format!("its type is `{other}`, neither `expl` nor `act`: it is left out"));
                return None;
            }
        };
        if mark.name.trim().is_empty() {
            says(mark.first, "it has no name and is left out".to_owned());
            return None;
        }
        if mark.first == 0 || mark.first > self.last {
            let message = format!("line {} is outside the log, which has {} lines", mark.first, self.last);
            says(mark.first, format!("{message}: it is left out"));
            return None;
        }
        let last = mark.last.unwrap_or(self.last.max(mark.first));
        if last < mark.first {
            says(mark.first, format!("it ends at line {last}, before it begins: it is left out"));
            return None;
        }
        if last > self.last {
            let message = format!("line {last} is outside the log, which has {} lines", self.last);
            says(last, format!("{message}: it ends with the log"));
        }
        let (from, to) = (self.of_line(mark.first), self.of_line(last));
        let from = mark.first_block.map_or(from.start, |number| (from.start + number as usize).min(from.end));
        let to = mark.last_block.map_or(to.end, |number| (to.start + number as usize + 1).min(to.end));
        let within = self.blocks.get(from..to).unwrap_or_default();
        let Some((_, first, _)) = within.iter().find(|(.., is_own)| *is_own) else {
            let message = format!("lines {} to {last} hold nothing of the agent", mark.first);
            says(mark.first, format!("{message} on this branch: it is left out"));
            return None;
        };
        let end = within.last().map(|(_, last, _)| *last.max(first));
        Some(Span {
            name: EpisodeName::from(mark.name.trim()),
            kind,
            first: *first,
            last: end.filter(|_| mark.last.is_some()),
            dependencies: mark.dependencies.iter().map(|on| EpisodeName::from(on.trim())).collect(),
            description: mark.description.as_deref().map(Arc::from),
            evidence: mark.confidence.map(|confidence| Arc::new(parse_evidence(confidence, &mark.cues))),
        })
    }
}
/// Parses the evidence for an inferred start. Unknown cues are ignored.
fn parse_evidence(confidence: u16, cues: &[String]) -> Evidence {
    let known = |cue: &String| StartFeature::ALL.iter().map(|one| one.name()).find(|name| name == cue);
    Evidence { confidence: confidence.min(1000), cues: cues.iter().filter_map(known).collect() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;

    use super::*;
    use crate::testing::load_file;

    /// Parses `NAME TYPE FIRST-LAST <ON,ON`.
    fn mark(text: &str) -> FileMark {
        let mut words = text.split(' ');
        let mut next = || words.next().unwrap().to_owned();
        let (name, kind, lines) = (next(), next(), next());
        let (first, last) = lines.split_once('-').unwrap();
        let on = words.next().map_or(String::new(), |on| on.trim_start_matches('<').to_owned());
        let dependencies = on.split(',').filter(|on| !on.is_empty()).map(str::to_owned).collect();
        let (first, last) = (first.parse().unwrap(), last.parse().ok());
        FileMark { name, kind, first, last, dependencies, ..FileMark::default() }
    }

    fn check(marks: &[&str], spans: &[&str], problems: &[&str]) {
        check_on("claude-code/compaction", marks, spans, problems);
    }

    /// Checks the spans (`NAME first..last`) and problems (`NUMBER@LINE MESSAGE`) for marks on a sample.
    fn check_on(sample: &str, marks: &[&str], spans: &[&str], problems: &[&str]) {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        let opened = load_file(&samples.join(sample).join("input.jsonl")).unwrap();
        let episodes = marks.iter().map(|text| mark(text)).collect();
        let marks = MarksFile { episodes, ..MarksFile::default() };
        let session = &opened.current_branch().session;
        let (annotation, found) = spans_of(&marks, &opened.log, session);
        let line = |block: BlockIdx| opened.line_of(session, block);
        let of = |span: &Span| format!("{} {}..{}", span.name, line(span.first), span.last.map_or(0, line));
        let found: Vec<String> =
            found.iter().map(|one| format!("{}@{} {}", one.mark, one.line, one.message)).collect();
        assert_eq!(annotation.spans().unwrap().iter().map(of).collect::<Vec<_>>(), spans);
        assert_eq!(found, problems);
    }

    #[test]
    fn lines_become_blocks() {
        check(&[], &[], &[]);
        // Line 3 is the human's, lines 1, 2 and 15 are no messages, line 5 answers line 4.
        check(&["look expl 1-14", "fix act 15-28 <look"], &["look 4..14", "fix 16..28"], &[]);
        check(&["look expl 5-7"], &["look 6..7"], &[]);
        check(&["b act 9-9", "a expl 4-8"], &["a 4..8", "b 9..9"], &[]);
    }

    #[test]
    fn a_mark_may_begin_between_parallel_calls() {
        // Lines 13 and 16 are calls of one reply, lines 15 and 17 their results.
        let sample = "claude-code/parallel";
        check_on(sample, &["a expl 12-15", "b expl 16-17"], &["a 12..13", "b 16..17"], &[]);
        let inside = "2@16 it begins inside `a`, which ends there";
        check_on(sample, &["a expl 12-17", "b expl 16-17"], &["a 12..13", "b 16..17"], &[inside]);
        check_on(sample, &["a expl 12-", "b expl 16-17"], &["a 12..13", "b 16..17"], &[inside]);
    }

    #[test]
    fn reasoning_goes_with_what_it_led_to() {
        let sample =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/claude-code/quickstart/input.jsonl");
        let opened = load_file(&sample).unwrap();
        let session = &opened.current_branch().session;
        let line = |block: BlockIdx| opened.line_of(session, block);
        // A call whose reasoning is on an earlier line.
        let call = (1..session.blocks.len())
            .map(BlockIdx::new)
            .find(|block| {
                matches!(session.blocks[block.at()].kind, BlockKind::Call(_))
                    && with_reasoning(session, *block) != *block
                    && line(with_reasoning(session, *block)) < line(*block)
            })
            .unwrap();
        let (reasoning, from) = (with_reasoning(session, call), line(call));
        let first = |marks: Vec<FileMark>| {
            let marks = MarksFile { episodes: marks, ..MarksFile::default() };
            let (annotation, problems) = spans_of(&marks, &opened.log, session);
            assert_eq!(problems, []);
            let spans = annotation.spans().unwrap();
            let written = marks_of(spans, &opened.log, session);
            let again =
                spans_of(&MarksFile { episodes: written, ..MarksFile::default() }, &opened.log, session);
            assert_eq!(again.0, annotation, "what is written down is read as it was");
            spans.last().unwrap().first
        };
        let of = |text: String| mark(&text);
        assert_eq!(first(vec![of(format!("a act {from}-"))]), reasoning);
        let before = of(format!("b expl 1-{}", line(reasoning)));
        assert_eq!(first(vec![before, of(format!("a act {from}-"))]), call, "another mark holds it");
        let exact = FileMark { first_block: Some(0), ..of(format!("a act {from}-")) };
        assert_eq!(first(vec![exact]), call);
    }

    #[test]
    fn odd_marks_are_problems_with_a_place() {
        check(
            &["a plan 4-5", "b expl 0-9", "c expl 47-50", "d expl 9-4", "e expl 31-31", " expl 4-5"],
            &[],
            &[
                "1@4 its type is `plan`, neither `expl` nor `act`: it is left out",
                "2@0 line 0 is outside the log, which has 46 lines: it is left out",
                "3@47 line 47 is outside the log, which has 46 lines: it is left out",
                "4@9 it ends at line 4, before it begins: it is left out",
                "5@31 lines 31 to 31 hold nothing of the agent on this branch: it is left out",
                "6@4 it has no name and is left out",
            ],
        );
        check(
            &["a expl 21-99"],
            &["a 21..46"],
            &["1@99 line 99 is outside the log, which has 46 lines: it ends with the log"],
        );
        check(
            &["a expl 4-12", "b act 9-14 <a", "c act 9-20 <a"],
            &["a 4..8", "b 9..14"],
            &[
                "2@9 it begins inside `a`, which ends there",
                "3@9 it begins with the same block as `b` and is left out",
            ],
        );
    }

    #[test]
    fn odd_names_and_dependencies_are_problems_too() {
        check(
            &[
                "a expl 4-8 <b",
                "b act 9-14 <a,b,d,x",
                "b act 16-19 <b,gone",
                "d expl 21-24",
                "gone expl 31-31",
            ],
            &["a 4..8", "b 9..14", "b 16..19", "d 21..24"],
            &[
                "1@4 an exploration draws on nothing: its dependencies are left out",
                "2@9 it draws on `b`, which is the act itself: that dependency is left out",
                "2@9 it draws on `d`, which begins later: that dependency is left out",
                "2@9 it draws on `x`, which is the name of no mark: that dependency is left out",
                "3@16 it draws on `b`, which is an act: that dependency is left out",
                "3@16 it draws on `gone`, which is left out itself: that dependency is left out",
                "3@16 the name is used a second time, so that it gets a number",
                "5@31 lines 31 to 31 hold nothing of the agent on this branch: it is left out",
            ],
        );
    }
}
