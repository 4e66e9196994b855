//! Captured bodies: requests saved by the harness, compared with the contexts that the log gives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cwl_engine::{BlockKind, EventBody, Message, Session, Usage};
use cwl_inspect::figures::{count_noun, saturate_u32, with_commas};
use cwl_inspect::measure::measured::write_percent;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::present::diff::longest_ascending;
use cwl_inspect::present::item::{ContextRow, context_rows, make_items, preview_text};
use cwl_inspect::tables::tools::Tools;

use crate::ApiError;
use crate::api::{
    CapturedAnswer, CapturedBlock, CapturedBodyAnswer, CapturedBodyRequest, CapturedRequest, CapturedRow,
    CapturedSide, CapturedText, CapturedTurn, ContextItem, ContextItemKind, Role, ViewCut, ViewSettings,
};
use crate::reading::captured::{CapturedFolder, ReplyMark};
use crate::reading::load::{LogInput, load_file};

/// Block text in a comparison, in characters.
const TEXT_CHARS: usize = 200;
/// Block text in a body's row, in characters.
const ROW_CHARS: usize = 1_000;
const ROWS_LISTED: usize = 2_000;
/// System prompt, and each tool definition, in characters.
const PART_CHARS: usize = 200_000;
/// Entry suffixes for the system prompt, set by the body readers.
const SYSTEM: [&str; 3] = ["/system", "/instructions", "/systemInstruction"];
const TOOLS: [&str; 1] = ["/tools"];

/// Compares a session's captured bodies with its contexts without a policy, so with the harness's own
/// evictions only.
///
/// # Errors
/// If the named folder has no captured bodies, `request.view` is invalid, or the log's texts cannot be read.
pub fn captured(opened: &SessionSnapshot, request: &CapturedRequest) -> Result<CapturedAnswer, ApiError> {
    let as_recorded = request.view.as_recorded();
    let named = request.folder.as_deref().map(Path::new);
    let folders = CapturedFolder::open_all(Path::new(&opened.about.path), named)?;
    let run = opened.replay_view(&as_recorded)?;
    let Some((folder, joined)) = joined_folder(opened, folders, &run.branch.session, named.is_some()) else {
        return Ok(CapturedAnswer { says: NONE_BESIDE.to_owned(), ..CapturedAnswer::default() });
    };
    let JoinedRequests { requests, n_own } = joined;
    let mut found = Vec::new();
    for (at, turn) in &requests {
        let Some(body) = body_at(&folder, *at, &as_recorded)? else { continue };
        let wanted = request.turn == Some(*turn);
        let log = sent_items(opened, &as_recorded, Some(*turn))?;
        found.push(compare_turn(*turn, folder.file_name(*at), &log, &body, wanted));
    }
    let n_joined = requests.len();
    found.sort_by(|a, b| a.turn.cmp(&b.turn).then_with(|| a.file.cmp(&b.file)));
    let per_mille = agreement_per_mille(&found);
    let says = summary_sentence(&found, n_own, folder.n_problems, per_mille);
    Ok(CapturedAnswer {
        folder: Some(folder.path.display().to_string()),
        n_requests: saturate_u32(n_own),
        n_without_turn: saturate_u32(n_own - n_joined),
        n_unreadable: saturate_u32(n_joined - found.len()),
        turns: found,
        per_mille,
        says,
    })
}

/// Returns the captured body of a turn, if the log has one beside it. After retries, the last attempt counts.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn captured_body(
    opened: &SessionSnapshot,
    request: &CapturedBodyRequest,
) -> Result<CapturedBodyAnswer, ApiError> {
    let turn = request.turn;
    let none = |says: String| CapturedBodyAnswer { turn, says, ..CapturedBodyAnswer::default() };
    let folders = CapturedFolder::open_all(Path::new(&opened.about.path), None)?;
    let as_recorded = request.view.as_recorded();
    let run = opened.replay_view(&as_recorded)?;
    let Some((folder, joined)) = joined_folder(opened, folders, &run.branch.session, false) else {
        return Ok(none(NONE_BESIDE.to_owned()));
    };
    let of_turn = joined.requests.iter().rev().filter(|(_, joined)| *joined == turn);
    for (at, _) in of_turn {
        let Some(body) = body_at(&folder, *at, &as_recorded)? else { continue };
        let log = sent_items(opened, &as_recorded, Some(turn))?;
        return Ok(in_full(turn, folder.file_name(*at), &log, &body));
    }
    Ok(none(format!("no request of turn {} was captured", with_commas(turn.into()))))
}

