//! From relations to one run, second half: what a thread does in its contexts, given the shared states it
//! finds and leaves ([`crate::interface`]). With these fixed, the thread is a sequential program: its reachable
//! states are found generation by generation (rules R1, R2, R3 and R7 of \[LR\] Figure 3, and the switches), each
//! fact with the generation in which it first appeared. Walking back from the goal, every fact is
//! explained by facts of earlier generations, calls by their bodies, until the start is reached.
//!
//! Relations here speak of complete states (no local is forgotten), over the copies of context 0.

use std::collections::BTreeMap;

use selvedge_boolprog::program::{EdgeId, NodeId, Op, ProcId, VarId};

use crate::bdd::{Bdd, Run, Var};
use crate::encode::Encoding;
use crate::facts::join;
use crate::interface::{Interface, Shared};
use crate::thread::{Activation, Goal};

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStep {
    /// In which of its contexts.
    pub context: usize,
    /// The edge it follows.
    pub edge: EdgeId,
    /// The globals after it, if they are known.
    pub globals: Option<Shared>,
}

/// Where a thread is: its context, who called its procedure, and the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    context: usize,
    activation: Activation,
    node: NodeId,
}

/// One state at a key.
#[derive(Clone, Debug)]
struct Point {
    globals: Shared,
    locals: Vec<bool>,
    entry: Shared,
    params: Vec<bool>,
    results: Vec<bool>,
}

/// A fact to be explained.
struct Fact {
    key: Key,
    point: Point,
    generation: usize,
    /// Whether the procedure it is in has returned: then whoever needs its body knows its caller.
    returned: bool,
    /// The globals after the step that ends in this fact, where the return changed them.
    globals_after: Option<Shared>,
}

/// How a fact came about.
enum Origin {
    /// The thread, or the body of a call that returned, starts here.
    Start,
    /// A step along an edge.
    Step(EdgeId, Fact),
    /// A switch: no step.
    Switch(Fact),
    /// The call of a procedure that has not returned.
    Call(EdgeId, Fact),
    /// The return from a call: the caller's state at the call, the callee's at its exit.
    Return(EdgeId, Fact, Fact),
}

/// By generation: the facts known up to it.
type History = Vec<(usize, Bdd)>;

struct Search<'a, 'p> {
    encoding: &'a Encoding<'p>,
    procedure: ProcId,
    interface: &'a Interface,
    goal: Option<Goal>,
    known: BTreeMap<Key, History>,
    /// Calls by the context they were made in, the caller and the edge.
    callers: BTreeMap<(usize, Activation, EdgeId), Bdd>,
    /// Summaries by procedure and the contexts of call and return.
    summaries: BTreeMap<(ProcId, usize, usize), Bdd>,
    incoming: Vec<Vec<EdgeId>>,
}

/// A run of a thread that finds and leaves what `interface` says and, in its last context, meets the goal;
/// without a goal, leaves what it should. `None` if there is none. `encoding` must keep all locals.
pub fn find(
    encoding: &Encoding<'_>,
    procedure: ProcId,
    interface: &Interface,
    goal: Option<Goal>,
) -> Run<Option<Vec<ThreadStep>>> {
    if interface.ins.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut incoming = vec![Vec::new(); encoding.program.nodes.len()];
    for (index, edge) in encoding.program.edges.iter().enumerate() {
        incoming[edge.to.index()].push(EdgeId::new(index));
    }
    let mut search = Search {
        encoding,
        procedure,
        interface,
        goal,
        known: BTreeMap::new(),
        callers: BTreeMap::new(),
        summaries: BTreeMap::new(),
        incoming,
    };
    match search.forward()? {
        Some((last, end)) => Ok(Some(search.backward(last, end)?)),
        None => Ok(None),
    }
}

impl Search<'_, '_> {
    fn globals_are(&self, shared: &Shared) -> Run<Bdd> {
        self.encoding.bdds.point(self.encoding.outs(0).into_iter().zip(shared.iter().copied()))
    }

