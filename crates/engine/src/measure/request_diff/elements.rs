//! Compares two successive requests by their elements, because an element may move without
//! changing the text.

use alloc::vec::Vec;

use super::{InsertedMessageKey, RequestAtTurn, Spot, SpotPart};
use crate::{BlockForm, BlockIdx, EpisodeIdx, Replay};

#[derive(Debug, PartialEq, Eq)]
enum Element<'a> {
    Block(BlockIdx, BlockForm),
    Residue(EpisodeIdx),
    Summary(&'a [u32]),
}

impl RequestAtTurn<'_> {
    /// Returns `true` if an inserted message that came or went is also in the other request,
    /// elsewhere or under another key. A difference in positions then may not be one in texts.
    pub(super) fn repeats_itself(&self, replay: &Replay) -> bool {
        let is_alike = |key: &InsertedMessageKey| {
            let mut summaries = self.places.range(InsertedMessageKey::Summary(0)..).map(|(other, _)| other);
            summaries.any(|other| {
                other != key && inserted_element(*other, replay) == inserted_element(*key, replay)
            })
        };
        self.moved.iter().any(|(key, was)| match (was, self.places.get(key)) {
            (Some(was), Some(now)) => was != now,
            _ => is_alike(key),
        })
    }

    pub(super) fn first_difference(&self, replay: &Replay, position: usize) -> Option<Spot> {
        let (mut old, mut new) = (Elements::starting_at(position), Elements::starting_at(position));
        let mut last = None;
        loop {
            let was = old.next(self, |position| self.elements_from(replay, position, true));
            let is = new.next(self, |position| self.elements_from(replay, position, false));
            match (was, is) {
                (None, None) => return None,
                (Some((_, one)), Some((is, other))) if one == other => last = Some(is),
                // A partly shared message is rounded down. A block that came back stands before the old one.
                (Some((was, _)), is) if last.is_some_and(|last: Spot| is_same_message(last, was)) => {
                    return Some(is.map_or(was, |(is, _)| was.min(is)));
                }
                (_, Some((is, _))) => return Some(is),
                (Some(_), None) => {
                    let end = SpotPart::Before(InsertedMessageKey::Residue(EpisodeIdx::new(0)));
                    return Some(Spot { position: self.layout.order.len(), within: end });
                }
            }
        }
    }

    fn elements_from<'r>(&self, replay: &'r Replay, position: usize, was: bool) -> Vec<(Spot, Element<'r>)> {
        let moved = self.moved.iter().filter(|(_, stood)| was && **stood == Some(position));
        let mut keys: Vec<InsertedMessageKey> = moved.map(|(key, _)| *key).collect();
        let here = self.synthetic.range((position, InsertedMessageKey::Residue(EpisodeIdx::new(0)))..);
        let here = here.take_while(|((at, _), _)| *at == position).map(|((_, key), _)| *key);
        keys.extend(here.filter(|key| !was || !self.moved.contains_key(key)));
        keys.sort_unstable();
        let beside = keys
            .into_iter()
            .map(|key| (Spot { position, within: SpotPart::Before(key) }, inserted_element(key, replay)));
        let message = self.layout.order[position];
        let blocks = self.growth.blocks_of(message.at()).blocks().filter_map(|block| {
            let form = self.form_in(if was { &self.before } else { &self.states }, block);
            let place = Spot { position, within: SpotPart::Block(block) };
            (form != BlockForm::Nothing).then_some((place, Element::Block(block, form)))
        });
        beside.chain(blocks).collect()
    }
}

fn is_same_message(one: Spot, other: Spot) -> bool {
    let is_block = |place: Spot| matches!(place.within, SpotPart::Block(_));
    one.position == other.position && is_block(one) && is_block(other)
}

fn inserted_element(key: InsertedMessageKey, replay: &Replay) -> Element<'_> {
    match key {
        InsertedMessageKey::Residue(episode) => Element::Residue(episode),
        InsertedMessageKey::Summary(number) => Element::Summary(&replay.summary_numbered(number).lines),
    }
}

struct Elements<'r> {
    position: usize,
    waiting: alloc::vec::IntoIter<(Spot, Element<'r>)>,
}

impl<'r> Elements<'r> {
    fn starting_at(position: usize) -> Self {
        Self { position, waiting: Vec::new().into_iter() }
    }

    fn next(
        &mut self,
        requests: &RequestAtTurn<'_>,
        elements: impl Fn(usize) -> Vec<(Spot, Element<'r>)>,
    ) -> Option<(Spot, Element<'r>)> {
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
