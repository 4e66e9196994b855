//! Condenses a session to one text per turn.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use cwl_engine::{
    BlockIdx, BlockKind, BlockPlace, Content, MessageClass, MessageIdx, ReplacementCause, Role, Session,
    SessionMessage,
};
use cwl_formats::{keeps_todos, read_call};
use cwl_inspect::figures::with_commas;
use cwl_inspect::marks::{FIRST_NUMBER, numbers_in_lines, share_lines};
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::ApiError;
use crate::brief::results::describe_result;
use crate::brief::tasks::Tasks;
use crate::brief::text::{harmless_text, indent_text, one_line, shorten_text};
use crate::export::clean::Cleaner;

/// Longest human words, agent words beside calls, thoughts and argument, in characters.
const HUMAN_CHARS: usize = 1600;
const AGENT_CHARS: usize = 1200;
const REASONING_CHARS: usize = 200;
const ARGUMENT_CHARS: usize = 180;
const MOST_CALLS: usize = 40;
/// Maximum number of characters scanned per text, so that a single text cannot stall the brief.
const LOOKED_AT: usize = 16_000;
const TOGETHER: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct CondensedTurn {
    pub(super) text: String,
    pub(super) last_line: u64,
}

/// Returns the condensed turns, and a last one for words after the last turn.
///
/// If turns share lines, blocks are numbered within their lines.
pub(super) fn condense_turns(
    opened: &SessionSnapshot,
    cleaner: &mut Cleaner,
) -> Result<Vec<CondensedTurn>, ApiError> {
    let branch = opened.current_branch();
    let session = &branch.session;
    let mut sizes: BTreeMap<BlockPlace, u32> = BTreeMap::new();
    let n_chars = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    sizes.extend(opened.texts.tally_texts(n_chars)?);
    let numbers: BTreeMap<MessageIdx, usize> = (FIRST_NUMBER..)
        .zip(&session.turns)
        .filter_map(|(number, turn)| Some((turn.message?, number)))
        .collect();
    let mut writer = CondensedWriter {
        opened,
        numbers: share_lines(session).then(|| numbers_in_lines(&opened.log, session)),
        session,
        cleaner,
        sizes,
        tasks: Tasks::default(),
        turns: Vec::new(),
        before: String::new(),
    };
    let mut replacements = session.replacements.iter().filter(|one| one.cause.saves_room()).peekable();
    for first in (0..session.messages.len()).step_by(TOGETHER) {
        let chunk = first..session.messages.len().min(first + TOGETHER);
        let contents = writer.fetch_contents(chunk.clone())?;
        for at in chunk {
            while let Some(one) = replacements.next_if(|one| one.at <= at) {
                let what = match one.cause {
                    ReplacementCause::Compaction => "the harness compacted: a summary replaced",
                    ReplacementCause::Eviction => "a policy at work in the agent evicted",
                    _ => "the harness cleared",
                };
                writer.note_line(one.line, &format!("{what} {} blocks", with_commas(one.drops.len() as u64)));
            }
            let idx = MessageIdx::new(at);
            writer.write_message(idx, numbers.get(&idx).copied(), &contents);
        }
    }
    Ok(writer.finish_turns())
}

struct CondensedWriter<'a> {
    opened: &'a SessionSnapshot,
    session: &'a Session,
    numbers: Option<HashMap<BlockIdx, usize>>,
    cleaner: &'a mut Cleaner,
    sizes: BTreeMap<BlockPlace, u32>,
    tasks: Tasks,
    turns: Vec<CondensedTurn>,
    before: String,
}

type BlockContents = BTreeMap<BlockIdx, Content>;

