//! Expressions over a state vector whose variables may hold "any". Reading such a variable chooses its
//! value and writes it down; a `*` that nothing has read stays "any". Choices come from an
//! [`Oracle`], which goes through all of them, one execution of the edge each. A variable that holds a mark (`wait.rs`) has
//! no value to read: the oracle notes which mark was met first.

use crate::program::{BinOp, Expr, VarId};

use super::layout::ANY;

/// Values of the variables that a step can see, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Of every global.
    pub globals: Option<Vec<bool>>,
    /// Of every local in the innermost frame.
    pub locals: Option<Vec<bool>>,
}

impl Values {
    fn of(&self, variable: VarId) -> Option<bool> {
        match variable {
            VarId::Global(id) => self.globals.as_ref()?.get(id.index()).copied(),
            VarId::Local(id) => self.locals.as_ref()?.get(id.index()).copied(),
        }
    }
}

/// What is known of the values before and after a step.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// Before it.
    pub before: &'a Values,
    /// After it.
    pub after: &'a Values,
}

/// A sequence of choices; advanced from one execution to the next like a counter in binary whose
/// number of digits is what the last execution asked for. A choice whose result is known is none.
#[derive(Default)]
pub(super) struct Oracle<'a> {
    choices: Vec<bool>,
    at: usize,
    around: Option<Around<'a>>,
    /// The first mark that this execution has read.
    mark: Option<u8>,
}

impl<'a> Oracle<'a> {
    /// For a step of which something is known.
    pub(super) fn within(around: Option<Around<'a>>) -> Self {
        Oracle { around, ..Oracle::default() }
    }

    /// The value of a variable before the step.
    pub(super) fn before(&mut self, variable: VarId) -> bool {
        self.around.and_then(|around| around.before.of(variable)).unwrap_or_else(|| self.choose())
    }

    /// The value of a variable after the step.
    pub(super) fn after(&mut self, variable: VarId) -> bool {
        self.around.and_then(|around| around.after.of(variable)).unwrap_or_else(|| self.choose())
    }

    /// The next choice of this execution.
    fn choose(&mut self) -> bool {
        if self.at == self.choices.len() {
            self.choices.push(false);
        }
        self.at += 1;
        self.choices[self.at - 1]
    }

    /// The first mark that this execution has read; then its outcome means nothing.
    pub(super) fn take_mark(&mut self) -> Option<u8> {
        self.mark.take()
    }

    /// Prepares the next execution; whether there is one.
    pub(super) fn advance(&mut self) -> bool {
        self.choices.truncate(self.at);
        self.at = 0;
        while let Some(last) = self.choices.pop() {
            if !last {
                self.choices.push(true);
                return true;
            }
        }
        false
    }
}

/// Evaluates in the innermost frame of a thread.
pub(super) struct Eval<'a, 'o> {
    /// The state before the step; values are chosen in it.
    pub state: &'a mut [u8],
    /// Where the frame's locals start.
    pub locals: usize,
    /// Chooses.
    pub oracle: &'a mut Oracle<'o>,
    /// New values of variables, for [`Expr::Next`]; others keep theirs.
    pub next: &'a mut [(VarId, u8)],
}

impl Eval<'_, '_> {
    /// Where a variable stands.
    pub(super) fn position(&self, variable: VarId) -> usize {
        match variable {
            VarId::Global(id) => id.index(),
            VarId::Local(id) => self.locals + id.index(),
        }
    }

    /// A variable's value, chosen now if it was not read before.
    fn read(&mut self, variable: VarId) -> u8 {
        let position = self.position(variable);
        match self.state[position] {
            ANY => self.state[position] = u8::from(self.oracle.before(variable)),
            mark if mark > ANY => {
                self.oracle.mark.get_or_insert(mark);
                return 0;
            }
            _ => {}
        }
        self.state[position]
    }

    fn read_next(&mut self, variable: VarId) -> u8 {
        match self.next.iter().position(|(target, _)| *target == variable) {
            None => self.read(variable),
            Some(index) => {
                if self.next[index].1 == ANY {
                    self.next[index].1 = u8::from(self.oracle.after(variable));
                }
                self.next[index].1
            }
        }
    }

    /// The value: 0, 1, or [`ANY`] if choices of `*` make it either, whatever the variables are.
    pub(super) fn value(&mut self, expr: &Expr) -> u8 {
        match expr {
            Expr::Const(value) => u8::from(*value),
            Expr::Var(variable) => self.read(*variable),
            Expr::Next(variable) => self.read_next(*variable),
            Expr::Nondet(_) => ANY,
            Expr::Not(inner) => not(self.value(inner)),
            Expr::Binary(BinOp::And, left, right) => self.and(left, right, false),
            Expr::Binary(BinOp::Or, left, right) => self.or(left, right),
            Expr::Binary(BinOp::Implies, left, right) => not(self.and(left, right, true)),
            Expr::Binary(BinOp::Xor, left, right) => self.differ(left, right),
            Expr::Binary(BinOp::Eq, left, right) => not(self.differ(left, right)),
            Expr::If(condition, then, otherwise) => match self.value(condition) {
                0 => self.value(otherwise),
                1 => self.value(then),
                _ => {
                    let (then, otherwise) = (self.value(then), self.value(otherwise));
                    if then == otherwise { then } else { ANY }
                }
            },
        }
    }

    /// `left & right`, or `left & !right`.
    fn and(&mut self, left: &Expr, right: &Expr, negated: bool) -> u8 {
        let first = self.value(left);
        if first == 0 {
            return 0;
        }
        let second = self.value(right);
        match (first, if negated { not(second) } else { second }) {
            (_, 0) => 0,
            (1, second) => second,
            _ => ANY,
        }
    }

    fn or(&mut self, left: &Expr, right: &Expr) -> u8 {
        let first = self.value(left);
        if first == 1 {
            return 1;
        }
        match (first, self.value(right)) {
            (_, 1) => 1,
            (0, second) => second,
            _ => ANY,
        }
    }

    fn differ(&mut self, left: &Expr, right: &Expr) -> u8 {
        match (self.value(left), self.value(right)) {
            (ANY, _) | (_, ANY) => ANY,
            (first, second) => first ^ second,
        }
    }
}

fn not(value: u8) -> u8 {
    if value == ANY { ANY } else { 1 - value }
}
