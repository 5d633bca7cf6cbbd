//! What a thread can do next.

use selvedge_source::Span;

use super::eval::{Pending, Place};
use super::wanted::Wanted;
use super::{Interpreter, Move, Stage, State, Thread, Value};
use selvedge_boolprog_syntax::ast::{Branch, Expr, ExprKind, Initializer, Name, Stmt, StmtKind};
use selvedge_boolprog_syntax::dialect::Dialect;

impl<'a> Interpreter<'a> {
    /// Every move of a thread, without regard to atomic sections of other threads.
    pub fn moves(&self, state: &State, thread: usize) -> Vec<Move> {
        self.moves_to(state, thread, &Wanted::default())
    }

    /// Those that may lead to the values that are wanted.
    pub(crate) fn moves_to(&self, state: &State, thread: usize, wanted: &Wanted<'_>) -> Vec<Move> {
        let Some(frame) = state.threads.get(thread).and_then(|thread| thread.frames.last()) else {
            return Vec::new();
        };
        let source = &self.program.functions[frame.function];
        let mut moves = Moves { interpreter: self, thread, wanted, list: Vec::new() };
        match (frame.stage, &source.enforce) {
            (Stage::Initialising, _) => moves.initialise(state, frame.function),
            (Stage::Running, _) | (_, None) => moves.statement(state),
            (stage, Some(condition)) => moves.enforce(state, stage, condition),
        }
        moves.list
    }

    fn function_named(&self, name: &Name) -> usize {
        self.program.functions.iter().position(|function| function.name.text == name.text).unwrap_or(0)
    }
}

struct Moves<'i, 'a> {
    interpreter: &'i Interpreter<'a>,
    thread: usize,
    wanted: &'i Wanted<'i>,
    list: Vec<Move>,
}

