//! The solver that is built in: branch and bound over relaxations. A node of the search is the system with
//! more constraints; the node whose relaxation has the least sum is next, so that a model, if there is one,
//! is found. A point that is not integral is split at one variable; an integral one is checked in
//! integers and then refined, or it is the answer. Nodes are closed by certificates only.
//!
//! Unbounded integer problems without a model may branch forever: the number of nodes is limited.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering as Memory};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use microlp::Solution;
use selvedge_core::Budget;

use super::relax::{Point, Relaxed, relax, without_floats};
use super::system::{Constraint, Refine, Relation, Solved, System, Var};

/// Limits of the solver besides the time of the budget.
#[derive(Clone, Copy, Debug)]
pub struct SolverLimits {
    /// Nodes of the search.
    pub nodes: u64,
}

impl Default for SolverLimits {
    fn default() -> Self {
        SolverLimits { nodes: 20_000 }
    }
}

/// Nodes beyond this many start their relaxation anew, which takes time instead of memory.
const WARM_NODES: usize = 64;
/// Values this close to an integer are rounded to it (and then checked).
const NEAR: f64 = 1e-6;
/// Values of a model above this are refused: counting in floating-point numbers ends there.
const LARGEST: f64 = 1e12;

/// Decides a system. The search runs in a thread of its own, which is left behind when the budget ends
/// within a relaxation: the relaxation cannot be asked to stop.
pub fn solve<R: Refine + Send + Sync + 'static>(
    system: System,
    refine: Arc<R>,
    limits: SolverLimits,
    budget: &Budget,
) -> Solved {
    let stop = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let stop_worker = Arc::clone(&stop);
    let worker = std::thread::Builder::new().name("selvedge-presburger".to_owned()).spawn(move || {
        let answer = Search { system: &system, refine: &*refine, stop: &stop_worker }.run(limits);
        let _ = sender.send(answer);
    });
    if worker.is_err() {
        return Solved::Unknown("no thread could be started for the solver".to_owned());
    }
    loop {
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(answer) => return answer,
            Err(RecvTimeoutError::Disconnected) => {
                return Solved::Unknown("the solver failed on its numbers".to_owned());
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(reason) = budget.check(0, 0) {
                    stop.store(true, Memory::Relaxed);
                    return Solved::Stopped(reason);
                }
            }
        }
    }
}

/// A node: constraints in addition to those of the system.
struct Node {
    more: Vec<Constraint>,
    /// The least sum of the parent's relaxation.
    objective: f64,
    depth: u32,
    /// The parent's relaxation, and how many constraints are new.
    warm: Option<(Rc<Solution>, usize)>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Node {}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    /// The greatest is next: the least objective (to a thousandth), then the deepest.
    fn cmp(&self, other: &Self) -> Ordering {
        let coarse = |objective: f64| (objective * 1000.0).round();
        coarse(other.objective).total_cmp(&coarse(self.objective)).then(self.depth.cmp(&other.depth))
    }
}

/// What a point is worth.
enum Rounded {
    Model(Vec<u64>),
    Split(Var, i64),
    TooLarge,
}

struct Search<'a, R> {
    system: &'a System,
    refine: &'a R,
    stop: &'a AtomicBool,
}

impl<R: Refine> Search<'_, R> {
    fn run(&self, limits: SolverLimits) -> Solved {
        let mut open = BinaryHeap::from([Node { more: Vec::new(), objective: 0.0, depth: 0, warm: None }]);
        let mut nodes = 0;
        let keep_on = || !self.stop.load(Memory::Relaxed);
        while let Some(node) = open.pop() {
            nodes += 1;
            if nodes > limits.nodes || !keep_on() {
                return Solved::Unknown(format!("the built-in solver gave up after {} cases", limits.nodes));
            }
            let warm = node.warm.as_ref().map(|(solution, fresh)| (&**solution, *fresh));
            let point = match relax(self.system, &node.more, warm, &keep_on) {
                Relaxed::Infeasible => continue,
                Relaxed::Point(point) => point,
                Relaxed::GaveUp => return Solved::Unknown("the exact solver gave up".to_owned()),
            };
            match self.visit(&node, point, &mut open, &keep_on) {
                Some(answer) => return answer,
                None => continue,
            }
        }
        Solved::Unsatisfiable
    }

    /// Splits, refines or accepts a point.
    fn visit(
        &self,
        node: &Node,
        point: Point,
        open: &mut BinaryHeap<Node>,
        keep_on: &dyn Fn() -> bool,
    ) -> Option<Solved> {
        let mut point = point;
        let rounded = match self.rounded(node, &point.values) {
            Some(rounded) => rounded,
            None => {
                // Integral to the eye, and yet no model: the exact point decides.
                point = match without_floats(self.system, &node.more, keep_on) {
                    Relaxed::Infeasible => return None,
                    Relaxed::Point(point) => point,
                    Relaxed::GaveUp => return Some(Solved::Unknown("the exact solver gave up".to_owned())),
                };
                match self.rounded(node, &point.values) {
                    Some(rounded) => rounded,
                    None => return Some(Solved::Unknown("the numbers of the solver are too close".to_owned())),
                }
            }
        };
        let alternatives = match rounded {
            Rounded::TooLarge => return Some(Solved::Unknown("the numbers of the solver grow too large".to_owned())),
            Rounded::Split(var, floor) => vec![
                vec![Constraint::new(vec![(var, 1)], Relation::AtMost, floor)],
                vec![Constraint::new(vec![(var, 1)], Relation::AtLeast, floor + 1)],
            ],
            Rounded::Model(values) => match self.refine.refine(&values) {
                None => return Some(Solved::Model(values)),
                Some(alternatives) => alternatives,
            },
        };
        for constraints in alternatives {
            let fresh = constraints.len();
            let warm = point.warm.clone().filter(|_| open.len() < WARM_NODES).map(|solution| (solution, fresh));
            let mut more = node.more.clone();
            more.extend(constraints);
            open.push(Node { more, objective: point.objective, depth: node.depth + 1, warm });
        }
        None
    }

    /// The point as a model, or where to split it; `None` if it is integral and not a model.
    fn rounded(&self, node: &Node, values: &[f64]) -> Option<Rounded> {
        if values.iter().any(|value| !value.is_finite() || *value > LARGEST) {
            return Some(Rounded::TooLarge);
        }
        let away = |value: f64| (value - value.round()).abs();
        let widest = values.iter().enumerate().max_by(|(_, a), (_, b)| away(**a).total_cmp(&away(**b)));
        if let Some((index, value)) = widest.filter(|(_, value)| away(**value) > NEAR) {
            return Some(Rounded::Split(Var(index as u32), value.floor() as i64));
        }
        let values: Vec<u64> = values.iter().map(|value| value.round().max(0.0) as u64).collect();
        let fits = self.system.holds(&values) && node.more.iter().all(|constraint| constraint.holds(&values));
        fits.then_some(Rounded::Model(values))
    }
}
