//! Logs of `claude-code`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cwl_fuzz::log(cwl_formats::Format::ClaudeCode, data));
