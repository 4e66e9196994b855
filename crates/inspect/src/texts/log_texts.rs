//! A log's texts: in memory, or kept by a host plus the unfinished last line.

use std::collections::BTreeMap;

use cwl_engine::{BlockPlace, Content, EventIdx, ParsedEvent, RawPayload, SessionEvent};

use crate::ApiError;
use crate::text_store::TextStore;

#[derive(Debug, Clone, Default)]
pub struct RecordTexts {
    pub contents: Vec<Content>,
    pub envelope: RawPayload,
}

pub fn split_texts(parsed: ParsedEvent) -> (SessionEvent, RecordTexts) {
    (parsed.event, RecordTexts { contents: parsed.contents, envelope: parsed.envelope })
}

#[derive(Default)]
pub struct Texts {
    /// The first records; `None` if all are in memory.
    pub stored: Option<Box<dyn TextStore>>,
    /// The remaining records: the unfinished last line's, or all.
    pub records: Vec<RecordTexts>,
}

impl Texts {
    pub fn is_kept(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.is_kept())
    }

    /// Returns how many of the log's blocks no longer change, and the records that may change in the next revision.
    pub(crate) fn settled_blocks(&self, places: &[BlockPlace]) -> (usize, &[RecordTexts]) {
        match &self.stored {
            Some(stored) => {
                let n_records = stored.n_records();
                (places.partition_point(|at| at.seq < n_records), &self.records)
            }
            None => (places.len(), &[]),
        }
    }

    pub(crate) fn is_settled(&self, place: BlockPlace) -> bool {
        self.stored.as_ref().is_none_or(|stored| place.seq < stored.n_records())
    }

    fn n_stored(&self) -> u32 {
        self.stored.as_ref().map_or(0, |stored| stored.n_records())
    }

    /// Returns one text per place; missing texts are empty.
    pub fn block_contents(&self, places: &[BlockPlace]) -> Result<Vec<Content>, ApiError> {
        let n_stored = self.n_stored();
        let stored: Vec<BlockPlace> = places.iter().copied().filter(|at| at.seq < n_stored).collect();
        let mut stored = match &self.stored {
            Some(texts) => texts.block_contents(&stored)?,
            None => Vec::new(),
        }
        .into_iter();
        let in_memory = |seq: u32, part: u32| self.records.get(seq as usize)?.contents.get(part as usize);
        let contents = places.iter().map(|at| match at.seq.checked_sub(n_stored) {
            Some(seq) => in_memory(seq, at.part).cloned(),
            None => stored.next().flatten(),
        });
        Ok(contents.map(Option::unwrap_or_default).collect())
    }

    pub fn record_envelopes(&self, events: &[EventIdx]) -> Result<BTreeMap<EventIdx, RawPayload>, ApiError> {
        let n_stored = self.n_stored() as usize;
        let mut found = match &self.stored {
            Some(texts) => {
                let stored: Vec<EventIdx> =
                    events.iter().copied().filter(|event| event.at() < n_stored).collect();
                texts.record_envelopes(&stored)?
            }
            None => BTreeMap::new(),
        };
        let in_memory = events.iter().filter_map(|event| {
            let record = self.records.get(event.at().checked_sub(n_stored)?)?;
            Some((*event, record.envelope.clone()))
        });
        found.extend(in_memory);
        Ok(found)
    }

    /// Applies `count` to every block's text, once per distinct text of a store. Returns blocks with a count above 0, in log
    /// order.
    pub fn tally_texts(
        &self,
        count: impl Fn(&str) -> u32 + Sync,
    ) -> Result<Vec<(BlockPlace, u32)>, ApiError> {
        let mut found = match &self.stored {
            Some(texts) => texts.tally_texts(&count)?,
            None => Vec::new(),
        };
        self.visit_records(|at, text| found.push((at, count(text))));
        found.retain(|(_, n)| *n > 0);
        Ok(found)
    }

    pub fn scan_blocks(&self, mut visit: impl FnMut(BlockPlace, &str)) -> Result<(), ApiError> {
        if let Some(texts) = &self.stored {
            texts.scan_blocks(&mut visit)?;
        }
        self.visit_records(visit);
        Ok(())
    }

    fn visit_records(&self, mut visit: impl FnMut(BlockPlace, &str)) {
        for (seq, record) in (self.n_stored()..).zip(&self.records) {
            for (part, content) in (0..).zip(&record.contents) {
                visit(BlockPlace { seq, part }, &content.text);
            }
        }
    }
}
