//! What one thread does, given the values that its reads return.

use std::collections::BTreeMap;

use crate::{Expression, Mode, Operator, Statement, Test};

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelKind {
    Read,
    Write,
    /// A read-modify-write that wrote: one event.
    Update,
    Fence,
}

/// An event of a thread. The modes are those of its two halves; a fence has the same twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    pub kind: LabelKind,
    /// The location; 0 for fences, which have none.
    pub location: usize,
    pub read_mode: Option<Mode>,
    pub write_mode: Option<Mode>,
    pub read: i64,
    pub written: i64,
}

impl Label {
    /// Whether it reads.
    pub fn reads(&self) -> bool {
        matches!(self.kind, LabelKind::Read | LabelKind::Update)
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        matches!(self.kind, LabelKind::Write | LabelKind::Update)
    }
}

/// Why a thread goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    End,
    /// It needs the value of one more read, of this location.
    Read(usize),
    /// An assumption does not hold.
    Blocked,
    /// An assertion does not hold.
    Error,
}

/// How far a thread comes with given values.
#[derive(Clone, Debug)]
pub struct Trace {
    pub labels: Vec<Label>,
    pub stop: Stop,
    pub registers: BTreeMap<String, i64>,
}

/// The modes of the two halves of a read-modify-write.
pub fn halves(mode: Mode) -> (Mode, Mode) {
    match mode {
        Mode::NotAtomic | Mode::Relaxed => (Mode::Relaxed, Mode::Relaxed),
        Mode::Acquire => (Mode::Acquire, Mode::Relaxed),
        Mode::Release => (Mode::Relaxed, Mode::Release),
        Mode::AcqRel => (Mode::Acquire, Mode::Release),
        Mode::SeqCst => (Mode::SeqCst, Mode::SeqCst),
    }
}

/// What a thread does if its reads return these values.
pub fn trace(test: &Test, thread: usize, reads: &[i64]) -> Trace {
    let mut run = Run { labels: Vec::new(), registers: BTreeMap::new(), reads: reads.iter() };
    let stop = run.block(&test.threads[thread]).err().unwrap_or(Stop::End);
    Trace { labels: run.labels, stop, registers: run.registers }
}

struct Run<'a> {
    labels: Vec<Label>,
    registers: BTreeMap<String, i64>,
    reads: std::slice::Iter<'a, i64>,
}

impl Run<'_> {
    fn take(&mut self, location: usize) -> Result<i64, Stop> {
        self.reads.next().copied().ok_or(Stop::Read(location))
    }

    fn set(&mut self, register: &Option<String>, value: i64) {
        if let Some(register) = register {
            self.registers.insert(register.clone(), value);
        }
    }

    fn update(&mut self, location: usize, mode: Mode, read: i64, written: i64) {
        let (read_mode, write_mode) = halves(mode);
        let (read_mode, write_mode) = (Some(read_mode), Some(write_mode));
        self.labels.push(Label { kind: LabelKind::Update, location, read_mode, write_mode, read, written });
    }

    fn read(&mut self, location: usize, mode: Mode, read: i64) {
        let label =
            Label { kind: LabelKind::Read, location, read_mode: Some(mode), write_mode: None, read, written: 0 };
        self.labels.push(label);
    }

    fn block(&mut self, block: &[Statement]) -> Result<(), Stop> {
        block.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Stop> {
        match statement {
            Statement::Load { register, location, mode } => {
                let read = self.take(*location)?;
                self.read(*location, *mode, read);
                self.registers.insert(register.clone(), read);
            }
            Statement::Store { location, value, mode } => {
                let written = value.value(&self.registers);
                let (kind, location) = (LabelKind::Write, *location);
                self.labels.push(Label { kind, location, read_mode: None, write_mode: Some(*mode), read: 0, written });
            }
            Statement::Modify { register, location, adds, operand, mode } => {
                let read = self.take(*location)?;
                let operand = operand.value(&self.registers);
                self.update(*location, *mode, read, if *adds { read + operand } else { operand });
                self.set(register, read);
            }
            Statement::CompareExchange { register, location, expected, new, success, failure } => {
                let read = self.take(*location)?;
                if read == expected.value(&self.registers) {
                    let new = new.value(&self.registers);
                    self.update(*location, *success, read, new);
                } else {
                    self.read(*location, *failure, read);
                }
                self.set(register, read);
            }
            Statement::Fence(mode) => {
                let mode = Some(*mode);
                let (read_mode, write_mode) = (mode, mode);
                let kind = LabelKind::Fence;
                self.labels.push(Label { kind, location: 0, read_mode, write_mode, read: 0, written: 0 });
            }
            Statement::Let { register, value } => {
                let value = value.value(&self.registers);
                self.registers.insert(register.clone(), value);
            }
            Statement::If { condition, then, otherwise } => {
                let holds = condition.value(&self.registers) != 0;
                return self.block(if holds { then } else { otherwise });
            }
            Statement::Assume(condition) if condition.value(&self.registers) == 0 => return Err(Stop::Blocked),
            Statement::Assert(condition) if condition.value(&self.registers) == 0 => return Err(Stop::Error),
            Statement::Assume(_) | Statement::Assert(_) => {}
        }
        Ok(())
    }
}

impl Expression {
    /// Its value; a register that was not set is 0.
    pub fn value(&self, registers: &BTreeMap<String, i64>) -> i64 {
        match self {
            Expression::Number(number) => *number,
            Expression::Register(name) => registers.get(name).copied().unwrap_or(0),
            Expression::Binary(left, operator, right) => {
                let (a, b) = (left.value(registers), right.value(registers));
                match operator {
                    Operator::Add => a + b,
                    Operator::Subtract => a - b,
                    Operator::Equal => (a == b).into(),
                    Operator::NotEqual => (a != b).into(),
                    Operator::Less => (a < b).into(),
                    Operator::LessOrEqual => (a <= b).into(),
                    Operator::Greater => (a > b).into(),
                    Operator::GreaterOrEqual => (a >= b).into(),
                }
            }
        }
    }
}
