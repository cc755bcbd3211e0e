//! cargo +nightly fuzz run --fuzz-dir tests/fuzz --features fuzzer intervals
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| popgd_fuzz::exercise(data));
