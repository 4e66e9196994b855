//! Logs of `kv-cache-trace`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| cwl_fuzz::log(cwl_formats::Format::KvCacheTrace, data));
