//! The state equation over the rationals: could a run cover a marking if token counts might be negative on the way? If
//! not, there is a weight for each place such that no transition increases the weighted sum of tokens, and the marking has
//! a larger sum than the initial one: no run covers it, nor any other marking with a sum as large.
//!
//! Solved with the dual simplex method: minimise the cost of `x` and `s` with `C x + s - w = d`, all not negative,
//! `C` the effects of the transitions and `d` what is missing. The columns `-w` are a basis that is feasible for
//! the dual whatever `d` is, and so is every basis met later: the next query starts where the last one ended.
//! Floating point proposes weights; [`Weights::verify`] checks them with integers, and only then they count.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_core::Budget;

use super::marking::OMEGA;
use super::reduced_net::{Place, ReducedNet};

const EPSILON: f64 = 1e-7;
/// Pivots after which a query is given up.
const MOST_PIVOTS: u64 = 20_000;

/// Weights of places whose sum no transition increases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Weights {
    /// The weights, by place; 0 for places that hold any number at the start.
    pub of: Vec<u32>,
    /// The weighted sum at the start.
    pub initial: u64,
}

impl Weights {
    /// Whether no run covers a marking, because its sum is larger than that of the start.
    pub(super) fn exclude(&self, marking: &[(Place, u32)]) -> bool {
        let sum: u64 = marking.iter().map(|(place, n)| u64::from(self.of[place.index()]) * u64::from(*n)).sum();
        sum > self.initial
    }

    /// Weights if no step of the net increases their sum; exact.
    fn verify(of: Vec<u32>, reduced: &ReducedNet) -> Option<Weights> {
        let sum = |bag: &[(Place, u32)]| -> i128 {
            bag.iter().map(|(place, n)| i128::from(of[place.index()]) * i128::from(*n)).sum()
        };
        for step in &reduced.steps {
            let gain = step.moves.iter().any(|(from, to)| to.map_or(0, |to| of[to.index()]) > of[from.index()]);
            if gain || sum(&step.give) > sum(&step.take) {
                return None;
            }
        }
        let mut initial: u64 = 0;
        for (weight, tokens) in of.iter().zip(&reduced.initial) {
            if *weight > 0 {
                initial = initial.checked_add(u64::from(*weight).checked_mul(u64::from(*tokens))?)?;
                if *tokens == OMEGA {
                    return None;
                }
            }
        }
        Some(Weights { of, initial })
    }
}

/// The answer to one query.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Solution {
    /// The equation has a solution of this cost. The marking that it leads to, by row, covers the queried one.
    Feasible(f64, Vec<f64>),
    /// It has none, for these weights by row.
    Infeasible(Vec<f64>),
    /// It took too long.
    Unknown,
}

/// A row of the equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row(u32);

impl Row {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A column of the equation: the effect of a step on the rows that it changes.
type Column = Vec<(Row, f64)>;

/// The equation of a net; remembers the last basis.
#[derive(Debug)]
pub(super) struct Equation {
    /// The place of each row.
    rows: Vec<Place>,
    row_of: Vec<Option<Row>>,
    /// Effects of the transitions, by column.
    columns: Vec<Column>,
    step_cost: f64,
    slack_cost: f64,
    /// The variable of each row: `x` by column, then `s`, then `w` by row.
    basis: Vec<usize>,
    is_basic: Vec<bool>,
    /// The inverse of the basis, row by row.
    inverse: Vec<f64>,
    /// The dual solution.
    dual: Vec<f64>,
    /// Work done so far.
    pub work: u64,
}

impl Equation {
    /// The equation of a net in which a step costs `step_cost` and a missing token `slack_cost`. `None` if it has more than
    /// `most` rows.
    pub(super) fn new(reduced: &ReducedNet, step_cost: f64, slack_cost: f64, most: usize) -> Option<Equation> {
        let places = (0..reduced.width() as u32).map(Place);
        let rows: Vec<Place> = places.filter(|place| reduced.initial[place.index()] != OMEGA).collect();
        if rows.len() > most {
            return None;
        }
        let mut row_of = vec![None; reduced.width()];
        rows.iter().enumerate().for_each(|(row, place)| row_of[place.index()] = Some(Row(row as u32)));
        let columns = columns(reduced, &row_of);
        let (height, width) = (rows.len(), columns.len());
        let mut equation = Equation {
            rows,
            row_of,
            columns,
            step_cost,
            slack_cost,
            basis: Vec::new(),
            is_basic: vec![false; width + 2 * height],
            inverse: Vec::new(),
            dual: Vec::new(),
            work: 0,
        };
        equation.restart();
        Some(equation)
    }

