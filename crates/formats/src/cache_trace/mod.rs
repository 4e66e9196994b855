//! A trace of kv-cache-tester: the sizes and times of a session's requests, and a hash for each block of their prompts,
//! without any text.
//!
//! A request repeats the blocks of the one before it as far as the hashes agree; what follows is new. Each message here
//! has a placeholder text of its size, so policies can be compared by what they cost and how well they use the prompt
//! cache, and by nothing that needs words.

mod placeholder;
mod request;

use std::ops::Range;

use cwl_engine::{
    Author, BlockKind, Change, EntryId, EventBody, Header, Message, ProblemKind, RawPayload,
    ReplacementCause, Rewrite, RewriteTarget, Role, SessionId, ToolCall, ToolCallId, ToolResult,
};

use crate::adapter::{Adapter, Batch, RecordPlace};
use crate::blocks::{Blocks, ReadMessage, plain_message};
use crate::document::DocumentLines;
use crate::event::{EventDraft, InOneRecord, RecordStamp, changes_of, order_lines};
use crate::json::{JsonType, Value, owned};
use crate::notes::Notes;
use crate::usage::usage_with_cache;
use placeholder::PlaceholderTexts;
use request::{RequestContent, TraceRequest, read_request};

const MOST_BLOCK_SIZE: u64 = 4096;
/// The name of every tool, as a trace has none.
const TOOL: &str = "tool";

pub(crate) fn is_document(document: Value<'_>) -> bool {
    let [size, requests, scope, tools, system] =
        document.fields(["block_size", "requests", "hash_id_scope", "tool_tokens", "system_tokens"]);
    let is_number = |value: Option<Value<'_>>| value.is_some_and(|value| value.kind() == JsonType::Number);
    let has_list = requests.is_none_or(|requests| requests.kind() == JsonType::List);
    is_number(size) && has_list && (scope.is_some() || is_number(tools) || is_number(system))
}

#[derive(Clone, Default)]
pub(crate) struct CacheTrace;

impl Adapter for CacheTrace {
    fn record(&mut self, document: Value<'_>, at: RecordPlace, out: &mut Batch) {
        let first = out.events.len();
        let entry = at.entry();
        let mut notes = Notes::new(at.line, entry.clone(), &mut out.problems);
        if document.kind() == JsonType::List {
            let body = notes.unknown("array");
            let draft = EventDraft::whole(body, document);
            return out.events.push(draft.event(RecordStamp::line(at.line), entry));
        }
        let [id, size, tools, system, requests] =
            document.fields(["id", "block_size", "tool_tokens", "system_tokens", "requests"]);
        let session = notes.text(id, "id").map(SessionId::new);
        let block_size = notes.tokens(size, "block_size").filter(|size| (1..=MOST_BLOCK_SIZE).contains(size));
        let head = [(tools, "tool_tokens"), (system, "system_tokens")];
        let head = head.map(|(tokens, field)| notes.tokens(tokens, field).unwrap_or(0));
        if block_size.is_none() {
            notes.odd("block_size");
        }
        notes.note(ProblemKind::TextsUnlogged);
        let list = || requests.into_iter().flat_map(Value::items);
        let model = list().find_map(|request| request.get("model")).and_then(Value::string);
        let header = Header { session, model: model.map(|model| (*model).into()), ..Header::default() };
        let draft = EventDraft::bare(EventBody::Header(header));
        out.events.push(draft.event(RecordStamp::line(at.line), entry.clone()));
        if let Some(name) = owned(id) {
            // Placeholders are no title.
            let title = EventBody::Title(Some(format!("trace {name}").into()));
            let draft = EventDraft::bare(title);
            out.events.push(draft.event(RecordStamp::line(at.line), EntryId::new(format!("{entry}/title"))));
        }
        let mut trace = TraceEvents {
            entry,
            block_size: block_size.unwrap_or(1),
            texts: PlaceholderTexts::default(),
            segments: Vec::new(),
            call: None,
            model: None,
            out,
        };
        let mut lines = DocumentLines::new(document, at.line);
        let mut before: Option<TraceRequest> = None;
        for (nth, value) in (1u64..).zip(list()) {
            let line = lines.line_of(value);
            let place = EntryId::new(format!("{}/request-{nth}", trace.entry));
            if value.text_of("type") == "subagent" {
                let body = EventBody::Quiet { record: "subagent".into() };
                trace.out.events.push(EventDraft::whole(body, value).event(RecordStamp::line(line), place));
                continue;
            }
            let mut notes = Notes::new(line, place, &mut trace.out.problems);
            let mut request = read_request(value, line, nth, &mut notes);
            let earlier = before.as_ref().map(|before| common_blocks(before, &request));
            request.n_cached_blocks = earlier.unwrap_or(0) as u64;
            match &before {
                Some(before) => trace.add_request(before, &request),
                None => trace.begin_history(head, &request),
            }
            before = Some(request);
        }
        if let Some(last) = before {
            trace.add_reply(&last, last.n_output, last.calls_tool.unwrap_or(false));
        }
        // A subagent's requests stand between a request and the next one, which tells the reply.
        order_lines(out, first, at.line);
    }
}

