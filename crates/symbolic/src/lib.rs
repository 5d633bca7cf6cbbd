//! x
#![forbid(unsafe_code)]
pub mod analysis;
pub mod bdd;
pub mod calls;
pub mod eager;
pub mod encode;
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
