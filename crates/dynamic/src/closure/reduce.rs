//! The finite-state network of a recursive one (\[DYN\] Section 5.2). A thread that runs is in the global state `#` and
//! its symbol is a state of the automaton of its words; creating a thread is a step, a jump is an
//! interruption that remembers the next state. States and symbols of the recursive network keep their numbers.
//!
//! DIVERGENCE \[DYN\] Section 5.2: a suspended thread is resumed into `#` at once, and states of the automata of
//! different starts that are equivalent share a symbol.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::{FileId, Span};

use super::automaton::{Automaton, State, equivalent_states};
use super::behaviour::{Head, Letter, Threads};
use super::downward::{self, NotClosed};
use super::grammar::{Exits, Maker};

/// Why there is no finite-state network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotReduced {
    /// A limit of the run.
    Stopped(StopReason),
    /// An automaton of a thread's words has more states than this.
    Automaton(usize),
}

impl From<StopReason> for NotReduced {
    fn from(reason: StopReason) -> Self {
        NotReduced::Stopped(reason)
    }
}

impl From<NotClosed> for NotReduced {
    fn from(why: NotClosed) -> Self {
        match why {
            NotClosed::Stopped(reason) => NotReduced::Stopped(reason),
            NotClosed::States(most) => NotReduced::Automaton(most),
        }
    }
}

/// What a rule of the finite-state network means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A thread starts here, in this state of the words' automaton.
    Start(Head, State),
    /// A letter of a thread's word; the state of the words' automaton after it.
    Letter(Letter, State),
    /// A suspended thread is resumed.
    Resumed,
}

/// The finite-state network, and what is needed to take a run back.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The network.
    pub network: Dcps,
    pub(super) meanings: Vec<Meaning>,
    /// The activation of the recursive network for each of this one.
    pub(super) resumes: Vec<usize>,
    /// All words, whatever thread they belong to.
    pub(super) words: Automaton<Letter>,
    pub(super) spawned_run: bool,
}

impl Reduction {
    /// The network for threads with switch numbers up to `k`. With `fresh_switches` a new thread has the number 0, else
    /// its creator's plus one.
    pub fn build(dcps: &Dcps, k: u32, fresh_switches: bool, budget: &Budget) -> Result<Reduction, NotReduced> {
        let spawned_run = fresh_switches || k > 0;
        let threads = Threads::new(dcps, spawned_run, budget)?;
        let exits = Exits::find(&threads, Some(k), budget)?;
        let mut maker = Maker::new(&threads, &exits);
        let mut starts = Vec::new();
        for head in threads.starts() {
            // The first thread has the switch number 0; others may have a greater one from the start.
            let first = head == (dcps.initial, dcps.initial_symbol);
            let most = if first || fresh_switches { k } else { k - 1 };
            starts.extend((0..=most).filter_map(|jumps| Some((head, maker.words(head, jumps)?))));
        }
        maker.complete(budget)?;
        let closed = downward::closures(&maker.grammar, budget)?;
        let mut union = Union::default();
        for (head, nonterminal) in starts {
            union.add(head, &closed[nonterminal.index()]);
        }
        let (words, starts) = union.finish(budget)?;
        Ok(Builder::new(dcps, words, spawned_run).build(&starts, &threads))
    }
}

/// The states in which the words of each start begin.
type Starts = BTreeMap<Head, Vec<State>>;

/// All automata side by side.
#[derive(Default)]
struct Union {
    moves: Vec<Vec<(Letter, State)>>,
    accepting: Vec<bool>,
    starts: Vec<(Head, State)>,
}

impl Union {
    fn add(&mut self, head: Head, automaton: &Automaton<Letter>) {
        let offset = self.moves.len() as State;
        let shifted =
            automaton.moves.iter().map(|moves| moves.iter().map(|(letter, to)| (*letter, to + offset)).collect());
        self.moves.extend(shifted);
        self.accepting.extend(&automaton.accepting);
        self.starts.push((head, automaton.initial + offset));
    }

    /// One automaton in which equivalent states are merged, and where the words of each start begin. Its
    /// initial state has no meaning.
    fn finish(self, budget: &Budget) -> Result<(Automaton<Letter>, Starts), StopReason> {
        let (classes, count) = equivalent_states(&self.moves, &self.accepting, budget)?;
        let mut words = Automaton { initial: 0, moves: vec![Vec::new(); count], accepting: vec![false; count] };
        for (state, class) in classes.iter().enumerate() {
            let mut moves: Vec<_> =
                self.moves[state].iter().map(|(letter, to)| (*letter, classes[*to as usize])).collect();
            moves.sort_unstable();
            moves.dedup();
            words.moves[*class as usize] = moves;
            words.accepting[*class as usize] = self.accepting[state];
        }
        let mut starts = Starts::new();
        for (head, state) in self.starts {
            let states = starts.entry(head).or_default();
            if !states.contains(&classes[state as usize]) {
                states.push(classes[state as usize]);
            }
        }
        Ok((words, starts))
    }
}

