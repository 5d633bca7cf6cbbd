//! Violated claims to channels (see [`crate::exclusive`]): asked whenever a statement that is executed uses a channel.

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::Fault;
use selvedge_source::Span;

use super::Exec;
use crate::exclusive::{Access, Exclusive};

impl Exec<'_> {
    /// Executes something whose uses of channels are checked.
    pub(super) fn checked<T>(&mut self, execute: impl FnOnce(&mut Self) -> T) -> T {
        let checks = self.program.checks_exclusive && !self.test_only && !self.in_claim;
        let outer = std::mem::replace(&mut self.check_exclusive, checks);
        let result = execute(self);
        self.check_exclusive = outer;
        result
    }

    /// Notes a use of a channel that violates the claim of another process. The step continues, as in Spin.
    #[inline]
    pub(super) fn use_channel(&mut self, access: Access, chan: i32, span: Span) {
        if self.check_exclusive {
            self.check_claims(access, chan, span);
        }
    }

    fn check_claims(&mut self, access: Access, chan: i32, span: Span) {
        let program = self.program;
        self.check_exclusive = false;
        // Who is alive.
        self.s.tracing.shape();
        let user = usize::from(self.pid);
        for other in 0..self.s.procs.len() {
            let claims = &program.protos[usize::from(self.s.procs[other].proto)].exclusive;
            let mut violated = claims.iter().filter(|claim| other != user && access.uses(claim.end));
            let Some(claim) = violated.find(|claim| self.claimed(claim, other) == Some(chan)) else { continue };
            let message = format!(
                "{} {} a channel that {} claims for itself (`{}`)",
                self.process_name(user),
                access.verb(),
                self.process_name(other),
                claim.text
            );
            let thread = Some(ThreadId(user as u32));
            self.noted.push(Fault { kind: ViolationKind::RuntimeError, message, span: Some(span), thread });
            break;
        }
        self.check_exclusive = true;
    }

    fn process_name(&self, index: usize) -> String {
        format!("{}({index})", self.program.protos[usize::from(self.s.procs[index].proto)].name)
    }

    /// The channel that a process claims, if the variable names one.
    fn claimed(&mut self, claim: &Exclusive, process: usize) -> Option<i32> {
        let saved = (self.base, self.pid, self.fault.take());
        (self.base, self.pid) = (self.s.procs[process].locals(self.program), process as u8);
        let chan = self.eval(&claim.chan);
        let known = self.fault.is_none();
        (self.base, self.pid, self.fault) = saved;
        known.then_some(chan)
    }
}
