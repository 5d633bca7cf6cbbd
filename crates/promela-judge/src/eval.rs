//! Expressions: their values, and the places that variables stand for. `run` and `set_priority`
//! change the state, so evaluation works on a state that the caller is ready to throw away.

use std::rc::Rc;

use selvedge_core::ViolationKind;

use super::exclusive::{ChannelUse, Violated};
use super::flow::Scope;
use super::state::State;
use super::value::{Kind, Shape, Value, binary, unary};
use super::{Interpreter, PlainFault};
use selvedge_promela_syntax::ast::{BinaryOp, ChanQuery, Expr, ExprKind, ReceiveArg, VarRef};

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Here<'i> {
    /// The process; none for a claim or an event trace.
    pub(crate) process: Option<usize>,
    /// Its visible variables.
    pub(crate) scope: &'i Scope,
    /// The value of `timeout`.
    pub(crate) timeout: bool,
    /// The claim moves alone.
    pub(crate) stutter: bool,
    /// Where claims to channels that are violated are noted; none where nothing is executed.
    pub(crate) violated: Option<&'i Violated>,
}

/// What a variable reference stands for.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) root: Root,
    /// Positions inside it.
    pub(crate) path: Vec<usize>,
    pub(crate) kind: Kind,
}

/// The variable itself.
#[derive(Clone)]
pub(crate) enum Root {
    /// Position among the global variables that are not hidden.
    Global(usize),
    /// Position among the hidden ones.
    Hidden(usize),
    /// Process and slot.
    Local(usize, usize),
    /// `_priority` of a process, or of the claim.
    Priority(Option<usize>),
    /// `_`.
    Nowhere,
}

/// A runtime error.
pub(crate) fn error(text: impl Into<String>) -> PlainFault {
    (ViolationKind::RuntimeError, text.into())
}

