//! Event traces as the machine follows them: see `machine::events`.

use crate::program::{Ex, Proto};

/// `trace` or `notrace`.
#[derive(Clone, Debug)]
pub struct Events {
    /// `notrace`.
    pub negated: bool,
    /// Its control.
    pub proto: Proto,
    /// Channels whose sends are in scope, as expressions over globals.
    pub sends: Vec<Ex>,
    /// Channels whose receives are in scope.
    pub receives: Vec<Ex>,
}
