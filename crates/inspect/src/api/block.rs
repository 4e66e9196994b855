//! A block's full text and images, the context as text, and the request body.

use cwl_engine::Provider;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ViewCut, ViewSettings};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockRequest {
    /// A branch as in [`ViewSettings::branch`](super::ViewSettings::branch).
    pub branch: Option<String>,
    pub block: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockAnswer {
    pub block: String,
    pub text: String,
    pub raw: String,
    pub line: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageRequest {
    pub branch: Option<String>,
    pub block: String,
    pub number: u32,
    pub bytes: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageAnswer {
    pub n_images: u32,
    /// `PNG`, `JPEG`, `GIF` or `WebP`, detected from the bytes; `null` for other formats, which are not displayed.
    pub kind: Option<String>,
    pub n_bytes: u64,
    pub width: u32,
    pub height: u32,
    pub refused: Option<String>,
    pub media_type: String,
    /// Base64, if `bytes` was requested and `refused` is `null`.
    pub data: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextTextRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextTextAnswer {
    pub text: String,
    pub n_chars: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyRequest {
    pub view: ViewSettings,
    pub cut: ViewCut,
    pub provider: Provider,
}

/// The request body a client would post to `provider`, with the system prompt and tools known from the log.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyAnswer {
    pub json: String,
    /// Changes made so the provider accepts the request, as sentences.
    pub repairs: Vec<String>,
    /// Faults the provider would reject without `repairs`, as sentences.
    pub violations: Vec<String>,
}
