//! The effect of a change of marks over the whole session: content no longer read again, and the cost.

use std::collections::BTreeSet;
use std::sync::Arc;

use cwl_engine::{BlockIdx, Material, ReacquisitionStory};
use cwl_inspect::measure::causes::ReacquisitionCauses;
use cwl_inspect::measure::measured::{MeasureInputs, Terms};
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::measure::run::ReplayRun;
use cwl_inspect::present::marks_effect::{
    MemoryAndCost, cost_sentence, effect_kind, effect_sentence, memory_sentence,
};

use crate::ApiError;
use crate::api::{
    CacheRules, EditMarksRequest, FileMark, MarksEffectAnswer, MarksEffectRequest, ReacquiredContent,
    ViewSettings,
};
use crate::commands::compactions::shorten_shown;
use crate::commands::edit_marks::edit_marks;

/// Names listed of what is no longer read again, and of what is read again only now.
const LISTED: usize = 100;

/// Replays a view with its marks and with those `before`, and tells memory and cost apart.
///
/// # Errors
/// If a view is invalid, or the log's texts cannot be read.
pub fn marks_effect(
    opened: &SessionSnapshot,
    request: &MarksEffectRequest,
) -> Result<MarksEffectAnswer, ApiError> {
    let terms = Terms::look_up(opened, &CacheRules::default());
    let view_before = ViewSettings { annotation: request.before.clone(), ..request.view.clone() };
    let (before, causes_before) = measure_view(opened, &view_before, &terms)?;
    let (now, causes) = measure_view(opened, &request.view, &terms)?;
    let without_words = |view: &ViewSettings| -> Result<Vec<FileMark>, ApiError> {
        let asked = EditMarksRequest { view: view.clone(), edits: Vec::new() };
        let mut episodes = edit_marks(opened, &asked)?.after.episodes;
        episodes.iter_mut().for_each(|mark| mark.description = None);
        Ok(episodes)
    };
    let is_of_words = without_words(&view_before)? == without_words(&request.view)?;
    let (spared, added) = (only_in(&causes_before, &causes), only_in(&causes, &causes_before));
    let kind = effect_kind(&before, &now, is_of_words);
    Ok(MarksEffectAnswer {
        revision: opened.revision(),
        kind,
        says: effect_sentence(kind, spared.len(), added.len()),
        memory_says: memory_sentence(&before, &now),
        cost_says: cost_sentence(&before, &now),
        spared: spared.into_iter().take(LISTED).collect(),
        added: added.into_iter().take(LISTED).collect(),
        again_tokens_before: before.again_tokens,
        again_tokens: now.again_tokens,
        recall_before: before.recall,
        recall: now.recall,
        cost_before: before.cost,
        cost: now.cost,
    })
}

struct ViewCauses {
    run: ReplayRun,
    material: Arc<Material>,
    causes: Arc<ReacquisitionCauses>,
}

fn measure_view(
    opened: &SessionSnapshot,
    view: &ViewSettings,
    terms: &Terms,
) -> Result<(MemoryAndCost, ViewCauses), ApiError> {
    let measured = MeasureInputs::prepare(opened, view, terms)?.measure_own()?.measured;
    let run = opened.replay_view(view)?;
    let figures = MemoryAndCost {
        again_tokens: measured.recall.reacquired_tokens,
        recall: measured.recall.hit_per_mille,
        cost: (!measured.cost.unpriced).then_some(measured.cost.total_cost),
    };
    let (material, causes) = (opened.material(run.selection())?, opened.find_causes(&run)?);
    Ok((figures, ViewCauses { run, material, causes }))
}

fn only_in(these: &ViewCauses, others: &ViewCauses) -> Vec<ReacquiredContent> {
    let known: BTreeSet<BlockIdx> =
        others.causes.stories.iter().map(|story| story.reacquisition.again).collect();
    let table = these.run.policy_table();
    let mut only: Vec<&ReacquisitionStory> =
        these.causes.stories.iter().filter(|story| !known.contains(&story.reacquisition.again)).collect();
    only.sort_by_key(|story| std::cmp::Reverse(table.units(story.reacquisition.again)));
    let content = |story: &ReacquisitionStory| {
        let again = story.reacquisition.again;
        let name =
            story.reacquisition.names.first().and_then(|name| these.material.names.get(*name as usize));
        ReacquiredContent {
            name: name.map(|name| shorten_shown(&name.text)).unwrap_or_default(),
            turn: story.reacquisition.turn.number(),
            tokens: table.tokens_from_units(table.units(again)),
            block: these.run.branch.session.blocks[again.at()].id.to_string(),
        }
    };
    only.into_iter().map(content).collect()
}
