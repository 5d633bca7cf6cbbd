//! `trace` and `notrace`: automata over the sends and receives on the channels they mention. Each
//! such event must be the next one of a `trace`; a `notrace` must not see all of its events.

use std::collections::BTreeSet;

use selvedge_core::ViolationKind;

use super::eval::{Here, error};
use super::flow::{Action, Flow, Scope};
use super::state::State;
use super::{Interpreter, PlainFault};
use selvedge_promela_syntax::ast::{Expr, ExprKind, ReceiveArg};

/// The event trace of a model.
pub(crate) struct EventTrace {
    pub(crate) negated: bool,
    pub(crate) flow: Flow,
}

impl Interpreter {
    /// Tells the event trace of a send or receive on channel number `chan`. The message stands in
    /// the channel, at position `slot` as Spin looks for it.
    pub(crate) fn event(
        &self,
        s: &mut State,
        send: bool,
        chan: usize,
        slot: usize,
        faults: &mut Vec<PlainFault>,
    ) -> Result<(), PlainFault> {
        let (Some(trace), Some(at)) = (&self.event, s.event) else { return Ok(()) };
        if !self.event_channels(s, trace, send)?.contains(&chan) {
            return Ok(());
        }
        let end = trace.flow.elements.iter().position(|element| matches!(element.action, Action::End));
        let mut matching = Vec::new();
        for choice in &trace.flow.moves[at] {
            if self.event_matches(s, trace, choice.element, send, chan, slot)? {
                matching.push(choice.element);
            }
        }
        match (matching.as_slice(), trace.negated) {
            ([], false) => faults.push(violated("no event of the trace matches")),
            ([], true) => s.event = end,
            ([first, rest @ ..], negated) => {
                s.event = trace.flow.targets[*first];
                if negated && s.event == end {
                    faults.push(violated("all events of the notrace happened"));
                }
                if !rest.is_empty() {
                    return Err(error("the event trace is not deterministic"));
                }
            }
        }
        Ok(())
    }

    /// The channels whose sends (or receives) the trace speaks of.
    fn event_channels(&self, s: &mut State, trace: &EventTrace, send: bool) -> Result<BTreeSet<usize>, PlainFault> {
        let here = Here { process: None, scope: &Scope::new(), timeout: false, stutter: false, violated: None };
        let mut channels = BTreeSet::new();
        for element in &trace.flow.elements {
            match &element.action {
                Action::Send { chan, .. } if send => channels.insert(self.channel(s, here, chan)?),
                Action::Receive { chan, .. } if !send => channels.insert(self.channel(s, here, chan)?),
                _ => false,
            };
        }
        Ok(channels)
    }

    fn event_matches(
        &self,
        s: &mut State,
        trace: &EventTrace,
        at: usize,
        send: bool,
        chan: usize,
        slot: usize,
    ) -> Result<bool, PlainFault> {
        let here = Here { process: None, scope: &Scope::new(), timeout: false, stutter: false, violated: None };
        let (mentioned, wanted) = match &trace.flow.elements[at].action {
            Action::Send { chan, args, .. } if send => (chan, self.sent_values(s, here, args)?),
            Action::Receive { chan, args, .. } if !send => (chan, self.received_values(s, here, args)?),
            _ => return Ok(false),
        };
        if self.channel(s, here, mentioned)? != chan {
            return Ok(false);
        }
        let message = s.channels[chan].messages.get(slot).cloned().unwrap_or_default();
        let fields = wanted.into_iter().zip(message);
        Ok(fields.into_iter().all(|(wanted, found)| wanted.is_none_or(|wanted| wanted == found)))
    }

    /// Constants and `eval(…)` must match, variables match everything.
    fn sent_values(&self, s: &mut State, here: Here<'_>, args: &[Expr]) -> Result<Vec<Option<i32>>, PlainFault> {
        let value = |s: &mut State, arg: &Expr| match &arg.kind {
            ExprKind::Var(var) => Ok(self.symbol(here, var)),
            _ => self.eval(s, here, arg).map(Some),
        };
        args.iter().map(|arg| value(s, arg)).collect()
    }

    fn received_values(
        &self,
        s: &mut State,
        here: Here<'_>,
        args: &[ReceiveArg],
    ) -> Result<Vec<Option<i32>>, PlainFault> {
        let value = |s: &mut State, arg: &ReceiveArg| match arg {
            ReceiveArg::Match(e) => self.eval(s, here, e).map(Some),
            ReceiveArg::Var(var) => Ok(self.symbol(here, var)),
            ReceiveArg::Any(_) => Ok(None),
        };
        args.iter().map(|arg| value(s, arg)).collect()
    }
}

fn violated(text: &str) -> PlainFault {
    (ViolationKind::ClaimCompleted, text.into())
}
