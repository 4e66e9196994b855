//! Captured bodies: the requests that the harness kept as it sent them, beside the contexts that the log gives.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cwl_engine::{BlockKind, EventBody, Message, Session};

use crate::ApiError;
use crate::dto::{
    CapturedBlockDto, CapturedDto, CapturedRequest, CapturedTurnDto, CutDto, ItemDto, ItemKindDto, RoleDto,
    ViewDto,
};
use crate::figures::{grouped, small};
use crate::measure::measured::percent;
use crate::measure::opened::Opened;
use crate::present::diff::ascending;
use crate::present::item::{ContextRow, items, preview, rows};
use crate::reading::captured::{CapturedFolder, ReplyMark};
use crate::reading::load::{LogInput, load_file};
use crate::tables::tools::Tools;

/// How many characters of a block's text are listed.
const TEXT_CHARS: usize = 200;
/// The ends of the entries by which the readers of bodies name the system prompt.
const SYSTEM: [&str; 2] = ["/system", "/instructions"];
/// The end of the entry by which they name the definitions of tools.
const TOOLS: [&str; 1] = ["/tools"];

/// Compares the captured bodies of a session with its contexts, as nothing but the harness evicted them.
///
/// # Errors
/// Where the named folder holds no captured bodies, the view is not understood, and those of the texts.
pub fn captured(opened: &Opened, request: &CapturedRequest) -> Result<CapturedDto, ApiError> {
    let as_recorded = request.view.as_recorded();
    let named = request.folder.as_deref().map(Path::new);
    let Some(folder) = CapturedFolder::of(Path::new(&opened.about.path), named)? else {
        return Ok(CapturedDto {
            says: "no captured bodies lie beside this log".to_owned(),
            ..CapturedDto::default()
        });
    };
    let run = opened.run(&as_recorded)?;
    let replies = Replies::of(opened, &run.branch.session);
    let session = opened.log.header().session;
    let is_named = |at: usize| session.as_ref().is_some_and(|id| id.as_str() == folder.session(at));
    let (mut found, mut n_own, mut n_joined, mut last) = (Vec::new(), 0, 0, None);
    let form: &str = folder.format().into();
    for at in 0..folder.len() {
        let is_named = is_named(at);
        let turn = folder.reply(at).and_then(|mark| replies.turn_of(&mark, is_named, last));
        n_own += usize::from(is_named || turn.is_some());
        let Some(turn) = turn else { continue };
        (n_joined, last) = (n_joined + 1, Some(turn));
        let Some(body) = folder.body(at) else { continue };
        let input = LogInput::Bytes(body);
        let Ok(body) = load_file(&input, Some(form), &Tools::builtin()) else { continue };
        let wanted = request.turn == Some(turn);
        let body = sent(&body, &ViewDto { branch: None, ..as_recorded.clone() }, None)?;
        let log = sent(opened, &as_recorded, Some(turn))?;
        found.push(compared(turn, folder.file(at), &log, &body, wanted));
    }
    found.sort_by(|a, b| a.turn.cmp(&b.turn).then_with(|| a.file.cmp(&b.file)));
    let per_mille = agreement(&found);
    let says = said(&found, n_own, folder.n_problems, per_mille);
    Ok(CapturedDto {
        folder: Some(folder.path.display().to_string()),
        n_requests: small(n_own),
        n_without_turn: small(n_own - n_joined),
        n_unreadable: small(n_joined - found.len()),
        turns: found,
        per_mille,
        says,
    })
}

/// The replies of a branch by their marks, each with the number of its turn.
struct Replies<'a> {
    by_message: BTreeMap<&'a str, u32>,
    by_call: BTreeMap<&'a str, u32>,
    /// The turns whose reply calls no tool.
    without_call: BTreeSet<u32>,
}

impl<'a> Replies<'a> {
    fn of(opened: &'a Opened, session: &'a Session) -> Self {
        let (mut by_message, mut by_call) = (BTreeMap::new(), BTreeMap::new());
        let mut without_call = BTreeSet::new();
        for (number, turn) in (1u32..).zip(&session.turns) {
            let Some(message) = turn.message else { continue };
            let event = opened.log.get(session.messages[message.at()].event);
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
        Self { by_message, by_call, without_call }
    }

    /// Returns the turn of a captured request. A reply without any call has no mark: it is the turn after the one
    /// before it, where that calls no tool, too.
    fn turn_of(&self, mark: &ReplyMark, is_named: bool, last: Option<u32>) -> Option<u32> {
        match mark {
            ReplyMark::Message(id) => self.by_message.get(&**id).copied(),
            ReplyMark::Calls(calls) if calls.is_empty() => {
                let next = last.map_or(1, |last| last + 1);
                (is_named && self.without_call.contains(&next)).then_some(next)
            }
            ReplyMark::Calls(calls) => calls.iter().find_map(|call| self.by_call.get(&**call).copied()),
        }
    }
}

/// Lists what a request sends: that of a turn, or the last one.
fn sent(opened: &Opened, view: &ViewDto, turn: Option<u32>) -> Result<Vec<ItemDto>, ApiError> {
    let (run, moment) = opened.at(view, CutDto { turn, step: None })?;
    let rows: Vec<ContextRow<'_>> = rows(&moment.context).filter(ContextRow::is_sent).collect();
    items(opened, &run, &rows, usize::MAX, true)
}

/// The content by which blocks of a body and of a log are paired: role, kind, text, and how many equal ones stand before
/// it.
type Likeness<'a> = (RoleDto, ItemKindDto, &'a str, usize);

