//! Machines of pushdown systems ([`pds`]), dynamic networks ([`dcps`]) and nets ([`net`]): their models, parsed by
//! `selvedge-nets-syntax`, executed state by state.
#![forbid(unsafe_code)]

pub mod dcps;
pub mod net;
pub mod pds;
