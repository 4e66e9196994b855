//! Images in blocks: checked before they are shown, and never fetched from outside the log.

use cwl_formats::block_json;
use cwl_formats::render::inline_images;

use crate::ApiError;
use crate::api::{ImageAnswer, ImageRequest};
use crate::figures::{saturate_u32, with_commas};
use crate::measure::opened::SessionSnapshot;
use crate::texts::picture::{PictureProbe, decode_base64, probe_picture};

/// Larger images are described but not shown, in bytes.
const MOST_BYTES: usize = 20 << 20;
const MOST_PIXELS: u64 = 50_000_000;

/// Describes an image of a block, with its bytes if wanted.
///
/// # Errors
/// If there is no such block, or the log's texts cannot be read.
pub fn image(opened: &SessionSnapshot, request: &ImageRequest) -> Result<ImageAnswer, ApiError> {
    let (_, _, content) = opened.block_named(request.branch.as_deref(), &request.block)?;
    let mut found = inline_images(&block_json(&content));
    let n_images = saturate_u32(found.len());
    let mut answer = ImageAnswer { n_images, ..ImageAnswer::default() };
    let number = request.number as usize;
    if number >= found.len() {
        answer.refused = Some("the log holds no bytes of it, only where it lay".to_owned());
        return Ok(answer);
    }
    let image = found.swap_remove(number);
    let bytes = decode_base64(&image.data);
    answer.n_bytes = bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
    let Some(PictureProbe { kind, media_type, width, height }) = bytes.as_deref().and_then(probe_picture)
    else {
        answer.refused = Some("it is no PNG, JPEG, GIF or WebP".to_owned());
        return Ok(answer);
    };
    answer.kind = Some(kind.to_owned());
    answer.media_type = media_type.to_owned();
    (answer.width, answer.height) = (width, height);
    let pixels = u64::from(width) * u64::from(height);
    if answer.n_bytes > MOST_BYTES as u64 {
        answer.refused = Some(format!("it has more than {} bytes", with_commas(MOST_BYTES as u64)));
    } else if pixels > MOST_PIXELS {
        answer.refused = Some(format!("it has {} pixels, too many to be shown safely", with_commas(pixels)));
    } else if request.bytes {
        answer.data = Some(image.data.split_ascii_whitespace().collect());
    }
    Ok(answer)
}
