//! Depth-first search over schedules under a bound: every schedule (`cb-dfs` of \[CBPOR\]), or those that
//! \[BPOR\] Algorithm 1 asks for, with the backtrack points of Algorithm 2 (preemptions) and 3 (fairness).
//!
//! The bound is raised step by step. A node of the search tree that still has threads the bound refused is kept,
//! and the next bound continues from there: nothing is run twice. The proof of \[BPOR\] Theorem 7 goes by
//! induction over the finished tree, so it does not matter that parts of it were explored under a lower bound first.

mod kept;
mod races;

use self::kept::{KeptId, Tree};
use crate::cost::{Caps, Cost, SearchRules, Spent};
use crate::op::Op;
use crate::outcome::Nondeterminism;
use crate::set::ThreadSet;
use crate::state::State;
use crate::strategy::{Decision, Ended, Next, Strategy, View, check_same};
use crate::{MAIN, ThreadId};

/// A state on the way, before a step is chosen there.
struct Node {
    candidates: ThreadSet,
    /// Threads to be explored from here.
    backtrack: ThreadSet,
    /// Threads that were.
    done: ThreadSet,
    /// Threads that were, but for their stale accesses.
    stale: ThreadSet,
    last: (ThreadId, bool),
    /// [`State::fingerprint`].
    fingerprint: u64,
    /// The cost of getting here.
    cost: Spent,
    /// The step taken last from here, and whether it was taken under this bound.
    taken: Option<Taken>,
    fresh: bool,
    /// The operation of that step, where it is known.
    op: Option<Op>,
    /// Subtrees with work left for a higher bound: those to be entered under this bound, and those left again.
    enter: KeptId,
    left: KeptId,
}

/// A step taken from a node.
#[derive(Clone, Copy)]
struct Taken {
    thread: ThreadId,
    /// The outcome, and among how many; not known before the run gets there.
    choice: u32,
    arity: Option<u32>,
    /// It is a stale access.
    stale: bool,
}

/// The search.
pub(crate) struct Bounded {
    cost: Cost,
    caps: Caps,
    /// The bound in force and the last one to be explored.
    bound: u32,
    max: Option<u32>,
    /// Backtrack points only where steps are dependent.
    reduce: bool,
    /// Threads are chosen fairly, so that enabling one makes others dearer (\[BPOR\] Algorithm 3).
    fair: bool,
    /// A thread yielded in some run: only then does fairness matter.
    yields: bool,
    /// The nodes of the run in progress.
    path: Vec<Node>,
    /// Those that wait for a higher bound, and the first of them.
    kept: Tree,
    root: KeptId,
    executions: u64,
    /// Something was refused by the bound, or whatever the bound is.
    refused: bool,
    capped: bool,
    finished_bound: bool,
    begun: bool,
    restart: bool,
}

impl Bounded {
    /// A search from `first` up to the bound `max`.
    pub(crate) fn new(rules: SearchRules, reduce: bool, fair: bool) -> Bounded {
        let SearchRules { cost, first, max, caps } = rules;
        Bounded {
            cost,
            caps,
            bound: first,
            max,
            reduce,
            fair,
            yields: false,
            path: Vec::new(),
            kept: Tree::new(),
            root: KeptId::NONE,
            executions: 0,
            refused: false,
            capped: false,
            finished_bound: false,
            begun: false,
            restart: false,
        }
    }

    /// What `thread` would bring the cost to.
    fn price(&self, node: &Node, thread: ThreadId, stale: bool) -> Spent {
        node.cost.and(self.cost.of_step(node.last, thread), stale)
    }

