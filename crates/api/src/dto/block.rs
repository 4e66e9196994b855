//! One block in full, its images, and what is sent as one text: the whole context, or the request that would be posted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{CutDto, ProviderDto, ViewDto};

/// Asks for the whole text of a block.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockRequest {
    /// The session.
    pub session: u32,
    /// The branch, as in a view.
    pub branch: Option<String>,
    /// The block, `ENTRY:INDEX`.
    pub block: String,
}

/// The whole text of a block.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BlockDto {
    /// The block.
    pub block: String,
    /// The text that is counted.
    pub text: String,
    /// The JSON in the log.
    pub raw: String,
    /// The line in the log, from 1.
    pub line: u64,
}

/// Asks for an image that a block holds.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageRequest {
    /// The session.
    pub session: u32,
    /// The branch, as in a view.
    pub branch: Option<String>,
    /// The block, `ENTRY:INDEX`.
    pub block: String,
    /// Which of its images, from 0.
    pub number: u32,
    /// True fetches the bytes as well.
    pub bytes: bool,
}

/// An image that a block holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ImageDto {
    /// How many images of the block have their bytes in the log.
    pub n_images: u32,
    /// `PNG`, `JPEG`, `GIF`, `WebP`, by its bytes; `null` for anything else, which is not shown.
    pub kind: Option<String>,
    /// Its size, bytes.
    pub n_bytes: u64,
    /// Its width, pixels.
    pub width: u32,
    /// Its height, pixels.
    pub height: u32,
    /// Why it cannot be shown, as a sentence.
    pub refused: Option<String>,
    /// Its media type, by its bytes.
    pub media_type: String,
    /// Its bytes in base64, where they were asked for and it can be shown.
    pub data: Option<String>,
}

/// Asks for the whole context as one text.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextTextRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
}

/// The whole context as one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
pub struct ContextTextDto {
    /// Every block that the model would receive, each under a line that says what it is.
    pub text: String,
    /// How many characters it has.
    pub n_chars: u64,
}

/// Asks for the request body at a cut.
#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyRequest {
    /// The session.
    pub session: u32,
    /// The view.
    pub view: ViewDto,
    /// The cut.
    pub cut: CutDto,
    /// The form of the request.
    pub provider: ProviderDto,
}

/// The request body: the messages that a client would post, with the system prompt and tools that the log holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize, TS, JsonSchema)]
pub struct BodyDto {
    /// The JSON, indented.
    pub json: String,
    /// The repairs that make the provider take it, as sentences.
    pub repairs: Vec<String>,
    /// The faults that the provider would refuse without the repairs, as sentences.
    pub violations: Vec<String>,
}
