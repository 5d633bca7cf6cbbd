//! Reduced ordered binary decision diagrams, as small as a checker needs them: one table of nodes, one cache for each
//! operation, no reordering, nothing is freed. They share nothing with the diagrams of the symbolic engine.
//!
//! Every operation may end with [`Stopped`]: the caller's limits are looked at while nodes are made.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::{Budget, StopReason};

/// A set of valuations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Diagram(u32);

/// A Boolean variable; smaller ones are tested first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// No valuation.
pub const NONE: Diagram = Diagram(0);
/// Every valuation.
pub const ALL: Diagram = Diagram(1);

/// Why an operation was not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// A limit of the user's.
    Limit(StopReason),
    /// The operations that were allowed are used up.
    Effort,
}

/// The result of an operation.
pub type Limited<T> = Result<T, Stopped>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Diagram,
    high: Diagram,
}

/// Behind all variables: the terminal nodes.
const TERMINAL: u32 = u32::MAX;

/// A set of variables that are quantified.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    set: FxHashSet<u32>,
    last: u32,
}

impl FromIterator<Variable> for Variables {
    fn from_iter<I: IntoIterator<Item = Variable>>(variables: I) -> Self {
        let set: FxHashSet<u32> = variables.into_iter().map(|variable| variable.0).collect();
        let last = set.iter().copied().max().unwrap_or(0);
        Variables { set, last }
    }
}

/// The table of all diagrams.
pub struct Diagrams {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Diagram>,
    choices: FxHashMap<(Diagram, Diagram, Diagram), Diagram>,
    budget: Budget,
    operations: u64,
    most_operations: u64,
}

/// Operations between two looks at the limits.
const LOOK_EVERY: u64 = 1 << 12;
/// Bytes of a node with its entries in the tables, about.
const BYTES_OF_A_NODE: u64 = 72;

impl Diagrams {
    /// Diagrams within a budget, and within a number of operations.
    pub fn new(budget: Budget, most_operations: u64) -> Self {
        let terminal = |diagram| Node { variable: TERMINAL, low: diagram, high: diagram };
        Diagrams {
            nodes: vec![terminal(NONE), terminal(ALL)],
            unique: FxHashMap::default(),
            choices: FxHashMap::default(),
            budget,
            operations: 0,
            most_operations,
        }
    }

    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// The valuations in which a variable is true.
    pub fn variable(&mut self, variable: Variable) -> Diagram {
        self.node(variable.0, NONE, ALL)
    }

    /// The variable that is tested first, with the diagrams for false and true. `None` for [`NONE`] and [`ALL`].
    pub fn parts(&self, diagram: Diagram) -> Option<(Variable, Diagram, Diagram)> {
        let Node { variable, low, high } = self.nodes[diagram.0 as usize];
        (variable != TERMINAL).then_some((Variable(variable), low, high))
    }

    /// `condition ? then : otherwise`
    pub fn choose(&mut self, condition: Diagram, then: Diagram, otherwise: Diagram) -> Limited<Diagram> {
        match (condition, then, otherwise) {
            (ALL, ..) => return Ok(then),
            (NONE, ..) => return Ok(otherwise),
            (_, ALL, NONE) => return Ok(condition),
            _ if then == otherwise => return Ok(then),
            _ => {}
        }
        if let Some(known) = self.choices.get(&(condition, then, otherwise)) {
            return Ok(*known);
        }
        self.count()?;
        let parts = [condition, then, otherwise];
        let first = parts.iter().map(|part| self.nodes[part.0 as usize].variable).min().unwrap_or(TERMINAL);
        let low = parts.map(|part| self.branch(part, first, false));
        let high = parts.map(|part| self.branch(part, first, true));
        let low = self.choose(low[0], low[1], low[2])?;
        let high = self.choose(high[0], high[1], high[2])?;
        let made = self.node(first, low, high);
        self.choices.insert((condition, then, otherwise), made);
        Ok(made)
    }

