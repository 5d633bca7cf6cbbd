//! What a search that does not store every state whole, or leaves states out, may have missed.

/// What a search may have missed.
#[derive(Clone, Debug, PartialEq)]
pub enum Omission {
    /// The probability that any state was missed because its hash was that of another.
    Probability(f64),
    /// The expected share of the states that were not missed because their bits were set already (states that are
    /// reached only through missed ones aside), and how full the array is.
    Coverage {
        /// Expected share of states, from 0 to 1.
        expected: f64,
        /// Share of the bits that are set.
        filled: f64,
    },
    /// The algorithm itself misses states within the bound.
    ByDesign {
        /// With a bit array, the expected share of the states within reach of the algorithm that were not mistaken for
        /// others.
        coverage: Option<f64>,
    },
    /// The model reads these hidden variables, which are no part of the state.
    HiddenVariables(Vec<String>),
}
