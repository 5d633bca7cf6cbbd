//! All consistent executions of a test, by brute force over reads-from and modification orders.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::Mode;
use crate::Test;
use crate::axioms::{Derived, Event, Graph};
use crate::run::{LabelKind, Stop, Trace, trace};

/// Which executions are consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// RC11.
    Rc11,
    /// Coherence and atomicity only.
    Coherent,
    /// Sequential consistency, whatever the modes.
    Sequential,
}

/// How an execution ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    End,
    Blocked,
    Error,
}

/// A write: thread and number of the event in it; none is the initial store.
pub type Write = Option<(usize, usize)>;

/// What an execution is: reads with what they read from, and for each location its writes in order without the initial one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub reads_from: Vec<((usize, usize), Write)>,
    pub orders: Vec<Vec<(usize, usize)>>,
}

/// A consistent execution.
#[derive(Clone, Debug)]
pub struct Execution {
    pub key: Key,
    pub status: Status,
    pub racy: bool,
    /// Registers, and final values as `[x]`.
    pub outcome: BTreeMap<String, i64>,
}

impl Execution {
    /// Whether it has the outcome that the test asks about.
    pub fn is_weak(&self, test: &Test) -> bool {
        !test.weak.is_empty() && test.weak.iter().all(|(name, value)| self.outcome.get(name) == Some(value))
    }
}

/// What the reads of a thread have read so far, with the values.
type Choices = Vec<Vec<(Write, i64)>>;

/// Every consistent execution once, those that end blocked or in an error included.
pub fn executions(test: &Test, model: Model) -> Vec<Execution> {
    let start: Choices = vec![Vec::new(); test.threads.len()];
    let (mut seen, mut todo, mut found) = (HashSet::from([start.clone()]), vec![start], Vec::new());
    while let Some(choices) = todo.pop() {
        let candidate = Candidate::new(test, &choices);
        let derived = candidate.graph.derive();
        let orders: Vec<Vec<Vec<usize>>> =
            (0..test.locations.len()).map(|l| candidate.orders(&derived, l, model)).collect();
        if orders.iter().any(Vec::is_empty) {
            continue;
        }
        let waiting: Vec<(usize, usize)> = candidate.waiting().collect();
        let failed = candidate.traces.iter().any(|t| t.stop == Stop::Error);
        if failed || waiting.is_empty() {
            candidate.complete(test, model, &derived, &orders, &mut found);
            continue;
        }
        for (thread, location) in waiting {
            for (write, value) in candidate.writes(test, location) {
                let mut new = choices.clone();
                new[thread].push((write, value));
                if seen.insert(new.clone()) {
                    todo.push(new);
                }
            }
        }
    }
    found
}

/// A graph under construction.
struct Candidate {
    traces: Vec<Trace>,
    graph: Graph,
    /// Thread and number of each event; none for initial stores, which come first, one for each location.
    names: Vec<Write>,
}

impl Candidate {
    fn new(test: &Test, choices: &Choices) -> Candidate {
        let values = |thread: usize| choices[thread].iter().map(|c| c.1).collect::<Vec<i64>>();
        let traces: Vec<Trace> = (0..test.threads.len()).map(|t| trace(test, t, &values(t))).collect();
        let initial = |location: usize| Event {
            thread: None,
            kind: LabelKind::Write,
            location: Some(location),
            read_mode: None,
            write_mode: Some(Mode::NotAtomic),
        };
        let mut graph = Graph { events: (0..test.locations.len()).map(initial).collect(), ..Graph::default() };
        let mut names: Vec<Write> = vec![None; test.locations.len()];
        let mut ids = BTreeMap::new();
        for (t, trace) in traces.iter().enumerate() {
            for (n, label) in trace.labels.iter().enumerate() {
                ids.insert((t, n), graph.events.len());
                names.push(Some((t, n)));
                graph.events.push(Event {
                    thread: Some(t),
                    kind: label.kind,
                    location: (label.kind != LabelKind::Fence).then_some(label.location),
                    read_mode: label.read_mode,
                    write_mode: label.write_mode,
                });
            }
        }
        graph.reads_from = vec![None; graph.events.len()];
        for (t, trace) in traces.iter().enumerate() {
            let mut reads = choices[t].iter();
            for (n, label) in trace.labels.iter().enumerate().filter(|(_, l)| l.reads()) {
                let (write, _) = reads.next().expect("a choice for each read");
                graph.reads_from[ids[&(t, n)]] = Some(write.map_or(label.location, |w| ids[&w]));
            }
        }
        Candidate { traces, graph, names }
    }

