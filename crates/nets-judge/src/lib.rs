//! Replays runs of pushdown systems, dynamic networks and nets on the model alone: no machine, no engine. Every
//! counterexample is executed here before it is shown.
#![forbid(unsafe_code)]

pub mod dcps;
pub mod net;
pub mod pds;