fn likenesses<'a>(items: &[&'a ItemDto]) -> Vec<Likeness<'a>> {
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    let one = |item: &&'a ItemDto| {
        // A captured body has a mark in the place of reasoning, and a log often nothing.
        let text = match item.kind {
            ItemKindDto::Reasoning => "",
            _ => item.placeholder.as_deref().unwrap_or(&item.text).trim(),
        };
        let n_before = known.entry((item.role, item.kind, text)).or_default();
        *n_before += 1;
        (item.role, item.kind, text, *n_before)
    };
    items.iter().map(one).collect()
}

/// Compares the context of a turn with the body that was sent.
fn compared(turn: u32, file: &str, log: &[ItemDto], body: &[ItemDto], wanted: bool) -> CapturedTurnDto {
    let (head, body): (Vec<&ItemDto>, Vec<&ItemDto>) =
        body.iter().partition(|item| is_part(item, &SYSTEM) || is_part(item, &TOOLS));
    let (tools, system): (Vec<&ItemDto>, Vec<&ItemDto>) =
        head.into_iter().partition(|item| is_part(item, &TOOLS));
    // Some logs hold the system prompt, too; it is no difference.
    let is_told = |item: &&ItemDto| {
        item.role == RoleDto::System && system.iter().any(|told| told.text.trim() == item.text.trim())
    };
    let log: Vec<&ItemDto> = log.iter().filter(|item| !is_told(item)).collect();
    let of_log = likenesses(&log);
    let place: BTreeMap<&Likeness<'_>, usize> =
        of_log.iter().enumerate().map(|(at, one)| (one, at)).collect();
    let of_body = likenesses(&body);
    let common: Vec<(usize, usize)> =
        of_body.iter().enumerate().filter_map(|(at, one)| Some((*place.get(one)?, at))).collect();
    let (mut at_log, mut at_body, mut same) = (0, 0, 0);
    let (mut only_log, mut only_body) = (Vec::new(), Vec::new());
    let mut differences = Vec::new();
    for (in_log, in_body) in ascending(&common).into_iter().chain([(log.len(), body.len())]) {
        only_log.extend(&log[at_log..in_log]);
        only_body.extend(&body[at_body..in_body]);
        if wanted {
            differences.extend(log[at_log..in_log].iter().map(|item| difference(item, true)));
            differences.extend(body[at_body..in_body].iter().map(|item| difference(item, false)));
        }
        same += body.get(in_body).map_or(0, |item| item.tokens);
        (at_log, at_body) = (in_log + 1, in_body + 1);
    }
    let sum = |items: &[&ItemDto]| items.iter().map(|item| item.tokens).sum();
    CapturedTurnDto {
        turn,
        file: file.to_owned(),
        system: sum(&system),
        tools: sum(&tools),
        n_tools: small(tools.len()),
        same,
        only_log: sum(&only_log),
        only_body: sum(&only_body),
        differences,
    }
}

/// Tells whether an item is one of these parts of a body, which are no messages.
fn is_part(item: &ItemDto, names: &[&str]) -> bool {
    item.role == RoleDto::System && names.iter().any(|name| item.entry.ends_with(name))
}

fn difference(item: &ItemDto, is_in_log: bool) -> CapturedBlockDto {
    CapturedBlockDto {
        block: is_in_log.then(|| item.block.clone()),
        role: item.role,
        kind: item.kind,
        tokens: item.tokens,
        text: preview(item.placeholder.as_deref().unwrap_or(&item.text), TEXT_CHARS).0.to_owned(),
    }
}

/// Returns how much of the messages' tokens body and log have in common, per mille of both together.
fn agreement(turns: &[CapturedTurnDto]) -> Option<u32> {
    let sum = |of: fn(&CapturedTurnDto) -> u64| turns.iter().map(of).sum::<u64>();
    let same = sum(|turn| turn.same) * 2;
    let all = same + sum(|turn| turn.only_log) + sum(|turn| turn.only_body);
    (same * 1000).checked_div(all).and_then(|per_mille| u32::try_from(per_mille).ok())
}

fn said(turns: &[CapturedTurnDto], n_requests: usize, n_problems: usize, per_mille: Option<u32>) -> String {
    let mut says = match (per_mille, n_requests) {
        (_, 0) => "the index names no request of this session".to_owned(),
        (None, n) => format!("none of the {} captured requests is of a turn here", grouped(n as u64)),
        (Some(per_mille), n) => format!(
            "{} of {} captured requests are of a turn here; log and bodies agree in {} % of the tokens of messages",
            grouped(turns.len() as u64),
            grouped(n as u64),
            percent(per_mille),
        ),
    };
    if n_problems > 0 {
        let lines = if n_problems == 1 { "line" } else { "lines" };
        says.push_str(&format!(
            "; {} {lines} of the index could not be read in whole",
            grouped(n_problems as u64)
        ));
    }
    says
}