/// A message as far as the hashes of its blocks are known.
struct TraceSegment {
    entry: EntryId,
    from: usize,
    kind: SegmentKind,
    answered: Option<ToolCallId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SegmentKind {
    System,
    Input(RequestContent),
    Reply,
}

struct TraceEvents<'o> {
    entry: EntryId,
    block_size: u64,
    texts: PlaceholderTexts,
    segments: Vec<TraceSegment>,
    call: Option<ToolCallId>,
    model: Option<String>,
    out: &'o mut Batch,
}

impl TraceEvents<'_> {
    /// Adds what the first request holds: tools, system prompt and everything behind them. `head` has the tokens of the first
    /// two.
    fn begin_history(&mut self, head: [u64; 2], request: &TraceRequest) {
        let mut from = 0usize;
        for (name, tokens) in ["tools", "system"].into_iter().zip(head) {
            // Whole blocks, as only these have hashes.
            let n_blocks = usize::try_from(tokens / self.block_size).unwrap_or(usize::MAX);
            let to = from.saturating_add(n_blocks).min(request.hashes.len());
            self.add_input(name, request, SegmentKind::System, from..to);
            from = to;
        }
        self.add_input("input", request, SegmentKind::Input(request.content), from..request.hashes.len());
    }

    fn add_request(&mut self, before: &TraceRequest, request: &TraceRequest) {
        let common = common_blocks(before, request);
        let is_kept = common == before.hashes.len();
        if !is_kept && self.segments.last().is_none_or(|last| last.from > common) {
            return self.replace_from(before, common, request);
        }
        // The prompt grew: first by the reply, as far as it is sent back, then by the input.
        let n_new = request.hashes.len() - common;
        let growth = u64::try_from(n_new).unwrap_or(u64::MAX).saturating_mul(self.block_size);
        let n_returned = before.n_output.min(growth);
        let last = self.segments.len().saturating_sub(1);
        let answers = request.content == RequestContent::Results;
        self.add_reply(before, n_returned, before.calls_tool.unwrap_or(answers));
        if !is_kept {
            self.shorten(last, common, request);
        }
        let n_blocks = usize::try_from(n_returned.div_ceil(self.block_size)).unwrap_or(usize::MAX);
        let from = common.saturating_add(n_blocks).min(request.hashes.len());
        self.add_input("input", request, SegmentKind::Input(request.content), from..request.hashes.len());
    }

    fn replace_from(&mut self, before: &TraceRequest, common: usize, request: &TraceRequest) {
        // The results of its calls cannot be told from the rest.
        self.add_reply(before, before.n_output, false);
        let first = self.segments.partition_point(|segment| segment.from <= common).saturating_sub(1);
        // A result stays with its blocks before `common`, so that its call keeps an answer.
        let is_result = self.segments.get(first).is_some_and(|segment| segment.answered.is_some());
        if is_result {
            self.shorten(first, common, request);
        }
        let first = first + usize::from(is_result);
        let Some(gone) = self.segments.get(first) else { return };
        let (from, kind) = (gone.from.min(common), gone.kind);
        let change = Change::removal(RewriteTarget::From(gone.entry.clone()));
        let rewrite = Rewrite { cause: ReplacementCause::Revision, changes: vec![change] };
        let entry = self.entry_of(request, "gone");
        self.out.events.push(EventDraft::bare(EventBody::Rewrite(rewrite)).event(stamp_of(request), entry));
        self.segments.truncate(first);
        self.call = None;
        // The part of a reply is a message like any other; its request was made before.
        let kind = if kind == SegmentKind::Reply { SegmentKind::Input(RequestContent::Mixed) } else { kind };
        self.add_input("kept", request, kind, from..common);
        self.add_input("input", request, SegmentKind::Input(request.content), common..request.hashes.len());
    }

    fn shorten(&mut self, at: usize, common: usize, request: &TraceRequest) {
        let Some(segment) = self.segments.get(at) else { return };
        let (kind, from, answered) = (segment.kind, segment.from, segment.answered.clone());
        let entry = self.entry_of(request, "shortened");
        let read = self.read_blocks(&entry, request, kind, answered, from..common);
        let mut news = InOneRecord::default();
        news.push(read);
        let Some(segment) = self.segments.get_mut(at) else { return };
        let changes = changes_of([segment.entry.clone()], news.messages);
        let body = EventBody::Rewrite(Rewrite { cause: ReplacementCause::Revision, changes });
        let draft = EventDraft { contents: news.contents, ..EventDraft::bare(body) };
        segment.entry = entry.clone();
        self.out.events.push(draft.event(stamp_of(request), entry));
    }

    fn add_input(&mut self, name: &str, request: &TraceRequest, kind: SegmentKind, blocks: Range<usize>) {
        let answered = self.call.take_if(|_| kind == SegmentKind::Input(RequestContent::Results));
        if blocks.is_empty() && answered.is_none() {
            return;
        }
        let entry = self.entry_of(request, name);
        let from = blocks.start;
        let read = self.read_blocks(&entry, request, kind, answered.clone(), blocks);
        self.segments.push(TraceSegment { entry: entry.clone(), from, kind, answered });
        let draft = EventDraft::message(read, RawPayload::default());
        self.out.events.push(draft.event(stamp_of(request), entry));
    }

    fn read_blocks(
        &mut self,
        entry: &EntryId,
        request: &TraceRequest,
        kind: SegmentKind,
        answered: Option<ToolCallId>,
        blocks: Range<usize>,
    ) -> ReadMessage {
        let hashes = request.hashes.get(blocks).unwrap_or_default();
        let text = self.texts.blocks_text(hashes, self.block_size);
        let mut notes = Notes::new(request.line, entry.clone(), &mut self.out.problems);
        let mut found = Blocks::new(0, &mut notes);
        let (block, frame) = match (kind, answered) {
            (SegmentKind::System, _) => (BlockKind::Text, plain_message(Role::System, Author::Harness)),
            (_, Some(call)) => {
                let result = ToolResult { call, name: Some(TOOL.into()), ok: true, mark: None };
                (BlockKind::Result(result), plain_message(Role::Tool, Author::Tool))
            }
            (SegmentKind::Input(RequestContent::Texts), None) => {
                (BlockKind::Text, plain_message(Role::User, Author::Human))
            }
            _ => (BlockKind::Text, plain_message(Role::User, Author::Harness)),
        };
        found.push(block, text, RawPayload::default());
        found.into_message(frame)
    }

    fn add_reply(&mut self, request: &TraceRequest, n_tokens: u64, calls_tool: bool) {
        let entry = self.entry_of(request, "reply");
        self.note_model(request);
        let text = self.texts.reply_text(request.nth, n_tokens);
        let mut notes = Notes::new(request.line, entry.clone(), &mut self.out.problems);
        let mut found = Blocks::new(0, &mut notes);
        match calls_tool {
            true => {
                let id = ToolCallId::new(format!("call-{}", request.nth));
                let call = ToolCall { id: id.clone(), name: TOOL.into(), program: None, mark: None };
                found.push(BlockKind::Call(call), text, RawPayload::default());
                self.call = Some(id);
            }
            false if n_tokens > 0 => found.push(BlockKind::Text, text, RawPayload::default()),
            false => {}
        }
        let cached = request.n_cached_blocks.saturating_mul(self.block_size);
        let usage = usage_with_cache(request.n_input, cached, request.n_output, 0);
        let frame = Message {
            usage: Some(usage),
            model: request.model.as_deref().map(Into::into),
            ..plain_message(Role::Assistant, Author::Model)
        };
        let read = found.into_message(frame);
        self.segments.push(TraceSegment {
            entry: entry.clone(),
            from: request.hashes.len(),
            kind: SegmentKind::Reply,
            answered: None,
        });
        let draft = EventDraft::message(read, RawPayload::default());
        self.out.events.push(draft.event(stamp_of(request), entry));
    }

    fn note_model(&mut self, request: &TraceRequest) {
        let Some(model) = &request.model else { return };
        let is_new = self.model.as_ref().is_some_and(|before| before != model);
        if is_new {
            let body = EventBody::ModelChange { model: model.as_str().into() };
            let entry = self.entry_of(request, "model");
            self.out.events.push(EventDraft::bare(body).event(stamp_of(request), entry));
        }
        self.model = Some(model.clone());
    }

    fn entry_of(&self, request: &TraceRequest, name: &str) -> EntryId {
        EntryId::new(format!("{}/request-{}/{name}", self.entry, request.nth))
    }
}

fn common_blocks(before: &TraceRequest, request: &TraceRequest) -> usize {
    before.hashes.iter().zip(&request.hashes).take_while(|(one, other)| one == other).count()
}

fn stamp_of(request: &TraceRequest) -> RecordStamp {
    RecordStamp { at_ms: request.at_ms, ..RecordStamp::line(request.line) }
}
