//! The sizes of the texts that the engine makes: what stays of an episode, lines of a summary, placeholders.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cwl_engine::{BranchTips, EventBody, EventIdx, History};
use cwl_tokens::{ContentHash, Tokenizer, count_all};
use serde::{Deserialize, Serialize};

use crate::asked::unit::TokenUnit;
use crate::asked::view::{BranchKey, MarksKey};
use crate::load::bundle::SessionBundle;
use crate::measure::material::ScanDepth;
use crate::measure::opened::SessionSnapshot;
use crate::measure::worth::weigh_inferred;
use crate::recent::lock_unpoisoned;
use crate::texts::counter::{TextCounter, VocabularyCounter};
use crate::{ApiError, ErrorCode};

/// The tokenizers whose counts come along. The others count as the first two do.
pub(super) const COUNTED_BY: [Tokenizer; 3] = [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Chars4];

/// Branches of a log whose texts are counted; the current one is the first.
const MOST_BRANCHES: usize = 12;

/// The counts of one text, in the order of [`COUNTED_BY`].
type Units = [u32; COUNTED_BY.len()];

/// Units of texts, each with the beginning of its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct TextSizes(Vec<(u64, Units)>);

fn key_of(text: &str) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&ContentHash::from_text(text).as_bytes()[..8]);
    u64::from_le_bytes(eight)
}

impl TextSizes {
    fn count(texts: &[String], originals: &[String]) -> Self {
        let mut known = std::collections::BTreeMap::new();
        for (text, original) in texts.iter().zip(originals) {
            // Two secrets may have the same text in the page; the first one counts.
            known.entry(key_of(text)).or_insert(original.as_str());
        }
        let originals: Vec<&str> = known.values().copied().collect();
        let columns = COUNTED_BY.map(|tokenizer| count_all(tokenizer, &originals));
        let units = (0..originals.len()).map(|at| columns.each_ref().map(|column| column[at]));
        Self(known.keys().copied().zip(units).collect())
    }

    pub(super) fn into_counter(self) -> SizesCounter {
        SizesCounter(self.0.into_iter().collect())
    }
}

pub(super) struct SizesCounter(HashMap<u64, Units>);

impl TextCounter for SizesCounter {
    fn count_texts(&self, tokenizer: Tokenizer, texts: &[String]) -> Result<Vec<u32>, ApiError> {
        texts.iter().map(|text| self.count_short(tokenizer, text)).collect()
    }

    fn count_short(&self, tokenizer: Tokenizer, text: &str) -> Result<u32, ApiError> {
        let column = match tokenizer {
            Tokenizer::O200k | Tokenizer::O200kRef => 0,
            Tokenizer::Cl100k | Tokenizer::Cl100kRef => 1,
            Tokenizer::Chars4 => 2,
        };
        self.0.get(&key_of(text)).map(|units| units[column]).ok_or_else(|| {
            ApiError::new(
                ErrorCode::BadView,
                "the page does not hold the size of a text that this view needs",
            )
            .with_hint("open the log with `cwl serve`")
        })
    }
}

struct TextRecorder {
    counter: VocabularyCounter,
    texts: Arc<Mutex<Vec<String>>>,
}

impl TextCounter for TextRecorder {
    fn count_texts(&self, tokenizer: Tokenizer, texts: &[String]) -> Result<Vec<u32>, ApiError> {
        lock_unpoisoned(&self.texts).extend_from_slice(texts);
        self.counter.count_texts(tokenizer, texts)
    }

    fn count_short(&self, tokenizer: Tokenizer, text: &str) -> Result<u32, ApiError> {
        lock_unpoisoned(&self.texts).push(text.to_owned());
        self.counter.count_short(tokenizer, text)
    }
}

impl SessionBundle {
    /// Makes the data of a session; `clean` redacts it. The counts are those of the texts before that.
    ///
    /// # Errors
    /// If a text cannot be read, or `clean` fails.
    pub fn make_bundle(
        opened: &SessionSnapshot,
        annotations: &[&str],
        clean: impl FnOnce(&Self) -> Result<Option<Self>, ApiError>,
    ) -> Result<Self, ApiError> {
        let mut plain = Self::from_snapshot(opened, annotations)?;
        let originals = plain.texts_to_count(annotations)?;
        let Some(mut bundle) = clean(&plain)? else {
            plain.sizes = TextSizes::count(&originals, &originals);
            return Ok(plain);
        };
        let texts = bundle.texts_to_count(annotations)?;
        // Redaction may give a session other episodes. Then texts have the sizes that they have in the page.
        let counted = if texts.len() == originals.len() { &originals } else { &texts };
        bundle.sizes = TextSizes::count(&texts, counted);
        Ok(bundle)
    }

    /// Lists the texts that the engine counts beside those of the blocks, whatever the view.
    fn texts_to_count(&self, annotations: &[&str]) -> Result<Vec<String>, ApiError> {
        let texts = Arc::new(Mutex::new(Vec::new()));
        let recorder = TextRecorder { counter: VocabularyCounter::default(), texts: Arc::clone(&texts) };
        let opened = self.clone().open_with(Box::new(recorder))?;
        let unit = TokenUnit::Tokenizer(Tokenizer::O200k);
        for key in branch_keys(&opened, annotations)? {
            opened.sizes(&key, unit)?;
            opened.material_of(&key, unit, ScanDepth::Digest)?;
        }
        weigh_inferred(&opened, &BranchKey::CURRENT, unit)?;
        drop(opened);
        Ok(std::mem::take(&mut *lock_unpoisoned(&texts)))
    }
}

fn branch_keys(opened: &SessionSnapshot, annotations: &[&str]) -> Result<Vec<BranchKey>, ApiError> {
    let log = &opened.log;
    let BranchTips { session, side } = log.tips();
    let tips = session.into_iter().rev().chain(side.into_iter().rev());
    let others = tips.filter(|tip| log.leaf() != Some(*tip)).map(Some);
    let leaves: Vec<Option<EventIdx>> = std::iter::once(None).chain(others).take(MOST_BRANCHES).collect();
    let is_rewritten = log
        .events()
        .iter()
        .any(|event| matches!(event.body, EventBody::Compaction(_) | EventBody::Rewrite(_)));
    let histories: &[History] = match is_rewritten {
        true => &[History::AsRecorded, History::Unevicted, History::Full],
        false => &[History::AsRecorded],
    };
    let mut marks = vec![MarksKey::Declared, MarksKey::Inferred, MarksKey::Filled];
    for asked in annotations {
        if let Some(named) = opened.marks_in(asked)? {
            marks.push(MarksKey::Written(Arc::new(named)));
        }
    }
    let mut keys = Vec::new();
    for leaf in leaves {
        for history in histories {
            let of_marks = |marks: &MarksKey| BranchKey { leaf, history: *history, marks: marks.clone() };
            keys.extend(marks.iter().map(of_marks));
        }
    }
    Ok(keys)
}
