//! Tokens of pictures and documents, by the provider's rules.

use cwl_engine::{BlockIdx, BlockKind, BlockPlace, EventLog, Session};
use cwl_tokens::Tokenizer;

use crate::ApiError;
use crate::figures::saturate_u32;
use crate::measure::opened::SessionSnapshot;
use crate::measure::provider_unit::SizeScale;
use crate::tables::pictures::{PictureRow, picture_row};
use crate::texts::counts::Counts;
use crate::texts::log_texts::Texts;
use crate::texts::media::BlockMedia;

/// Maximum plausible side in a picture's header, pixels: the largest a JPEG can have. Every provider refuses larger
/// pictures.
const LONGEST_SIDE: u32 = 65_535;

struct Carrier<'a> {
    place: BlockPlace,
    n_images: u32,
    model: Option<&'a str>,
}

pub(crate) fn media_units(
    session: &Session,
    tokenizer: Tokenizer,
    counts: &Counts,
    texts: &Texts,
) -> Result<Vec<(BlockIdx, u32)>, ApiError> {
    let (mut blocks, mut carriers) = (Vec::new(), Vec::new());
    let mut model = session.messages.iter().rev().find_map(|message| message.model.as_deref());
    for message in session.messages.iter().rev() {
        model = message.model.as_deref().or(model);
        for block in message.blocks.clone().map(BlockIdx::new) {
            let row = &session.blocks[block.at()];
            if carries_media(row.images, &row.kind) {
                blocks.push(block);
                carriers.push(Carrier {
                    place: SessionSnapshot::place_of(session, block),
                    n_images: row.images,
                    model,
                });
            }
        }
    }
    Ok(blocks.into_iter().zip(units_of(&carriers, tokenizer, counts, texts)?).collect())
}

/// Returns the tokens of all texts, pictures and documents in a log, on all branches. `places` lists its blocks in log
/// order.
pub(crate) fn count_log(
    log: &EventLog,
    scale: SizeScale,
    counts: &Counts,
    texts: &Texts,
    places: &[BlockPlace],
) -> Result<u64, ApiError> {
    let mut carriers = Vec::new();
    let messages = || log.events().iter().rev().flat_map(|event| event.body.all_messages());
    let mut model = messages().find_map(|message| message.model.as_deref());
    for (seq, event) in log.events().iter().enumerate().rev() {
        model = event.body.all_messages().find_map(|message| message.model.as_deref()).or(model);
        let carrying =
            (0..).zip(event.body.all_blocks()).filter(|(_, block)| carries_media(block.images, &block.kind));
        carriers.extend(carrying.map(|(part, block)| Carrier {
            place: BlockPlace { seq: saturate_u32(seq), part },
            n_images: block.images,
            model,
        }));
    }
    let media = units_of(&carriers, scale.tokenizer, counts, texts)?;
    let units = counts.units_of_blocks(scale.tokenizer, texts, places)?;
    let texts = units.into_iter().map(|units| scale.text_units(units));
    let media = media.into_iter().map(|units| scale.media_units(units));
    let units: u64 = texts.chain(media).map(u64::from).sum();
    Ok(units.div_ceil(scale.divisor().into()))
}

pub(crate) fn media_places(log: &EventLog) -> Vec<BlockPlace> {
    let mut places = Vec::new();
    for (seq, event) in log.events().iter().enumerate() {
        let carrying =
            (0..).zip(event.body.all_blocks()).filter(|(_, block)| carries_media(block.images, &block.kind));
        places.extend(carrying.map(|(part, _)| BlockPlace { seq: saturate_u32(seq), part }));
    }
    places
}

/// Documents are in opaque parts.
fn carries_media(n_images: u32, kind: &BlockKind) -> bool {
    n_images > 0 || matches!(kind, BlockKind::Opaque)
}

fn units_of(
    carriers: &[Carrier<'_>],
    tokenizer: Tokenizer,
    counts: &Counts,
    texts: &Texts,
) -> Result<Vec<u32>, ApiError> {
    // `Chars4` reproduces a harness's estimate: all pictures have the same size, and documents have none.
    if tokenizer == Tokenizer::Chars4 {
        let flat = |carrier: &Carrier<'_>| carrier.n_images.saturating_mul(tokenizer.image_units());
        return Ok(carriers.iter().map(flat).collect());
    }
    let places: Vec<BlockPlace> = carriers.iter().map(|carrier| carrier.place).collect();
    let media = counts.media.of_blocks(&places, texts)?;
    let units = |(carrier, media): (&Carrier<'_>, _)| {
        let tokens =
            media_tokens(media, carrier.n_images, picture_row(carrier.model), tokenizer.image_units());
        saturate_u32(tokens.saturating_mul(tokenizer.divisor().into()))
    };
    Ok(carriers.iter().zip(media.iter().map(AsRef::as_ref)).map(units).collect())
}

/// Returns the tokens of a block's media. A picture without known size or rule counts as `unknown`.
fn media_tokens(media: &BlockMedia, n_images: u32, row: Option<&PictureRow>, unknown: u32) -> u64 {
    let sized = |size: &Option<(u32, u32)>| {
        let (width, height) = size.filter(|(width, height)| *width.max(height) <= LONGEST_SIDE)?;
        Some(row?.rule.picture_tokens(width, height))
    };
    let mut pictures = media.pictures.iter().map(sized);
    let pictures = (0..n_images).map(|_| pictures.next().flatten().unwrap_or(unknown.into()));
    let page = row.and_then(|row| row.page).unwrap_or(0);
    pictures.fold(media.n_pages.saturating_mul(page), u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_count_by_the_rule_of_their_reader() {
        let check = |model: &str, n_images: u32, pictures: &[Option<(u32, u32)>], n_pages, expected: u64| {
            let media = BlockMedia { pictures: pictures.to_vec(), n_pages };
            let found = media_tokens(&media, n_images, picture_row(Some(model)), 1200);
            assert_eq!(found, expected, "{model}: {n_images} pictures, {media:?}");
        };
        let known = Some((320, 200));
        check("claude-opus-4-8", 1, &[known], 0, 96);
        check("claude-opus-4-8", 2, &[None, known], 0, 1200 + 96);
        check("claude-opus-4-8", 2, &[known], 0, 96 + 1200);
        check("claude-opus-4-8", 0, &[], 2, 2 * 2330);
        check("glm-5", 1, &[known], 2, 1200);
        check("gemini-2.5-pro", 1, &[Some((65_535, 65_535))], 0, 86 * 86 * 258);
        check("gemini-2.5-pro", 1, &[Some((65_536, 1))], 0, 1200);
        check("gemini-2.5-pro", 1, &[Some((u32::MAX, u32::MAX))], 0, 1200);
    }
}
