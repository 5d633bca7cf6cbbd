//! The run that shows a bad cycle: the cheapest way to it, then one iteration. Called when components with such cycles
//! were found.
//!
//! Dijkstra's algorithm from the start gives the cheapest and then shortest way to each node of the components, in that
//! order. From each entry the shortest way round that passes what has to be passed is found breadth first; the entry
//! with the least total is taken. If the best run is wanted, entries are tried until they are too far away to be better, or
//! until enough work was done on large components.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::ThreadId;
use selvedge_machine::{Hints, Path, Threads};

use super::graph::{Edge, Graph, Node};
use super::{Cycle, CycleOptions};

/// Nodes looked at in search of the shortest way round, at most.
const ENOUGH: usize = 2_000_000;

/// An edge and where it starts.
type From = (Node, Edge);

/// The best way to a node: its cost, its length and its last edge.
type Way = (u32, u32, Option<From>);

/// Ways from the start, in the order of cost and length.
struct Ways {
    best: FxHashMap<Node, Way>,
    queue: BinaryHeap<Reverse<(u32, u32, Node)>>,
    settled: FxHashSet<Node>,
}

impl Ways {
    fn from(start: Node) -> Self {
        let best = std::iter::once((start, (0, 0, None))).collect();
        Ways { best, queue: BinaryHeap::from([Reverse((0, 0, start))]), settled: FxHashSet::default() }
    }

    /// The next node and the length of the way to it.
    fn next<M: Hints>(&mut self, graph: &mut Graph<'_, M>, bound: u32) -> Option<(Node, u32)> {
        while let Some(Reverse((cost, length, node))) = self.queue.pop() {
            if !self.settled.insert(node) {
                continue;
            }
            for edge in graph.all_edges(node).edges {
                let (cost, length) = (cost + u32::from(edge.counted), length + edge.arrival.map_or(0, |(_, n)| n));
                let better = self.best.get(&edge.to).is_none_or(|known| (cost, length) < (known.0, known.1));
                if cost <= bound && better {
                    self.best.insert(edge.to, (cost, length, Some((node, edge))));
                    self.queue.push(Reverse((cost, length, edge.to)));
                }
            }
            return Some((node, length));
        }
        None
    }

    fn path<M: Hints>(&self, graph: &mut Graph<'_, M>, to: Node) -> Path {
        let mut edges = Vec::new();
        let mut at = to;
        while let Some((_, _, Some((from, edge)))) = self.best.get(&at) {
            edges.push((*from, *edge));
            at = *from;
        }
        let mut path = graph.initial_path();
        for (from, edge) in edges.iter().rev() {
            graph.follow(&mut path, *from, edge);
        }
        path
    }
}

/// The cheapest run to a node; the shortest of them if the best is wanted and there is time.
pub(super) fn to<M: Hints>(graph: &mut Graph<'_, M>, options: &CycleOptions, bound: u32, node: Node) -> Path {
    let start = graph.initial();
    let mut ways = Ways::from(start);
    while options.simplest && !graph.look_around() {
        match ways.next(graph, bound) {
            Some((next, _)) if next == node => return ways.path(graph, node),
            Some(_) => {}
            None => break,
        }
    }
    as_searched(graph, node)
}

/// The run by which the search came to a node. It is one of the cheapest: the search goes layer by layer.
fn as_searched<M: Hints>(graph: &mut Graph<'_, M>, node: Node) -> Path {
    let mut path = graph.initial_path();
    for step in graph.way_to(node).windows(2) {
        let edges = graph.all_edges(step[0]).edges;
        if let Some(edge) = edges.iter().filter(|edge| edge.to == step[1]).min_by_key(|edge| edge.counted) {
            graph.follow(&mut path, step[0], edge);
        }
    }
    path
}

/// The run that shows a cycle of one of the components; the best one if that is wanted and there is time.
pub(super) fn find<M: Hints>(
    graph: &mut Graph<'_, M>,
    options: &CycleOptions,
    bound: u32,
    found: &[Vec<Node>],
) -> Path {
    let mut components = Components::new(graph, options, found);
    let simplest = if options.simplest { components.simplest(graph, bound) } else { None };
    let (mut path, round) = simplest.unwrap_or_else(|| {
        let entry = found[0][0];
        (as_searched(graph, entry), components.way_round(entry, None).unwrap_or_default())
    });
    path.cycle = Some(path.steps.len());
    for (from, edge) in &round {
        graph.follow(&mut path, *from, edge);
    }
    path
}

/// The components and what has to be passed on the way round.
struct Components {
    /// Those inside of a component.
    edges: FxHashMap<Node, Vec<Edge>>,
    accepting: FxHashSet<Node>,
    disabled: FxHashMap<Node, Threads>,
    must_accept: bool,
    /// Threads that must go on or be disabled somewhere.
    threads: u32,
    work: usize,
}

/// What is still to be passed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pending {
    accepting: bool,
    threads: Threads,
}

