//! Who can move, and the steps of a state: the steps of each process, the two sides of a
//! rendezvous as one, `timeout` when nothing else is left, the claim in front of every step.

use selvedge_core::ViolationKind;
use selvedge_source::Span;

use super::eval::Here;
use super::exec::{Course, Mode, Outcome};
use super::flow::{Action, El, Flow, MarkLabel, Move, Scope};
use super::state::{State, Turn};
use super::{Interpreter, PlainFault};

/// One step.
#[derive(Clone, Debug)]
pub struct PlainStep {
    /// The process that acts; `None` where only the claim moves.
    pub thread: Option<u32>,
    /// The statement's place; `None` for what was not written: the join behind an `if`, the end
    /// of a process.
    pub span: Option<Span>,
    /// The receiver in a rendezvous.
    pub partner: Option<(u32, Span)>,
    /// The statements of a deterministic sequence that it executes.
    pub inside: Vec<Span>,
    /// The state after it; `None` if it could not be completed.
    pub next: Option<State>,
    /// What went wrong.
    pub faults: Vec<(ViolationKind, String)>,
    /// Variables whose values changed.
    pub changes: Vec<(String, String)>,
}

impl Interpreter {
    /// The steps of a state. Where a process is inside an atomic sequence, only its steps, if it
    /// has any. With a claim, each step is the claim's step and then a process's; where no process
    /// can move, the claim's step alone.
    pub fn steps(&self, s: &State) -> Vec<PlainStep> {
        let s = &self.settle(s.clone());
        let mut steps = self.bare_steps(s);
        for step in &mut steps {
            step.changes = step.next.as_ref().map(|next| self.changes(s, next)).unwrap_or_default();
        }
        steps
    }

    /// The same of a settled state, without the changes of variables.
    pub(crate) fn bare_steps(&self, s: &State) -> Vec<PlainStep> {
        match (s.turn, &self.claim) {
            (Turn::Only { pid, timeout }, _) => self.process_steps(s, pid, timeout),
            (Turn::Stutter { .. }, Some(claim)) => self.stutter_steps(s, claim),
            (Turn::Free, Some(claim)) => self.joint_steps(s, claim),
            (_, None) => self.system_steps(s),
        }
    }

    /// A state where a process is blocked inside its atomic sequence is one where all may move.
    pub(crate) fn settle(&self, s: State) -> State {
        match s.turn {
            Turn::Only { pid, timeout } if self.process_steps(&s, pid, timeout).is_empty() => {
                State { turn: Turn::Free, ..s }
            }
            _ => s,
        }
    }

    /// The moves of the claim without any process's.
    pub(crate) fn claim_alone(&self, s: &State) -> Vec<PlainStep> {
        let Some(claim) = &self.claim else { return Vec::new() };
        let timeout = self.claim_times_out(s, claim);
        let moves = self.claim_moves(s, claim, timeout, false).into_iter();
        moves.map(|(next, faults, span)| claim_step(next, faults, span)).collect()
    }

    /// Steps of the processes; those that need `timeout` only where there are no others.
    pub(crate) fn system_steps(&self, s: &State) -> Vec<PlainStep> {
        let steps = self.all_processes(s, false);
        if steps.is_empty() && self.uses_timeout { self.all_processes(s, true) } else { steps }
    }

    /// Steps of every process, youngest first.
    fn all_processes(&self, s: &State, timeout: bool) -> Vec<PlainStep> {
        (0..s.processes.len()).rev().flat_map(|pid| self.process_steps(s, pid, timeout)).collect()
    }

    /// A claim's step, then a process's. Without a process's step the claim begins to stutter.
    fn joint_steps(&self, s: &State, claim: &Flow) -> Vec<PlainStep> {
        let timeout = self.claim_times_out(s, claim);
        let mut steps = Vec::new();
        for (moved, faults, span) in self.claim_moves(s, claim, timeout, false) {
            let Some(moved) = moved else {
                steps.push(claim_step(None, faults, span));
                continue;
            };
            let own = self.system_steps(&State { turn: Turn::Free, ..moved.clone() });
            if own.is_empty() {
                let next = State { turn: Turn::Stutter { stored: false }, ..moved };
                steps.push(claim_step(Some(next), faults, span));
                continue;
            }
            for mut step in own {
                step.faults.splice(0..0, faults.iter().cloned());
                steps.push(step);
            }
        }
        steps
    }

    /// Whether `timeout` is true for the claim: no process can move, and the claim could move without it. As in Spin, a
    /// claim that waits for nothing but a `timeout` does not get one.
    fn claim_times_out(&self, s: &State, claim: &Flow) -> bool {
        self.uses_timeout
            && self.all_processes(s, false).is_empty()
            && !self.claim_moves(s, claim, false, false).is_empty()
    }

    fn stutter_steps(&self, s: &State, claim: &Flow) -> Vec<PlainStep> {
        let moves = self.claim_moves(s, claim, true, true).into_iter();
        moves
            .map(|(moved, faults, span)| {
                let next = moved.map(|moved| State { turn: Turn::Stutter { stored: true }, ..moved });
                claim_step(next, faults, span)
            })
            .collect()
    }

