//! Two successive requests compared element by element, where a difference of places need not be one of texts.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{Form, Key, NOTHING, Place, Requests, Within};
use crate::{BlockIdx, EpisodeIdx, Replay, StandIn};

/// One element of a request as the model sees it, whatever its place.
#[derive(Debug, PartialEq, Eq)]
enum Element<'a> {
    Block(BlockIdx, Form),
    Residue(EpisodeIdx),
    Summary(&'a [u32]),
}

impl Requests<'_> {
    /// Tells whether something that stands beside the log went at one place and came at another: then a difference
    /// of places need not be one of texts.
    pub(super) fn repeats_itself(&self, replay: &Replay) -> bool {
        if self.moved.is_empty() {
            return false;
        }
        let texts = |keys: Vec<Key>| keys.into_iter().map(|key| element(key, replay)).collect::<Vec<_>>();
        let gone = self.moved.iter().filter(|(_, was)| was.is_some()).map(|(key, _)| *key).collect();
        let come = self.moved.keys().filter(|key| self.places.contains_key(key)).copied().collect();
        let (gone, come) = (texts(gone), texts(come));
        gone.iter().any(|gone| come.contains(gone))
    }

    /// Compares both requests element by element from a message on, and returns where they first differ in the new
    /// one.
    pub(super) fn walk(&self, replay: &Replay, position: usize) -> Option<Place> {
        let before: BTreeMap<BlockIdx, Form> = self.touched.iter().copied().collect();
        let (mut old, mut new) = (Walk::at(position), Walk::at(position));
        let mut last = None;
        loop {
            let was = old.next(self, |position| self.elements(replay, position, Some(&before)));
            let is = new.next(self, |position| self.elements(replay, position, None));
            match (was, is) {
                (None, None) => return None,
                (Some((_, one)), Some((is, other))) if one == other => last = Some(is),
                // Of a message that both share in part, the part is rounded down.
                (Some((was, _)), _) if last.is_some_and(|last: Place| is_same_message(last, was)) => {
                    return Some(was);
                }
                (_, Some((is, _))) => return Some(is),
                (Some(_), None) => {
                    let end = Within::Before(Key::Residue(EpisodeIdx::new(0)));
                    return Some(Place { position: self.layout.order.len(), within: end });
                }
            }
        }
    }

    /// Lists what stands before and in the message at a place, now or (with what blocks were) in the request before.
    fn elements<'r>(
        &self,
        replay: &'r Replay,
        position: usize,
        before: Option<&BTreeMap<BlockIdx, Form>>,
    ) -> Vec<(Place, Element<'r>)> {
        let mut keys: Vec<Key> = match before {
            None => Vec::new(),
            Some(_) => {
                self.moved.iter().filter(|(_, was)| **was == Some(position)).map(|(key, _)| *key).collect()
            }
        };
        let here = self.synthetic.range((position, Key::Residue(EpisodeIdx::new(0)))..);
        let here = here.take_while(|((at, _), _)| *at == position).map(|((_, key), _)| *key);
        keys.extend(here.filter(|key| before.is_none() || !self.moved.contains_key(key)));
        keys.sort_unstable();
        let beside = keys
            .into_iter()
            .map(|key| (Place { position, within: Within::Before(key) }, element(key, replay)));
        let message = self.layout.order[position];
        let blocks = self.session.messages[message.at()].blocks.clone().filter_map(|at| {
            let block = BlockIdx::new(at);
            let form = before.and_then(|before| before.get(&block).copied()).unwrap_or_else(|| self.now(at));
            let place = Place { position, within: Within::Block(block) };
            (form != NOTHING).then_some((place, Element::Block(block, form)))
        });
        beside.chain(blocks).collect()
    }
}

fn is_same_message(one: Place, other: Place) -> bool {
    let is_block = |place: Place| matches!(place.within, Within::Block(_));
    one.position == other.position && is_block(one) && is_block(other)
}

fn element(key: Key, replay: &Replay) -> Element<'_> {
    match key {
        Key::Residue(episode) => Element::Residue(episode),
        Key::Summary(number) => match replay.stand_in(number) {
            StandIn::Summary(summary) => Element::Summary(&summary.lines),
            StandIn::Placeholder(_) => Element::Summary(&[]),
        },
    }
}

/// A walk over the elements of a request.
struct Walk<'r> {
    position: usize,
    waiting: alloc::vec::IntoIter<(Place, Element<'r>)>,
}

impl<'r> Walk<'r> {
    fn at(position: usize) -> Self {
        Self { position, waiting: Vec::new().into_iter() }
    }

    fn next(
        &mut self,
        requests: &Requests<'_>,
        elements: impl Fn(usize) -> Vec<(Place, Element<'r>)>,
    ) -> Option<(Place, Element<'r>)> {
        loop {
            if let Some(next) = self.waiting.next() {
                return Some(next);
            }
            if self.position == requests.layout.order.len() {
                return None;
            }
            self.waiting = elements(self.position).into_iter();
            self.position += 1;
        }
    }
}
