//! What steps do to sets of states, as diagrams.
//!
//! The states of a call are a relation: the globals and parameters with which it began ([`Copy::Entry`]) and the globals and locals
//! now. The outermost call of a thread has no entry values. What a function returns with is the same relation with its results in
//! place of its locals: its *summary*.

use rustc_hash::FxHashMap;
use selvedge_boolprog_syntax::ast::{BinOp, Expr, ExprKind, Initializer, Name};
use selvedge_boolprog_syntax::dialect::Dialect;

use super::graph::{Action, Body, Graph};
use super::variables::{Copy, Layout, Slot, slot};
use crate::diagram::{ALL, Diagram, Diagrams, Limited, NONE, Variable, Variables};

/// The states after a step, and how it changed the globals (none if it cannot change any).
pub(super) struct After {
    pub states: Diagram,
    pub change: Diagram,
}

/// The meaning of a program's steps.
pub(super) struct Semantics<'g, 'a> {
    pub graph: &'g Graph<'a>,
    pub layout: Layout,
    pub diagrams: Diagrams,
}

/// A step that is being encoded.
struct Encoded {
    function: usize,
    choices: u32,
    /// Variables whose value after the step has a copy of its own.
    targets: Vec<Slot>,
}

impl<'g, 'a> Semantics<'g, 'a> {
    pub(super) fn new(graph: &'g Graph<'a>, diagrams: Diagrams) -> Self {
        Semantics { graph, layout: Layout::new(graph.program), diagrams }
    }

    /// The globals with their initial values.
    pub(super) fn initial(&mut self) -> Limited<Diagram> {
        let mut states = ALL;
        for (index, global) in self.graph.program.globals.iter().enumerate() {
            if let Some(Initializer::Value(value)) = global.initial {
                let fixed = self.value(Slot::Global(index), Copy::Now, value)?;
                states = self.diagrams.and(states, fixed)?;
            }
        }
        Ok(states)
    }

    /// The states in which Getafix's variable `atomic` keeps other threads from running.
    pub(super) fn flagged(&mut self) -> Diagram {
        let program = self.graph.program;
        let first = program.globals.first().filter(|_| program.dialect == Dialect::Getafix);
        match first.is_some_and(|global| global.name.text == "atomic") {
            true => self.diagrams.variable(self.layout.variable(Slot::Global(0), Copy::Now)),
            false => NONE,
        }
    }

    /// The states in which an assertion can fail.
    pub(super) fn failing(&mut self, function: usize, condition: &Expr, states: Diagram) -> Limited<Diagram> {
        let mut step = Encoded { function, choices: 0, targets: Vec::new() };
        let holds = self.expr(&mut step, condition)?;
        let fails = self.diagrams.not(holds)?;
        self.diagrams.and(states, fails)
    }

    /// The states after a step inside a function that is no call and no return.
    pub(super) fn after(&mut self, function: usize, action: &Action<'_>, states: Diagram) -> Limited<After> {
        let mut step = Encoded { function, choices: 0, targets: Vec::new() };
        let mut taken = states;
        match action {
            Action::Assume(condition, wanted) => {
                let condition = self.expr(&mut step, condition)?;
                let condition = if *wanted { condition } else { self.diagrams.not(condition)? };
                taken = self.diagrams.and(taken, condition)?;
            }
            Action::Assign { targets, values, constrain } => {
                let values = values.iter().map(|value| self.expr(&mut step, value)).collect::<Limited<Vec<_>>>()?;
                taken = self.store(&mut step, targets, &values, taken)?;
                if let Some(condition) = constrain {
                    let condition = self.expr(&mut step, condition)?;
                    taken = self.diagrams.and(taken, condition)?;
                }
            }
            Action::Relate(condition) => {
                let function = &self.graph.program.functions[function];
                let locals = (0..function.parameters.len() + function.locals.len()).map(Slot::Local);
                step.targets = self.layout.globals().chain(locals).collect();
                let condition = self.expr(&mut step, condition)?;
                taken = self.diagrams.and(taken, condition)?;
            }
            Action::Forget(names) => {
                let program = self.graph.program;
                step.targets = names.iter().filter_map(|name| slot(program, function, &name.text)).collect();
            }
            Action::InitialValues => taken = self.initial_values(&mut step, taken)?,
            Action::Nothing | Action::Call { .. } | Action::Return(_) | Action::EndThread => {}
        }
        self.finish(&step, taken)
    }