impl Components {
    fn new<M: Hints>(graph: &mut Graph<'_, M>, options: &CycleOptions, components: &[Vec<Node>]) -> Self {
        let numbered = components.iter().enumerate();
        let inside: FxHashMap<Node, usize> =
            numbered.flat_map(|(number, members)| members.iter().map(move |node| (*node, number))).collect();
        let mut all = Components {
            edges: FxHashMap::default(),
            accepting: FxHashSet::default(),
            disabled: FxHashMap::default(),
            must_accept: options.cycle == Cycle::Acceptance,
            threads: 0,
            work: 0,
        };
        for node in components.iter().flatten() {
            let mut edges = graph.free_edges(*node).edges;
            edges.retain(|edge| inside.get(&edge.to) == inside.get(node));
            all.edges.insert(*node, edges);
            if all.must_accept && graph.is_accepting(*node) {
                all.accepting.insert(*node);
            }
            if options.fair {
                all.threads = all.threads.max(graph.thread_count(*node));
                all.disabled.insert(*node, graph.disabled(*node));
            }
        }
        all
    }

    /// The simplest way to a cycle, and once round it; `None` if time ran out before there was one.
    fn simplest<M: Hints>(&mut self, graph: &mut Graph<'_, M>, bound: u32) -> Option<(Path, Vec<From>)> {
        let start = graph.initial();
        let mut ways = Ways::from(start);
        let mut best: Option<(u32, Node, Vec<From>)> = None;
        while let Some((node, length)) = ways.next(graph, bound) {
            let too_far = best.as_ref().is_some_and(|(total, ..)| length + 1 >= *total);
            if too_far || self.work > ENOUGH || graph.look_around() {
                break;
            }
            let room = best.as_ref().map(|(total, ..)| total - length);
            if let Some(round) = self.way_round(node, room) {
                let steps: u32 = round.iter().map(|(_, edge)| edge.arrival.map_or(0, |(_, n)| n)).sum();
                best = Some((length + steps, node, round));
            }
        }
        let (_, entry, round) = best?;
        Some((ways.path(graph, entry), round))
    }

    /// The shortest way from a node back to it that passes what has to be passed; with fairness, a short one.
    fn way_round(&mut self, entry: Node, room: Option<u32>) -> Option<Vec<From>> {
        if !self.edges.contains_key(&entry) {
            return None;
        }
        let mut pending = Pending { accepting: self.must_accept, threads: Threads::NONE };
        (0..self.threads).for_each(|thread| pending.threads.insert(ThreadId(thread)));
        let mut round = Vec::new();
        let mut at = entry;
        self.pass_node(at, &mut pending);
        // Towards the nearest thing pending, until nothing is; the last leg leads back as well. With one thing pending this is
        // one breadth-first search over nodes with and without it, so the shortest.
        while self.pending_threads(&pending) {
            let leg = self.leg(at, pending, None)?;
            for (from, edge) in leg {
                self.pass_edge(&edge, &mut pending);
                self.pass_node(edge.to, &mut pending);
                round.push((from, edge));
                at = edge.to;
            }
        }
        round.extend(self.leg(at, pending, Some(entry))?);
        let steps: u32 = round.iter().map(|(_, edge)| edge.arrival.map_or(0, |(_, n)| n)).sum();
        room.is_none_or(|room| steps < room).then_some(round)
    }

    fn pending_threads(&self, pending: &Pending) -> bool {
        (0..self.threads).any(|thread| pending.threads.contains(ThreadId(thread)))
    }

    fn pass_node(&self, node: Node, pending: &mut Pending) {
        pending.accepting &= !self.accepting.contains(&node);
        if let Some(disabled) = self.disabled.get(&node) {
            pending.threads = pending.threads.complement().union(disabled).complement();
        }
    }

    fn pass_edge(&self, edge: &Edge, pending: &mut Pending) {
        if let Some(thread) = edge.thread {
            pending.threads = pending.threads.complement().union(&Threads::only(thread)).complement();
        }
    }

    /// The shortest way on from a node: back to `home` with nothing pending, or, without one, to anything pending.
    fn leg(&mut self, from: Node, pending: Pending, home: Option<Node>) -> Option<Vec<From>> {
        let mut visits = vec![Visit { node: from, accepting_pending: pending.accepting, arrived: false, came: None }];
        let mut queue = BinaryHeap::from([Reverse((0, 0))]);
        let mut settled: FxHashSet<(Node, bool)> = FxHashSet::default();
        while let Some(Reverse((distance, index))) = queue.pop() {
            let Visit { node, accepting_pending, arrived, .. } = visits[index];
            if arrived {
                return Some(way(&visits, index));
            }
            if !settled.insert((node, accepting_pending)) {
                continue;
            }
            self.work += 1;
            for edge in &self.edges[&node] {
                let mut after = Pending { accepting: accepting_pending, threads: pending.threads };
                self.pass_edge(edge, &mut after);
                self.pass_node(edge.to, &mut after);
                let arrived = match home {
                    Some(home) => edge.to == home && !after.accepting,
                    None => after != pending,
                };
                let steps = edge.arrival.map_or(0, |(_, n)| n);
                queue.push(Reverse((distance + steps, visits.len())));
                let came = Some((index, *edge));
                visits.push(Visit { node: edge.to, accepting_pending: after.accepting, arrived, came });
            }
        }
        None
    }
}

/// A node on the way round, with what is pending there.
#[derive(Clone, Copy)]
struct Visit {
    node: Node,
    accepting_pending: bool,
    arrived: bool,
    came: Option<(usize, Edge)>,
}

/// The edges that led to a visit, each with where it starts.
fn way(visits: &[Visit], mut at: usize) -> Vec<From> {
    let mut edges = Vec::new();
    while let Some((before, edge)) = visits[at].came {
        edges.push((visits[before].node, edge));
        at = before;
    }
    edges.reverse();
    edges
}
