//! Numbers for the states and symbols of the network of a program. If no procedure can call itself, a symbol is a
//! thread's whole stack and the network is finite-state; else a symbol is one frame.

use rustc_hash::FxHashMap;
use selvedge_boolprog::program::{EdgeId, Op, Program};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

use super::step::Frame;
use super::values::Value;

/// A state of the network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// The globals.
    Globals(Vec<Value>),
    /// The globals, and what a procedure gives back.
    Returning(Vec<Value>, Vec<Value>),
    /// A violation.
    Violated,
}

/// A frame that waits for its callee at an edge.
pub(super) type Caller = (EdgeId, Vec<Value>);

/// A symbol of the network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Symbol {
    /// A frame on top, and, where symbols are whole stacks, the frames that wait below it, the lowest first.
    Top(Frame, Vec<Caller>),
    /// A frame that waits.
    Caller(Caller),
    /// A thread that has not run yet, where symbols are frames.
    New(Frame),
    /// Below the outermost frame, where symbols are frames.
    Bottom,
}

/// Items with numbers.
#[derive(Debug)]
pub(super) struct Numbers<T> {
    ids: FxHashMap<T, u32>,
    pub items: Vec<T>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { ids: FxHashMap::default(), items: Vec::new() }
    }
}

impl<T: Clone + Eq + std::hash::Hash> Numbers<T> {
    pub(super) fn of(&mut self, item: T) -> u32 {
        if let Some(id) = self.ids.get(&item) {
            return *id;
        }
        let id = self.items.len() as u32;
        self.items.push(item.clone());
        self.ids.insert(item, id);
        id
    }
}

/// States and symbols.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub states: Numbers<State>,
    pub symbols: Numbers<Symbol>,
}

impl Names {
    pub(super) fn state(&mut self, state: State) -> StateId {
        StateId(self.states.of(state))
    }

    pub(super) fn symbol(&mut self, symbol: Symbol) -> SymbolId {
        SymbolId(self.symbols.of(symbol))
    }

    /// States in words.
    pub(crate) fn state_names(&self, program: &Program) -> Vec<String> {
        let value = |value: &Value| ["0", "1", "*"][usize::from(*value).min(2)];
        let list = |values: &[Value]| values.iter().map(value).collect::<String>();
        let globals = |values: &[Value]| {
            let each = program.globals.iter().zip(values).map(|(global, v)| format!("{}={}", global.name, value(v)));
            each.collect::<Vec<_>>().join(",")
        };
        let name = |state: &State| match state {
            State::Globals(values) => globals(values),
            State::Returning(values, given) => format!("{} returning {}", globals(values), list(given)),
            State::Violated => "violated".to_owned(),
        };
        self.states.items.iter().map(name).collect()
    }
}

/// Whether some procedure can call itself, directly or not.
pub(super) fn recursive(program: &Program) -> bool {
    let calls = |procedure: usize| {
        let edges = program.edges.iter().filter(move |edge| program.node(edge.from).procedure.index() == procedure);
        edges.filter_map(|edge| if let Op::Call { procedure, .. } = &edge.op { Some(procedure.index()) } else { None })
    };
    let count = program.procedures.len();
    // Procedures that call only ones that end: those that are left call each other in a circle.
    let mut ends = vec![false; count];
    loop {
        let next = (0..count).find(|procedure| !ends[*procedure] && calls(*procedure).all(|callee| ends[callee]));
        match next {
            Some(procedure) => ends[procedure] = true,
            None => return ends.contains(&false),
        }
    }
}
