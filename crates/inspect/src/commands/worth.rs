//! The comparison of a session's inferred episodes with shuffled ones, in words.

use crate::ApiError;
use crate::asked::view::MarksKey;
use crate::dto::{ViewRequest, WorthDto};
use crate::figures::with_commas;
use crate::measure::measured::write_percent;
use crate::measure::opened::SessionSnapshot;
use crate::measure::worth::{N_SHUFFLES, Worth, weigh_inferred as weigh};

/// Compares `cwl` with a view's inferred episodes to `cwl` with shuffled ones, by how much later-used content
/// each keeps.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn worth(opened: &SessionSnapshot, request: &ViewRequest) -> Result<WorthDto, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let revision = opened.revision();
    if chosen.branch.marks != MarksKey::Inferred {
        return Ok(WorthDto { revision, beats: None, says: None });
    }
    let Some(Worth { found, shuffled, mean_request }) = weigh(opened, &chosen.branch, chosen.unit)? else {
        return Ok(WorthDto { revision, beats: None, says: None });
    };
    let beats = found > shuffled;
    let verdict = if beats { "better" } else { "no better" };
    let says = format!(
        "On this session inferred episodes do {verdict} than chance: at a mean request of {} tokens cwl keeps {} % of \
         what later turns use, and {} % with {N_SHUFFLES} shuffles of the same lengths.",
        with_commas(mean_request),
        write_percent(found),
        write_percent(shuffled),
    );
    Ok(WorthDto { revision, beats: Some(beats), says: Some(says) })
}
