//! Random sends, receives and tests of channels.

use super::Gen;
use super::scope::{Access, Signature, reply_signature};
use crate::ast::*;

impl Gen {
    /// `c!…` or `c!!…`
    pub(crate) fn send(&mut self) -> Option<Stmt> {
        let (chan, signature) = self.channel(|_| true)?;
        let mut args = Vec::new();
        for field in &signature.fields {
            args.push(self.field_value(field)?);
        }
        // Not with an event trace: pan compares its events with the last message of the channel.
        let sorted = signature.capacity != Some(0) && !self.features.trace && self.rng.percent(15);
        Some(Stmt::Send { chan, sorted, args })
    }

    /// A value for a field of a message.
    fn field_value(&mut self, field: &Type) -> Option<Expr> {
        Some(match field {
            Type::Chan => {
                let reply = reply_signature();
                let (chan, _) = self.channel(|s| s.fields == reply.fields)?;
                Expr::Read(chan)
            }
            Type::Struct(_) => Expr::Read(self.place(Access::Read, |t| t == field)?.0),
            Type::Mtype => self.element(),
            Type::Bit if self.rng.percent(30) => self.value(1).guarded("&", 1),
            Type::Bit => Expr::Num(self.rng.between(0, 1)),
            _ if self.rng.percent(70) => Expr::Num(self.number(&[0, 1, 1, 2, 3])),
            _ if self.rng.percent(10) => self.value(2),
            _ => self.value(1).guarded("&", 3),
        })
    }

    /// `c?…`, `c??…`, `c?<…>`, `c??<…>`
    pub(crate) fn receive(&mut self) -> Option<Stmt> {
        let (chan, signature) = self.channel(|_| true)?;
        let args = self.arguments(&signature.fields, true)?;
        if !restorable(&chan, &args) {
            return None;
        }
        let buffered = signature.capacity.is_some_and(|n| n > 0);
        let random = buffered && !self.features.trace && self.rng.percent(25);
        let peek = buffered && self.rng.percent(12);
        Some(Stmt::Receive { chan, random, peek, args })
    }

    /// Arguments of a receive; without variables for a poll.
    fn arguments(&mut self, fields: &[Type], variables: bool) -> Option<Vec<Arg>> {
        let mut args: Vec<Arg> = Vec::new();
        for field in fields {
            let arg = self.argument(field, variables)?;
            let taken = |other: &Arg| match (other, &arg) {
                (Arg::Into(a), Arg::Into(b)) => a.name == b.name,
                _ => false,
            };
            if args.iter().any(taken) {
                return None;
            }
            args.push(arg);
        }
        Some(args)
    }

    fn argument(&mut self, field: &Type, variables: bool) -> Option<Arg> {
        if let Type::Chan | Type::Struct(_) = field {
            let place = self.place(Access::Write, |t| t == field);
            return place.filter(|_| variables).map(|(place, _)| Arg::Into(place));
        }
        match self.rng.weighted(&[if variables { 50 } else { 0 }, 16, 8, 14]) {
            0 => self.place(Access::Write, |t| can_hold(t, field)).map_or(Some(Arg::Any), |(p, _)| Some(Arg::Into(p))),
            1 => Some(Arg::Match(match field {
                Type::Mtype => self.element(),
                _ => Expr::Num(self.number(&[0, 1, 1, 2, 3])),
            })),
            2 => Some(Arg::Eval(match field {
                Type::Mtype => self.element(),
                _ => self.value(1),
            })),
            _ => Some(Arg::Any),
        }
    }

    /// `c?[…]` of a buffered channel. (Of others, pan reports an error, and only there.)
    pub(crate) fn poll(&mut self) -> Option<Expr> {
        let (chan, signature) = self.channel(|s| s.capacity.is_some_and(|n| n > 0))?;
        let args = self.arguments(&signature.fields, false)?;
        let random = self.rng.percent(35);
        Some(Expr::Poll(chan, random, args))
    }

    /// `full(c)` and its like.
    pub(crate) fn channel_test(&mut self) -> Option<Expr> {
        let (chan, _) = self.channel(|s| s.capacity.is_some_and(|n| n > 0))?;
        if self.rng.percent(25) {
            let op = self.operator(&["==", "<", ">", "!="]);
            let n = self.rng.between(0, 2);
            return Some(Expr::Test("len", chan).with(op, Expr::Num(n)));
        }
        Some(Expr::Test(self.operator(&["empty", "nempty", "full", "nfull"]), chan))
    }

