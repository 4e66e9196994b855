//! The cause of each reacquisition under a run: one answer for the list of what was read again, for lint and
//! for the figures of a comparison.

use std::collections::BTreeMap;
use std::sync::Arc;

use cwl_engine::{
    BlockIdx, Reacquisition, ReacquisitionStory, ReplayInput, Session, Use, reacquisition_stories,
    shared_lines,
};

use crate::ApiError;
use crate::asked::view::ViewSelection;
use crate::measure::opened::SessionSnapshot;
use crate::measure::run::ReplayRun;

/// How much of each content that came again was there before, per mille.
#[derive(Debug, Default)]
pub(crate) struct SharedContents(BTreeMap<(BlockIdx, BlockIdx), u16>);

/// Pairs of texts that are in memory at once.
const PAIRS_AT_ONCE: usize = 64;

impl SharedContents {
    fn compare(opened: &SessionSnapshot, session: &Session, uses: &[Use]) -> Result<Self, ApiError> {
        let pairs = uses.iter().filter_map(|one| Some(((one.held, one.again?), 1000)));
        let mut shared: BTreeMap<(BlockIdx, BlockIdx), u16> = pairs.collect();
        let mut pairs: Vec<(&(BlockIdx, BlockIdx), &mut u16)> = shared.iter_mut().collect();
        for some in pairs.chunks_mut(PAIRS_AT_ONCE) {
            let blocks = some.iter().flat_map(|((held, again), _)| [*held, *again]);
            let places: Vec<_> = blocks.map(|block| SessionSnapshot::place_of(session, block)).collect();
            let texts = opened.texts.block_contents(&places)?;
            for ((_, share), pair) in some.iter_mut().zip(texts.chunks_exact(2)) {
                **share = shared_lines(&pair[0].text, &pair[1].text);
            }
        }
        Ok(Self(shared))
    }

    pub(crate) fn of_reacquisitions(&self, reacquisitions: &[Reacquisition]) -> Vec<u16> {
        let share = |reacquisition: &Reacquisition| {
            self.0.get(&(reacquisition.held, reacquisition.again)).copied().unwrap_or(1000)
        };
        reacquisitions.iter().map(share).collect()
    }
}

#[derive(Debug)]
pub struct ReacquisitionCauses {
    pub stories: Vec<ReacquisitionStory>,
    /// Per story, the share of the content that was there before, per mille.
    pub same: Vec<u16>,
}

impl SessionSnapshot {
    pub(crate) fn shared_contents(&self, chosen: &ViewSelection) -> Result<Arc<SharedContents>, ApiError> {
        self.shared.get_or_make(&chosen.branch, || {
            let branch = self.branch(&chosen.branch)?;
            SharedContents::compare(self, &branch.session, &self.material(chosen)?.uses)
        })
    }

    pub fn find_causes(&self, run: &ReplayRun) -> Result<Arc<ReacquisitionCauses>, ApiError> {
        self.causes.get_or_make(&run.key, || {
            let chosen = run.selection();
            let material = self.material(chosen)?;
            let facts = self.quality_facts(&chosen.branch, chosen.unit.tokenizer())?;
            let absences = self.find_absences(run)?;
            let same = self.shared_contents(chosen)?.of_reacquisitions(&absences.reacquisitions);
            let input = ReplayInput { material: &material, ..run.replay_input() };
            let stories = reacquisition_stories(&input, &run.replay, &facts, &absences.reacquisitions, &same);
            Ok::<_, ApiError>(ReacquisitionCauses { stories, same })
        })
    }
}
