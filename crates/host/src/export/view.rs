//! Exported views: all changes from one place in time to the next.

use std::collections::{BTreeMap, BTreeSet};

use cwl_engine::{Cut, Memory, Presence, ReplayWalk, TurnIdx};
use cwl_inspect::figures::saturate_u32;
use cwl_inspect::measure::findings;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::measure::run::ReplayRun;

use super::ExportProgress;
use super::rows::RowTable;
use super::track::Track;
use crate::commands::replay::{history_of, steps_of};
use crate::dto::{
    EpisodeAlwaysDto, ExportedViewDto, FINDINGS_LISTED, FindingDto, StepsDto, ViewDto, ViewRequest,
};
use crate::{ApiError, commands, file_name};

/// Limits on one view's content, and on the work to export it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewLimits {
    /// Maximum number of blocks visited for lists, summed over all places in time. Beyond it, only the ends
    /// of some turns are visited.
    looked_at: u64,
    /// Maximum number of changed rows, for a policy that starts every turn anew, so that each ghost changes
    /// at each turn.
    changed: u64,
    /// Maximum number of distinct sentences about episodes. A larger session gets only the graph.
    details: usize,
    /// Maximum number of findings. Findings about pins and probes are always included.
    findings: usize,
}

impl ViewLimits {
    pub(super) const OF_PAGE: Self =
        Self { looked_at: 400_000_000, changed: 600_000, details: 60_000, findings: 5_000 };

    /// Limits for each view, if `n_views` share a page.
    pub(super) fn shared_by(self, n_views: usize) -> Self {
        let n = n_views.max(1);
        let (looked_at, changed) = (self.looked_at / n as u64, self.changed / n as u64);
        Self { looked_at, changed, details: self.details / n, findings: self.findings / n }
    }
}

/// Exports a view at all places in time, and the unchanging facts about its episodes.
pub(super) fn export_view(
    opened: &SessionSnapshot,
    view: &ViewDto,
    room: ViewLimits,
    table: &mut RowTable,
    left_out: &mut Vec<String>,
    work: &mut ExportProgress<'_>,
) -> Result<(ExportedViewDto, Vec<EpisodeAlwaysDto>), ApiError> {
    let run = opened.replay_view(view)?;
    let request = ViewRequest { session: opened.session(), view: view.clone() };
    let replay = commands::replay(opened, &request)?;
    let turns = (1u32..).take(replay.n_steps.len());
    let steps: Vec<StepsDto> = turns.map(|turn| steps_of(opened, &run, TurnIdx::new(turn))).collect();
    let graph = commands::graph(opened, &request)?;
    let (findings, n_findings) = listed_findings(opened, &run, room.findings)?;
    let finding_spans = finding_spans(&findings, &replay.n_steps);
    let stride = turn_stride(&run, room);
    let mut said = |sentence: String| left_out.push(sentence);
    if stride > 0 {
        let every = if stride == 1 { "every turn".to_owned() } else { format!("every {stride}th turn") };
        said(format!("under {}, lists of blocks are those at the end of {every}", run.replay.policy.name));
    }
    if findings.len() < n_findings {
        let (here, all) =
            (cwl_inspect::figures::with_commas(findings.len() as u64), crate::with_commas(n_findings as u64));
        said(format!("of {all} findings under {}, {here} are in here", run.replay.policy.name));
    }
    let (n_turns, n_episodes) = (replay.n_steps.len(), graph.episodes.len());
    let out = ExportedViewDto {
        view: given_away(view),
        graph,
        history: history_of(opened, &run)?,
        replay,
        steps,
        looked_at: (stride > 0).then(Vec::new),
        findings,
        finding_spans,
        ..ExportedViewDto::default()
    };
    let mut track = Track::new(opened, &run, table, out);
    let mut has_details = stride == 0;
    let mut walk = ReplayWalk::new(run.replay_input(), &run.replay);
    let mut place = 0u32;
    while walk.step_forward() {
        let cut = walk.state().cut;
        let outcome = run.replay.outcome_at(cut.turn);
        let is_end = cut.step == outcome.n_steps as usize;
        track.track_sizes(place, &walk);
        track.out.totals.push(walk.total());
        if let Some(episode) = touched_episode(&track.out.steps, cut) {
            let left_in_turn = saturate_u32(outcome.n_steps as usize - cut.step);
            // If every turn starts anew, a step is history only until its turn ends.
            let end = if is_anew(&run) { place + left_in_turn + 1 } else { u32::MAX };
            track.out.histories[episode as usize].extend([place, end]);
        }
        if stride == 0 || (is_end && is_on_stride(cut.turn.number(), n_turns, stride)) {
            track.track_list(place, &mut walk);
            track.out.looked_at.iter_mut().for_each(|looked_at| looked_at.push(place));
            track.out.gone_tokens.push(track.gone_tokens);
            if is_end && outcome.over_budget {
                track.over_budget(place, &walk);
            }
        }
        if has_details {
            track.track_details(place, &walk);
            has_details = track.n_details() <= room.details;
        }
        place += 1;
        if place.is_multiple_of(64) {
            work.go_on(64)?;
        }
    }
    if !has_details {
        track.without_details();
        let n_episodes = crate::with_commas(n_episodes as u64);
        said(format!("what is said of each of {n_episodes} episodes, beside the graph, is not in here"));
    }
    track.finish_view()
}

