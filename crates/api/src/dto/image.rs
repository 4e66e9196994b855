//! Images of a log: what they are, and their bytes where somebody wants to see them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Asks for an image that a block holds.
#[derive(Debug, Clone, Serialize, Deserialize, TS)]
#[ts(export)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImageDto {
    /// How many images of the block have their bytes in the log.
    pub n_images: u32,
    /// `PNG`, `JPEG`, `GIF`, `WebP`, by its bytes; `null` for anything else, which is not shown.
    pub kind: Option<String>,
    /// Its size, bytes.
    #[ts(type = "number")]
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
