//! A model of the formula as a run of the network: the transitions taken, each as often as the model says, form
//! one path (Euler), and the threads it takes are those that were left behind longest.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move};
use selvedge_nets_syntax::pds::SymbolId;

use super::automaton::{Automaton, NodeId, Source};

/// Steps of a run beyond which it is not written down: every state of a trace lists all threads.
const LONGEST: u64 = 10_000;

/// Why a model is not written down as a run.
pub(super) enum NoRun {
    /// It is too long.
    TooLong,
    /// It cannot be executed, which is a bug of these analyses; where.
    Defect(String),
}

/// The run of a model that hangs together.
pub(super) fn moves(dcps: &Dcps, automaton: &Automaton, values: &[u64]) -> Result<Vec<Move>, NoRun> {
    let length = values[..automaton.edges.len()].iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
    if length.is_none_or(|length| length > LONGEST) {
        return Err(NoRun::TooLong);
    }
    let mut run = Threads { moves: Vec::new(), active: Some(0), stratum: 0, created: 1, pending: FxHashMap::default() };
    for edge in path(automaton, values) {
        if run.step(dcps, automaton.edges[edge].source).is_none() {
            let step = run.moves.len() + 1;
            let why = format!("the formula of the strata has a model, but no thread can take step {step} of its run");
            return Err(NoRun::Defect(why));
        }
    }
    Ok(run.moves)
}

/// The transitions taken as one path from the first node (Hierholzer).
fn path(automaton: &Automaton, values: &[u64]) -> Vec<usize> {
    let mut leaving: Vec<Vec<(usize, u64)>> = vec![Vec::new(); automaton.nodes.len()];
    for (index, edge) in automaton.edges.iter().enumerate().rev() {
        if values[index] > 0 {
            leaving[edge.from.index()].push((index, values[index]));
        }
    }
    let mut stack: Vec<(NodeId, Option<usize>)> = vec![(NodeId(0), None)];
    let mut path = Vec::new();
    while let Some((node, by)) = stack.last().copied() {
        match leaving[node.index()].last_mut() {
            Some((edge, left)) => {
                let edge = *edge;
                *left -= 1;
                if *left == 0 {
                    leaving[node.index()].pop();
                }
                stack.push((automaton.edges[edge].to, Some(edge)));
            }
            None => {
                stack.pop();
                path.extend(by);
            }
        }
    }
    path.reverse();
    path
}

/// Which thread does what: threads are numbered as they are created.
struct Threads {
    moves: Vec<Move>,
    /// The thread that runs.
    active: Option<usize>,
    /// Its switch number, and that of all that run now.
    stratum: u32,
    created: usize,
    pending: FxHashMap<(SymbolId, u32), VecDeque<usize>>,
}

impl Threads {
    fn step(&mut self, dcps: &Dcps, source: Source) -> Option<()> {
        match source {
            Source::NextStratum => self.stratum += 1,
            Source::Resume(index) => {
                let top = dcps.resumes[index].top;
                let thread = self.pending.get_mut(&(top, self.stratum))?.pop_front()?;
                self.moves.push(Move { thread, action: Action::Resume(index) });
                self.active = Some(thread);
            }
            Source::Rule(index) => {
                let rule = &dcps.rules[index];
                let (thread, next) = (self.active?, self.stratum + 1);
                self.moves.push(Move { thread, action: Action::Rule(index) });
                if let Some(symbol) = rule.spawn {
                    self.pending.entry((symbol, next)).or_default().push_back(self.created);
                    self.created += 1;
                }
                if rule.kind == Kind::Yield {
                    if let Some(top) = rule.push.first() {
                        self.pending.entry((*top, next)).or_default().push_back(thread);
                    }
                    self.active = None;
                }
            }
        }
        Some(())
    }
}
