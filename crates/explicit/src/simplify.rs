//! A simpler run for a violation that a search without a bound found (docs/design.md 3.6), within a given amount of work. Called
//! before the layers look for the simplest one, and shown where they do not get that far.
//!
//! * *Re-linearisation*: the same transitions of each thread in another order, with the fewest preemptions. Dynamic
//!   programming over the prefixes of the run's partial order: a prefix is how far each thread has got, and a thread may
//!   go on if the machine allows it. Prefixes are taken in the order of their cost; of the same cost, long ones first.
//! * *Guided search*: towards the state in which the violation is, by the number of bytes in which a state differs from
//!   it (directed model checking, Edelkamp, Leue and Lluch-Lafuente). Finds runs without the detours of depth-first
//!   search.
//!
//! Must hold: `machine` has every step of the model (none merged). Both only propose runs: each is executed by the machine
//! and ends in a violation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;
use selvedge_core::{Budget, SwitchCost, SwitchReason, ThreadId};
use selvedge_machine::{Counting, ExpandBuffers, Fault, Hints, Leaving, Path, PathStep, Turn};

use crate::moves::{Move, STATEMENTS, moves};
use crate::outcome::Found;

/// A run with its preemptions and its length.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The violation and the run.
    pub found: Found,
    /// Its preemptions.
    pub preemptions: u32,
    /// All its switches.
    pub switches: u32,
}

impl Simplified {
    fn key(&self) -> (u32, usize, u32) {
        (self.preemptions, self.found.path.steps.len(), self.switches)
    }
}

/// The best run that is found for a violation by looking at no more than `work` states in each way; `None` if `found` is
/// no run of the machine.
pub fn simplify<M: Hints>(
    machine: &M,
    found: &Found,
    counting: Counting,
    work: u64,
    budget: &Budget,
) -> Option<Simplified> {
    let mut search = Simplify::new(machine, counting, work, budget);
    let given = search.relinearize(found);
    let target = found.path.steps.iter().rev().map(|step| &step.state).find(|state| !state.is_empty());
    let guided = target.and_then(|target| search.towards(target));
    given.into_iter().chain(guided).min_by_key(Simplified::key)
}

/// Successors of a state that count as usual.
const SUCCESSORS: u64 = 4;

/// A node of either search: a run so far.
struct Node {
    state: Vec<u8>,
    last: Option<ThreadId>,
    turn: Turn,
    parent: usize,
    steps: Vec<PathStep>,
    preemptions: u32,
    switches: u32,
    length: u32,
    /// How far each thread has got, in re-linearisation.
    done: Vec<u16>,
}

struct Simplify<'a, M: Hints> {
    machine: &'a M,
    work: u64,
    budget: &'a Budget,
    leaving: Leaving<M>,
    buffers: ExpandBuffers<M>,
    nodes: Vec<Node>,
}

impl<'a, M: Hints> Simplify<'a, M> {
    fn new(machine: &'a M, counting: Counting, work: u64, budget: &'a Budget) -> Self {
        let (leaving, buffers) = (Leaving::new(counting), ExpandBuffers::default());
        Simplify { machine, work, budget, leaving, buffers, nodes: Vec::new() }
    }

    fn start(&mut self, threads: usize) {
        let mut state = Vec::new();
        self.machine.initial(&mut state);
        self.nodes.clear();
        self.nodes.push(Node {
            state,
            last: None,
            turn: Turn::Any,
            parent: 0,
            steps: Vec::new(),
            preemptions: 0,
            switches: 0,
            length: 0,
            done: vec![0; threads],
        });
    }

    /// States with many successors, or long atomic sequences to them, count for several.
    fn is_out_of_work(&self, visited: u64) -> bool {
        let transitions = (self.nodes.len() as u64).max(self.buffers.followed() / STATEMENTS);
        visited.max(transitions / SUCCESSORS) >= self.work
            || (visited % 256 == 255 && self.budget.check(0, 0).is_some())
    }

    /// The transitions of a run in another order.
    fn relinearize(&mut self, found: &Found) -> Option<Simplified> {
        let threads = of_each_thread(&found.path)?;
        let total: usize = threads.iter().map(Vec::len).sum();
        self.start(threads.len());
        let mut seen: FxHashSet<(Vec<u8>, Option<ThreadId>, Vec<u16>)> = FxHashSet::default();
        let mut queue = BinaryHeap::from([Reverse((0, total, 0, 0))]);
        let mut visited = 0;
        while let Some(Reverse((_, left, _, number))) = queue.pop() {
            let node = &self.nodes[number];
            if self.is_out_of_work(visited) {
                break;
            }
            if !seen.insert((node.state.clone(), node.last, node.done.clone())) {
                continue;
            }
            visited += 1;
            let (moves, fault) = moves(self.machine, &node.state, node.turn, &mut self.buffers);
            if let Some(fault) = fault {
                return Some(self.simplified(number, fault));
            }
            let reason = self.reason_to_leave(number, &moves);
            for one in moves {
                let Some(thread) = one.thread.map(|thread| thread.0 as usize) else { continue };
                let done = &self.nodes[number].done;
                let wanted = threads.get(thread).and_then(|list| list.get(usize::from(done[thread])));
                if !wanted.is_some_and(|wanted| same_steps(wanted, &one.steps)) {
                    continue;
                }
                let next = self.add(number, one, reason);
                if let Err((number, fault)) = next {
                    return Some(self.simplified(number, fault));
                }
                if let Ok(Some(next)) = next {
                    self.nodes[next].done[thread] += 1;
                    let (cost, switches) = (self.nodes[next].preemptions, self.nodes[next].switches);
                    queue.push(Reverse((cost, left.saturating_sub(1), switches, next)));
                }
            }
        }
        None
    }

