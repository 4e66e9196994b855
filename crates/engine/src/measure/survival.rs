//! Survival of details: whether the request still had each detail that its reply needs.
//!
//! A reply needs a file, a command or a number that it names and that an earlier block says. The other kinds are lines of
//! the [digest](crate::digest_lines), and are needed when a later line is equal. A need counts once per turn, and only if
//! the policy could have kept a block with the detail: the harness, not a policy, chose to remove the others.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::detail_lines::{detail_of_line, is_need};
use super::{Detail, DetailFate, DetailKind, Mentions, turn_that_got};
use crate::{BlockIdx, BlockStates, EpisodeIdx, Material, Replay, ReplayInput, Session, Transition, TurnIdx};

#[derive(Debug, Clone, PartialEq, Eq)]
struct NeededDetail {
    kind: DetailKind,
    text: Arc<str>,
    /// Blocks that say the detail, in log order.
    said_by: Vec<BlockIdx>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DetailNeed {
    turn: TurnIdx,
    /// Position in [`DetailNeeds::details`].
    detail: u32,
    /// The first so many blocks of [`NeededDetail::said_by`] came before the turn's request.
    n_said: u32,
}

/// All needs of details in a session, in turn order; the same for every policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DetailNeeds {
    details: Vec<NeededDetail>,
    needs: Vec<DetailNeed>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SurvivalCounts {
    pub n_needed: u32,
    pub n_literal: u32,
    pub n_named: u32,
}

/// Counts in the order of [`DetailKind::ALL`].
pub type DetailSurvival = [SurvivalCounts; DetailKind::ALL.len()];

impl DetailNeeds {
    /// Finds all needs. `details` are those of [`super::DetailsBuilder`]; `material` brings the digest.
    pub fn find(session: &Session, material: &Material, details: &[Detail]) -> Self {
        let mut found = Self::default();
        for detail in details {
            let said_by: Vec<BlockIdx> = detail.said.iter().map(|saying| saying.block).collect();
            // A file that only the outputs of tools list is not known to the agent yet.
            let first_named = detail.said.iter().position(|saying| saying.is_named);
            let needed = detail.said.iter().filter(|saying| is_need(session, saying));
            let needed = needed.map(|saying| saying.block);
            let n_before = match detail.kind {
                DetailKind::File => first_named.map_or(usize::MAX, |first| first + 1),
                _ => 1,
            };
            found.add_needs(session, detail.kind, &detail.text, said_by, n_before, needed);
        }
        let mut lines: BTreeMap<(DetailKind, &str), Vec<BlockIdx>> = BTreeMap::new();
        for line in &material.digest {
            if let Some(key) = detail_of_line(session, line) {
                lines.entry(key).or_default().push(line.block);
            }
        }
        for ((kind, text), mut said_by) in lines {
            said_by.sort_unstable();
            said_by.dedup();
            let needed = said_by.clone();
            found.add_needs(session, kind, &text.into(), said_by, 1, needed.into_iter());
        }
        found.needs.sort_unstable();
        found
    }

