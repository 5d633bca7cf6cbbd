//! Boolean programs that create threads, with the dynamic engine: compiled to a network, and its run made one of the
//! machine of Boolean programs, with the places of the source.

use selvedge_boolprog::concretize;
use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::unbounded_spawn::creates_without_limit;
use selvedge_core::{Budget, Observer};
use selvedge_dynamic::program::{Compiled, Refused, compile};
use selvedge_machine::{Fault, Machine, Path, narrate_within};
use selvedge_nets_syntax::dcps::Move;
use selvedge_source::Cancel;

use super::{Check, Found, NoTrace};
use crate::judge;
use crate::model::{BoolModel, Executable, OpenModel};
use crate::refusal::Refusal;

/// Whether the dynamic engine is tried first for a program that names no engine: threads are created
/// without limit, so that a search state by state need not end.
pub(crate) fn suits_better(model: &OpenModel, budget: &Budget) -> bool {
    let Executable::Bool(model) = &model.executable else { return false };
    creates_without_limit(&model.program)
        && !matches!(compile(&model.program, budget), Err(Refused::Unsuited(_) | Refused::TooLarge(_)))
}

impl Check<'_> {
    /// Checks a program.
    pub(super) fn program(&self, model: &BoolModel, observer: &mut dyn Observer) -> Result<Found, Refusal> {
        let path = &self.model.path;
        let compiled = match compile(&model.program, self.budget) {
            Ok(compiled) => compiled,
            Err(Refused::Stopped(reason)) => {
                return Ok(Found { stop: reason, ..Found::nothing(self.bound(Some(0))) });
            }
            Err(Refused::Unsuited(what)) => {
                return Err(Refusal::request(format!(
                    "`{path}`: the dynamic engine cannot analyse a program that {what}: use --rounds, or --engine \
                     explicit"
                )));
            }
            Err(Refused::TooLarge(why)) => {
                return Err(Refusal::request(format!(
                    "`{path}`: the program is too large for the dynamic engine, which enumerates shared and local states: \
                     {why}; use --engine explicit"
                )));
            }
        };
        let narrator = |moves: &[Move], bound| {
            let cancel = judge::cancel(self.budget);
            let run = self.program_run(&compiled, model, moves, &cancel);
            let (machine, path, fault) = run.map_err(|why| match cancel.was_cancelled() {
                true => NoTrace::Refused(Refusal::Cancelled),
                false => self.disagreement(&why),
            })?;
            // Every switch of a thread counts here, and a thread that creates others never comes back to a state.
            Ok(narrate_within(&machine, &self.model.sources, &path, &fault, self.heading(bound), self.budget)?)
        };
        let mut found = self.network(&compiled.dcps, &narrator, observer)?;
        // A certificate speaks of a net that the user does not see.
        if found.certificate.take().is_some() {
            found.why_holds = Some("by coverability, with any number of threads at each place");
        }
        Ok(found)
    }

    /// The run of the network as one of the program, with the violation that it ends in; the error is one sentence, which
    /// means nothing if it was cancelled.
    fn program_run(
        &self,
        compiled: &Compiled,
        model: &BoolModel,
        moves: &[Move],
        cancel: &Cancel,
    ) -> Result<(BoolMachine, Path, Fault), String> {
        // A run cannot have more calls inside each other than steps.
        let limits = MachineOptions { stack_limit: moves.len() as u32 + 32, ..MachineOptions::default() };
        let machine = BoolMachine::new(model.program.clone(), &self.model.sources, limits);
        let moves = compiled.moves(moves);
        let path = concretize::follow_until(&machine, &moves, cancel)
            .map_err(|stuck| format!("after {} of {} steps: {}", stuck.moves, moves.len(), stuck.reason))?;
        let fault = fault_of(&machine, &path).ok_or("the run ends in no violation")?;
        Ok((machine, path, fault))
    }
}

fn fault_of(machine: &BoolMachine, path: &Path) -> Option<Fault> {
    let Some(last) = path.steps.last() else { return machine.state_fault(&path.initial) };
    let state = Some(&last.state).filter(|state| !state.is_empty());
    last.faults.first().cloned().or_else(|| machine.state_fault(state?))
}
