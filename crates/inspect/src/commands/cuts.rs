//! Checks for a typed cut: the window takes the nearest one, a command reports a missing one.

use cwl_engine::TurnIdx;

use crate::api::{ViewCut, ViewSettings};
use crate::figures::with_commas;
use crate::measure::opened::SessionSnapshot;
use crate::{ApiError, ErrorCode};

/// Checks that the turn exists and has enough steps.
///
/// # Errors
/// If the turn or the step does not exist (the message gives the range), or `view` is invalid.
pub fn check_cut(opened: &SessionSnapshot, view: &ViewSettings, cut: ViewCut) -> Result<(), ApiError> {
    let run = opened.replay_view(view)?;
    let now = run.branch.session.last_turn().number();
    let refuse =
        |message: String, hint: String| Err(ApiError::new(ErrorCode::BadRequest, message).with_hint(hint));
    if let Some(turn) = cut.turn.filter(|turn| !(1..=now).contains(turn)) {
        let hint = match now {
            1 => "the model was asked nothing yet: write 1 or now".to_owned(),
            _ => {
                format!(
                    "write 1 to {}, or now, which is {}",
                    with_commas((now - 1).into()),
                    with_commas(now.into())
                )
            }
        };
        return refuse(format!("there is no turn {}", with_commas(turn.into())), hint);
    }
    let turn = cut.turn.unwrap_or(now);
    let n_steps = run.replay.outcome_at(TurnIdx::new(turn)).n_steps;
    match cut.step.filter(|step| *step > n_steps) {
        None => Ok(()),
        Some(step) => {
            let took = match n_steps {
                0 => "takes no step".to_owned(),
                1 => "takes 1 step".to_owned(),
                n => format!("takes {} steps", with_commas(n.into())),
            };
            let (policy, turn) = (&view.policy, with_commas(turn.into()));
            let hint = if n_steps == 0 {
                "write 0 or end".to_owned()
            } else {
                format!("write 0 to {n_steps}, or end")
            };
            refuse(format!("there is no step {step}: {policy} {took} at turn {turn}"), hint)
        }
    }
}
