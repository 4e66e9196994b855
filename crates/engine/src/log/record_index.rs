//! Records by id, in a map whose clones share what neither has changed.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{EntryId, EventIdx};

/// A record keyed by id. A hash precedes the id because comparing the scattered id strings took a third of
/// the load time for long logs.
type IdEntry = (u64, EntryId, EventIdx);

fn hash_id(entry: &EntryId) -> u64 {
    // FNV-1a. Colliding ids still compare by their letters, so no choice of ids gives a wrong record.
    let add = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    entry.as_str().bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

const FIRST_BITS: u32 = 4;
const MOST_BITS: u32 = 12;

/// Records sorted by hash, id and index, in buckets by the first bits of the hash.
///
/// The number of buckets grows with the square root of the number of records, so a clone and the first change after it
/// cost that much at most.
#[derive(Debug, Clone)]
pub(crate) struct RecordIndex {
    buckets: Vec<Arc<Vec<IdEntry>>>,
    bits: u32,
    len: usize,
}

impl Default for RecordIndex {
    fn default() -> Self {
        Self { buckets: alloc::vec![Arc::default(); 1 << FIRST_BITS], bits: FIRST_BITS, len: 0 }
    }
}

impl RecordIndex {
    pub(crate) fn insert(&mut self, entry: &EntryId, idx: EventIdx) {
        if self.bits < MOST_BITS && self.len >= self.buckets.len() * self.buckets.len() {
            self.split_buckets();
        }
        let new = (hash_id(entry), entry.clone(), idx);
        let bucket = Arc::make_mut(&mut self.buckets[bucket_of(new.0, self.bits)]);
        let at = bucket.partition_point(|known| *known < new);
        bucket.insert(at, new);
        self.len += 1;
    }

    fn split_buckets(&mut self) {
        self.bits += 2;
        let old = core::mem::take(&mut self.buckets);
        self.buckets = alloc::vec![Arc::default(); 1 << self.bits];
        for (hash, entry, idx) in old.iter().flat_map(|bucket| bucket.iter()) {
            let bucket = &mut self.buckets[bucket_of(*hash, self.bits)];
            Arc::make_mut(bucket).push((*hash, entry.clone(), *idx));
        }
    }

    pub(crate) fn records_named(&self, entry: &EntryId) -> &[IdEntry] {
        let hash = hash_id(entry);
        let bucket = &self.buckets[bucket_of(hash, self.bits)];
        let start = bucket.partition_point(|(known, id, _)| (*known, id) < (hash, entry));
        let same = |(known, id, _): &&IdEntry| *known == hash && id == entry;
        let n_same = bucket[start..].iter().take_while(same).count();
        &bucket[start..start + n_same]
    }
}

fn bucket_of(hash: u64, bits: u32) -> usize {
    (hash >> (u64::BITS - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn finds_every_record_of_an_id_in_order_while_the_index_grows() {
        let mut index = RecordIndex::default();
        let mut halfway = None;
        let name = |at: usize| EntryId::from(alloc::format!("e{}", at / 3 * 2 % 4000).as_str());
        for at in 0..6000 {
            index.insert(&name(at), EventIdx::new(at));
            if at == 2999 {
                halfway = Some(index.clone());
            }
        }
        assert!(index.bits > FIRST_BITS);
        let names: BTreeSet<EntryId> = (0..6000).map(name).collect();
        for entry in &names {
            let expected: Vec<EventIdx> =
                (0..6000).filter(|at| name(*at) == *entry).map(EventIdx::new).collect();
            let found = |index: &RecordIndex| -> Vec<EventIdx> {
                index.records_named(entry).iter().map(|(.., idx)| *idx).collect()
            };
            assert_eq!(found(&index), expected, "{entry}");
            let first: Vec<EventIdx> = expected.into_iter().filter(|idx| idx.at() < 3000).collect();
            assert_eq!(halfway.as_ref().map(found), Some(first), "a clone stays as it was");
        }
        assert!(index.records_named(&EntryId::from("none")).is_empty());
    }
}