    /// Both.
    pub fn and(&mut self, a: Diagram, b: Diagram) -> Limited<Diagram> {
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, b, NONE)
    }

    /// One or both.
    pub fn or(&mut self, a: Diagram, b: Diagram) -> Limited<Diagram> {
        let (a, b) = (a.min(b), a.max(b));
        self.choose(a, ALL, b)
    }

    /// Not.
    pub fn not(&mut self, a: Diagram) -> Limited<Diagram> {
        self.choose(a, NONE, ALL)
    }

    /// Both or none.
    pub fn same(&mut self, a: Diagram, b: Diagram) -> Limited<Diagram> {
        let differs = self.not(b)?;
        self.choose(a, b, differs)
    }

    /// Those of `a` that are not in `b`.
    pub fn minus(&mut self, a: Diagram, b: Diagram) -> Limited<Diagram> {
        self.choose(b, NONE, a)
    }

    /// Whether every valuation of `a` is one of `b`.
    pub fn implies(&mut self, a: Diagram, b: Diagram) -> Limited<bool> {
        Ok(self.minus(a, b)? == NONE)
    }

    /// The valuations that are in `a` for some values of the variables.
    pub fn exists(&mut self, a: Diagram, variables: &Variables) -> Limited<Diagram> {
        self.and_exists(a, ALL, variables)
    }

    /// The valuations that are in both for some values of the variables.
    pub fn and_exists(&mut self, a: Diagram, b: Diagram, variables: &Variables) -> Limited<Diagram> {
        self.product(a, b, variables, &mut FxHashMap::default())
    }

    fn product(
        &mut self,
        a: Diagram,
        b: Diagram,
        variables: &Variables,
        known: &mut FxHashMap<(Diagram, Diagram), Diagram>,
    ) -> Limited<Diagram> {
        let (a, b) = (a.min(b), a.max(b));
        if a == NONE || b == NONE {
            return Ok(NONE);
        }
        let first = self.nodes[a.0 as usize].variable.min(self.nodes[b.0 as usize].variable);
        if first > variables.last || variables.set.is_empty() {
            return self.and(a, b);
        }
        if let Some(known) = known.get(&(a, b)) {
            return Ok(*known);
        }
        self.count()?;
        let quantified = variables.set.contains(&first);
        let low = self.product(self.branch(a, first, false), self.branch(b, first, false), variables, known)?;
        let made = if quantified && low == ALL {
            ALL
        } else {
            let high = self.product(self.branch(a, first, true), self.branch(b, first, true), variables, known)?;
            if quantified { self.or(low, high)? } else { self.node(first, low, high) }
        };
        known.insert((a, b), made);
        Ok(made)
    }

    /// The diagram with variables replaced by others, all at once.
    pub fn rename(&mut self, a: Diagram, names: &FxHashMap<Variable, Variable>) -> Limited<Diagram> {
        self.renamed(a, names, &mut FxHashMap::default())
    }

    fn renamed(
        &mut self,
        a: Diagram,
        names: &FxHashMap<Variable, Variable>,
        known: &mut FxHashMap<Diagram, Diagram>,
    ) -> Limited<Diagram> {
        let Some((variable, low, high)) = self.parts(a) else { return Ok(a) };
        if let Some(known) = known.get(&a) {
            return Ok(*known);
        }
        self.count()?;
        let low = self.renamed(low, names, known)?;
        let high = self.renamed(high, names, known)?;
        let test = self.variable(names.get(&variable).copied().unwrap_or(variable));
        let made = self.choose(test, high, low)?;
        known.insert(a, made);
        Ok(made)
    }

    fn branch(&self, diagram: Diagram, variable: u32, value: bool) -> Diagram {
        let node = self.nodes[diagram.0 as usize];
        match node.variable == variable {
            true if value => node.high,
            true => node.low,
            false => diagram,
        }
    }

    fn node(&mut self, variable: u32, low: Diagram, high: Diagram) -> Diagram {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        let next = Diagram(self.nodes.len() as u32);
        let found = *self.unique.entry(node).or_insert(next);
        if found == next {
            self.nodes.push(node);
        }
        found
    }

    fn count(&mut self) -> Limited<()> {
        self.operations += 1;
        if self.operations > self.most_operations || self.nodes.len() as u64 > u64::from(u32::MAX) / 2 {
            return Err(Stopped::Effort);
        }
        if self.operations.is_multiple_of(LOOK_EVERY) {
            let bytes = (self.nodes.len() + self.choices.len()) as u64 * BYTES_OF_A_NODE;
            self.budget.go_on(bytes).map_err(Stopped::Limit)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::Chance;

    use super::*;

    const COUNT: u32 = 5;

    /// A random diagram, and its truth table.
    fn random(diagrams: &mut Diagrams, chance: &mut Chance, depth: u32) -> (Diagram, u32) {
        let of = |variable: u32| {
            (0..1u32 << COUNT).filter(|row| row >> variable & 1 == 1).fold(0, |all, row| all | 1 << row)
        };
        if depth == 0 {
            let variable = chance.below(COUNT as usize) as u32;
            return (diagrams.variable(Variable(variable)), of(variable));
        }
        let (a, table_a) = random(diagrams, chance, depth - 1);
        let (b, table_b) = random(diagrams, chance, depth - 1);
        match chance.below(6) {
            0 => (diagrams.and(a, b).unwrap(), table_a & table_b),
            1 => (diagrams.or(a, b).unwrap(), table_a | table_b),
            2 => (diagrams.not(a).unwrap(), !table_a),
            3 => (diagrams.same(a, b).unwrap(), !(table_a ^ table_b)),
            4 => (diagrams.minus(a, b).unwrap(), table_a & !table_b),
            _ => {
                let (c, table_c) = random(diagrams, chance, depth - 1);
                (diagrams.choose(c, a, b).unwrap(), table_c & table_a | !table_c & table_b)
            }
        }
    }

    fn table(diagrams: &Diagrams, diagram: Diagram) -> u32 {
        let value = |row: u32| {
            let mut at = diagram;
            while let Some((variable, low, high)) = diagrams.parts(at) {
                at = if row >> variable.0 & 1 == 1 { high } else { low };
            }
            at == ALL
        };
        (0..1u32 << COUNT).filter(|row| value(*row)).fold(0, |all, row| all | 1 << row)
    }

    #[test]
    fn operations_agree_with_truth_tables() {
        let mut chance = Chance::new(7);
        for _ in 0..500 {
            let mut diagrams = Diagrams::new(Budget::unlimited(), u64::MAX);
            let (a, table_a) = random(&mut diagrams, &mut chance, 3);
            let (b, table_b) = random(&mut diagrams, &mut chance, 3);
            assert_eq!((table(&diagrams, a), table(&diagrams, b)), (table_a, table_b));
            assert_eq!(diagrams.implies(a, b).unwrap(), table_a & !table_b == 0);
            assert_eq!(a == b, table_a == table_b, "equal sets are equal diagrams");
            let quantified: Vec<u32> = (0..COUNT).filter(|_| chance.once_in(2)).collect();
            let flip = |table: u32, variable: u32| {
                (0..1u32 << COUNT)
                    .filter(|row| table >> (row ^ 1 << variable) & 1 == 1)
                    .fold(0, |all, row| all | 1 << row)
            };
            let expected = quantified.iter().fold(table_a & table_b, |table, variable| table | flip(table, *variable));
            let variables = quantified.iter().map(|variable| Variable(*variable)).collect();
            let found = diagrams.and_exists(a, b, &variables).unwrap();
            assert_eq!(table(&diagrams, found), expected);
            let swapped = [(Variable(0), Variable(3)), (Variable(3), Variable(0))].into_iter().collect();
            let renamed = diagrams.rename(a, &swapped).unwrap();
            let swap = |row: u32| row & !0b1001 | (row & 1) << 3 | row >> 3 & 1;
            let expected =
                (0..1u32 << COUNT).filter(|row| table_a >> swap(*row) & 1 == 1).fold(0, |all, row| all | 1 << row);
            assert_eq!(table(&diagrams, renamed), expected);
        }
    }

    #[test]
    fn limits_end_operations() {
        let mut diagrams = Diagrams::new(Budget::unlimited(), 3);
        let mut all = ALL;
        let mut result = Ok(ALL);
        for number in 0..10 {
            let variable = diagrams.variable(Variable(number));
            result = diagrams.and(all, variable);
            all = result.unwrap_or(all);
        }
        assert_eq!(result, Err(Stopped::Effort));
    }
}
