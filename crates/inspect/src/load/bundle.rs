//! A session as data that opens anywhere: its events and texts, and the counts of its texts.
//!
//! A page that gives a session away has no vocabulary, which would be larger than the session, and its texts may be
//! redacted. So the counts come along: those of the blocks in log order, and those of the short texts that the engine
//! itself makes, by the hash of the text that the page has (`TextSizes`). A text without a count is an error, never a
//! guess.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cwl_engine::{BlockPlace, EventIdx, EventLog, ParsedEvent, Place, Problem, ProblemKind, RawPayload};
use cwl_formats::PiCwlTrace;
use cwl_tokens::Tokenizer;
use serde::{Deserialize, Serialize};

use crate::access::{HostAccess, NoHost, SearchLimit, TableFile};
use crate::api::MarksFile;
use crate::load::read_format;
use crate::load::text_sizes::{COUNTED_BY, TextSizes};
use crate::marks::NamedMarks;
use crate::measure::opened::{LogMetadata, SessionSnapshot};
use crate::tables::tools::Tools;
use crate::text_store::TextStore;
use crate::texts::counter::TextCounter;
use crate::texts::counts::Counts;
use crate::texts::log_texts::{Texts, split_texts};
use crate::texts::media::BlockMedia;
use crate::{ApiError, ErrorCode};

