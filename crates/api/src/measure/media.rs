//! Media: the tokens of pictures and documents, by the provider's rule and the header of each file.

use cwl_engine::{BlockIdx, BlockKind, Content, Session};
use cwl_formats::block_json;
use cwl_formats::render::{inline_images, inline_pdfs};
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::figures::small;
use crate::measure::picture::{decode, look};
use crate::tables::pictures::{PictureRow, picture_row};

/// The size of a picture stands in so many letters of its base64, if anywhere.
const HEADER: usize = 1 << 19;

/// Returns the units of all pictures and documents of a session, block by block: each by the rule of the model that reads it,
/// which is the next one that answers. `content` reads a block.
pub(crate) fn media_units(
    session: &Session,
    tokenizer: Tokenizer,
    content: impl Fn(BlockIdx) -> Result<Content, ApiError>,
) -> Result<Vec<(BlockIdx, u32)>, ApiError> {
    let divisor = u64::from(tokenizer.divisor());
    let unknown = u64::from(tokenizer.image_units()) / divisor.max(1);
    let mut sized = Vec::new();
    let mut model = session.messages.iter().rev().find_map(|message| message.model.as_deref());
    for message in session.messages.iter().rev() {
        model = message.model.as_deref().or(model);
        for block in message.blocks.clone().map(BlockIdx::new) {
            let row = &session.blocks[block.at()];
            if row.images == 0 && row.kind != BlockKind::Opaque {
                continue;
            }
            let (json, rule) = (block_json(&content(block)?), picture_row(model));
            let pictures = picture_tokens(&json, row.images, rule, unknown);
            let tokens = pictures.saturating_add(document_tokens(&json, rule));
            sized.push((block, small(tokens.saturating_mul(divisor))));
        }
    }
    Ok(sized)
}

/// Returns the tokens of the pictures in the JSON of a block that has so many; `unknown` are those of one whose size or rule
/// is not known.
fn picture_tokens(json: &str, n_images: u32, row: Option<&PictureRow>, unknown: u64) -> u64 {
    let sized = |data: &str| {
        let begun = data.get(..HEADER).unwrap_or(data);
        let looked = decode(begun).as_deref().and_then(look)?;
        Some(row?.rule.tokens(looked.width, looked.height))
    };
    let mut found = inline_images(json).into_iter().map(|image| sized(&image.data).unwrap_or(unknown));
    (0..n_images).map(|_| found.next().unwrap_or(unknown)).fold(0, u64::saturating_add)
}

/// Returns the tokens of the PDFs in the JSON of a block.
fn document_tokens(json: &str, row: Option<&PictureRow>) -> u64 {
    let Some(page) = row.and_then(|row| row.page) else { return 0 };
    let pages = |data: &String| decode(data).map_or(0, |bytes| n_pages(&bytes));
    inline_pdfs(json).iter().map(pages).fold(0, u64::saturating_add).saturating_mul(page)
}

/// Counts the pages of a PDF; 1 where they are packed so that they cannot be seen.
fn n_pages(bytes: &[u8]) -> u64 {
    let behind = |word: &'static [u8]| {
        let begins = bytes.windows(word.len()).enumerate().filter(move |(_, window)| *window == word);
        begins.map(move |(at, _)| bytes[at + word.len()..].trim_ascii_start())
    };
    let is_page = |rest: &&[u8]| {
        let named = rest.strip_prefix(b"/Page");
        named.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    };
    let seen = behind(b"/Type").filter(is_page).count() as u64;
    // A file that is made for the web says it at its beginning.
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// The beginning of a PNG of 320 by 200 pixels.
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAUAAAADICAIAAAAWZq/8";

    #[test]
    fn a_picture_counts_by_its_header() {
        let row = picture_row(Some("claude-opus-4-8"));
        let json = |data: &str| {
            format!(
                r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
            )
        };
        assert_eq!(picture_tokens(&json(PNG), 1, row, 1200), 96);
        assert_eq!(picture_tokens(&json(PNG), 1, None, 1200), 1200, "no rule");
        assert_eq!(picture_tokens(&json("AAAA"), 1, row, 1200), 1200, "no header");
        assert_eq!(picture_tokens("{}", 2, row, 1200), 2400, "no bytes");
    }

    #[test]
    fn pages_are_counted() {
        let check = |bytes: &str, expected: u64| assert_eq!(n_pages(bytes.as_bytes()), expected, "{bytes}");
        check("%PDF-1.4 <</Type /Pages /Count 2>> <</Type /Page>> <</Type/Page/Parent 1 0 R>>", 2);
        check("%PDF-1.5 <</Linearized 1/L 90/O 7/E 50/N 12/T 80>> stream", 12);
        check("%PDF-1.5 stream", 1);
        check("/Type", 1);
    }
}
