//! Reacquisition: what the agent read again after a policy had evicted it, by episode and as stories.

use std::collections::BTreeMap;

use cwl_engine::{
    Blame, BlameClass, BlockIdx, EpisodeIdx, Reacquisition, ReacquisitionCause, ReacquisitionStory,
    ReplayInput, TurnIdx, budgets_that_keep, rank_blame, turn_that_got,
};

use crate::ApiError;
use crate::api::{
    BlameEntry, CacheRules, CauseSum, NameKind, ReacquisitionCauseName, ReacquisitionRow,
    ReacquisitionStoriesAnswer, ReacquisitionStoryRow, ReacquisitionsAnswer, STORIES_LISTED, StoryPlace,
    ViewRequest,
};
use crate::commands::compactions::shorten_shown;
use crate::commands::edits::mark_edit;
use crate::figures::saturate_u32;
use crate::measure::measured::Terms;
use crate::measure::opened::SessionSnapshot;
use crate::present::annotation::episodes_from;
use crate::present::item::tool_of;
use crate::present::story::{StoryFacts, tell_story};

/// Returns the episodes with content that was reacquired after a view's policy had evicted it.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn reacquisitions(
    opened: &SessionSnapshot,
    request: &ViewRequest,
) -> Result<ReacquisitionsAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let graph = &run.branch.growth.graph;
    let absences = opened.find_absences(&run)?;
    let mut found: BTreeMap<EpisodeIdx, (u32, TurnIdx, TurnIdx)> = BTreeMap::new();
    for (at, absence) in absences.blocks.iter().enumerate() {
        let (Some(gone), Some(again)) = (absence.first, absence.again) else { continue };
        let Some(episode) = graph.owner_of(BlockIdx::new(at)) else { continue };
        let row = found.entry(episode).or_insert((0, gone, again));
        *row = (row.0 + 1, row.1.min(gone), row.2.min(again));
    }
    let reacquisitions = found.into_iter().map(|(episode, (n_blocks, gone, again))| ReacquisitionRow {
        episode: saturate_u32(episode.at()),
        n_blocks,
        gone_turn: gone.number(),
        again_turn: again.number(),
    });
    let mut turns: Vec<u32> =
        absences.reacquisitions.iter().map(|reacquisition| reacquisition.turn.number()).collect();
    turns.dedup();
    Ok(ReacquisitionsAnswer {
        revision: opened.revision(),
        reacquisitions: reacquisitions.collect(),
        n_stories: saturate_u32(absences.reacquisitions.len()),
        turns,
    })
}

/// Tells the story of each reacquisition: first sighting, eviction, cause, and the edit of the marks that
/// would have prevented it. Marks that can be mended come first, then marks that cannot, then what no mark is to blame
/// for, then changed content; in each class, the most expensive first.
///
/// # Errors
/// If `request.view` is invalid, or the log's texts cannot be read.
pub fn reacquisition_stories(
    opened: &SessionSnapshot,
    request: &ViewRequest,
) -> Result<ReacquisitionStoriesAnswer, ApiError> {
    let run = opened.replay_view(&request.view)?;
    let chosen = opened.parse_view(&request.view)?;
    let material = opened.material(&chosen)?;
    let causes = opened.find_causes(&run)?;
    let found = &causes.stories;
    let input = ReplayInput { material: &material, ..run.replay_input() };
    let terms = Terms::look_up(opened, &CacheRules::default());
    let table = run.policy_table();
    let units = |story: &ReacquisitionStory| table.units(story.reacquisition.again);
    let kept = larger_budgets(&input, found);
    let mut order: Vec<MeasuredStory<'_>> = found
        .iter()
        .zip(causes.same.iter().copied())
        .zip(kept)
        .map(|((story, same), larger_budget)| MeasuredStory { story, same, larger_budget })
        .collect();
    // In the order of blame: the first story is one that can be mended, if any can. A stable sort: equal costs stay in
    // turn order.
    order.sort_by_key(|one| (one.story.blame_class(), std::cmp::Reverse(units(one.story))));
    let cost = |tokens: u64| terms.cost_of_writing(tokens).filter(|_| !terms.price.assumed);
    let mut sums: BTreeMap<ReacquisitionCauseName, (u32, u64)> = BTreeMap::new();
    for story in found {
        let sum = sums.entry(cause_of(&story.cause)).or_default();
        *sum = (sum.0 + 1, sum.1 + units(story));
    }
    let mut sums: Vec<CauseSum> = sums
        .into_iter()
        .map(|(cause, (n_stories, units))| CauseSum {
            cause,
            n_stories,
            tokens: table.tokens_from_units(units),
        })
        .collect();
    sums.sort_by_key(|sum| (std::cmp::Reverse(sum.tokens), sum.cause));
    let told = StoryFacts { opened, run: &run, material: &material };
    let ranked = rank_blame(&run.branch.growth.graph, &material, table, found);
    let blame = ranked.iter().take(STORIES_LISTED).filter_map(|blame| {
        let tokens = table.tokens_from_units(blame.units);
        blame_entry(&told, found, blame, tokens, cost(tokens))
    });
    let blame = blame.collect();
    let listed = order.into_iter().take(STORIES_LISTED);
    Ok(ReacquisitionStoriesAnswer {
        revision: opened.revision(),
        from: episodes_from(opened, &chosen, &run.branch)?,
        counted_by: run.counted_by(),
        n_stories: saturate_u32(found.len()),
        tokens: table.tokens_from_units(found.iter().map(units).sum()),
        cost: found.iter().map(|story| cost(table.tokens_from_units(units(story)))).sum(),
        causes: sums,
        blame,
        stories: listed
            .map(|one| story_row(&told, &one, cost(table.tokens_from_units(units(one.story)))))
            .collect(),
        price: terms.price,
    })
}

