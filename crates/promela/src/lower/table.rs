//! From the graph of elements to transitions for each control state, by Spin's own rules: which
//! gotos are steps of their own, where atomicity ends, how nested choices become one, and how
//! escapes of `unless` come first.

mod choices;
mod links;

use std::collections::HashMap;

use selvedge_source::{Diagnostic, Span, nearest};

use super::graph::{El, Graph, Jump, Node, Sq};
use super::{Lowerer, Unfinished, codes};
use crate::events::Events;
use crate::program::{Action, Control, ControlState, DNode, DStep, Ex, Op, Proto, Transition};
use crate::reached::Mark;
use choices::{Entry, Raw, flatten, with_escapes};
use links::Tables;
use selvedge_promela_syntax::ast;

impl Lowerer<'_> {
    /// Finds the control states that remote references name; a goto that is named becomes a skip
    /// with the goto behind it, so that there is a state to be in.
    pub(super) fn resolve_remote_labels(&mut self, protos: &mut [Unfinished]) -> Vec<ControlState> {
        let mut states = Vec::new();
        for (proto, label) in std::mem::take(&mut self.remote_requests) {
            let graph = &mut protos[proto.0 as usize].graph;
            let found = graph.labels.iter().rev().find(|l| l.name == label.name).map(|l| l.element);
            let Some(element) = found else {
                let name = protos[proto.0 as usize].proto.name.clone();
                self.error(
                    Diagnostic::error(
                        codes::UNKNOWN_LABEL,
                        label.span,
                        format!("process type `{name}` has no label `{}`", label.name),
                    )
                    .help("write the label in front of a statement, as in `cs: x = 1`"),
                );
                states.push(ControlState(0));
                continue;
            };
            split_goto(graph, element);
            states.push(control(element));
        }
        states
    }

    /// Completes a process type.
    pub(super) fn finish(&mut self, unfinished: Unfinished) -> Proto {
        let Unfinished { mut proto, mut graph, .. } = unfinished;
        if graph.elements.len() >= usize::from(u16::MAX) {
            self.error(Diagnostic::error(
                codes::TOO_LARGE,
                proto.span,
                format!("`{}` has more than 65,000 statements", proto.name),
            ));
            return proto;
        }
        let Some(targets) = self.jump_targets(&graph) else { return proto };
        let mut tables = Tables { graph: &mut graph, targets };
        tables.link();
        let Some(start) = self.hunt_or_report(&tables, tables.first(tables.graph.body), false) else { return proto };
        let Some(entries) = self.entries(&tables) else { return proto };
        let mut controls = label_controls(tables.graph);
        let lists = flatten(entries, &mut controls);
        let lists = with_escapes(lists);
        self.fill(&mut proto, &tables, &lists, controls);
        proto.start = control(start);
        self.warn_unreachable(&proto, &graph);
        proto
    }

    pub(super) fn finish_events(&mut self, mut unfinished: Unfinished) -> Events {
        let scope = unfinished.events.take().unwrap_or_default();
        let proto = self.finish(unfinished);
        Events { negated: scope.negated, proto, sends: scope.sends, receives: scope.receives }
    }

    /// Where each goto leads. `None` after an error.
    fn jump_targets(&mut self, graph: &Graph) -> Option<HashMap<El, El>> {
        let mut targets = HashMap::new();
        let mut ok = true;
        self.report_duplicate_labels(graph);
        for (element, e) in graph.elements.iter().enumerate() {
            let Node::Goto(jump, _) = &e.node else { continue };
            let target = match jump {
                Jump::Break(exit) => graph.break_targets.iter().find(|(id, _)| id == exit).map(|(_, el)| *el),
                Jump::Label { name, inline, scope } => {
                    let found = find_label(graph, &name.name, *inline, scope);
                    if found.is_none() {
                        self.unknown_label(graph, name);
                    }
                    found
                }
            };
            match target {
                Some(target) => {
                    let (from, to) = (e.in_d_step, graph.elements[target].in_d_step);
                    if from != to {
                        ok = false;
                        self.error(
                            Diagnostic::error(
                                codes::JUMP_INTO_D_STEP,
                                e.span,
                                "a jump into or out of a `d_step` sequence",
                            )
                            .also(graph.elements[target].span, "to here")
                            .help("use `atomic`, or keep the jump inside the sequence"),
                        );
                    }
                    targets.insert(element, target);
                }
                None => ok = false,
            }
        }
        ok.then_some(targets)
    }

    fn report_duplicate_labels(&mut self, graph: &Graph) {
        let mut first = HashMap::new();
        for label in &graph.labels {
            let first = first.entry((&label.name, label.inline, &label.scope)).or_insert(label);
            if !std::ptr::eq(*first, label) {
                self.error(
                    Diagnostic::error(
                        codes::REDECLARED,
                        label.span,
                        format!("label `{}` is declared twice", label.name),
                    )
                    .also(first.span, "first declaration")
                    .help("rename one of them"),
                );
            }
        }
    }

    fn unknown_label(&mut self, graph: &Graph, name: &ast::Ident) {
        let mut error = Diagnostic::error(
            codes::UNKNOWN_LABEL,
            name.span,
            format!("there is no label `{}` in this process", name.name),
        );
        if let Some(near) = nearest(&name.name, graph.labels.iter().map(|l| l.name.as_str())) {
            error = error.help(format!("did you mean `{near}`?"));
        } else {
            error = error.help(format!("write `{}:` in front of the statement to jump to", name.name));
        }
        self.error(error);
    }

    fn hunt_or_report(&mut self, tables: &Tables<'_>, from: El, atomic: bool) -> Option<El> {
        let found = tables.hunt(from, atomic);
        if found.is_none() {
            let span = tables.graph.elements[from].span;
            self.error(
                Diagnostic::error(codes::LOOPING_GOTO, span, "a loop of jumps without a statement")
                    .help("put a statement into the loop, such as `skip`"),
            );
        }
        found
    }

    fn entries(&mut self, tables: &Tables<'_>) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        for element in 0..tables.graph.elements.len() {
            entries.push(self.entry(tables, element)?);
        }
        Some(entries)
    }

    fn entry(&mut self, tables: &Tables<'_>, element: El) -> Option<Entry> {
        let e = &tables.graph.elements[element];
        Some(match &e.node {
            Node::If | Node::Do => {
                let starts = e.sub.iter().map(|option| tables.start(tables.first(*option)));
                Entry::Choice(starts.filter(|start| !tables.is_dead(*start)).collect())
            }
            Node::Unless => Entry::Empty,
            Node::Atomic(inner) | Node::Block(inner) => Entry::Choice(vec![tables.start(tables.first(*inner))]),
            Node::Basic(_) | Node::Goto(..) | Node::Dot | Node::BreakTarget | Node::DStep(_) => {
                let after = match &e.node {
                    Node::Goto(..) => tables.targets.get(&element).copied(),
                    _ => e.next,
                };
                let target = match after {
                    Some(after) => Some(self.hunt_or_report(tables, after, e.atom)?),
                    None => None,
                };
                let mut escapes = Vec::new();
                if !matches!(e.node, Node::Dot) {
                    for escape in &e.escapes {
                        escapes.push(self.hunt_or_report(tables, tables.first(*escape), e.atom)?);
                    }
                }
                Entry::Single(Raw { element, target, atomic: e.atom, escapes, escape: None })
            }
        })
    }

    /// Gives actions their numbers and fills in the transitions.
    fn fill(&mut self, proto: &mut Proto, tables: &Tables<'_>, lists: &[Vec<Raw>], mut controls: Vec<Control>) {
        let mut numbers: HashMap<El, u32> = HashMap::new();
        for (element, list) in lists.iter().enumerate() {
            for raw in list {
                let action = match numbers.get(&raw.element) {
                    Some(number) => *number,
                    None => {
                        let action = self.action(tables, raw.element);
                        proto.actions.push(action);
                        numbers.insert(raw.element, proto.actions.len() as u32 - 1);
                        proto.actions.len() as u32 - 1
                    }
                };
                controls[element + 1].transitions.push(Transition {
                    action,
                    target: raw.target.map_or(ControlState(0), control),
                    atomic: raw.atomic,
                    escape: raw.escape.map_or(0, |e| control(e).0),
                    resets: Vec::new(),
                });
            }
            controls[element + 1].span = Some(tables.graph.elements[element].span);
        }
        proto.controls = controls;
    }

    fn action(&mut self, tables: &Tables<'_>, element: El) -> Action {
        let e = &tables.graph.elements[element];
        match &e.node {
            Node::Basic(action) | Node::Goto(_, action) => action.clone(),
            Node::DStep(inner) => {
                let op = Op::DStep(Box::new(self.d_step_code(tables, *inner, element)));
                Action { op, span: e.span, text: self.text(e.span).split_whitespace().collect::<Vec<_>>().join(" ") }
            }
            _ => Action { op: Op::Skip, span: e.span, text: "(leave the sequence)".to_owned() },
        }
    }

    /// The little program of a `d_step`; elements outside it are its exits.
    fn d_step_code(&mut self, tables: &Tables<'_>, inner: Sq, element: El) -> DStep {
        let mut code = DStep { nodes: vec![DNode::Exit], entry: 0 };
        let mut numbers: HashMap<El, usize> = HashMap::new();
        let mut todo = vec![tables.first(inner)];
        code.entry = 1;
        numbers.insert(todo[0], 1);
        code.nodes.push(DNode::Exit);
        let outside = tables.graph.elements[element].next;
        while let Some(at) = todo.pop() {
            let number = numbers[&at];
            let mut visit = |target: Option<El>, nodes: &mut Vec<DNode>| match target {
                Some(target) if Some(target) != outside && tables.graph.elements[target].d_step => {
                    *numbers.entry(target).or_insert_with(|| {
                        nodes.push(DNode::Exit);
                        todo.push(target);
                        nodes.len() - 1
                    })
                }
                _ => 0,
            };
            let e = &tables.graph.elements[at];
            let node = match &e.node {
                Node::Basic(action) => {
                    let next = visit(e.next, &mut code.nodes);
                    DNode::Basic { op: action.op.clone(), span: e.span, next, executed: Mark::of(action) }
                }
                Node::Goto(..) => DNode::Jump(visit(tables.targets.get(&at).copied(), &mut code.nodes)),
                Node::Dot | Node::BreakTarget => DNode::Jump(visit(e.next, &mut code.nodes)),
                Node::If | Node::Do => {
                    let firsts: Vec<El> = e.sub.iter().map(|s| tables.first(*s)).collect();
                    let options = firsts.into_iter().map(|f| visit(Some(f), &mut code.nodes)).collect();
                    DNode::Choice { options, span: e.span }
                }
                Node::Atomic(s) | Node::Block(s) | Node::DStep(s) => {
                    DNode::Block(visit(Some(tables.first(*s)), &mut code.nodes))
                }
                Node::Unless => DNode::Jump(visit(Some(tables.first(e.sub[0])), &mut code.nodes)),
            };
            code.nodes[number] = node;
        }
        code
    }

    fn warn_unreachable(&mut self, proto: &Proto, graph: &Graph) {
        let mut seen = vec![false; proto.controls.len()];
        let mut todo = vec![proto.start];
        let mut acting = std::collections::HashSet::new();
        while let Some(state) = todo.pop() {
            if state.0 == 0 || std::mem::replace(&mut seen[state.0 as usize], true) {
                continue;
            }
            for transition in &proto.controls[state.0 as usize].transitions {
                acting.insert(transition.action);
                todo.push(transition.target);
            }
        }
        let reached: std::collections::HashSet<Span> = acting.iter().map(|a| proto.actions[*a as usize].span).collect();
        let d_step = |e: &super::graph::Element| e.d_step;
        for e in &graph.elements {
            let Node::Basic(action) = &e.node else { continue };
            if !reached.contains(&e.span) && !d_step(e) && !matches!(action.op, Op::End | Op::Condition(Ex::Const(0))) {
                self.warn(
                    Diagnostic::warning(codes::UNREACHABLE, e.span, "this statement can never be reached")
                        .label(format!("no path of `{}` leads here", proto.name)),
                );
                return;
            }
        }
    }
}

