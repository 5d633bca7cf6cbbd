//! The variables of the diagrams. Each global and each local has four copies next to each other; results of calls and
//! nondeterministic choices come behind. Locals are numbered within their function, so functions share them.

use rustc_hash::FxHashMap;
use selvedge_boolprog_syntax::ast::{Function, Program};

use crate::diagram::{Variable, Variables as Set};

/// A variable of the program, as seen from one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Slot {
    Global(usize),
    /// Parameters first.
    Local(usize),
    /// A result of the call that returns.
    Result(usize),
}

/// Which value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    /// When the call began.
    Entry,
    Now,
    /// After the step.
    Next,
    /// When the callee began.
    Callee,
}

const COPIES: u32 = 4;

/// The numbering.
pub(super) struct Layout {
    globals: usize,
    locals: usize,
    results: usize,
}

impl Layout {
    pub(super) fn new(program: &Program) -> Self {
        let most = |count: fn(&Function) -> usize| program.functions.iter().map(count).max().unwrap_or(0);
        Layout {
            globals: program.globals.len(),
            locals: most(|function| function.parameters.len() + function.locals.len()),
            results: most(|function| function.results),
        }
    }

    pub(super) fn variable(&self, slot: Slot, copy: Copy) -> Variable {
        let number = match slot {
            Slot::Global(index) => index,
            Slot::Local(index) => self.globals + index,
            Slot::Result(index) => self.globals + self.locals + index,
        };
        Variable(number as u32 * COPIES + copy as u32)
    }

    /// A nondeterministic choice of a step.
    pub(super) fn choice(&self, number: u32) -> Variable {
        Variable((self.globals + self.locals + self.results) as u32 * COPIES + number)
    }

    pub(super) fn globals(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.globals).map(Slot::Global)
    }

    pub(super) fn locals(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.locals).map(Slot::Local)
    }

    pub(super) fn results(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..self.results).map(Slot::Result)
    }

    /// One copy of some variables, to be quantified.
    pub(super) fn set(&self, slots: impl Iterator<Item = Slot>, copy: Copy) -> Set {
        slots.map(|slot| self.variable(slot, copy)).collect()
    }

    /// Another copy instead of one.
    pub(super) fn renaming(
        &self,
        slots: impl Iterator<Item = Slot>,
        from: Copy,
        to: Copy,
    ) -> FxHashMap<Variable, Variable> {
        slots.map(|slot| (self.variable(slot, from), self.variable(slot, to))).collect()
    }

    /// Everything but the globals before and after a step; `choices` are as many as the step has.
    pub(super) fn all_but_globals(&self, choices: u32) -> Set {
        let entries = self.globals().chain(self.locals()).map(|slot| self.variable(slot, Copy::Entry));
        let locals = self.locals().flat_map(|slot| [self.variable(slot, Copy::Now), self.variable(slot, Copy::Next)]);
        let results = self.results().map(|slot| self.variable(slot, Copy::Now));
        let choices = (0..choices).map(|number| self.choice(number));
        entries.chain(locals).chain(results).chain(choices).collect()
    }
}

/// The variable of this name in a function. A name may carry the suffix `$`.
pub(super) fn slot(program: &Program, function: usize, name: &str) -> Option<Slot> {
    let source = &program.functions[function];
    let find = |name: &str| {
        let mut locals = source.parameters.iter().chain(source.locals.iter().map(|local| &local.name));
        let local = locals.position(|local| local.text == name).map(Slot::Local);
        local.or_else(|| program.globals.iter().position(|global| global.name.text == name).map(Slot::Global))
    };
    find(name).or_else(|| find(name.strip_suffix('$')?))
}
