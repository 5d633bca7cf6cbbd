//! What can be taken at each element, and where it leads. Choices within choices are one choice;
//! jumps and joins are passed through without a step, unless that would leave an atomic sequence;
//! escapes come before what they interrupt.

use super::flow::{Action, El, Element, Flow, Move, Seq};

/// Jumps in a row after which a loop of jumps is suspected.
const TOO_MANY_JUMPS: usize = 500;

impl Flow {
    /// Completes a flow whose elements are all there: `first` is the first one of the body.
    pub(crate) fn finish(&mut self, first: El) -> Result<(), String> {
        self.tie_blocks();
        self.mark_jumps_out();
        self.start = self.pass_through(first, self.elements[first].atomic)?;
        self.targets = (0..self.elements.len()).map(|at| self.target(at)).collect::<Result<_, _>>()?;
        let choices: Vec<Vec<El>> = (0..self.elements.len()).map(|at| self.choices(at)).collect();
        self.moves =
            choices.iter().map(|all| all.iter().map(|at| Move { element: *at, escape: None }).collect()).collect();
        for at in 0..self.elements.len() {
            self.add_escapes(at)?;
        }
        self.find_marks();
        Ok(())
    }

    /// What follows a block follows its last element. Outer blocks have greater indices.
    fn tie_blocks(&mut self) {
        for at in (0..self.elements.len()).rev() {
            if self.elements[at].action.is_block() {
                let last = self.elements[at].parts[0].last;
                self.elements[last].next = self.elements[at].next;
            }
        }
    }

    /// A jump out of an atomic sequence ends it; a jump from the end of one into another joins
    /// the two.
    fn mark_jumps_out(&mut self) {
        for at in 0..self.elements.len() {
            if self.elements[at].action.is_block() {
                self.mark_jumps_of(self.elements[at].parts[0]);
            }
        }
    }

    fn mark_jumps_of(&mut self, seq: Seq) {
        let mut current = Some(seq.first);
        while let Some(at) = current {
            if let Action::Goto(target) = self.elements[at].action {
                let into = &self.elements[target];
                let into_atomic = into.atomic || into.last_of_atomic;
                let from = &mut self.elements[at];
                if (from.atomic || from.last_of_atomic) && !into_atomic {
                    (from.atomic, from.last_of_atomic) = (false, true);
                }
                if from.last_of_atomic && into_atomic {
                    (from.atomic, from.last_of_atomic) = (true, false);
                }
            } else if !self.elements[at].action.is_block() {
                self.elements[at].parts.clone().into_iter().for_each(|part| self.mark_jumps_of(part));
            }
            current = if at == seq.extent { None } else { self.elements[at].next };
        }
    }

    /// The element where control stops on the way to `at`; `atomic` means that the way
    /// begins inside an atomic sequence, which it does not leave.
    pub(crate) fn pass_through(&self, at: El, atomic: bool) -> Result<El, String> {
        let mut at = at;
        for _ in 0..TOO_MANY_JUMPS {
            let element = &self.elements[at];
            let next = match element.action {
                Action::Goto(target) => target,
                Action::Join | Action::BreakTarget => match element.next {
                    Some(next) => next,
                    None => return Ok(at),
                },
                Action::Unless => self.pass_through(element.parts[0].first, atomic)?,
                _ => return Ok(at),
            };
            if atomic && !self.elements[next].atomic {
                return Ok(at);
            }
            at = next;
        }
        Err("a loop of nothing but `goto`".into())
    }

    /// Where control is after the element was executed.
    fn target(&self, at: El) -> Result<Option<El>, String> {
        let element = &self.elements[at];
        match element.action {
            Action::End => Ok(None),
            Action::Goto(target) => self.pass_through(target, element.atomic).map(Some),
            _ => element.next.map(|next| self.pass_through(next, element.atomic)).transpose(),
        }
    }

    /// The first element of a sequence that can be executed or offers a choice.
    pub(crate) fn begin(&self, first: El) -> El {
        let mut at = first;
        loop {
            let element = &self.elements[at];
            at = match (&element.action, element.next) {
                (Action::Join, Some(next)) => next,
                (Action::Unless, _) => element.parts[0].first,
                _ => return at,
            }
        }
    }