    fn initial_values(&mut self, step: &mut Encoded, mut taken: Diagram) -> Limited<Diagram> {
        let function = &self.graph.program.functions[step.function];
        for (index, local) in function.locals.iter().enumerate() {
            if let Some(Initializer::Value(value)) = local.initial {
                let slot = Slot::Local(function.parameters.len() + index);
                step.targets.push(slot);
                let fixed = self.value(slot, Copy::Next, value)?;
                taken = self.diagrams.and(taken, fixed)?;
            }
        }
        Ok(taken)
    }

    /// The states in which a callee begins, over its entry values and its own variables.
    pub(super) fn entered(&mut self, function: usize, body: Body, args: &[Expr], states: Diagram) -> Limited<Diagram> {
        let called = self.called(function, args, states)?;
        let locals = self.layout.set(self.layout.locals(), Copy::Now);
        let entries = self.layout.set(self.layout.globals().chain(self.layout.locals()), Copy::Entry);
        let called = self.diagrams.exists(called, &locals)?;
        let called = self.diagrams.exists(called, &entries)?;
        let passed: Vec<Slot> = self.passed(body).collect();
        let to_entry = self.layout.renaming(passed.iter().copied(), Copy::Callee, Copy::Entry);
        let mut states = self.diagrams.rename(called, &to_entry)?;
        for slot in passed.into_iter().rev() {
            let entry = self.diagrams.variable(self.layout.variable(slot, Copy::Entry));
            let now = self.diagrams.variable(self.layout.variable(slot, Copy::Now));
            let same = self.diagrams.same(entry, now)?;
            states = self.diagrams.and(states, same)?;
        }
        Ok(states)
    }

    /// What a call starts with: the globals and the parameters.
    fn passed(&self, body: Body) -> impl Iterator<Item = Slot> + use<> {
        let parameters = self.graph.program.functions[body.function].parameters.len();
        self.layout.globals().chain((0..parameters).map(Slot::Local))
    }

    /// The caller's states with what is passed to the callee; the globals are the callee's.
    fn called(&mut self, function: usize, args: &[Expr], states: Diagram) -> Limited<Diagram> {
        let mut step = Encoded { function, choices: 0, targets: Vec::new() };
        let mut called = states;
        for (index, argument) in args.iter().enumerate() {
            let value = self.expr(&mut step, argument)?;
            let parameter = self.diagrams.variable(self.layout.variable(Slot::Local(index), Copy::Callee));
            let passed = self.diagrams.same(parameter, value)?;
            called = self.diagrams.and(called, passed)?;
        }
        let choices: Variables = (0..step.choices).map(|number| self.layout.choice(number)).collect();
        let called = self.diagrams.exists(called, &choices)?;
        let to_callee = self.layout.renaming(self.layout.globals(), Copy::Now, Copy::Callee);
        self.diagrams.rename(called, &to_callee)
    }

    /// The caller's states after a call whose callee has this summary.
    pub(super) fn returned(
        &mut self,
        function: usize,
        action: (Body, &[Expr], &[Option<Name>]),
        states: Diagram,
        summary: Diagram,
    ) -> Limited<After> {
        let (body, args, targets) = action;
        let called = self.called(function, args, states)?;
        let mut of_callee = self.layout.renaming(self.passed(body), Copy::Entry, Copy::Callee);
        of_callee.extend(self.layout.renaming(self.layout.globals(), Copy::Now, Copy::Next));
        let summary = self.diagrams.rename(summary, &of_callee)?;
        let passed = self.layout.set(self.passed(body), Copy::Callee);
        let both = self.diagrams.and_exists(called, summary, &passed)?;
        let to_now = self.layout.renaming(self.layout.globals(), Copy::Next, Copy::Now);
        let back = self.diagrams.rename(both, &to_now)?;
        let mut step = Encoded { function, choices: 0, targets: Vec::new() };
        let results: Vec<Diagram> = (0..targets.len())
            .map(|index| self.diagrams.variable(self.layout.variable(Slot::Result(index), Copy::Now)))
            .collect();
        let stored = self.store(&mut step, targets, &results, back)?;
        self.finish(&step, stored)
    }

