//! Expressions evaluated on a state vector. A mistake at run time (division by zero, an index out
//! of range, a channel that does not exist) is noted once as a fault, and the value is 0.

use selvedge_core::{ThreadId, ViolationKind};
use selvedge_machine::Fault;
use selvedge_source::Span;

use super::{ChanRef, Exec};
use crate::exclusive::Access;
use crate::program::{Base, Ex, Pattern, Place, ProtoId, Receive, Scalar};
use selvedge_promela_syntax::ast::{BinaryOp, ChanQuery, UnaryOp};

/// A prefix operator on C's `int`.
pub(crate) fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Complement => !value,
    }
}

/// An infix operator on C's `int`; `None` for a division by zero.
#[inline]
pub(crate) fn binary(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => return None,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem if b == 0 => return None,
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Shl => a.wrapping_shl(b as u32),
        BinaryOp::Shr => a.wrapping_shr(b as u32),
        BinaryOp::Lt => i32::from(a < b),
        BinaryOp::Le => i32::from(a <= b),
        BinaryOp::Gt => i32::from(a > b),
        BinaryOp::Ge => i32::from(a >= b),
        BinaryOp::Eq => i32::from(a == b),
        BinaryOp::Ne => i32::from(a != b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::BitOr => a | b,
        BinaryOp::And => i32::from(a != 0 && b != 0),
        BinaryOp::Or => i32::from(a != 0 || b != 0),
    })
}

/// Reads a scalar at an offset.
#[inline]
pub(crate) fn read(bytes: &[u8], at: usize, scalar: Scalar) -> i32 {
    match scalar {
        Scalar::Bit | Scalar::Byte => i32::from(bytes[at]),
        Scalar::Short => i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])),
        Scalar::Int => i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
        Scalar::Unsigned(_) => match scalar.size() {
            1 => i32::from(bytes[at]),
            2 => i32::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])),
            _ => i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]),
        },
    }
}

/// Writes a scalar at an offset, truncated to its type.
#[inline]
pub(crate) fn write(bytes: &mut [u8], at: usize, scalar: Scalar, value: i32) {
    let value = scalar.truncate(value);
    match scalar.size() {
        1 => bytes[at] = value as u8,
        2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
        _ => bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()),
    }
}

