//! The control flow of a Boolean program, as the checker reads it off the syntax tree: places of a thread, and the steps
//! between them. It is made from the text alone and shares nothing with the lowering that the engines use.
//!
//! * A place is part of a function and knows how many atomic sections are open. A function that is called inside atomic sections
//!   has its own copy of every place ([`Body`]).
//! * `enforce` is a step of its own: at the start of the function, and after every other step ([`Stage::Check`]), where
//!   no other thread may run.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_boolprog_syntax::ast::{Expr, Initializer, Name, Program, StmtKind, walk};
use selvedge_boolprog_syntax::dialect::{Dialect, is_thread_name};

use super::statements::{Place, Statements};
use super::{Key, Property};

/// What a thread does at a place before the statement there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Stage {
    /// The condition of `enforce` where the function starts.
    Enter,
    /// The initial values of locals.
    Values,
    /// The condition of `enforce` after a step.
    Check,
    /// Nothing.
    Run,
}

/// A function with the number of atomic sections that are open when it is called: none, or one for any number of them, since
/// every section ends in the function in which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Body {
    pub function: usize,
    pub sections: u32,
}

/// Where a thread is in one of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node {
    pub body: Body,
    pub stage: Stage,
    pub place: Place,
    /// Atomic sections that are open.
    pub sections: u32,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum Action<'a> {
    Nothing,
    Assume(&'a Expr, bool),
    Assign {
        targets: &'a [Option<Name>],
        values: &'a [Expr],
        constrain: Option<&'a Expr>,
    },
    /// All variables in scope take any values that the relation allows.
    Relate(&'a Expr),
    Forget(&'a [Name]),
    InitialValues,
    Call {
        body: Body,
        args: &'a [Expr],
        targets: &'a [Option<Name>],
    },
    /// Returns these values, or any.
    Return(Option<&'a [Expr]>),
    EndThread,
}

/// A step; `to` is `None` where the call or the thread ends.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    pub to: Option<Node>,
    pub action: Action<'a>,
}

/// Atomic sections inside each other, at most.
const MOST_SECTIONS: u32 = 16;

/// The control flow of a program whose threads all exist from the start.
pub(super) struct Graph<'a> {
    pub program: &'a Program,
    functions: Vec<Statements<'a>>,
    numbers: BTreeMap<&'a str, usize>,
    property: &'a Property,
    /// Runs alone before the threads start.
    pub init: Option<usize>,
    /// The functions of the threads.
    pub threads: Vec<usize>,
}

impl<'a> Graph<'a> {
    /// `None` if threads are created or wait for broadcasts.
    pub(super) fn new(program: &'a Program, property: &'a Property) -> Option<Self> {
        let (mut fixed, mut calls_init) = (true, false);
        for function in &program.functions {
            walk(&function.body, &mut |statement| match &statement.kind {
                StmtKind::Start { .. } | StmtKind::StartGoto(_) | StmtKind::Wait | StmtKind::Broadcast => fixed = false,
                StmtKind::Call { callee, .. } => calls_init |= callee.text == "init",
                _ => {}
            });
        }
        let named = |wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
            let functions = program.functions.iter().enumerate();
            functions.filter(|(_, function)| wanted(&function.name.text)).map(|(number, _)| number).collect()
        };
        let mut threads = named(&is_thread_name);
        if threads.is_empty() {
            threads.push(0);
        }
        let init = named(&|name| name == "init").into_iter().find(|number| !calls_init && !threads.contains(number));
        let numbers = program.functions.iter().enumerate().rev().map(|(n, function)| (function.name.text.as_str(), n));
        let functions = program.functions.iter().map(|function| Statements::new(&function.body)).collect();
        fixed.then(|| Graph { program, functions, numbers: numbers.collect(), property, init, threads })
    }

    /// Where a call of a function begins.
    pub(super) fn entry(&self, body: Body) -> Node {
        let stage = match self.program.functions[body.function].enforce {
            Some(_) => Stage::Enter,
            None => self.after_entering(body.function),
        };
        Node { body, stage, place: self.functions[body.function].start(), sections: body.sections }
    }

    fn after_entering(&self, function: usize) -> Stage {
        let has_value = |initial: &Option<Initializer>| matches!(initial, Some(Initializer::Value(_)));
        match self.program.functions[function].locals.iter().any(|local| has_value(&local.initial)) {
            true => Stage::Values,
            false => Stage::Run,
        }
    }

    /// Every place that a thread with this function can reach as far as the control flow goes, calls included. `None` if
    /// more atomic sections are open than the checker follows.
    pub(super) fn reachable(&self, root: usize) -> Option<BTreeSet<Key>> {
        let entry = Key { called: false, node: self.entry(Body { function: root, sections: 0 }) };
        let mut seen = BTreeSet::from([entry]);
        let mut work = vec![entry];
        while let Some(key) = work.pop() {
            for step in self.steps(key.node)? {
                let callee = match step.action {
                    Action::Call { body, .. } => Some(Key { called: true, node: self.entry(body) }),
                    _ => None,
                };
                let next = step.to.map(|node| Key { node, ..key });
                work.extend(callee.into_iter().chain(next).filter(|key| seen.insert(*key)));
            }
        }
        Some(seen)
    }

    /// Whether another thread may run while a thread is here, the variable `atomic` not regarded.
    pub(crate) fn is_open(&self, node: Node) -> bool {
        node.sections == 0 && node.stage != Stage::Check && self.init != Some(node.body.function)
    }

    /// Whether the property says that no thread may be here.
    pub(super) fn is_target(&self, node: Node) -> bool {
        let (Stage::Run, Place::Statement { number, branch: 0 }) = (node.stage, node.place) else { return false };
        let labels = &self.functions[node.body.function].statement(number).labels;
        let function = &self.program.functions[node.body.function].name.text;
        labels.iter().any(|label| self.property.forbids(function, &label.text))
    }

    /// The assertion that may fail here.
    pub(super) fn assertion(&self, node: Node) -> Option<&'a Expr> {
        let (Stage::Run, Place::Statement { number, .. }) = (node.stage, node.place) else { return None };
        match &self.functions[node.body.function].statement(number).kind {
            StmtKind::Assert(condition) if self.property.assertions => Some(condition),
            _ => None,
        }
    }

    /// The steps of a thread that is here. `None` if more atomic sections are open than the checker follows.
    pub(super) fn steps(&self, node: Node) -> Option<Vec<Step<'a>>> {
        let function = &self.program.functions[node.body.function];
        let at = |stage| Some(Node { stage, ..node });
        let steps = match (node.stage, &function.enforce) {
            (Stage::Enter, Some(condition)) => {
                vec![Step { to: at(self.after_entering(node.body.function)), action: Action::Assume(condition, true) }]
            }
            (Stage::Check, Some(condition)) => {
                vec![Step { to: at(Stage::Run), action: Action::Assume(condition, true) }]
            }
            (Stage::Values, _) => vec![Step { to: Some(self.checked(node)), action: Action::InitialValues }],
            (Stage::Run, _) | (_, None) => return self.statement(node),
        };
        Some(steps)
    }

    /// The node with the step of `enforce` in front, if the function has one.
    fn checked(&self, node: Node) -> Node {
        let enforces = self.program.functions[node.body.function].enforce.is_some();
        Node { stage: if enforces { Stage::Check } else { Stage::Run }, ..node }
    }

    fn statement(&self, node: Node) -> Option<Vec<Step<'a>>> {
        let Place::Statement { number, branch } = node.place else {
            return Some(vec![Step { to: None, action: Action::Return(None) }]);
        };
        let statements = &self.functions[node.body.function];
        let statement = statements.statement(number);
        let ends_init = self.init == Some(node.body.function) && branch == 0;
        if ends_init && statement.labels.iter().any(|label| label.text == "endinit") {
            return Some(vec![Step { to: None, action: Action::Return(None) }]);
        }
        let to = |place| Some(self.checked(Node { place, ..node }));
        let after = to(statements.after(number));
        let assume = |condition, wanted, to| Step { to, action: Action::Assume(condition, wanted) };
        let steps = match &statement.kind {
            StmtKind::Skip | StmtKind::Print(_) => vec![Step { to: after, action: Action::Nothing }],
            StmtKind::Assign { targets, values, constrain } => {
                let constrain = constrain.as_ref();
                vec![Step { to: after, action: Action::Assign { targets, values, constrain } }]
            }
            StmtKind::Constrain(condition) => vec![Step { to: after, action: Action::Relate(condition) }],
            StmtKind::Dead(names) => vec![Step { to: after, action: Action::Forget(names) }],
            StmtKind::Call { targets, callee, args } => {
                let function = *self.numbers.get(callee.text.as_str())?;
                let body = Body { function, sections: node.sections.min(1) };
                vec![Step { to: after, action: Action::Call { body, args, targets } }]
            }
            StmtKind::Return(values) => vec![Step { to: None, action: Action::Return(Some(values)) }],
            StmtKind::Goto(labels) => {
                let jump = |label: &Name| Step { to: to(statements.label(&label.text)), action: Action::Nothing };
                labels.iter().map(jump).collect()
            }
            StmtKind::If { branches, otherwise } => {
                let condition = &branches[branch].condition;
                let other = other_branch(statements, (number, branch), branches.len(), otherwise.is_some());
                let inside = to(statements.inside(number, branch));
                vec![assume(condition, true, inside), assume(condition, false, to(other))]
            }
            StmtKind::While { condition, .. } => {
                vec![assume(condition, true, to(statements.inside(number, 0))), assume(condition, false, after)]
            }
            StmtKind::Assert(condition) => {
                let ignored = !self.property.assertions && self.program.dialect != Dialect::Getafix;
                let action = if ignored { Action::Nothing } else { Action::Assume(condition, true) };
                vec![Step { to: after, action }]
            }
            StmtKind::Assume(condition) => vec![assume(condition, true, after)],
            StmtKind::AbortIf(condition) => vec![assume(condition, false, after)],
            StmtKind::EndThread => vec![Step { to: None, action: Action::EndThread }],
            StmtKind::AtomicBegin => {
                let sections = Some(node.sections + 1).filter(|sections| *sections <= MOST_SECTIONS)?;
                vec![Step { to: after.map(|after| Node { sections, ..after }), action: Action::Nothing }]
            }
            StmtKind::AtomicEnd => {
                let sections = node.sections.saturating_sub(1);
                vec![Step { to: after.map(|after| Node { sections, ..after }), action: Action::Nothing }]
            }
            StmtKind::Start { .. } | StmtKind::StartGoto(_) | StmtKind::Wait | StmtKind::Broadcast => return None,
        };
        Some(steps)
    }
}

/// Where control goes if the condition of a branch is false.
fn other_branch(
    statements: &Statements<'_>,
    (number, branch): (usize, usize),
    branches: usize,
    otherwise: bool,
) -> Place {
    match (branch + 1 == branches, otherwise) {
        (false, _) => Place::Statement { number, branch: branch + 1 },
        (true, true) => statements.inside(number, branches),
        (true, false) => statements.after(number),
    }
}
