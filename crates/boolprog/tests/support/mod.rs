//! What the tests with random programs share: rounds over any machine, and building from trees.
#![allow(dead_code)]

use std::collections::{BTreeSet, HashSet};

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, Built, build};
use selvedge_boolprog_syntax::ast::{Expr, ExprKind, NOWHERE, Name, Program, Stmt, StmtKind};
use selvedge_boolprog_syntax::{Dialect, print};
use selvedge_core::ThreadId;
use selvedge_machine::{ExpandBuffers, Machine, Steps, Turn, expand};
use selvedge_source::{Diagnostics, SourceMap};

/// A program that was printed and read again.
pub struct Ready {
    pub built: Built,
    pub sources: SourceMap,
    pub text: String,
}

impl Ready {
    pub fn machine(&self, options: MachineOptions) -> BoolMachine {
        BoolMachine::new(self.built.program.clone(), &self.sources, options)
    }
}

/// Prints and reads a program; the complaints if it does not build.
pub fn ready(program: &Program) -> Result<Ready, String> {
    read(&print::program(program))
}

/// Reads a program.
pub fn read(text: &str) -> Result<Ready, String> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let options = BuildOptions { dialect: Some(Dialect::Getafix), ..BuildOptions::default() };
    match build("test.bp", text, &options, &mut sources, &mut found) {
        Some(built) => Ok(Ready { built, sources, text: text.to_owned() }),
        None => {
            let place = |d: &selvedge_source::Diagnostic| {
                d.primary.as_ref().map(|l| sources.location(l.span).to_string()).unwrap_or_default()
            };
            Err(found.iter().map(|d| format!("{}: {}\n", place(d), d.message)).collect())
        }
    }
}

/// What rounds over a machine reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    pub shared: Vec<BTreeSet<Vec<bool>>>,
    pub violated: Vec<bool>,
}

/// The first round in which something is violated, if that is one of the first `most`.
pub fn least_rounds(machine: &BoolMachine, most: u32) -> Option<u32> {
    (1..=most).zip(rounds_until(machine, most, true).violated).find(|(_, violated)| *violated).map(|(round, _)| round)
}

/// Sets of states within 1, 2, … rounds.
pub fn rounds(machine: &BoolMachine, rounds: u32) -> Rounds {
    rounds_until(machine, rounds, false)
}

/// The same, ending with the first violation if that is wanted.
fn rounds_until(machine: &BoolMachine, rounds: u32, to_violation: bool) -> Rounds {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let count = machine.thread_count(&initial);
    let mut states: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let mut violated = machine.state_fault(&initial).is_some();
    if machine.in_init(&initial) {
        states = context(machine, states, ThreadId(0), &mut violated);
    }
    let mut reached = Rounds { shared: Vec::new(), violated: Vec::new() };
    for _ in 0..rounds {
        for thread in 0..count {
            if !(violated && to_violation) {
                states = context(machine, states, ThreadId(thread), &mut violated);
            }
        }
        let mut shared = BTreeSet::new();
        for state in &states {
            machine.shared_states(state, &mut |values| {
                shared.insert(values.to_vec());
            });
        }
        reached.shared.push(shared);
        reached.violated.push(violated);
        if violated && to_violation {
            break;
        }
    }
    reached
}

fn context(
    machine: &BoolMachine,
    mut states: HashSet<Vec<u8>>,
    thread: ThreadId,
    violated: &mut bool,
) -> HashSet<Vec<u8>> {
    let mut buffers = ExpandBuffers::default();
    let mut work: Vec<Vec<u8>> = states.iter().cloned().collect();
    while let Some(state) = work.pop() {
        expand(machine, &state, Turn::Only(thread), &mut buffers, &mut |arrival| {
            *violated |= arrival.steps().any(|(_, step)| !step.faults.is_empty());
            let Some(next) = arrival.state else { return };
            *violated |= machine.state_fault(next).is_some();
            if states.insert(next.to_vec()) {
                work.push(next.to_vec());
            }
        });
    }
    // Where `init` runs or has reached an error, no other thread starts.
    states.retain(|state| !machine.in_init(state));
    states
}

/// Every state that some schedule reaches, up to a limit.
pub fn everything(machine: &BoolMachine, most: usize) -> Option<HashSet<Vec<u8>>> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let mut seen = HashSet::from([initial.clone()]);
    let mut work = vec![initial];
    let mut buffers = ExpandBuffers::default();
    while let Some(state) = work.pop() {
        if seen.len() > most {
            return None;
        }
        expand(machine, &state, Turn::Any, &mut buffers, &mut |arrival| {
            if let Some(next) = arrival.state
                && seen.insert(next.to_vec())
            {
                work.push(next.to_vec());
            }
        });
    }
    Some(seen)
}

/// The steps that are possible.
pub fn steps(machine: &BoolMachine, state: &[u8], turn: Turn) -> Steps {
    let mut steps = Steps::new();
    machine.steps(state, turn, &mut Default::default(), &mut steps);
    steps
}

fn forget_name(name: &mut Name) {
    name.span = NOWHERE;
}

fn forget_expr(e: &mut Expr) {
    e.span = NOWHERE;
    match &mut e.kind {
        ExprKind::Not(a) => forget_expr(a),
        ExprKind::Binary(_, a, b) | ExprKind::Schoose(a, b) => [a, b].into_iter().for_each(|e| forget_expr(e)),
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| forget_expr(e)),
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Next(_) | ExprKind::Star => {}
    }
}

fn forget_stmt(s: &mut Stmt) {
    s.span = NOWHERE;
    s.labels.iter_mut().for_each(forget_name);
    match &mut s.kind {
        StmtKind::Assign { targets, values, constrain } => {
            targets.iter_mut().flatten().for_each(forget_name);
            values.iter_mut().chain(constrain).for_each(forget_expr);
        }
        StmtKind::Call { targets, callee, args } => {
            targets.iter_mut().flatten().for_each(forget_name);
            forget_name(callee);
            args.iter_mut().for_each(forget_expr);
        }
        StmtKind::Start { callee, args } => {
            forget_name(callee);
            args.iter_mut().for_each(forget_expr);
        }
        StmtKind::Return(list) | StmtKind::Print(list) => list.iter_mut().for_each(forget_expr),
        StmtKind::Goto(list) | StmtKind::Dead(list) => list.iter_mut().for_each(forget_name),
        StmtKind::StartGoto(label) => forget_name(label),
        StmtKind::If { branches, otherwise } => {
            for branch in branches {
                branch.span = NOWHERE;
                forget_expr(&mut branch.condition);
                branch.body.iter_mut().for_each(forget_stmt);
            }
            otherwise.iter_mut().flatten().for_each(forget_stmt);
        }
        StmtKind::While { condition, body } => {
            forget_expr(condition);
            body.iter_mut().for_each(forget_stmt);
        }
        StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::Constrain(e) | StmtKind::AbortIf(e) => forget_expr(e),
        _ => {}
    }
}

/// The tree with every place forgotten, to compare it with one that was made.
pub fn without_spans(program: &Program) -> Program {
    let mut program = program.clone();
    program.globals.iter_mut().for_each(|variable| forget_name(&mut variable.name));
    for function in &mut program.functions {
        forget_name(&mut function.name);
        function.end = NOWHERE;
        function.parameters.iter_mut().for_each(forget_name);
        function.locals.iter_mut().for_each(|variable| forget_name(&mut variable.name));
        function.enforce.iter_mut().for_each(forget_expr);
        function.body.iter_mut().for_each(forget_stmt);
    }
    program
}
