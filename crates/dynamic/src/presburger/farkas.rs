//! A certificate that constraints have no solution (Farkas' lemma): a multiplier for each constraint,
//! such that the sum of the multiplied constraints reads "a non-positive combination of non-negative
//! variables is positive". Multipliers are guessed by a linear program in floating-point numbers,
//! scaled to integers, and checked in integers: only the check counts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use microlp::{ComparisonOp, OptimizationDirection, Problem};

use super::system::{Constraint, Relation};

/// Common denominators that are tried for the multipliers.
const DENOMINATORS: i64 = 24;

/// Whether a checked certificate of infeasibility was found. `false` means unknown.
pub(super) fn infeasible(variables: usize, constraints: &[&Constraint]) -> bool {
    let guessed = catch_unwind(AssertUnwindSafe(|| guess(variables, constraints)));
    let Ok(Some(multipliers)) = guessed else { return false };
    (1..=DENOMINATORS).any(|scale| {
        let scaled = multipliers.iter().map(|y| y * scale as f64);
        let near = scaled.clone().all(|y| (y - y.round()).abs() < 1e-5);
        near && certifies(variables, constraints, &scaled.map(|y| y.round() as i64).collect::<Vec<_>>())
    })
}

/// Multipliers `y` with `yA ≤ 0`, `yb > 0`, each between -1 and 1 and of the sign that its relation allows.
fn guess(variables: usize, constraints: &[&Constraint]) -> Option<Vec<f64>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let mut columns = vec![Vec::new(); variables];
    let mut multipliers = Vec::with_capacity(constraints.len());
    for constraint in constraints {
        let range = match constraint.relation {
            Relation::Equal => (-1.0, 1.0),
            Relation::AtMost => (-1.0, 0.0),
            Relation::AtLeast => (0.0, 1.0),
        };
        let y = problem.add_var(constraint.bound as f64, range);
        multipliers.push(y);
        for (var, coefficient) in constraint.terms() {
            columns[var.index()].push((y, *coefficient as f64));
        }
    }
    for column in columns.into_iter().filter(|column| !column.is_empty()) {
        problem.add_constraint(column, ComparisonOp::Le, 0.0);
    }
    let solution = problem.solve().ok()?;
    (solution.objective() > 1e-6).then(|| multipliers.iter().map(|y| solution[*y]).collect())
}

/// The check, in integers.
fn certifies(variables: usize, constraints: &[&Constraint], multipliers: &[i64]) -> bool {
    let mut sums = vec![0i128; variables];
    let mut bound = 0i128;
    for (constraint, y) in constraints.iter().zip(multipliers) {
        let allowed = match constraint.relation {
            Relation::Equal => true,
            Relation::AtMost => *y <= 0,
            Relation::AtLeast => *y >= 0,
        };
        if !allowed {
            return false;
        }
        bound += i128::from(*y) * i128::from(constraint.bound);
        for (var, coefficient) in constraint.terms() {
            sums[var.index()] += i128::from(*y) * i128::from(*coefficient);
        }
    }
    bound > 0 && sums.iter().all(|sum| *sum <= 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presburger::Var;

    #[test]
    fn a_certificate_exists_exactly_for_infeasible_constraints() {
        let more = Constraint::new(vec![(Var(0), 1), (Var(1), -1)], Relation::AtLeast, 1);
        let less = Constraint::new(vec![(Var(0), 1)], Relation::AtMost, 0);
        assert!(infeasible(2, &[&more, &less]));
        assert!(!infeasible(2, &[&more]));
        assert!(!certifies(2, &[&more, &less], &[-1, -1]));
        assert!(!certifies(2, &[&more, &less], &[0, 0]));
    }
}
