//! `.pds` files as concurrent pushdown systems.

use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId};

use super::system::{Action, State, Symbol, System};

/// The system of a file. Symbols of all threads are numbered together; behind those of a thread comes the
/// bottom of its stack.
pub struct Net<'p> {
    pds: &'p Pds,
    first: Vec<u32>,
}

impl<'p> Net<'p> {
    /// The system of a file.
    pub fn new(pds: &'p Pds) -> Self {
        let mut next = 0;
        let first = pds.threads.iter().map(|thread| {
            let first = next;
            next += thread.symbols.len() as u32 + 2;
            first
        });
        Net { pds, first: first.collect() }
    }

    fn of(&self, symbol: Symbol) -> (usize, u32) {
        let thread = self.first.partition_point(|first| *first <= symbol.0) - 1;
        (thread, symbol.0 - self.first[thread])
    }

    /// The symbol of the file, if it is one.
    pub fn symbol(&self, symbol: Symbol) -> Option<(usize, SymbolId)> {
        let (thread, number) = self.of(symbol);
        (number < self.pds.threads[thread].symbols.len() as u32).then_some((thread, SymbolId(number)))
    }

    fn bottom(&self, thread: usize) -> Symbol {
        Symbol(self.first[thread] + self.pds.threads[thread].symbols.len() as u32)
    }
}

impl System for Net<'_> {
    fn threads(&self) -> usize {
        self.pds.threads.len()
    }

    fn initial(&self) -> Vec<State> {
        vec![State::from(self.pds.initial.0)]
    }

    fn entry(&mut self, thread: usize) -> Symbol {
        Symbol(self.bottom(thread).0 + 1)
    }

    fn actions(&mut self, state: State, top: Symbol) -> Vec<Action> {
        let (thread, number) = self.of(top);
        let here = &self.pds.threads[thread];
        let named = |symbol: SymbolId| Symbol(self.first[thread] + symbol.0);
        if top == Symbol(self.bottom(thread).0 + 1) {
            return vec![Action { state, push: vec![named(here.entry), self.bottom(thread)], error: false }];
        }
        let fits = here.rules.iter().filter(|rule| u64::from(rule.from.0) == state && rule.top.0 == number);
        fits.map(|rule| Action {
            state: State::from(rule.to.0),
            push: rule.push.iter().map(|symbol| named(*symbol)).collect(),
            error: false,
        })
        .collect()
    }

    fn may_switch(&self, _: State, _: Symbol) -> bool {
        true
    }

    fn thread_of(&self, symbol: Symbol) -> usize {
        self.of(symbol).0
    }
}

/// The shared state of a file.
pub fn state(state: State) -> StateId {
    StateId(state as u32)
}
