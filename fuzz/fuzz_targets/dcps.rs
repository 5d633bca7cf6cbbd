//! Dynamic networks: parse and build.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_verify::Language;

fuzz_target!(|text: &str| selvedge_fuzz::load_and_prepare(Language::Dcps, text));