    fn waiting(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.traces.iter().enumerate().filter_map(|(t, trace)| match trace.stop {
            Stop::Read(location) => Some((t, location)),
            _ => None,
        })
    }

    /// The writes of a location so far, with their values.
    fn writes(&self, test: &Test, location: usize) -> Vec<(Write, i64)> {
        let mut out = vec![(None, test.initial[location])];
        for (t, trace) in self.traces.iter().enumerate() {
            let here = trace.labels.iter().enumerate().filter(|(_, l)| l.writes() && l.location == location);
            out.extend(here.map(|(n, label)| (Some((t, n)), label.written)));
        }
        out
    }

    /// The modification orders of a location that are coherent and keep updates atomic.
    fn orders(&self, derived: &Derived, location: usize, model: Model) -> Vec<Vec<usize>> {
        let rest: Vec<usize> = (0..self.graph.events.len())
            .filter(|&e| {
                let event = &self.graph.events[e];
                event.thread.is_some()
                    && event.location == Some(location)
                    && matches!(event.kind, LabelKind::Write | LabelKind::Update)
            })
            .collect();
        let mut out = Vec::new();
        // Of one thread's writes the earlier one comes first: else the order is not coherent.
        let thread = |e: usize| self.graph.events[e].thread;
        let may_come = |next: usize, rest: &[usize]| rest.iter().all(|&e| e >= next || thread(e) != thread(next));
        permutations(&mut vec![location], &rest, &may_come, &mut |order| {
            if self.graph.is_atomic(order) && (model == Model::Sequential || self.graph.is_coherent(derived, order)) {
                out.push(order.to_vec());
            }
        });
        out
    }

    fn complete(
        &self,
        test: &Test,
        model: Model,
        derived: &Derived,
        orders: &[Vec<Vec<usize>>],
        found: &mut Vec<Execution>,
    ) {
        let stops: Vec<Stop> = self.traces.iter().map(|t| t.stop).collect();
        let status = match () {
            () if stops.contains(&Stop::Error) => Status::Error,
            () if stops.contains(&Stop::Blocked) => Status::Blocked,
            () => Status::End,
        };
        let racy = self.graph.is_racy(derived);
        let mut reads_from = Vec::new();
        for (read, from) in self.graph.reads_from.iter().enumerate() {
            if let (Some(read), Some(from)) = (self.names[read], from) {
                reads_from.push((read, self.names[*from]));
            }
        }
        reads_from.sort_unstable();
        let registers: BTreeMap<String, i64> = self.traces.iter().flat_map(|t| t.registers.clone()).collect();
        each_product(orders, &mut Vec::new(), &mut |chosen| {
            if !self.graph.is_sc_consistent(derived, chosen, model) {
                return;
            }
            let mut outcome = registers.clone();
            for (location, order) in chosen.iter().enumerate() {
                let last = self.names[*order.last().expect("the initial store")];
                let value = last.map_or(test.initial[location], |(t, n)| self.traces[t].labels[n].written);
                outcome.insert(format!("[{}]", test.locations[location]), value);
            }
            let named = |order: &Vec<usize>| order[1..].iter().filter_map(|&e| self.names[e]).collect();
            let key = Key { reads_from: reads_from.clone(), orders: chosen.iter().map(named).collect() };
            found.push(Execution { key, status, racy, outcome });
        });
    }
}

/// The orders of `rest` behind `chosen` in which each element may come before all that come later.
fn permutations(
    chosen: &mut Vec<usize>,
    rest: &[usize],
    may_come: &dyn Fn(usize, &[usize]) -> bool,
    f: &mut dyn FnMut(&[usize]),
) {
    if rest.is_empty() {
        return f(chosen);
    }
    for (i, &next) in rest.iter().enumerate().filter(|&(_, &next)| may_come(next, rest)) {
        let left: Vec<usize> = rest.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &e)| e).collect();
        chosen.push(next);
        permutations(chosen, &left, may_come, f);
        chosen.pop();
    }
}

fn each_product(orders: &[Vec<Vec<usize>>], chosen: &mut Vec<Vec<usize>>, f: &mut dyn FnMut(&[Vec<usize>])) {
    let Some((first, rest)) = orders.split_first() else { return f(chosen) };
    for order in first {
        chosen.push(order.clone());
        each_product(rest, chosen, f);
        chosen.pop();
    }
}

/// The outcomes of executions that end.
pub fn outcomes(executions: &[Execution]) -> BTreeSet<BTreeMap<String, i64>> {
    executions.iter().filter(|e| e.status == Status::End).map(|e| e.outcome.clone()).collect()
}
