#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| capgen_tests::fuzz::manifest(bytes));
