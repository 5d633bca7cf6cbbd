//! Programs that create threads without bound, each thread allowed K switches (\[DYN\]).
//!
//! [`network`] answers whether a state of a finite-state network can be reached, with a bound on the
//! switches of each thread or without, by [`cover`]: coverability of nets.
#![forbid(unsafe_code)]

pub mod cover;
pub mod network;
