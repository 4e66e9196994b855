//! The requests that a session made: what each reply did, and what the provider reported of it.

use cwl_engine::{Effect, TurnIdx, WorkKind, reported_turns};

use crate::ApiError;
use crate::dto::{CacheRulesDto, RequestMadeDto, RequestsMadeDto, ViewRequest};
use crate::figures::small;
use crate::measure::measured::Terms;
use crate::measure::opened::Opened;
use crate::measure::work::work_of;

/// Lists the requests that a session made, on the branch of a view as it was recorded.
///
/// # Errors
/// Where the view is not understood, and those of the texts.
pub fn requests_made(opened: &Opened, request: &ViewRequest) -> Result<RequestsMadeDto, ApiError> {
    let branch = opened.branch(&opened.chosen(&request.view)?.branch.recorded())?;
    let terms = Terms::of(opened, &CacheRulesDto::default());
    let work = work_of(opened, &branch)?;
    let session = &branch.session;
    let made = session.turns.iter().filter_map(|turn| turn.message);
    let requests = (1u32..).zip(made).zip(reported_turns(session)).map(|((turn, reply), usage)| {
        let reply = &session.messages[reply.at()];
        let units = work.of_turn(TurnIdx::new(turn));
        let n_of =
            |is_it: fn(&WorkKind) -> bool| small(units.iter().filter(|unit| is_it(&unit.kind)).count());
        RequestMadeDto {
            turn,
            at_ms: reply.at_ms,
            model: reply.model.as_deref().map(str::to_owned),
            reported: usage.map(|(prompt, output)| terms.cost_of_request(prompt, output)),
            n_calls: n_of(|kind| matches!(kind, WorkKind::Call(_))),
            n_looks: n_of(|kind| matches!(kind, WorkKind::Call(Effect::Look | Effect::GitLook))),
            n_edits: n_of(|kind| matches!(kind, WorkKind::Call(Effect::Edit))),
            n_marks: n_of(|kind| matches!(kind, WorkKind::Mark)),
        }
    });
    Ok(RequestsMadeDto {
        requests: requests.collect(),
        n_looks_before_edit: small(work.n_looks_before_edit()),
        first_edit: work.first_edit().map(TurnIdx::number),
    })
}
