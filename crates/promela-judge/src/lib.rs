//! A small, plain interpreter of Promela that works on the syntax tree and shares nothing with
//! the fast machine, whose answers it checks: every counterexample is executed again here before
//! it is shown ([`replay()`]), answers without one are checked by exploring what a budget allows
//! ([`explore_within`], [`find_cycles`]) and by random runs ([`sample()`]), and tests compare the
//! two on tiny models ([`explore()`]).
//!
//! It is written for obvious correctness. A state is a struct of vectors, a step copies what it
//! changes. What a step is, and which states are counted, is what Spin 6.5.2's verifier does without
//! its optimisations (`spin -o1 -o2 -o3 -a`, `-DSAFETY -DNOREDUCE`).
//!
//! | file | idea |
//! | --- | --- |
//! | `value` | numbers, arrays, structures; global declarations |
//! | `flow`, `build`, `place`, `sugar`, `moves` | control flow as a graph of elements |
//! | `names`, `reads` | what the model mentions that changes what a step is; which variables are read |
//! | `state`, `create` | states, the first one, new processes and channels |
//! | `eval`, `exec`, `d_step` | expressions and statements |
//! | `event` | `trace` and `notrace` |
//! | `exclusive` | `xr` and `xs` |
//! | `step`, `show` | the steps of a state, and what they change |
//! | `cost`, `spin` | what a step costs; busy waiting |
//! | `store`, `graph` | states by number and the steps between them |
//! | `bounded`, `cycles`, `sample` | all runs within a bound; infinite ones; random ones |
//! | `explore`, `along`, `replay`, `finding` | states as Spin counts them; runs followed again; results |
//! | `coverage` | which statements some run executes |
//! | `commute` | whether two steps commute |
#![forbid(unsafe_code)]

#[cfg(test)]
mod along;
mod bounded;
mod build;
mod commute;
mod cost;
mod coverage;
mod create;
mod cycles;
mod d_step;
mod eval;
mod event;
mod exclusive;
mod exec;
mod explore;
mod finding;
mod flow;
mod graph;
mod moves;
mod names;
mod place;
mod reads;
mod replay;
mod sample;
mod show;
mod spin;
mod state;
mod step;
mod store;
mod sugar;
mod value;

#[cfg(test)]
mod tests;

use selvedge_core::ViolationKind;

#[cfg(test)]
pub(crate) use along::enabled_along;
pub use bounded::explore_within;
pub use coverage::{Coverage, coverage};
pub use cycles::{CycleKind, find_cycles};
pub use explore::explore;
pub use finding::{Completion, Explored, Finding, Properties, RunBound, RunStep, StepBudget};
pub use replay::{replay, replay_until};
pub use sample::{CostedStep, Sampling, sample, sample_with};
pub use state::State;
pub use step::PlainStep;

use build::{Body, Builder};
use event::EventTrace;
use flow::{Flow, Scope};
use names::Mentioned;
use reads::Reads;
use selvedge_promela_syntax::ast::{Claim, Expr, Item, Model};
use value::Globals;

/// A violation and a sentence about it.
pub(crate) type PlainFault = (ViolationKind, String);

/// A process type.
struct Proto {
    name: String,
    params: usize,
    flow: Flow,
    /// Instances at the start.
    instances: usize,
    priority: i32,
    /// `D_proctype`: a choice is a runtime error.
    deterministic: bool,
    /// `provided`, and the variables it can see.
    provided: Option<(Expr, Scope)>,
}

/// A model ready to be executed.
pub struct Interpreter {
    globals: Globals,
    protos: Vec<Proto>,
    claim: Option<Flow>,
    event: Option<EventTrace>,
    uses_last: bool,
    uses_timeout: bool,
    /// `xr` and `xs` are checked.
    checks_claims: bool,
    reads: Reads,
    initial: State,
}

impl Interpreter {
    /// Prepares a model, with a never claim in force if one is given. Fails where the model is
    /// not one that can be executed, or where already its initial values are wrong.
    pub fn new(model: &Model, claim: Option<&Claim>) -> Result<Interpreter, String> {
        let globals = Globals::of(model)?;
        let mentioned = Mentioned::of(model, claim);
        let mut protos = Vec::new();
        let mut event = None;
        for item in &model.items {
            match item {
                Item::Process(process) => {
                    let labels = mentioned.labels_of(&process.name.name);
                    let (params, body) = (&process.params, &process.body);
                    let flow = Builder::build(&globals, Body::Process, params, body, process.span, labels)?;
                    let visible = flow.slots.iter().take(params.len()).enumerate();
                    let scope: Scope = visible.map(|(index, slot)| (slot.name.clone(), index)).collect();
                    let instances = match &process.active {
                        None => i32::from(process.is_init),
                        Some(None) => 1,
                        Some(Some(count)) => globals.constant(count)?,
                    };
                    let priority = process.priority.as_ref().map_or(Ok(1), |priority| globals.constant(priority))?;
                    protos.push(Proto {
                        name: process.name.name.clone(),
                        params: params.len(),
                        flow,
                        instances: usize::try_from(instances).unwrap_or(0),
                        priority,
                        deterministic: process.deterministic,
                        provided: process.provided.clone().map(|condition| (condition, scope)),
                    });
                }
                Item::Trace(trace) => {
                    let flow = Builder::build(&globals, Body::Trace, &[], &trace.body, trace.span, Default::default())?;
                    event = Some(EventTrace { negated: trace.negated, flow });
                }
                _ => {}
            }
        }
        let claim = match claim {
            None => None,
            Some(claim) => {
                Some(Builder::build(&globals, Body::Claim, &[], &claim.body, claim.span, Default::default())?)
            }
        };
        let (uses_last, uses_timeout) = (mentioned.last, mentioned.timeout);
        let reads = Reads::of(&globals, &protos, claim.as_ref(), event.as_ref());
        let initial = State::empty();
        let checks_claims = claim.is_none() && protos.iter().any(|proto| !proto.flow.claimed.is_empty());
        let mut interpreter =
            Interpreter { globals, protos, claim, event, uses_last, uses_timeout, checks_claims, reads, initial };
        interpreter.initial = interpreter.make_initial().map_err(|(_, message)| message)?;
        Ok(interpreter)
    }

    /// The state before anything happened.
    pub fn initial(&self) -> State {
        self.initial.clone()
    }
}
