//! Expressions and references to variables: names become offsets, structures become their scalars.
//! A mistake is reported once and replaced by 0, so that further mistakes are found too.

use selvedge_source::{Diagnostic, Span};

use super::Lowerer;
use super::codes;
use super::types::{Kind, VarType};
use crate::program::{Base, Ex, Index, Pattern, Place, Receive, Scalar, Show};
use selvedge_promela_syntax::ast::{self, ExprKind, ReceiveArg, VarRef};

/// What a reference to a variable leads to.
pub(crate) struct Reference {
    pub base: Base,
    pub offset: u32,
    pub indices: Vec<Index>,
    /// What is left: a scalar, a structure, or (with `array` set) a whole array.
    pub ty: VarType,
    /// The message format, where known.
    pub spec: Option<u16>,
}

impl Reference {
    pub(super) fn place(self, scalar: Scalar) -> Place {
        Place { base: self.base, offset: self.offset, indices: self.indices, scalar }
    }
}

impl Lowerer<'_> {
    /// An expression.
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Ex {
        match &expr.kind {
            ExprKind::Const(value) => Ex::Const(*value),
            ExprKind::Var(var) => self.load(var),
            ExprKind::Unary(op, inner) => {
                let inner = self.expr(inner);
                Ex::Unary(*op, Box::new(inner))
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                Ex::Binary(*op, Box::new((left, right)), expr.span)
            }
            ExprKind::Conditional(c, a, b) => Ex::Conditional(Box::new((self.expr(c), self.expr(a), self.expr(b)))),
            ExprKind::Run { name, args, priority } => {
                self.uses_run = true;
                self.run(name, args, priority.as_deref(), expr.span)
            }
            ExprKind::ChanQuery(query, chan) => {
                let chan = self.channel(chan).0;
                Ex::Query(*query, Box::new(chan), expr.span)
            }
            ExprKind::Poll { chan, random, args } => {
                Ex::Poll(Box::new(self.receive(chan, *random, true, args, expr.span)))
            }
            ExprKind::Enabled(pid) => {
                self.uses_enabled.get_or_insert(expr.span);
                let pid = self.expr(pid);
                Ex::Enabled(Box::new(pid), expr.span)
            }
            ExprKind::PcValue(pid) => Ex::PcValue(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => {
                self.uses_priority = true;
                Ex::GetPriority(Box::new(self.expr(pid)))
            }
            ExprKind::SetPriority(pid, value) => {
                self.uses_priority = true;
                let both = (self.expr(pid), self.expr(value));
                Ex::SetPriority(Box::new(both), expr.span)
            }
            ExprKind::Timeout => {
                self.uses_timeout = true;
                Ex::Timeout
            }
            ExprKind::NonProgress => Ex::NonProgress,
            ExprKind::RemoteLabel { process, pid, label } => self.remote_label(process, pid.as_deref(), label),
            ExprKind::RemoteVar { process, pid, var } => self.remote_var(process, pid.as_deref(), var),
        }
    }

    /// A variable's value, an mtype symbol, or a predefined name.
    fn load(&mut self, var: &VarRef) -> Ex {
        if var.field.is_none()
            && var.index.is_none()
            && let Some(special) = self.special(var)
        {
            return special;
        }
        let Some(reference) = self.reference(var, true) else { return Ex::Const(0) };
        let Kind::Scalar(scalar, _) = reference.ty.kind.clone() else {
            self.error(
                Diagnostic::error(
                    codes::STRUCT_AS_SCALAR,
                    var.span,
                    format!("`{}` is a structure, not a value", self.text(var.span)),
                )
                .label("a number is needed here")
                .help("name one of its fields, as in `s.field`"),
            );
            return Ex::Const(0);
        };
        load_place(reference.place(scalar))
    }

    fn special(&mut self, var: &VarRef) -> Option<Ex> {
        let name = var.name.name.as_str();
        if self.lookup(name).is_some() {
            return None;
        }
        Some(match name {
            // The claim's own, as in Spin.
            "_pid" if self.in_claim => Ex::Const(0),
            "_pid" => Ex::Pid,
            "_nr_pr" => Ex::ProcessCount,
            "_last" => {
                self.uses_last = true;
                Ex::Last
            }
            // The claim's own, as in Spin.
            "_priority" if self.in_claim => Ex::Const(1),
            "_priority" => {
                self.uses_priority = true;
                Ex::OwnPriority
            }
            // In an event trace it stands for any value; not being constant says so.
            "_" if self.in_events => Ex::Pid,
            "_" => {
                self.error(
                    Diagnostic::error(codes::READ_OF_SCRATCH, var.span, "`_` can be written but not read")
                        .help("declare a variable if its value matters"),
                );
                Ex::Const(0)
            }
            _ => Ex::Const(self.types.symbols.get(name)?.1),
        })
    }

    /// Arguments, with structures taken apart into their scalars; each with how it is shown.
    pub(crate) fn scalars(&mut self, args: &[ast::Expr]) -> Vec<(Ex, Show)> {
        let mut out = Vec::new();
        for arg in args {
            if let ExprKind::Var(var) = &arg.kind
                && self.is_variable(var)
            {
                let allowed = std::mem::replace(&mut self.whole_array_allowed, false);
                let reference = self.reference(var, true);
                self.whole_array_allowed = allowed;
                if let Some(reference) = reference {
                    out.extend(self.spread(reference).into_iter().map(|(place, show)| (load_place(place), show)));
                }
                continue;
            }
            out.push((self.expr(arg), self.show_of(arg)));
        }
        out
    }

    /// How an expression's value is best shown.
    pub(crate) fn show_of(&mut self, expr: &ast::Expr) -> Show {
        if let ExprKind::Var(var) = &expr.kind {
            if let Some(id) = self.lookup(&var.name.name) {
                if let Kind::Scalar(_, show) = &self.variables[id].ty.kind {
                    return show.clone();
                }
            } else if let Some((set, _)) = self.types.symbols.get(&var.name.name) {
                return Show::Mtype(*set);
            }
        }
        Show::Number
    }

    /// A receive or poll; checks the number of fields where the format is known.
    pub(crate) fn receive(
        &mut self,
        chan: &VarRef,
        random: bool,
        copy: bool,
        args: &[ReceiveArg],
        span: Span,
    ) -> Receive {
        let (channel, spec) = self.channel(chan);
        let mut patterns = Vec::new();
        for arg in args {
            match arg {
                ReceiveArg::Any(_) => patterns.push(Pattern::Any),
                ReceiveArg::Match(expr) => {
                    let value = self.expr(expr);
                    patterns.push(Pattern::Match(value));
                }
                ReceiveArg::Var(var) if !self.is_variable(var) => match self.special(var) {
                    Some(constant @ Ex::Const(_)) => patterns.push(Pattern::Match(constant)),
                    Some(_) => {
                        self.assignable(var);
                        patterns.push(Pattern::Any);
                    }
                    None => {
                        self.undeclared(var);
                        patterns.push(Pattern::Any);
                    }
                },
                ReceiveArg::Var(var) => {
                    let text = self.text(var.span);
                    let twice = args.iter().any(|other| match other {
                        ReceiveArg::Var(other) => other.span.start < var.span.start && self.text(other.span) == text,
                        _ => false,
                    });
                    if twice && var.index.is_none() && var.field.is_none() {
                        self.error(
                            Diagnostic::error(
                                codes::VARIABLE_TWICE,
                                var.span,
                                format!("`{text}` receives two fields of one message"),
                            )
                            .help("use a variable of its own for each field, or `_` to drop one"),
                        );
                    }
                    if let Some(reference) = self.reference(var, false) {
                        patterns.extend(self.spread(reference).into_iter().map(|(place, _)| Pattern::Store(place)));
                    }
                }
            }
        }
        self.check_arity(chan, spec, patterns.len(), span, "receive");
        if let (Some(spec), Some(id), true) = (spec, self.lookup(&chan.name.name), copy && !self.in_events)
            && self.specs[spec as usize].capacity == 0
        {
            self.polled.push((id, span));
        }
        Receive { chan: channel, random, copy, args: patterns, span }
    }

    /// Whether a send or receive has as many fields as the channel's messages.
    pub(crate) fn check_arity(&mut self, chan: &VarRef, spec: Option<u16>, given: usize, span: Span, what: &str) {
        let Some(spec) = spec else { return };
        let wanted = self.specs[spec as usize].fields.len();
        if wanted == given {
            return;
        }
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let message = format!(
            "this {what} has {given} field{}, but messages of `{}` have {wanted}",
            plural(given),
            self.text(chan.span)
        );
        let mut error = if given > wanted {
            Diagnostic::error(codes::CHANNEL_ARITY, span, message)
        } else {
            Diagnostic::warning(codes::TOO_FEW_FIELDS, span, message).note("executing it is a runtime error")
        };
        error = error.label(format!("{wanted} field{} expected", plural(wanted)));
        if let Some(id) = self.lookup(&chan.name.name) {
            error = error.also(self.variables[id].span, "the channel's format is declared here");
        }
        self.error(error);
    }

    /// A symbol of one named mtype set is not a value of another.
    pub(crate) fn check_mtype(&mut self, show: &Show, value: &ast::Expr) {
        let (Show::Mtype(wanted), ExprKind::Var(var)) = (show, &value.kind) else { return };
        if self.lookup(&var.name.name).is_some() {
            return;
        }
        let Some((set, _)) = self.types.symbols.get(&var.name.name).copied() else { return };
        if set != *wanted {
            let name = |set: usize| {
                self.types
                    .set_names
                    .iter()
                    .find(|(_, s)| **s == set)
                    .map_or("mtype".to_owned(), |(n, _)| format!("mtype:{n}"))
            };
            let (found, wanted) = (name(set), name(*wanted));
            self.error(
                Diagnostic::error(
                    codes::WRONG_MTYPE,
                    var.span,
                    format!("`{}` belongs to {found}, not to {wanted}", var.name.name),
                )
                .label(format!("a symbol of {wanted} is needed")),
            );
        }
    }

    /// The value of an expression that must be constant; an initialised scalar counts, as in Spin.
    pub(crate) fn constant(&mut self, expr: &ast::Expr, what: &str) -> Option<i32> {
        if let ExprKind::Var(var) = &expr.kind
            && let Some(id) = self.lookup(&var.name.name)
            && let Some(value) = self.variables[id].initial
        {
            self.variables[id].read = true;
            return Some(value);
        }
        let value = fold(&self.expr(expr));
        if value.is_none() {
            self.error(
                Diagnostic::error(codes::NOT_CONSTANT, expr.span, format!("{what} must be a constant"))
                    .help("use a number, or a name given by `#define`"),
            );
        }
        value
    }
}

/// A load, in the cheapest form there is.
pub(crate) fn load_place(place: Place) -> Ex {
    match (place.base, place.scalar, place.indices.is_empty()) {
        (Base::Global, Scalar::Byte | Scalar::Bit, true) => Ex::GlobalByte(place.offset),
        (Base::Local, Scalar::Byte | Scalar::Bit, true) => Ex::LocalByte(place.offset),
        _ => Ex::Load(Box::new(place)),
    }
}

/// The value of a constant expression.
pub(crate) fn fold(ex: &Ex) -> Option<i32> {
    match ex {
        Ex::Const(value) => Some(*value),
        Ex::Unary(op, inner) => Some(crate::machine::eval::unary(*op, fold(inner)?)),
        Ex::Binary(op, both, _) => crate::machine::eval::binary(*op, fold(&both.0)?, fold(&both.1)?),
        Ex::Conditional(all) => {
            if fold(&all.0)? != 0 {
                fold(&all.1)
            } else {
                fold(&all.2)
            }
        }
        _ => None,
    }
}