    /// Moves of the claim alone; several in a row inside its atomic sequences. Arriving at its end
    /// is the violation.
    fn claim_moves(&self, s: &State, claim: &Flow, timeout: bool, stutter: bool) -> Vec<ClaimMove> {
        let mut result = Vec::new();
        let Some(at) = s.claim else { return result };
        let mut taken = false;
        for choice in &claim.moves[at] {
            let element = &claim.elements[choice.element];
            let here = Here { process: None, scope: &Scope::new(), timeout, stutter, violated: None };
            let (mut next, mut faults) = (s.clone(), Vec::new());
            let outcome = match &element.action {
                Action::Else => Ok(!taken),
                // Like a process the claim ends once it is the only one left.
                Action::End => Ok(s.processes.is_empty()),
                Action::DStep => {
                    let mode = Mode { timeout, moved: taken, stutter };
                    self.claim_d_step(&mut next, claim, element.parts[0].first, mode, &mut faults)
                }
                action => self.basic(&mut next, here, action, &mut faults),
            };
            match outcome {
                Ok(false) => continue,
                Ok(true) => {}
                Err(fault) => {
                    faults.push(fault);
                    result.push((None, faults, element.span));
                    continue;
                }
            }
            taken = true;
            next.claim = claim.targets[choice.element];
            if self.claim_is_done(&next) {
                faults.push((ViolationKind::ClaimCompleted, "the claim is completed".into()));
            }
            if element.atomic {
                let more = self.claim_moves(&next, claim, timeout, stutter).into_iter();
                result.extend(
                    more.map(|(next, later, span)| (next, faults.iter().cloned().chain(later).collect(), span)),
                );
            } else {
                result.push((Some(next), faults, element.span));
            }
        }
        result
    }

    /// Executes a deterministic sequence of the claim.
    fn claim_d_step(
        &self,
        s: &mut State,
        claim: &Flow,
        first: El,
        mode: Mode,
        faults: &mut Vec<PlainFault>,
    ) -> Result<bool, PlainFault> {
        let can_start = self.d_step_can_start(s, None, claim, first, mode)?;
        if can_start {
            let mut course = Course::default();
            let done = self.run_d_step(s, None, claim, first, mode, &mut course);
            faults.append(&mut course.faults);
            done?;
        }
        Ok(can_start)
    }

    /// Whether the claim is at its end.
    pub(crate) fn claim_is_done(&self, s: &State) -> bool {
        self.claim.as_ref().is_some_and(|claim| s.claim.is_none_or(|at| claim.valid_ends[at]))
    }

    /// The steps of one process, rendezvous completed with every receiver.
    pub(crate) fn process_steps(&self, s: &State, pid: usize, timeout: bool) -> Vec<PlainStep> {
        match self.may_move(s, pid, timeout) {
            Ok(true) => {}
            Ok(false) => return Vec::new(),
            Err(fault) => return self.broken_steps(s, pid, &fault),
        }
        let mut steps = Vec::new();
        let mut escape: Option<El> = None;
        let mut moved = false;
        let flow = &self.protos[s.processes[pid].proto].flow;
        for choice in &flow.moves[s.processes[pid].at] {
            if escape.is_some() && escape != choice.escape {
                break;
            }
            let mut own = self.take(s, pid, *choice, Mode { timeout, moved, stutter: false });
            if moved && self.protos[s.processes[pid].proto].deterministic {
                let fault = (ViolationKind::RuntimeError, "a D_proctype has a choice".to_owned());
                own.iter_mut().filter(|step| step.next.is_some()).for_each(|step| step.faults.push(fault.clone()));
            }
            if own.iter().any(|step| step.next.is_some()) {
                moved = true;
                escape = choice.escape;
            } else if self.offers(s, pid, choice.element, Mode { timeout, moved, stutter: false }) {
                escape = None;
            }
            steps.extend(own);
        }
        steps
    }

    /// The steps of a process whose `provided` clause has no value: each of its statements goes wrong.
    fn broken_steps(&self, s: &State, pid: usize, fault: &PlainFault) -> Vec<PlainStep> {
        let flow = &self.protos[s.processes[pid].proto].flow;
        let broken = |choice: &Move| {
            let element = &flow.elements[choice.element];
            PlainStep {
                thread: Some(pid as u32),
                span: element.span.filter(|_| !matches!(element.action, Action::End)),
                partner: None,
                inside: Vec::new(),
                next: None,
                faults: vec![fault.clone()],
                changes: Vec::new(),
            }
        };
        flow.moves[s.processes[pid].at].iter().map(broken).collect()
    }

