//! Blocks of a log that match pins and probes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cwl_engine::BlockPlace;

use crate::ApiError;
use crate::asked::effort::Effort;
use crate::asked::watch::{MAX_WATCHED, Pattern};
use crate::recent::lock_unpoisoned;
use crate::texts::log_texts::Texts;

/// Matching blocks, shared by all revisions of a log, so only new texts are read.
#[derive(Default)]
pub struct Matches {
    known: Mutex<Vec<PatternMatches>>,
}

struct PatternMatches {
    typed: String,
    n_seen: usize,
    places: Vec<BlockPlace>,
}

impl Matches {
    /// Returns the matching blocks of each pattern; `places` lists all blocks in log order.
    pub(crate) fn find_places(
        &self,
        patterns: &[&Pattern],
        texts: &Texts,
        places: &[BlockPlace],
        effort: &Effort,
    ) -> Result<Vec<Vec<BlockPlace>>, ApiError> {
        // The unfinished last line may change, so its matches are not kept.
        let (n_settled, tail) = texts.settled_blocks(places);
        // A pin and a probe may have the same text.
        let wanted: BTreeMap<&str, &Pattern> =
            patterns.iter().map(|pattern| (&*pattern.typed, *pattern)).collect();
        let mut known = lock_unpoisoned(&self.known);
        for typed in wanted.keys().copied() {
            if known.iter().all(|row| row.typed != typed) {
                known.push(PatternMatches { typed: typed.to_owned(), n_seen: 0, places: Vec::new() });
            }
        }
        // Patterns requested now come last; the others are dropped first.
        known.sort_by_key(|row| wanted.contains_key(&*row.typed));
        let n_over = known.len().saturating_sub(MAX_WATCHED * 2);
        known.drain(..n_over);
        let first = known.len() - wanted.len();
        let rows = &mut known[first..];
        let is_in = |row: &PatternMatches, text: &str| {
            wanted.get(&*row.typed).is_some_and(|one| one.is_in(text, effort))
        };
        let mut found: Vec<Vec<BlockPlace>> = vec![Vec::new(); rows.len()];
        if let Some(last) = places[..n_settled].last().filter(|_| rows.iter().any(|row| row.n_seen == 0)) {
            texts.scan_blocks(|at, text| {
                for (row, found) in rows.iter().zip(&mut found) {
                    if row.n_seen == 0 && at <= *last && is_in(row, text) {
                        found.push(at);
                    }
                }
            })?;
        }
        for (row, found) in rows.iter().zip(&mut found).filter(|(row, _)| row.n_seen > 0) {
            for page in places[row.n_seen.min(n_settled)..n_settled].chunks(PAGE) {
                let contents = texts.block_contents(page)?;
                let with_text = page.iter().zip(&contents);
                found.extend(with_text.filter(|(_, it)| is_in(row, &it.text)).map(|(at, _)| *at));
            }
        }
        effort.end_search()?;
        for (row, found) in rows.iter_mut().zip(found) {
            row.places.extend(found);
            row.n_seen = row.n_seen.max(n_settled);
        }
        let of_pattern = |pattern: &&Pattern| {
            let row = rows.iter().find(|row| row.typed == pattern.typed);
            let mut all = row.map_or_else(Vec::new, |row| row.places.clone());
            let of_tail = tail.iter().flat_map(|record| &record.contents).zip(&places[n_settled..]);
            all.extend(of_tail.filter(|(it, _)| pattern.is_in(&it.text, effort)).map(|(_, at)| *at));
            all
        };
        let found = patterns.iter().map(of_pattern).collect();
        effort.end_search().map(|()| found)
    }
}

const PAGE: usize = 1024;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::access::NoHost;
    use crate::texts::log_texts::RecordTexts;

    fn records(texts: &[&str]) -> (Texts, Vec<BlockPlace>) {
        let content = |text: &&str| cwl_engine::Content { text: (*text).to_owned(), ..Default::default() };
        let places = (0..).zip(texts).map(|(seq, _)| BlockPlace { seq, part: 0 }).collect();
        let record = |text| RecordTexts { contents: vec![content(text)], ..RecordTexts::default() };
        (Texts { stored: None, records: texts.iter().map(record).collect() }, places)
    }

    #[test]
    fn only_new_texts_are_read_when_a_log_grows() {
        let patterns = ["a", "/b|c/", "a"].map(|typed| Pattern::parse_pattern(typed).unwrap());
        let patterns: Vec<&Pattern> = patterns.iter().collect();
        let matches = Matches::default();
        let found = |texts: &[&str]| -> Vec<Vec<u32>> {
            let (texts, places) = records(texts);
            let found =
                matches.find_places(&patterns, &texts, &places, &Effort::begin_search(&NoHost)).unwrap();
            found.iter().map(|places| places.iter().map(|at| at.seq).collect()).collect()
        };
        assert_eq!(found(&[]), [[0u32; 0]; 3]);
        assert_eq!(found(&["a", "x", "b a"]), [vec![0, 2], vec![2], vec![0, 2]]);
        // Each text is examined once, as a log only grows, and a restarted log gets a new `Matches`.
        assert_eq!(found(&["-", "-", "-", "a c"]), [vec![0, 2, 3], vec![2, 3], vec![0, 2, 3]]);
        assert_eq!(lock_unpoisoned(&matches.known).len(), 2, "one for each pattern");
    }
}
