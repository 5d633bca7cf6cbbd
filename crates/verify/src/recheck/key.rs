//! Steps of the search and of the judge by what both sides know of them.

use selvedge_core::trace::TraceLocation;
use selvedge_machine::{Describe, Step, Steps};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela_judge::{PlainStep, RunStep};
use selvedge_source::{FileId, SourceMap, Span};

/// A step by process, place, and the receiver of a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub thread: Option<u32>,
    place: Option<Place>,
    partner: Option<(u32, Place)>,
}

/// A place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place(u32, u32, u32);

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Place(span.file.0, span.start, span.end)
    }
}

impl Place {
    fn shown(self, sources: &SourceMap) -> String {
        let span = Span { file: FileId(self.0), start: self.1, end: self.2 };
        let text = sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        format!("`{text}` at {}", TraceLocation::from(sources.location(span)))
    }
}

impl From<&RunStep> for Key {
    fn from(step: &RunStep) -> Self {
        Key {
            thread: step.process,
            place: step.span.filter(|_| step.process.is_some()).map(Place::from),
            partner: step.partner.map(|(thread, span)| (thread, span.into())),
        }
    }
}

impl From<&PlainStep> for Key {
    fn from(step: &PlainStep) -> Self {
        Key::from(&RunStep { process: step.thread, span: step.span, partner: step.partner })
    }
}

impl Key {
    /// A step of the search.
    pub(super) fn of(machine: &PromelaMachine, state: &[u8], step: &Step, steps: &Steps) -> Key {
        let view = machine.view(state, step, steps.state(step));
        Key {
            thread: step.thread.map(|thread| thread.0),
            place: view.span.filter(|_| step.thread.is_some()).map(Place::from),
            partner: view.partner.map(|(thread, span, _)| (thread.0, span.into())),
        }
    }

    /// Whether a step of the search is this step of the judge, which has no place for what was not written: the join
    /// behind an `if`, the end of a process.
    pub(super) fn is(&self, judge: &Key) -> bool {
        let place = judge.place.is_none() || self.place == judge.place;
        self.thread == judge.thread && self.partner == judge.partner && place
    }

    /// In words.
    pub(super) fn shown(&self, sources: &SourceMap) -> String {
        let thread = self.thread.map_or_else(|| "the claim".to_owned(), |thread| format!("process {thread}"));
        let step = self.place.map_or_else(|| "an internal step".to_owned(), |place| place.shown(sources));
        let partner = self.partner.map(|(thread, at)| format!(" with process {thread}, {}", at.shown(sources)));
        format!("{thread}: {step}{}", partner.unwrap_or_default())
    }

    /// A run in words, a line for each step.
    pub(crate) fn shown_run<'k>(run: impl IntoIterator<Item = &'k Key>, sources: &SourceMap) -> String {
        run.into_iter().map(|key| format!("\n  {}", key.shown(sources))).collect()
    }
}
