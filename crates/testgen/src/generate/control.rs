//! Random compound statements: selections, repetitions, atomic sequences, escapes.

use super::Gen;
use super::scope::Access;
use super::stmt::Context;
use crate::ast::*;
use crate::undefined;

impl Gen {
    /// `if … fi`
    pub(crate) fn choice(&mut self, cx: Context) -> Stmt {
        let options = self.options(cx, 10);
        Stmt::Choice(false, options)
    }

    /// `do … od`, mostly with a way out.
    pub(crate) fn repetition(&mut self, cx: Context) -> Stmt {
        let inside = Context { in_loop: true, repeats: true, ..cx };
        let mut options = self.options(inside, 25);
        options.iter_mut().filter(|o| idles(o)).for_each(|o| o.push(Stmt::Word("skip")));
        let leaves = |o: &Body| matches!(o.last(), Some(Stmt::Word("break")));
        if !options.iter().any(leaves) && self.rng.percent(65) {
            let mut way_out = vec![Stmt::Word("break")];
            if self.rng.percent(60) {
                way_out.insert(0, Stmt::Expr(self.condition(1)));
            }
            options.insert(0, way_out);
        }
        Stmt::Choice(true, options)
    }

    /// One to three options, perhaps with `else`.
    fn options(&mut self, cx: Context, breaks: u32) -> Vec<Body> {
        let count = 1 + self.rng.weighted(&[25, 50, 25]);
        let inside = Context { depth: cx.depth + 1, ..cx };
        let mut options = Vec::new();
        for _ in 0..count {
            let guard = self.guard();
            let mut option: Body = guard.into_iter().collect();
            let more = if option.is_empty() { 1 } else { self.rng.below(3) };
            if more > 0 {
                option.extend(self.body(inside, more));
            }
            if cx.in_loop && self.rng.percent(breaks) {
                option.push(Stmt::Word("break"));
            }
            options.push(option);
        }
        // Pan refuses two `else` in one state; Spin calls one beside a message dubious.
        let doubtful = |o: &Body| {
            begins_with(o, |s| matches!(s, Stmt::Word("else")))
                || (!self.features.dubious_else && begins_with(o, is_message))
        };
        // And `enabled` of a process at an `else` depends on what pan did before.
        if self.rng.percent(35) && !self.features.enabled && !options.iter().any(doubtful) {
            let mut option = vec![Stmt::Word("else")];
            if cx.in_loop && self.rng.percent(50) {
                option.push(Stmt::Word("break"));
            } else if self.rng.percent(60) {
                option.extend(self.body(inside, 1));
            }
            options.push(option);
        }
        options
    }

    /// How an option begins: with a condition, a message, or anything (then `None`).
    fn guard(&mut self) -> Option<Stmt> {
        let messages = if self.features.channels { 30 } else { 0 };
        match self.rng.weighted(&[50, messages, 20]) {
            0 if self.features.timeout && self.rng.percent(12) => Some(Stmt::Expr(Expr::word("timeout"))),
            0 => Some(Stmt::Expr(self.condition(2))),
            1 if self.rng.percent(50) => self.send(),
            1 => self.receive(),
            _ => None,
        }
    }

    /// `atomic { … }`
    pub(crate) fn atomic(&mut self, cx: Context) -> Stmt {
        let inside = Context { depth: cx.depth + 1, in_atomic: true, ..cx };
        let count = 1 + self.rng.below(4);
        let mut body = self.block(inside, count);
        if self.rng.percent(25) {
            body.insert(0, Stmt::Expr(self.condition(1)));
        }
        Stmt::Block(Bracket::Atomic, body)
    }

    /// `{ … } unless { … }`
    pub(crate) fn unless(&mut self, cx: Context) -> Stmt {
        let inside = Context { depth: cx.depth + 1, ..cx };
        let count = 1 + self.rng.below(3);
        let main = self.body(inside, count);
        let mut escape: Body = self.guard().into_iter().collect();
        if escape.is_empty() || self.rng.percent(60) {
            let more = 1 + self.rng.below(2);
            escape.extend(self.body(inside, more));
        }
        Stmt::Unless(main, escape)
    }

    /// `d_step { … }`: after the first statement nothing in it may block, or pan gives up.
    pub(crate) fn d_step(&mut self) -> Stmt {
        let outer = self.locals.len();
        let mut body = Vec::new();
        if self.rng.percent(35) {
            body.push(Stmt::Expr(self.condition(1)));
        }
        for _ in 0..1 + self.rng.below(3) {
            body.push(self.unblocking(2));
        }
        if undefined::misplaced_d_step(&body) {
            body.insert(0, Stmt::Word("skip"));
        }
        // pan lets a `d_step` that starts with one of these run in the middle of a rendezvous.
        if matches!(body.first(), Some(Stmt::Assert(_) | Stmt::Print(_))) {
            body.insert(0, Stmt::Expr(Expr::Num(1)));
        }
        self.locals.truncate(outer);
        Stmt::Block(Bracket::DStep, body)
    }

