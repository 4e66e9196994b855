//! Captured bodies: the requests that the harness kept as it sent them, beside the contexts that the log gives.

use std::collections::BTreeMap;
use std::path::Path;

use cwl_engine::{EventBody, Session};
use cwl_formats::{Exchange, Format};

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
use crate::reading::captured::CapturedFolder;
use crate::reading::load::{LogInput, load_file};
use crate::tables::tools::Tools;

/// How many characters of a block's text are listed.
const TEXT_CHARS: usize = 200;

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
    let turns = turns_by_reply(opened, &opened.run(&as_recorded)?.branch.session);
    let session = opened.log.header().session;
    let is_own = |exchange: &&Exchange| {
        turns.contains_key(&*exchange.message)
            || session.as_ref().is_some_and(|id| id.as_str() == exchange.session)
    };
    let of_session: Vec<&Exchange> = folder.exchanges.iter().filter(is_own).collect();
    let (mut found, mut n_joined) = (Vec::new(), 0);
    for exchange in &of_session {
        let Some(&turn) = turns.get(&*exchange.message) else { continue };
        n_joined += 1;
        let Some(body) = folder.body(exchange) else { continue };
        let input = LogInput::Bytes(body);
        let format: &str = Format::Anthropic.into();
        let Ok(body) = load_file(&input, Some(format), &Tools::builtin()) else { continue };
        let wanted = request.turn == Some(turn);
        let body = sent(&body, &ViewDto { branch: None, ..as_recorded.clone() }, None)?;
        let log = sent(opened, &as_recorded, Some(turn))?;
        found.push(compared(turn, &exchange.request, &log, &body, wanted));
    }
    found.sort_by(|a, b| a.turn.cmp(&b.turn).then_with(|| a.file.cmp(&b.file)));
    let per_mille = agreement(&found);
    let says = said(&found, of_session.len(), folder.n_problems, per_mille);
    Ok(CapturedDto {
        folder: Some(folder.path.display().to_string()),
        n_requests: small(of_session.len()),
        n_without_turn: small(of_session.len() - n_joined),
        n_unreadable: small(n_joined - found.len()),
        turns: found,
        per_mille,
        says,
    })
}

/// Returns the turn of each reply by the id of its message, as the provider gave it.
fn turns_by_reply<'a>(opened: &'a Opened, session: &Session) -> BTreeMap<&'a str, u32> {
    let turns = (1u32..).zip(&session.turns);
    let replies = turns.filter_map(|(number, turn)| {
        let event = opened.log.get(session.messages[turn.message?.at()].event);
        match &event.body {
            EventBody::Message(message) => Some((message.reply.as_deref()?, number)),
            _ => None,
        }
    });
    replies.collect()
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
    let is_of = |item: &ItemDto, part: &str| item.role == RoleDto::System && item.entry.ends_with(part);
    let (head, body): (Vec<&ItemDto>, Vec<&ItemDto>) =
        body.iter().partition(|item| is_of(item, "/system") || is_of(item, "/tools"));
    let (tools, system): (Vec<&ItemDto>, Vec<&ItemDto>) =
        head.into_iter().partition(|item| is_of(item, "/tools"));
    let log: Vec<&ItemDto> = log.iter().collect();
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
