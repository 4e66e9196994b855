//! Exports with an engine: the session as data, and the page computes.
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
use flate2::Compression;
use flate2::write::GzEncoder;

use super::clean::Cleaner;
use super::page::{embeddable_json, file_name};
use crate::dto::{CutDto, ExportedSessionDto, RedactedDto, ViewDto};
use crate::{ApiError, ErrorCode};

/// The first bytes of a WebAssembly module, and of a file that gzip packed.
const WASM: &[u8] = b"\0asm";
const GZIP: &[u8] = &[0x1f, 0x8b];

/// A session for a page with an engine.
#[derive(Debug, Clone)]
pub struct SessionExport {
    /// JSON about the page. No `<` occurs in it, so no text can end its element.
    pub json: Vec<u8>,
    /// The session, packed.
    pub session: PackedData,
    /// Redactions. `None` if redaction is off.
    pub redacted: Option<RedactedDto>,
    /// Omitted and differing parts, as sentences.
    pub left_out: Vec<String>,
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

/// Makes an export for a page with an engine. The page opens with `view`, at `cut`.
///
/// # Errors
/// If the view is invalid, a text cannot be read, or a secret remains in the result.
pub fn export_session(
    opened: &SessionSnapshot,
    view: &ViewDto,
    cut: CutDto,
    redact: bool,
) -> Result<SessionExport, ApiError> {
    opened.parse_view(view)?;
    let mut cleaner = Cleaner::off();
    let mut is_changed = false;
    let bundle = SessionBundle::make_bundle(opened, &[view.annotation.as_str()], |plain| {
        if !redact {
            return Ok(None);
        }
        cleaner = Cleaner::learn_from(opened, plain.payloads())
            .map_err(|error| error.with_hint("--no-redact leaves everything in"))?;
        let clean: SessionBundle = cleaner.all_of(plain)?;
        is_changed = clean != *plain;
        Ok(is_changed.then_some(clean))
    })?;
    let data = serde_json::to_string(&bundle).map_err(ApiError::from_internal)?;
    cleaner.check_clean(&data)?;
    let session = PackedData::pack(data.as_bytes())?;
    drop(data);
    let mut left_out = Vec::new();
    let n_left_out = bundle.n_left_out();
    if n_left_out > 0 {
        let pictures = count_noun(n_left_out, "picture");
        left_out.push(format!("{pictures} or documents of more than 256 KiB; their sizes are there"));
    }
    if is_changed {
        left_out.extend(differing_policies(opened, &bundle.open()?, view)?);
    }
    let about = ExportedSessionDto {
        made_by: format!("CWL Inspector {}", env!("CARGO_PKG_VERSION")),
        path: cleaner.clean_text(file_name(&opened.about.path)),
        view: cleaner.all_of(view)?,
        cut,
        redacted: cleaner.redacted_counts(),
        left_out,
    };
    let json = serde_json::to_string(&about).map_err(ApiError::from_internal)?;
    cleaner.check_clean(&json)?;
    let ExportedSessionDto { redacted, left_out, .. } = about;
    Ok(SessionExport { json: embeddable_json(&json), session, redacted, left_out })
}

/// Compares every policy at the view's budget in the log and in the page; says which ones differ.
fn differing_policies(
    opened: &SessionSnapshot,
    page: &SessionSnapshot,
    view: &ViewDto,
) -> Result<Option<String>, ApiError> {
    let mut differing = Vec::new();
    for policy in Policy::ALL {
        let same = ViewDto { policy: policy.name.to_owned(), options: Default::default(), ..view.clone() };
        let sizes = |opened: &SessionSnapshot| {
            let run = opened.replay_view(&same)?;
            Ok::<_, ApiError>(
                run.replay.turns.iter().map(|turn| (turn.before, turn.after)).collect::<Vec<_>>(),
            )
        };
        if sizes(opened)? != sizes(page)? {
            differing.push(policy.name);
        }
    }
    let is_any = !differing.is_empty();
    Ok(is_any.then(|| {
        format!(
            "the figures of {} are those of the redacted texts, which these policies read",
            differing.join(", ")
        )
    }))
}
