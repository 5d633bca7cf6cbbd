//! The assertions of a model, and which of them a search has come to. An assertion that nothing ever comes to checks
//! nothing, and whoever wrote it wants to know. The marks are the only part of a program that changes while it runs;
//! nothing that the machine does depends on them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_source::Span;

/// An assertion of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssertId(u32);

/// All of them.
#[derive(Debug, Default)]
pub struct Assertions {
    known: Vec<(Span, AtomicBool)>,
}

impl Assertions {
    /// One more.
    pub fn add(&mut self, span: Span) -> AssertId {
        self.known.push((span, AtomicBool::new(false)));
        AssertId(self.known.len() as u32 - 1)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Marks one that is evaluated.
    pub fn reach(&self, AssertId(index): AssertId) {
        if let Some((_, reached)) = self.known.get(index as usize)
            && !reached.load(Ordering::Relaxed)
        {
            reached.store(true, Ordering::Relaxed);
        }
    }

    /// The places of those that were never evaluated; one in an inline counts as one, however often that is used.
    pub fn unreached(&self) -> Vec<Span> {
        let places = |wanted: bool| {
            let known = self.known.iter().filter(move |(_, reached)| reached.load(Ordering::Relaxed) == wanted);
            known.map(|(span, _)| (span.file, span.start, span.end)).collect::<BTreeSet<_>>()
        };
        let (never, once) = (places(false), places(true));
        never.difference(&once).map(|(file, start, end)| Span { file: *file, start: *start, end: *end }).collect()
    }
}

impl Clone for Assertions {
    fn clone(&self) -> Self {
        let copy = |(span, reached): &(Span, AtomicBool)| (*span, AtomicBool::new(reached.load(Ordering::Relaxed)));
        Assertions { known: self.known.iter().map(copy).collect() }
    }
}
