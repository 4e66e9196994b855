//! Views: everything that changes from one place in time to the next, as changes.

use std::collections::BTreeMap;

use cwl_engine::{Eligibility, Fate, KeptReason, Memory, Presence, StateAt, eligibility, render};

use super::rows::RowTable;
use crate::ApiError;
use crate::commands;
use crate::commands::episode::{episode, kept_units};
use crate::commands::replay::{left_of, steps};
use crate::dto::{
    CutDto, EpisodeRequest, ExportedDetailDto, ExportedEpisodeDto, ExportedStateDto, ExportedViewDto,
    StepsRequest, ViewDto, ViewRequest,
};
use crate::item::{Row, item, rows};
use crate::opened::{Opened, Run};

/// So many blocks are looked at for levels and sizes, all places in time together; beyond, only ends of turns are.
const MOST_FOLDED: usize = 100_000_000;
/// So many rows are looked at for lists, all places in time together.
const MOST_RENDERED: usize = 40_000_000;
/// As many where a policy begins every turn anew, and each row changes at each of them.
const MOST_RENDERED_ANEW: usize = 150_000;
/// Episodes of larger sessions are told only by the graph.
const MOST_DETAILED: usize = 400;

/// Returns a view of a session at all places in time, and what never changes of its episodes.
pub(super) fn exported(
    opened: &Opened,
    view: &ViewDto,
    table: &mut RowTable,
    left_out: &mut Vec<String>,
) -> Result<(ExportedViewDto, Vec<ExportedEpisodeDto>), ApiError> {
    let run = opened.run(view)?;
    let request = ViewRequest { session: opened.session(), view: view.clone() };
    let replay = commands::replay(opened, &request)?;
    let mut passes = Vec::new();
    for (turn, _) in (1u32..).zip(&replay.n_steps).filter(|(_, n_steps)| **n_steps > 0) {
        passes.push(steps(
            opened,
            &StepsRequest { session: opened.session(), view: view.clone(), turn: Some(turn) },
        )?);
    }
    let graph = commands::graph(opened, &request)?;
    let n_blocks = table.branch().session.blocks.len().max(1);
    let n_places: usize = replay.n_steps.iter().map(|n_steps| *n_steps as usize + 1).sum();
    let is_anew = matches!(run.replay.policy.memory, Memory::PerTurn(_));
    let at_ends = n_places * n_blocks > MOST_FOLDED;
    let stride = stride(replay.n_steps.len(), n_places, n_blocks, is_anew);
    let has_details = graph.episodes.len() <= MOST_DETAILED && stride == 0;
    if at_ends {
        left_out
            .push("of levels and sizes of episodes only those at the ends of turns are in here".to_owned());
    }
    if stride > 0 {
        let every = if stride == 1 { "every turn".to_owned() } else { format!("every {stride}th turn") };
        left_out.push(format!(
            "under {}, lists of blocks are those at the end of {every}",
            run.replay.policy.name
        ));
    }
    if !has_details {
        left_out.push("what is said of single episodes, beside the graph, is not in here".to_owned());
    }
    let mut track = Track::new(&run, table, graph.episodes.iter().map(|one| one.kept_at[0]).collect());
    let mut looked_at = Vec::new();
    let mut place = 0u32;
    for (turn, n_steps) in (1u32..).zip(&replay.n_steps) {
        for step in 0..=*n_steps {
            let cut = CutDto { turn: Some(turn), step: Some(step) };
            let is_end = step == *n_steps;
            let is_listed = stride == 0 || (is_end && is_on_stride(turn, replay.n_steps.len(), stride));
            if !at_ends || is_end || is_listed {
                let state = StateAt::fold(&run.input(), &run.replay, run.cut(cut));
                track.sizes(place, &state);
                if is_listed {
                    track.list(opened, place, &state);
                    looked_at.push(place);
                }
                if has_details {
                    track.details(opened, view, place, cut, &state)?;
                }
            }
            place += 1;
        }
    }
    let Track { levels, left, tokens, states, spans, met, details, detail_spans, episodes, .. } = track;
    let exported = ExportedViewDto {
        view: view.clone(),
        graph,
        replay,
        passes,
        levels: levels.changes,
        left: left.changes,
        tokens,
        states: in_order(states),
        spans,
        looked_at: (stride > 0).then_some(looked_at),
        met,
        remembers: !is_anew,
        details: in_order(details),
        detail_spans,
    };
    Ok((exported, episodes.into_iter().flatten().collect()))
}