    /// The steps that executing one element makes: none if it is blocked, one for each receiver
    /// if it begins a rendezvous.
    fn take(&self, s: &State, pid: usize, choice: Move, mode: Mode) -> Vec<PlainStep> {
        let element = &self.protos[s.processes[pid].proto].flow.elements[choice.element];
        let span = element.span.filter(|_| !matches!(element.action, Action::End));
        let step = |next, course: Course| PlainStep {
            thread: Some(pid as u32),
            span,
            partner: None,
            inside: course.inside,
            next,
            faults: course.faults,
            changes: Vec::new(),
        };
        match self.perform(s, pid, choice.element, mode) {
            Outcome::Blocked => Vec::new(),
            Outcome::Broken(faults) => vec![step(None, Course { faults, ..Course::default() })],
            Outcome::Done(next, course) if s.handshake.is_some() || next.handshake.is_none() => {
                vec![step(Some(next), course)]
            }
            Outcome::Done(waiting, Course { faults, .. }) => {
                let others = (0..waiting.processes.len()).rev().filter(|other| *other != pid);
                let received = others.flat_map(|other| self.process_steps(&waiting, other, mode.timeout));
                received
                    .map(|answer| PlainStep {
                        partner: answer.thread.zip(answer.span),
                        inside: answer.inside,
                        faults: faults.iter().cloned().chain(answer.faults).collect(),
                        ..step(answer.next, Course::default())
                    })
                    .collect()
            }
        }
    }

    /// Whether an element is a rendezvous offer that was made (and, where this is asked, that nobody
    /// took): pan then forgets the escape it had chosen before.
    fn offers(&self, s: &State, pid: usize, element: El, mode: Mode) -> bool {
        let made = |outcome| matches!(outcome, Outcome::Done(next, _) if next.handshake.is_some());
        let action = &self.protos[s.processes[pid].proto].flow.elements[element].action;
        s.handshake.is_none() && matches!(action, Action::Send { .. }) && made(self.perform(s, pid, element, mode))
    }

    /// Whether `provided` and the priorities let a process move.
    fn may_move(&self, s: &State, pid: usize, timeout: bool) -> Result<bool, PlainFault> {
        if !self.is_provided(s, pid, timeout)? {
            return Ok(false);
        }
        let priority = s.processes[pid].priority;
        for other in (0..s.processes.len()).filter(|other| s.processes[*other].priority > priority) {
            if self.is_provided(s, other, timeout)? && self.is_enabled(s, other, timeout) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_provided(&self, s: &State, pid: usize, timeout: bool) -> Result<bool, PlainFault> {
        let proto = &self.protos[s.processes[pid].proto];
        let Some((condition, scope)) = &proto.provided else { return Ok(true) };
        let here = Here { process: Some(pid), scope, timeout, stutter: false, violated: None };
        Ok(self.eval(&mut s.clone(), here, condition)? != 0)
    }

    /// Whether a process could execute something, not asking whether it may: a send on a
    /// rendezvous channel counts even if nobody listens.
    pub(crate) fn is_enabled(&self, s: &State, pid: usize, timeout: bool) -> bool {
        let flow = &self.protos[s.processes[pid].proto].flow;
        flow.moves[s.processes[pid].at].iter().any(|choice| {
            !matches!(
                self.perform(s, pid, choice.element, Mode { timeout, moved: false, stutter: false }),
                Outcome::Blocked
            )
        })
    }

    /// Which processes are not where they may end.
    pub(crate) fn invalid_end(&self, s: &State) -> String {
        let wrong = |pid: &usize| !self.protos[s.processes[*pid].proto].flow.valid_ends[s.processes[*pid].at];
        let names: Vec<String> =
            (0..s.processes.len()).filter(wrong).filter_map(|pid| self.process_name(s, pid)).collect();
        match names.as_slice() {
            [] => "invalid end state: the event trace is not completed".into(),
            names => format!("invalid end state: {} blocked", names.join(", ")),
        }
    }

    /// Whether a run that ends in a state without steps is accepted if it stays there forever: some process is at an
    /// `accept` label. With a claim, the claim continues and decides.
    pub(crate) fn accepts_forever(&self, s: &State) -> bool {
        self.claim.is_none() && self.process_stands_at(s, MarkLabel::Accept)
    }

    /// Whether a state without steps is a proper end: every process where it may rest, the event
    /// trace completed. With a claim nothing is asked.
    pub(crate) fn is_valid_end(&self, s: &State) -> bool {
        let at_end =
            |process: &std::rc::Rc<super::state::Process>| self.protos[process.proto].flow.valid_ends[process.at];
        let event = match (&self.event, s.event) {
            (Some(trace), Some(at)) => trace.flow.valid_ends[at],
            _ => true,
        };
        self.claim.is_some() || s.processes.is_empty() || (s.processes.iter().all(at_end) && event)
    }
}

/// The state after a move of the claim (none if it broke off), faults, the statement's place.
type ClaimMove = (Option<State>, Vec<PlainFault>, Option<Span>);

fn claim_step(next: Option<State>, faults: Vec<PlainFault>, span: Option<Span>) -> PlainStep {
    PlainStep { thread: None, span, partner: None, inside: Vec::new(), next, faults, changes: Vec::new() }
}
