//! What a statement reads, looked at in another state than its own: for explanations, which ask since when the condition
//! of an assertion is false and who changed what it depends on.

use selvedge_machine::{Condition, Step};

use super::{PromelaMachine, Scratch};
use crate::program::{Ex, Op};

impl PromelaMachine {
    /// See [`selvedge_machine::Machine::condition`]. In states in which the process does not exist, there is no answer.
    pub(super) fn condition_of(&self, at: &[u8], step: &Step, state: &[u8]) -> Option<Condition> {
        let thread = step.thread?;
        let index = thread.0 as usize;
        let mut here = Scratch::default();
        let exec = self.load(at, &mut here);
        let process = *exec.s.procs.get(index)?;
        let op = &self.action(&exec, thread, step.action[1]).op;
        let mut scratch = Scratch::default();
        let mut exec = self.load(state, &mut scratch);
        if exec.s.procs.get(index).is_none_or(|there| there.proto != process.proto) {
            return None;
        }
        exec.enter_for_display(thread);
        let (mut read, mut written) = (Vec::new(), Vec::new());
        let holds = match op {
            Op::Assert(ex, ..) | Op::Condition(ex) if !has_effect(ex) => {
                exec.values(ex, &mut read);
                Some(exec.eval(ex) != 0)
            }
            Op::Assign(place, ex) => {
                exec.values(ex, &mut read);
                place.indices.iter().for_each(|index| exec.values(&index.value, &mut read));
                exec.address(place).iter().for_each(|at| exec.value_at(*at, &mut written));
                None
            }
            _ => return None,
        };
        let own = format!("{}[{index}].", self.program.protos[usize::from(process.proto)].name);
        let full = |(name, _, shared): (String, String, bool)| if shared { name } else { own.clone() + &name };
        let (reads, writes) = (read.into_iter().map(full).collect(), written.into_iter().map(full).collect());
        Some(Condition { holds, reads, writes })
    }

    /// See [`selvedge_machine::Machine::propositions`].
    pub(super) fn propositions_in(&self, state: &[u8]) -> Vec<(String, bool)> {
        if self.program.propositions.is_empty() {
            return Vec::new();
        }
        let mut scratch = Scratch::default();
        let mut exec = self.load(state, &mut scratch);
        self.program.propositions.iter().map(|(text, ex)| (text.clone(), exec.eval(ex) != 0)).collect()
    }
}

/// Whether evaluating an expression starts a process or depends on the whole system.
fn has_effect(ex: &Ex) -> bool {
    match ex {
        Ex::Run { .. } | Ex::SetPriority(..) | Ex::Timeout | Ex::NonProgress | Ex::Enabled(..) => true,
        Ex::Unary(_, inner) => has_effect(inner),
        Ex::Binary(_, both, _) => has_effect(&both.0) || has_effect(&both.1),
        Ex::Conditional(all) => has_effect(&all.0) || has_effect(&all.1) || has_effect(&all.2),
        _ => false,
    }
}