/// Returns how many turns apart lists are looked at, at the ends of turns; 0 is everywhere.
fn stride(n_turns: usize, n_places: usize, n_blocks: usize, is_anew: bool) -> usize {
    let most = if is_anew { MOST_RENDERED_ANEW } else { MOST_RENDERED } / n_blocks;
    if n_places <= most { 0 } else { n_turns.div_ceil(most.max(1)).max(1) }
}

/// The newest turn is always looked at, and from there every so many.
fn is_on_stride(turn: u32, n_turns: usize, stride: usize) -> bool {
    (n_turns - turn as usize).is_multiple_of(stride)
}

/// Values of episodes, as changes.
struct Changes {
    last: Vec<u32>,
    changes: Vec<u32>,
}

impl Changes {
    fn set(&mut self, place: u32, at: usize, value: u32) {
        if self.last[at] != value {
            self.last[at] = value;
            self.changes.extend([place, u32::try_from(at).unwrap_or(u32::MAX), value]);
        }
    }
}

/// What a row's state depends on; while it stays the same, nothing is said anew.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    fate: Option<Fate>,
    episode: Option<u32>,
}

/// What is said of an episode depends on this.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    level: u8,
    left: u32,
    /// What the model receives of it, units: more comes in while it is active.
    kept: u64,
    /// The harness took the last of it.
    emptied: bool,
    life: cwl_engine::Life,
    eligibility: Eligibility,
    met: Option<bool>,
}

/// A view on its way through time.
struct Track<'a> {
    run: &'a Run,
    table: &'a mut RowTable,
    levels: Changes,
    left: Changes,
    tokens: Vec<u64>,
    states: BTreeMap<ExportedStateDto, u32>,
    spans: Vec<Vec<u32>>,
    /// What was seen of each row, and at which place in time.
    seen: Vec<Option<(Seen, u32)>>,
    met: Vec<u32>,
    is_met: bool,
    details: BTreeMap<ExportedDetailDto, u32>,
    /// What does not change, as far as it is known.
    episodes: Vec<Option<ExportedEpisodeDto>>,
    detail_spans: Vec<Vec<u32>>,
    said: Vec<Option<Said>>,
}

impl<'a> Track<'a> {
    fn new(run: &'a Run, table: &'a mut RowTable, sizes: Vec<u64>) -> Self {
        let n_episodes = sizes.len();
        let small = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        Self {
            run,
            table,
            levels: Changes { last: vec![0; n_episodes], changes: Vec::new() },
            left: Changes { last: sizes.into_iter().map(small).collect(), changes: Vec::new() },
            tokens: Vec::new(),
            states: BTreeMap::new(),
            spans: Vec::new(),
            seen: Vec::new(),
            met: Vec::new(),
            is_met: true,
            details: BTreeMap::new(),
            episodes: vec![None; n_episodes],
            detail_spans: vec![Vec::new(); n_episodes],
            said: vec![None; n_episodes],
        }
    }

    /// Takes note of levels and of what is left.
    fn sizes(&mut self, place: u32, state: &StateAt) {
        for (idx, _) in self.run.branch.growth.graph.iter() {
            self.levels.set(place, idx.at(), u32::from(state.levels[idx.at()]));
        }
        for (at, left) in left_of(self.run, state).enumerate() {
            self.left.set(place, at, left);
        }
    }

    /// Takes note of the list of blocks.
    fn list(&mut self, opened: &Opened, place: u32, state: &StateAt) {
        let run = self.run;
        let context = render(&run.input(), &run.replay, state);
        let is_met = context.total <= run.replay.budget;
        if is_met != self.is_met {
            self.is_met = is_met;
            self.met.push(place);
        }
        let listed: Vec<Row<'_>> = rows(&context).collect();
        // What a policy made stands before the next block: from the end on, that is known.
        let mut before = vec![usize::MAX; listed.len()];
        let mut next = usize::MAX;
        for (at, row) in listed.iter().enumerate().rev() {
            if let Row::Block { block, .. } = row {
                next = self.table.place(*block);
            }
            before[at] = next;
        }
        for (row, before) in listed.iter().zip(before) {
            let key = self.table.key(row, before);
            let number =
                self.table.number(key, row, || item(opened, run, row, made_text(row), usize::MAX, true));
            self.row(opened, place, row, number);
        }
        for number in 0..self.seen.len() {
            if self.seen[number].as_ref().is_some_and(|(_, at)| *at != place) {
                self.seen[number] = None;
                self.spans[number].extend([place, 0]);
            }
        }
    }

