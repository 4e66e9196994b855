//! Logs of `vscode-copilot`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cwl_fuzz::log(cwl_formats::Format::VscodeCopilot, data));