pub(crate) fn count_captured(opened: &SessionSnapshot, view: &ViewSettings) -> Result<u64, ApiError> {
    let folders = CapturedFolder::open_all(Path::new(&opened.about.path), None)?;
    let run = opened.replay_view(&view.as_recorded())?;
    let joined = joined_folder(opened, folders, &run.branch.session, false);
    Ok(joined.map_or(0, |(_, joined)| joined.n_own as u64))
}

const NONE_BESIDE: &str = "no captured bodies lie beside this log";

/// Returns the first folder that has requests of a session, with these, else the first one that lies beside its log: the folder of
/// this program has those of all sessions, and says nothing of one that it has none of.
fn joined_folder(
    opened: &SessionSnapshot,
    folders: Vec<CapturedFolder>,
    session: &Session,
    is_named: bool,
) -> Option<(CapturedFolder, JoinedRequests)> {
    let mut others = None;
    for folder in folders {
        let joined = JoinedRequests::join(opened, &folder, session);
        if joined.n_own > 0 {
            return Some((folder, joined));
        }
        let is_beside = is_named || !folder.is_own();
        others = others.or(is_beside.then_some((folder, joined)));
    }
    others
}

struct JoinedRequests {
    requests: Vec<(usize, u32)>,
    n_own: usize,
}

impl JoinedRequests {
    fn join(opened: &SessionSnapshot, folder: &CapturedFolder, session: &Session) -> Self {
        let replies = RepliesByMark::new(opened, session);
        let id = opened.log.header().session;
        let is_named = |at: usize| id.as_ref().is_some_and(|id| id.as_str() == folder.session_id(at));
        let (mut requests, mut n_own): (Vec<(usize, u32)>, usize) = (Vec::new(), 0);
        for at in 0..folder.len() {
            let (is_named, last) = (is_named(at), requests.last().map(|(_, turn)| *turn));
            let turn = folder.reply_mark(at).and_then(|mark| replies.turn_of(&mark, is_named, last));
            n_own += usize::from(is_named || turn.is_some());
            requests.extend(turn.map(|turn| (at, turn)));
        }
        Self { requests, n_own }
    }
}

fn body_at(
    folder: &CapturedFolder,
    at: usize,
    view: &ViewSettings,
) -> Result<Option<Vec<ContextItem>>, ApiError> {
    let Some(body) = folder.read_body(at) else { return Ok(None) };
    let form: &str = folder.body_format(at).into();
    let Ok(body) = load_file(&LogInput::Bytes(body), Some(form), &Tools::builtin_tables()) else {
        return Ok(None);
    };
    sent_items(&body, &ViewSettings { branch: None, ..view.clone() }, None).map(Some)
}

struct RepliesByMark<'a> {
    by_message: BTreeMap<&'a str, u32>,
    by_call: BTreeMap<&'a str, u32>,
    /// Turns in which the reply calls no tool.
    without_call: BTreeSet<u32>,
    /// The tokens of each turn, where they are reported, and its time.
    reports: Vec<(u32, [u64; 3], Option<i64>)>,
}

/// The longest time between the end of an answer and the row of it in a log.
const LATEST_ROW_MS: u64 = 3_600_000;

/// Returns the tokens of prompt, cache and reply, by which two reports are of one request.
fn usage_key(usage: &Usage) -> [u64; 3] {
    [usage.prompt_tokens(), usage.cache_read, usage.output]
}