impl Interpreter {
    /// The value of an expression.
    pub(crate) fn eval(&self, s: &mut State, here: Here<'_>, e: &Expr) -> Result<i32, PlainFault> {
        match &e.kind {
            ExprKind::Const(value) => Ok(*value),
            ExprKind::Var(var) => self.eval_variable(s, here, var),
            ExprKind::Unary(op, inner) => Ok(unary(*op, self.eval(s, here, inner)?)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                Ok(i32::from(self.eval(s, here, left)? != 0 && self.eval(s, here, right)? != 0))
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                Ok(i32::from(self.eval(s, here, left)? != 0 || self.eval(s, here, right)? != 0))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.eval(s, here, left)?, self.eval(s, here, right)?);
                binary(*op, left, right).ok_or_else(|| error("division by zero"))
            }
            ExprKind::Conditional(condition, yes, no) => {
                let chosen = if self.eval(s, here, condition)? != 0 { yes } else { no };
                self.eval(s, here, chosen)
            }
            ExprKind::Run { name, args, priority } => {
                let args = self.numbers(s, here, args)?;
                let priority = match priority {
                    Some(priority) => self.eval(s, here, priority)?,
                    None => 1,
                };
                let proto = self.protos.iter().position(|proto| proto.name == name.name);
                self.create(s, proto.ok_or_else(|| error("no such process type"))?, &args, priority)
            }
            ExprKind::ChanQuery(..) | ExprKind::Poll { .. } => self.eval_channel(s, here, e),
            ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..)
            | ExprKind::RemoteLabel { .. }
            | ExprKind::RemoteVar { .. } => self.eval_process(s, here, e),
            ExprKind::Timeout => Ok(i32::from(here.timeout)),
            ExprKind::NonProgress => Ok(i32::from(!here.stutter && !self.has_progress(s))),
        }
    }

    /// What an expression asks of a channel.
    fn eval_channel(&self, s: &mut State, here: Here<'_>, e: &Expr) -> Result<i32, PlainFault> {
        match &e.kind {
            ExprKind::ChanQuery(query, chan) => {
                let chan = self.channel(s, here, chan)?;
                self.note_use(s, here, chan, ChannelUse::Query(*query));
                let (length, full) = (s.channels[chan].messages.len() as i32, s.channels[chan].full());
                Ok(match query {
                    ChanQuery::Len => length,
                    ChanQuery::Empty => i32::from(length == 0),
                    ChanQuery::NonEmpty => i32::from(length > 0),
                    ChanQuery::Full => i32::from(full),
                    ChanQuery::NonFull => i32::from(!full),
                })
            }
            ExprKind::Poll { chan, random, args } => {
                let chan = self.channel(s, here, chan)?;
                self.note_use(s, here, chan, ChannelUse::Poll);
                if s.channels[chan].capacity == 0 {
                    return Err(error("a rendezvous channel cannot be polled"));
                }
                Ok(i32::from(self.find_message(s, here, chan, *random, args)?.is_some()))
            }
            _ => Err(error("not a question about a channel")),
        }
    }

    /// What an expression asks of a process.
    fn eval_process(&self, s: &mut State, here: Here<'_>, e: &Expr) -> Result<i32, PlainFault> {
        match &e.kind {
            ExprKind::Enabled(pid) => {
                let pid = self.eval(s, here, pid)?;
                let pid = usize::try_from(pid).ok().filter(|pid| *pid < s.processes.len());
                if pid.is_some() && pid == here.process {
                    return Err(error("enabled() asks about its own process"));
                }
                Ok(i32::from(pid.is_some_and(|pid| self.is_enabled(s, pid, here.timeout))))
            }
            ExprKind::PcValue(pid) => {
                let pid = self.eval(s, here, pid)? as usize;
                Ok(s.processes.get(pid).map_or(0, |process| process.at as i32 + 1))
            }
            ExprKind::GetPriority(pid) => {
                let pid = self.eval(s, here, pid)? as usize;
                Ok(s.processes.get(pid).map_or(0, |process| process.priority))
            }
            ExprKind::SetPriority(pid, priority) => {
                let (pid, priority) = (self.eval(s, here, pid)? as usize, self.eval(s, here, priority)?);
                if pid < s.processes.len() {
                    if !(1..=255).contains(&priority) {
                        return Err(error("a priority lies between 1 and 255"));
                    }
                    s.process_mut(pid).priority = priority;
                }
                Ok(1)
            }
            ExprKind::RemoteLabel { process, pid, label } => {
                let proto = self.proto(&process.name)?;
                let element = self.protos[proto].flow.label(&label.name);
                let element = element.ok_or_else(|| error(format!("no label is called `{}`", label.name)))?;
                let pid = self.remote_process(s, here, proto, pid.as_deref())?;
                Ok(i32::from(pid.is_some_and(|pid| s.processes[pid].at == element)))
            }
            ExprKind::RemoteVar { process, pid, var } => {
                let proto = self.proto(&process.name)?;
                match self.remote_process(s, here, proto, pid.as_deref())? {
                    Some(pid) => self.eval_remote(s, here, pid, var),
                    None => Ok(0),
                }
            }
            _ => Err(error("not a question about a process")),
        }
    }

    fn proto(&self, name: &str) -> Result<usize, PlainFault> {
        let found = self.protos.iter().position(|proto| proto.name == name);
        found.ok_or_else(|| error(format!("no process type is called `{name}`")))
    }

    /// The process a remote reference means: the one with this number if it has that type, or the first of its type.
    fn remote_process(
        &self,
        s: &mut State,
        here: Here<'_>,
        proto: usize,
        pid: Option<&Expr>,
    ) -> Result<Option<usize>, PlainFault> {
        let pid = match pid {
            Some(pid) => self.eval(s, here, pid)? as usize,
            None => match s.processes.iter().position(|process| process.proto == proto) {
                Some(pid) => pid,
                None => return Ok(None),
            },
        };
        Ok(s.processes.get(pid).filter(|process| process.proto == proto).map(|_| pid))
    }

    fn eval_remote(&self, s: &mut State, here: Here<'_>, pid: usize, var: &VarRef) -> Result<i32, PlainFault> {
        let slots = &self.protos[s.processes[pid].proto].flow.slots;
        let slot = slots.iter().position(|slot| slot.name == var.name.name);
        let slot = slot.ok_or_else(|| error(format!("no variable is called `{}`", var.name.name)))?;
        let shape = slots[slot].shape.clone();
        let (path, _) = self.walk(s, here, &shape, var)?;
        Ok(s.processes[pid].locals[slot].at(&path).number())
    }

    fn eval_variable(&self, s: &mut State, here: Here<'_>, var: &VarRef) -> Result<i32, PlainFault> {
        let name = var.name.name.as_str();
        if !here.scope.contains_key(name) && self.globals.variable(name).is_none() {
            if let Some(value) = self.globals.symbols.get(name) {
                return Ok(*value);
            }
            match name {
                "_pid" => return Ok(here.process.unwrap_or(0) as i32),
                "_nr_pr" => return Ok((s.processes.len() + usize::from(self.claim.is_some())) as i32),
                "_last" => return Ok(s.last as i32),
                _ => {}
            }
        }
        let place = self.place(s, here, var)?;
        Ok(self.read(s, &place))
    }

    /// The place a variable stands for; checks indices.
    pub(crate) fn place(&self, s: &mut State, here: Here<'_>, var: &VarRef) -> Result<Place, PlainFault> {
        let name = &var.name.name;
        let (root, shape) = if let (Some(slot), Some(pid)) = (here.scope.get(name), here.process) {
            let proto = s.processes[pid].proto;
            (Root::Local(pid, *slot), self.protos[proto].flow.slots[*slot].shape.clone())
        } else if let Some(global) = self.globals.variable(name) {
            (if global.hidden { Root::Hidden(global.slot) } else { Root::Global(global.slot) }, global.shape.clone())
        } else {
            let root = match (name.as_str(), here.process) {
                ("_", _) => Root::Nowhere,
                ("_priority", pid) => Root::Priority(pid),
                _ => return Err(error(format!("no variable is called `{name}`"))),
            };
            return Ok(Place { root, path: Vec::new(), kind: Kind::Int });
        };
        let (path, kind) = self.walk(s, here, &shape, var)?;
        Ok(Place { root, path, kind })
    }

    /// The positions that indices and fields lead to. An array without an index is its first
    /// element.
    fn walk(
        &self,
        s: &mut State,
        here: Here<'_>,
        shape: &Shape,
        var: &VarRef,
    ) -> Result<(Vec<usize>, Kind), PlainFault> {
        let mut path = Vec::new();
        if let Some(length) = shape.length {
            let index = match &var.index {
                Some(index) => self.eval(s, here, index)?,
                None => 0,
            };
            match usize::try_from(index) {
                Ok(index) if index < length => path.push(index),
                _ => return Err(error(format!("index {index} is outside `{}`", var.name.name))),
            }
        }
        let (Kind::Struct(structure), Some(field)) = (&shape.kind, &var.field) else {
            return Ok((path, shape.kind.clone()));
        };
        let fields = &self.globals.structs[*structure].fields;
        let position = fields.iter().position(|f| f.name == field.name.name);
        let position = position.ok_or_else(|| error(format!("no field is called `{}`", field.name.name)))?;
        path.push(position);
        let (rest, kind) = self.walk(s, here, &fields[position].shape, field)?;
        path.extend(rest);
        Ok((path, kind))
    }

    /// The value at a place.
    pub(crate) fn value<'s>(&self, s: &'s State, place: &Place) -> Option<&'s Value> {
        match &place.root {
            Root::Global(slot) => s.globals.get(*slot).map(|value| value.at(&place.path)),
            Root::Hidden(slot) => s.hidden.get(*slot).map(|value| value.at(&place.path)),
            Root::Local(pid, slot) => Some(s.processes[*pid].locals[*slot].at(&place.path)),
            Root::Priority(_) | Root::Nowhere => None,
        }
    }

    /// The number at a place.
    pub(crate) fn read(&self, s: &State, place: &Place) -> i32 {
        match place.root {
            // That of the claim is 1, as in Spin.
            Root::Priority(pid) => pid.map_or(1, |pid| s.processes[pid].priority),
            _ => self.value(s, place).map_or(0, Value::number),
        }
    }

    /// Stores a number at a place, cut to its size.
    pub(crate) fn write(&self, s: &mut State, place: &Place, number: i32) {
        let value = match &place.root {
            Root::Global(slot) => Rc::make_mut(&mut s.globals).get_mut(*slot),
            Root::Hidden(slot) => Rc::make_mut(&mut s.hidden).get_mut(*slot),
            Root::Local(pid, slot) => Some(&mut s.process_mut(*pid).locals[*slot]),
            Root::Priority(None) | Root::Nowhere => None,
            Root::Priority(Some(pid)) => {
                s.process_mut(*pid).priority = number & 0xff;
                None
            }
        };
        if let Some(value) = value {
            *value.at_mut(&place.path) = Value::Int(place.kind.cut(number));
        }
    }

    /// The channel that a variable names.
    pub(crate) fn channel(&self, s: &mut State, here: Here<'_>, chan: &VarRef) -> Result<usize, PlainFault> {
        match self.eval_variable(s, here, chan)? {
            0 => Err(error(format!("`{}` has no channel", chan.name.name))),
            number => match usize::try_from(number - 1) {
                Ok(channel) if channel < s.channels.len() => Ok(channel),
                _ => Err(error(format!("the channel of `{}` is gone", chan.name.name))),
            },
        }
    }

    /// The position of the message that a receive would take: the oldest, or with `random` the
    /// first one that matches.
    pub(crate) fn find_message(
        &self,
        s: &mut State,
        here: Here<'_>,
        chan: usize,
        random: bool,
        args: &[ReceiveArg],
    ) -> Result<Option<usize>, PlainFault> {
        let count = if random { s.channels[chan].messages.len() } else { s.channels[chan].messages.len().min(1) };
        let mut known: Vec<Option<i32>> = Vec::new();
        if random && count > 0 {
            // Spin works the values out once, however many messages they are compared with.
            for arg in args {
                known.push(self.wanted(s, here, arg)?);
            }
        }
        'message: for position in 0..count {
            let mut field = 0;
            for (index, arg) in args.iter().enumerate() {
                let wanted = match known.get(index) {
                    Some(wanted) => *wanted,
                    None => self.wanted(s, here, arg)?,
                };
                if let Some(wanted) = wanted {
                    let found = s.channels[chan].messages[position].get(field).copied();
                    if found.is_some_and(|found| found != wanted) {
                        continue 'message;
                    }
                }
                field += self.width(here, s, arg);
            }
            return Ok(Some(position));
        }
        Ok(None)
    }

    /// The value that an argument of a receive asks for.
    fn wanted(&self, s: &mut State, here: Here<'_>, arg: &ReceiveArg) -> Result<Option<i32>, PlainFault> {
        Ok(match arg {
            ReceiveArg::Match(e) => Some(self.eval(s, here, e)?),
            ReceiveArg::Var(var) => self.symbol(here, var),
            ReceiveArg::Any(_) => None,
        })
    }

    /// The value of a name that is an mtype symbol and no variable.
    pub(crate) fn symbol(&self, here: Here<'_>, var: &VarRef) -> Option<i32> {
        let name = &var.name.name;
        let variable = here.scope.contains_key(name) || self.globals.variable(name).is_some();
        if variable { None } else { self.globals.symbols.get(name).copied() }
    }

    /// How many fields of a message an argument stands for.
    fn width(&self, here: Here<'_>, s: &mut State, arg: &ReceiveArg) -> usize {
        match arg {
            ReceiveArg::Var(var) if self.symbol(here, var).is_none() => {
                self.place(s, here, var).map_or(1, |place| self.globals.leaves(&place.kind).len())
            }
            _ => 1,
        }
    }

    /// Whether some process is at a place labelled `progress`.
    fn has_progress(&self, s: &State) -> bool {
        s.processes.iter().any(|process| self.protos[process.proto].flow.progress[process.at])
    }
}
