//! Random statements.
//!
//! State spaces stay small by construction: variables mostly take values of small sets, counters are guarded, and
//! every program has a budget of statements.

use super::Gen;
use super::scope::{Access, Binding};
use crate::ast::*;

/// Where a statement stands.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// How deep it is nested.
    pub depth: u32,
    /// Inside a `do` or `for`: `break` has a meaning.
    pub in_loop: bool,
    /// Inside `atomic`: there, states are not stored, so pan does not notice that a loop goes round.
    pub in_atomic: bool,
    /// Inside a loop in the wide sense, where a `run` could happen again and again.
    pub repeats: bool,
}

impl Context {
    fn nested(self) -> Context {
        Context { depth: self.depth + 1, ..self }
    }
}

/// Deeper than this, only simple statements.
const MAX_DEPTH: u32 = 3;

impl Gen {
    /// A sequence of `count` or so statements, in a scope of its own.
    pub(crate) fn body(&mut self, cx: Context, count: usize) -> Body {
        let outer = self.locals.len();
        let mut body = Vec::new();
        for _ in 0..count.max(1) {
            let stmts = self.stmts(cx);
            // Spin takes the end of a loop for a jump, and allows none into a `d_step`.
            let d_step = matches!(stmts.first(), Some(Stmt::Block(Bracket::DStep, _)));
            if d_step && !body.is_empty() {
                body.push(Stmt::Word("skip"));
            }
            body.extend(stmts);
        }
        self.locals.truncate(outer);
        body
    }

    /// One statement, or a few that belong together.
    fn stmts(&mut self, cx: Context) -> Vec<Stmt> {
        self.budget = self.budget.saturating_sub(1);
        if cx.depth >= MAX_DEPTH || self.budget == 0 || self.rng.percent(50) {
            return vec![self.simple(cx)];
        }
        let f = &self.features;
        let weights = [
            (26, 0),
            (28, 1),
            (14, 2),
            (12, 3),
            (if f.unless { 14 } else { 0 }, 4),
            (8, 5),
            (3, 6),
            (if f.dynamic { 6 } else { 0 }, 7),
            (if f.mobile_channels { 14 } else { 0 }, 8),
            (if f.scattered_declarations { 10 } else { 0 }, 9),
            (6, 10),
        ];
        let chosen = self.rng.weighted(&weights.map(|(weight, _)| weight));
        let several = match chosen {
            0 => Some(vec![self.choice(cx)]),
            1 if cx.in_atomic && self.rng.percent(95) => Some(vec![self.choice(cx)]),
            1 => Some(vec![self.repetition(cx)]),
            2 => Some(vec![self.atomic(cx)]),
            3 => Some(vec![self.d_step()]),
            4 => Some(vec![self.unless(cx)]),
            5 => self.for_loop(cx),
            6 => Some(vec![self.plain_block(cx)]),
            7 => self.run(cx).map(|run| vec![run]),
            8 => self.receive_and_use_channel(),
            9 => Some(vec![self.declaration()]),
            _ => self.guarded_count(),
        };
        several.unwrap_or_else(|| vec![self.simple(cx)])
    }

    fn plain_block(&mut self, cx: Context) -> Stmt {
        let count = 1 + self.rng.below(3);
        Stmt::Block(Bracket::Plain, self.block(cx.nested(), count))
    }

    /// A sequence in braces: what it declares may hide what is declared outside.
    pub(crate) fn block(&mut self, cx: Context, count: usize) -> Body {
        let outer = std::mem::replace(&mut self.block_start, self.locals.len());
        let body = self.body(cx, count);
        self.block_start = outer;
        body
    }

    /// A statement without statements in it.
    fn simple(&mut self, cx: Context) -> Stmt {
        let channels = if self.features.channels { 22 } else { 0 };
        let inlines = if self.features.inlines { 8 } else { 0 };
        let breaks = if cx.in_loop { 3 } else { 0 };
        let weights = [36, 6, channels, channels, 7, 3, 2, 5, 4, inlines, breaks, 1];
        let stmt = match self.rng.weighted(&weights) {
            0 => self.assignment(),
            1 => Some(self.wait()),
            2 => self.send(),
            3 => self.receive(),
            4 => Some(Stmt::Assert(self.likely_condition())),
            5 => Some(Stmt::Word("skip")),
            6 => Some(Stmt::Print(self.value(1))),
            7 if self.gotos => Some(Stmt::Goto(String::new())),
            8 => self.select(),
            9 => self.inline_call(),
            10 => Some(Stmt::Word("break")),
            _ => self.priority_change(),
        };
        stmt.or_else(|| self.assignment()).unwrap_or(Stmt::Word("skip"))
    }

    /// A condition as a statement.
    fn wait(&mut self) -> Stmt {
        if self.features.timeout && self.rng.percent(25) {
            return Stmt::Expr(Expr::word("timeout"));
        }
        Stmt::Expr(self.condition(2))
    }

    /// Something that holds more often than not.
    fn likely_condition(&mut self) -> Expr {
        let condition = self.condition(1);
        if self.rng.percent(60) { condition.with("||", self.simple_comparison()) } else { condition }
    }

