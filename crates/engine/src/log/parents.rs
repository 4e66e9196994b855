//! Parents: resolves which record each record continues.
//!
//! Claude Code hangs a row below the last row its program had. The last row may be a note or a hook's
//! progress brought in by an older row. By its parent alone, the new row would then continue from far back,
//! although the next request holds everything in between. The reported sizes decide between the two
//! readings.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::{
    Author, EntryId, EventBody, EventIdx, EventLog, Message, MessageForm, Parent, Place, Problem,
    ProblemKind, SessionEvent, Usage,
};

/// A size is clearly smaller if it differs by more than this share and [`CLEARLY_TOKENS`].
const CLEARLY_PER_MILLE: u64 = 20;
const CLEARLY_TOKENS: u64 = 1000;

pub(crate) struct Parents {
    pub(crate) of: Vec<Option<EventIdx>>,
    /// Records moved behind the previous record because the reported sizes contradict their
    /// parent.
    mended: Vec<ParentCorrection>,
    /// Records whose parent is in no log and before which the reported sizes show an emptied
    /// context.
    pub(crate) cuts: Vec<ParentCorrection>,
    /// Records whose parent the reported sizes may contradict or replace.
    pub(crate) uncertain: BTreeSet<EventIdx>,
}

pub(crate) struct ParentCorrection {
    pub(crate) record: EventIdx,
    sizes: Option<ReportedSizes>,
}

/// Reported prompt sizes around a record, tokens.
#[derive(Clone, Copy)]
struct ReportedSizes {
    on_branch: u64,
    before: u64,
    after: Usage,
}

impl Parents {
    pub(crate) fn resolve_parents(log: &EventLog) -> Self {
        let (mut of, before) = named_parents(log);
        let first = first_below(log, &of);
        let (mut mended, mut cuts) = (Vec::new(), Vec::new());
        let mut uncertain = BTreeSet::new();
        let mut least: Option<u64> = None;
        // Last request with reported usage: [session, subagent conversations]. `above` holds the
        // same per record, along its branch.
        let mut last: [Option<EventIdx>; 2] = [None; 2];
        let mut above: Vec<Option<EventIdx>> = alloc::vec![None; of.len()];
        for (at, event) in log.events().iter().enumerate() {
            let last = &mut last[usize::from(event.side)];
            if let Some(sizes) = is_cut(log, least, *last, first[at], event) {
                cuts.push(ParentCorrection { record: EventIdx::new(at), sizes: Some(sizes) });
            }
            let jumps = |parent: &EventIdx| {
                matches!(event.parent, Parent::Woven(_)) && Some(*parent) != before[at] && parent.at() < at
            };
            if is_without_parent(log, event) {
                uncertain.insert(EventIdx::new(at));
            }
            if let Some(parent) = of[at].filter(jumps)
                && may_contradict(log, above[parent.at()], *last)
            {
                uncertain.insert(EventIdx::new(at));
                if let Some(sizes) =
                    is_contradicted(log, (least, above[parent.at()]), *last, first[at], event)
                {
                    of[at] = before[at];
                    mended.push(ParentCorrection { record: EventIdx::new(at), sizes });
                }
            }
            above[at] = of[at].filter(|parent| parent.at() < at).and_then(|parent| above[parent.at()]);
            if let Some(usage) = usage_of(event) {
                above[at] = Some(EventIdx::new(at));
                *last = above[at];
                least.get_or_insert(usage.prompt_tokens());
            }
        }
        Self { of, mended, cuts, uncertain }
    }

    pub(crate) fn report_contradictions(&self, log: &EventLog, problems: &mut Vec<Problem>) {
        for ParentCorrection { record, sizes } in &self.mended {
            let event = log.record(*record);
            let (Parent::Woven(parent) | Parent::Entry(parent)) = &event.parent else { continue };
            let why = match sizes {
                Some(ReportedSizes { on_branch, before, after }) => alloc::format!(
                    "{parent}, where the last request had {on_branch} tokens; the one before this had {before}, and the next has {}",
                    after.prompt_tokens()
                ),
                None => alloc::format!("{parent}, far above the record before it"),
            };
            let kind = ProblemKind::ContradictedParent { parent: why.into() };
            problems.push(Problem { place: Place::at_entry(event.line, event.entry.clone()), kind });
        }
        for ParentCorrection { record, sizes } in &self.cuts {
            let event = log.record(*record);
            let Some(ReportedSizes { before, after, .. }) = sizes else { continue };
            let sizes = alloc::format!("{before} tokens, and the next {}", after.prompt_tokens());
            let kind = ProblemKind::CutHistory { sizes: sizes.into() };
            problems.push(Problem { place: Place::at_entry(event.line, event.entry.clone()), kind });
        }
    }
}

/// Returns for each record its named parent and the record before it in the file.
///
/// A record behind repeated rows names the last copy as its parent. If a compaction came after the original
/// row, the record continues the session's latest record instead.
fn named_parents(log: &EventLog) -> (Vec<Option<EventIdx>>, Vec<Option<EventIdx>>) {
    // Last record in the tree so far: [session, subagent conversations].
    let mut last = [None; 2];
    let mut last_compaction = None;
    // The last repeated row's original, until another record in the tree follows.
    let mut repeated: Option<EventIdx> = None;
    let of = |(at, event): (usize, &SessionEvent)| {
        let idx = EventIdx::new(at);
        repeated = log.original_of(idx).or(repeated);
        let previous = &mut last[usize::from(event.side)];
        let before = if event.parent == Parent::Outside { None } else { previous.replace(idx) };
        let repeated = if event.parent == Parent::Outside { None } else { repeated.take() };
        let is_behind = |entry: &EntryId| {
            repeated.is_some_and(|first| log.record(first).entry == *entry && last_compaction > Some(first))
        };
        let parent = match &event.parent {
            Parent::Woven(entry) if before.is_some() && is_behind(entry) => before,
            Parent::Entry(entry) => log.find_before(entry, idx),
            Parent::Woven(entry) => log.find_before(entry, idx).or(before),
            Parent::Previous => before,
            Parent::Root | Parent::Outside => None,
        };
        if event.parent != Parent::Outside && matches!(event.body, EventBody::Compaction(_)) {
            last_compaction = Some(idx);
        }
        (parent, before)
    };
    log.events().iter().enumerate().map(of).unzip()
}

