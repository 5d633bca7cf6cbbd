//! Which variables are read, and what processes refer to of each other. Found once, from the
//! elements of every body. `hidden` variables that can change what happens are part of a state
//! whatever their declaration promises; variables that nothing reads do not keep a loop from
//! being busy waiting; a global variable that decides nothing does not keep steps from commuting.

use std::collections::BTreeSet;

use super::Proto;
use super::event::EventTrace;
use super::flow::{Action, Flow, Scope};
use super::value::{Global, Globals, Value};
use selvedge_promela_syntax::ast::{BinaryOp, Expr, ExprKind, Init, ReceiveArg, VarRef};

/// What is read.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// Global variables, except hidden ones, that something reads.
    pub(crate) globals: BTreeSet<usize>,
    /// Hidden variables that something reads.
    pub(crate) hidden: BTreeSet<usize>,
    /// Global variables whose value can change what happens.
    decisive: BTreeSet<Cell>,
    /// Local variables that something reads: type of the process, slot.
    pub(crate) locals: BTreeSet<(usize, usize)>,
    /// Types of processes whose control some process refers to.
    pub(crate) watched_control: BTreeSet<usize>,
    /// Local variables that some process refers to from outside.
    pub(crate) watched_locals: BTreeSet<(usize, usize)>,
    /// `enabled` or `pc_value` occurs in a process: control and locals of all of them are watched.
    pub(crate) all_watched: bool,
    /// Global variables and their parts, by the names of fields, as they are read.
    paths: BTreeSet<Vec<String>>,
    /// Assignments from one global variable to another.
    passed_on: BTreeSet<(Cell, Cell)>,
}

/// A global variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Hidden(usize),
    Plain(usize),
}

/// What becomes of a value that is read.
#[derive(Clone, Copy)]
enum Use {
    /// It decides, or is stored where it may decide later.
    Decides,
    /// It is stored in a global variable.
    Into(Cell),
    /// It is printed.
    Printed,
}

impl Reads {
    /// Of all bodies.
    pub(crate) fn of(globals: &Globals, protos: &[Proto], claim: Option<&Flow>, event: Option<&EventTrace>) -> Reads {
        let mut reads = Reads::default();
        for (proto, definition) in protos.iter().enumerate() {
            let mut walk = Walk { globals, protos, proto: Some(proto), is_process: true, reads: &mut reads };
            walk.flow(&definition.flow);
            if let Some((condition, scope)) = &definition.provided {
                walk.expr(condition, scope, Use::Decides);
            }
            if claim.is_none() {
                walk.claimed(&definition.flow);
            }
        }
        for flow in claim.into_iter().chain(event.map(|event| &event.flow)) {
            Walk { globals, protos, proto: None, is_process: false, reads: &mut reads }.flow(flow);
        }
        reads.close();
        reads
    }

    /// Whether the value of a hidden variable can change what happens.
    pub(crate) fn hidden_decides(&self, slot: usize) -> bool {
        self.decisive.contains(&Cell::Hidden(slot))
    }

    /// Whether the value of any hidden variable can.
    #[cfg(test)]
    pub(crate) fn hidden_decide(&self) -> bool {
        self.decisive.iter().any(|cell| matches!(cell, Cell::Hidden(_)))
    }

    /// Whether the value of another global variable can.
    pub(crate) fn global_decides(&self, slot: usize) -> bool {
        self.decisive.contains(&Cell::Plain(slot))
    }

    /// Whether something reads a part of a global variable, or a part of that part.
    pub(crate) fn reads_part(&self, part: &[&str]) -> bool {
        self.paths.iter().any(|read| read.iter().zip(part).all(|(read, name)| read == name))
    }

    /// What is stored in a decisive variable is decisive.
    fn close(&mut self) {
        loop {
            let more: Vec<Cell> =
                self.passed_on.iter().filter(|(_, to)| self.decisive.contains(to)).map(|(from, _)| *from).collect();
            let before = self.decisive.len();
            self.decisive.extend(more);
            if self.decisive.len() == before {
                return;
            }
        }
    }
}

struct Walk<'a> {
    globals: &'a Globals,
    protos: &'a [Proto],
    /// The type of process whose body it is.
    proto: Option<usize>,
    is_process: bool,
    reads: &'a mut Reads,
}

