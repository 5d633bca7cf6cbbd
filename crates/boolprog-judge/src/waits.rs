//! Whether a thread has a step is a property of a state: where that depends on variables that are open, they are decided as
//! soon as the thread reaches the statement. Each combination of their values is tried; a variable that makes no difference
//! in any of them stays open.

use selvedge_boolprog_syntax::ast::{Expr, ExprKind, StmtKind};
use selvedge_core::{Bound, BoundKind};

use crate::eval::Place;
use crate::{Frame, Goals, Interpreter, Stage, State, Value};

/// Variables whose combinations are tried at most: of more it is not known what the thread waits for.
const MOST_TRIED: usize = 8;

/// A variable of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variable {
    Global(usize),
    /// Frame and position.
    Local(usize, usize),
}

/// Whether it matters which threads have a step.
pub(crate) fn matter(goals: &Goals<'_>, bound: Bound) -> bool {
    let counted = bound.kind == BoundKind::Preemptions && bound.value.is_some();
    counted || goals.deadlock || (goals.infinite_runs && goals.fair)
}

impl Interpreter<'_> {
    /// The states that a state stands for, in each of which every thread has a step or has none, whatever is still open.
    /// Where the thread that ran `last` must go on there is nothing to decide.
    pub(crate) fn with_waits_decided(&self, state: State, last: Option<usize>) -> Vec<State> {
        if self.eager || self.in_init(&state) || last.is_some_and(|last| !self.can_switch(&state, last)) {
            return vec![state];
        }
        let mut states = vec![state];
        for thread in 0..self.thread_count(&states[0]) {
            states = states.into_iter().flat_map(|state| self.wait_decided(state, thread)).collect();
        }
        states
    }

    fn wait_decided(&self, state: State, thread: usize) -> Vec<State> {
        let open = self.open_in_wait(&state, thread);
        if open.is_empty() {
            return vec![state];
        }
        if open.len() > MOST_TRIED {
            self.ways.cut.set(true);
            return vec![state];
        }
        let combination = |number: usize, which: &[Variable]| {
            let mut state = state.clone();
            for (bit, variable) in which.iter().enumerate() {
                *of(&mut state, thread, *variable) = Value::Known(number >> bit & 1 == 1);
            }
            state
        };
        let arrives: Vec<Option<bool>> =
            (0..1 << open.len()).map(|number| self.can_arrive(&combination(number, &open), thread)).collect();
        let matters = |bit: &usize| (0..arrives.len()).any(|number| arrives[number] != arrives[number ^ (1 << bit)]);
        let deciding: Vec<Variable> = (0..open.len()).filter(matters).map(|bit| open[bit]).collect();
        (0..1 << deciding.len()).map(|number| combination(number, &deciding)).collect()
    }

    /// The open variables that may decide whether a thread has a step. A statement that may begin a section asks for all
    /// that the thread knows.
    fn open_in_wait(&self, state: &State, thread: usize) -> Vec<Variable> {
        let frames = &state.threads[thread].frames;
        let Some(frame) = frames.last() else { return Vec::new() };
        let innermost = frames.len() - 1;
        let asked = self.asked_by(frame);
        let is_open = |place: &Place| Self::get(state, thread, *place) == Value::Open;
        if let Some(asked) = asked {
            let mut open = Vec::new();
            for place in asked.into_iter().flat_map(|expr| self.places_of(expr, frame.function)).filter(is_open) {
                let variable = match place {
                    Place::Global(index) => Variable::Global(index),
                    Place::Local(index) => Variable::Local(innermost, index),
                };
                if !open.contains(&variable) {
                    open.push(variable);
                }
            }
            return open;
        }
        let globals = (0..state.globals.len()).filter(|index| state.globals[*index] == Value::Open);
        let locals = frames.iter().enumerate().flat_map(|(number, frame)| {
            let open = (0..frame.locals.len()).filter(|index| frame.locals[*index] == Value::Open);
            open.map(move |index| Variable::Local(number, index))
        });
        globals.map(Variable::Global).chain(locals).collect()
    }

    /// The conditions of the next statement of a frame; `None` if it may begin a section.
    fn asked_by(&self, frame: &Frame) -> Option<Vec<&Expr>> {
        let enforces = self.program.functions.iter().any(|function| function.enforce.is_some());
        if self.has_flag() || enforces || frame.stage != Stage::Running {
            return None;
        }
        let Some((statement, _)) = self.blocks[frame.function].current(&frame.control) else { return Some(Vec::new()) };
        match &statement.kind {
            StmtKind::AtomicBegin => None,
            StmtKind::Assume(condition) | StmtKind::AbortIf(condition) | StmtKind::Constrain(condition) => {
                Some(vec![condition])
            }
            StmtKind::Assert(condition) if !self.assertions => Some(vec![condition]),
            StmtKind::Assign { values, constrain: Some(condition), .. } => {
                Some(values.iter().chain([condition]).collect())
            }
            _ => Some(Vec::new()),
        }
    }

    /// The variables that an expression names.
    fn places_of(&self, expr: &Expr, function: usize) -> Vec<Place> {
        let mut places = Vec::new();
        let mut work = vec![expr];
        while let Some(expr) = work.pop() {
            if let ExprKind::Var(name) | ExprKind::Next(name) = &expr.kind {
                places.extend(self.place(function, name));
            }
            work.extend(expr.children());
        }
        places
    }
}

fn of(state: &mut State, thread: usize, variable: Variable) -> &mut Value {
    match variable {
        Variable::Global(index) => &mut state.globals[index],
        Variable::Local(frame, index) => &mut state.threads[thread].frames[frame].locals[index],
    }
}
