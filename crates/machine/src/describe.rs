//! [`Describe`]: states and steps for people. Only the trace ([`narrate`](crate::narrate())), the simulator and
//! messages use it; no search does.

use selvedge_core::ThreadId;
use selvedge_source::Span;

use crate::{Condition, Frame, Machine, Step};

/// What a step did, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepView {
    /// The statement.
    pub span: Option<Span>,
    /// The statement as the source has it.
    pub text: String,
    /// Variables that changed, with their new values.
    pub changes: Vec<(String, String)>,
    /// A message sent or received: channel, `send`/`receive`/`rendezvous`, values.
    pub message: Option<(String, &'static str, Vec<String>)>,
    /// The statement of the partner in a rendezvous.
    pub partner: Option<(ThreadId, Span, String)>,
    /// Text printed by the step.
    pub output: Option<String>,
}

/// A machine that can be shown to people.
pub trait Describe: Machine {
    /// A thread's name, unique in the state together with its id.
    fn thread_name(&self, state: &[u8], thread: ThreadId) -> String;

    /// What a step did, for people.
    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView;

    /// What each thread is waiting for in a state in which it is blocked: the place and a sentence.
    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)>;

    /// The variables, by the names of [`Describe::variables`], that would have to change for such a thread to go on.
    fn waits_on(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        let _ = (state, thread);
        Vec::new()
    }

    /// The calls that a thread is inside of, outermost first; none in a language without procedures.
    fn stack(&self, state: &[u8], thread: ThreadId) -> Vec<Frame> {
        let _ = (state, thread);
        Vec::new()
    }

    /// What the statement of `step`, which is taken in `at`, reads and writes, looked at in `state`. `None` where nothing is
    /// known of it, or what it reads does not exist in `state`.
    fn condition(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        let _ = (at, step, state);
        None
    }

    /// The state expressions that the claim in force asks about, as they are written, and whether they hold in `state`.
    fn propositions(&self, state: &[u8]) -> Vec<(String, bool)> {
        let _ = state;
        Vec::new()
    }

    /// The variables of a state with their values, for displays.
    fn variables(&self, state: &[u8]) -> Vec<(String, String)>;

    /// The variables of two states with their values, for displays; those of a part of the state that is the same in both
    /// may be left out of both.
    fn differing_variables(&self, before: &[u8], after: &[u8]) -> [Vec<(String, String)>; 2] {
        [before, after].map(|state| self.variables(state))
    }
}