/// The view without private parts: recipients need not know a marks file's folder.
pub(super) fn given_away(view: &ViewDto) -> ViewDto {
    ViewDto { annotation: file_name(&view.annotation).to_owned(), ..view.clone() }
}

fn is_anew(run: &ReplayRun) -> bool {
    matches!(run.replay.policy.memory, Memory::PerTurn(_))
}

fn touched_episode(steps: &[StepsDto], cut: Cut) -> Option<u32> {
    let of_turn = &steps.get(cut.turn.number() as usize - 1)?.steps;
    of_turn.get(cut.step.checked_sub(1)?)?.episode
}

/// Returns the findings over all turns, those about pins and probes first, and the total number before the
/// limit.
fn listed_findings(
    opened: &SessionSnapshot,
    run: &ReplayRun,
    most: usize,
) -> Result<(Vec<FindingDto>, usize), ApiError> {
    let verification = opened.verify_run(run)?;
    let all = &verification.findings;
    let n_watched = all.iter().filter(|finding| finding.kind.is_watched()).count();
    let listed = findings::listed_findings(all, most.saturating_sub(n_watched));
    let mut listed: Vec<FindingDto> =
        listed.map(|finding| findings::finding_dto(opened, run, finding)).collect();
    listed.sort_by_key(|finding| !finding.watched);
    Ok((listed, all.len()))
}

/// Returns the moments at which each finding enters and leaves the list. A list holds the first findings of
/// its moment only.
fn finding_spans(findings: &[FindingDto], n_steps: &[u32]) -> Vec<Vec<u32>> {
    let mut starts: Vec<u32> = vec![0];
    starts.extend(n_steps.iter().scan(0, |next, n_steps| {
        *next += n_steps + 1;
        Some(*next)
    }));
    let start = |turn: u32| starts.get(turn as usize - 1).copied();
    let mut events: BTreeMap<u32, Vec<(usize, bool)>> = BTreeMap::new();
    for (at, finding) in findings.iter().enumerate() {
        let Some(first) = start(finding.turn) else { continue };
        let n_steps = n_steps.get(finding.turn as usize - 1).copied().unwrap_or(0);
        let first = first + finding.step.map_or(n_steps, |step| step.min(n_steps));
        events.entry(first).or_default().push((at, true));
        if let Some(end) = finding.last_turn.and_then(|last| start(last + 1)) {
            events.entry(end).or_default().push((at, false));
        }
    }
    let mut spans = vec![Vec::new(); findings.len()];
    let (mut present, mut listed) = (BTreeSet::new(), BTreeSet::new());
    for (moment, changes) in events {
        for (at, comes) in changes {
            if comes {
                present.insert(at)
            } else {
                present.remove(&at)
            };
        }
        let now: BTreeSet<usize> = present.iter().copied().take(FINDINGS_LISTED).collect();
        for at in now.symmetric_difference(&listed) {
            spans[*at].push(moment);
        }
        listed = now;
    }
    spans
}

