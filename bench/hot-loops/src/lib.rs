//! Criterion benches live in `benches`; there is nothing else here.
