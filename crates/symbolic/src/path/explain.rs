//! The way back: every fact is explained by facts of earlier generations, calls by their bodies, until the start is
//! reached.

use selvedge_boolprog::machine::Values;
use selvedge_boolprog::program::{EdgeId, Op, VarId};

use super::{Fact, Key, Origin, Point, Search, ThreadStep, local};
use crate::bdd::{Bdd, Run, Var};
use crate::encode::Encoding;
use crate::thread::Activation;

impl Search<'_, '_> {
    /// Explains the last fact; the steps in the order in which they are taken.
    pub(super) fn backward(&self, last: Fact, end: Option<EdgeId>) -> Run<Vec<ThreadStep>> {
        let mut steps = Vec::new();
        if let Some(edge) = end {
            let (before, after) = (last.point.values(), Values { locals: None, ..last.point.values() });
            steps.push(ThreadStep { context: last.key.context, edge, before, after });
        }
        let mut pending = vec![(last, None)];
        // A fact, and the step to take after everything that explains it (a call, seen from behind).
        while let Some((fact, after)) = pending.pop() {
            if let Some(step) = after {
                steps.push(step);
            }
            // After a return, the innermost frame is another one.
            let after = match &fact.globals_after {
                Some(globals) => Values { globals: Some(globals.clone()), locals: None },
                None => fact.point.values(),
            };
            let step = |edge, from: &Fact| ThreadStep {
                context: from.key.context,
                edge,
                before: from.point.values(),
                after: after.clone(),
            };
            let call = |edge, from: &Fact| ThreadStep {
                after: Values { locals: None, ..from.point.values() },
                ..step(edge, from)
            };
            match self.origin(&fact)? {
                Origin::Start => {}
                Origin::Switch(from) => pending.push((from, None)),
                Origin::Step(edge, from) => {
                    steps.push(step(edge, &from));
                    pending.push((from, None));
                }
                Origin::Call(edge, from) => {
                    steps.push(call(edge, &from));
                    pending.push((from, None));
                }
                Origin::Return(edge, caller, callee) => {
                    let call = call(edge, &caller);
                    pending.push((caller, Some(call)));
                    pending.push((callee, None));
                }
            }
        }
        steps.reverse();
        Ok(steps)
    }

    fn origin(&self, fact: &Fact) -> Run<Origin> {
        if self.is_start(fact) {
            return Ok(Origin::Start);
        }
        if let Some(caller) = self.caller(fact)? {
            return Ok(caller);
        }
        if let Some(from) = self.before_switch(fact)? {
            return Ok(Origin::Switch(from));
        }
        for &id in &self.incoming[fact.key.node.index()] {
            let found = match self.encoding.call_site(id) {
                Some(_) => self.before_return(fact, id)?,
                None => self.before_step(fact, id)?.map(|from| Origin::Step(id, from)),
            };
            if let Some(origin) = found {
                return Ok(origin);
            }
        }
        unreachable!("every fact is derived from facts of earlier generations")
    }

    fn at_entry(&self, fact: &Fact) -> bool {
        let program = self.encoding.program;
        program.procedure(program.node(fact.key.node).procedure).entry == fact.key.node
    }

    fn is_start(&self, fact: &Fact) -> bool {
        match fact.key.activation {
            Activation::Root => fact.generation == 0,
            Activation::Called(made_in) => fact.returned && self.just_entered(fact, made_in),
        }
    }

    fn just_entered(&self, fact: &Fact, made_in: usize) -> bool {
        let Point { globals, locals, entry, params, .. } = &fact.point;
        let own = &locals[..params.len().min(locals.len())];
        self.at_entry(fact) && fact.key.context == made_in && globals == entry && own == &params[..own.len()]
    }

    /// Who called a procedure that has not returned.
    fn caller(&self, fact: &Fact) -> Run<Option<Origin>> {
        let Activation::Called(made_in) = fact.key.activation else { return Ok(None) };
        if fact.returned || !self.just_entered(fact, made_in) {
            return Ok(None);
        }
        let (encoding, bdds) = (self.encoding, &self.encoding.bdds);
        let procedure = encoding.program.node(fact.key.node).procedure;
        for &id in &encoding.flow.callers[procedure.index()] {
            let edge = encoding.program.edge(id);
            let Op::Call { args, .. } = &edge.op else { continue };
            let mut condition = self.globals_are(&fact.point.entry)?;
            for (arg, value) in args.iter().zip(&fact.point.params) {
                let equal = bdds.iff(&encoding.value(arg, 0)?, &bdds.constant(*value))?;
                condition = bdds.and(&condition, &equal)?;
            }
            let condition = bdds.exists(&condition, &encoding.choices(edge)?)?;
            for key in self.known.keys().filter(|key| key.node == edge.from && key.context == made_in) {
                if let Some(from) = self.earlier(*key, &condition, fact.generation, false)? {
                    return Ok(Some(Origin::Call(id, from)));
                }
            }
        }
        Ok(None)
    }

