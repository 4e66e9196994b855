//! Parsers for everything but logs: detection, JSON as JavaScript writes it, tool tables, compressed bytes.
#![no_main]

use cwl_formats::{Format, detect_format, js_json, parse_log, parse_tools};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(format) = detect_format(data) {
        parse_log(format, data);
        assert!(Format::ALL.contains(&format));
    }
    let text = String::from_utf8_lossy(data);
    let once = js_json(&text);
    assert_eq!(js_json(&once), once, "saying it again changes nothing");
    let _odd = parse_tools(&text);
});
