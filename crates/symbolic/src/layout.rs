//! Which variable of the diagrams stands for what, and their order. The order decides the speed
//! more than anything else: the copies of the globals are grouped by context, and within a context the
//! copies of one global stand side by side (grouping by global instead is ten times slower).
//!
//! For each context c there are three copies of the globals: `ins[c]`, what the thread finds when its
//! context starts; `outs[c]`, what it has now or left behind; `mids[c]`, between relations that are
//! composed, and the values after an assignment while it is made. In programs with calls there are two
//! more: `entry[c]` for procedures that were entered in c, `call[c]` while a call made in c is matched with its return.
//! Contexts are numbered from 0. No relation may say that copies of different contexts are equal, without more: in this
//! order it would be exponentially large.

use selvedge_boolprog::program::{Op, ProcId, Program};

use crate::bdd::{Bdds, Var};

/// The copies of the globals that belong to one context.
#[derive(Clone, Debug)]
pub struct ContextVars {
    /// At its start.
    pub ins: Vec<Var>,
    /// Now, or at its end.
    pub outs: Vec<Var>,
    /// For compositions and assignments.
    pub mids: Vec<Var>,
    /// When a procedure was entered in this context.
    pub entry: Vec<Var>,
    /// When a call was made in this context.
    pub call: Vec<Var>,
}

/// Where everything is.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Copies of the globals, by context.
    pub contexts: Vec<ContextVars>,
    /// Locals of the procedure, parameters first.
    pub locals: Vec<Var>,
    /// Locals after an assignment while it is made.
    pub locals_next: Vec<Var>,
    /// Parameters when the procedure was entered.
    pub params: Vec<Var>,
    /// Arguments of a call.
    pub args: Vec<Var>,
    /// What a procedure returns.
    pub results: Vec<Var>,
    /// The occurrences of `*` in one statement.
    pub choices: Vec<Var>,
    globals: usize,
    calls: bool,
}

impl Layout {
    /// The order for a program and so many contexts; more can be added later.
    pub fn new(program: &Program, contexts: usize) -> Layout {
        let most =
            |f: &dyn Fn(ProcId) -> usize| (0..program.procedures.len()).map(ProcId::new).map(f).max().unwrap_or(0);
        let locals = most(&|p| program.procedure(p).locals.len());
        let params = most(&|p| program.procedure(p).parameters);
        let results = most(&|p| program.procedure(p).results);
        let choices = program.edges.iter().map(|edge| edge.choices as usize).max().unwrap_or(0);
        let calls = program.edges.iter().any(|edge| matches!(edge.op, Op::Call { .. }));
        let globals = program.globals.len();
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            Var(next - 1)
        };
        let mut layout = Layout {
            contexts: Vec::new(),
            locals: Vec::new(),
            locals_next: Vec::new(),
            params: Vec::new(),
            args: Vec::new(),
            results: Vec::new(),
            choices: (0..choices).map(|_| fresh()).collect(),
            globals,
            calls,
        };
        layout.results = (0..results).map(|_| fresh()).collect();
        for local in 0..locals {
            if local < params {
                layout.params.push(fresh());
                layout.args.push(fresh());
            }
            layout.locals.push(fresh());
            layout.locals_next.push(fresh());
        }
        // The last context on top: it is the one that steps change.
        layout.contexts = (0..contexts).map(|_| context(globals, calls, &mut fresh)).collect();
        layout.contexts.reverse();
        layout
    }

    /// How many variables there are.
    pub fn variables(&self) -> u32 {
        let mut most = 0;
        let lists = [&self.locals, &self.locals_next, &self.params, &self.args, &self.results, &self.choices];
        let contexts = self.contexts.iter().flat_map(|c| [&c.ins, &c.outs, &c.mids, &c.entry, &c.call]);
        for var in lists.into_iter().chain(contexts).flatten() {
            most = most.max(var.0 + 1);
        }
        most
    }

    /// Makes sure that there are so many contexts.
    pub fn reach(&mut self, contexts: usize, bdds: &Bdds) {
        while self.contexts.len() < contexts {
            let copies = if self.calls { 5 } else { 3 };
            let mut next = bdds.add_variables(copies * self.globals as u32).0;
            self.contexts.push(context(self.globals, self.calls, &mut || {
                next += 1;
                Var(next - 1)
            }));
        }
    }
}

fn context(globals: usize, calls: bool, fresh: &mut dyn FnMut() -> Var) -> ContextVars {
    let (ins, outs, mids, entry, call) = Default::default();
    let mut vars = ContextVars { ins, outs, mids, entry, call };
    for _ in 0..globals {
        vars.ins.push(fresh());
        if calls {
            vars.entry.push(fresh());
            vars.call.push(fresh());
        }
        vars.outs.push(fresh());
        vars.mids.push(fresh());
    }
    vars
}