    /// A run towards a state.
    fn towards(&mut self, target: &[u8]) -> Option<Simplified> {
        self.start(0);
        let hidden = self.machine.hidden_prefix();
        let distance = |state: &[u8]| difference(&state[hidden..], &target[hidden..]);
        let mut seen: FxHashSet<(Vec<u8>, Option<ThreadId>)> = FxHashSet::default();
        let mut queue = BinaryHeap::from([Reverse((distance(&self.nodes[0].state), 0, 0, 0))]);
        let mut best: Option<Simplified> = None;
        let mut visited = 0;
        while let Some(Reverse((_, preemptions, length, number))) = queue.pop() {
            if best.as_ref().is_some_and(|best| (preemptions, length as usize) >= (best.preemptions, best.key().1)) {
                continue;
            }
            if self.is_out_of_work(visited) {
                break;
            }
            let node = &self.nodes[number];
            if !seen.insert((node.state[hidden..].to_vec(), node.last)) {
                continue;
            }
            visited += 1;
            let (moves, fault) = moves(self.machine, &node.state, node.turn, &mut self.buffers);
            if let Some(fault) = fault {
                best = Some(self.better(best, number, fault));
                continue;
            }
            let reason = self.reason_to_leave(number, &moves);
            for one in moves {
                match self.add(number, one, reason) {
                    Ok(Some(next)) => {
                        let node = &self.nodes[next];
                        queue.push(Reverse((distance(&node.state), node.preemptions, node.length, next)));
                    }
                    Ok(None) => {}
                    Err((number, fault)) => best = Some(self.better(best, number, fault)),
                }
            }
        }
        best
    }

    fn better(&self, best: Option<Simplified>, number: usize, fault: Fault) -> Simplified {
        let other = self.simplified(number, fault);
        match best {
            Some(best) if best.key() <= other.key() => best,
            _ => other,
        }
    }

    /// Why another thread would run than the one that ran last.
    fn reason_to_leave(&mut self, number: usize, moves: &[Move]) -> Option<SwitchReason> {
        let Node { state, last, .. } = &self.nodes[number];
        let enabled = moves.iter().any(|one| one.thread == *last);
        last.map(|last| self.leaving.reason(self.machine, state, last, enabled))
    }

    /// Goes on by a transition; the violation on it if it has one, nothing if it could not be completed.
    fn add(&mut self, parent: usize, one: Move, reason: Option<SwitchReason>) -> Result<Option<usize>, (usize, Fault)> {
        let from = &self.nodes[parent];
        let stays = one.thread.is_none() || one.thread == from.last;
        let switch = reason.filter(|_| !stays);
        let added = |cost: SwitchCost| switch.map_or(0, |reason| cost.of_leaving(reason));
        let fault = one.fault();
        let mut steps = one.steps;
        steps.truncate(fault.as_ref().map_or(steps.len(), |(_, length)| *length));
        let node = Node {
            last: if one.thread.is_none() { from.last } else { one.ran_last },
            turn: if one.turn == Turn::Stutter { Turn::Stutter } else { Turn::Any },
            parent,
            preemptions: from.preemptions + added(SwitchCost::Preemptions),
            switches: from.switches + added(SwitchCost::Switches),
            length: from.length + steps.len() as u32,
            done: from.done.clone(),
            steps,
            state: one.state.unwrap_or_default(),
        };
        let completed = !node.state.is_empty();
        let number = self.nodes.len();
        self.nodes.push(node);
        match fault {
            Some((fault, _)) => Err((number, fault)),
            None => Ok(completed.then_some(number)),
        }
    }

    fn simplified(&self, number: usize, fault: Fault) -> Simplified {
        let Node { preemptions, switches, .. } = self.nodes[number];
        let parent = |number: &usize| (*number > 0).then(|| self.nodes[*number].parent);
        let mut chain: Vec<usize> = std::iter::successors(Some(number), parent).collect();
        chain.reverse();
        let steps = chain.iter().flat_map(|number| self.nodes[*number].steps.iter().cloned()).collect();
        let path = Path { initial: self.nodes[0].state.clone(), steps, cycle: None };
        Simplified { found: Found { fault, path }, preemptions, switches }
    }
}

/// The transitions of each thread of a run, each as its steps; `None` if only the claim moves somewhere, or moves along.
fn of_each_thread(path: &Path) -> Option<Vec<Vec<Vec<PathStep>>>> {
    let mut threads: Vec<Vec<Vec<PathStep>>> = Vec::new();
    let mut steps: Vec<PathStep> = Vec::new();
    for (index, step) in path.steps.iter().enumerate() {
        if step.step.claim_move != 0 {
            return None;
        }
        steps.push(step.clone());
        // An atomic sequence that is blocked ends where another thread goes on.
        let next = path.steps.get(index + 1).and_then(|next| next.step.thread);
        if next.is_some_and(|next| step.step.turn == Turn::Only(next)) {
            continue;
        }
        let thread = steps[0].step.thread?.0 as usize;
        if threads.len() <= thread {
            threads.resize(thread + 1, Vec::new());
        }
        threads[thread].push(std::mem::take(&mut steps));
    }
    Some(threads)
}

/// Whether a transition has the same steps; of the last one of a run only the beginning may be known.
fn same_steps(wanted: &[PathStep], steps: &[PathStep]) -> bool {
    let same = |(a, b): (&PathStep, &PathStep)| a.step.is_like(&b.step);
    wanted.len() <= steps.len() && wanted.iter().zip(steps).all(same)
}

/// Bytes in which two states differ.
fn difference(one: &[u8], other: &[u8]) -> usize {
    let length = one.len().abs_diff(other.len());
    length + one.iter().zip(other).filter(|(a, b)| a != b).count()
}
