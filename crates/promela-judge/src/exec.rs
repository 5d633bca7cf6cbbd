//! Executing one element: whether it can be executed, and what it does. A send on a rendezvous
//! channel leaves the message in the channel and the handshake open; then only a receive that
//! takes it can be executed.

use selvedge_core::ViolationKind;
use selvedge_source::Span;

use super::eval::{Here, Place, error};
use super::exclusive::{ChannelUse, Violated};
use super::flow::{Action, El};
use super::state::{State, Turn};
use super::value::Kind;
use super::{Interpreter, PlainFault};
use selvedge_promela_syntax::ast::{Expr, ExprKind, ReceiveArg, VarRef};

/// What became of an element.
pub(crate) enum Outcome {
    /// It cannot be executed.
    Blocked,
    /// It was; with faults that do not stop it.
    Done(State, Course),
    /// It was begun and cannot be completed.
    Broken(Vec<PlainFault>),
}

/// What happens while an element is executed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Course {
    pub(crate) faults: Vec<PlainFault>,
    /// The statements of a deterministic sequence that were executed.
    pub(crate) inside: Vec<Span>,
}

/// What an element needs to know besides the state.
#[derive(Clone, Copy)]
pub(crate) struct Mode {
    /// The value of `timeout`.
    pub(crate) timeout: bool,
    /// An earlier option of the same choice can be taken.
    pub(crate) moved: bool,
    /// The claim continues alone: no process has a step.
    pub(crate) stutter: bool,
}

impl Interpreter {
    /// Executes an element of a process and moves the process on.
    pub(crate) fn perform(&self, s: &State, pid: usize, at: El, mode: Mode) -> Outcome {
        let mut next = s.clone();
        let mut course = Course::default();
        let flow = &self.protos[s.processes[pid].proto].flow;
        match self.act(&mut next, pid, at, mode, &mut course) {
            Ok(false) => Outcome::Blocked,
            Ok(true) => {
                if let Some(target) = flow.targets[at] {
                    next.process_mut(pid).at = target;
                }
                if self.uses_last {
                    next.last = pid;
                }
                let exclusive = next.handshake.is_none() && flow.elements[at].atomic;
                let timeout = mode.timeout && self.claim.is_some();
                next.turn = if exclusive { Turn::Only { pid, timeout } } else { Turn::Free };
                Outcome::Done(next, course)
            }
            Err(fault) => {
                course.faults.push(fault);
                Outcome::Broken(course.faults)
            }
        }
    }

    fn act(&self, s: &mut State, pid: usize, at: El, mode: Mode, course: &mut Course) -> Result<bool, PlainFault> {
        let flow = &self.protos[s.processes[pid].proto].flow;
        let element = &flow.elements[at];
        let here =
            Here { process: Some(pid), scope: &element.scope, timeout: mode.timeout, stutter: false, violated: None };
        match &element.action {
            Action::Receive { .. } | Action::DStep => {}
            _ if s.handshake.is_some() => return Ok(false),
            _ => {}
        }
        match &element.action {
            Action::Else => Ok(!mode.moved),
            Action::DStep => {
                let first = element.parts[0].first;
                if !self.d_step_can_start(s, Some(pid), flow, first, mode)? {
                    return Ok(false);
                }
                self.run_d_step(s, Some(pid), flow, first, mode, course)?;
                Ok(true)
            }
            Action::End => {
                let youngest = pid + 1 == s.processes.len();
                if youngest {
                    s.remove_youngest();
                }
                Ok(youngest)
            }
            action => self.basic(s, here, action, &mut course.faults),
        }
    }

    /// Executes a basic statement.
    pub(crate) fn basic(
        &self,
        s: &mut State,
        here: Here<'_>,
        action: &Action,
        faults: &mut Vec<PlainFault>,
    ) -> Result<bool, PlainFault> {
        if !self.checks_claims {
            return self.execute(s, here, action, faults);
        }
        let violated = Violated::default();
        let done = self.execute(s, Here { violated: Some(&violated), ..here }, action, faults);
        if !matches!(done, Ok(false)) {
            faults.extend(violated.into_inner());
        }
        done
    }

    fn execute(
        &self,
        s: &mut State,
        here: Here<'_>,
        action: &Action,
        faults: &mut Vec<PlainFault>,
    ) -> Result<bool, PlainFault> {
        match action {
            Action::Cond(e) => return Ok(self.eval(s, here, e)? != 0),
            Action::Assign(var, e) | Action::Declare(var, e) => {
                let place = self.place(s, here, var)?;
                if !matches!(place.kind, Kind::Struct(_)) {
                    let value = self.eval(s, here, e)?;
                    self.write(s, &place, value);
                }
            }
            Action::Assert(e) => {
                let holds = self.eval(s, here, e)? != 0;
                let fault = (!holds).then(|| (ViolationKind::Assertion, "an assertion fails".into()));
                faults.extend(fault);
            }
            Action::Print(args) => {
                for arg in args {
                    self.eval(s, here, arg)?;
                }
            }
            Action::Send { chan, sorted, args } => return self.send(s, here, chan, *sorted, args, faults),
            Action::Receive { chan, random, copy, args } => {
                return self.receive(s, here, chan, *random, *copy, args, faults);
            }
            _ => {}
        }
        Ok(true)
    }

