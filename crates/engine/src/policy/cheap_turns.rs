//! Cheap turns: the provider's cache is lost before these turns anyway, so a pass costs nothing
//! extra.

use alloc::vec::Vec;

use crate::session::request_times;
use crate::{Session, SessionMessage, TurnIdx};

/// Lists the turns after a pause longer than `idle_ms`. An unknown or backward clock counts as no pause.
pub(super) fn late_turns(session: &Session, idle_ms: u64) -> Vec<TurnIdx> {
    let times = request_times(session);
    let is_late = |at: &usize| is_pause(times[at - 1], times[*at], idle_ms);
    (1..session.turns.len()).filter(is_late).map(TurnIdx::from_position).collect()
}

fn is_pause(before: Option<i64>, now: Option<i64>, idle_ms: u64) -> bool {
    let (Some(before), Some(now)) = (before, now) else { return false };
    u64::try_from(now.saturating_sub(before)).unwrap_or(0) > idle_ms
}

/// Lists the turns after a pause longer than `idle_ms`, or with another model than before.
pub(super) fn cheap_turns(session: &Session, idle_ms: u64) -> Vec<TurnIdx> {
    let times = request_times(session);
    let is_late = |at: usize| is_pause(times[at - 1], times[at], idle_ms);
    let reply = |at: usize| session.turns[at].message.map(|reply| &session.messages[reply.at()]);
    let model = |reply: &SessionMessage| reply.model.clone().filter(|model| !model.starts_with('<'));
    let mut asked = None;
    let mut cheap: Vec<TurnIdx> = Vec::new();
    for at in 0..session.turns.len() {
        let model = reply(at).and_then(model);
        let is_other = model.is_some() && asked.is_some() && model != asked;
        asked = model.or(asked);
        if at > 0 && (is_late(at) || is_other) {
            cheap.push(TurnIdx::from_position(at));
        }
    }
    cheap
}