/// Distance in turns between visited lists, at turn ends; 0 means that every place is visited.
fn turn_stride(run: &ReplayRun, room: ViewLimits) -> usize {
    let is_anew = is_anew(run);
    let most = if is_anew { room.changed } else { room.looked_at };
    let mut walk = ReplayWalk::new(run.replay_input(), &run.replay);
    let mut is_there = vec![false; run.branch.session.blocks.len()];
    let (mut n_there, mut n_everywhere, mut n_at_ends) = (0u64, 0u64, 0u64);
    while walk.step_forward() {
        let (state, touched) = (walk.state(), &walk.touched().blocks);
        for block in touched {
            let is_now = matches!(state.presence(*block), Presence::Live | Presence::Masked(..));
            n_there = n_there + u64::from(is_now) - u64::from(is_there[block.at()]);
            is_there[block.at()] = is_now;
        }
        let n_here = if is_anew { touched.len() as u64 } else { n_there };
        n_everywhere += n_here;
        if state.cut.step == 0 {
            n_at_ends += n_here;
        }
    }
    if n_everywhere <= most { 0 } else { usize::try_from(n_at_ends / most).unwrap_or(usize::MAX - 1) + 1 }
}

/// Counts back from the newest turn, which is always visited.
fn is_on_stride(turn: u32, n_turns: usize, stride: usize) -> bool {
    (n_turns - turn as usize).is_multiple_of(stride)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{LogInput, Tools, load_file};
    use cwl_inspect::progress::ProgressWatch;

    #[test]
    fn what_has_no_room_is_left_out_and_said() {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/wild.jsonl");
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        let exported_in = |policy: &str, room: ViewLimits| {
            let view = ViewDto { policy: policy.into(), budget: "6k".into(), ..ViewDto::counted("o200k") };
            let (mut table, mut left_out) = (RowTable::new(opened.current_branch()), Vec::new());
            let (view, _) = {
                let mut work = ExportProgress { watch: &ProgressWatch::unwatched(), done: 0, all: 0 };
                export_view(&opened, &view, room, &mut table, &mut left_out, &mut work).unwrap()
            };
            (view, left_out)
        };
        for policy in ["cwl", "pi-cwl"] {
            let (whole, said) = exported_in(policy, ViewLimits::OF_PAGE);
            assert!(whole.looked_at.is_none() && !whole.details.is_empty() && said.is_empty(), "{said:?}");
            let room = ViewLimits { looked_at: 4_000, changed: 2_000, details: 10, findings: 1 };
            let (small, said) = exported_in(policy, room);
            let n_turns = small.replay.n_steps.len();
            let looked_at = small.looked_at.unwrap();
            assert!((2..n_turns).contains(&looked_at.len()), "{} of {n_turns} turns", looked_at.len());
            let n_places: usize = small.replay.n_steps.iter().map(|n| *n as usize + 1).sum();
            assert_eq!(looked_at.last(), Some(&u32::try_from(n_places - 1).unwrap()), "the newest one");
            assert!(small.details.is_empty() && small.detail_spans.iter().all(Vec::is_empty));
            assert_eq!(small.findings[..], whole.findings[..whole.findings.len().min(1)]);
            assert_eq!((small.levels, small.left), (whole.levels, whole.left));
            let n_said = 2 + usize::from(whole.findings.len() > 1);
            assert_eq!(said.len(), n_said, "{said:?}");
        }
    }
}