struct MeasuredStory<'a> {
    story: &'a ReacquisitionStory,
    /// Share of the returned content that was there before, in per mille.
    same: u16,
    larger_budget: Option<u64>,
}

const LARGER: [u64; 8] = [110, 125, 150, 175, 200, 250, 300, 400];

/// Finds for each story a larger budget that would have kept the block. Changed content gets none.
fn larger_budgets(input: &ReplayInput<'_>, stories: &[ReacquisitionStory]) -> Vec<Option<u64>> {
    let is_fault = |story: &&ReacquisitionStory| !story.cause.is_of_change();
    let reacquisitions: Vec<Reacquisition> =
        stories.iter().filter(is_fault).map(|story| story.reacquisition.clone()).collect();
    let budgets = LARGER.map(|share| input.budget.saturating_mul(share) / 100);
    let mut kept = budgets_that_keep(input, &budgets, &reacquisitions).into_iter();
    stories.iter().map(|story| if is_fault(&story) { kept.next().flatten() } else { None }).collect()
}

fn story_row(told: &StoryFacts<'_>, judged: &MeasuredStory<'_>, cost: Option<u64>) -> ReacquisitionStoryRow {
    let MeasuredStory { story, same, larger_budget } = *judged;
    let StoryFacts { run, material, .. } = *told;
    let (session, graph) = (&run.branch.session, &run.branch.growth.graph);
    let ReacquisitionStory { reacquisition, first, cause, changes, .. } = story;
    let name_of = |name: u32| material.names.get(name as usize);
    let name = reacquisition.names.first().and_then(|name| name_of(*name));
    let text_of = |names: &[u32]| -> Vec<String> {
        names.iter().filter_map(|name| name_of(*name)).map(|name| shorten_shown(&name.text)).collect()
    };
    let (said, step) = tell_story(told, story, same, larger_budget);
    ReacquisitionStoryRow {
        kind: name.map_or(NameKind::Path, |name| name.kind),
        name: name.map(|name| shorten_shown(&name.text)).unwrap_or_default(),
        others: text_of(reacquisition.names.get(1..).unwrap_or_default()),
        tokens: run.policy_table().tokens_from_units(run.policy_table().units(reacquisition.again)),
        cost,
        same_per_mille: same.into(),
        cause: cause_of(cause),
        says: said.cause,
        evidence: said.evidence,
        advice: said.advice,
        edits: changes.iter().map(|change| mark_edit(&run.branch, change)).collect(),
        larger_budget,
        blocks: reacquisition.missed.iter().map(|block| session.blocks[block.at()].id.to_string()).collect(),
        episodes: {
            let owners = reacquisition.missed.iter().filter_map(|block| graph.owner_of(*block));
            let mut owners: Vec<u32> = owners.map(|idx| saturate_u32(idx.at())).collect();
            owners.dedup();
            owners
        },
        first: first_place(told, story),
        gone: StoryPlace {
            step,
            ..story_place(told, reacquisition.held, reacquisition.gone, reacquisition.gone, *first)
        },
        gone_says: said.gone,
        left: said.left,
        again: second_place(told, story),
    }
}

