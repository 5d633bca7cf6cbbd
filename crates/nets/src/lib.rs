//! Machines of pushdown systems ([`pds`]), dynamic networks ([`dcps`]) and nets ([`net`]): their models, parsed by
//! `selvedge-nets-syntax`, executed state by state.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), warn(unreachable_pub))]

pub mod dcps;
pub mod net;
pub mod pds;
