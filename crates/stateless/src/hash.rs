//! Mixing of 64-bit words, for fingerprints that are the same everywhere.

pub(crate) use selvedge_core::mix;

/// A word for a pair.
pub(crate) fn pair(a: u64, b: u64) -> u64 {
    mix(a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(b.wrapping_add(0x632b_e59b_d9b4_e019)))
}
