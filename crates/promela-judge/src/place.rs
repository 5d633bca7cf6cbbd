//! Puts statements that were read into their sequences: makes their own elements, labels them,
//! joins the options of a choice, attaches escapes, marks atomic sequences.

use std::rc::Rc;

use selvedge_source::Span;

use super::build::{Builder, Form, Node, skip};
use super::flow::{Action, El, Element, Seq};

impl Builder<'_> {
    /// Makes an element.
    pub(crate) fn element(&mut self, action: Action, span: Option<Span>) -> El {
        self.flow.elements.push(Element {
            action,
            span,
            next: None,
            parts: Vec::new(),
            escapes: Vec::new(),
            atomic: false,
            last_of_atomic: false,
            in_d_step: false,
            labels: Vec::new(),
            scope: Rc::clone(&self.scope),
        });
        self.flow.elements.len() - 1
    }

    /// Puts a statement at the end of the innermost open sequence.
    pub(crate) fn place(&mut self, node: Node) {
        let span = Some(node.span);
        match node.form {
            Form::Basic(action) => {
                let at = self.element(action, span);
                self.label(at, &node.labels);
                self.add(at);
            }
            Form::Goto(jump) => {
                let at = self.element(Action::Goto(0), span);
                self.jumps.push((at, jump));
                let visible = |l: &String| ["accept", "end", "progress"].iter().any(|p| l.starts_with(p));
                if node.labels.iter().any(|label| visible(label) || self.remote.contains(label)) {
                    let before = self.element(skip(node.span), span);
                    self.label(before, &node.labels);
                    self.add(before);
                } else {
                    self.label(at, &node.labels);
                }
                self.add(at);
            }
            Form::If(options) => self.place_choice(options, None, &node.labels, span),
            Form::Do(options, number) => self.place_choice(options, Some(number), &node.labels, span),
            Form::Unless(main, escape) => self.place_unless(main, escape, &node.labels, span),
            Form::Block(action, seq) => {
                let at = self.element(action, span);
                self.flow.elements[at].parts = vec![seq];
                self.label(at, &node.labels);
                self.add(at);
            }
        }
    }

    fn label(&mut self, at: El, labels: &[String]) {
        for label in labels {
            self.flow.labels.push((label.clone(), self.path.clone(), at));
            self.flow.elements[at].labels.push(label.clone());
        }
    }

    fn add(&mut self, at: El) {
        let seq = self.open.last_mut().expect("a sequence is open");
        match seq {
            None => *seq = Some(Seq { first: at, last: at, extent: at }),
            Some(seq) => {
                self.flow.elements[seq.last].next = Some(at);
                seq.last = at;
            }
        }
    }

    fn append(&mut self, seq: &mut Seq, at: El) {
        self.flow.elements[seq.last].next = Some(at);
        seq.last = at;
    }

    /// An `if`: the choice, then the join of its options. A `do`: the join, the choice, the place
    /// behind the loop. `else` goes last.
    fn place_choice(&mut self, mut options: Vec<Seq>, number: Option<usize>, labels: &[String], span: Option<Span>) {
        let choice = self.element(if number.is_some() { Action::Do } else { Action::If }, span);
        let join = self.element(Action::Join, None);
        options.sort_by_key(|option| matches!(self.flow.elements[option.first].action, Action::Else));
        options.iter_mut().for_each(|option| self.append(option, join));
        self.flow.elements[choice].parts = options;
        self.label(choice, labels);
        match number {
            None => {
                self.add(choice);
                self.add(join);
            }
            Some(number) => {
                self.add(join);
                let behind = self.element(Action::BreakTarget, None);
                self.break_targets.insert(number, behind);
                self.add(choice);
                self.add(behind);
            }
        }
    }

    fn place_unless(&mut self, mut main: Seq, mut escape: Seq, labels: &[String], span: Option<Span>) {
        let at = self.element(Action::Unless, span);
        let join = self.element(Action::Join, None);
        self.append(&mut main, join);
        self.append(&mut escape, join);
        self.flow.elements[at].parts = vec![main, escape];
        self.flow.attach_escape(main, escape);
        self.label(at, labels);
        self.add(at);
        self.add(join);
    }

    /// Marks a sequence as atomic, or as a `d_step`; blocks of both kinds inside it become plain.
    pub(crate) fn make_atomic(&mut self, seq: Seq, d_step: bool) {
        self.mark_atomic(seq, d_step);
        let last = seq.last;
        match self.flow.elements[last].action {
            Action::Block | Action::Atomic => self.make_atomic(self.flow.elements[last].parts[0], d_step),
            _ => {
                self.flow.elements[last].atomic = false;
                self.flow.elements[last].last_of_atomic = true;
            }
        }
    }

    fn mark_atomic(&mut self, seq: Seq, d_step: bool) {
        let mut current = Some(seq.first);
        while let Some(at) = current {
            let element = &mut self.flow.elements[at];
            element.atomic = true;
            element.in_d_step |= d_step;
            if matches!(element.action, Action::Atomic) || (d_step && matches!(element.action, Action::DStep)) {
                element.action = Action::Block;
            }
            if !matches!(element.action, Action::DStep) {
                element.parts.clone().into_iter().for_each(|part| self.mark_atomic(part, d_step));
            }
            current = if at == seq.last { None } else { self.flow.elements[at].next };
        }
    }
}