    /// A statement that is executable in every state.
    fn unblocking(&mut self, depth: u32) -> Stmt {
        let nested = if depth > 0 { 14 } else { 0 };
        match self.rng.weighted(&[50, 6, 4, nested, nested / 2, nested / 2]) {
            1 => Stmt::Word("skip"),
            2 => Stmt::Assert(self.condition(1).with("||", self.simple_comparison())),
            3 => {
                let mut options: Vec<Body> = (0..1 + self.rng.below(2))
                    .map(|_| vec![Stmt::Expr(self.condition(1)), self.unblocking(depth - 1)])
                    .collect();
                let mut other = vec![Stmt::Word("else")];
                if self.rng.percent(60) {
                    other.push(self.unblocking(depth - 1));
                }
                options.push(other);
                Stmt::Choice(false, options)
            }
            4 => match self.unblocking_message() {
                Some(stmt) => stmt,
                None => Stmt::Word("skip"),
            },
            5 => match self.counting_loop(|g| vec![g.unblocking(0)]) {
                Some(stmt) => stmt,
                None => Stmt::Word("skip"),
            },
            _ => match self.place(Access::Write, Type::is_scalar) {
                Some((place, ty)) => {
                    let value = self.value_for(&ty, &place);
                    Stmt::Assign(place, value)
                }
                None => Stmt::Word("skip"),
            },
        }
    }

    /// A send to a buffered channel, where there is room.
    fn unblocking_message(&mut self) -> Option<Stmt> {
        let (chan, signature) = self.channel(|s| s.capacity.is_some_and(|n| n > 0))?;
        if !signature.fields.iter().all(Type::is_scalar) {
            return None;
        }
        let args = signature.fields.iter().map(|t| match t {
            Type::Mtype => self.element(),
            _ => Expr::Num(self.rng.between(0, 2)),
        });
        let args = args.collect();
        let guard = Stmt::Expr(Expr::Test("nfull", chan.clone()));
        let send = Stmt::Send { chan, sorted: false, args };
        Some(Stmt::Choice(false, vec![vec![guard, send], vec![Stmt::Word("else")]]))
    }

    /// `for (i : 0 .. 2) { … }` or `for (i in a) { … }`
    pub(crate) fn for_loop(&mut self, cx: Context) -> Option<Vec<Stmt>> {
        let inside = Context { depth: cx.depth + 1, in_loop: true, repeats: true, ..cx };
        let count = 1 + self.rng.below(2);
        self.counting_loop(|g| g.body(inside, count)).map(|stmt| vec![stmt])
    }

    /// A `for` over a local byte that the body cannot assign.
    fn counting_loop(&mut self, body: impl FnOnce(&mut Gen) -> Body) -> Option<Stmt> {
        let counters: Vec<usize> = (0..self.locals.len()).filter(|at| self.locals[*at].is_counter()).collect();
        let at = *self.rng.pick(&counters)?;
        let var = Place::plain(&self.locals[at].var.name);
        let arrays: Vec<String> = self
            .globals
            .iter()
            .filter(|b| b.var.len.is_some() && b.var.ty.is_scalar())
            .map(|b| b.var.name.clone())
            .collect();
        self.locals[at].writable = false;
        let body = body(self);
        self.locals[at].writable = true;
        if self.rng.percent(25)
            && let Some(array) = self.rng.pick(&arrays)
        {
            return Some(Stmt::ForIn(var, array.clone(), body));
        }
        let from = self.rng.between(0, 1);
        let to = match self.rng.below(5) {
            0 => self.value(1).guarded("&", 1),
            _ => Expr::Num(from + self.rng.between(0, 2)),
        };
        Some(Stmt::For(var, Expr::Num(from), to, body))
    }
}

/// Whether an option does nothing in one step: pan refuses it in a loop.
fn idles(option: &Body) -> bool {
    match option.as_slice() {
        [Stmt::Word("skip")] => true,
        [Stmt::Expr(Expr::Word(word))] => word == "true",
        [Stmt::Expr(Expr::Num(1))] => true,
        _ => false,
    }
}

fn is_message(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Send { .. } | Stmt::Receive { .. })
}

/// Whether the first thing an option can do is such a statement.
fn begins_with(option: &Body, such: fn(&Stmt) -> bool) -> bool {
    let first = option.iter().find(|stmt| !matches!(stmt, Stmt::Declare(_)));
    first.is_some_and(|stmt| match stmt {
        Stmt::Block(_, body) => begins_with(body, such),
        Stmt::Unless(main, escape) => begins_with(main, such) || begins_with(escape, such),
        Stmt::Choice(_, options) => options.iter().any(|option| begins_with(option, such)),
        stmt => such(stmt),
    })
}