/// The form of the data; an engine reads only its own.
const FORM: u32 = 2;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionBundle {
    form: u32,
    path: String,
    format: String,
    harness: String,
    opening: Option<String>,
    recorded: Option<PiCwlTrace>,
    records: Vec<ParsedEvent>,
    problems: Vec<BundleProblem>,
    tables: BTreeMap<String, String>,
    marks: Vec<BundleMarks>,
    /// Pictures and documents, as they were before redaction.
    media: Vec<(BlockPlace, BlockMedia)>,
    /// Number of pictures and documents that are not in `records`.
    n_left_out: u64,
    /// The units of each block's text in log order, in the order of [`COUNTED_BY`].
    block_units: [Vec<u32>; COUNTED_BY.len()],
    pub(super) sizes: TextSizes,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BundleProblem {
    place: Place,
    code: String,
    subject: Option<String>,
    amount: Option<u64>,
}

impl BundleProblem {
    fn from_problem(problem: &Problem) -> Self {
        let Problem { place, kind } = problem;
        let code = kind.rule().code.to_owned();
        Self { place: place.clone(), code, subject: kind.subject(), amount: kind.amount() }
    }

    /// Returns the problem; `None` if its parts do not fit, as after a redaction of a fixed word.
    fn as_problem(&self) -> Option<Problem> {
        let kind = ProblemKind::from_code(&self.code, self.subject.as_deref(), self.amount)?;
        Some(Problem { place: self.place.clone(), kind })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BundleMarks {
    asked: String,
    name: String,
    marks: MarksFile,
}

/// Longer JSON around a text, in bytes, stays out: a picture or a document.
const LONGEST_PAYLOAD: usize = 256 << 10;

const TABLES: [&str; 4] = ["tools", "carried", "models", "prices"];

impl SessionBundle {
    /// Takes a session apart, without the sizes of texts; `annotations` are those that views name.
    ///
    /// # Errors
    /// If a text or marks cannot be read.
    pub(super) fn from_snapshot(opened: &SessionSnapshot, annotations: &[&str]) -> Result<Self, ApiError> {
        let about = &opened.about;
        let mut block_units = COUNTED_BY.map(|_| Vec::new());
        for (units, tokenizer) in block_units.iter_mut().zip(COUNTED_BY) {
            *units = opened.block_units(tokenizer)?;
        }
        let mut tables = BTreeMap::new();
        for name in TABLES {
            if let Some(TableFile { text: Ok(Some(text)), .. }) = opened.access.table_file(name) {
                tables.insert(name.to_owned(), text);
            }
        }
        let mut marks: Vec<BundleMarks> = Vec::new();
        for asked in annotations {
            if marks.iter().all(|known| known.asked != *asked)
                && let Some(NamedMarks { name, marks: read }) = opened.marks_in(asked)?
            {
                marks.push(BundleMarks { asked: (*asked).to_owned(), name, marks: read });
            }
        }
        let (records, n_left_out) = records_of(opened)?;
        Ok(Self {
            form: FORM,
            path: Path::new(&about.path)
                .file_name()
                .map_or_else(String::new, |name| name.display().to_string()),
            format: about.format.name().to_owned(),
            harness: opened.access.harness_of(&about.path, about.format.name()),
            opening: about.opening.clone(),
            recorded: about.recorded.as_deref().cloned(),
            records,
            problems: opened.log_problems.iter().map(BundleProblem::from_problem).collect(),
            tables,
            marks,
            media: opened.media_of_blocks()?,
            n_left_out,
            block_units,
            sizes: TextSizes::default(),
        })
    }

    pub fn payloads(&self) -> impl Iterator<Item = &str> {
        self.records.iter().flat_map(payloads_of).flat_map(|raw| match raw {
            RawPayload::Whole(json) => [json.as_str(), ""],
            RawPayload::Around { before, after } => [before.as_str(), after.as_str()],
        })
    }

    pub fn n_left_out(&self) -> u64 {
        self.n_left_out
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// If the bytes are none, or one of another version of this program.
    pub fn read_json(bytes: &[u8]) -> Result<Self, ApiError> {
        let bundle: Self = serde_json::from_slice(bytes).map_err(|error| {
            ApiError::new(ErrorCode::BadRequest, format!("this is no session of an exported page ({error})"))
                .with_hint("export the session again")
        })?;
        if bundle.form != FORM {
            let message = format!("the session has the form {}, and this engine reads {FORM}", bundle.form);
            return Err(ApiError::new(ErrorCode::BadRequest, message).with_hint("export the session again"));
        }
        Ok(bundle)
    }

    /// Opens the session with the counts that came along.
    ///
    /// # Errors
    /// If the format is unknown.
    pub fn open(mut self) -> Result<SessionSnapshot, ApiError> {
        let sizes = std::mem::take(&mut self.sizes);
        self.open_with(Box::new(sizes.into_counter()))
    }

    pub(super) fn open_with(self, counter: Box<dyn TextCounter>) -> Result<SessionSnapshot, ApiError> {
        let mut log = EventLog::default();
        let mut records = Vec::with_capacity(self.records.len());
        for (event, texts) in self.records.into_iter().map(split_texts) {
            log.push(event);
            records.push(texts);
        }
        let about = LogMetadata {
            session: 0,
            revision: 1,
            path: self.path,
            format: read_format(&self.format)?,
            live: false,
            gone: false,
            opening: self.opening,
            recorded: self.recorded.map(Arc::new),
        };
        let counts = Counts::with_counter(counter);
        for (units, tokenizer) in self.block_units.iter().zip(COUNTED_BY) {
            counts.extend_counts(tokenizer, 0, units);
        }
        // The tests prove that the references count as the fast tokenizers do.
        counts.extend_counts(Tokenizer::O200kRef, 0, &self.block_units[0]);
        counts.extend_counts(Tokenizer::Cl100kRef, 0, &self.block_units[1]);
        counts.media.insert_media(self.media);
        let access = BundleAccess { tables: self.tables, marks: self.marks, harness: self.harness };
        let [tools, carried] = ["tools", "carried"].map(|name| access.read_table(name));
        Ok(SessionSnapshot::new(
            about,
            Arc::new(log),
            self.problems.iter().filter_map(BundleProblem::as_problem).collect(),
            Texts { stored: None, records },
            &Tools::from_files(&tools, &carried),
            Arc::new(counts),
            Arc::new(access),
        ))
    }
}

fn payloads_of(record: &ParsedEvent) -> impl Iterator<Item = &RawPayload> {
    record.contents.iter().map(|content| &content.raw).chain([&record.envelope])
}

fn records_of(opened: &SessionSnapshot) -> Result<(Vec<ParsedEvent>, u64), ApiError> {
    let events: Vec<_> = opened.log.pushed_events().collect();
    let idx: Vec<_> = (0..events.len()).map(EventIdx::new).collect();
    let mut envelopes = opened.texts.record_envelopes(&idx)?;
    let mut contents = opened.texts.block_contents(opened.places())?.into_iter();
    let mut n_left_out = 0;
    let mut leave_out = |raw: &mut RawPayload| {
        let length = match raw {
            RawPayload::Whole(json) => json.len(),
            RawPayload::Around { before, after } => before.len().max(after.len()),
        };
        if length > LONGEST_PAYLOAD {
            *raw = RawPayload::default();
            n_left_out += 1;
        }
    };
    let parsed = events.into_iter().zip(idx).map(|(event, idx)| ParsedEvent {
        contents: contents.by_ref().take(event.body.all_blocks().count()).collect(),
        envelope: envelopes.remove(&idx).unwrap_or_default(),
        event,
    });
    let mut records: Vec<ParsedEvent> = parsed.collect();
    for record in &mut records {
        record.contents.iter_mut().for_each(|content| leave_out(&mut content.raw));
        leave_out(&mut record.envelope);
    }
    Ok((records, n_left_out))
}

struct BundleAccess {
    tables: BTreeMap<String, String>,
    marks: Vec<BundleMarks>,
    harness: String,
}

impl BundleAccess {
    fn read_table(&self, name: &str) -> TableFile {
        TableFile { path: format!("{name}.toml"), text: Ok(self.tables.get(name).cloned()) }
    }
}

impl HostAccess for BundleAccess {
    fn table_file(&self, name: &str) -> Option<TableFile> {
        Some(self.read_table(name))
    }

    fn find_marks(
        &self,
        stored: Option<&dyn TextStore>,
        log: &str,
        name: &str,
    ) -> Result<NamedMarks, ApiError> {
        let found = self.marks.iter().find(|marks| marks.asked == name);
        found.map_or_else(
            || NoHost.find_marks(stored, log, name),
            |found| Ok(NamedMarks { name: found.name.clone(), marks: found.marks.clone() }),
        )
    }

    fn harness_of(&self, _: &str, _: &str) -> String {
        self.harness.clone()
    }

    fn begin_search(&self, longest: Duration) -> SearchLimit {
        NoHost.begin_search(longest)
    }
}