    fn send(
        &self,
        s: &mut State,
        here: Here<'_>,
        chan: &VarRef,
        sorted: bool,
        args: &[Expr],
        faults: &mut Vec<PlainFault>,
    ) -> Result<bool, PlainFault> {
        let chan = self.channel(s, here, chan)?;
        if s.channels[chan].full() {
            return Ok(false);
        }
        self.note_use(s, here, chan, ChannelUse::Send);
        let mut values = self.numbers(s, here, args)?;
        let channel = s.channel_mut(chan);
        if values.len() != channel.fields.len() {
            faults.push(error("a message has a wrong number of fields"));
        }
        values.resize(channel.fields.len(), 0);
        let position = match sorted {
            true => channel.messages.iter().position(|message| *message > values),
            false => None,
        };
        let message = values.iter().zip(&channel.fields).map(|(value, kind)| kind.cut(*value)).collect();
        channel.messages.insert(position.unwrap_or(channel.messages.len()), message);
        let slot = channel.messages.len() - 1;
        if channel.capacity == 0 {
            s.handshake = Some(chan);
        }
        self.event(s, true, chan, slot, faults)?;
        Ok(true)
    }

    /// The values of arguments, structures taken apart.
    pub(super) fn numbers(&self, s: &mut State, here: Here<'_>, args: &[Expr]) -> Result<Vec<i32>, PlainFault> {
        let mut values = Vec::new();
        for arg in args {
            match &arg.kind {
                ExprKind::Var(var) if self.is_structure(s, here, var) => {
                    let place = self.place(s, here, var)?;
                    let parts = self.parts(s, &place);
                    values.extend(parts.iter().map(|part| self.read(s, part)));
                }
                _ => values.push(self.eval(s, here, arg)?),
            }
        }
        Ok(values)
    }

    #[allow(clippy::too_many_arguments)]
    fn receive(
        &self,
        s: &mut State,
        here: Here<'_>,
        chan: &VarRef,
        random: bool,
        copy: bool,
        args: &[ReceiveArg],
        faults: &mut Vec<PlainFault>,
    ) -> Result<bool, PlainFault> {
        let chan = self.channel(s, here, chan)?;
        let rendezvous = s.channels[chan].capacity == 0;
        if rendezvous && copy {
            return Err(error("a rendezvous channel cannot be polled"));
        }
        if s.handshake != rendezvous.then_some(chan) {
            return Ok(false);
        }
        let Some(position) = self.find_message(s, here, chan, random, args)? else { return Ok(false) };
        self.note_use(s, here, chan, ChannelUse::Receive);
        let message = s.channels[chan].messages[position].clone();
        if !copy {
            self.event(s, false, chan, 0, faults)?;
        }
        let mut field = 0;
        for arg in args {
            match arg {
                ReceiveArg::Var(var) if self.symbol(here, var).is_none() => {
                    let place = self.place(s, here, var)?;
                    for part in self.parts(s, &place) {
                        self.write(s, &part, message.get(field).copied().unwrap_or(0));
                        field += 1;
                    }
                }
                _ => field += 1,
            }
        }
        if field != message.len() {
            faults.push(error("a receive has a wrong number of fields"));
        }
        if !copy {
            s.channel_mut(chan).messages.remove(position);
            s.handshake = None;
        }
        Ok(true)
    }

    fn is_structure(&self, s: &mut State, here: Here<'_>, var: &VarRef) -> bool {
        self.symbol(here, var).is_none()
            && self.place(s, here, var).is_ok_and(|place| matches!(place.kind, Kind::Struct(_)))
    }

    /// The places of the numbers inside a place.
    fn parts(&self, s: &State, place: &Place) -> Vec<Place> {
        let Kind::Struct(_) = place.kind else { return vec![place.clone()] };
        let kinds = self.globals.leaves(&place.kind);
        let mut paths = Vec::new();
        if let Some(value) = self.value(s, place) {
            leaf_paths(value, &mut place.path.clone(), &mut paths);
        }
        let parts = paths.into_iter().zip(kinds);
        parts.map(|(path, kind)| Place { root: place.root.clone(), path, kind }).collect()
    }
}

/// The paths of all numbers inside a value, in order.
fn leaf_paths(value: &super::value::Value, path: &mut Vec<usize>, paths: &mut Vec<Vec<usize>>) {
    match value {
        super::value::Value::Int(_) => paths.push(path.clone()),
        super::value::Value::Many(parts) => {
            for (index, part) in parts.iter().enumerate() {
                path.push(index);
                leaf_paths(part, path, paths);
                path.pop();
            }
        }
    }
}
