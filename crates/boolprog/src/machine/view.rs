//! States and steps for people.

use selvedge_core::ThreadId;
use selvedge_machine::{Step, StepView};
use selvedge_source::{SourceMap, Span};

use super::BoolMachine;
use super::layout::{ANY, FrameAt, ThreadAt};
use crate::program::{Edge, EdgeId, Expr, GlobalId, LocalId, NodeId, Op, Procedure, VarId};

/// The statement of an edge as the source has it, in one line.
pub(super) fn text(edge: &Edge, sources: &SourceMap) -> String {
    if edge.span.file.0 as usize >= sources.files().count() {
        return String::new();
    }
    let words: Vec<&str> = sources.text(edge.span).split_whitespace().collect();
    let statement = words.join(" ");
    match &edge.note {
        Some(note) if statement.is_empty() => note.clone(),
        Some(note) => format!("{statement} [{note}]"),
        None => statement,
    }
}

fn shown(value: u8) -> String {
    if value == ANY { "*".to_owned() } else { value.to_string() }
}

/// The variables that an expression reads, each once.
fn variables_of(expr: &Expr, out: &mut Vec<VarId>) {
    match expr {
        Expr::Var(variable) if !out.contains(variable) => out.push(*variable),
        Expr::Not(inner) => variables_of(inner, out),
        Expr::Binary(_, left, right) => {
            variables_of(left, out);
            variables_of(right, out);
        }
        Expr::If(condition, then, other) => {
            [condition, then, other].iter().for_each(|expr| variables_of(expr, out));
        }
        Expr::Var(_) | Expr::Const(_) | Expr::Next(_) | Expr::Nondet(_) => {}
    }
}

impl BoolMachine {
    pub(super) fn procedure_of(&self, node: NodeId) -> &Procedure {
        self.program.procedure(self.program.node(node).procedure)
    }

    /// A local's name, with its procedure's if a global has the same.
    fn local_name(&self, procedure: &Procedure, index: usize) -> String {
        let name = &procedure.locals[index].name;
        if self.program.globals.iter().any(|global| global.name == *name) {
            return format!("{}.{name}", procedure.name);
        }
        name.clone()
    }

    pub(super) fn view_step(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        let edge = self.program.edge(EdgeId(step.action[0]));
        let mut view = StepView {
            span: Some(edge.span),
            text: self.texts[step.action[0] as usize].clone(),
            ..StepView::default()
        };
        let (Some(after), Some(thread)) = (after, step.thread) else { return view };
        for (index, global) in self.program.globals.iter().enumerate() {
            if before[index] != after[index] {
                view.changes.push((global.name.clone(), shown(after[index])));
            }
        }
        let index = thread.0 as usize;
        if let (Some(old), Some(new)) = (self.thread(before, index), self.thread(after, index)) {
            self.local_changes(before, &old, after, &new, &mut view.changes);
        }
        view
    }

    /// Locals of the running procedure that changed. After a call these are the parameters, after a
    /// return what the caller assigned the results to.
    fn local_changes(
        &self,
        before: &[u8],
        old: &ThreadAt,
        after: &[u8],
        new: &ThreadAt,
        changes: &mut Vec<(String, String)>,
    ) {
        let Some(node) = new.node(after) else { return };
        let procedure = self.procedure_of(node);
        let frame = self.top(after, new);
        let called = new.end - new.start > old.end - old.start;
        // The same frame before: it starts equally far from the thread's first byte.
        let offset = frame.locals - new.start;
        for index in 0..procedure.locals.len() {
            let value = after[frame.locals + index];
            let changed =
                if called { index < procedure.parameters } else { before[old.start + offset + index] != value };
            if changed {
                changes.push((self.local_name(procedure, index), shown(value)));
            }
        }
    }

    pub(super) fn waits_for(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        let at = self.thread(state, thread.0 as usize)?;
        let node = at.node(state)?;
        if self.program.node(node).end {
            return None;
        }
        let span = self.program.node(node).span;
        let edges = &self.program.node(node).edges;
        let first = edges.first().map(|edge| (self.program.edge(*edge), &self.texts[edge.index()]));
        let reason = match first {
            None => "has no statement to execute".to_owned(),
            Some((Edge { op: Op::Wait, .. }, _)) => "waits for a broadcast".to_owned(),
            Some((Edge { op: Op::Call { .. }, .. }, text)) => {
                format!("has reached the limit on nested calls at `{text}`")
            }
            Some((Edge { op: Op::Assume(condition) | Op::Assign { constrain: Some(condition), .. }, .. }, text)) => {
                let values: Vec<String> = self
                    .values(state, &at, condition)
                    .iter()
                    .map(|(name, value, _)| format!("{name} = {value}"))
                    .collect();
                let now = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
                format!("waits at `{text}`{now}")
            }
            Some((_, text)) => format!("waits at `{text}`"),
        };
        Some((span, reason))
    }

    /// The globals whose values keep a thread where it is.
    pub(super) fn waits_on_globals(&self, state: &[u8], thread: ThreadId) -> Vec<String> {
        let Some(at) = self.thread(state, thread.0 as usize) else { return Vec::new() };
        let edges = at.node(state).map(|node| self.program.node(node).edges.as_slice()).unwrap_or_default();
        let Some(edge) = edges.first() else { return Vec::new() };
        match &self.program.edge(*edge).op {
            Op::Assume(condition) | Op::Assign { constrain: Some(condition), .. } => {
                let read = self.values(state, &at, condition).into_iter();
                read.filter(|(_, _, variable)| matches!(variable, VarId::Global(_))).map(|(name, ..)| name).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The variables that an expression reads, each once: name, value, which.
    pub(super) fn values(&self, state: &[u8], thread: &ThreadAt, expr: &Expr) -> Vec<(String, String, VarId)> {
        let Some(node) = thread.node(state) else { return Vec::new() };
        let procedure = self.procedure_of(node);
        let locals = self.top(state, thread).locals;
        let mut read = Vec::new();
        variables_of(expr, &mut read);
        let described = |variable: VarId| {
            let (name, value) = match variable {
                VarId::Global(GlobalId(index)) => {
                    (self.program.globals[index as usize].name.clone(), state[index as usize])
                }
                VarId::Local(LocalId(index)) => {
                    (self.local_name(procedure, index as usize), state[locals + index as usize])
                }
            };
            (name, shown(value), variable)
        };
        read.into_iter().map(described).collect()
    }

    pub(super) fn list_variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let globals = self.program.globals.iter().enumerate();
        let mut list: Vec<(String, String)> =
            globals.map(|(index, global)| (global.name.clone(), shown(state[index]))).collect();
        for (number, thread) in self.threads(state).enumerate() {
            let Some(node) = thread.node(state) else { continue };
            let FrameAt { locals, .. } = self.top(state, &thread);
            let procedure = self.procedure_of(node);
            let root = &self.program.procedure(thread.root).name;
            for (index, local) in procedure.locals.iter().enumerate() {
                let name = format!("{root}({number}).{}.{}", procedure.name, local.name);
                list.push((name, shown(state[locals + index])));
            }
        }
        list
    }
}
