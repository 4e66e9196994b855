//! The work of a session, extracted from its texts, and the work two sessions share.

use std::collections::HashSet;

use cwl_engine::{BlockKind, SessionWork, WorkBuilder};
use cwl_formats::read_call;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::ApiError;
use crate::measure::branch::Branch;
use crate::measure::material::scan_texts;
use crate::measure::opened::SessionSnapshot;

pub(crate) fn work_of(opened: &SessionSnapshot, branch: &Branch) -> Result<SessionWork, ApiError> {
    let session = &branch.session;
    let cwd = opened.log.header().cwd;
    let mut work = WorkBuilder::new(session, cwd.as_deref());
    scan_texts(session, &opened.texts, |block, text| {
        let reading = match &session.blocks[block.at()].kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        work.add_block(block, text, reading.as_ref());
    })?;
    Ok(work.finish())
}

/// Returns a longest common subsequence of the two sessions' units, as index pairs.
pub(crate) fn common_units(a: &SessionWork, b: &SessionWork) -> Vec<(usize, usize)> {
    let (keys_a, keys_b) = (a.unit_keys(), b.unit_keys());
    // Units only one session has are removed first, because two sessions have many.
    let (places_a, shared_a) = shared_keys(&keys_a, &keys_b);
    let (places_b, shared_b) = shared_keys(&keys_b, &keys_a);
    let mut pairs = Vec::new();
    for change in capture_diff_slices(Algorithm::Patience, &shared_a, &shared_b) {
        if let DiffOp::Equal { old_index, new_index, len } = change {
            pairs.extend((0..len).map(|at| (places_a[old_index + at], places_b[new_index + at])));
        }
    }
    pairs
}

fn shared_keys(keys: &[u64], others: &[u64]) -> (Vec<usize>, Vec<u64>) {
    let others: HashSet<u64> = others.iter().copied().collect();
    keys.iter().copied().enumerate().filter(|(_, key)| others.contains(key)).unzip()
}