/// The number Spin gives an element.
fn control(element: El) -> ControlState {
    ControlState(element as u16 + 1)
}

fn split_goto(graph: &mut Graph, element: El) {
    let e = &mut graph.elements[element];
    let Node::Goto(..) = &e.node else { return };
    let skip = Node::Basic(Action { op: Op::Skip, span: e.span, text: "skip".to_owned() });
    let goto = std::mem::replace(&mut e.node, skip);
    let mut copy = e.clone();
    copy.node = goto;
    graph.elements.push(copy);
    let added = graph.elements.len() - 1;
    graph.elements[element].next = Some(added);
}

/// The label a goto means: of the same inline call if there is one, then the innermost scope
/// around the goto, then any of that name.
fn find_label(graph: &Graph, name: &str, inline: u32, scope: &[u32]) -> Option<El> {
    let candidates = graph.labels.iter().filter(|l| l.name == name);
    candidates
        .max_by_key(|l| {
            let around = scope.starts_with(&l.scope);
            (l.inline == inline, around, if around { l.scope.len() } else { 0 })
        })
        .map(|l| l.element)
}

/// Control states with their labels' meaning; index 0 is unused.
fn label_controls(graph: &Graph) -> Vec<Control> {
    let mut controls = vec![Control::default(); graph.elements.len() + 1];
    for label in &graph.labels {
        let control = &mut controls[label.element + 1];
        control.valid_end |= label.name.starts_with("end");
        control.accept |= label.name.starts_with("accept");
        control.progress |= label.name.starts_with("progress");
        control.labels.push(label.name.clone());
    }
    for (element, e) in graph.elements.iter().enumerate() {
        if let Node::Basic(Action { op: Op::End, .. }) = e.node {
            controls[element + 1].valid_end = true;
        }
    }
    controls
}
