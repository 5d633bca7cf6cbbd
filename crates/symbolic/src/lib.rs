//! x
#![forbid(unsafe_code)]
pub mod bdd;
pub mod calls;
pub mod encode;
pub mod flow;
pub mod layout;
pub mod ring;
pub mod thread;
pub mod eager;
pub mod interface;
pub mod lazy;
pub mod start;
pub mod path;
pub mod pds;
pub mod analysis;
pub mod modular;
pub mod witness;
pub mod sequential;
pub mod sequentialize;
pub mod from_pds;