impl Exec<'_> {
    /// The value of an expression in the current process.
    pub(crate) fn eval(&mut self, ex: &Ex) -> i32 {
        match ex {
            Ex::Const(value) => *value,
            Ex::GlobalByte(at) => self.byte(*at as usize),
            Ex::LocalByte(at) => self.byte(self.base + *at as usize),
            Ex::Load(place) => match self.address(place) {
                Some(at) => self.scalar(at, place.scalar),
                None => 0,
            },
            Ex::Unary(op, inner) => {
                let value = self.eval(inner);
                unary(*op, value)
            }
            Ex::Binary(op, both, span) => self.eval_binary(*op, &both.0, &both.1, *span),
            Ex::Conditional(all) => {
                if self.eval(&all.0) != 0 {
                    self.eval(&all.1)
                } else {
                    self.eval(&all.2)
                }
            }
            Ex::Run { proto, args, priority, span } => self.run(*proto, args, priority, *span),
            Ex::Query(query, chan, span) => self.query(*query, chan, *span),
            Ex::Poll(receive) => self.poll(receive),
            Ex::Pid => i32::from(self.pid),
            // Spin counts the claim as a process.
            Ex::ProcessCount => {
                self.s.tracing.shape();
                self.s.procs.len() as i32 + i32::from(self.program.claim.is_some())
            }
            Ex::Last => self.program.header.last.map_or(0, |at| self.byte(at as usize)),
            Ex::OwnPriority => self.priority_of(usize::from(self.pid)),
            Ex::Timeout => i32::from(self.timeout),
            Ex::NonProgress => i32::from(self.no_progress()),
            Ex::Enabled(pid, span) => self.eval_enabled(pid, *span),
            Ex::PcValue(pid) => {
                let pid = self.eval(pid);
                self.process(pid).map_or(0, |i| i32::from(self.control_of(i).0))
            }
            Ex::GetPriority(pid) => {
                let pid = self.eval(pid);
                self.process(pid).map_or(0, |i| self.priority_of(i))
            }
            Ex::SetPriority(both, span) => self.set_priority(&both.0, &both.1, *span),
            Ex::RemoteLabel(proto, pid, label) => {
                let state = self.program.remote_labels[*label];
                self.remote(*proto, pid.as_deref()).map_or(0, |i| i32::from(self.control_of(i) == state))
            }
            Ex::RemoteVar(proto, pid, place) => match self.remote(*proto, pid.as_deref()) {
                Some(i) => {
                    let at = self.address_in(place, self.s.procs[i].locals(self.program));
                    at.map_or(0, |at| self.scalar(at, place.scalar))
                }
                None => 0,
            },
        }
    }

    fn eval_binary(&mut self, op: BinaryOp, left: &Ex, right: &Ex, span: Span) -> i32 {
        let a = self.eval(left);
        match op {
            BinaryOp::And if a == 0 => return 0,
            BinaryOp::Or if a != 0 => return 1,
            _ => {}
        }
        let b = self.eval(right);
        binary(op, a, b).unwrap_or_else(|| {
            self.runtime_error(span, "division by zero".to_owned());
            0
        })
    }

    /// Notes a fault, unless one was noted before in the same step.
    pub(crate) fn runtime_error(&mut self, span: Span, message: String) {
        if self.fault.is_none() {
            self.fault = Some(Box::new(Fault {
                kind: ViolationKind::RuntimeError,
                message,
                span: Some(span),
                thread: (!self.in_claim).then_some(ThreadId(u32::from(self.pid))),
            }));
        }
    }

    /// Where a variable of the current process (or a global one) stands.
    #[inline]
    pub(crate) fn address(&mut self, place: &Place) -> Option<usize> {
        self.address_in(place, self.base)
    }

    #[inline]
    fn address_in(&mut self, place: &Place, base: usize) -> Option<usize> {
        let mut at = place.offset as usize
            + match place.base {
                Base::Global => 0,
                Base::Local => base,
            };
        for index in &place.indices {
            let value = self.eval(&index.value);
            if value < 0 || value as u32 >= index.len {
                self.runtime_error(
                    index.span,
                    format!("index {value} is out of range: the array has {} elements", index.len),
                );
                return None;
            }
            at += value as usize * index.stride as usize;
        }
        Some(at)
    }

    /// Stores a value in a variable of the current process (or a global one).
    #[inline]
    pub(crate) fn store(&mut self, place: &Place, value: i32) {
        if let Some(at) = self.address(place) {
            self.s.tracing.bytes(at, place.scalar.size() as usize);
            write(&mut self.s.work, at, place.scalar, value);
        }
    }

    #[inline]
    fn byte(&self, at: usize) -> i32 {
        self.s.tracing.bytes(at, 1);
        i32::from(self.s.work[at])
    }

    #[inline]
    fn scalar(&self, at: usize, scalar: Scalar) -> i32 {
        self.s.tracing.bytes(at, scalar.size() as usize);
        read(&self.s.work, at, scalar)
    }

    /// The channel with this number; a fault if there is none.
    pub(crate) fn channel(&mut self, ex: &Ex, span: Span) -> Option<(i32, ChanRef)> {
        let id = self.eval(ex);
        if self.fault.is_some() {
            return None;
        }
        if id as usize > self.program.chans.len() {
            // Whose channel it is depends on the types of the processes.
            self.s.tracing.shape();
        }
        match usize::try_from(id - 1).ok().and_then(|i| self.s.chans.get(i).copied()) {
            Some(chan) => Some((id, chan)),
            None => {
                let message =
                    if id == 0 { "the channel variable was never initialised" } else { "the channel no longer exists" };
                self.runtime_error(span, message.to_owned());
                None
            }
        }
    }

    /// Messages in a channel.
    pub(crate) fn length(&self, chan: ChanRef) -> usize {
        let spec = &self.program.specs[chan.spec as usize];
        let at = chan.offset as usize;
        if spec.capacity > 0 {
            self.s.tracing.bytes(at, spec.length_size() as usize);
        }
        match (spec.capacity, spec.length_size()) {
            (0, _) => 0,
            (_, 1) => usize::from(self.s.work[at]),
            _ => usize::from(u16::from_le_bytes([self.s.work[at], self.s.work[at + 1]])),
        }
    }

    /// Sets the number of messages in a channel.
    pub(crate) fn set_length(&mut self, chan: ChanRef, length: usize) {
        let at = chan.offset as usize;
        self.s.tracing.bytes(at, self.program.specs[chan.spec as usize].length_size() as usize);
        match self.program.specs[chan.spec as usize].length_size() {
            1 => self.s.work[at] = length as u8,
            _ => self.s.work[at..at + 2].copy_from_slice(&(length as u16).to_le_bytes()),
        }
    }

    /// Whether a channel takes no more messages. A rendezvous channel is never full: whether a
    /// send succeeds depends on its partner.
    pub(crate) fn is_full(&self, chan: ChanRef) -> bool {
        let capacity = self.program.specs[chan.spec as usize].capacity as usize;
        capacity > 0 && self.length(chan) >= capacity
    }

    fn query(&mut self, query: ChanQuery, chan: &Ex, span: Span) -> i32 {
        let Some((id, chan)) = self.channel(chan, span) else { return 0 };
        self.use_channel(Access::Ask(Some(query)), id, span);
        let length = self.length(chan);
        match query {
            ChanQuery::Len => length as i32,
            ChanQuery::Empty => i32::from(length == 0),
            ChanQuery::NonEmpty => i32::from(length > 0),
            ChanQuery::Full => i32::from(self.is_full(chan)),
            ChanQuery::NonFull => i32::from(!self.is_full(chan)),
        }
    }

    fn poll(&mut self, receive: &Receive) -> i32 {
        let Some((id, chan)) = self.channel(&receive.chan, receive.span) else { return 0 };
        self.use_channel(Access::Ask(None), id, receive.span);
        if self.program.specs[chan.spec as usize].capacity == 0 {
            self.runtime_error(receive.span, "a rendezvous channel cannot be polled".to_owned());
            return 0;
        }
        i32::from(self.find_message(receive, chan).is_some())
    }

    /// A field of a message in the channel.
    pub(crate) fn field(&self, chan: ChanRef, message: usize, field: usize) -> i32 {
        let spec = &self.program.specs[chan.spec as usize];
        let before: u32 = spec.fields[..field].iter().map(|f| f.size()).sum();
        let at = (chan.offset + spec.length_size() + before) as usize + message * spec.message_size as usize;
        self.scalar(at, spec.fields[field])
    }

    /// The message a receive would take.
    pub(crate) fn find_message(&mut self, receive: &Receive, chan: ChanRef) -> Option<usize> {
        let length = self.length(chan);
        if length == 0 {
            return None;
        }
        if receive.args.len() > self.program.specs[chan.spec as usize].fields.len() {
            self.arity_error(receive.args.len(), chan, receive.span);
            return None;
        }
        // A value that does not change is compared with every message, another (`run`) is worked out once, as in Spin.
        let is_constant =
            |pattern: &Pattern| !matches!(pattern, Pattern::Match(value) if !matches!(value, Ex::Const(_)));
        if !receive.random || receive.args.iter().all(is_constant) {
            let candidates = if receive.random { length } else { 1 };
            return (0..candidates).find(|&message| {
                receive.args.iter().enumerate().all(|(field, pattern)| match pattern {
                    Pattern::Match(value) => self.eval(value) == self.field(chan, message, field),
                    _ => true,
                })
            });
        }
        let wanted = |pattern: &Pattern| match pattern {
            Pattern::Match(value) => Some(self.eval(value)),
            _ => None,
        };
        let wanted: Vec<Option<i32>> = receive.args.iter().map(wanted).collect();
        (0..length).find(|&message| {
            let fits = |(field, value): (usize, &Option<i32>)| {
                value.is_none_or(|value| value == self.field(chan, message, field))
            };
            wanted.iter().enumerate().all(fits)
        })
    }

    pub(crate) fn arity_error(&mut self, given: usize, chan: ChanRef, span: Span) {
        let wanted = self.program.specs[chan.spec as usize].fields.len();
        self.runtime_error(span, format!("{given} fields given, but the channel's messages have {wanted}"));
    }

    /// Fewer fields than the channel's messages have: wrong, but the step continues, as in Spin.
    pub(crate) fn note_missing_fields(&mut self, given: usize, chan: ChanRef, span: Span) {
        let wanted = self.program.specs[chan.spec as usize].fields.len();
        if given < wanted && !self.test_only {
            let message = format!("{given} fields given, but the channel's messages have {wanted}");
            let thread = Some(ThreadId(u32::from(self.pid)));
            self.noted.push(Fault { kind: ViolationKind::RuntimeError, message, span: Some(span), thread });
        }
    }

    fn no_progress(&self) -> bool {
        self.s.tracing.shape();
        !(0..self.s.procs.len()).any(|i| {
            let proto = &self.program.protos[usize::from(self.s.procs[i].proto)];
            proto.controls[usize::from(self.control_of(i).0)].progress
        })
    }

    /// The index of a live process with this pid.
    fn process(&self, pid: i32) -> Option<usize> {
        self.s.tracing.shape();
        usize::try_from(pid).ok().filter(|i| *i < self.s.procs.len())
    }

    /// The process a remote reference looks into, if it has the type that is named. Spin compares the control of a
    /// process of another type with the label by number, which means nothing.
    fn remote(&mut self, proto: ProtoId, pid: Option<&Ex>) -> Option<usize> {
        let index = match pid {
            Some(pid) => {
                let pid = self.eval(pid);
                self.process(pid)?
            }
            None => {
                self.s.tracing.shape();
                self.s.procs.iter().position(|p| p.proto == proto.0)?
            }
        };
        (self.s.procs[index].proto == proto.0).then_some(index)
    }

    fn eval_enabled(&mut self, pid: &Ex, span: Span) -> i32 {
        let pid = self.eval(pid);
        if !self.in_claim && pid == i32::from(self.pid) {
            self.runtime_error(span, "enabled() asks about the process itself".to_owned());
            return 0;
        }
        self.process(pid).map_or(0, |i| i32::from(self.is_enabled(i)))
    }

    fn set_priority(&mut self, pid: &Ex, value: &Ex, span: Span) -> i32 {
        let (pid, value) = (self.eval(pid), self.eval(value));
        let Some(index) = self.process(pid) else { return 1 };
        if !(1..=255).contains(&value) {
            self.runtime_error(span, format!("priority {value} is out of range (1 to 255)"));
        } else if !self.test_only {
            let at = self.s.procs[index].offset as usize + 1 + self.program.header.control_size as usize;
            self.s.tracing.bytes(at, 1);
            self.s.work[at] = value as u8;
            self.changed = true;
        }
        1
    }

    /// A process's priority.
    pub(crate) fn priority_of(&self, index: usize) -> i32 {
        if !self.program.uses_priority {
            return 1;
        }
        let at = self.s.procs[index].offset as usize + 1 + self.program.header.control_size as usize;
        self.byte(at)
    }
}
