//! Random never claims and event traces.

use super::Gen;
use crate::ast::*;

impl Gen {
    /// A small automaton over conditions on the globals, with a way to complete in most cases.
    pub(crate) fn never_claim(&mut self) -> Body {
        self.locals.clear();
        self.in_claim = true;
        let states = 1 + self.rng.below(3);
        let mut body = Vec::new();
        for state in 0..states {
            let name = claim_state(state);
            body.push(Stmt::Labelled(name, Box::new(self.claim_choice(state, states))));
        }
        if self.rng.percent(50) {
            body.push(Stmt::Expr(self.claim_condition()));
        }
        self.in_claim = false;
        body
    }

    fn claim_choice(&mut self, state: usize, states: usize) -> Stmt {
        let repeat = self.rng.percent(60);
        let mut options = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            let mut option = vec![Stmt::Expr(self.claim_condition())];
            if self.rng.percent(15) {
                // The form in which Spin itself writes claims for safety properties.
                option.push(Stmt::Assert(self.claim_condition()));
                options.push(vec![Stmt::Block(Bracket::Atomic, option)]);
                continue;
            }
            option.extend(match self.rng.below(8) {
                0..2 => Some(Stmt::Goto(claim_state(self.rng.below(states)))),
                2..4 if repeat => Some(Stmt::Word("break")),
                4 => Some(Stmt::Assert(self.claim_condition())),
                5 => Some(Stmt::Word("skip")),
                _ => None,
            });
            options.push(option);
        }
        match self.rng.below(10) {
            0..6 if repeat => options.push(vec![Stmt::Word("else")]),
            0..6 => options.push(vec![Stmt::Word("else"), Stmt::Goto(claim_state(state))]),
            6..8 if repeat => options.push(vec![Stmt::Expr(Expr::word("true"))]),
            6..8 => options.push(vec![Stmt::Expr(Expr::word("true")), Stmt::Goto(claim_state(state))]),
            _ => {}
        }
        Stmt::Choice(repeat, options)
    }

    fn claim_condition(&mut self) -> Expr {
        if self.features.remote
            && self.rng.percent(40)
            && let Some(remote) = self.remote_reference()
        {
            return if self.rng.percent(30) { Expr::Unary("!", Box::new(remote)) } else { remote };
        }
        self.condition(1)
    }

    /// `P[1]@L0`, `P[1]:x == 2` for a process that is there from the start and never ends.
    fn remote_reference(&mut self) -> Option<Expr> {
        let targets = self.remote_targets.clone();
        let target = self.rng.pick(&targets)?;
        let pid = Some(Box::new(Expr::Num(target.pid as i64)));
        let name = target.process.clone();
        if self.rng.percent(60) {
            let label = self.rng.pick(&target.labels)?.clone();
            return Some(Expr::Remote(name, pid, "@", label));
        }
        let var = self.rng.pick(&target.variables)?.clone();
        let n = self.rng.between(0, 2);
        let op = self.operator(&["==", "!=", "<", ">"]);
        Some(Expr::Remote(name, pid, ":", var).with(op, Expr::Num(n)))
    }

    /// Events of one buffered channel with scalar fields.
    pub(crate) fn event_trace(&mut self) -> Option<Trace> {
        self.locals.clear();
        let mut body = Vec::new();
        let (chan, signature) =
            self.channel(|s| s.capacity.is_some_and(|n| n > 0) && s.fields.iter().all(Type::is_scalar))?;
        if chan.index.is_some() {
            return None;
        }
        let send = self.event(&chan, &signature.fields, true);
        let receive = self.event(&chan, &signature.fields, false);
        match self.rng.below(4) {
            0 => body.push(Stmt::Choice(true, vec![vec![send], vec![receive]])),
            1 => body.push(Stmt::Choice(true, vec![vec![send, receive]])),
            2 => body.extend([send, receive]),
            _ => body.extend([send.clone(), send]),
        }
        let keyword = if self.rng.percent(50) { "trace" } else { "notrace" };
        Some(Trace { keyword, body })
    }

    fn event(&mut self, chan: &Place, fields: &[Type], send: bool) -> Stmt {
        let chan = chan.clone();
        let mut args: Vec<Expr> = fields.iter().map(|_| Expr::word("_")).collect();
        if self.rng.percent(30) {
            args[0] = if fields[0] == Type::Mtype { self.element() } else { Expr::Num(1) };
        }
        if send {
            Stmt::Send { chan, sorted: false, args }
        } else {
            let args = args.into_iter().map(Arg::Match).collect();
            Stmt::Receive { chan, random: false, peek: false, args }
        }
    }
}

/// The label of a state of the claim.
fn claim_state(number: usize) -> String {
    ["T0", "accept_T1", "T2"][number].to_owned()
}
