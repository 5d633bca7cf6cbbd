//! Mixing of 64-bit words, for fingerprints and random numbers that are the same everywhere.

/// Spreads the bits of a word (the finaliser of SplitMix64).
pub(crate) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A word for a pair.
pub(crate) fn pair(a: u64, b: u64) -> u64 {
    mix(a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(b.wrapping_add(0x632b_e59b_d9b4_e019)))
}
