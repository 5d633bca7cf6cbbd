//! Existential Presburger formulas as the analyses need them (\[DYN\] Section 4.1): conjunctions of linear
//! constraints over natural numbers, and disjunctions that are found to be needed only when a model
//! is known ([`Refine`]). [`solve`] decides them with the solver that is built in, [`smt`] asks an
//! installed one.
//!
//! Floating-point numbers find answers here, they are never evidence: a model is checked in integers,
//! and a branch without a model is closed by a certificate in rational numbers.

mod exact;
mod farkas;
mod relax;
mod search;
pub mod smt;
mod system;

pub use search::{SolverLimits, solve};
pub use system::{Constraint, NoRefinement, Refine, Relation, Solved, System, Var};
