//! A timeline that grows with its session: the last turn is walked again, and the turns before it stay.

use alloc::vec::Vec;

use super::GraphTimeline;
use super::walked::{NowPoint, TurnWalk, WalkedTimeline, late_turns};
use crate::graph::annotate::{Annotator, Marks, applied_marks};
use crate::{AnnotationSource, BlockIdx, BlockKind, EvictionLevel, Problem, Session, SessionChange};

/// The timeline always equals [`GraphTimeline::build`] over the whole session. New messages cost what they
/// add, unless they change the past: a late result, a replacement, or a session that was rebuilt.
#[derive(Debug, Clone)]
pub struct GrowingTimeline {
    walked: WalkedTimeline,
    n_replacements: usize,
}

impl GrowingTimeline {
    pub fn build(session: &Session) -> Self {
        let walked = WalkedTimeline::walk(session, &all_marks(session, 0), AnnotationSource::Declared);
        Self { walked, n_replacements: session.replacements.len() }
    }

    pub fn timeline(&self) -> &GraphTimeline {
        &self.walked.timeline
    }

    pub fn problems(&self, session: &Session) -> Vec<Problem> {
        self.walked.past.all_problems(session, true)
    }

    /// Goes on with a longer session. `change` says what new records changed since the last call. Returns `false` if the
    /// timeline was built anew.
    pub fn extend(&mut self, session: &Session, change: SessionChange) -> bool {
        let goes_on = match (change, &self.walked.now) {
            (SessionChange::From(first), Some(now)) if first >= now.first_block => {
                let marks = all_marks(session, now.first_block);
                let goes_on =
                    session.replacements.len() == self.n_replacements && is_apart(session, now, &marks);
                if goes_on {
                    self.walked.go_on(session, &marks);
                }
                goes_on
            }
            _ => false,
        };
        if !goes_on {
            *self = Self::build(session);
        }
        goes_on
    }
}

fn all_marks(session: &Session, first_block: usize) -> Marks<'_> {
    Marks::Calls(applied_marks(session, first_block))
}

/// Returns `true` if nothing from the last turn on belongs to an episode or a pair of an earlier turn, but for the open
/// episode.
fn is_apart(session: &Session, now: &NowPoint, marks: &Marks<'_>) -> bool {
    let mut messages = session.messages.range(now.point.from..session.messages.len());
    let mut blocks = session.blocks.range(now.first_block..session.blocks.len());
    let is_earlier = |block: BlockIdx| block.at() < now.first_block;
    messages.all(|message| !message.added && message.before.is_none())
        && blocks.all(|block| {
            let call = block.pair.filter(|_| matches!(block.kind, BlockKind::Result(_)));
            block.stands_for.is_none() && !call.is_some_and(is_earlier)
        })
        && late_turns(session, marks).is_empty()
}

impl WalkedTimeline {
    fn go_on(&mut self, session: &Session, marks: &Marks<'_>) {
        let Self { timeline, past, universe, now } = self;
        let Some(mut known) = now.take() else { return };
        let mut universe_now = core::mem::take(universe);
        universe_now.episodes = core::mem::take(&mut timeline.graph.episodes);
        universe_now.changes = core::mem::take(&mut timeline.changes);
        universe_now.undo_to(&known);
        past.undo_to(&known.point.walk);
        timeline.ends.truncate(known.turn);
        let mut walk = TurnWalk {
            session,
            marks,
            walk: Annotator::resume(session, marks, core::mem::take(past)),
            universe: universe_now,
            ends: core::mem::take(&mut timeline.ends),
            from: known.point.from,
            next_replacement: known.point.next_replacement,
            sink: Vec::new(),
        };
        let mut point = walk.point();
        for at in known.turn..session.turns.len() {
            if at + 1 == session.turns.len() {
                point = walk.point();
            }
            walk.walk_turn(at, false);
        }
        let TurnWalk { walk, universe: mut universe_now, ends, .. } = walk;
        let n_known = known.point.walk.n_episodes();
        let first = known.point.walk.open_episode().unwrap_or(n_known);
        universe_now.finish_episodes(&walk, first);
        universe_now.hand_out_blocks(known.first_block);
        timeline.ends = ends;
        timeline.changes = core::mem::take(&mut universe_now.changes);
        timeline.graph.episodes = core::mem::take(&mut universe_now.episodes);
        timeline.graph.replace_from(n_known, known.first_block, &universe_now.owners);
        timeline.graph.set_prologue_end(walk.past.prologue_end);
        timeline.columns.replace_from(session, known.point.from, point.from, &mut known.columns);
        timeline.replace_members(first);
        (*past, *universe) = (walk.past, universe_now);
        *now = Some(NowPoint::new(session, point, known.columns));
    }
}

impl GraphTimeline {
    fn replace_members(&mut self, first: usize) {
        let episodes = &self.graph.episodes[first..];
        self.members.replace_from(first, episodes.iter().map(|episode| episode.blocks.iter().copied()));
        for (by_level, levels) in self.members_by_level.iter_mut().zip(&self.columns.levels) {
            let of_episode = |blocks: &'_ [BlockIdx]| {
                EvictionLevel::ALL.map(|level| -> Vec<BlockIdx> {
                    blocks.iter().copied().filter(|block| levels[block.at()] == level).collect()
                })
            };
            let groups = episodes.iter().flat_map(|episode| of_episode(&episode.blocks));
            by_level.replace_from(first * EvictionLevel::ALL.len(), groups);
        }
    }
}