    fn row(&mut self, opened: &Opened, place: u32, row: &Row<'_>, number: usize) {
        let n_rows = self.table.len();
        self.seen.resize(n_rows.max(self.seen.len()), None);
        self.spans.resize(n_rows.max(self.spans.len()), Vec::new());
        self.tokens.resize(n_rows.max(self.tokens.len()), 0);
        let seen = match row {
            Row::Block { fate, episode, .. } => Seen {
                fate: Some((*fate).clone()),
                episode: episode.map(|idx| u32::try_from(idx.at()).unwrap_or(u32::MAX)),
            },
            Row::Residue { .. } | Row::Summary { .. } => Seen { fate: None, episode: None },
        };
        if let Some((last, at)) = &mut self.seen[number]
            && *last == seen
        {
            *at = place;
            return;
        }
        self.seen[number] = Some((seen, place));
        self.tokens[number] = row.tokens(self.run);
        let state = self.state(opened, row);
        let n_states = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        let state = *self.states.entry(state).or_insert(n_states) + 1;
        self.spans[number].extend([place, state]);
    }

    fn state(&mut self, opened: &Opened, row: &Row<'_>) -> ExportedStateDto {
        let met = item(opened, self.run, row, "", 0, true);
        let over = match row {
            Row::Block { fate: Fate::Kept(KeptReason::Eligible), .. } => {
                item(opened, self.run, row, "", 0, false).reason
            }
            _ => met.reason.clone(),
        };
        let words = &mut self.table.words;
        ExportedStateDto {
            kept: met.kept,
            level: met.level,
            reason: words.place(&met.reason),
            reason_over: words.place(&over),
            evicted_turn: met.evicted_turn,
            evicted_step: met.evicted_step,
            placeholder: met.placeholder.as_deref().map(|text| words.place(text)),
        }
    }

    /// Takes note of what is said of episodes.
    fn details(
        &mut self,
        opened: &Opened,
        view: &ViewDto,
        place: u32,
        cut: CutDto,
        state: &StateAt,
    ) -> Result<(), ApiError> {
        let (session, growth) = (&self.run.branch.session, &self.run.branch.growth);
        for (idx, known) in growth.graph.iter() {
            let at = idx.at();
            let eligibility = eligibility(session, growth, &self.run.replay.options, state, idx);
            let said = Said {
                level: state.levels[at],
                left: self.left.last[at],
                kept: known.blocks.iter().map(|block| kept_units(self.run, state, *block)).sum(),
                emptied: known
                    .blocks
                    .iter()
                    .any(|block| matches!(state.blocks[block.at()], Presence::Dropped(_))),
                life: state.lives[at],
                // Whether the budget is met matters only to what may go.
                met: (eligibility == Eligibility::Eligible).then_some(self.is_met),
                eligibility,
            };
            if self.said[at].as_ref() == Some(&said) {
                continue;
            }
            self.said[at] = Some(said);
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            let request =
                EpisodeRequest { session: opened.session(), view: view.clone(), cut, episode: number };
            let known = episode(opened, &request)?;
            let words = &mut self.table.words;
            let detail = ExportedDetailDto {
                level: known.level,
                level_name: words.place(&known.level_name),
                life: words.place(&known.life),
                why: words.place(&known.why),
                tokens: known.tokens,
                kept: known.kept_tokens,
                parts: known
                    .by_kind
                    .iter()
                    .map(|(kind, all, kept)| (words.place(kind), *all, *kept))
                    .collect(),
                held: known.blocked_by,
            };
            self.episodes[at].get_or_insert(ExportedEpisodeDto {
                description: known.description,
                needs: known.needs,
                feeds: known.feeds,
                n_implicit: known.n_implicit,
                closed_turn: known.closed_turn,
            });
            let n_details = u32::try_from(self.details.len()).unwrap_or(u32::MAX);
            let detail_at = *self.details.entry(detail).or_insert(n_details);
            self.detail_spans[at].extend([place, detail_at]);
        }
        Ok(())
    }
}

/// What a policy made is read here or nowhere; a block's text is fetched when all rows are known.
fn made_text<'a>(row: &Row<'a>) -> &'a str {
    match row {
        Row::Block { .. } => "",
        Row::Residue { text, .. } | Row::Summary { text, .. } => text,
    }
}

fn in_order<T>(numbered: BTreeMap<T, u32>) -> Vec<T> {
    let mut ordered: Vec<(u32, T)> = numbered.into_iter().map(|(one, at)| (at, one)).collect();
    ordered.sort_by_key(|(at, _)| *at);
    ordered.into_iter().map(|(_, one)| one).collect()
}