    /// The earliest fact of a key that satisfies a condition and is older than `generation`.
    fn earlier(&self, key: Key, condition: &Bdd, generation: usize, returned: bool) -> Run<Option<Fact>> {
        let Some(history) = self.known.get(&key) else { return Ok(None) };
        for (born, states) in history.iter().take_while(|(born, _)| *born < generation) {
            let met = self.encoding.bdds.and(states, condition)?;
            if let Some(point) = self.pick(key, &met)? {
                return Ok(Some(Fact { key, point, generation: *born, returned, globals_after: None }));
            }
        }
        Ok(None)
    }

    fn before_switch(&self, fact: &Fact) -> Run<Option<Fact>> {
        let context = fact.key.context;
        if context == 0 || fact.point.globals != self.interface.ins[context] || !self.may_switch(fact.key) {
            return Ok(None);
        }
        let before = Point { globals: self.interface.outs[context - 1].clone(), ..fact.point.clone() };
        let condition = self.state(fact.key, &before, |_| true)?;
        self.earlier(Key { context: context - 1, ..fact.key }, &condition, fact.generation, fact.returned)
    }

    /// The state before a step that is no call.
    fn before_step(&self, fact: &Fact, id: EdgeId) -> Run<Option<Fact>> {
        let (encoding, bdds) = (self.encoding, &self.encoding.bdds);
        let edge = encoding.program.edge(id);
        let before = |var: VarId| bdds.var(encoding.now(var, 0));
        let after = |var: VarId| Ok(bdds.constant(fact.point.value(var)));
        let mut condition = bdds.yes();
        let targets = match &edge.op {
            Op::Assume(e) | Op::Assert(e) => {
                condition = encoding.value(e, 0)?;
                Vec::new()
            }
            Op::Assign { targets, values, constrain } => {
                let assigned = targets.iter().zip(values);
                condition = encoding.all_equal(
                    assigned.map(|(target, value)| (after(*target), value, encoding.expr(value, &before, &after))),
                )?;
                if let Some(constrain) = constrain {
                    condition = bdds.and(&condition, &encoding.expr(constrain, &before, &after)?)?;
                }
                targets.clone()
            }
            Op::Return { values } => {
                let returned = values.iter().zip(&fact.point.results);
                condition = encoding.all_equal(
                    returned.map(|(value, result)| (Ok(bdds.constant(*result)), value, encoding.value(value, 0))),
                )?;
                let locals = encoding.program.procedure(encoding.program.node(edge.from).procedure).locals.len();
                (0..locals).map(local).collect()
            }
            _ => Vec::new(),
        };
        let condition = bdds.exists(&condition, &encoding.choices(edge)?)?;
        let kept = self.state(fact.key, &fact.point, |var| !targets.contains(&var))?;
        let key = Key { node: edge.from, ..fact.key };
        self.earlier(key, &bdds.and(&condition, &kept)?, fact.generation, fact.returned)
    }

