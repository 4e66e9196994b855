//! The walk over a session, turn by turn, that makes a timeline.

use alloc::vec::Vec;

use super::columns::{ColumnsPoint, TimelineColumns};
use super::universe::Universe;
use super::{GraphTimeline, by_level, members_of};
use crate::graph::annotate::{Annotator, AnnotatorEvent, Marks, WalkPast, WalkPoint};
use crate::{AnnotationSource, Session, TurnIdx};

#[derive(Debug, Clone)]
pub(super) struct WalkedTimeline {
    pub(super) timeline: GraphTimeline,
    pub(super) past: WalkPast,
    /// Without episodes and changes, which the timeline holds.
    pub(super) universe: Universe,
    /// `None` if a late mark moved blocks between episodes.
    pub(super) now: Option<NowPoint>,
}

/// The state before the last turn, whose content is not final.
#[derive(Debug, Clone)]
pub(super) struct NowPoint {
    pub(super) turn: usize,
    pub(super) first_block: usize,
    pub(super) point: TurnPoint,
    pub(super) columns: ColumnsPoint,
}

pub(super) struct TurnWalk<'a> {
    pub(super) session: &'a Session,
    pub(super) marks: &'a Marks<'a>,
    pub(super) walk: Annotator<'a>,
    pub(super) universe: Universe,
    pub(super) ends: Vec<usize>,
    pub(super) from: usize,
    pub(super) next_replacement: usize,
    pub(super) sink: Vec<AnnotatorEvent>,
}

#[derive(Debug, Clone)]
pub(super) struct TurnPoint {
    pub(super) walk: WalkPoint,
    pub(super) n_changes: usize,
    pub(super) from: usize,
    pub(super) next_replacement: usize,
}

impl TurnWalk<'_> {
    /// A late result repeats the walk from the first message on.
    pub(super) fn walk_turn(&mut self, at: usize, is_late: bool) {
        let (session, marks) = (self.session, self.marks);
        let Self { walk, universe, from, sink, .. } = self;
        let (turn, end) = (TurnIdx::from_position(at), session.turns[at].end);
        universe.add_arrival(session, *from..end);
        sink.clear();
        if is_late {
            *walk = Annotator::new(session, marks);
            walk.walk_messages(0..end, end, sink);
            universe.diff_graph(walk, turn);
        } else {
            walk.walk_messages(*from..end, end, sink);
            universe.append_events(walk, sink, turn);
        }
        universe.add_replacements(session, end, &mut self.next_replacement);
        self.ends.push(self.universe.changes.len());
        self.from = end;
    }

    pub(super) fn point(&self) -> TurnPoint {
        TurnPoint {
            walk: self.walk.past.point(),
            n_changes: self.universe.changes.len(),
            from: self.from,
            next_replacement: self.next_replacement,
        }
    }
}

impl NowPoint {
    pub(super) fn new(session: &Session, point: TurnPoint, columns: ColumnsPoint) -> Self {
        let first_block = first_block_of(session, point.from);
        Self { turn: session.turns.len() - 1, first_block, point, columns }
    }
}

impl WalkedTimeline {
    pub(super) fn walk(session: &Session, marks: &Marks<'_>, source: AnnotationSource) -> Self {
        let mut walk = TurnWalk {
            session,
            marks,
            walk: Annotator::new(session, marks),
            universe: Universe::new(session),
            ends: Vec::with_capacity(session.turns.len()),
            from: 0,
            next_replacement: 0,
            sink: Vec::new(),
        };
        let late = late_turns(session, marks);
        let has_late_marks = !late.is_empty();
        let mut late = late.into_iter().peekable();
        let mut point = walk.point();
        for at in 0..session.turns.len() {
            if at + 1 == session.turns.len() {
                point = walk.point();
            }
            walk.walk_turn(at, late.next_if_eq(&at).is_some());
        }
        let TurnWalk { walk, mut universe, ends, .. } = walk;
        let graph = universe.number_episodes(&walk);
        let changes = core::mem::take(&mut universe.changes);
        let n_episodes = graph.episodes.len();
        let members = members_of(&changes, n_episodes);
        let (columns, columns_point) = TimelineColumns::from_session(session, point.from);
        let members_by_level = columns.levels.each_ref().map(|levels| by_level(&members, n_episodes, levels));
        let now = (!has_late_marks).then(|| NowPoint::new(session, point, columns_point));
        let timeline = GraphTimeline {
            graph,
            source,
            changes,
            ends,
            members,
            members_by_level,
            has_late_marks,
            columns,
        };
        Self { timeline, past: walk.past, universe, now }
    }
}

pub(super) fn first_block_of(session: &Session, message: usize) -> usize {
    session.messages.get(message).map_or(session.blocks.len(), |message| message.blocks.start)
}

/// Returns the turns that know a mark whose call an earlier turn holds.
pub(super) fn late_turns(session: &Session, marks: &Marks<'_>) -> Vec<usize> {
    let Marks::Calls(calls) = marks else { return Vec::new() };
    let mut turns: Vec<usize> = calls
        .iter()
        .filter_map(|(call, mark)| {
            let asked = session.turns.partition_point(|t| t.end <= session.blocks[call.at()].message.at());
            let answered = session.turns.partition_point(|t| t.end <= mark.answered_at);
            (asked < answered).then_some(answered)
        })
        .collect();
    turns.sort_unstable();
    turns.dedup();
    turns
}