    /// The basic elements to choose from.
    fn choices(&self, at: El) -> Vec<El> {
        let Element { action, parts, .. } = &self.elements[at];
        match action {
            Action::If | Action::Do | Action::Block | Action::Atomic => {
                parts.iter().flat_map(|part| self.choices(self.begin(part.first))).collect()
            }
            // As in pan, nothing begins here: control rests on what is inside. An escape that begins with an `unless`
            // cannot interrupt a statement inside an atomic sequence.
            Action::Unless => Vec::new(),
            _ => vec![at],
        }
    }

    /// Puts the guards of the escapes in front, those of the outermost first.
    fn add_escapes(&mut self, at: El) -> Result<(), String> {
        for original in self.moves[at].clone() {
            let element = self.elements[original.element].clone();
            if matches!(element.action, Action::Join) {
                continue;
            }
            for escape in element.escapes.iter().rev() {
                let entry = self.pass_through(escape.first, element.atomic)?;
                for guard in self.moves[entry].clone() {
                    if self.moves[at].iter().all(|known| known.element != guard.element) {
                        self.moves[at].insert(0, Move { element: guard.element, escape: Some(entry) });
                    }
                }
            }
        }
        Ok(())
    }

    /// Escapes that cover a sequence cover everything in it, and the escapes it already has.
    pub(crate) fn attach_escape(&mut self, seq: Seq, escape: Seq) {
        let mut current = Some(seq.first);
        while let Some(at) = current {
            self.attach_to(at, escape);
            current = if at == seq.extent { None } else { self.elements[at].next };
        }
    }

    fn attach_to(&mut self, at: El, escape: Seq) {
        if self.elements[at].escapes.iter().any(|known| known.first == escape.first) {
            return;
        }
        for inner in self.elements[at].escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.elements[at].escapes.insert(0, escape);
        let Element { action, parts, .. } = self.elements[at].clone();
        match action {
            Action::Unless => self.attach_escape(parts[0], escape),
            Action::If | Action::Do | Action::Atomic | Action::Block => {
                parts.into_iter().for_each(|part| self.attach_escape(part, escape));
            }
            Action::DStep => self.attach_to(parts[0].first, escape),
            _ => {}
        }
    }

    /// Labels that begin with `end`, `accept` and `progress`; `-end-` is a valid end, too.
    fn find_marks(&mut self) {
        let at_end = |element: &Element| matches!(element.action, Action::End);
        self.valid_ends = self.marked(|element| at_end(element) || element.has_label("end"));
        self.accepting = self.marked(|element| element.has_label("accept"));
        self.progress = self.marked(|element| element.has_label("progress"));
    }

    /// The elements where a label takes effect. A label inside a choice, on the way to a statement, counts for the
    /// place behind that statement; one on a join for what follows it.
    fn marked(&self, labelled: impl Fn(&Element) -> bool) -> Vec<bool> {
        let mut valid: Vec<bool> = self.elements.iter().map(labelled).collect();
        for at in 0..self.elements.len() {
            if matches!(self.elements[at].action, Action::If | Action::Do | Action::Block | Action::Atomic) {
                for part in self.elements[at].parts.clone() {
                    self.pass_on(self.begin(part.first), false, &mut valid);
                }
            }
        }
        for at in 0..self.elements.len() {
            if let (Action::Join, Some(target), true) = (&self.elements[at].action, self.targets[at], valid[at]) {
                valid[target] = true;
            }
        }
        valid
    }

    fn pass_on(&self, at: El, labelled: bool, valid: &mut [bool]) {
        let labelled = labelled || valid[at];
        match self.elements[at].action {
            Action::If | Action::Do | Action::Block | Action::Atomic => {
                for part in &self.elements[at].parts {
                    self.pass_on(self.begin(part.first), labelled, valid);
                }
            }
            _ => {
                if let (true, Some(target)) = (labelled, self.targets[at]) {
                    valid[target] = true;
                }
            }
        }
    }
}