    /// Generation by generation, until the goal: the fact that meets it, and the assertion's edge if it is one.
    fn forward(&mut self) -> Run<Option<(Fact, Option<EdgeId>)>> {
        let entry = self.encoding.program.procedure(self.procedure).entry;
        let start = Key { context: 0, activation: Activation::Root, node: entry };
        let mut fresh = BTreeMap::from([(start, self.globals_are(&self.interface.ins[0])?)]);
        let mut generation = 0;
        while !fresh.is_empty() {
            for (key, states) in &fresh {
                self.remember(*key, generation, states)?;
            }
            for (key, states) in &fresh {
                if let Some((met, edge)) = self.meets(*key, states)? {
                    let point = self.pick(*key, &met)?.expect("met by some state");
                    let fact = Fact { key: *key, point, generation, returned: false, globals_after: None };
                    return Ok(Some((fact, edge)));
                }
            }
            let mut next = BTreeMap::new();
            for (key, states) in &fresh {
                self.visit(*key, states, &mut next)?;
            }
            fresh.clear();
            for (key, states) in next {
                let new = match self.known.get(&key).and_then(|history| history.last()) {
                    Some((_, old)) => self.encoding.bdds.minus(&states, old)?,
                    None => states,
                };
                if new.satisfiable() {
                    fresh.insert(key, new);
                }
            }
            generation += 1;
        }
        Ok(None)
    }

    fn remember(&mut self, key: Key, generation: usize, states: &Bdd) -> Run<()> {
        let history = self.known.entry(key).or_default();
        let all = match history.last() {
            Some((_, old)) => self.encoding.bdds.or(old, states)?,
            None => states.clone(),
        };
        history.push((generation, all));
        Ok(())
    }

    fn is_exit(&self, node: NodeId) -> bool {
        let program = self.encoding.program;
        program.procedure(program.node(node).procedure).exit == node
    }

    fn may_switch(&self, key: Key) -> bool {
        let place = key.activation == Activation::Root || !self.is_exit(key.node);
        place && !self.encoding.program.node(key.node).atomic && !self.encoding.flow.target[key.node.index()]
    }

    /// The states of a key that meet the goal.
    fn meets(&self, key: Key, states: &Bdd) -> Run<Option<(Bdd, Option<EdgeId>)>> {
        if key.context + 1 != self.interface.ins.len() {
            return Ok(None);
        }
        let bdds = &self.encoding.bdds;
        let (met, edge) = match self.goal {
            Some(Goal::Node(node)) if node == key.node => (states.clone(), None),
            Some(Goal::Assertion(id)) if self.encoding.program.edge(id).from == key.node => {
                let edge = self.encoding.program.edge(id);
                let Op::Assert(assertion) = &edge.op else { return Ok(None) };
                (bdds.and(states, &self.encoding.failure(edge, assertion, 0)?)?, Some(id))
            }
            None if self.may_switch(key) => {
                (bdds.and(states, &self.globals_are(&self.interface.outs[key.context])?)?, None)
            }
            _ => return Ok(None),
        };
        Ok(met.satisfiable().then_some((met, edge)))
    }

