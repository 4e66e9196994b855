//! A session's recorded requests: what each reply did, and what the provider reported.

use cwl_engine::{BlockIdx, BlockKind, Effect, Facts, Session, ToolClass, TurnIdx, reported_turns};

use crate::ApiError;
use crate::api::{CacheRules, RequestMade, RequestsMade, ViewRequest};
use crate::figures::saturate_u32;
use crate::measure::measured::Terms;
use crate::measure::opened::SessionSnapshot;

/// Lists the requests of a view's branch, as recorded.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn requests_made(opened: &SessionSnapshot, request: &ViewRequest) -> Result<RequestsMade, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let key = chosen.branch.with_recorded_history();
    let branch = opened.branch(&key)?;
    let terms = Terms::look_up(opened, &CacheRules::default());
    let session = &branch.session;
    let calls = calls_by_turn(session, &*opened.quality_facts(&key, chosen.unit.tokenizer())?);
    let made = session.turns.iter().filter_map(|turn| turn.message);
    let requests = (1u32..).zip(made).zip(reported_turns(session)).map(|((turn, reply), usage)| {
        let reply = &session.messages[reply.at()];
        let first = calls.partition_point(|call| call.turn.number() < turn);
        let of_turn = || calls[first..].iter().take_while(|call| call.turn.number() == turn);
        let n_of = |is_it: fn(&ReplyCall) -> bool| saturate_u32(of_turn().filter(|call| is_it(call)).count());
        RequestMade {
            turn,
            at_ms: reply.at_ms,
            model: reply.model.as_deref().map(str::to_owned),
            // A copied request is paid for in its original log.
            reported: usage
                .filter(|usage| !usage.copied)
                .map(|usage| terms.cost_of_request(&usage, reply.model.as_deref())),
            n_calls: n_of(|call| call.effect.is_some()),
            n_looks: n_of(ReplyCall::is_look),
            n_edits: n_of(ReplyCall::is_edit),
            n_marks: n_of(|call| call.effect.is_none()),
        }
    });
    Ok(RequestsMade {
        requests: requests.collect(),
        n_looks_before_edit: saturate_u32(
            calls.iter().take_while(|call| !call.is_edit()).filter(|call| call.is_look()).count(),
        ),
        first_edit: calls.iter().find(|call| call.is_edit()).map(|call| call.turn.number()),
    })
}

struct ReplyCall {
    turn: TurnIdx,
    effect: Option<Effect>,
}

impl ReplyCall {
    fn is_look(&self) -> bool {
        matches!(self.effect, Some(Effect::Look | Effect::GitLook))
    }

    fn is_edit(&self) -> bool {
        self.effect == Some(Effect::Edit)
    }
}

fn calls_by_turn(session: &Session, deeds: &Facts) -> Vec<ReplyCall> {
    let sent = (0..session.blocks.len()).map(BlockIdx::new).filter(|block| !session.is_excluded(*block));
    let mut calls: Vec<ReplyCall> = sent
        .filter_map(|block| {
            let row = &session.blocks[block.at()];
            let is_call = matches!(row.kind, BlockKind::Call(_)) && row.stands_for.is_none();
            let after = is_call.then(|| session.turn_after(row.message))?;
            let is_mark = row.class == Some(ToolClass::Delimiter);
            Some(ReplyCall {
                turn: TurnIdx::new(after.number().saturating_sub(1).max(1)),
                effect: (!is_mark).then(|| deeds.effects_of(block).first().unwrap_or(Effect::Run)),
            })
        })
        .collect();
    // Parallel calls may be recorded after results.
    calls.sort_by_key(|call| call.turn);
    calls
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::asked::view::BranchKey;
    use crate::measure::work::work_of;
    use crate::testing::load_file;

    #[test]
    fn calls_are_those_of_the_work_of_a_session() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
        for case in ["pi/long", "codex/quickstart", "claude-code/compaction", "opencode/quickstart"] {
            let log = samples.join(case).join("input.jsonl");
            let log = if log.exists() { log } else { log.with_extension("json") };
            let opened = load_file(&log).unwrap();
            let branch = opened.branch(&BranchKey::CURRENT).unwrap();
            let deeds = opened.quality_facts(&BranchKey::CURRENT, cwl_tokens::Tokenizer::default()).unwrap();
            let work = work_of(&opened, &branch).unwrap();
            let calls = calls_by_turn(&branch.session, &deeds);
            assert_eq!(calls.iter().filter(|call| call.effect.is_some()).count(), work.n_calls(), "{case}");
            let n_looks =
                calls.iter().take_while(|call| !call.is_edit()).filter(|call| call.is_look()).count();
            assert_eq!(n_looks, work.n_looks_before_edit(), "{case}");
            let first_edit = calls.iter().find(|call| call.is_edit()).map(|call| call.turn);
            assert_eq!(first_edit, work.first_edit(), "{case}");
        }
    }
}
