//! Programs that create threads without bound, each thread allowed K switches (\[DYN\]).
//!
//! [`network`] answers whether a state of a finite-state network can be reached, with a bound on the
//! switches of each thread or without, by [`cover`]: coverability of nets. [`strata`] bounds the order of
//! threads too, by [`presburger`] formulas. [`closure`] makes finite-state networks of recursive ones, [`program`]
//! networks of Boolean programs. [`reach`] chooses among them, and [`follow`] executes every run that is found.
#![forbid(unsafe_code)]

pub mod closure;
pub mod cover;
pub mod follow;
pub mod network;
pub mod presburger;
pub mod program;
pub mod reach;
pub mod strata;