    /// The next thread to be explored from the node at the end of the path that the bound allows, and whether it is to make
    /// stale accesses.
    fn pick(&mut self, first: Option<ThreadId>) -> Option<(ThreadId, bool)> {
        let node = self.path.last()?;
        let todo = |t: &ThreadId| node.backtrack.contains(*t) && !node.done.contains(*t);
        let (mut refused, mut capped) = (false, false);
        let fresh = first.into_iter().chain(node.backtrack.iter()).filter(todo).map(|t| (t, false));
        let found = fresh.chain(node.stale.iter().map(|t| (t, true))).find(|&(t, stale)| {
            let price = self.price(node, t, stale);
            let (fits, allowed) = (self.caps.total(price) <= self.bound, self.caps.allow(price));
            refused |= !fits && allowed;
            capped |= !allowed;
            fits && allowed
        });
        self.refused |= refused;
        self.capped |= capped;
        found
    }

    /// The step that is taken last from the node at the end of the path has so many outcomes.
    fn learn_arity(&mut self, depth: usize, arity: u32, op: Op) {
        let node = &mut self.path[depth];
        node.op = Some(op);
        if let Some(taken) = &mut node.taken {
            taken.arity = Some(arity);
            if op.access.is_some() && taken.choice == 0 && arity > 1 {
                node.stale.insert(taken.thread);
            }
        }
    }

    /// Goes on from the newest node with a thread that has not been explored.
    fn extend(&mut self, view: &View<'_>) -> Decision {
        let depth = view.depth();
        let cost = match depth.checked_sub(1).map(|d| &self.path[d]) {
            Some(node) => node.taken.as_ref().map_or(node.cost, |t| self.price(node, t.thread, t.stale)),
            None => Spent::default(),
        };
        let default = view.default_thread();
        let mut backtrack = ThreadSet::default();
        let whole = !self.reduce || (self.fair_matters() && view.pending(default).kind.is_release());
        if whole {
            backtrack.copy_from(view.candidates);
        } else {
            backtrack.insert(default);
        }
        self.path.push(Node {
            candidates: view.candidates.clone(),
            backtrack,
            done: ThreadSet::default(),
            stale: ThreadSet::default(),
            last: view.last,
            fingerprint: view.state.fingerprint(),
            cost,
            taken: None,
            fresh: false,
            op: None,
            enter: KeptId::NONE,
            left: KeptId::NONE,
        });
        match self.pick(Some(default)) {
            Some((thread, _)) => {
                let decision = self.take(Taken { thread, choice: 0, arity: None, stale: false });
                self.learn_arity(depth, view.state.arity(thread), *view.pending(thread));
                decision
            }
            None => Decision::Cut,
        }
    }

    /// Takes a step from the node at the end of the path.
    fn take(&mut self, taken: Taken) -> Decision {
        if let Some(node) = self.path.last_mut() {
            node.done.insert(taken.thread);
            node.stale.remove(taken.thread);
            node.taken = Some(taken);
            node.fresh = true;
            node.op = None;
        }
        Decision::Go(taken.thread, taken.choice)
    }

    /// Follows a decision made before.
    fn follow(&mut self, view: &View<'_>) -> Decision {
        let depth = view.depth();
        let node = &mut self.path[depth];
        let Some(taken) = &mut node.taken else { return Decision::Cut };
        if node.candidates != *view.candidates {
            let list = |set: &ThreadSet| format!("enabled threads: {:?}", set.iter().map(|t| t.0).collect::<Vec<_>>());
            let (expected, found) = (list(&node.candidates), list(view.candidates));
            return Decision::Differs(Box::new(Nondeterminism { step: depth, expected, found }));
        }
        let found = *view.pending(taken.thread);
        if let Some(differs) = node.op.as_ref().and_then(|op| check_same(depth, op, &found)) {
            return Decision::Differs(differs);
        }
        if node.fingerprint != view.state.fingerprint() {
            return view.differs();
        }
        let Taken { thread, choice, arity, .. } = *taken;
        if arity.is_none() {
            self.learn_arity(depth, view.state.arity(thread), found);
        }
        Decision::Go(thread, choice)
    }