    fn add_needs(
        &mut self,
        session: &Session,
        kind: DetailKind,
        text: &Arc<str>,
        said_by: Vec<BlockIdx>,
        n_before: usize,
        needed: impl Iterator<Item = BlockIdx>,
    ) {
        let detail = position(self.details.len());
        let n_known = self.needs.len();
        let message_of = |block: BlockIdx| session.blocks[block.at()].message.at();
        let mut last = None;
        for block in needed {
            let turn = turn_that_got(session, block);
            let end = session.turn_at(turn).end;
            // A block of the request itself, such as the human's first words, is no need of its reply.
            if message_of(block) < end || last.replace(turn) == Some(turn) {
                continue;
            }
            let n_said = said_by.partition_point(|block| message_of(*block) < end);
            if n_said >= n_before {
                self.needs.push(DetailNeed { turn, detail, n_said: position(n_said) });
            }
        }
        if self.needs.len() > n_known {
            self.details.push(NeededDetail { kind, text: text.clone(), said_by });
        }
    }
}

/// Judges each need by the request of its turn, in one pass.
///
/// The digest in `material` has the lines of the policy's own summaries, which may be missing in `input.material`.
pub fn detail_survival(
    input: &ReplayInput<'_>,
    replay: &Replay,
    needs: &DetailNeeds,
    material: &Material,
    cwd: Option<&str>,
) -> DetailSurvival {
    let mut survival = DetailSurvival::default();
    let mut states = BlockStates::new(input.session.blocks.len());
    let mut texts = TextsInPlace {
        input,
        replay,
        material,
        cwd,
        residues: BTreeSet::new(),
        summaries: BTreeSet::new(),
        of_residues: BTreeMap::new(),
        of_summaries: BTreeMap::new(),
    };
    let mut rest = needs.needs.as_slice();
    for at in 0..replay.turns.len() {
        let turn = TurnIdx::from_position(at);
        states.advance_to(input, replay, turn, |_, transition| texts.follow(transition));
        let n_here = rest.iter().take_while(|need| need.turn <= turn).count();
        let (here, later) = rest.split_at(n_here);
        rest = later;
        for need in here {
            let detail = &needs.details[need.detail as usize];
            if let Some(fate) = fate_at_request(detail, need, &states, &mut texts) {
                survival[detail.kind as usize].add_need(fate);
            }
        }
    }
    survival
}

/// Returns `None` if no block with the detail arrived, or only the harness removed them.
fn fate_at_request(
    detail: &NeededDetail,
    need: &DetailNeed,
    states: &BlockStates,
    texts: &mut TextsInPlace<'_>,
) -> Option<DetailFate> {
    let mut is_evicted = false;
    for block in detail.said_by[..need.n_said as usize].iter().rev() {
        let state = states.state(*block);
        if state.is_there() {
            return Some(DetailFate::Literal);
        }
        is_evicted |= state.has_arrived() && !state.is_dropped();
    }
    is_evicted.then(|| texts.fate_of(detail))
}

impl SurvivalCounts {
    fn add_need(&mut self, fate: DetailFate) {
        self.n_needed += 1;
        self.n_literal += u32::from(fate == DetailFate::Literal);
        self.n_named += u32::from(fate == DetailFate::Named);
    }

    pub fn n_lost(self) -> u32 {
        self.n_needed - self.n_literal - self.n_named
    }
}

struct TextsInPlace<'a> {
    input: &'a ReplayInput<'a>,
    replay: &'a Replay,
    material: &'a Material,
    cwd: Option<&'a str>,
    residues: BTreeSet<EpisodeIdx>,
    summaries: BTreeSet<u32>,
    /// Filled on demand, because most texts are never asked.
    of_residues: BTreeMap<EpisodeIdx, Mentions>,
    of_summaries: BTreeMap<u32, Mentions>,
}

impl TextsInPlace<'_> {
    fn follow(&mut self, transition: Transition) {
        match transition {
            Transition::Residue(episode, true) => drop(self.residues.insert(episode)),
            Transition::Residue(episode, false) => drop(self.residues.remove(&episode)),
            Transition::Placed(number) => drop(self.summaries.insert(number)),
            Transition::Lifted(number) => drop(self.summaries.remove(&number)),
            _ => {}
        }
    }

    fn fate_of(&mut self, detail: &NeededDetail) -> DetailFate {
        let graph = &self.input.growth.graph;
        let mut best = DetailFate::Lost;
        for episode in &self.residues {
            let said = self
                .of_residues
                .entry(*episode)
                .or_insert_with(|| mentions_in(self.cwd, graph.episode(*episode).residue_text().as_deref()));
            best = best.min(said.detail_fate(detail.kind, &detail.text));
        }
        for number in &self.summaries {
            let said = self.of_summaries.entry(*number).or_insert_with(|| {
                let text = self.replay.summary_numbered(*number).write_text(self.material);
                mentions_in(self.cwd, Some(&text))
            });
            best = best.min(said.detail_fate(detail.kind, &detail.text));
        }
        best
    }
}

fn mentions_in(cwd: Option<&str>, text: Option<&str>) -> Mentions {
    let mut said = Mentions::new(cwd);
    if let Some(text) = text {
        said.add_text(text);
    }
    said
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