    fn restart(&mut self) {
        let (height, width) = (self.rows.len(), self.columns.len());
        self.is_basic.fill(false);
        self.basis = (0..height).map(|row| width + height + row).collect();
        self.basis.iter().for_each(|variable| self.is_basic[*variable] = true);
        self.inverse = vec![0.0; height * height];
        (0..height).for_each(|row| self.inverse[row * height + row] = -1.0);
        self.dual = vec![0.0; height];
    }

    /// Whether the equation lets a run lead from a marking to one that covers another; both are by place.
    pub(super) fn solve(&mut self, from: &dyn Fn(Place) -> u32, to: &[(Place, u32)], budget: &Budget) -> Solution {
        let mut missing: Vec<f64> = self.rows.iter().map(|place| -f64::from(from(*place))).collect();
        for (place, count) in to {
            if let Some(row) = self.row_of[place.index()] {
                missing[row.index()] += f64::from(*count);
            }
        }
        let mut values = self.values(&missing);
        if let Some(solution) = self.iterate(&missing, &mut values, budget) {
            return solution;
        }
        // Rounding errors have grown too large: once more, from scratch.
        self.restart();
        let mut values = self.values(&missing);
        self.iterate(&missing, &mut values, budget).unwrap_or(Solution::Unknown)
    }

    /// Values of the basic variables.
    fn values(&mut self, missing: &[f64]) -> Vec<f64> {
        let height = self.rows.len();
        self.work += (height * height / 8) as u64;
        let entries: Vec<(usize, f64)> =
            missing.iter().enumerate().filter(|(_, value)| **value != 0.0).map(|(row, value)| (row, *value)).collect();
        let row = |row: &[f64]| entries.iter().map(|(at, value)| row[*at] * value).sum();
        self.inverse.chunks_exact(height.max(1)).map(row).collect()
    }

    /// Pivots until the values are not negative. `None` if the numbers cannot be trusted.
    fn iterate(&mut self, missing: &[f64], values: &mut [f64], budget: &Budget) -> Option<Solution> {
        for _ in 0..MOST_PIVOTS {
            if budget.spent(0).is_some() {
                return Some(Solution::Unknown);
            }
            let leaving = values.iter().enumerate().filter(|(_, value)| **value < -EPSILON);
            let leaving = leaving.min_by(|a, b| a.1.total_cmp(b.1)).map(|(row, _)| row);
            let Some(row) = leaving else { return self.conclude(missing, values) };
            if !self.pivot(row, values) {
                return None;
            }
        }
        Some(Solution::Unknown)
    }

    /// The entering variable for a row: the one whose reduced cost reaches zero first.
    fn entering(&self, row: &[f64]) -> Option<(usize, f64, f64)> {
        let (height, width) = (self.rows.len(), self.columns.len());
        let mut best: Option<(usize, f64, f64)> = None;
        let mut consider = |variable: usize, alpha: f64, cost: f64| {
            if alpha < -EPSILON {
                let ratio = cost.max(0.0) / -alpha;
                let better = best.is_none_or(|(_, best_alpha, best_ratio)| {
                    ratio < best_ratio - 1e-12 || (ratio < best_ratio + 1e-12 && alpha < best_alpha - 1e-9)
                });
                if better {
                    best = Some((variable, alpha, ratio));
                }
            }
        };
        for (variable, column) in self.columns.iter().enumerate() {
            if self.is_basic[variable] {
                continue;
            }
            let alpha: f64 = column.iter().map(|(at, value)| row[at.index()] * value).sum();
            if alpha < -EPSILON {
                let paid: f64 = column.iter().map(|(at, value)| self.dual[at.index()] * value).sum();
                consider(variable, alpha, self.step_cost - paid);
            }
        }
        for (at, (value, dual)) in row.iter().zip(&self.dual).enumerate().take(height) {
            if !self.is_basic[width + at] {
                consider(width + at, *value, self.slack_cost - dual);
            }
            if !self.is_basic[width + height + at] {
                consider(width + height + at, -value, *dual);
            }
        }
        best
    }

