//! A block's full text and images, the context as text, and the request body.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, ProviderDto, ViewDto};

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockRequest {
    /// A branch as in [`ViewDto::branch`](super::ViewDto::branch).
    pub branch: Option<String>,
    pub block: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockDto {
    pub block: String,
    pub text: String,
    pub raw: String,
    pub line: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageRequest {
    pub branch: Option<String>,
    pub block: String,
    /// The image's index in `block`, from 0.
    pub number: u32,
    pub bytes: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageDto {
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
    pub view: ViewDto,
    pub cut: CutDto,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextTextDto {
    pub text: String,
    pub n_chars: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyRequest {
    pub view: ViewDto,
    pub cut: CutDto,
    pub provider: ProviderDto,
}

/// The request body a client would post to `provider`, with the system prompt and tools known from the log.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyDto {
    pub json: String,
    /// Changes made so the provider accepts the request, as sentences.
    pub repairs: Vec<String>,
    /// Faults the provider would reject without `repairs`, as sentences.
    pub violations: Vec<String>,
}
