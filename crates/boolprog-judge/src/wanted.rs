//! Where a step should lead: values that a trace gives for the state after it. A statement that reads many open variables
//! has exponentially many outcomes; with these values only those are made that can fit.

use std::collections::{HashMap, HashSet};

use super::eval::Place;
use super::{Frame, Interpreter, Stage, State, Value};
use selvedge_boolprog_syntax::ast::{Initializer, Name, Stmt, StmtKind};

/// Values after a step, as far as they are known: of globals by their index, and of the locals in the innermost frame of
/// the thread by their name.
#[derive(Default)]
pub(crate) struct Wanted<'t> {
    pub globals: &'t [Option<bool>],
    pub locals: HashMap<&'t str, bool>,
}

impl Wanted<'_> {
    /// The values of some variables of a function.
    pub(crate) fn all(&self, interpreter: &Interpreter<'_>, function: usize, names: &[Name]) -> Vec<Option<bool>> {
        let value = |name: &Name| self.at(interpreter, function, interpreter.place(function, &name.text)?);
        names.iter().map(value).collect()
    }

    /// The values of the targets of an assignment in a function. Of several that are the same variable the last one counts.
    pub(crate) fn of_targets(
        &self,
        interpreter: &Interpreter<'_>,
        function: usize,
        targets: &[Option<Name>],
    ) -> Vec<Option<bool>> {
        let mut later = HashSet::new();
        let mut value = |name: &Option<Name>| {
            let place = interpreter.place(function, &name.as_ref()?.text)?;
            self.at(interpreter, function, place).filter(|_| later.insert(place))
        };
        let mut values: Vec<_> = targets.iter().rev().map(&mut value).collect();
        values.reverse();
        values
    }

    /// The value of the variable at a place of a function's frame.
    pub(crate) fn at(&self, interpreter: &Interpreter<'_>, function: usize, place: Place) -> Option<bool> {
        match place {
            Place::Global(index) => self.globals.get(index).copied().flatten(),
            Place::Local(index) => self.locals.get(interpreter.local_name(function, index)).copied(),
        }
    }
}

impl<'a> Interpreter<'a> {
    fn local_name(&self, function: usize, index: usize) -> &str {
        let source = &self.program.functions[function];
        let parameters = source.parameters.len();
        let name = if index < parameters { &source.parameters[index] } else { &source.locals[index - parameters].name };
        &name.text
    }

    /// The places of the locals in the innermost frame of a thread.
    pub(crate) fn locals(&self, state: &State, thread: usize) -> impl Iterator<Item = Place> + use<'a> {
        let locals = state.threads[thread].frames.last().map_or(0, |frame| frame.locals.len());
        (0..locals).map(Place::Local)
    }

    /// What the results of the call that a frame waits for are assigned to.
    pub(crate) fn call_targets(&self, caller: &Frame) -> &'a [Option<Name>] {
        match self.blocks[caller.function].current(&caller.control) {
            Some((Stmt { kind: StmtKind::Call { targets, .. }, .. }, _)) => targets,
            _ => &[],
        }
    }

    /// The state with the wanted values of those open variables that the next statement of a thread does not write: they
    /// have these values before it, too.
    pub(crate) fn decided_for(&self, state: &State, thread: usize, wanted: &Wanted<'_>) -> State {
        let mut state = state.clone();
        let Some(frame) = state.threads.get(thread).and_then(|thread| thread.frames.last()) else { return state };
        let (function, Some(written)) = (frame.function, self.written(&state, thread, frame)) else { return state };
        let globals = (0..state.globals.len()).map(Place::Global);
        // Behind a call or a return, names of locals are those of another frame.
        let locals = self.locals(&state, thread).filter(|_| written.same_frame);
        let open = |place: &Place| Self::get(&state, thread, *place) == Value::Open && !written.places.contains(place);
        let open: Vec<Place> = globals.chain(locals).filter(open).collect();
        for place in open {
            if let Some(value) = wanted.at(self, function, place) {
                Self::set(&mut state, thread, place, Value::Known(value));
            }
        }
        state
    }

    /// What the next statement of a thread writes; `None` if that may be everything.
    fn written(&self, state: &State, thread: usize, frame: &Frame) -> Option<Written> {
        let source = &self.program.functions[frame.function];
        let named = |name: &Name| self.place(frame.function, &name.text);
        match (frame.stage, &source.enforce) {
            (Stage::Initialising, _) => {
                let given = source.locals.iter().filter(|l| matches!(l.initial, Some(Initializer::Value(_))));
                return Some(Written::here(given.filter_map(|local| named(&local.name)).collect()));
            }
            (Stage::Running, _) | (_, None) => {}
            (_, Some(_)) => return Some(Written::here(Vec::new())),
        }
        let Some((statement, _)) = self.blocks[frame.function].current(&frame.control) else {
            return Some(self.written_by_return(state, thread));
        };
        match &statement.kind {
            StmtKind::Assign { targets, .. } => {
                Some(Written::here(targets.iter().flatten().filter_map(named).collect()))
            }
            StmtKind::Dead(names) => Some(Written::here(names.iter().filter_map(named).collect())),
            StmtKind::Constrain(_) => None,
            StmtKind::Call { .. } => Some(Written { places: Vec::new(), same_frame: false }),
            StmtKind::Return(_) | StmtKind::EndThread => Some(self.written_by_return(state, thread)),
            _ => Some(Written { places: Vec::new(), same_frame: !self.ends_init(frame.function, statement) }),
        }
    }

    /// Whether `init` ends at a statement, so that it is not executed.
    fn ends_init(&self, function: usize, statement: &Stmt) -> bool {
        self.init == Some(function) && statement.labels.iter().any(|label| label.text == "endinit")
    }

    fn written_by_return(&self, state: &State, thread: usize) -> Written {
        let caller = state.threads[thread].frames.iter().rev().nth(1);
        let places = caller.map_or(Vec::new(), |caller| {
            let targets = self.call_targets(caller).iter().flatten();
            targets.filter_map(|name| self.place(caller.function, &name.text)).collect()
        });
        Written { places, same_frame: false }
    }
}

/// What a statement writes.
struct Written {
    places: Vec<Place>,
    /// The innermost frame is the same before and after it.
    same_frame: bool,
}

impl Written {
    fn here(places: Vec<Place>) -> Self {
        Written { places, same_frame: true }
    }
}