    /// Moves to the next schedule: changes the end of the path. False if there is none under this bound.
    fn advance(&mut self) -> bool {
        while let Some(node) = self.path.last_mut() {
            let in_graph = node.op.is_some_and(|op| op.access.is_some());
            if let (true, Some(Taken { choice, arity: Some(arity), .. })) = (node.fresh, &mut node.taken)
                && *choice + 1 < *arity
                && !(in_graph && *choice == 0)
            {
                *choice += 1;
                return true;
            }
            if node.enter != KeptId::NONE {
                let (child, taken, rest) = self.kept.take(node.enter);
                (node.taken, node.fresh, node.op, node.enter) = (Some(taken), false, None, rest);
                self.path.push(child);
                continue;
            }
            if let Some((thread, stale)) = self.pick(None) {
                self.take(Taken { thread, choice: stale.into(), arity: None, stale });
                return true;
            }
            self.leave();
        }
        false
    }

    /// The node at the end of the path is finished under this bound: keeps it if a higher bound may need it.
    fn leave(&mut self) {
        let Some(node) = self.path.pop() else { return };
        let last_bound = self.max.is_some_and(|max| self.bound >= max);
        let waits = node.backtrack.iter().any(|t| !node.done.contains(t) && node.candidates.contains(t))
            || !node.stale.is_empty();
        if last_bound || !(waits || node.left != KeptId::NONE) {
            return;
        }
        match self.path.last_mut() {
            // A step with several outcomes leaves a subtree for each; `taken` of the parent tells which this one is.
            Some(parent) => {
                if let Some(taken) = parent.taken {
                    parent.left = self.kept.keep(node, taken, parent.left);
                }
            }
            None => {
                self.root =
                    self.kept.keep(node, Taken { thread: MAIN, choice: 0, arity: None, stale: false }, KeptId::NONE)
            }
        }
    }

    fn fair_matters(&self) -> bool {
        self.fair && self.yields
    }
}

impl Strategy for Bounded {
    fn next(&mut self) -> Next {
        if std::mem::take(&mut self.restart) {
            return Next::Restart;
        }
        if !self.begun {
            self.begun = true;
            return Next::Run;
        }
        if !self.finished_bound {
            if self.advance() {
                return Next::Run;
            }
            self.finished_bound = true;
            return Next::BoundComplete { bound: self.bound, executions: self.executions };
        }
        if !self.refused || self.max.is_some_and(|max| self.bound >= max) {
            return Next::Done { every_bound: !self.refused && !self.capped };
        }
        self.finished_bound = false;
        self.refused = false;
        self.bound += 1;
        if self.root != KeptId::NONE {
            let (root, _, _) = self.kept.take(self.root);
            self.root = KeptId::NONE;
            self.path.push(root);
        }
        self.next()
    }

    fn memory(&self) -> usize {
        self.kept.memory()
    }

    #[inline]
    fn follow(&self, depth: usize, fingerprint: u64) -> Option<(ThreadId, u32)> {
        let node = self.path.get(depth).filter(|node| node.fingerprint == fingerprint)?;
        node.taken.filter(|taken| taken.arity.is_some()).map(|taken| (taken.thread, taken.choice))
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        if view.depth() < self.path.len() {
            return self.follow(view);
        }
        if self.reduce {
            self.find_races(view.state);
        }
        self.extend(view)
    }

    fn end(&mut self, state: &State, ended: Ended) {
        self.executions += u64::from(ended != Ended::Cut);
        if self.reduce && ended != Ended::Cut {
            self.find_races(state);
        }
        if self.reduce && ended == Ended::Aborted {
            self.races_of_abort(state);
        }
        if self.reduce && self.fair && !self.yields && state.threads().iter().any(|t| t.yields > 0) {
            // Explored as if nobody ever yielded: start again.
            let first = if self.cost == Cost::Free { self.bound } else { 0 };
            let rules = SearchRules { cost: self.cost, first, max: self.max, caps: self.caps };
            *self = Bounded { yields: true, restart: true, ..Bounded::new(rules, true, true) };
        }
    }
}
