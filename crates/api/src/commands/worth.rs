//! The worth of inferred episodes on one session, in words.

use crate::ApiError;
use crate::asked::view::MarksKey;
use crate::dto::{ViewRequest, WorthDto};
use crate::figures::grouped;
use crate::measure::measured::percent;
use crate::measure::opened::Opened;
use crate::measure::worth::{N_SHUFFLES, Worth, worth as weigh};

/// Says whether `cwl` keeps more of what is needed later with the inferred episodes of a view than with shuffled ones.
pub fn worth(opened: &Opened, request: &ViewRequest) -> Result<WorthDto, ApiError> {
    let chosen = opened.chosen(&request.view)?;
    let revision = opened.revision();
    if chosen.branch.marks != MarksKey::Inferred {
        return Ok(WorthDto { revision, beats: None, says: None });
    }
    let Some(Worth { found, shuffled, mean_request }) = weigh(opened, &chosen.branch, chosen.tokenizer)?
    else {
        return Ok(WorthDto { revision, beats: None, says: None });
    };
    let beats = found > shuffled;
    let verdict = if beats { "better" } else { "no better" };
    let says = format!(
        "On this session inferred episodes do {verdict} than chance: at a mean request of {} tokens cwl keeps {} % of \
         what later turns use, and {} % with {N_SHUFFLES} shuffles of the same lengths.",
        grouped(mean_request),
        percent(found),
        percent(shuffled),
    );
    Ok(WorthDto { revision, beats: Some(beats), says: Some(says) })
}