struct Builder<'a> {
    dcps: &'a Dcps,
    running: StateId,
    network: Dcps,
    reduction: (Vec<Meaning>, Vec<usize>),
    words: Automaton<Letter>,
    spawned_run: bool,
    /// The symbol of each state of the words' automaton.
    symbols: Vec<SymbolId>,
    /// Symbols of suspended threads: where they are resumed, their top, the rest of their word.
    suspended: FxHashMap<(StateId, SymbolId, State), SymbolId>,
    span: Span,
}

impl<'a> Builder<'a> {
    fn new(dcps: &'a Dcps, words: Automaton<Letter>, spawned_run: bool) -> Self {
        let mut network = dcps.clone();
        network.rules.clear();
        network.resumes.clear();
        network.states.push("#".to_owned());
        let first = network.symbols.len();
        let symbols = (0..words.moves.len()).map(|state| SymbolId((first + state) as u32)).collect();
        network.symbols.extend((0..words.moves.len()).map(|state| format!("s{state}")));
        Builder {
            dcps,
            running: StateId(dcps.states.len() as u32),
            network,
            reduction: (Vec::new(), Vec::new()),
            words,
            spawned_run,
            symbols,
            suspended: FxHashMap::default(),
            span: Span::new(FileId(0), 0, 0),
        }
    }

    fn build(mut self, starts: &Starts, threads: &Threads<'_>) -> Reduction {
        let first = (self.dcps.initial, self.dcps.initial_symbol);
        self.first(first, starts);
        for (head, states) in starts {
            for state in states.iter().filter(|_| threads.is_start(*head)) {
                let to = self.symbols[*state as usize];
                self.rule(*head, (self.running, vec![to]), (None, Kind::Step), Meaning::Start(*head, *state));
            }
        }
        for state in 0..self.words.moves.len() {
            for (letter, to) in self.words.moves[state].clone() {
                self.letter(state, letter, to);
            }
        }
        self.resumes();
        let (meanings, resumes) = self.reduction;
        Reduction { network: self.network, meanings, resumes, words: self.words, spawned_run: self.spawned_run }
    }

    /// The first thread is active at the start: a symbol of its own, which only it has, chooses its word.
    fn first(&mut self, head: Head, starts: &Starts) {
        let symbol = self.symbol("first".to_owned());
        self.network.initial_symbol = symbol;
        for state in starts.get(&head).into_iter().flatten() {
            let to = self.symbols[*state as usize];
            self.rule((head.0, symbol), (self.running, vec![to]), (None, Kind::Step), Meaning::Start(head, *state));
        }
    }

    fn symbol(&mut self, name: String) -> SymbolId {
        self.network.symbols.push(name);
        SymbolId(self.network.symbols.len() as u32 - 1)
    }

    fn rule(
        &mut self,
        (from, top): Head,
        (to, push): (StateId, Vec<SymbolId>),
        (spawn, kind): (Option<SymbolId>, Kind),
        meaning: Meaning,
    ) {
        self.network.rules.push(Rule { from, top, to, push, spawn, kind, span: self.span });
        self.reduction.0.push(meaning);
    }

    fn letter(&mut self, state: usize, letter: Letter, to: State) {
        let head = (self.running, self.symbols[state]);
        let meaning = Meaning::Letter(letter, to);
        match letter {
            Letter::Spawn(symbol) => {
                let next = (self.running, vec![self.symbols[to as usize]]);
                self.rule(head, next, (Some(symbol), Kind::Step), meaning);
            }
            Letter::Last(left) => self.rule(head, (left, Vec::new()), (None, Kind::Yield), meaning),
            Letter::Jump(left, top, resumed) => {
                let suspended = self.suspended_symbol(resumed, top, to);
                self.rule(head, (left, vec![suspended]), (None, Kind::Yield), meaning);
            }
        }
    }

    /// The symbol of a thread that is suspended, with the rule that resumes it.
    fn suspended_symbol(&mut self, resumed: StateId, top: SymbolId, state: State) -> SymbolId {
        if let Some(symbol) = self.suspended.get(&(resumed, top, state)) {
            return *symbol;
        }
        let name = format!("{}.{}.s{state}", self.dcps.state_name(resumed), self.dcps.symbol_name(top));
        let symbol = self.symbol(name);
        self.suspended.insert((resumed, top, state), symbol);
        let to = self.symbols[state as usize];
        self.rule((self.running, symbol), (self.running, vec![to]), (None, Kind::Step), Meaning::Resumed);
        symbol
    }

    /// Threads are started as they are created, and resumed where their words say.
    fn resumes(&mut self) {
        let mut suspended: FxHashMap<Head, Vec<SymbolId>> = FxHashMap::default();
        for ((resumed, top, _), symbol) in &self.suspended {
            suspended.entry((*resumed, *top)).or_default().push(*symbol);
        }
        suspended.values_mut().for_each(|symbols| symbols.sort_unstable_by_key(|symbol| symbol.0));
        for (index, resume) in self.dcps.resumes.iter().enumerate() {
            let fits = suspended.get(&(resume.to, resume.top)).into_iter().flatten();
            let into = if self.dcps.is_target(resume.to) { resume.to } else { self.running };
            let tops = fits.map(|symbol| (into, *symbol));
            let start = self.spawned_run.then_some((resume.to, resume.top));
            for (to, top) in tops.chain(start) {
                self.network.resumes.push(Resume { from: resume.from, to, top, span: self.span });
                self.reduction.1.push(index);
            }
        }
    }
}