impl<'a> Moves<'_, 'a> {
    /// A step that does not leave the function; `enforce` looks at what it did.
    fn done(&mut self, span: Span, note: Option<&str>, mut state: State) {
        if let Some(frame) = state.threads[self.thread].frames.last_mut()
            && self.interpreter.program.functions[frame.function].enforce.is_some()
        {
            frame.stage = Stage::Enforcing;
        }
        self.push(span, note, state);
    }

    fn push(&mut self, span: Span, note: Option<&str>, mut state: State) {
        let fixed = self.interpreter.roots.len() + usize::from(self.interpreter.init.is_some());
        while state.threads.len() > fixed && state.threads.last().is_some_and(|thread| thread.frames.is_empty()) {
            state.threads.pop();
        }
        for next in self.interpreter.decided(state) {
            self.list.push(Move { span, note: note.map(str::to_owned), next: Some(next) });
        }
    }

    fn enforce(&mut self, state: &State, stage: Stage, condition: &Expr) {
        for mut next in self.interpreter.states_where(condition, true, self.thread, state.clone()) {
            if let Some(frame) = next.threads[self.thread].frames.last_mut() {
                frame.stage = match stage {
                    Stage::Entering => self.interpreter.after_entering(frame.function),
                    _ => Stage::Running,
                };
            }
            self.push(condition.span, Some("enforce"), next);
        }
    }

    fn initialise(&mut self, state: &State, function: usize) {
        let source = &self.interpreter.program.functions[function];
        let mut next = state.clone();
        let mut span: Option<Span> = None;
        let Some(frame) = next.threads[self.thread].frames.last_mut() else { return };
        for (index, local) in source.locals.iter().enumerate() {
            if let Some(Initializer::Value(value)) = local.initial {
                frame.locals[source.parameters.len() + index] = Value::Known(value);
                span = Some(span.map_or(local.name.span, |span| span.to(local.name.span)));
            }
        }
        frame.stage = Stage::Running;
        if source.enforce.is_some() {
            frame.stage = Stage::EnforcingAfterValues;
        }
        if let Some(span) = span {
            self.push(span, Some("initial values"), next);
        }
    }

    /// The state with the innermost frame after its statement.
    fn past(&self, mut state: State) -> State {
        if let Some(frame) = state.threads[self.thread].frames.last_mut() {
            frame.control = self.interpreter.blocks[frame.function].after(&frame.control);
        }
        state
    }

    /// The state with the innermost frame at a label.
    fn at_label(&self, mut state: State, label: &Name) -> State {
        if let Some(frame) = state.threads[self.thread].frames.last_mut() {
            frame.control = self.interpreter.blocks[frame.function].at_label(&label.text).unwrap_or_default();
        }
        state
    }

    fn statement(&mut self, state: &State) {
        let Some(frame) = state.threads[self.thread].frames.last() else { return };
        let source = &self.interpreter.program.functions[frame.function];
        let Some((statement, branch)) = self.interpreter.blocks[frame.function].current(&frame.control) else {
            let values = source.results;
            return self.fall_off(state, source.end, values);
        };
        let is_init = self.interpreter.init == Some(frame.function);
        let stops = is_init && statement.labels.iter().any(|label| label.text == "endinit") && branch == 0;
        if stops {
            let label = statement.labels.iter().find(|label| label.text == "endinit");
            let span = label.map_or(statement.span, |label| label.span);
            let next = self.popped(state.clone(), &[]);
            return self.push(span, None, next);
        }
        self.execute(state, statement, branch);
    }

    /// The end of a function without a `return`: its results are open.
    fn fall_off(&mut self, state: &State, span: Span, results: usize) {
        let next = self.popped(state.clone(), &vec![Value::Open; results]);
        self.push(span, None, next);
    }

    fn execute(&mut self, state: &State, statement: &'a Stmt, branch: usize) {
        let (me, span) = (self.thread, statement.span);
        let interpreter = self.interpreter;
        let mut past = self.past(state.clone());
        match &statement.kind {
            StmtKind::Skip | StmtKind::Print(_) => self.done(span, None, past),
            StmtKind::Assign { targets, values, constrain } => {
                self.assign(state, span, targets, values, constrain.as_ref());
            }
            StmtKind::Constrain(condition) => self.relate(state, span, condition),
            StmtKind::Dead(names) => {
                for name in names {
                    self.store(&mut past, name, Value::Open);
                }
                self.done(span, None, past);
            }
            StmtKind::Call { targets: _, callee, args } => {
                let function = interpreter.function_named(callee);
                let wanted =
                    self.wanted.all(interpreter, function, &interpreter.program.functions[function].parameters);
                for (args, mut next) in interpreter.stored_all(args, me, state.clone(), &wanted, (&[], None)) {
                    // The caller stays at its statement until the call returns.
                    let frame = interpreter.frame(function, &args);
                    next.threads[me].frames.push(frame);
                    self.push(span, None, next);
                }
            }
            StmtKind::Return(values) => {
                let wanted = self.wanted_results(state);
                let locals: Vec<Place> = interpreter.locals(state, me).collect();
                for (values, next) in interpreter.stored_all(values, me, state.clone(), &wanted, (&locals, None)) {
                    let next = self.popped(next, &values);
                    self.push(span, None, next);
                }
            }
            StmtKind::Goto(labels) => {
                for label in labels {
                    let note = (labels.len() > 1).then(|| format!("to {}", label.text));
                    let next = self.at_label(state.clone(), label);
                    self.done(span, note.as_deref(), next);
                }
            }
            StmtKind::If { branches, otherwise } => self.select(state, branches, otherwise.is_some(), branch),
            StmtKind::While { condition, .. } => {
                self.choose(state, condition, span, true, |blocks, control| blocks.inside(control, 0));
                self.choose(state, condition, span, false, |blocks, control| blocks.after(control));
            }
            StmtKind::Assert(condition) => self.assert(state, span, condition),
            StmtKind::Assume(condition) => self.assume(state, span, condition, true),
            StmtKind::AbortIf(condition) => self.assume(state, span, condition, false),
            StmtKind::Start { .. }
            | StmtKind::StartGoto(_)
            | StmtKind::EndThread
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Wait
            | StmtKind::Broadcast => self.execute_for_threads(state, statement, past),
        }
    }

    /// Statements that start, end, hold or wake threads.
    fn execute_for_threads(&mut self, state: &State, statement: &'a Stmt, mut past: State) {
        let (me, span) = (self.thread, statement.span);
        let interpreter = self.interpreter;
        match &statement.kind {
            StmtKind::Start { callee, args } => {
                for (args, next) in interpreter.stored_all(args, me, state.clone(), &[], (&[], None)) {
                    let next = self.past(next);
                    for next in interpreter.with_thread(next, interpreter.function_named(callee), &args) {
                        self.done(span, None, next);
                    }
                }
            }
            StmtKind::StartGoto(label) => {
                let started = self.at_label(state.clone(), label).threads[me].frames.last().cloned();
                let frames: Vec<_> = started.into_iter().collect();
                let root = frames.first().map_or(0, |frame| frame.function);
                past.threads.push(Thread { root, frames, atomic: 0 });
                self.done(span, None, past);
            }
            StmtKind::EndThread => {
                past.threads[me].frames.clear();
                past.threads[me].atomic = 0;
                self.push(span, None, past);
            }
            StmtKind::AtomicBegin => {
                past.threads[me].atomic += 1;
                self.done(span, None, past);
            }
            StmtKind::AtomicEnd => {
                past.threads[me].atomic = past.threads[me].atomic.saturating_sub(1);
                self.done(span, None, past);
            }
            StmtKind::Broadcast => {
                self.wake(&mut past);
                self.done(span, None, past);
            }
            _ => {}
        }
    }

    fn store(&self, state: &mut State, name: &Name, value: Value) {
        let function = state.threads[self.thread].frames.last().map_or(0, |frame| frame.function);
        if let Some(place) = self.interpreter.place(function, &name.text) {
            Interpreter::set(state, self.thread, place, value);
        }
    }

    fn assign(
        &mut self,
        state: &State,
        span: Span,
        targets: &[Option<Name>],
        values: &[Expr],
        constrain: Option<&Expr>,
    ) {
        let (me, interpreter) = (self.thread, self.interpreter);
        let function = state.threads[me].frames.last().map_or(0, |frame| frame.function);
        let place = |name: &Option<Name>| interpreter.place(function, &name.as_ref()?.text);
        let places: Vec<Place> = targets.iter().filter_map(place).collect();
        let wanted = self.wanted.of_targets(interpreter, function, targets);
        for (values, next) in interpreter.stored_all(values, me, state.clone(), &wanted, (&places, constrain)) {
            let pending: Pending =
                targets.iter().zip(&values).filter_map(|(name, value)| Some((place(name)?, *value))).collect();
            self.commit(next, pending, span, constrain);
        }
    }

    /// `constrain(e)`: every variable takes any value that the relation allows.
    fn relate(&mut self, state: &State, span: Span, condition: &Expr) {
        let globals = (0..state.globals.len()).map(Place::Global);
        let everything = globals.chain(self.interpreter.locals(state, self.thread));
        let pending = everything.map(|place| (place, Value::Open)).collect();
        self.commit(state.clone(), pending, span, Some(condition));
    }

    fn commit(&mut self, state: State, mut pending: Pending, span: Span, constrain: Option<&Expr>) {
        let function = state.threads[self.thread].frames.last().map_or(0, |frame| frame.function);
        for (place, value) in pending.iter_mut().filter(|(_, value)| *value == Value::Open) {
            *value = self.wanted.at(self.interpreter, function, *place).map_or(*value, Value::Known);
        }
        let outcomes = match constrain {
            None => vec![(true, state, pending)],
            Some(condition) => self.interpreter.eval(condition, self.thread, state, pending),
        };
        for (_, next, pending) in outcomes.into_iter().filter(|(holds, ..)| *holds) {
            let mut next = self.past(next);
            for (place, value) in pending {
                Interpreter::set(&mut next, self.thread, place, value);
            }
            self.done(span, None, next);
        }
    }

    /// The values that the results of the innermost call should have.
    fn wanted_results(&self, state: &State) -> Vec<Option<bool>> {
        let caller = state.threads[self.thread].frames.iter().rev().nth(1);
        let targets = caller.map(|caller| (caller.function, self.interpreter.call_targets(caller)));
        targets.map_or(Vec::new(), |(function, targets)| self.wanted.of_targets(self.interpreter, function, targets))
    }

    /// The innermost call returns.
    fn popped(&self, mut state: State, values: &[Value]) -> State {
        let thread = &mut state.threads[self.thread];
        thread.frames.pop();
        let Some(caller) = thread.frames.last() else {
            thread.atomic = 0;
            return state;
        };
        let targets = self.interpreter.call_targets(caller);
        for (target, value) in targets.iter().zip(values) {
            if let Some(name) = target {
                self.store(&mut state, name, *value);
            }
        }
        let mut state = self.past(state);
        if let Some(caller) = state.threads[self.thread].frames.last_mut()
            && self.interpreter.program.functions[caller.function].enforce.is_some()
        {
            caller.stage = Stage::Enforcing;
        }
        state
    }

    fn select(&mut self, state: &State, branches: &[Branch], has_else: bool, branch: usize) {
        let Branch { condition, span, .. } = &branches[branch];
        let last = branch + 1 == branches.len();
        self.choose(state, condition, *span, true, |blocks, control| blocks.inside(control, branch));
        self.choose(state, condition, *span, false, |blocks, control| match (last, has_else) {
            (false, _) => blocks.next_branch(control),
            (true, true) => blocks.inside(control, branches.len()),
            (true, false) => blocks.after(control),
        });
    }

    fn choose(
        &mut self,
        state: &State,
        condition: &Expr,
        span: Span,
        wanted: bool,
        go: impl Fn(&super::Blocks<'a>, &super::Control) -> super::Control,
    ) {
        for mut next in self.interpreter.states_where(condition, wanted, self.thread, state.clone()) {
            if let Some(frame) = next.threads[self.thread].frames.last_mut() {
                frame.control = go(&self.interpreter.blocks[frame.function], &frame.control);
            }
            self.done(span, (!wanted).then_some("no"), next);
        }
    }

    fn assert(&mut self, state: &State, span: Span, condition: &Expr) {
        if !self.interpreter.assertions {
            if self.interpreter.program.dialect == Dialect::Getafix {
                return self.assume(state, span, condition, true);
            }
            let past = self.past(state.clone());
            return self.done(span, None, past);
        }
        self.assume(state, span, condition, true);
        let fails = condition.kind == ExprKind::Star
            || !self.interpreter.states_where(condition, false, self.thread, state.clone()).is_empty();
        if fails {
            self.list.push(Move { span, note: None, next: None });
        }
    }

    fn assume(&mut self, state: &State, span: Span, condition: &Expr, wanted: bool) {
        for next in self.interpreter.states_where(condition, wanted, self.thread, state.clone()) {
            let next = self.past(next);
            self.done(span, None, next);
        }
    }

    /// Wakes every other thread that waits.
    fn wake(&self, state: &mut State) {
        for other in (0..state.threads.len()).filter(|other| *other != self.thread) {
            let Some(frame) = state.threads[other].frames.last_mut() else { continue };
            let blocks = &self.interpreter.blocks[frame.function];
            let waits = blocks.current(&frame.control).is_some_and(|(s, _)| s.kind == StmtKind::Wait);
            if waits && frame.stage == Stage::Running {
                frame.control = blocks.after(&frame.control);
                if self.interpreter.program.functions[frame.function].enforce.is_some() {
                    frame.stage = Stage::Enforcing;
                }
            }
        }
    }
}