    /// What a call returns with.
    pub(super) fn summary(&mut self, function: usize, values: Option<&[Expr]>, states: Diagram) -> Limited<Diagram> {
        let mut step = Encoded { function, choices: 0, targets: Vec::new() };
        let mut summary = states;
        for (index, value) in values.unwrap_or_default().iter().enumerate() {
            let value = self.expr(&mut step, value)?;
            let result = self.diagrams.variable(self.layout.variable(Slot::Result(index), Copy::Now));
            let same = self.diagrams.same(result, value)?;
            summary = self.diagrams.and(summary, same)?;
        }
        let locals = self.layout.locals().map(|slot| self.layout.variable(slot, Copy::Now));
        let choices = (0..step.choices).map(|number| self.layout.choice(number));
        let gone: Variables = locals.chain(choices).collect();
        self.diagrams.exists(summary, &gone)
    }

    /// The globals of some states, over their values now.
    pub(crate) fn globals_of(&mut self, states: Diagram) -> Limited<Diagram> {
        let rest = self.layout.all_but_globals(0);
        self.diagrams.exists(states, &rest)
    }

    /// The states after a change of the globals by another thread.
    pub(super) fn disturbed(&mut self, states: Diagram, change: Diagram) -> Limited<Diagram> {
        let before = self.layout.set(self.layout.globals(), Copy::Now);
        let after = self.diagrams.and_exists(states, change, &before)?;
        let to_now = self.layout.renaming(self.layout.globals(), Copy::Next, Copy::Now);
        self.diagrams.rename(after, &to_now)
    }

    /// Whether the states change at all by what another thread does from here until it may be interrupted again: its
    /// steps while `atomic` is true count as one. Returns the states after it.
    pub(super) fn interrupted(&mut self, open: Diagram, change: Diagram) -> Limited<Diagram> {
        let flagged = self.flagged();
        let (mut arrived, mut inside, mut frontier) = (NONE, NONE, open);
        while frontier != NONE {
            let after = self.disturbed(frontier, change)?;
            let held = self.diagrams.and(after, flagged)?;
            let free = self.diagrams.minus(after, held)?;
            arrived = self.diagrams.or(arrived, free)?;
            frontier = self.diagrams.minus(held, inside)?;
            inside = self.diagrams.or(inside, frontier)?;
        }
        Ok(arrived)
    }

    fn value(&mut self, slot: Slot, copy: Copy, value: bool) -> Limited<Diagram> {
        let variable = self.diagrams.variable(self.layout.variable(slot, copy));
        if value { Ok(variable) } else { self.diagrams.not(variable) }
    }

    /// The targets take these values.
    fn store(
        &mut self,
        step: &mut Encoded,
        targets: &[Option<Name>],
        values: &[Diagram],
        mut taken: Diagram,
    ) -> Limited<Diagram> {
        let program = self.graph.program;
        for (target, value) in targets.iter().zip(values) {
            let Some(slot) = target.as_ref().and_then(|name| slot(program, step.function, &name.text)) else {
                continue;
            };
            step.targets.push(slot);
            let next = self.diagrams.variable(self.layout.variable(slot, Copy::Next));
            let same = self.diagrams.same(next, *value)?;
            taken = self.diagrams.and(taken, same)?;
        }
        Ok(taken)
    }