    /// The states before a call and at the end of its body, if the fact is where the call returns to.
    fn before_return(&self, fact: &Fact, id: EdgeId) -> Run<Option<Origin>> {
        let site = self.encoding.call_site(id).expect("a call");
        let Op::Call { args, targets, .. } = &site.edge.op else { return Ok(None) };
        let (encoding, bdds) = (self.encoding, &self.encoding.bdds);
        let written: Vec<VarId> = targets.iter().flatten().copied().collect();
        let exit = encoding.program.procedure(site.callee).exit;
        // The callee's exits that give these results.
        let results = encoding.layout.borrow().results.clone();
        let globals = encoding.outs(0).into_iter().zip(&fact.point.globals).enumerate();
        let unchanged = globals.filter(|(g, _)| !written.contains(&Encoding::global(*g))).map(|(_, (v, b))| (v, *b));
        let given = targets.iter().zip(&results).filter_map(|(t, r)| t.map(|t| (*r, fact.point.value(t))));
        let leaving = bdds.point(unchanged.chain(given))?;
        let mut caller_state =
            self.state(fact.key, &fact.point, |var| matches!(var, VarId::Local(_)) && !written.contains(&var))?;
        let layout = encoding.layout.borrow().clone();
        for (arg, var) in args.iter().zip(&layout.args) {
            let equal = bdds.iff(&bdds.var(*var)?, &encoding.value(arg, 0)?)?;
            caller_state = bdds.and(&caller_state, &equal)?;
        }
        let caller_state = bdds.exists(&caller_state, &encoding.choices(site.edge)?)?;
        for made_in in 0..=fact.key.context {
            let at_exit = Key { context: fact.key.context, activation: Activation::Called(made_in), node: exit };
            let Some(exits) = self.older(at_exit, fact.generation) else { continue };
            let exits = bdds.and(exits, &leaving)?;
            let forget = bdds.cube(encoding.outs(0).into_iter().chain(results.iter().copied()))?;
            let entered = bdds.exists(&exits, &forget)?;
            // How it was entered is how it was called.
            let to_caller = layout.contexts[0].entry.iter().copied().zip(encoding.outs(0));
            let to_args = layout.params.iter().copied().zip(layout.args.iter().copied());
            let called = bdds.rename(&entered, &bdds.renaming(to_caller.chain(to_args))?)?;
            let condition = bdds.and(&called, &caller_state)?;
            let from = Key { context: made_in, node: site.edge.from, ..fact.key };
            let args_of = bdds.cube(layout.args.iter().copied())?;
            let callers = bdds.exists(&condition, &args_of)?;
            let Some(caller) = self.earlier(from, &callers, fact.generation, fact.returned)? else { continue };
            // The arguments of this very caller.
            let this = bdds.and(&condition, &self.state(from, &caller.point, |_| true)?)?;
            let values = bdds.pick(&this).expect("the caller satisfies the condition");
            let params = encoding.shared(&values, &layout.args);
            let entry = layout.contexts[0].entry.iter().copied().zip(caller.point.globals.iter().copied());
            let entered = bdds.point(entry.chain(layout.params.iter().copied().zip(params)))?;
            let condition = bdds.and(&leaving, &entered)?;
            let mut callee = self.earlier(at_exit, &condition, fact.generation, true)?.expect("chosen among the exits");
            callee.globals_after = Some(fact.point.globals.clone());
            return Ok(Some(Origin::Return(id, caller, callee)));
        }
        Ok(None)
    }

    /// What was known of a key before a generation.
    fn older(&self, key: Key, generation: usize) -> Option<&Bdd> {
        let history = self.known.get(&key)?;
        let count = history.partition_point(|(born, _)| *born < generation);
        history[..count].last().map(|(_, states)| states)
    }

    /// The variables of a key's states: globals, locals, and how the procedure was entered.
    fn state(&self, key: Key, point: &Point, wanted: impl Fn(VarId) -> bool) -> Run<Bdd> {
        let encoding = self.encoding;
        let layout = encoding.layout.borrow();
        let outs = &layout.contexts[0].outs;
        let mut values: Vec<(Var, bool)> = Vec::new();
        let globals = outs.iter().zip(&point.globals).enumerate().filter(|(g, _)| wanted(Encoding::global(*g)));
        values.extend(globals.map(|(_, (var, value))| (*var, *value)));
        let locals = layout.locals.iter().zip(&point.locals).enumerate().filter(|(l, _)| wanted(local(*l)));
        values.extend(locals.map(|(_, (var, value))| (*var, *value)));
        if key.activation != Activation::Root {
            values.extend(layout.contexts[0].entry.iter().copied().zip(point.entry.iter().copied()));
            values.extend(layout.params.iter().copied().zip(point.params.iter().copied()));
        }
        encoding.bdds.point(values)
    }

    /// Some state of a set.
    pub(super) fn pick(&self, key: Key, states: &Bdd) -> Run<Option<Point>> {
        let encoding = self.encoding;
        let Some(values) = encoding.bdds.pick(states) else { return Ok(None) };
        let procedure = encoding.program.procedure(encoding.program.node(key.node).procedure);
        let layout = encoding.layout.borrow();
        let locals = if self.is_exit(key.node) { 0 } else { procedure.locals.len() };
        let called = key.activation != Activation::Root;
        Ok(Some(Point {
            globals: encoding.shared(&values, &layout.contexts[0].outs),
            locals: encoding.shared(&values, &layout.locals[..locals]),
            entry: if called { encoding.shared(&values, &layout.contexts[0].entry) } else { Vec::new() },
            params: if called { encoding.shared(&values, &layout.params[..procedure.parameters]) } else { Vec::new() },
            results: encoding.shared(&values, &layout.results[..procedure.results]),
        }))
    }
}