impl<'a> RepliesByMark<'a> {
    fn new(opened: &'a SessionSnapshot, session: &'a Session) -> Self {
        let (mut by_message, mut by_call) = (BTreeMap::new(), BTreeMap::new());
        let (mut without_call, mut reports) = (BTreeSet::new(), Vec::new());
        for (number, turn) in (1u32..).zip(&session.turns) {
            let Some(message) = turn.message else { continue };
            let said = &session.messages[message.at()];
            reports.extend(said.usage.map(|usage| (number, usage_key(&usage), said.at_ms)));
            let event = opened.log.record(said.event);
            if let EventBody::Message(Message { reply: Some(reply), .. }) = &event.body {
                by_message.insert(&**reply, number);
            }
            let calls = session.blocks_of(message).filter_map(|(_, block)| match &block.kind {
                BlockKind::Call(call) => Some(call.id.as_str()),
                _ => None,
            });
            let n_before = by_call.len();
            by_call.extend(calls.map(|call| (call, number)));
            if by_call.len() == n_before {
                without_call.insert(number);
            }
        }
        Self { by_message, by_call, without_call, reports }
    }

    /// Returns the turn of a captured request. A reply without calls has no mark: it belongs to the turn
    /// after `last`, if the reply there has no calls either.
    fn turn_of(&self, mark: &ReplyMark, is_named: bool, last: Option<u32>) -> Option<u32> {
        match mark {
            ReplyMark::Message(id) => self.by_message.get(&**id).copied(),
            ReplyMark::Calls(calls) if calls.is_empty() => {
                let next = last.map_or(1, |last| last + 1);
                (is_named && self.without_call.contains(&next)).then_some(next)
            }
            ReplyMark::Calls(calls) => calls.iter().find_map(|call| self.by_call.get(&**call).copied()),
            ReplyMark::Seen { message, calls, usage, at_ms } => {
                let by_call = || calls.iter().find_map(|call| self.by_call.get(&**call).copied());
                self.by_message.get(&**message).copied().or_else(by_call).or_else(|| {
                    let key = usage.as_ref().map(usage_key).filter(|[prompt, ..]| *prompt > 0)?;
                    let is_near = |row: &Option<i64>| match (row, at_ms) {
                        (Some(row), Some(at)) => row.abs_diff(*at) <= LATEST_ROW_MS,
                        _ => true,
                    };
                    // Requests come in the order of the turns; one that is asked again is of the same turn.
                    let mut after =
                        self.reports.iter().filter(|(turn, ..)| last.is_none_or(|last| *turn >= last));
                    after.find(|(_, used, row)| *used == key && is_near(row)).map(|(turn, ..)| *turn)
                })
            }
        }
    }
}

fn sent_items(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    turn: Option<u32>,
) -> Result<Vec<ContextItem>, ApiError> {
    let (run, moment) = opened.replay_to_cut(view, ViewCut { turn, step: None })?;
    let rows: Vec<ContextRow<'_>> = context_rows(&moment.context).filter(ContextRow::is_sent).collect();
    make_items(opened, &run, &rows, usize::MAX, true)
}

/// Key that pairs blocks in body and log: role, kind, text, and how many equal blocks come before.
type Likeness<'a> = (Role, ContextItemKind, &'a str, usize);

fn likeness_keys<'a>(items: &[&'a ContextItem]) -> Vec<Likeness<'a>> {
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    let one = |item: &&'a ContextItem| {
        // A body has a signature in place of reasoning, and a log often nothing.
        let text = match item.kind {
            ContextItemKind::Reasoning => "",
            _ => item.placeholder.as_deref().unwrap_or(&item.text).trim(),
        };
        let n_before = known.entry((item.role, item.kind, text)).or_default();
        *n_before += 1;
        (item.role, item.kind, text, *n_before)
    };
    items.iter().map(one).collect()
}

struct BesideBody<'a> {
    system: Vec<&'a ContextItem>,
    tools: Vec<&'a ContextItem>,
    /// Blocks of both sides in model order, each with its tokens in the body, if it is there.
    blocks: Vec<(CapturedSide, &'a ContextItem, u64)>,
}

