//! From relations to one run, second half: what a thread does in its contexts, given the shared states it
//! finds and leaves ([`crate::interface`]). With these fixed, the thread is a sequential program: its reachable
//! states are found generation by generation (rules R1, R2, R3 and R7 of \[LR\] Figure 3, and the switches), each
//! fact with the generation in which it first appeared. Walking back from the goal, every fact is
//! explained by facts of earlier generations, calls by their bodies, until the start is reached.
//!
//! Relations here speak of complete states (no local is forgotten), over the copies of context 0.

mod explain;

use std::collections::BTreeMap;

use selvedge_boolprog::machine::Values;
use selvedge_boolprog::program::{EdgeId, NodeId, Op, ProcId, VarId};

use crate::bdd::{Bdd, Limited};
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
    /// What is known of the values before it.
    pub before: Values,
    /// What is known of the values after it.
    pub after: Values,
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
    /// Whether the procedure it is in has returned: then the caller of its body is known.
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
) -> Limited<Option<Vec<ThreadStep>>> {
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
    fn globals_are(&self, shared: &Shared) -> Limited<Bdd> {
        self.encoding.bdds.point(self.encoding.outs(0).into_iter().zip(shared.iter().copied()))
    }

    /// Generation by generation, until the goal: the fact that meets it, and the assertion's edge if it is one.
    fn forward(&mut self) -> Limited<Option<(Fact, Option<EdgeId>)>> {
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

    fn remember(&mut self, key: Key, generation: usize, states: &Bdd) -> Limited<()> {
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
    fn meets(&self, key: Key, states: &Bdd) -> Limited<Option<(Bdd, Option<EdgeId>)>> {
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

    fn visit(&mut self, key: Key, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Limited<()> {
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

    fn call(&mut self, key: Key, id: EdgeId, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Limited<()> {
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

    fn exit(&mut self, key: Key, made_in: usize, states: &Bdd, next: &mut BTreeMap<Key, Bdd>) -> Limited<()> {
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
}

impl Point {
    fn values(&self) -> Values {
        Values { globals: Some(self.globals.clone()), locals: Some(self.locals.clone()) }
    }

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

fn add(bdds: &crate::bdd::Bdds, next: &mut BTreeMap<Key, Bdd>, key: Key, states: &Bdd) -> Limited<()> {
    if states.is_false() { Ok(()) } else { join(bdds, next, key, states) }
}