    fn assignment(&mut self) -> Option<Stmt> {
        let (place, ty) = self.place(Access::Write, Type::is_scalar)?;
        if matches!(ty, Type::Bit | Type::Bool | Type::Unsigned(_)) && self.rng.percent(20) {
            return Some(Stmt::Count(place, self.operator(&["++", "--"])));
        }
        let value = self.value_for(&ty, &place);
        Some(Stmt::Assign(place, value))
    }

    /// `(x < 2) -> x++`
    fn guarded_count(&mut self) -> Option<Vec<Stmt>> {
        let number = |t: &Type| t.is_scalar() && !matches!(t, Type::Mtype | Type::Pid);
        let (place, _) = self.place(Access::Write, number)?;
        let read = Expr::Read(place.clone());
        let n = self.rng.between(0, 3);
        let (guard, op) = if self.rng.percent(70) {
            (read.with("<", Expr::Num(n)), "++")
        } else {
            (read.with(">", Expr::Num(n - 2)), "--")
        };
        Some(vec![Stmt::Expr(guard), Stmt::Count(place, op)])
    }

    fn select(&mut self) -> Option<Stmt> {
        let counters = self.locals.iter().filter(|b| b.is_counter());
        let names: Vec<String> = counters.map(|b| b.var.name.clone()).collect();
        let name = self.rng.pick(&names)?.clone();
        let from = self.rng.between(0, 2);
        Some(Stmt::Select(Place::plain(name), from, from + self.rng.between(0, 2)))
    }

    fn inline_call(&mut self) -> Option<Stmt> {
        let inlines = self.program.inlines.clone();
        let inline = self.rng.pick(&inlines)?;
        let mut args = Vec::new();
        for param in &inline.params {
            // Parameters whose names begin with `w` are assigned in the body.
            args.push(if param.starts_with('w') {
                let number = |t: &Type| matches!(t, Type::Bit | Type::Bool | Type::Byte | Type::Short);
                Expr::Read(self.place(Access::Write, number)?.0)
            } else {
                // Never negative, since the body may use it as an index.
                self.plain_value().guarded("&", 3)
            });
        }
        Some(Stmt::Inline(inline.name.clone(), args))
    }

    /// Only beside an `int` of the process: pan leaves the last bytes of a process's record out of the
    /// state, and without one the priority stands there.
    fn priority_change(&mut self) -> Option<Stmt> {
        let int = self.locals.iter().any(|local| local.var.ty == Type::Int && local.var.len.is_none());
        if !self.features.priority || !int {
            return None;
        }
        let priority = self.rng.between(1, 4);
        let call = format!("set_priority(_pid, {priority})");
        Some(Stmt::Expr(Expr::word(call)))
    }

    /// `run P(…)`, on its own or with its result in a variable.
    pub(crate) fn run(&mut self, cx: Context) -> Option<Stmt> {
        if cx.repeats || self.gotos || self.runs_left == 0 {
            return None;
        }
        let callees = self.callees.clone();
        let callee = self.rng.pick(&callees)?;
        let run = self.run_of(callee)?;
        self.runs_left -= 1;
        let number = |t: &Type| matches!(t, Type::Byte | Type::Pid);
        match self.place(Access::Write, number) {
            Some((place, _)) if self.rng.percent(30) => Some(Stmt::Assign(place, run)),
            _ => Some(Stmt::Expr(run)),
        }
    }

    /// `run` of this process with fitting arguments.
    pub(crate) fn run_of(&mut self, callee: &Process) -> Option<Expr> {
        let mut args = Vec::new();
        for param in &callee.params {
            args.push(match &param.ty {
                Type::Chan => {
                    let wanted = self.param_signature(&param.name);
                    Expr::Read(self.channel(|s| s.fields == wanted.fields)?.0)
                }
                Type::Mtype => self.element(),
                _ if self.rng.percent(25) => self.value(1).guarded("&", 1),
                _ => Expr::Num(self.rng.between(0, 2)),
            });
        }
        let priority = (self.features.priority && self.rng.percent(50)).then(|| self.rng.between(1, 4) as u8);
        Some(Expr::Run(callee.name.clone(), args, priority))
    }

    /// A declaration of a new local, or of one that hides another.
    fn declaration(&mut self) -> Stmt {
        let outside = &self.locals[..self.block_start.min(self.locals.len())];
        let reuse: Vec<String> = outside.iter().map(|b| b.var.name.clone()).collect();
        let fresh = self.fresh("v");
        let mut var = self.local_scalar(fresh);
        if self.rng.percent(40)
            && let Some(name) = self.rng.pick(&reuse)
        {
            var.name.clone_from(name);
        }
        if self.rng.percent(40) {
            let target = Place::plain(&var.name);
            var.init = match var.ty {
                Type::Bit | Type::Bool | Type::Mtype | Type::Pid => Init::None,
                _ => Init::Value(match self.small_initial() {
                    Expr::Read(place) if place == target => Expr::Num(1),
                    value => value,
                }),
            };
        }
        self.locals.push(Binding::variable(var.clone()));
        Stmt::Declare(var)
    }

    fn small_initial(&mut self) -> Expr {
        match self.rng.below(3) {
            0 => self.plain_value(),
            _ => Expr::Num(self.rng.between(0, 3)),
        }
    }
}
