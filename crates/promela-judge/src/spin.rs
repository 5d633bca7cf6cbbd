//! Busy waiting (docs/design.md 3.3): a process spins in a state if, in the model without its claim, the state lies on a cycle
//! of the process's own steps that changes nothing others can see. Found by following its steps.

use std::collections::HashSet;
use std::rc::Rc;

use super::reads::only;
use super::state::{State, Turn};
use super::value::Value;
use super::{Interpreter, PlainStep};

/// Statements of the longest cycle that counts.
const LONGEST_CYCLE: usize = 1000;

impl Interpreter {
    /// Whether a process spins in a state. A state inside an atomic sequence is none in which it does.
    pub fn is_spinning(&self, s: &State, process: u32) -> bool {
        self.spins(&self.settle(s.clone()), process as usize, &mut 0, u64::MAX)
    }

    /// The same of a settled state. Adds the steps executed to `steps` and gives up, answering no, at `budget`.
    pub(crate) fn spins(&self, s: &State, pid: usize, steps: &mut u64, budget: u64) -> bool {
        if s.turn != Turn::Free || pid >= s.processes.len() {
            return false;
        }
        let start = State { claim: None, ..s.clone() };
        let (home, shared) = (self.without_unread(&start, pid), self.seen_by_others(&start, pid));
        let mut known = HashSet::new();
        let mut frontier = vec![start];
        for _ in 0..LONGEST_CYCLE {
            let mut next_frontier = Vec::new();
            for next in frontier.iter().flat_map(|state| self.own_steps(state, pid)) {
                *steps += 1;
                if *steps >= budget {
                    return false;
                }
                let is_gone = pid >= next.processes.len();
                if is_gone || (next.is_stored() && self.seen_by_others(&next, pid) != shared) {
                    continue;
                }
                let key = self.without_unread(&next, pid);
                if key == home {
                    return true;
                }
                if known.insert(key) {
                    next_frontier.push(next);
                }
            }
            if next_frontier.is_empty() {
                return false;
            }
            frontier = next_frontier;
        }
        false
    }

    /// The states after a process's own steps: none of a rendezvous, none of the claim.
    fn own_steps(&self, s: &State, pid: usize) -> Vec<State> {
        let of_process = |step: &PlainStep| step.thread == Some(pid as u32) && step.partner.is_none();
        let steps = match s.turn {
            Turn::Only { pid, timeout } => self.process_steps(s, pid, timeout),
            _ => match self.process_steps(s, pid, false) {
                none if none.is_empty() && self.uses_timeout => self.system_steps(s),
                some => some,
            },
        };
        let after = steps.into_iter().filter(of_process).filter_map(|step| step.next);
        after.map(|next| self.settle(without_timeout(next))).collect()
    }

    /// The state with 0 for every variable that nothing reads.
    fn without_unread(&self, s: &State, pid: usize) -> State {
        let mut key = s.clone();
        let reads = &self.reads;
        clear(&mut key.globals, |slot| reads.globals.contains(&slot));
        clear(&mut key.hidden, |slot| reads.hidden.contains(&slot));
        let proto = s.processes[pid].proto;
        if (0..s.processes[pid].locals.len()).any(|slot| !reads.locals.contains(&(proto, slot))) {
            let process = key.process_mut(pid);
            process.locals = only(&process.locals, |slot| reads.locals.contains(&(proto, slot)));
        }
        key
    }

    /// The same without the control and the locals of a process, except those that others refer to.
    fn seen_by_others(&self, s: &State, pid: usize) -> State {
        let (proto, reads) = (s.processes[pid].proto, &self.reads);
        let mut key = self.without_unread(s, pid);
        let process = key.process_mut(pid);
        if !reads.all_watched {
            if !reads.watched_control.contains(&proto) {
                process.at = 0;
            }
            process.locals = only(&process.locals, |slot| reads.watched_locals.contains(&(proto, slot)));
        }
        key
    }
}

/// Without a claim, `timeout` has no value that is kept inside an atomic sequence.
fn without_timeout(s: State) -> State {
    match s.turn {
        Turn::Only { pid, .. } => State { turn: Turn::Only { pid, timeout: false }, ..s },
        _ => s,
    }
}

/// Sets variables to 0 that are not kept.
pub(crate) fn clear(values: &mut Rc<Vec<Value>>, kept: impl Fn(usize) -> bool) {
    if (0..values.len()).any(|slot| !kept(slot)) {
        *values = Rc::new(only(values, kept));
    }
}
