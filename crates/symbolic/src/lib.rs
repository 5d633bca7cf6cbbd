//! Recursive programs with finite data, analysed exactly for K execution contexts of each thread: the
//! reduction of concurrent analysis under a context bound to sequential analysis (\[LR\]), on decision diagrams.
//!
//! [`analysis`] is the way in. The relations of one thread are built in [`thread`], those of all threads are put together in
//! [`ring`]; [`lazy`] and [`eager`] are the two orders in which that can be done. [`sequential`] is the analysis of
//! programs with one thread, [`sequentialize`] the reduction as source, [`pds`] the reduction for pushdown systems.
//! [`modular`] proves what no bound can change. From the relations back to a run: [`interface`], [`path`], [`witness`].
//!
//! This crate knows the lowered form of Boolean programs and of pushdown systems; it knows no other engine.
#![forbid(unsafe_code)]

pub mod analysis;
pub mod bdd;
pub mod calls;
pub mod eager;
pub mod emit_c;
pub mod encode;
pub mod facts;
pub mod flow;
pub mod from_pds;
pub mod interface;
pub mod layout;
pub mod lazy;
pub mod modular;
pub mod path;
pub mod pds;
pub mod ring;
pub mod sequential;
pub mod sequentialize;
pub mod start;
pub mod thread;
pub mod witness;
