//! Media of a log: picture sizes and PDF page counts, read once and shared by all revisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cwl_engine::BlockPlace;
use cwl_formats::block_json;
use cwl_formats::render::{inline_images, inline_pdfs};
use serde::{Deserialize, Serialize};

use crate::ApiError;
use crate::recent::lock_unpoisoned;
use crate::texts::log_texts::Texts;
use crate::texts::picture::{decode_base64, probe_picture};

/// Every picture format has its size within this many base64 characters, if anywhere.
const HEADER: usize = 1 << 19;
/// Blocks read at once. Each may have megabytes.
const PAGE: usize = 16;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockMedia {
    /// Width and height in pixels; `None` if the header does not tell.
    pub pictures: Vec<Option<(u32, u32)>>,
    pub n_pages: u64,
}

#[derive(Default)]
pub struct KnownMedia(Mutex<HashMap<BlockPlace, Arc<BlockMedia>>>);

impl KnownMedia {
    pub(crate) fn insert_media(&self, media: Vec<(BlockPlace, BlockMedia)>) {
        lock_unpoisoned(&self.0).extend(media.into_iter().map(|(place, media)| (place, Arc::new(media))));
    }

    /// Returns media for each of `places`. Blocks in an unfinished line are read anew each time.
    pub fn of_blocks(&self, places: &[BlockPlace], texts: &Texts) -> Result<Vec<Arc<BlockMedia>>, ApiError> {
        let mut known = lock_unpoisoned(&self.0);
        let mut unsettled = HashMap::new();
        let missing: Vec<BlockPlace> =
            places.iter().copied().filter(|place| !known.contains_key(place)).collect();
        for page in missing.chunks(PAGE) {
            for (place, content) in page.iter().zip(texts.block_contents(page)?) {
                let media = Arc::new(read_media(&block_json(&content)));
                let kept = if texts.is_settled(*place) { &mut *known } else { &mut unsettled };
                kept.insert(*place, media);
            }
        }
        let media_at = |place| known.get(place).or_else(|| unsettled.get(place)).cloned().unwrap_or_default();
        Ok(places.iter().map(media_at).collect())
    }
}

fn read_media(json: &str) -> BlockMedia {
    let size_of = |data: &str| {
        let looked = probe_picture(&decode_base64(data.get(..HEADER).unwrap_or(data))?)?;
        Some((looked.width, looked.height))
    };
    let pages_of = |data: &String| decode_base64(data).map_or(0, |bytes| count_pages(&bytes));
    BlockMedia {
        pictures: inline_images(json).iter().map(|image| size_of(&image.data)).collect(),
        n_pages: inline_pdfs(json).iter().map(pages_of).fold(0, u64::saturating_add),
    }
}

/// Counts a PDF's pages; 1 if they are compressed and cannot be counted.
fn count_pages(bytes: &[u8]) -> u64 {
    let behind = |word: &'static [u8]| {
        let begins = bytes.windows(word.len()).enumerate().filter(move |(_, window)| *window == word);
        begins.map(move |(at, _)| bytes[at + word.len()..].trim_ascii_start())
    };
    let is_page = |rest: &&[u8]| {
        let named = rest.strip_prefix(b"/Page");
        named.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    };
    let seen = behind(b"/Type").filter(is_page).count() as u64;
    // A linearised file states the number at its beginning.
    let told = || {
        let first = behind(b"/Linearized").next()?;
        let end = first.windows(2).position(|window| window == b">>")?;
        let at = first[..end].windows(2).position(|window| window == b"/N")?;
        let digits = first[at + 2..end].trim_ascii_start();
        let n_digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&digits[..n_digits]).ok()?.parse().ok()
    };
    if seen > 0 { seen } else { told().unwrap_or(1).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginning of a PNG, 320 by 200 pixels.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAUAAAADICAIAAAAWZq/8";

    #[test]
    fn media_are_read_from_their_headers() {
        let check = |kind: &str, media_type: &str, data: &str, pictures: &[Option<(u32, u32)>], n_pages| {
            let source = format!(r#"{{"type":"base64","media_type":"{media_type}","data":"{data}"}}"#);
            let json = format!(r#"[{{"type":"{kind}","source":{source}}}]"#);
            assert_eq!(read_media(&json), BlockMedia { pictures: pictures.to_vec(), n_pages }, "{json}");
        };
        check("image", "image/png", PNG, &[Some((320, 200))], 0);
        check("image", "image/png", "AAAA", &[None], 0);
        check("document", "application/pdf", "L1R5cGUvUGFnZSA=", &[], 1);
        check("document", "application/pdf", "!", &[], 0);
        check("document", "text/plain", "AAAA", &[], 0);
        assert_eq!(read_media("{}"), BlockMedia::default());
    }

    #[test]
    fn pages_are_counted() {
        let check =
            |bytes: &str, expected: u64| assert_eq!(count_pages(bytes.as_bytes()), expected, "{bytes}");
        check("%PDF-1.4 <</Type /Pages /Count 2>> <</Type /Page>> <</Type/Page/Parent 1 0 R>>", 2);
        check("%PDF-1.5 <</Linearized 1/L 90/O 7/E 50/N 12/T 80>> stream", 12);
        check("%PDF-1.5 <</Linearized 1/L 90/O 7>> stream", 1);
        check("%PDF-1.5 stream", 1);
        check("/Type", 1);
    }
}
