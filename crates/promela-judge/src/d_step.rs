//! Deterministic sequences of processes and claims: whether one can begin, and running it to its end. Of every choice
//! the first option is taken that can be.

use super::eval::{Here, error};
use super::exec::{Course, Mode};
use super::flow::{Action, El, Flow};
use super::state::State;
use super::{Interpreter, PlainFault};

/// Statements of one `d_step` after which it is taken for endless.
const LONGEST_D_STEP: usize = 1_000_000;

impl Interpreter {
    /// Whether a `d_step` can begin: its first statement, or some option of a choice. As in Spin,
    /// of a choice's options only those count that begin with a condition, a send, a receive or
    /// `else`; if there are none of them, it can begin.
    pub(crate) fn d_step_can_start(
        &self,
        s: &State,
        process: Option<usize>,
        flow: &Flow,
        first: El,
        mode: Mode,
    ) -> Result<bool, PlainFault> {
        let element = &flow.elements[first];
        match &element.action {
            Action::Block | Action::Unless => self.d_step_can_start(s, process, flow, element.parts[0].first, mode),
            Action::If => Ok(self.option_can_start(s, process, flow, first, mode)?.unwrap_or(s.handshake.is_none())),
            Action::Join => {
                let choice = element.next.filter(|next| matches!(flow.elements[*next].action, Action::Do));
                let Some(choice) = choice else { return Ok(s.handshake.is_none()) };
                Ok(self.option_can_start(s, process, flow, choice, mode)?.unwrap_or(s.handshake.is_none()))
            }
            _ => self.guard_holds(s, process, flow, first, mode),
        }
    }

    fn option_can_start(
        &self,
        s: &State,
        process: Option<usize>,
        flow: &Flow,
        choice: El,
        mode: Mode,
    ) -> Result<Option<bool>, PlainFault> {
        let mut any = None;
        for option in &flow.elements[choice].parts {
            let first = flow.begin(option.first);
            let holds = match &flow.elements[first].action {
                Action::If | Action::Do => self.option_can_start(s, process, flow, first, mode)?,
                Action::Block => {
                    // Of a block, only a choice that it begins with counts.
                    let inner = flow.elements[first].parts[0].first;
                    match flow.elements[inner].action {
                        Action::If => self.option_can_start(s, process, flow, inner, mode)?,
                        _ => None,
                    }
                }
                Action::Else => Some(s.handshake.is_none()),
                Action::Cond(_) | Action::Send { .. } | Action::Receive { .. } => {
                    Some(self.guard_holds(s, process, flow, first, mode)?)
                }
                _ => None,
            };
            if let Some(holds) = holds {
                any = Some(any.unwrap_or(false) || holds);
            }
        }
        Ok(any)
    }

    /// Whether a basic statement could be executed.
    fn guard_holds(
        &self,
        s: &State,
        process: Option<usize>,
        flow: &Flow,
        at: El,
        mode: Mode,
    ) -> Result<bool, PlainFault> {
        let element = &flow.elements[at];
        let here =
            Here { process, scope: &element.scope, timeout: mode.timeout, stutter: mode.stutter, violated: None };
        match &element.action {
            Action::Receive { .. } => self.basic(&mut s.clone(), here, &element.action, &mut Vec::new()),
            _ if s.handshake.is_some() => Ok(false),
            Action::Else => Ok(!mode.moved),
            Action::Cond(_) => self.basic(&mut s.clone(), here, &element.action, &mut Vec::new()),
            Action::Send { chan, .. } => {
                let chan = self.channel(&mut s.clone(), here, chan)?;
                Ok(!s.channels[chan].full())
            }
            _ => Ok(true),
        }
    }

    /// Runs a `d_step` to its end: of every choice the first option that can be taken.
    pub(crate) fn run_d_step(
        &self,
        s: &mut State,
        process: Option<usize>,
        flow: &Flow,
        first: El,
        mode: Mode,
        course: &mut Course,
    ) -> Result<(), PlainFault> {
        let mut current = Some(first);
        for _ in 0..LONGEST_D_STEP {
            let Some(at) = current.filter(|at| flow.elements[*at].in_d_step) else { return Ok(()) };
            let element = &flow.elements[at];
            current = match &element.action {
                Action::Block | Action::Unless => Some(element.parts[0].first),
                Action::Join | Action::BreakTarget => element.next,
                Action::Goto(target) => Some(*target),
                Action::If | Action::Do => Some(self.d_step_option(s, process, flow, at, mode, course)?),
                _ => match self.in_d_step(s, process, flow, at, mode, course)? {
                    true => element.next,
                    false => return Err(error("a statement blocks inside a d_step")),
                },
            };
        }
        Err(error("a d_step does not end"))
    }

    /// Takes an option of a choice and gives the element to go on with. An option that begins with
    /// another choice or block is taken without a way back.
    fn d_step_option(
        &self,
        s: &mut State,
        process: Option<usize>,
        flow: &Flow,
        choice: El,
        mode: Mode,
        course: &mut Course,
    ) -> Result<El, PlainFault> {
        for option in &flow.elements[choice].parts {
            let first = &flow.elements[option.first];
            match first.action {
                Action::If | Action::Do | Action::Block | Action::Join | Action::Goto(_) | Action::Unless => {
                    return Ok(option.first);
                }
                _ => {
                    if self.in_d_step(s, process, flow, option.first, mode, course)? {
                        return first.next.ok_or_else(|| error("a d_step leads nowhere"));
                    }
                }
            }
        }
        Err(error("no option can be taken inside a d_step"))
    }

    fn in_d_step(
        &self,
        s: &mut State,
        process: Option<usize>,
        flow: &Flow,
        at: El,
        mode: Mode,
        course: &mut Course,
    ) -> Result<bool, PlainFault> {
        let element = &flow.elements[at];
        let here =
            Here { process, scope: &element.scope, timeout: mode.timeout, stutter: mode.stutter, violated: None };
        let done = self.basic(s, here, &element.action, &mut course.faults)?;
        // An option that does not take the message leaves the handshake to the others.
        if done && s.handshake.is_some() {
            return Err(error("a d_step sends on a rendezvous channel"));
        }
        if done {
            course.inside.extend(element.span);
        }
        Ok(done)
    }
}
