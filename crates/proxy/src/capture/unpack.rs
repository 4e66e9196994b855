//! Decompression of bodies.

use std::io::{self, Read};

/// Limit on a decompressed body, in bytes.
const LONGEST: u64 = 64 << 20;

/// Decompresses a body by its `Content-Encoding`. Of several encodings the last is undone first.
///
/// # Errors
/// Fails if an encoding is unknown or the result is longer than 64 MiB. Truncated or damaged input is decompressed as
/// far as possible.
pub(crate) fn unpack_body(bytes: Vec<u8>, encoding: Option<&str>) -> io::Result<Vec<u8>> {
    let names = encoding.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
    names.rev().try_fold(bytes, |packed, name| {
        let packed = packed.as_slice();
        let mut reader: Box<dyn Read + '_> = match &*name.to_ascii_lowercase() {
            "identity" => return Ok(packed.to_vec()),
            "gzip" | "x-gzip" => Box::new(flate2::read::MultiGzDecoder::new(packed)),
            "deflate" => Box::new(flate2::read::ZlibDecoder::new(packed)),
            "zstd" => Box::new(zstd::Decoder::new(packed)?),
            "br" => Box::new(brotli_decompressor::Decompressor::new(packed, 16 << 10)),
            _ => return Err(io::Error::other(format!("the encoding {name} is unknown"))),
        };
        let (mut plain, mut piece) = (Vec::new(), vec![0; 64 << 10]);
        // A broken-off answer has no end marker; the bytes before count.
        while let Ok(n @ 1..) = reader.read(&mut piece) {
            plain.extend_from_slice(&piece[..n]);
            if plain.len() as u64 > LONGEST {
                return Err(io::Error::other("it is too long"));
            }
        }
        Ok(plain)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Write;

    use super::*;

    #[test]
    fn bodies_are_unpacked_as_far_as_they_go() {
        let text = "data: {\"type\":\"ping\"}\n\n".repeat(900);
        let gzip = {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap()
        };
        let zlib = {
            let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap()
        };
        let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
        let check = |packed: &[u8], encoding: &str, expected: &str| {
            let plain = unpack_body(packed.to_vec(), Some(encoding)).unwrap();
            assert!(plain == expected.as_bytes(), "{encoding}: {} bytes", plain.len());
        };
        check(text.as_bytes(), "", &text);
        check(text.as_bytes(), "identity", &text);
        check(&gzip, "gzip", &text);
        check(&zlib, "Deflate", &text);
        check(&zstd, "zstd", &text);
        check(&zstd::encode_all(&*gzip, 3).unwrap(), "gzip, zstd", &text);
        // "hello\n" in an uncompressed brotli block.
        check(&[0x8b, 0x02, 0x80, b'h', b'e', b'l', b'l', b'o', b'\n', 0x03], "br", "hello\n");
        check(b"no gzip", "gzip", "");
        check(&[], "br", "");
        let half = unpack_body(gzip[..gzip.len() - 9].to_vec(), Some("gzip")).unwrap();
        assert!(text.as_bytes().starts_with(&half), "what came of it");
        assert!(unpack_body(Vec::new(), Some("rot13")).is_err());
    }
}
