//! Survival of details under a policy: the needs of a session, and what a replay's requests still had.

use std::sync::Arc;

use cwl_engine::{
    BlockKind, Detail, DetailKind, DetailNeeds, DetailsBuilder, Material, Replay, ReplayInput, Session,
    detail_survival,
};
use cwl_formats::read_call;

use crate::ApiError;
use crate::api::DetailSurvivalRow;
use crate::asked::view::ViewSelection;
use crate::measure::material::{ScanDepth, scan_texts};
use crate::measure::opened::SessionSnapshot;
use crate::texts::log_texts::Texts;

pub(crate) struct SurvivalInputs {
    needs: Arc<DetailNeeds>,
    /// With the digest, which a policy may not need.
    material: Arc<Material>,
    cwd: Option<String>,
}

impl SurvivalInputs {
    pub(crate) fn prepare(opened: &SessionSnapshot, chosen: &ViewSelection) -> Result<Self, ApiError> {
        Ok(Self {
            needs: opened.detail_needs(chosen)?,
            material: opened.material_of(&chosen.branch, chosen.unit, ScanDepth::Digest)?,
            cwd: opened.log.header().cwd.map(|cwd| cwd.to_string()),
        })
    }

    pub(crate) fn measure(&self, input: &ReplayInput<'_>, replay: &Replay) -> Vec<DetailSurvivalRow> {
        let counts = detail_survival(input, replay, &self.needs, &self.material, self.cwd.as_deref());
        let of_kind = |(kind, counts): (&DetailKind, cwl_engine::SurvivalCounts)| DetailSurvivalRow {
            kind: *kind,
            n_needed: counts.n_needed,
            n_literal: counts.n_literal,
            n_named: counts.n_named,
        };
        DetailKind::ALL.iter().zip(counts).map(of_kind).collect()
    }
}

pub(crate) fn scan_details(
    session: &Session,
    texts: &Texts,
    cwd: Option<&str>,
) -> Result<Vec<Detail>, ApiError> {
    let mut details = DetailsBuilder::new(session, cwd);
    scan_texts(session, texts, |block, text| {
        let reading = match &session.blocks[block.at()].kind {
            BlockKind::Call(call) => Some(read_call(&call.name, text)),
            _ => None,
        };
        details.add_block(block, text, reading.as_ref());
    })?;
    Ok(details.finish())
}
