//! The statements of one step, for [`super::independence`].

use std::collections::HashMap;

use crate::program::{Control, Op, Proto, Transition};

/// Statements of an atomic sequence that is looked at, at most.
const LONGEST_SEQUENCE: usize = 256;

/// The statements of one step: one, or those of the atomic sequence that it starts, each with those that may follow.
pub(super) struct Sequence<'p> {
    pub steps: Vec<(&'p Op, Vec<usize>)>,
    /// The control states behind them.
    pub targets: Vec<&'p Control>,
}

impl<'p> Sequence<'p> {
    /// `None` if it passes a control state that liveness properties see, or an escape, or is very long: every control state
    /// inside of a sequence starts one of its own, so that long ones would take time that is cubic in their length.
    pub(super) fn of(proto: &'p Proto, first: &'p Transition) -> Option<Self> {
        let mut steps: Vec<(&Op, Vec<usize>)> = Vec::new();
        let (mut transitions, mut targets) = (vec![first], Vec::new());
        let mut starts: HashMap<usize, Vec<usize>> = HashMap::new();
        while let Some(transition) = transitions.get(steps.len()).copied() {
            let target = usize::from(transition.target.0);
            let control = &proto.controls[target];
            if control.accept || control.progress || transition.escape != 0 || steps.len() >= LONGEST_SEQUENCE {
                return None;
            }
            let follow = match transition.atomic {
                false => Vec::new(),
                true => starts
                    .entry(target)
                    .or_insert_with(|| {
                        let from = transitions.len();
                        transitions.extend(&control.transitions);
                        (from..transitions.len()).collect()
                    })
                    .clone(),
            };
            steps.push((&proto.actions[transition.action as usize].op, follow));
            targets.push(control);
        }
        Some(Sequence { steps, targets })
    }

    /// The statements that may be executed after one.
    pub(super) fn behind(&self, at: usize) -> Vec<usize> {
        let mut seen = vec![false; self.steps.len()];
        let mut todo = self.steps[at].1.clone();
        while let Some(next) = todo.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                todo.extend(&self.steps[next].1);
            }
        }
        (0..seen.len()).filter(|step| seen[*step]).collect()
    }
}