impl<'a> BesideBody<'a> {
    fn pair_rows(log: &'a [ContextItem], body: &'a [ContextItem]) -> Self {
        let (head, body): (Vec<&ContextItem>, Vec<&ContextItem>) =
            body.iter().partition(|item| is_part(item, &SYSTEM) || is_part(item, &TOOLS));
        let (tools, system): (Vec<&ContextItem>, Vec<&ContextItem>) =
            head.into_iter().partition(|item| is_part(item, &TOOLS));
        // Some logs also hold the system prompt and the tools, which is no difference.
        let is_told = |item: &&ContextItem| {
            let mut head = system.iter().chain(&tools);
            item.role == Role::System && head.any(|told| told.text.trim() == item.text.trim())
        };
        let log: Vec<&ContextItem> = log.iter().filter(|item| !is_told(item)).collect();
        let of_log = likeness_keys(&log);
        let place: BTreeMap<&Likeness<'_>, usize> =
            of_log.iter().enumerate().map(|(at, one)| (one, at)).collect();
        let of_body = likeness_keys(&body);
        let common: Vec<(usize, usize)> =
            of_body.iter().enumerate().filter_map(|(at, one)| Some((*place.get(one)?, at))).collect();
        let (mut at_log, mut at_body) = (0, 0);
        let mut blocks = Vec::with_capacity(log.len() + body.len());
        let side = |side| move |item: &&'a ContextItem| (side, *item, item.tokens);
        for (in_log, in_body) in longest_ascending(&common).into_iter().chain([(log.len(), body.len())]) {
            blocks.extend(log[at_log..in_log].iter().map(side(CapturedSide::Log)));
            blocks.extend(body[at_body..in_body].iter().map(side(CapturedSide::Body)));
            // The log's item is preferred, since the page can jump to it.
            let both = log.get(in_log).zip(body.get(in_body));
            blocks.extend(both.map(|(item, sent)| (CapturedSide::Both, *item, sent.tokens)));
            (at_log, at_body) = (in_log + 1, in_body + 1);
        }
        Self { system, tools, blocks }
    }

    fn tokens_of_side(&self, of: CapturedSide) -> u64 {
        self.blocks.iter().filter(|(side, ..)| *side == of).map(|(.., tokens)| tokens).sum()
    }
}

fn compare_turn(
    turn: u32,
    file: &str,
    log: &[ContextItem],
    body: &[ContextItem],
    wanted: bool,
) -> CapturedTurn {
    let sides = BesideBody::pair_rows(log, body);
    let sum = |items: &[&ContextItem]| items.iter().map(|item| item.tokens).sum();
    let differences = sides.blocks.iter().filter(|(side, ..)| wanted && *side != CapturedSide::Both);
    CapturedTurn {
        turn,
        file: file.to_owned(),
        system: sum(&sides.system),
        tools: sum(&sides.tools),
        n_tools: saturate_u32(sides.tools.len()),
        same: sides.tokens_of_side(CapturedSide::Both),
        only_log: sides.tokens_of_side(CapturedSide::Log),
        only_body: sides.tokens_of_side(CapturedSide::Body),
        differences: differences
            .map(|(side, item, _)| captured_difference(item, *side == CapturedSide::Log))
            .collect(),
    }
}