    /// The values after the step become those of now.
    fn finish(&mut self, step: &Encoded, taken: Diagram) -> Limited<After> {
        let results = self.layout.results().map(|slot| self.layout.variable(slot, Copy::Now));
        let choices = (0..step.choices).map(|number| self.layout.choice(number));
        let gone: Variables = results.chain(choices).collect();
        let taken = self.diagrams.exists(taken, &gone)?;
        let change = self.change(step, taken)?;
        let before = self.layout.set(step.targets.iter().copied(), Copy::Now);
        let left = self.diagrams.exists(taken, &before)?;
        let to_now = self.layout.renaming(step.targets.iter().copied(), Copy::Next, Copy::Now);
        Ok(After { states: self.diagrams.rename(left, &to_now)?, change })
    }

    fn change(&mut self, step: &Encoded, taken: Diagram) -> Limited<Diagram> {
        if !step.targets.iter().any(|slot| matches!(slot, Slot::Global(_))) {
            return Ok(NONE);
        }
        let rest = self.layout.all_but_globals(0);
        let mut change = self.diagrams.exists(taken, &rest)?;
        for slot in self.layout.globals().filter(|slot| !step.targets.contains(slot)) {
            let now = self.diagrams.variable(self.layout.variable(slot, Copy::Now));
            let next = self.diagrams.variable(self.layout.variable(slot, Copy::Next));
            let same = self.diagrams.same(now, next)?;
            change = self.diagrams.and(change, same)?;
        }
        Ok(change)
    }

    /// The valuations in which an expression is true; every `*` and `schoose` is a choice of its own.
    fn expr(&mut self, step: &mut Encoded, expr: &Expr) -> Limited<Diagram> {
        match &expr.kind {
            ExprKind::Const(value) => Ok(if *value { ALL } else { NONE }),
            ExprKind::Star => Ok(self.choice(step)),
            ExprKind::Var(name) => Ok(self.read(step, name, false)),
            ExprKind::Next(name) => Ok(self.read(step, name, true)),
            ExprKind::Not(inner) => {
                let inner = self.expr(step, inner)?;
                self.diagrams.not(inner)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(step, left)?, self.expr(step, right)?);
                let differs = self.diagrams.not(right)?;
                match op {
                    BinOp::And => self.diagrams.and(left, right),
                    BinOp::Or => self.diagrams.or(left, right),
                    BinOp::Xor | BinOp::Ne => self.diagrams.choose(left, differs, right),
                    BinOp::Eq => self.diagrams.choose(left, right, differs),
                    BinOp::Implies => self.diagrams.choose(left, right, ALL),
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.expr(step, condition)?;
                let (then, otherwise) = (self.expr(step, then)?, self.expr(step, otherwise)?);
                self.diagrams.choose(condition, then, otherwise)
            }
            ExprKind::Schoose(positive, negative) => {
                let (positive, negative) = (self.expr(step, positive)?, self.expr(step, negative)?);
                let either = self.choice(step);
                let otherwise = self.diagrams.choose(negative, NONE, either)?;
                self.diagrams.choose(positive, ALL, otherwise)
            }
        }
    }

    fn choice(&mut self, step: &mut Encoded) -> Diagram {
        step.choices += 1;
        self.diagrams.variable(self.layout.choice(step.choices - 1))
    }

    fn read(&mut self, step: &Encoded, name: &str, primed: bool) -> Diagram {
        let Some(slot) = slot(self.graph.program, step.function, name) else { return NONE };
        let copy = if primed && step.targets.contains(&slot) { Copy::Next } else { Copy::Now };
        self.diagrams.variable(self.layout.variable(slot, copy))
    }

    /// The variables that an invariant, a summary or a change may speak of, by name.
    pub(super) fn names(&self) -> FxHashMap<Variable, String> {
        let global = |slot| match slot {
            Slot::Global(index) => self.graph.program.globals[index].name.text.clone(),
            Slot::Local(index) => format!("local.{}", index + 1),
            Slot::Result(index) => format!("result.{}", index + 1),
        };
        let mut names = FxHashMap::default();
        for slot in self.layout.globals().chain(self.layout.locals()).chain(self.layout.results()) {
            for (copy, prefix) in [(Copy::Entry, "entry:"), (Copy::Now, ""), (Copy::Next, "next:")] {
                names.insert(self.layout.variable(slot, copy), format!("{prefix}{}", global(slot)));
            }
        }
        names
    }
}
