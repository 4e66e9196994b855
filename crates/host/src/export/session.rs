//! The session as data for its page, which computes.
//!
//! The page holds the log's events, redacted, and the counts of its texts before that ([`SessionBundle`]). So it answers
//! every view as `cwl` does. A policy reads texts, too, and a redacted one may read differently: replays of both are
//! compared, and the page says which policies differ.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cwl_engine::Policy;
use cwl_inspect::figures::count_noun;
use cwl_inspect::load::bundle::SessionBundle;
use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::progress::ProgressWatch;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::clean::Cleaner;
use super::page::{embeddable_json, file_name};
use crate::api::{ExportRequest, ExportedSession, RedactionCounts, ViewSettings};
use crate::commands::captured::count_captured;
use crate::{ApiError, ErrorCode};

/// The first bytes of a WebAssembly module, and of a file that gzip packed.
const WASM: &[u8] = b"\0asm";
const GZIP: &[u8] = &[0x1f, 0x8b];

#[derive(Debug, Clone)]
pub struct SessionExport {
    /// JSON about the page, in one line. No `<` occurs in it, so no text can end its element.
    pub json: Vec<u8>,
    pub session: PackedData,
    /// Redactions. `None` if redaction is off.
    pub redacted: Option<RedactionCounts>,
    pub left_out: Vec<String>,
}

impl SessionExport {
    /// Returns the content of the page's element for exports: three lines, the JSON, the session and the engine.
    pub fn page_data(&self, engine: &PackedData) -> Vec<u8> {
        [&*self.json, self.session.as_str().as_bytes(), engine.as_str().as_bytes()].join(&b'\n')
    }
}

/// Bytes as a page holds them: gzip in base64.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedData(String);

