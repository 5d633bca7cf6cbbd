//! Linear constraints over natural numbers, and what is known of them after solving.

use selvedge_core::StopReason;

/// A variable: a natural number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// As a position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How the two sides of a constraint compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `≤`
    AtMost,
    /// `≥`
    AtLeast,
}

/// `c₁x₁ + c₂x₂ + … (= | ≤ | ≥) bound`. No variable occurs twice, no coefficient is zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    terms: Vec<(Var, i64)>,
    /// How the sides compare.
    pub relation: Relation,
    /// The right side.
    pub bound: i64,
}

impl Constraint {
    /// The constraint with these terms; terms of the same variable are added up.
    pub fn new(mut terms: Vec<(Var, i64)>, relation: Relation, bound: i64) -> Self {
        terms.sort_unstable();
        let mut sums: Vec<(Var, i64)> = Vec::with_capacity(terms.len());
        for (var, coefficient) in terms {
            match sums.last_mut() {
                Some((last, sum)) if *last == var => *sum += coefficient,
                _ => sums.push((var, coefficient)),
            }
        }
        sums.retain(|(_, coefficient)| *coefficient != 0);
        Constraint { terms: sums, relation, bound }
    }

    /// The sum of these variables compares so.
    pub fn sum(vars: impl IntoIterator<Item = Var>, relation: Relation, bound: i64) -> Self {
        Constraint::new(vars.into_iter().map(|var| (var, 1)).collect(), relation, bound)
    }

    /// The left side, in the order of the variables.
    pub fn terms(&self) -> &[(Var, i64)] {
        &self.terms
    }

    /// Whether these values satisfy it.
    pub fn holds(&self, values: &[u64]) -> bool {
        let sum: i128 = self.terms.iter().map(|(var, c)| i128::from(*c) * i128::from(values[var.index()])).sum();
        let bound = i128::from(self.bound);
        match self.relation {
            Relation::Equal => sum == bound,
            Relation::AtMost => sum <= bound,
            Relation::AtLeast => sum >= bound,
        }
    }
}

/// A conjunction of constraints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    variables: u32,
    constraints: Vec<Constraint>,
}

impl System {
    /// Adds a variable.
    pub fn variable(&mut self) -> Var {
        self.variables += 1;
        Var(self.variables - 1)
    }

    /// Adds a constraint.
    pub fn require(&mut self, constraint: Constraint) {
        self.constraints.push(constraint);
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.variables as usize
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// Whether these values satisfy every constraint.
    pub fn holds(&self, values: &[u64]) -> bool {
        values.len() == self.variables() && self.constraints.iter().all(|constraint| constraint.holds(values))
    }
}

/// Constraints that are too many to be written down at the start.
pub trait Refine {
    /// If the values, which satisfy the system, are no solution after all: alternatives such that every
    /// solution satisfies all constraints of one of them, while the values satisfy none. There are finitely
    /// many such answers for any number of calls.
    fn refine(&self, values: &[u64]) -> Option<Vec<Vec<Constraint>>>;
}

/// The system is all there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRefinement;

impl Refine for NoRefinement {
    fn refine(&self, _: &[u64]) -> Option<Vec<Vec<Constraint>>> {
        None
    }
}

/// What is known of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// These values satisfy it.
    Model(Vec<u64>),
    /// No values do.
    Unsatisfiable,
    /// A limit of the run came first.
    Stopped(StopReason),
    /// The solver could not find out; why.
    Unknown(String),
}
