//! Feasibility over non-negative rational numbers, exactly: the first phase of the simplex method on sparse
//! rows, with Bland's rule, which always ends. Slow, and called only where floating-point numbers have
//! not led to an answer that can be checked.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::system::{Constraint, Relation};

/// What the simplex method finds out.
pub(super) enum Exact {
    /// A point.
    Point(Vec<BigRational>),
    /// There is none.
    Infeasible,
    /// Too many pivots.
    GaveUp,
}

/// A row of the tableau: `basic + Σ coefficients · nonbasic = value`.
struct Row {
    basic: usize,
    coefficients: BTreeMap<usize, BigRational>,
    value: BigRational,
}

struct Tableau {
    rows: Vec<Row>,
    /// Columns from here on are artificial: all zero in a feasible point.
    artificial: usize,
}

/// Decides whether the constraints have a solution in non-negative rational numbers.
pub(super) fn feasible(variables: usize, constraints: &[&Constraint], keep_on: &dyn Fn() -> bool) -> Exact {
    let mut tableau = Tableau::new(variables, constraints);
    loop {
        if !keep_on() {
            return Exact::GaveUp;
        }
        let infeasibility = tableau.infeasibility();
        if infeasibility.is_zero() {
            return Exact::Point(tableau.point(variables));
        }
        match tableau.entering() {
            Some(column) => tableau.pivot_into(column),
            None => return Exact::Infeasible,
        }
    }
}

impl Tableau {
    /// Slack variables turn inequalities into equations, each equation gets an artificial variable.
    fn new(variables: usize, constraints: &[&Constraint]) -> Self {
        let slacks = constraints.iter().filter(|constraint| constraint.relation != Relation::Equal).count();
        let artificial = variables + slacks;
        let mut slack = variables;
        let mut rows = Vec::with_capacity(constraints.len());
        for (index, constraint) in constraints.iter().enumerate() {
            let number = |n: i64| BigRational::from_integer(BigInt::from(n));
            let mut coefficients: BTreeMap<usize, BigRational> =
                constraint.terms().iter().map(|(var, c)| (var.index(), number(*c))).collect();
            if constraint.relation != Relation::Equal {
                let sign = if constraint.relation == Relation::AtMost { 1 } else { -1 };
                coefficients.insert(slack, number(sign));
                slack += 1;
            }
            let mut value = number(constraint.bound);
            if value.is_negative() {
                value = -value;
                coefficients.values_mut().for_each(|c| *c = -c.clone());
            }
            rows.push(Row { basic: artificial + index, coefficients, value });
        }
        Tableau { rows, artificial }
    }

    /// The sum of the artificial variables.
    fn infeasibility(&self) -> BigRational {
        self.rows.iter().filter(|row| row.basic >= self.artificial).map(|row| row.value.clone()).sum()
    }

    /// The first column that lowers the sum of the artificial variables; artificial ones never return.
    fn entering(&self) -> Option<usize> {
        let mut gains: BTreeMap<usize, BigRational> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.basic >= self.artificial) {
            for (column, coefficient) in row.coefficients.iter().filter(|(column, _)| **column < self.artificial) {
                *gains.entry(*column).or_insert_with(BigRational::zero) += coefficient;
            }
        }
        gains.into_iter().find(|(_, gain)| gain.is_positive()).map(|(column, _)| column)
    }

    /// The column becomes basic; the row with the least ratio leaves, of those the first basic one.
    fn pivot_into(&mut self, column: usize) {
        let ratio = |row: &Row| {
            let coefficient = row.coefficients.get(&column).filter(|c| c.is_positive())?;
            Some((row.value.clone() / coefficient, row.basic))
        };
        let candidates = self.rows.iter().enumerate().filter_map(|(index, row)| Some((ratio(row)?, index)));
        // A column with a positive gain has a positive coefficient in some row.
        let Some((_, leaving)) = candidates.min() else { return };
        let pivot = self.normalised(leaving, column);
        for (index, row) in self.rows.iter_mut().enumerate() {
            if index != leaving {
                eliminate(row, column, &pivot);
            }
        }
        self.rows[leaving] = pivot;
    }

    fn normalised(&self, leaving: usize, column: usize) -> Row {
        let row = &self.rows[leaving];
        let divisor = row.coefficients[&column].clone();
        let others = row.coefficients.iter().filter(|(other, _)| **other != column);
        let mut coefficients: BTreeMap<usize, BigRational> = others.map(|(other, c)| (*other, c / &divisor)).collect();
        if row.basic < self.artificial {
            coefficients.insert(row.basic, BigRational::one() / &divisor);
        }
        Row { basic: column, coefficients, value: &row.value / &divisor }
    }

    fn point(&self, variables: usize) -> Vec<BigRational> {
        let mut point = vec![BigRational::zero(); variables];
        for row in self.rows.iter().filter(|row| row.basic < variables) {
            point[row.basic] = row.value.clone();
        }
        point
    }
}

/// Substitutes the pivot's basic column in a row.
fn eliminate(row: &mut Row, column: usize, pivot: &Row) {
    let Some(factor) = row.coefficients.remove(&column) else { return };
    for (other, coefficient) in &pivot.coefficients {
        let entry = row.coefficients.entry(*other).or_insert_with(BigRational::zero);
        *entry -= &factor * coefficient;
        if entry.is_zero() {
            row.coefficients.remove(other);
        }
    }
    row.value -= &factor * &pivot.value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presburger::Var;

    fn decide(variables: usize, constraints: &[Constraint]) -> Exact {
        feasible(variables, &constraints.iter().collect::<Vec<_>>(), &|| true)
    }

    #[test]
    fn a_half_is_found_and_a_contradiction_refused() {
        let twice = Constraint::new(vec![(Var(0), 2)], Relation::Equal, 1);
        let point = decide(1, std::slice::from_ref(&twice));
        let half = BigRational::new(BigInt::from(1), BigInt::from(2));
        assert!(matches!(point, Exact::Point(point) if point == [half]));
        let more = Constraint::new(vec![(Var(0), 1)], Relation::AtLeast, 1);
        assert!(matches!(decide(1, &[twice, more]), Exact::Infeasible));
    }
}
