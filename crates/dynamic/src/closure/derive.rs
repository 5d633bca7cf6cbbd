//! A run of one thread whose word contains a given word: the same jumps and the same end, and at least the
//! created threads. Tabulation as in [`super::grammar`], over heads together with how much of the word has been
//! written; a created thread that is next in the word is always taken for it, which never hurts later
//! ones. Each fact keeps the rule and the facts it came from, all of them older than itself.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::pds::SymbolId;

use super::behaviour::{Body, End, Head, Letter, Next, Threads};

/// A step of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The rule, by position.
    pub rule: usize,
    /// The thread it creates is one of the word.
    pub counted: bool,
}

/// A head, and how much of the word was written before.
type Place = (Head, usize);
/// How a head is left, and how much of the word was written until then.
type Exit = (End, usize);
type Fact = (Place, Exit);

#[derive(Clone)]
struct Reason {
    step: Step,
    parts: Vec<Fact>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Waiting {
    parent: Place,
    rule: usize,
    counted: bool,
    /// The callee's fact, once the symbol below is on top.
    first: Option<Fact>,
    /// The symbol below, before that.
    below: Option<SymbolId>,
}

struct Table<'a, 'b> {
    threads: &'b Threads<'a>,
    word: &'b [Letter],
    exits: FxHashMap<Place, Vec<Exit>>,
    reasons: FxHashMap<Fact, Reason>,
    waiting: FxHashMap<Place, Vec<Waiting>>,
    registered: FxHashSet<(Place, Waiting)>,
    fresh: Vec<Place>,
    work: Vec<Fact>,
}

/// Turns of the tabulation, or steps of the run, between two checks of the budget.
const PULSE: usize = 1024;

/// A run of a thread from a head whose word contains this one; `None` if there is none. A run may be exponentially longer
/// than the network that it is of.
pub(super) fn run(
    threads: &Threads<'_>,
    head: Head,
    word: &[Letter],
    budget: &Budget,
) -> Result<Option<Vec<Step>>, StopReason> {
    let mut table = Table {
        threads,
        word,
        exits: FxHashMap::default(),
        reasons: FxHashMap::default(),
        waiting: FxHashMap::default(),
        registered: FxHashSet::default(),
        fresh: Vec::new(),
        work: Vec::new(),
    };
    let goal = ((head, 0), (End::Last, word.len()));
    table.meet(goal.0);
    let mut turns = 0usize;
    while !table.reasons.contains_key(&goal) {
        turns += 1;
        if turns.is_multiple_of(PULSE) {
            budget.go_on(table.bytes())?;
        }
        if let Some((place, exit)) = table.work.pop() {
            for waiting in table.waiting.get(&place).cloned().unwrap_or_default() {
                table.hand(&waiting, (place, exit));
            }
        } else {
            let Some(place) = table.fresh.pop() else { return Ok(None) };
            table.expand(place);
        }
    }
    table.steps(goal, budget).map(Some)
}

impl Table<'_, '_> {
    fn meet(&mut self, place: Place) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.exits.entry(place) {
            entry.insert(Vec::new());
            self.fresh.push(place);
        }
    }

    fn expand(&mut self, place: Place) {
        let (head, before) = place;
        for Body { rule, spawn, letter, next } in self.threads.bodies(head) {
            let counted = spawn.is_some_and(|symbol| self.word.get(before) == Some(&Letter::Spawn(symbol)));
            let Some(at) = self.written(before + usize::from(counted), letter) else { continue };
            let step = Step { rule, counted };
            match next {
                Next::End(end) => self.add((place, (end, at)), Reason { step, parts: Vec::new() }),
                Next::Go(next) => {
                    self.wait((next, at), Waiting { parent: place, rule, counted, first: None, below: None });
                }
                Next::Call(next, below) => {
                    self.wait((next, at), Waiting { parent: place, rule, counted, first: None, below: Some(below) });
                }
            }
        }
    }

    /// How much is written after a letter that must be the next one.
    fn written(&self, at: usize, letter: Option<Letter>) -> Option<usize> {
        match letter {
            None => Some(at),
            Some(letter) => (self.word.get(at) == Some(&letter)).then_some(at + 1),
        }
    }

    fn add(&mut self, fact: Fact, reason: Reason) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.reasons.entry(fact) {
            entry.insert(reason);
            self.exits.entry(fact.0).or_default().push(fact.1);
            self.work.push(fact);
        }
    }

    fn wait(&mut self, place: Place, waiting: Waiting) {
        if !self.registered.insert((place, waiting.clone())) {
            return;
        }
        self.meet(place);
        for exit in self.exits.get(&place).cloned().unwrap_or_default() {
            self.hand(&waiting, (place, exit));
        }
        self.waiting.entry(place).or_default().push(waiting);
    }

    fn hand(&mut self, waiting: &Waiting, fact: Fact) {
        let step = Step { rule: waiting.rule, counted: waiting.counted };
        let (_, (end, at)) = fact;
        let Some(below) = waiting.below else {
            let parts = waiting.first.into_iter().chain([fact]).collect();
            return self.add((waiting.parent, (end, at)), Reason { step, parts });
        };
        for (letter, next) in self.threads.after(end, below) {
            let Some(at) = self.written(at, letter) else { continue };
            match next {
                Next::Go(next) => {
                    self.wait((next, at), Waiting { first: Some(fact), below: None, ..waiting.clone() });
                }
                _ => self.add((waiting.parent, (End::Last, at)), Reason { step, parts: vec![fact] }),
            }
        }
    }

    /// What the tables take, about.
    fn bytes(&self) -> u64 {
        (self.reasons.len() * 2 * size_of::<(Fact, Reason)>() + self.registered.len() * 3 * size_of::<Waiting>()) as u64
    }

    /// The steps of a fact.
    fn steps(&self, goal: Fact, budget: &Budget) -> Result<Vec<Step>, StopReason> {
        let mut steps = Vec::new();
        let mut open = vec![goal];
        while let Some(fact) = open.pop() {
            if steps.len().is_multiple_of(PULSE) {
                budget.go_on(self.bytes() + (steps.len() * size_of::<Step>()) as u64)?;
            }
            if let Some(reason) = self.reasons.get(&fact) {
                steps.push(reason.step);
                open.extend(reason.parts.iter().rev());
            }
        }
        Ok(steps)
    }
}
