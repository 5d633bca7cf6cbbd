//! Whether to give up on an input before it is read to its end: a limit was met, or the user has interrupted the run. Whoever
//! reads or lowers a model asks in every loop whose length the input decides, and ends it with what there is; the result
//! is then thrown away.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A question that is asked often. Once the answer is yes, it stays yes.
#[derive(Clone, Default)]
pub struct Cancel(Option<Arc<Inner>>);

struct Inner {
    cancelled: AtomicBool,
    ask: Box<dyn Fn() -> bool + Send + Sync>,
}

impl Cancel {
    /// Never.
    pub fn never() -> Self {
        Self::default()
    }

    /// As soon as `ask` says so.
    pub fn when(ask: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Cancel(Some(Arc::new(Inner { cancelled: AtomicBool::new(false), ask: Box::new(ask) })))
    }

    /// Asks. This costs about as much as reading the clock.
    pub fn asks(&self) -> bool {
        let Some(inner) = &self.0 else { return false };
        if !inner.cancelled.load(Ordering::Relaxed) && (inner.ask)() {
            inner.cancelled.store(true, Ordering::Relaxed);
        }
        self.was_cancelled()
    }

    /// Asks every `stride`-th time: `count` is the number of the step.
    pub fn asks_at(&self, count: usize, stride: usize) -> bool {
        if count.is_multiple_of(stride) { self.asks() } else { self.was_cancelled() }
    }

    /// Whether the answer was yes before. What was made since then is not complete.
    pub fn was_cancelled(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.cancelled.load(Ordering::Relaxed))
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cancel({})", self.was_cancelled())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn the_answer_stays() {
        let asked = Arc::new(AtomicU32::new(0));
        let counter = Arc::clone(&asked);
        // Yes at the second question only.
        let cancel = Cancel::when(move || counter.fetch_add(1, Ordering::Relaxed) == 1);
        let other = cancel.clone();
        assert!(!cancel.asks_at(0, 4) && !cancel.asks_at(1, 4) && !cancel.asks_at(3, 4));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(!other.was_cancelled());
        assert!(cancel.asks_at(4, 4) && cancel.asks_at(5, 4) && other.was_cancelled() && other.asks());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert!(!Cancel::never().asks());
    }
}