impl PackedData {
    fn pack(bytes: &[u8]) -> Result<Self, ApiError> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        let packed = packer.write_all(bytes).and_then(|()| packer.finish());
        packed.map(|packed| Self(STANDARD.encode(packed))).map_err(ApiError::from_internal)
    }

    /// Packs the engine of a page; it may be packed with gzip already.
    ///
    /// # Errors
    /// If it is no WebAssembly.
    pub fn from_engine(bytes: &[u8]) -> Result<Self, ApiError> {
        if bytes.starts_with(GZIP) {
            return Ok(Self(STANDARD.encode(bytes)));
        }
        if bytes.starts_with(WASM) {
            return Self::pack(bytes);
        }
        Err(ApiError::new(ErrorCode::Binary, "this is no engine of a page")
            .with_hint("`make page-engine` builds one"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Makes an export.
///
/// # Errors
/// If the view is invalid, a text cannot be read, or a secret remains in the result.
pub fn export_session(opened: &SessionSnapshot, request: &ExportRequest) -> Result<SessionExport, ApiError> {
    export_watched(opened, request, &ProgressWatch::unwatched())
}

/// The parts of an export: the session is taken apart, redacted, counted and packed, then every policy is compared.
struct ExportProgress<'a> {
    watch: &'a ProgressWatch<'a>,
    n_done: u64,
}

impl ExportProgress<'_> {
    const N_PARTS: u64 = 3 + Policy::ALL.len() as u64;

    fn finish_part(&mut self) -> Result<(), ApiError> {
        if self.watch.is_stopped() {
            return Err(ApiError::new(ErrorCode::Cancelled, "the export was stopped"));
        }
        self.n_done += 1;
        (self.watch.progress)(self.n_done, Self::N_PARTS);
        Ok(())
    }
}

pub(super) fn export_watched(
    opened: &SessionSnapshot,
    request: &ExportRequest,
    watch: &ProgressWatch<'_>,
) -> Result<SessionExport, ApiError> {
    let ExportRequest { view, cut, redact, .. } = request;
    opened.parse_view(view)?;
    let mut progress = ExportProgress { watch, n_done: 0 };
    let mut cleaner = Cleaner::off();
    let mut is_changed = false;
    let bundle = SessionBundle::make_bundle(opened, &[view.annotation.as_str()], |plain| {
        progress.finish_part()?;
        if !redact {
            return Ok(None);
        }
        cleaner = Cleaner::learn_from(opened, plain.payloads())
            .map_err(|error| error.with_hint("--no-redact leaves everything in"))?;
        let clean: SessionBundle = cleaner.all_of(plain)?;
        is_changed = clean != *plain;
        progress.finish_part()?;
        Ok(is_changed.then_some(clean))
    })?;
    let data = serde_json::to_string(&bundle).map_err(ApiError::from_internal)?;
    cleaner.check_clean(&data)?;
    let session = PackedData::pack(data.as_bytes())?;
    drop(data);
    progress.finish_part()?;
    let mut left_out = Vec::new();
    let n_left_out = bundle.n_left_out();
    if n_left_out > 0 {
        let pictures = count_noun(n_left_out, "picture");
        left_out.push(format!("{pictures} or documents of more than 256 KiB; their sizes are there"));
    }
    let n_captured = count_captured(opened, view)?;
    if n_captured > 0 {
        left_out.push(format!("the captured bodies of {}", count_noun(n_captured, "request")));
    }
    if is_changed {
        left_out.extend(differing_policies(opened, &bundle.open()?, view, &mut progress)?);
    }
    let about = ExportedSession {
        made_by: format!("CWL Inspector {}", env!("CARGO_PKG_VERSION")),
        path: cleaner.clean_text(file_name(&opened.about.path)),
        view: cleaner.all_of(view)?,
        cut: *cut,
        redacted: cleaner.redacted_counts(),
        left_out,
    };
    let json = serde_json::to_string(&about).map_err(ApiError::from_internal)?;
    cleaner.check_clean(&json)?;
    let ExportedSession { redacted, left_out, .. } = about;
    Ok(SessionExport { json: embeddable_json(&json), session, redacted, left_out })
}

/// Compares every policy at the view's budget in the log and in the page; says which ones differ.
fn differing_policies(
    opened: &SessionSnapshot,
    page: &SessionSnapshot,
    view: &ViewSettings,
    progress: &mut ExportProgress<'_>,
) -> Result<Option<String>, ApiError> {
    let mut differing = Vec::new();
    for policy in Policy::ALL {
        let same =
            ViewSettings { policy: policy.name.to_owned(), options: Default::default(), ..view.clone() };
        let sizes = |opened: &SessionSnapshot| {
            let run = opened.replay_view(&same)?;
            Ok::<_, ApiError>(
                run.replay.turns.iter().map(|turn| (turn.before, turn.after)).collect::<Vec<_>>(),
            )
        };
        if sizes(opened)? != sizes(page)? {
            differing.push(policy.name);
        }
        progress.finish_part()?;
    }
    let is_any = !differing.is_empty();
    Ok(is_any.then(|| {
        format!(
            "the figures of {} are those of the redacted texts, which these policies read",
            differing.join(", ")
        )
    }))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;
    use crate::api::ViewCut;
    use crate::{LogInput, Tools, load_file};

    #[test]
    fn an_export_tells_how_far_it_is_and_can_be_stopped() {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/pi/quickstart/input.jsonl");
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        let view = ViewSettings { budget: "6k".into(), ..ViewSettings::counted("o200k") };
        let request = ExportRequest { view, cut: ViewCut::default(), redact: true };
        let (told, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let progress = |done: u64, all: u64| {
            assert_eq!(
                (told.swap(done, Ordering::Relaxed) + 1, done <= all),
                (done, true),
                "{done} of {all}"
            );
        };
        let watch = ProgressWatch { progress: &progress, stopped: &stopped };
        let export = export_watched(&opened, &request, &watch).unwrap();
        assert_eq!(told.load(Ordering::Relaxed), ExportProgress::N_PARTS);
        assert_eq!(export.json, export_session(&opened, &request).unwrap().json);
        stopped.store(true, Ordering::Relaxed);
        assert_eq!(export_watched(&opened, &request, &watch).unwrap_err().code, ErrorCode::Cancelled);
    }

    #[test]
    fn the_data_of_a_page_are_three_lines_that_end_no_element() {
        let hostile = "</script><script>alert(1)</script>\n<!-- <SCRIPT";
        let json = serde_json::to_string(&[hostile]).unwrap();
        let export = SessionExport {
            json: embeddable_json(&json),
            session: PackedData::from_engine(&[0x1f, 0x8b]).unwrap(),
            redacted: None,
            left_out: Vec::new(),
        };
        let engine = PackedData::from_engine(b"\0asm").unwrap();
        let data = String::from_utf8(export.page_data(&engine)).unwrap();
        assert!(!data.contains('<'));
        let lines: Vec<&str> = data.split('\n').collect();
        assert_eq!(serde_json::from_str::<Vec<String>>(lines[0]).unwrap(), [hostile]);
        assert_eq!(lines[1..], ["H4s=", engine.as_str()]);
        assert!(engine.as_str().starts_with("H4sI"), "gzip in base64");
        assert!(PackedData::from_engine(b"<html>").is_err());
    }
}
