//! The comparison of a session's inferred episodes with shuffled ones and with `window`, in words.

use crate::ApiError;
use crate::api::{ViewRequest, WorthAnswer};
use crate::asked::view::MarksKey;
use crate::figures::with_commas;
use crate::measure::measured::write_percent;
use crate::measure::opened::SessionSnapshot;
use crate::measure::worth::{N_SHUFFLES, Worth, weigh_inferred as weigh};

/// Compares `cwl` with a view's inferred episodes to `cwl` with shuffled ones and to `window`, by how much later-used
/// content each keeps.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn worth(opened: &SessionSnapshot, request: &ViewRequest) -> Result<WorthAnswer, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let revision = opened.revision();
    if chosen.branch.marks != MarksKey::Inferred {
        return Ok(WorthAnswer { revision, beats: None, says: None });
    }
    let Some(worth) = weigh(opened, &chosen.branch, chosen.unit)? else {
        return Ok(WorthAnswer { revision, beats: None, says: None });
    };
    let beats = worth.helps();
    let Worth { found, shuffled, window, mean_request } = worth;
    let verdict = if beats { "help" } else { "do not help" };
    let says = format!(
        "On this session inferred episodes {verdict}: at a mean request of {} tokens cwl keeps {} % of what later turns \
         use, {} % with {N_SHUFFLES} shuffles of the same lengths, and window keeps {} %.",
        with_commas(mean_request),
        write_percent(found),
        write_percent(shuffled),
        write_percent(window),
    );
    Ok(WorthAnswer { revision, beats: Some(beats), says: Some(says) })
}