impl CondensedWriter<'_> {
    fn fetch_contents(&self, messages: std::ops::Range<usize>) -> Result<BlockContents, ApiError> {
        let session = self.session;
        let blocks = messages.flat_map(|at| session.messages[at].blocks.clone()).map(BlockIdx::new);
        // A result is described with its call, which may be in an earlier batch.
        let wanted: Vec<BlockIdx> = blocks
            .flat_map(|block| match &session.blocks[block.at()].kind {
                BlockKind::Call(_) => vec![Some(block), session.blocks[block.at()].pair],
                BlockKind::Text | BlockKind::Reasoning => vec![Some(block)],
                BlockKind::Result(_) | BlockKind::Image | BlockKind::Opaque => Vec::new(),
            })
            .flatten()
            .collect();
        let places: Vec<BlockPlace> =
            wanted.iter().map(|block| SessionSnapshot::place_of(session, *block)).collect();
        Ok(wanted.into_iter().zip(self.opened.texts.block_contents(&places)?).collect())
    }

    fn clean_text(&mut self, text: &str) -> String {
        let text = match text.char_indices().nth(LOOKED_AT) {
            Some((end, _)) => &text[..end],
            None => text,
        };
        harmless_text(&self.cleaner.clean_text(text))
    }

    fn clean_end(&mut self, text: &str) -> Option<String> {
        let (start, _) = text.char_indices().rev().nth(LOOKED_AT - 1).filter(|(start, _)| *start > 0)?;
        Some(harmless_text(&self.cleaner.clean_text(&text[start..])))
    }

    /// A block's place as a mark gives it: the line, and the block's number if lines are shared.
    fn describe_place(&self, line: u64, block: BlockIdx) -> String {
        match self.numbers.as_ref().and_then(|numbers| numbers.get(&block)) {
            Some(number) => format!("{line}/{number}"),
            None => line.to_string(),
        }
    }

    fn note_line(&mut self, line: u64, text: &str) {
        let _infallible = writeln!(self.before, "  {line} {text}");
    }

    fn write_message(&mut self, idx: MessageIdx, turn: Option<usize>, contents: &BlockContents) {
        let message = &self.session.messages[idx.at()];
        match turn {
            Some(number) => self.write_turn(idx, message, number, contents),
            None if message.added => {}
            None => self.write_between(idx, message, contents),
        }
    }

    fn write_between(&mut self, idx: MessageIdx, message: &SessionMessage, contents: &BlockContents) {
        if message.role == Role::Tool {
            return;
        }
        let who = match message.class {
            MessageClass::User => "human",
            MessageClass::Assistant => "agent",
            MessageClass::Injected | MessageClass::Summary => "harness",
            MessageClass::System | MessageClass::Tool => return,
        };
        let texts: Vec<&str> = self
            .session
            .blocks_of(idx)
            .filter(|(_, block)| block.kind == BlockKind::Text)
            .filter_map(|(block, _)| Some(contents.get(&block)?.text.as_str()))
            .collect();
        let text = texts.join("\n");
        if text.trim().is_empty() {
            return;
        }
        let most = if who == "harness" { ARGUMENT_CHARS } else { HUMAN_CHARS };
        let text = self.clean_text(&text);
        let text = if who == "harness" { one_line(&text, most) } else { shorten_text(&text, most) };
        self.note_line(message.line, &format!("{who}: {}", indent_text(&text, 6)));
    }

    fn write_turn(
        &mut self,
        idx: MessageIdx,
        message: &SessionMessage,
        number: usize,
        contents: &BlockContents,
    ) {
        let session = self.session;
        let mut places: Vec<(u64, BlockIdx)> = Vec::new();
        let mut told = std::mem::take(&mut self.before);
        // Words without a call are a report, which is shown as a whole.
        let is_report = !session.blocks_of(idx).any(|(_, row)| matches!(row.kind, BlockKind::Call(_)));
        let most_words = if is_report { LOOKED_AT } else { AGENT_CHARS };
        let mut n_calls = 0;
        for (block, row) in session.blocks_of(idx) {
            let line = self.opened.line_of(session, block);
            places.push((line, block));
            let line = self.describe_place(line, block);
            let text = contents.get(&block).map_or("", |content| content.text.as_str());
            match &row.kind {
                BlockKind::Text if !text.trim().is_empty() => {
                    let words = shorten_text(&self.clean_text(text), most_words);
                    let _infallible = writeln!(told, "  {line} agent: {}", indent_text(&words, 6));
                }
                BlockKind::Reasoning if !text.trim().is_empty() => {
                    let words = one_line(&self.clean_text(text), REASONING_CHARS);
                    let _infallible = writeln!(told, "  {line} reasoning: {words}");
                }
                BlockKind::Call(call) => {
                    if let Some(result) = row.pair {
                        places.push((self.opened.line_of(session, result), result));
                    }
                    n_calls += 1;
                    if n_calls <= MOST_CALLS {
                        let entry = self.write_call(&call.name, text, row.pair, contents);
                        let _infallible = writeln!(told, "  {line} {entry}");
                    }
                    if keeps_todos(&call.name) {
                        let arguments = text.strip_prefix(&*call.name).unwrap_or(text).to_owned();
                        for change in self.tasks.apply_call(&arguments) {
                            let item = one_line(&self.clean_text(&change.item), ARGUMENT_CHARS);
                            let state = one_line(&self.clean_text(&change.state), ARGUMENT_CHARS);
                            let _infallible = writeln!(told, "  {line} task {state}: {item}");
                        }
                    }
                }
                _ => {}
            }
        }
        if n_calls > MOST_CALLS {
            let _infallible = writeln!(told, "  and {} more calls", n_calls - MOST_CALLS);
        }
        let place_of = |place: Option<&(u64, BlockIdx)>| {
            place.map_or_else(|| message.line.to_string(), |(line, block)| self.describe_place(*line, *block))
        };
        let last_line = places.iter().map(|(line, _)| *line).max().unwrap_or(message.line);
        let (first, last) = (place_of(places.iter().min()), place_of(places.iter().max()));
        let place = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
        self.turns.push(CondensedTurn { text: format!("turn {number}, {place}\n{told}"), last_line });
    }

    fn write_call(
        &mut self,
        tool: &str,
        text: &str,
        result: Option<BlockIdx>,
        contents: &BlockContents,
    ) -> String {
        let name = one_line(&self.clean_text(tool), ARGUMENT_CHARS);
        let argument = one_line(&self.clean_text(&main_argument(tool, text)), ARGUMENT_CHARS);
        let Some(result) = result else { return format!("call {name}: {argument} → no result") };
        let row = &self.session.blocks[result.at()];
        let is_failure = matches!(&row.kind, BlockKind::Result(result) if !result.ok);
        let n_chars = self.sizes.get(&SessionSnapshot::place_of(self.session, result)).copied().unwrap_or(0);
        let text_of_result = contents.get(&result).map_or("", |content| content.text.as_str());
        let (start, end) = (self.clean_text(text_of_result), self.clean_end(text_of_result));
        let is_shell = read_call(tool, text).command_line().is_some();
        let answer = describe_result(&start, end.as_deref(), n_chars, is_failure, is_shell);
        format!("call {name}: {argument} → {answer}")
    }

    fn finish_turns(mut self) -> Vec<CondensedTurn> {
        if !self.before.is_empty() {
            let before = std::mem::take(&mut self.before);
            let last_line = self.turns.last().map_or(0, |turn| turn.last_line);
            self.turns.push(CondensedTurn { text: format!("after the last turn\n{before}"), last_line });
        }
        self.turns
    }
}

/// A call's most telling argument: a command, or a file and the first other text.
fn main_argument(tool: &str, text: &str) -> String {
    let reading = read_call(tool, text);
    // A mark needs all its parts.
    if tool.rsplit("__").next() == Some("delimiter") {
        let parts: Vec<&str> = reading.arguments.iter().map(|argument| argument.text.trim()).collect();
        return parts.join("  ");
    }
    if let Some(command) = reading.command_line() {
        return command.into_owned();
    }
    let others = reading.arguments.iter().filter(|argument| argument.role == cwl_engine::ArgumentRole::Text);
    let other = others.map(|argument| argument.text.trim()).find(|text| !text.is_empty());
    let parts: Vec<&str> = reading.path_arguments().take(1).chain(other).collect();
    parts.join("  ")
}
