//! The runs that the search for the best one has made so far, as a tree of labels: each is the run of another one and a
//! transition more. Of runs of the same cost and length the first in lexicographic order is the best (docs/design.md 3.4); two
//! are compared in time logarithmic in their length, by pointers that jump towards the root (Myers' skew-binary
//! ancestors).

use std::cmp::Ordering;
use std::ops::{Index, IndexMut};

use selvedge_core::ThreadId;

use crate::store::StateId;

/// The number of a label.
pub(super) type LabelNo = u32;

/// A run to a node.
#[derive(Clone, Copy)]
pub(super) struct Label {
    pub state: StateId,
    pub last: Option<ThreadId>,
    pub stutter: bool,
    pub cost: u32,
    pub length: u32,
    /// Of the bound.
    pub used: u32,
    /// The run without its last transition.
    pub parent: Option<LabelNo>,
    /// Who takes the last transition, and its number among those of the parent's state.
    pub step: (Option<ThreadId>, u32),
}

#[derive(Clone, Copy)]
struct Ancestors {
    depth: u32,
    /// A label further up, itself at the root.
    jump: LabelNo,
}

#[derive(Default)]
pub(super) struct Runs {
    labels: Vec<Label>,
    ancestors: Vec<Ancestors>,
}

impl Index<LabelNo> for Runs {
    type Output = Label;

    fn index(&self, number: LabelNo) -> &Label {
        &self.labels[number as usize]
    }
}

impl IndexMut<LabelNo> for Runs {
    fn index_mut(&mut self, number: LabelNo) -> &mut Label {
        &mut self.labels[number as usize]
    }
}

impl Runs {
    pub(super) fn push(&mut self, label: Label) -> LabelNo {
        let number = self.labels.len() as LabelNo;
        self.ancestors.push(self.ancestors_of(label.parent, number));
        self.labels.push(label);
        number
    }

    fn ancestors_of(&self, parent: Option<LabelNo>, number: LabelNo) -> Ancestors {
        let Some(parent) = parent else { return Ancestors { depth: 0, jump: number } };
        let Ancestors { depth, jump } = self.ancestors[parent as usize];
        let above = self.ancestors[jump as usize];
        let same_distance = depth - above.depth == above.depth - self.depth(above.jump);
        Ancestors { depth: depth + 1, jump: if same_distance { above.jump } else { parent } }
    }

    fn depth(&self, number: LabelNo) -> u32 {
        self.ancestors[number as usize].depth
    }

    fn parent(&self, number: LabelNo) -> LabelNo {
        self[number].parent.unwrap_or(number)
    }

    fn jump(&self, number: LabelNo) -> LabelNo {
        self.ancestors[number as usize].jump
    }

    /// The ancestor at a depth.
    fn up_to(&self, mut number: LabelNo, depth: u32) -> LabelNo {
        while self.depth(number) > depth {
            let jump = self.jump(number);
            number = if self.depth(jump) >= depth { jump } else { self.parent(number) };
        }
        number
    }

    /// Lexicographic order of the sequences of thread and number of each transition.
    pub(super) fn compare(&self, one: LabelNo, other: LabelNo) -> Ordering {
        let depth = self.depth(one).min(self.depth(other));
        let (mut a, mut b) = (self.up_to(one, depth), self.up_to(other, depth));
        if a == b {
            return self.depth(one).cmp(&self.depth(other));
        }
        while self.parent(a) != self.parent(b) {
            let (jump_a, jump_b) = (self.jump(a), self.jump(b));
            (a, b) = if jump_a == jump_b { (self.parent(a), self.parent(b)) } else { (jump_a, jump_b) };
        }
        self[a].step.cmp(&self[b].step)
    }

    /// Puts a run in the place of one from which nothing goes on yet, if it comes first in that order.
    pub(crate) fn replace_if_first(&mut self, number: LabelNo, label: Label) {
        let other = self.push(label);
        let is_first = self.compare(other, number).is_lt();
        let (label, ancestors) = (self.labels.pop(), self.ancestors.pop());
        if let (true, Some(label), Some(Ancestors { depth, jump })) = (is_first, label, ancestors) {
            self[number] = label;
            self.ancestors[number as usize] = Ancestors { depth, jump };
        }
    }

    /// The labels from the start to this one.
    pub(super) fn chain(&self, number: LabelNo) -> Vec<LabelNo> {
        let mut chain: Vec<LabelNo> = std::iter::successors(Some(number), |at| self[*at].parent).collect();
        chain.reverse();
        chain
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.labels.capacity() * size_of::<Label>() + self.ancestors.capacity() * size_of::<Ancestors>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use selvedge_core::Chance;

    use super::*;

    /// The sequence of steps of a run.
    fn sequence(runs: &Runs, number: LabelNo) -> Vec<(Option<ThreadId>, u32)> {
        runs.chain(number).iter().skip(1).map(|at| runs[*at].step).collect()
    }

    const ROOT: Label = Label {
        state: StateId(0),
        last: None,
        stutter: false,
        cost: 0,
        length: 0,
        used: 0,
        parent: None,
        step: (None, 0),
    };

    #[test]
    fn bytes_are_those_of_labels_and_ancestors() {
        let mut runs = Runs::default();
        for number in 0..512 {
            runs.push(Label { parent: (number > 0).then(|| number - 1), ..ROOT });
        }
        let least = 512 * (size_of::<Label>() + size_of::<Ancestors>()) as u64;
        assert!((least..=2 * least).contains(&runs.bytes()), "{} {least}", runs.bytes());
    }

    #[test]
    fn runs_are_compared_as_sequences() {
        let mut runs = Runs::default();
        let root = ROOT;
        runs.push(root);
        let mut chance = Chance::new(12345);
        for number in 1..400u32 {
            let bits = chance.draw();
            // Long chains with a few branches.
            let parent = if bits >> 60 < 12 { number - 1 } else { (bits >> 33) as u32 % number };
            let step = (Some(ThreadId((bits >> 40) as u32 % 2)), 2 * number);
            let label = Label { parent: Some(parent), step, ..root };
            runs.push(label);
            // The last one may be exchanged for another.
            let label = Label { step: (Some(ThreadId((bits >> 41) as u32 % 2)), 2 * number + 1), ..label };
            let first = sequence(&runs, number).min([&sequence(&runs, parent)[..], &[label.step]].concat());
            runs.replace_if_first(number, label);
            assert_eq!(sequence(&runs, number), first);
        }
        for (a, b) in (0..400).flat_map(|a| (0..400).map(move |b| (a, b))) {
            assert_eq!(runs.compare(a, b), sequence(&runs, a).cmp(&sequence(&runs, b)));
        }
    }
}