    /// A channel received in a message, and used at once: later it might not be one any more.
    pub(crate) fn receive_and_use_channel(&mut self) -> Option<Vec<Stmt>> {
        let (chan, signature) = self.channel(|s| s.fields.contains(&Type::Chan))?;
        let args = self.arguments(&signature.fields, true)?;
        let name = args.iter().find_map(|a| match a {
            Arg::Into(place) if self.is_channel_variable(&place.name) => Some(place.name.clone()),
            _ => None,
        })?;
        if !restorable(&chan, &args) {
            return None;
        }
        let used = if self.rng.percent(60) {
            let n = self.rng.between(0, 2);
            Stmt::Send { chan: Place::plain(name), sorted: false, args: vec![Expr::Num(n)] }
        } else {
            let args = self.arguments(&reply_signature().fields, true)?;
            Stmt::Receive { chan: Place::plain(name), random: false, peek: false, args }
        };
        Some(vec![Stmt::Receive { chan, random: false, peek: false, args }, used])
    }

    fn is_channel_variable(&self, name: &str) -> bool {
        self.locals.iter().any(|b| b.var.name == name && b.var.ty == Type::Chan)
    }

    /// The signature of a new channel.
    pub(crate) fn signature(&mut self) -> Signature {
        // Spin does not combine rendezvous with priorities, nor with `enabled`.
        let least = i64::from(self.features.priority || self.features.enabled);
        let capacity = Some(self.number(&[0, 0, 1, 1, 2, 2, 3]).max(least) as u8);
        if self.features.mobile_channels && self.rng.percent(30) {
            let mut fields = vec![Type::Chan];
            if self.rng.percent(30) {
                fields.insert(0, self.message_type());
            }
            return Signature { fields, capacity };
        }
        if self.features.mobile_channels && self.rng.percent(40) {
            return Signature { capacity, ..reply_signature() };
        }
        let fit = |f: &Var| f.ty.is_scalar() && !matches!(f.ty, Type::Unsigned(_));
        let fitting = self.program.typedefs.iter().filter(|t| t.fields.iter().all(fit));
        let structs: Vec<Type> = fitting.map(|t| Type::Struct(t.name.clone())).collect();
        if self.features.struct_messages && self.rng.percent(50) {
            let ty = self.rng.pick(&structs).cloned().unwrap_or(Type::Byte);
            return Signature { fields: vec![ty], capacity };
        }
        let count = 1 + self.rng.weighted(&[50, 35, 15]);
        let fields = (0..count).map(|_| self.message_type()).collect();
        Signature { fields, capacity }
    }

    fn message_type(&mut self) -> Type {
        match self.rng.weighted(&[40, 20, 10, 10, 10, 10]) {
            0 => Type::Byte,
            1 if !self.program.mtypes.is_empty() => Type::Mtype,
            2 => Type::Bit,
            3 => Type::Short,
            4 => Type::Int,
            _ => Type::Bool,
        }
    }
}

/// Whether a variable can hold every value of a field. Where it cannot, pan loses the rest of the value for good: when
/// it takes a receive back, it puts the variable's value into the message.
fn can_hold(variable: &Type, field: &Type) -> bool {
    // In a channel, bits are bytes. Values sent as `bit` are 0 and 1 here, those sent as `bool` are not.
    let width = |t: &Type| match t {
        Type::Bit | Type::Unsigned(_) => 1,
        Type::Bool if std::ptr::eq(t, variable) => 1,
        Type::Byte | Type::Bool => 8,
        Type::Short => 16,
        Type::Int => 32,
        Type::Mtype | Type::Pid | Type::Chan | Type::Struct(_) => 0,
    };
    match field {
        Type::Mtype => *variable == Type::Mtype,
        // A message of a single bit is a whole byte to pan.
        Type::Bit | Type::Bool => width(variable) >= 8,
        _ => width(variable) >= width(field),
    }
}

/// Whether pan can take a receive back: it evaluates channel and conditions again *after* variables and channel have
/// changed, so these must not depend on them.
fn restorable(chan: &Place, args: &[Arg]) -> bool {
    let mut read = Vec::new();
    chan.indices_read(&mut read);
    let mut written = vec![&chan.name];
    for arg in args {
        match arg {
            Arg::Any => {}
            Arg::Match(e) | Arg::Eval(e) => e.names_read(&mut read),
            Arg::Into(place) => {
                place.indices_read(&mut read);
                written.push(&place.name);
            }
        }
    }
    !written.iter().any(|name| read.contains(*name))
}
