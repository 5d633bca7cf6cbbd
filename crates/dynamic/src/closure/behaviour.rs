//! What a single thread can do, as the pushdown automaton P(q,γ) of \[DYN\] Section 5.1, and which of
//! its jumps between global states can happen at all: a thread is resumed only in states that some activation
//! leads to, from a state in which some thread was suspended. These sets are computed for all threads
//! together, as if there were enough threads of each kind at any time.
//!
//! DIVERGENCE \[DYN\] Section 5.1: a jump names the symbol below only when it is known, instead of guessing it
//! in the state. A step into a target ends a thread's word, as a run ends there.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Kind};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

/// A letter of a thread's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Letter {
    /// A thread with this stack is created.
    Spawn(SymbolId),
    /// The thread is suspended in the first state with the symbol on top, and resumed in the second.
    Jump(StateId, SymbolId, StateId),
    /// The thread leaves this state behind and never runs again.
    Last(StateId),
}

/// A global state and the top of the stack.
pub(super) type Head = (StateId, SymbolId);

/// How a thread leaves the symbol on top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum End {
    /// It is popped, and the thread continues in this state.
    Popped(StateId),
    /// It is popped, and the thread is suspended in this state.
    Suspended(StateId),
    /// The thread never runs again.
    Last,
}

/// How a thread continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Next {
    /// Nowhere: the symbol on top is left so.
    End(End),
    /// With another symbol in its place.
    Go(Head),
    /// With two symbols: this head, and the symbol below it.
    Call(Head, SymbolId),
}

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// The rule, by position.
    pub rule: usize,
    /// The thread that is created, if it can ever run.
    pub spawn: Option<SymbolId>,
    /// The switch or the end, if it is one.
    pub letter: Option<Letter>,
    pub next: Next,
}

/// What the threads of a network can do.
pub(super) struct Threads<'a> {
    pub(super) dcps: &'a Dcps,
    rules: FxHashMap<Head, Vec<usize>>,
    /// States in which a thread with this top is resumed.
    resumed: FxHashMap<SymbolId, BTreeSet<StateId>>,
    /// Where threads other than the first start.
    starts: BTreeSet<Head>,
    /// Symbols of new threads that can run.
    runnable: FxHashSet<SymbolId>,
}

impl<'a> Threads<'a> {
    /// The threads of a network. `spawned_run` is false if no thread but the first runs within the bound.
    pub(super) fn new(dcps: &'a Dcps, spawned_run: bool, budget: &Budget) -> Result<Self, StopReason> {
        let mut rules: FxHashMap<Head, Vec<usize>> = FxHashMap::default();
        for (index, rule) in dcps.rules.iter().enumerate() {
            rules.entry((rule.from, rule.top)).or_default().push(index);
        }
        let mut threads = Threads {
            dcps,
            rules,
            resumed: FxHashMap::default(),
            starts: BTreeSet::new(),
            runnable: FxHashSet::default(),
        };
        loop {
            budget.go_on(0)?;
            let (idle, spawned) = threads.leavings(budget)?;
            if !threads.admit(&idle, spawned_run.then_some(&spawned)) {
                return Ok(threads);
            }
        }
    }

    /// Where threads start: the first one, then those that are created.
    pub(super) fn starts(&self) -> impl Iterator<Item = Head> {
        let first = (self.dcps.initial, self.dcps.initial_symbol);
        std::iter::once(first).chain(self.starts.iter().copied().filter(move |start| *start != first))
    }

    /// Whether a created thread can start so.
    pub(super) fn is_start(&self, head: Head) -> bool {
        self.starts.contains(&head)
    }

