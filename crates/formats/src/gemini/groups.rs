//! Messages in the same event: a message inserted before another one shares the event of a new version.

use std::collections::BTreeMap;

use cwl_engine::EntryId;

use super::telling::ListMessage;

/// Groups of listed messages that share an event; rewriting one message means rewriting its whole group.
pub(super) struct MessageGroups {
    by_entry: BTreeMap<EntryId, MessageGroup>,
}

#[derive(Default)]
struct MessageGroup {
    n_messages: usize,
    /// Behind the group's last kept message.
    end: usize,
    has_lost: bool,
}

impl MessageGroups {
    pub(super) fn find_groups(list: &[Option<ListMessage>], is_gone: impl Fn(&ListMessage) -> bool) -> Self {
        let mut by_entry: BTreeMap<EntryId, MessageGroup> = BTreeMap::new();
        for (place, known) in list.iter().enumerate() {
            let Some((known, entry)) = known.as_ref().and_then(|known| Some((known, known.only_entry()?)))
            else {
                continue;
            };
            let group = by_entry.entry(entry.clone()).or_default();
            group.n_messages += 1;
            match is_gone(known) {
                true => group.has_lost = true,
                false => group.end = place + 1,
            }
        }
        by_entry.retain(|_, group| group.n_messages > 1 && group.end > 0);
        Self { by_entry }
    }

    fn group_of(&self, known: &ListMessage) -> Option<&MessageGroup> {
        self.by_entry.get(known.only_entry()?)
    }

    pub(super) fn has(&self, known: &ListMessage) -> bool {
        self.group_of(known).is_some()
    }

    pub(super) fn ends_later(&self, known: &ListMessage, place: usize) -> bool {
        self.group_of(known).is_some_and(|group| group.end > place)
    }

    pub(super) fn is_whole(&self, known: &ListMessage) -> bool {
        self.group_of(known).is_none_or(|group| !group.has_lost)
    }
}