impl Walk<'_> {
    fn flow(&mut self, flow: &Flow) {
        for element in &flow.elements {
            self.action(&element.action, &element.scope);
        }
        let all: Scope = flow.slots.iter().enumerate().map(|(index, slot)| (slot.name.clone(), index)).collect();
        for init in flow.slots.iter().filter_map(|slot| slot.init.as_ref()) {
            match init {
                // A local variable may take its value from a parameter or from a global variable of the same name.
                Init::Expr(e) => [&all, &Scope::new()].into_iter().for_each(|scope| self.expr(e, scope, Use::Decides)),
                Init::List(list) => list.iter().for_each(|e| self.expr(e, &all, Use::Decides)),
                Init::Chan(_) => {}
            }
        }
    }

    /// Others look at the variables that name channels which a process claims.
    fn claimed(&mut self, flow: &Flow) {
        let mut named = Reads::default();
        for claimed in &flow.claimed {
            self.var(&claimed.chan, &claimed.scope, Use::Decides);
            Walk { reads: &mut named, ..*self }.var(&claimed.chan, &claimed.scope, Use::Decides);
        }
        self.reads.watched_locals.extend(named.locals);
    }

    fn action(&mut self, action: &Action, scope: &Scope) {
        match action {
            Action::Cond(e) | Action::Assert(e) => self.expr(e, scope, Use::Decides),
            Action::Assign(var, e) | Action::Declare(var, e) => {
                self.indices(var, scope);
                let into = match scope.contains_key(&var.name.name) {
                    true => None,
                    false => self.globals.variable(&var.name.name).map(cell),
                };
                self.expr(e, scope, into.map_or(Use::Decides, Use::Into));
            }
            Action::Print(args) => args.iter().for_each(|e| self.expr(e, scope, Use::Printed)),
            Action::Send { chan, args, .. } => {
                self.var(chan, scope, Use::Decides);
                args.iter().for_each(|e| self.expr(e, scope, Use::Decides));
            }
            Action::Receive { chan, args, .. } => {
                self.var(chan, scope, Use::Decides);
                self.args(args, scope);
            }
            _ => {}
        }
    }

    fn args(&mut self, args: &[ReceiveArg], scope: &Scope) {
        for arg in args {
            match arg {
                ReceiveArg::Var(var) => self.indices(var, scope),
                ReceiveArg::Match(e) => self.expr(e, scope, Use::Decides),
                ReceiveArg::Any(_) => {}
            }
        }
    }

    /// An index may be out of range.
    fn indices(&mut self, var: &VarRef, scope: &Scope) {
        var.index.iter().for_each(|index| self.expr(index, scope, Use::Decides));
        var.field.iter().for_each(|field| self.indices(field, scope));
    }

    fn var(&mut self, var: &VarRef, scope: &Scope, used: Use) {
        self.indices(var, scope);
        let name = &var.name.name;
        if let Some(slot) = scope.get(name) {
            self.reads.locals.extend(self.proto.map(|proto| (proto, *slot)));
        } else if let Some(variable) = self.globals.variable(name) {
            let parts = std::iter::successors(Some(var), |part| part.field.as_deref());
            self.reads.paths.insert(parts.map(|part| part.name.name.clone()).collect());
            match variable.hidden {
                true => self.reads.hidden.insert(variable.slot),
                false => self.reads.globals.insert(variable.slot),
            };
            match used {
                Use::Decides => {
                    self.reads.decisive.insert(cell(variable));
                }
                Use::Into(other) => {
                    self.reads.passed_on.insert((cell(variable), other));
                }
                Use::Printed => {}
            }
        }
    }

    fn expr(&mut self, e: &Expr, scope: &Scope, used: Use) {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::NonProgress | ExprKind::Timeout => {}
            ExprKind::Var(var) => self.var(var, scope, used),
            ExprKind::ChanQuery(_, var) => self.var(var, scope, Use::Decides),
            ExprKind::Unary(_, inner) => self.expr(inner, scope, used),
            ExprKind::Binary(op, left, right) => {
                // A division may fail; so may the right side of a connective, depending on the left.
                let fails = matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::And | BinaryOp::Or);
                let used = if fails { Use::Decides } else { used };
                self.expr(left, scope, used);
                self.expr(right, scope, used);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition, scope, Use::Decides);
                self.expr(yes, scope, used);
                self.expr(no, scope, used);
            }
            ExprKind::Enabled(pid) | ExprKind::PcValue(pid) => {
                self.reads.all_watched |= self.is_process;
                self.expr(pid, scope, Use::Decides);
            }
            ExprKind::GetPriority(pid) => self.expr(pid, scope, Use::Decides),
            ExprKind::SetPriority(pid, priority) => {
                self.expr(pid, scope, Use::Decides);
                self.expr(priority, scope, Use::Decides);
            }
            ExprKind::Run { args, priority, .. } => {
                args.iter().for_each(|arg| self.expr(arg, scope, Use::Decides));
                priority.iter().for_each(|priority| self.expr(priority, scope, Use::Decides));
            }
            ExprKind::Poll { chan, args, .. } => {
                self.var(chan, scope, Use::Decides);
                self.args(args, scope);
            }
            ExprKind::RemoteLabel { process, pid, .. } => {
                let proto = self.protos.iter().position(|proto| proto.name == process.name);
                self.reads.watched_control.extend(proto.filter(|_| self.is_process));
                pid.iter().for_each(|pid| self.expr(pid, scope, Use::Decides));
            }
            ExprKind::RemoteVar { process, pid, var } => {
                pid.iter().for_each(|pid| self.expr(pid, scope, Use::Decides));
                self.indices(var, scope);
                self.remote_var(&process.name, &var.name.name);
            }
        }
    }

    fn remote_var(&mut self, process: &str, name: &str) {
        let Some(proto) = self.protos.iter().position(|proto| proto.name == process) else { return };
        let slots = self.protos[proto].flow.slots.iter().enumerate();
        for (slot, _) in slots.filter(|(_, slot)| slot.name == name) {
            self.reads.locals.insert((proto, slot));
            if self.is_process {
                self.reads.watched_locals.insert((proto, slot));
            }
        }
    }
}

fn cell(variable: &Global) -> Cell {
    match variable.hidden {
        true => Cell::Hidden(variable.slot),
        false => Cell::Plain(variable.slot),
    }
}

/// The variables of a list that are kept; 0 in place of the others.
pub(crate) fn only(values: &[Value], kept: impl Fn(usize) -> bool) -> Vec<Value> {
    let values = values.iter().enumerate();
    values.map(|(slot, value)| if kept(slot) { value.clone() } else { zeroed(value) }).collect()
}

/// The same value with every number 0.
pub(crate) fn zeroed(value: &Value) -> Value {
    match value {
        Value::Int(_) => Value::Int(0),
        Value::Many(parts) => Value::Many(parts.iter().map(zeroed).collect()),
    }
}