    /// Makes the variable of a row leave the basis.
    fn pivot(&mut self, row: usize, values: &mut [f64]) -> bool {
        let (height, width) = (self.rows.len(), self.columns.len());
        let pivot_row: Vec<f64> = self.inverse[row * height..(row + 1) * height].to_vec();
        let Some((variable, alpha, ratio)) = self.entering(&pivot_row) else { return false };
        let column: Vec<f64> = match variable {
            _ if variable < width => {
                let entries = &self.columns[variable];
                let product = |row: &[f64]| entries.iter().map(|(at, value)| row[at.index()] * value).sum();
                self.inverse.chunks_exact(height).map(product).collect()
            }
            _ if variable < width + height => {
                (0..height).map(|at| self.inverse[at * height + variable - width]).collect()
            }
            _ => (0..height).map(|at| -self.inverse[at * height + variable - width - height]).collect(),
        };
        if (column[row] - alpha).abs() > 1e-5 * (1.0 + alpha.abs()) {
            return false;
        }
        let scale = 1.0 / column[row];
        let scaled: Vec<f64> = pivot_row.iter().map(|value| value * scale).collect();
        let nonzero: Vec<usize> = (0..height).filter(|at| scaled[*at] != 0.0).collect();
        let step = values[row] * scale;
        for at in 0..height {
            let factor = column[at];
            if at == row || factor.abs() < 1e-14 {
                continue;
            }
            let target = &mut self.inverse[at * height..(at + 1) * height];
            nonzero.iter().for_each(|index| target[*index] -= factor * scaled[*index]);
            values[at] -= factor * step;
        }
        self.inverse[row * height..(row + 1) * height].copy_from_slice(&scaled);
        values[row] = step;
        // The reduced cost of the variable that enters becomes zero.
        (0..height).for_each(|at| self.dual[at] -= ratio * pivot_row[at]);
        let old = std::mem::replace(&mut self.basis[row], variable);
        self.is_basic[old] = false;
        self.is_basic[variable] = true;
        self.work += 2 + (height * nonzero.len().max(8) / 8 + self.columns.len()) as u64 / 4;
        true
    }

    fn conclude(&mut self, missing: &[f64], values: &[f64]) -> Option<Solution> {
        let (height, width) = (self.rows.len(), self.columns.len());
        let mut ends: Vec<f64> = missing.to_vec();
        let (mut cost, mut owed) = (0.0, 0.0);
        for (variable, value) in self.basis.iter().zip(values) {
            match *variable {
                x if x < width => cost += self.step_cost * value,
                s if s < width + height => owed += value,
                w => ends[w - width - height] += value,
            }
        }
        if !cost.is_finite() || !owed.is_finite() {
            return None;
        }
        if owed > 1e-5 {
            return Some(Solution::Infeasible(self.dual.clone()));
        }
        Some(Solution::Feasible(cost, ends))
    }

    /// Exact weights from the proposal of an infeasible query, by place.
    pub(super) fn weights(&self, proposal: &[f64], reduced: &ReducedNet) -> Option<Weights> {
        let largest = proposal.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 || !largest.is_finite() {
            return None;
        }
        // The weights of a vertex are fractions with small denominators: find one that makes them all whole.
        let whole = |scale: f64| proposal.iter().all(|value| (value * scale - (value * scale).round()).abs() < 1e-4);
        let smallest = proposal.iter().copied().filter(|value| *value > 1e-6).fold(f64::INFINITY, f64::min);
        let scales = (1..=60).map(f64::from).chain((1..=60).map(|n| f64::from(n) / smallest));
        for scale in scales.chain([120.0, 360.0, 840.0, 2520.0, 5040.0, 27720.0]) {
            if !whole(scale) || largest * scale > 1e9 {
                continue;
            }
            let mut of = vec![0u32; reduced.width()];
            for (place, value) in self.rows.iter().zip(proposal) {
                of[place.index()] = (value * scale).round().max(0.0) as u32;
            }
            if let Some(weights) = Weights::verify(of, reduced) {
                return Some(weights);
            }
        }
        None
    }
}

/// The effects of the steps, each once.
fn columns(reduced: &ReducedNet, row_of: &[Option<Row>]) -> Vec<Column> {
    let mut effects: BTreeSet<Vec<(Row, i64)>> = BTreeSet::new();
    let mut add = |changes: Vec<(Place, i64)>| {
        let mut sums: BTreeMap<Row, i64> = BTreeMap::new();
        for (place, change) in changes {
            if let Some(row) = row_of[place.index()] {
                *sums.entry(row).or_default() += change;
            }
        }
        let effect: Vec<(Row, i64)> = sums.into_iter().filter(|(_, change)| *change != 0).collect();
        // A step that only takes is of no use.
        if effect.iter().any(|(_, change)| *change > 0) {
            effects.insert(effect);
        }
    };
    for step in &reduced.steps {
        let given = step.give.iter().map(|(place, count)| (*place, i64::from(*count)));
        add(given.chain(step.take.iter().map(|(place, count)| (*place, -i64::from(*count)))).collect());
        for (from, to) in &step.moves {
            add(std::iter::once((*from, -1)).chain(to.map(|to| (to, 1))).collect());
        }
    }
    effects.into_iter().map(|effect| effect.into_iter().map(|(row, change)| (row, change as f64)).collect()).collect()
}

impl Equation {
    /// Numbers by row as numbers by place; places without a row hold any number.
    pub(crate) fn by_place(&self, by_row: &[f64], initial: &[u32]) -> Vec<f64> {
        let mut point = vec![f64::INFINITY; initial.len()];
        // What comes at the end is what was missing plus what is left over, counted from the start.
        for (place, value) in self.rows.iter().zip(by_row) {
            point[place.index()] = value + f64::from(initial[place.index()]);
        }
        point
    }
}
