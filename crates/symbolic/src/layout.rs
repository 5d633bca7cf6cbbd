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

use selvedge_boolprog::program::{Expr, Op, ProcId, Program, VarId};

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
        let neighbours = neighbours(program, (globals, locals, results));
        layout.results = (0..results).map(|_| Var(u32::MAX)).collect();
        (layout.params, layout.args) = (vec![Var(u32::MAX); params], vec![Var(u32::MAX); params]);
        (layout.locals, layout.locals_next) = (vec![Var(u32::MAX); locals], vec![Var(u32::MAX); locals]);
        (0..results)
            .filter(|result| neighbours.results[*result].is_none())
            .for_each(|result| layout.results[result] = fresh());
        for local in (0..locals).filter(|local| neighbours.locals[*local].is_none()) {
            layout.place_local(local, &neighbours, &mut fresh);
        }
        // The last context on top: it is the one that steps change.
        for number in 0..contexts {
            let first = number + 1 == contexts;
            let vars = context(globals, calls, &mut fresh, &mut |global, fresh| {
                let here = (0..locals).filter(|local| first && neighbours.locals[*local] == Some(global));
                here.for_each(|local| layout.place_local(local, &neighbours, fresh));
            });
            layout.contexts.push(vars);
        }
        layout.contexts.reverse();
        layout
    }

    /// Gives a local its place, with its copies and the results that it is returned in.
    fn place_local(&mut self, local: usize, neighbours: &Neighbours, fresh: &mut dyn FnMut() -> Var) {
        for (result, _) in neighbours.results.iter().enumerate().filter(|(_, with)| **with == Some(local)) {
            self.results[result] = fresh();
        }
        if local < self.params.len() {
            (self.params[local], self.args[local]) = (fresh(), fresh());
        }
        (self.locals[local], self.locals_next[local]) = (fresh(), fresh());
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
            let mut fresh = || {
                next += 1;
                Var(next - 1)
            };
            self.contexts.push(context(self.globals, self.calls, &mut fresh, &mut |_, _| {}));
        }
    }
}

/// Pairs of variables up to which a relation that says that they are equal is small in any order.
const FEW_PAIRS: usize = 8;

/// Which variables stand beside others, because calls make many of them equal: in another order that relation would be
/// exponentially large. Only the first context has its globals beside locals; there are no locals for each context.
struct Neighbours {
    /// For each local, the global that is passed in it.
    locals: Vec<Option<usize>>,
    /// For each result, the local that is returned in it.
    results: Vec<Option<usize>>,
}

fn neighbours(program: &Program, (globals, locals, results): (usize, usize, usize)) -> Neighbours {
    let mut neighbours = Neighbours { locals: vec![None; locals], results: vec![None; results] };
    let index = |expr: &Expr| match expr {
        Expr::Var(VarId::Global(global)) => Some(global.index()),
        Expr::Var(VarId::Local(local)) => Some(globals + local.index()),
        _ => None,
    };
    for edge in &program.edges {
        let (values, places) = match &edge.op {
            Op::Call { args, .. } => (args, &mut neighbours.locals),
            Op::Return { values } => (values, &mut neighbours.results),
            _ => continue,
        };
        let is_call = matches!(edge.op, Op::Call { .. });
        let wanted = |value: &Expr| match is_call {
            true => index(value).filter(|index| *index < globals),
            false => index(value).and_then(|index| index.checked_sub(globals)),
        };
        let pairs: Vec<(usize, usize)> =
            values.iter().enumerate().filter_map(|(place, value)| Some((place, wanted(value)?))).collect();
        if pairs.len() > FEW_PAIRS {
            pairs.into_iter().for_each(|(place, with)| places[place] = places[place].or(Some(with)));
        }
    }
    neighbours
}

fn context(
    globals: usize,
    calls: bool,
    fresh: &mut dyn FnMut() -> Var,
    before: &mut dyn FnMut(usize, &mut dyn FnMut() -> Var),
) -> ContextVars {
    let (ins, outs, mids, entry, call) = Default::default();
    let mut vars = ContextVars { ins, outs, mids, entry, call };
    for global in 0..globals {
        before(global, fresh);
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
