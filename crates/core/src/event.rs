//! Events of a running search. Engines emit them, the command line shows them.

use crate::Layer;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Statistics of the running search.
    Progress {
        /// The bound being explored; none in a search without one.
        bound: Option<u32>,
        /// States stored.
        states: u64,
        /// Transitions executed.
        transitions: u64,
        /// States waiting to be expanded.
        frontier: u64,
        /// Depth of the state being expanded.
        depth: u64,
        /// Memory of the search in bytes.
        memory: u64,
        /// Seconds since the start.
        seconds: f64,
    },
    /// A bound was completed.
    Layer(Layer),
}

/// Receives events.
pub trait Observer {
    /// Called from the engine's own thread; must return quickly.
    fn event(&mut self, event: &Event);
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: &Event) {}
}