fn blame_entry(
    told: &StoryFacts<'_>,
    stories: &[ReacquisitionStory],
    blame: &Blame,
    tokens: u64,
    cost: Option<u64>,
) -> Option<BlameEntry> {
    let branch = &told.run.branch;
    let largest = stories.get(*blame.stories.first()?)?;
    let graph = &branch.growth.graph;
    Some(BlameEntry {
        class: blame.class,
        cause: cause_of(&largest.cause),
        episode: blame.episode.map(|idx| saturate_u32(idx.at())),
        episode_name: blame.episode.map(|idx| graph.episode(idx).name.to_string()),
        says: told.blame_sentence(stories, blame, tokens),
        n_stories: saturate_u32(blame.stories.len()),
        tokens,
        cost,
        edits: blame.edits.iter().map(|edit| mark_edit(branch, edit)).collect(),
        fix: match blame.class {
            BlameClass::Reader => Some(told.advice_sentence(largest)),
            _ => told.fix_sentence(&blame.edits),
        },
        first: first_place(told, largest),
        again: second_place(told, largest),
    })
}

fn first_place(told: &StoryFacts<'_>, story: &ReacquisitionStory) -> StoryPlace {
    let held = story.reacquisition.held;
    story_place(told, held, turn_that_got(&told.run.branch.session, held), shown_at(told, held), story.first)
}

fn second_place(told: &StoryFacts<'_>, story: &ReacquisitionStory) -> StoryPlace {
    let again = story.reacquisition.again;
    story_place(told, again, story.reacquisition.turn, shown_at(told, again), story.again)
}

fn shown_at(told: &StoryFacts<'_>, block: BlockIdx) -> TurnIdx {
    let session = &told.run.branch.session;
    session.turn_after(session.blocks[block.at()].message).min(session.last_turn())
}

fn story_place(
    told: &StoryFacts<'_>,
    block: BlockIdx,
    turn: TurnIdx,
    shown: TurnIdx,
    episode: Option<EpisodeIdx>,
) -> StoryPlace {
    let StoryFacts { opened, run, .. } = *told;
    let (session, graph) = (&run.branch.session, &run.branch.growth.graph);
    StoryPlace {
        turn: turn.number(),
        step: None,
        shown_turn: shown.number(),
        block: session.blocks[block.at()].id.to_string(),
        line: opened.line_of(session, block),
        episode: episode.map(|idx| saturate_u32(idx.at())),
        episode_name: episode.map(|idx| graph.episode(idx).name.to_string()),
        tool: tool_of(&session.blocks[block.at()].kind)
            .or_else(|| tool_of(&session.blocks[session.blocks[block.at()].pair?.at()].kind))
            .map(str::to_owned),
        tokens: run.policy_table().tokens_from_units(run.policy_table().units(block)),
    }
}

fn cause_of(cause: &ReacquisitionCause) -> ReacquisitionCauseName {
    match cause {
        ReacquisitionCause::Changed { .. } => ReacquisitionCauseName::Changed,
        ReacquisitionCause::Policy => ReacquisitionCauseName::Policy,
        ReacquisitionCause::TooSmall { .. } => ReacquisitionCauseName::TooSmall,
        ReacquisitionCause::Unmarked { .. } => ReacquisitionCauseName::Unmarked,
        ReacquisitionCause::Undeclared => ReacquisitionCauseName::Undeclared,
        ReacquisitionCause::WrongKind { .. } => ReacquisitionCauseName::WrongKind,
        ReacquisitionCause::ClosedEarly => ReacquisitionCauseName::ClosedEarly,
        ReacquisitionCause::ReadInAct => ReacquisitionCauseName::ReadInAct,
        ReacquisitionCause::ThinDescription { .. } => ReacquisitionCauseName::ThinDescription,
        ReacquisitionCause::InDescription => ReacquisitionCauseName::InDescription,
        ReacquisitionCause::StrippedBefore { .. } => ReacquisitionCauseName::StrippedBefore,
        ReacquisitionCause::NeededByExploration => ReacquisitionCauseName::NeededByExploration,
    }
}