    fn visit(&mut self, key: Key, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Run<()> {
        let encoding = self.encoding;
        let bdds = &encoding.bdds;
        if encoding.flow.target[key.node.index()] {
            return Ok(());
        }
        if key.context + 1 < self.interface.ins.len() && self.may_switch(key) {
            let (left, found) = (&self.interface.outs[key.context], &self.interface.ins[key.context + 1]);
            let leaving = bdds.and(states, &self.globals_are(left)?)?;
            let kept = bdds.exists(&leaving, &bdds.cube(encoding.outs(0))?)?;
            let states = bdds.and(&kept, &self.globals_are(found)?)?;
            add(bdds, next, Key { context: key.context + 1, ..key }, &states)?;
        }
        if let (Activation::Called(made_in), true) = (key.activation, self.is_exit(key.node)) {
            return self.exit(key, made_in, states, next);
        }
        for &id in &encoding.program.node(key.node).edges {
            match encoding.call_site(id) {
                Some(_) => self.call(key, id, states, next)?,
                None => {
                    let to = Key { node: encoding.program.edge(id).to, ..key };
                    add(bdds, next, to, &encoding.step(id, 0, states)?)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, key: Key, id: EdgeId, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Run<()> {
        let encoding = self.encoding;
        let site = encoding.call_site(id).expect("a call");
        let waiting = encoding.waiting(&site, 0, states)?;
        join(&encoding.bdds, &mut self.callers, (key.context, key.activation, id), &waiting)?;
        let entry = Key {
            context: key.context,
            activation: Activation::Called(key.context),
            node: encoding.program.procedure(site.callee).entry,
        };
        add(&encoding.bdds, next, entry, &encoding.entered(site.callee, 0, &waiting)?)?;
        for ((_, _, context), summary) in self.summaries_of(site.callee, key.context) {
            let returned = encoding.returned(&site, (0, 0), &waiting, &summary)?;
            add(&encoding.bdds, next, Key { context, node: site.edge.to, ..key }, &returned)?;
        }
        Ok(())
    }

    fn summaries_of(&self, procedure: ProcId, made_in: usize) -> Vec<((ProcId, usize, usize), Bdd)> {
        let range = (procedure, made_in, 0)..(procedure, made_in + 1, 0);
        self.summaries.range(range).map(|(key, summary)| (*key, summary.clone())).collect()
    }

    fn exit(&mut self, key: Key, made_in: usize, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Run<()> {
        let encoding = self.encoding;
        let procedure = encoding.program.node(key.node).procedure;
        let summary = encoding.summary(0, states)?;
        join(&encoding.bdds, &mut self.summaries, (procedure, made_in, key.context), &summary)?;
        for ((context, activation, id), waiting) in &self.callers {
            let site = encoding.call_site(*id).expect("a call");
            if *context == made_in && site.callee == procedure {
                let returned = encoding.returned(&site, (0, 0), waiting, &summary)?;
                let to = Key { context: key.context, activation: *activation, node: site.edge.to };
                add(&encoding.bdds, next, to, &returned)?;
            }
        }
        Ok(())
    }

    /// Explains the last fact; the steps in the order in which they are taken.
    fn backward(&self, last: Fact, end: Option<EdgeId>) -> Run<Vec<ThreadStep>> {
        let mut steps = Vec::new();
        if let Some(edge) = end {
            steps.push(ThreadStep { context: last.key.context, edge, globals: Some(last.point.globals.clone()) });
        }
        let mut pending = vec![(last, None)];
        // A fact, and the step to take after everything that explains it (a call, seen from behind).
        while let Some((fact, after)) = pending.pop() {
            if let Some(step) = after {
                steps.push(step);
            }
            let step = |edge, from: &Fact| ThreadStep {
                context: from.key.context,
                edge,
                globals: Some(fact.globals_after.clone().unwrap_or_else(|| fact.point.globals.clone())),
            };
            match self.origin(&fact)? {
                Origin::Start => {}
                Origin::Switch(from) => pending.push((from, None)),
                Origin::Step(edge, from) => {
                    steps.push(step(edge, &from));
                    pending.push((from, None));
                }
                Origin::Call(edge, from) => {
                    let globals = Some(from.point.globals.clone());
                    steps.push(ThreadStep { context: from.key.context, edge, globals });
                    pending.push((from, None));
                }
                Origin::Return(edge, caller, callee) => {
                    let globals = Some(caller.point.globals.clone());
                    let call = ThreadStep { context: caller.key.context, edge, globals };
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
                for (target, value) in targets.iter().zip(values) {
                    let equal = bdds.iff(&encoding.expr(value, &before, &after)?, &after(*target)?)?;
                    condition = bdds.and(&condition, &equal)?;
                }
                if let Some(constrain) = constrain {
                    condition = bdds.and(&condition, &encoding.expr(constrain, &before, &after)?)?;
                }
                targets.clone()
            }
            Op::Return { values } => {
                for (value, result) in values.iter().zip(&fact.point.results) {
                    let equal = bdds.iff(&encoding.value(value, 0)?, &bdds.constant(*result))?;
                    condition = bdds.and(&condition, &equal)?;
                }
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
    fn pick(&self, key: Key, states: &Bdd) -> Run<Option<Point>> {
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

impl Point {
    fn value(&self, var: VarId) -> bool {
        match var {
            VarId::Global(global) => self.globals[global.index()],
            VarId::Local(local) => self.locals[local.index()],
        }
    }
}

fn local(index: usize) -> VarId {
    VarId::Local(selvedge_boolprog::program::LocalId::new(index))
}

fn add(bdds: &crate::bdd::Bdds, next: &mut BTreeMap<Key, Bdd>, key: Key, states: &Bdd) -> Run<()> {
    if states.is_false() { Ok(()) } else { join(bdds, next, key, states) }
}