fn in_full(turn: u32, file: &str, log: &[ContextItem], body: &[ContextItem]) -> CapturedBodyAnswer {
    let sides = BesideBody::pair_rows(log, body);
    let mut rows: Vec<CapturedRow> = Vec::new();
    for (side, item, tokens) in &sides.blocks {
        let last =
            rows.last_mut().filter(|last| (last.side, *side) == (CapturedSide::Both, CapturedSide::Both));
        if let Some(last) = last {
            (last.n, last.tokens) = (last.n + 1, last.tokens + tokens);
            continue;
        }
        let is_in_log = *side != CapturedSide::Body;
        let text = if *side == CapturedSide::Both { "" } else { preview_text(sent_text(item), ROW_CHARS).0 };
        rows.push(CapturedRow {
            side: *side,
            n: 1,
            tokens: *tokens,
            block: is_in_log.then(|| item.block.clone()),
            line: is_in_log.then_some(item.line),
            role: item.role,
            kind: item.kind,
            text: text.to_owned(),
        });
    }
    let n_more = saturate_u32(rows.len().saturating_sub(ROWS_LISTED));
    rows.truncate(ROWS_LISTED);
    let whole = compare_turn(turn, file, log, body, false);
    let n_of = |side| sides.blocks.iter().filter(|(of, ..)| *of == side).count();
    let (n_log, n_body) = (n_of(CapturedSide::Log), n_of(CapturedSide::Body));
    let says = match agreement_per_mille(std::slice::from_ref(&whole)) {
        Some(1000) if n_log + n_body == 0 => "log and body have the same blocks".to_owned(),
        per_mille => format!(
            "log and body agree in {} % of the tokens of messages; only the log has {}, only the body {}",
            write_percent(per_mille.unwrap_or(0)),
            count_noun(n_log, "block"),
            count_noun(n_body, "block"),
        ),
    };
    CapturedBodyAnswer {
        turn,
        file: Some(file.to_owned()),
        says,
        system: sides.system.iter().map(|item| captured_part(item)).collect(),
        tools: sides.tools.iter().map(|item| captured_part(item)).collect(),
        rows,
        n_more,
    }
}

fn captured_part(item: &ContextItem) -> CapturedText {
    let (text, n_chars) = preview_text(&item.text, PART_CHARS);
    // Both providers write the tool's name as a field of its definition.
    let definition: Option<serde_json::Value> = serde_json::from_str(&item.text).ok();
    let name = definition.as_ref().and_then(|tool| tool.get("name")?.as_str().map(str::to_owned));
    CapturedText { name, tokens: item.tokens, text: text.to_owned(), n_chars }
}

fn sent_text(item: &ContextItem) -> &str {
    item.placeholder.as_deref().unwrap_or(&item.text)
}

/// Tells whether `item` is a part named in `names`; such a part is no message.
fn is_part(item: &ContextItem, names: &[&str]) -> bool {
    item.role == Role::System && names.iter().any(|name| item.entry.ends_with(name))
}

fn captured_difference(item: &ContextItem, is_in_log: bool) -> CapturedBlock {
    CapturedBlock {
        block: is_in_log.then(|| item.block.clone()),
        role: item.role,
        kind: item.kind,
        tokens: item.tokens,
        text: preview_text(sent_text(item), TEXT_CHARS).0.to_owned(),
    }
}

/// Tokens common to body and log, in per mille of the messages' tokens of both.
fn agreement_per_mille(turns: &[CapturedTurn]) -> Option<u32> {
    let sum = |of: fn(&CapturedTurn) -> u64| turns.iter().map(of).sum::<u64>();
    let same = sum(|turn| turn.same) * 2;
    let all = same + sum(|turn| turn.only_log) + sum(|turn| turn.only_body);
    (same * 1000).checked_div(all).and_then(|per_mille| u32::try_from(per_mille).ok())
}

fn summary_sentence(
    turns: &[CapturedTurn],
    n_requests: usize,
    n_problems: usize,
    per_mille: Option<u32>,
) -> String {
    let mut says = match (per_mille, n_requests) {
        (_, 0) => "the index names no request of this session".to_owned(),
        (None, n) => format!("none of the {} captured requests is of a turn here", with_commas(n as u64)),
        (Some(per_mille), n) => format!(
            "{} of {} captured requests are of a turn here; log and bodies agree in {} % of the tokens of messages",
            with_commas(turns.len() as u64),
            with_commas(n as u64),
            write_percent(per_mille),
        ),
    };
    if n_problems > 0 {
        let lines = if n_problems == 1 { "line" } else { "lines" };
        says.push_str(&format!(
            "; {} {lines} of the index could not be read in whole",
            with_commas(n_problems as u64)
        ));
    }
    says
}
