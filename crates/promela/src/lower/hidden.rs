//! Which `hidden` variables matter. Spin keeps hidden variables out of the state and trusts the model that no behaviour
//! depends on them. Where one does, states that differ only in it are treated as equal, and violations are missed. Called
//! when a model that declares hidden globals has been lowered; those that matter then become part of the state.
//!
//! A hidden variable matters if some step writes it and its value can change what happens: it is read by a condition,
//! an assertion, a message, an index, an argument of `run`, a `provided` clause, an initialiser, a claim or an event
//! trace, or it is assigned to a variable that matters or is not hidden. A print that cannot fail changes nothing.
//! Hidden variables of processes and hidden fields are part of the state anyway.
//!
//! In the same way, a global variable that is not hidden and does not matter stays out of the state of an optimised
//! program.

use selvedge_source::{Diagnostic, Span};

use super::types::Variable;
use super::uses::{Bytes, Range, Uses, extent, uses_of};
use super::visit::written_globals;
use super::{Lowerer, codes};
use crate::program::{Base, DNode, Ex, Op, Program, Proto, Show};
use selvedge_promela_syntax::ast;

/// A hidden variable that matters.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// Its name.
    pub name: String,
    /// Its declaration.
    pub span: Span,
    /// A statement that reads it.
    pub read: Option<Span>,
}

/// Whether a model declares hidden globals.
pub(super) fn declares_hidden(model: &ast::Model) -> bool {
    let declared = model.items.iter().filter_map(|item| match item {
        ast::Item::Vars(decls) => Some(decls),
        _ => None,
    });
    declared.flatten().any(|decl| decl.hidden)
}

/// The hidden variables that matter, in the order of their declarations.
pub(super) fn that_matter(this: &Lowerer<'_>, program: &Program) -> Vec<Hidden> {
    let mut flow = Flow::of(program, program.header.hidden);
    flow.propagate();
    this.variables
        .iter()
        .filter(|variable| variable.base == Base::Global && variable.offset < program.header.hidden)
        .map(|variable| (variable, (variable.offset, this.types.size(&variable.ty).unwrap_or(1))))
        .filter(|(_, range)| flow.read.overlaps(*range) && flow.written.overlaps(*range))
        .map(|(variable, range)| Hidden {
            name: variable.name.clone(),
            span: variable.span,
            read: flow.readers.iter().find(|(read, _)| overlap(*read, range)).map(|(_, span)| *span),
        })
        .collect()
}

/// The names of global variables whose values change nothing, although they are not hidden.
pub(super) fn without_effect(this: &Lowerer<'_>, program: &Program) -> Vec<String> {
    let mut flow = Flow::of(program, u32::MAX);
    flow.propagate();
    this.variables
        .iter()
        .filter(|variable| variable.base == Base::Global && !variable.hidden && !holds_channels(this, variable))
        .filter(|variable| !flow.read.overlaps((variable.offset, this.types.size(&variable.ty).unwrap_or(1))))
        .map(|variable| variable.name.clone())
        .collect()
}

fn holds_channels(this: &Lowerer<'_>, variable: &Variable) -> bool {
    this.types.flatten("", &variable.ty, 0).iter().any(|scalar| scalar.show == Show::Chan)
}

/// Says that hidden variables are read, and whether they are part of the state.
pub(super) fn warn(this: &mut Lowerer<'_>, matter: &[Hidden], in_state: bool) {
    for Hidden { name, span, read } in matter {
        let (message, label) = match in_state {
            true => {
                (format!("hidden variable `{name}` is read and therefore part of the state"), "`hidden` is ignored")
            }
            false => (
                format!("hidden variable `{name}` is read, but it is not part of the state"),
                "states that differ only in it are treated as equal",
            ),
        };
        let mut warning = Diagnostic::warning(codes::READ_HIDDEN, *span, message).label(label);
        if let Some(read) = read {
            warning = warning.also(*read, "its value matters here");
        }
        this.warn(warning.help("declare it without `hidden`, or do not read it"));
    }
}

/// Where the values of globals go.
#[derive(Default)]
struct Flow {
    /// Bytes whose values matter.
    read: Bytes,
    /// What reads them, for the warning.
    readers: Vec<(Range, Span)>,
    written: Bytes,
    /// Assignments whose values are followed: what they write, what they read, where.
    assignments: Vec<(Range, Vec<Range>, Span)>,
}

impl Flow {
    /// Of assignments to globals in front of `end`, values are followed to where they go; others count as read.
    fn of(program: &Program, end: u32) -> Self {
        let mut flow = Flow::default();
        let events = program.events.as_ref();
        for proto in program.protos.iter().chain(&program.claim).chain(events.map(|events| &events.proto)) {
            flow.proto(proto, end);
        }
        for chan in events.into_iter().flat_map(|events| events.sends.iter().chain(&events.receives)) {
            flow.expression(chan, events.map_or(program.protos[0].span, |events| events.proto.span));
        }
        flow
    }

    fn proto(&mut self, proto: &Proto, end: u32) {
        for action in &proto.actions {
            written_globals(&action.op, &mut self.written);
            self.operation(&action.op, action.span, end);
        }
        proto.provided.iter().for_each(|provided| self.expression(provided, proto.span));
        proto.init.iter().for_each(|(_, value)| self.expression(value, proto.span));
        proto.exclusive.iter().for_each(|claim| self.expression(&claim.chan, proto.span));
    }

    fn operation(&mut self, op: &Op, span: Span, end: u32) {
        match op {
            Op::DStep(code) => {
                for node in &code.nodes {
                    if let DNode::Basic { op, span, .. } = node {
                        self.operation(op, *span, end);
                    }
                }
            }
            Op::Print(_) if !uses_of(op).can_fail => {}
            Op::Assign(place, _)
                if place.base == Base::Global && place.offset < end && uses_of(op).fails_by_index_at_most() =>
            {
                let uses = uses_of(op);
                // An index that is out of range is an error, whatever becomes of the value.
                self.matter(&uses.index_reads, span);
                self.assignments.push((extent(place), uses.global_reads, span));
            }
            op => self.reads(&uses_of(op), span),
        }
    }

    fn expression(&mut self, ex: &Ex, span: Span) {
        let mut uses = Uses::default();
        uses.expression(ex);
        self.reads(&uses, span);
    }

    fn reads(&mut self, uses: &Uses, span: Span) {
        self.matter(&uses.global_reads, span);
    }

    fn matter(&mut self, ranges: &[Range], span: Span) {
        for range in ranges {
            self.read.add(*range);
            self.readers.push((*range, span));
        }
    }

    /// What is assigned to a variable that matters matters too.
    fn propagate(&mut self) {
        loop {
            let (matter, others): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.assignments).into_iter().partition(|(to, ..)| self.read.overlaps(*to));
            self.assignments = others;
            if matter.is_empty() {
                return;
            }
            for (_, from, span) in matter {
                self.matter(&from, span);
            }
        }
    }
}

fn overlap(a: Range, b: Range) -> bool {
    a.0 < b.0 + b.1 && b.0 < a.0 + a.1
}