fn first_below(log: &EventLog, parents: &[Option<EventIdx>]) -> Vec<Option<EventIdx>> {
    let mut first = alloc::vec![None; parents.len()];
    for (at, event) in log.events().iter().enumerate().rev() {
        if usage_of(event).is_some() {
            first[at] = Some(EventIdx::new(at));
        }
        if let (Some(parent), Some(_)) = (parents[at].filter(|parent| parent.at() < at), first[at]) {
            first[parent.at()] = first[at];
        }
    }
    first
}

/// Returns `true` if reported sizes can tell whether a record continues the previous record in the file rather than its
/// named parent: another request stands between the two.
fn may_contradict(log: &EventLog, above: Option<EventIdx>, last: Option<EventIdx>) -> bool {
    let is_same = |last: EventIdx| {
        above.is_some_and(|above| above >= last || reply_of(log, above) == reply_of(log, last))
    };
    last.is_some_and(|last| !is_same(last))
}

/// Checks whether a record continues the previous record in the file rather than its named parent,
/// and returns the sizes as evidence.
///
/// `above` is the last request above the parent; without one, the context has the size `least` of
/// the log's first request. `last` is the last request before the record in the file, `first` the
/// first one below it. Harness rows carry no evidence, so file order holds unless the sizes
/// contradict it. A spoken row follows its named parent unless the next request read from the
/// prompt cache what only the other branch contains.
fn is_contradicted(
    log: &EventLog,
    (least, above): (Option<u64>, Option<EventIdx>),
    last: Option<EventIdx>,
    first: Option<EventIdx>,
    event: &SessionEvent,
) -> Option<Option<ReportedSizes>> {
    let (on_branch, before) = (above.and_then(|above| usage_at(log, above)), usage_at(log, last?)?);
    let is_weak = !is_spoken(event);
    let Some(after) = first.and_then(|first| usage_at(log, first)) else {
        return is_weak.then_some(None);
    };
    let sizes = ReportedSizes {
        on_branch: on_branch.map_or(least, |usage| Some(usage.prompt_tokens()))?,
        before: before.prompt_tokens(),
        after,
    };
    let between = sizes.before.saturating_sub(sizes.on_branch);
    let slack = (sizes.before / 1000 * CLEARLY_PER_MILLE + CLEARLY_TOKENS).min(between / 2);
    let holds = |size: u64| between > 0 && size.saturating_add(slack) >= sizes.before;
    let is_cached = after.cache_read > 0 && after.cache_read >= sizes.on_branch / 2;
    // Sizes cannot show a rewind this small.
    if !is_weak && between <= CLEARLY_TOKENS {
        return None;
    }
    let goes_on = if is_cached { holds(after.cache_read) } else { is_weak && holds(after.prompt_tokens()) };
    goes_on.then_some(Some(sizes))
}

/// Checks whether a record with an unknown parent restarts the context. The sizes show it if the
/// next request is nearer to `least`, the log's first request, than to `last`.
fn is_cut(
    log: &EventLog,
    least: Option<u64>,
    last: Option<EventIdx>,
    first: Option<EventIdx>,
    event: &SessionEvent,
) -> Option<ReportedSizes> {
    let (least, before) = (least?, usage_at(log, last?)?.prompt_tokens());
    if !matches!(event.body, EventBody::Message(_)) || !is_without_parent(log, event) {
        return None;
    }
    let after = usage_at(log, first?)?;
    let nearest = least.saturating_add(before.saturating_sub(least) / 2);
    let is_clear = before.saturating_sub(least) > CLEARLY_TOKENS;
    (is_clear && after.prompt_tokens() < nearest).then_some(ReportedSizes { on_branch: least, before, after })
}

fn is_without_parent(log: &EventLog, event: &SessionEvent) -> bool {
    matches!(&event.parent, Parent::Woven(parent) if log.find_record(parent).is_none())
}

fn is_spoken(event: &SessionEvent) -> bool {
    match &event.body {
        EventBody::Message(Message { author, form, .. }) => {
            *author != Author::Harness || matches!(form, MessageForm::Summary)
        }
        EventBody::Compaction(_) | EventBody::Rewrite(_) => true,
        _ => false,
    }
}

fn usage_at(log: &EventLog, idx: EventIdx) -> Option<Usage> {
    usage_of(log.record(idx))
}

pub(crate) fn usage_of(event: &SessionEvent) -> Option<Usage> {
    match &event.body {
        EventBody::Message(message) => message.usage.filter(|usage| usage.prompt_tokens() > 0),
        _ => None,
    }
}

fn reply_of(log: &EventLog, idx: EventIdx) -> Option<&str> {
    match &log.record(idx).body {
        EventBody::Message(message) => message.reply.as_deref(),
        _ => None,
    }
}