    /// The steps from a head.
    pub(super) fn bodies(&self, head: Head) -> Vec<Body> {
        let mut bodies = Vec::new();
        for index in self.rules.get(&head).into_iter().flatten() {
            let rule = &self.dcps.rules[*index];
            let body = |letter, next| Body { rule: *index, spawn: self.runnable_spawn(*index), letter, next };
            if self.dcps.is_target(rule.to) {
                bodies.push(body(Some(Letter::Last(rule.to)), Next::End(End::Last)));
                continue;
            }
            let below = rule.push.get(1).copied();
            let from = |head: Head| below.map_or(Next::Go(head), |below| Next::Call(head, below));
            match (rule.kind, rule.push.first()) {
                (Kind::Step, None) => bodies.push(body(None, Next::End(End::Popped(rule.to)))),
                (Kind::Step, Some(top)) => bodies.push(body(None, from((rule.to, *top)))),
                (Kind::Yield, top) => {
                    bodies.push(body(Some(Letter::Last(rule.to)), Next::End(End::Last)));
                    match top {
                        None => bodies.push(body(None, Next::End(End::Suspended(rule.to)))),
                        Some(top) => bodies.extend(self.jumps(rule.to, *top).map(|(letter, state)| {
                            let ends = self.dcps.is_target(state);
                            body(Some(letter), if ends { Next::End(End::Last) } else { from((state, *top)) })
                        })),
                    }
                }
            }
        }
        bodies
    }

    /// How a thread continues with the symbol below after the one above is left.
    pub(super) fn after(&self, end: End, below: SymbolId) -> Vec<(Option<Letter>, Next)> {
        match end {
            End::Popped(state) => vec![(None, Next::Go((state, below)))],
            End::Last => vec![(None, Next::End(End::Last))],
            End::Suspended(state) => {
                let next = |to| if self.dcps.is_target(to) { Next::End(End::Last) } else { Next::Go((to, below)) };
                self.jumps(state, below).map(|(letter, to)| (Some(letter), next(to))).collect()
            }
        }
    }

    fn jumps(&self, from: StateId, top: SymbolId) -> impl Iterator<Item = (Letter, StateId)> {
        let states = self.resumed.get(&top).into_iter().flatten();
        states.map(move |to| (Letter::Jump(from, top, *to), *to))
    }

    /// Whether no thread meets a target, whatever the others do.
    pub(super) fn is_safe_without_switches(&self, budget: &Budget) -> Result<bool, StopReason> {
        let resumed = self.resumed.values().flatten().any(|state| self.dcps.is_target(*state));
        let stepped = super::grammar::heads(self, budget)?.into_iter().any(|head| {
            let rules = self.rules.get(&head).into_iter().flatten();
            rules.into_iter().any(|rule| self.dcps.is_target(self.dcps.rules[*rule].to))
        });
        Ok(!resumed && !stepped && !self.dcps.is_target(self.dcps.initial))
    }

    fn runnable_spawn(&self, rule: usize) -> Option<SymbolId> {
        self.dcps.rules[rule].spawn.filter(|symbol| self.runnable.contains(symbol))
    }

    /// States in which threads are suspended, and threads that are created, with the jumps known so far.
    fn leavings(&self, budget: &Budget) -> Result<(FxHashSet<StateId>, FxHashSet<SymbolId>), StopReason> {
        let (mut idle, mut spawned) = (FxHashSet::default(), FxHashSet::default());
        for head in super::grammar::heads(self, budget)? {
            for index in self.rules.get(&head).into_iter().flatten() {
                let rule = &self.dcps.rules[*index];
                spawned.extend(rule.spawn);
                if rule.kind == Kind::Yield {
                    idle.insert(rule.to);
                }
            }
        }
        Ok((idle, spawned))
    }

    /// Adds the jumps and starts that these make possible; whether there was a new one.
    fn admit(&mut self, idle: &FxHashSet<StateId>, spawned: Option<&FxHashSet<SymbolId>>) -> bool {
        let mut new = false;
        for resume in self.dcps.resumes.iter().filter(|resume| idle.contains(&resume.from)) {
            new |= self.resumed.entry(resume.top).or_default().insert(resume.to);
            if spawned.is_some_and(|spawned| spawned.contains(&resume.top)) {
                new |= self.runnable.insert(resume.top);
                if !self.dcps.is_target(resume.to) {
                    new |= self.starts.insert((resume.to, resume.top));
                }
            }
        }
        new
    }
}
