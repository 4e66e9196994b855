//! Picture format and size, detected from the bytes rather than from the log.
//!
//! The headers are read here because `imagesize` refuses fill bytes in a JPEG and takes WebP's scale for a part of the size.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PictureProbe {
    pub kind: &'static str,
    pub(crate) media_type: &'static str,
    pub width: u32,
    pub height: u32,
}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes base64 in either alphabet, allowing white space, missing padding and a cut end; `None` if invalid.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.bytes().filter(|byte| !byte.is_ascii_whitespace());
    let mut digits: Vec<u8> = digits
        .map(|byte| match byte {
            b'-' => b'+',
            b'_' => b'/',
            _ => byte,
        })
        .collect();
    while digits.last() == Some(&b'=') {
        digits.pop();
    }
    // One digit alone is too few for a byte.
    if digits.len() % 4 == 1 {
        digits.pop().filter(|digit| digit.is_ascii_alphanumeric() || b"+/".contains(digit))?;
    }
    LENIENT.decode(digits).ok()
}

/// Detects format and size; `None` for formats a page may not show.
pub(crate) fn probe_picture(bytes: &[u8]) -> Option<PictureProbe> {
    let found = |kind, media_type, (width, height)| PictureProbe { kind, media_type, width, height };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(found("PNG", "image/png", (read_be32(bytes, 16)?, read_be32(bytes, 20)?)));
    }
    if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        return Some(found("GIF", "image/gif", (read_le16(bytes, 6)?, read_le16(bytes, 8)?)));
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some(found("JPEG", "image/jpeg", jpeg_size(bytes)?));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Some(found("WebP", "image/webp", webp_size(bytes)?));
    }
    None
}

fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if bytes.get(at) != Some(&0xff) {
            return None;
        }
        match marker {
            // Fill bytes, and markers without a length.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((read_be16(bytes, at + 7)?, read_be16(bytes, at + 5)?));
            }
            _ => at += 2 + usize::try_from(read_be16(bytes, at + 2)?.max(2)).ok()?,
        }
    }
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((read_le24(bytes, 24)? + 1, read_le24(bytes, 27)? + 1)),
        b"VP8 " => Some((read_le16(bytes, 26)? & 0x3fff, read_le16(bytes, 28)? & 0x3fff)),
        b"VP8L" => {
            let bits = read_le16(bytes, 21)? | read_le16(bytes, 23)? << 16;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        _ => None,
    }
}

fn read_be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) << 8 | u32::from(*bytes.get(at + 1)?))
}

fn read_be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(read_be16(bytes, at)? << 16 | read_be16(bytes, at + 2)?)
}

fn read_le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) | u32::from(*bytes.get(at + 1)?) << 8)
}

fn read_le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(read_le16(bytes, at)? | u32::from(*bytes.get(at + 2)?) << 16)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(bytes: &[u8], expected: Option<(&str, u32, u32)>) {
        let found = probe_picture(bytes).map(|it| (it.kind, it.width, it.height));
        assert_eq!(found, expected, "{bytes:x?}");
    }

    #[test]
    fn pictures_tell_their_kind_and_size() {
        let png =
            [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0"[..], &[8, 6, 0, 0, 0]].concat();
        check(&png, Some(("PNG", 640, 480)));
        check(b"GIF89a\x80\x02\xe0\x01rest", Some(("GIF", 640, 480)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x06JFIF\xff\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03";
        check(jpeg, Some(("JPEG", 640, 480)));
        check(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0", Some(("WebP", 640, 480)));
        check(b"RIFF\0\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01", Some(("WebP", 640, 480)));
        check(b"RIFF\0\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x7f\xc2\x77\0", Some(("WebP", 640, 480)));
    }

    #[test]
    fn what_is_no_picture_is_none() {
        for bytes in [
            &b""[..],
            b"<svg onload=x>",
            b"\x89PNG\r\n\x1a\n",
            b"\xff\xd8\xff\xe0\0\0",
            b"GIF89a",
            b"RIFF\0\0\0\0WEBP",
        ] {
            check(bytes, None);
        }
    }

    #[test]
    fn base64_is_read_as_it_is_written() {
        let check = |text: &str, expected: Option<&[u8]>| {
            assert_eq!(decode_base64(text).as_deref(), expected, "{text}")
        };
        check("iVBORw0KGgo=", Some(b"\x89PNG\r\n\x1a\n"));
        check("iVBO\nRw0K Ggo", Some(b"\x89PNG\r\n\x1a\n"));
        check("-_-_", Some(&[0xfb, 0xff, 0xbf]));
        check("+/+/", Some(&[0xfb, 0xff, 0xbf]));
        check("", Some(b""));
        check("iVBORw0KGgo=\n", Some(b"\x89PNG\r\n\x1a\n"));
        check("iVBOR", Some(b"\x89PN"));
        check("a!b", None);
        check("!", None);
        check("a=bc", None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_break_it(head in 0usize..7, bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..80)) {
            const HEADS: [&[u8]; 7] = [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8X",
                b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBPVP8L"];
            let found = probe_picture(&[HEADS[head], &bytes].concat());
            proptest::prop_assert!(found.is_none_or(|found| found.media_type.starts_with("image/")));
            let decoded = decode_base64(&String::from_utf8_lossy(&bytes));
            proptest::prop_assert!(decoded.is_none_or(|decoded| decoded.len() <= bytes.len()));
        }
    }
}
