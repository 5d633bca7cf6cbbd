//! The relaxation of a system: its constraints over non-negative real numbers, with the least sum of all
//! variables. A point is only a proposal; infeasibility is reported only if it was proved.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, Variable};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::exact::{self, Exact};
use super::farkas;
use super::system::{Constraint, Relation, System};

/// What the relaxation says.
pub(super) enum Relaxed {
    /// A point, to be rounded or split.
    Point(Point),
    /// There is none, and a certificate was checked.
    Infeasible,
    /// Neither is known.
    GaveUp,
}

/// A point of the relaxation.
pub(super) struct Point {
    /// A value for each variable.
    pub values: Vec<f64>,
    /// The sum of all.
    pub objective: f64,
    /// To go on from with one more constraint.
    pub warm: Option<Rc<Solution>>,
}

/// Solves the relaxation of a system and more constraints. `warm` is the solution with all but the last
/// `fresh` of them.
pub(super) fn relax(
    system: &System,
    more: &[Constraint],
    warm: Option<(&Solution, usize)>,
    keep_on: &dyn Fn() -> bool,
) -> Relaxed {
    // The library asserts what rounding can break: such a failure is an answer like any other it cannot give.
    let answer = catch_unwind(AssertUnwindSafe(|| match warm {
        Some((solution, fresh)) => warmed(solution, &more[more.len() - fresh..]),
        None => cold(system, more),
    }));
    let answer = answer.unwrap_or_else(|_| Err(microlp::Error::InternalError(String::new())));
    match answer {
        Ok(solution) => {
            let values: Vec<f64> = solution.iter().map(|(_, value)| *value).collect();
            Relaxed::Point(Point { values, objective: solution.objective(), warm: Some(Rc::new(solution)) })
        }
        Err(_) => without_floats(system, more, keep_on),
    }
}

/// The exact answer, where the relaxation claims that there is no point or has failed.
pub(super) fn without_floats(system: &System, more: &[Constraint], keep_on: &dyn Fn() -> bool) -> Relaxed {
    let all: Vec<&Constraint> = system.constraints().iter().chain(more).collect();
    if farkas::infeasible(system.variables(), &all) {
        return Relaxed::Infeasible;
    }
    match exact::feasible(system.variables(), &all, keep_on) {
        Exact::Infeasible => Relaxed::Infeasible,
        Exact::GaveUp => Relaxed::GaveUp,
        Exact::Point(point) => {
            let values: Vec<f64> = point.iter().map(|value: &BigRational| value.to_f64().unwrap_or(f64::MAX)).collect();
            let objective = values.iter().sum();
            Relaxed::Point(Point { values, objective, warm: None })
        }
    }
}

fn cold(system: &System, more: &[Constraint]) -> Result<Solution, microlp::Error> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let vars: Vec<Variable> = (0..system.variables()).map(|_| problem.add_var(1.0, (0.0, f64::INFINITY))).collect();
    for constraint in system.constraints().iter().chain(more) {
        if constraint.terms().is_empty() {
            // The library takes no empty rows.
            if constraint.holds(&[]) {
                continue;
            }
            return Err(microlp::Error::Infeasible);
        }
        let terms: Vec<(Variable, f64)> =
            constraint.terms().iter().map(|(var, c)| (vars[var.index()], *c as f64)).collect();
        problem.add_constraint(terms, comparison(constraint.relation), constraint.bound as f64);
    }
    problem.solve()
}

fn warmed(solution: &Solution, fresh: &[Constraint]) -> Result<Solution, microlp::Error> {
    let vars: Vec<Variable> = solution.iter().map(|(var, _)| var).collect();
    let mut solution = solution.clone();
    for constraint in fresh {
        if constraint.terms().is_empty() {
            if constraint.holds(&[]) {
                continue;
            }
            return Err(microlp::Error::Infeasible);
        }
        let terms: Vec<(Variable, f64)> =
            constraint.terms().iter().map(|(var, c)| (vars[var.index()], *c as f64)).collect();
        solution = solution.add_constraint(terms, comparison(constraint.relation), constraint.bound as f64)?;
    }
    Ok(solution)
}

fn comparison(relation: Relation) -> ComparisonOp {
    match relation {
        Relation::Equal => ComparisonOp::Eq,
        Relation::AtMost => ComparisonOp::Le,
        Relation::AtLeast => ComparisonOp::Ge,
    }
}
