//! Formulas made small before they are translated: constructors that apply equivalences of \[SB\],
//! \[EH\] and [BKRS] as they build. Only `&&`, `X` and `U` have rules; `||` and `R` are their duals.
//!
//! What must hold: every constructor returns a formula equivalent to the one asked for.

use super::formula::{FormulaId, Formulas, Node};

impl Formulas {
    /// The disjunction of `parts`.
    pub(super) fn or(&mut self, parts: Vec<FormulaId>) -> FormulaId {
        self.and(parts.into_iter().map(FormulaId::not).collect()).not()
    }

    /// `a R b`.
    pub(super) fn release(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        self.until(a.not(), b.not()).not()
    }

    /// `[]a`.
    pub(super) fn always(&mut self, a: FormulaId) -> FormulaId {
        self.release(FormulaId::FALSE, a)
    }

    /// `<>a`.
    pub(super) fn eventually(&mut self, a: FormulaId) -> FormulaId {
        self.until(FormulaId::TRUE, a)
    }

    /// `X a`.
    pub(super) fn next(&mut self, a: FormulaId) -> FormulaId {
        if self.is_suspendable(a) { a } else { self.intern(Node::Next(a)) }
    }

    /// The conjunction of `parts`.
    pub(super) fn and(&mut self, parts: Vec<FormulaId>) -> FormulaId {
        let mut parts = self.flatten_and(parts);
        loop {
            if self.has_contradiction(&parts) {
                return FormulaId::FALSE;
            }
            self.drop_implied(&mut parts);
            let Some((i, j, merged)) = self.find_merge(&parts) else { break };
            parts.remove(j);
            parts.remove(i);
            parts.push(merged);
            parts = self.flatten_and(parts);
        }
        match parts[..] {
            [] => FormulaId::TRUE,
            [only] => only,
            _ => self.intern(Node::And(parts)),
        }
    }

    /// The conjuncts of `f`.
    pub(super) fn conjuncts(&self, f: FormulaId) -> Vec<FormulaId> {
        match self.node(f) {
            Node::And(parts) => parts.clone(),
            Node::True => Vec::new(),
            _ => vec![f],
        }
    }

    /// The disjuncts of `f`.
    pub(super) fn disjuncts(&self, f: FormulaId) -> Vec<FormulaId> {
        self.conjuncts(f.not()).into_iter().map(FormulaId::not).collect()
    }

    fn flatten_and(&self, parts: Vec<FormulaId>) -> Vec<FormulaId> {
        let mut flat: Vec<FormulaId> = parts.into_iter().flat_map(|p| self.conjuncts(p)).collect();
        flat.sort();
        flat.dedup();
        flat
    }

    fn has_contradiction(&mut self, parts: &[FormulaId]) -> bool {
        parts.contains(&FormulaId::FALSE)
            || (0..parts.len()).any(|i| (0..i).any(|j| self.contradict(parts[i], parts[j])))
    }

    fn drop_implied(&mut self, parts: &mut Vec<FormulaId>) {
        let mut i = 0;
        while i < parts.len() {
            let implied = (0..parts.len()).any(|j| j != i && self.implies(parts[j], parts[i]));
            if implied {
                parts.remove(i);
            } else {
                i += 1;
            }
        }
    }

    /// Two conjuncts `i < j` and one formula that says the same as both.
    fn find_merge(&mut self, parts: &[FormulaId]) -> Option<(usize, usize, FormulaId)> {
        for j in 0..parts.len() {
            for i in 0..j {
                let (a, b) = (parts[i], parts[j]);
                if let Some(merged) = self.merge_and(a, b) {
                    return Some((i, j, merged));
                }
            }
        }
        None
    }

    fn merge_and(&mut self, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        if let Some(merged) = self.shorten_or(f, g).or_else(|| self.shorten_or(g, f)) {
            return Some(merged);
        }
        match (self.node(f).clone(), self.node(g).clone()) {
            (Node::Next(a), Node::Next(b)) => {
                let both = self.and(vec![a, b]);
                Some(self.next(both))
            }
            (Node::Until(a, b), Node::Until(c, d)) if b == d => {
                let both = self.and(vec![a, c]);
                Some(self.until(both, b))
            }
            // `[]<>a && []<>b` stays: each is one state with a mark of its own.
            (Node::Release(a, b), Node::Release(c, d))
                if a == c && !self.is_suspendable(f) && !self.is_suspendable(g) =>
            {
                let both = self.and(vec![b, d]);
                Some(self.release(a, both))
            }
            (Node::Until(FormulaId::TRUE, a), Node::Until(FormulaId::TRUE, b)) => {
                let (a, b) = (self.always_of(a)?, self.always_of(b)?);
                let both = self.and(vec![a, b]);
                let always = self.always(both);
                Some(self.eventually(always))
            }
            _ => None,
        }
    }

    /// `f && (d || e)` is `f && e` where `f` excludes `d`.
    fn shorten_or(&mut self, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        let Node::Or(parts) = self.node(g).clone() else { return None };
        let kept: Vec<FormulaId> = parts.iter().copied().filter(|d| !self.contradict(f, *d)).collect();
        if kept.len() == parts.len() {
            return None;
        }
        let shorter = self.or(kept);
        Some(self.and(vec![f, shorter]))
    }

    /// `a U b`.
    pub(super) fn until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        if self.is_eventual(b) || self.implies(a, b) {
            return b;
        }
        let a = self.left_of_until(a, b);
        if a == FormulaId::FALSE {
            return b;
        }
        if let Some(simpler) = self.until_of_until(a, b).or_else(|| self.until_of_next(a, b)) {
            return simpler;
        }
        if let Some(split) = self.split_or(a, b).or_else(|| self.split_and(a, b)) {
            return split;
        }
        self.intern(Node::Until(a, b))
    }

    /// `a` matters only while `b` is false: disjuncts of `a` that imply `b` go, and so do conjuncts
    /// implied by `!b`.
    fn left_of_until(&mut self, a: FormulaId, b: FormulaId) -> FormulaId {
        let disjuncts = self.disjuncts(a);
        let kept: Vec<FormulaId> = disjuncts.iter().copied().filter(|d| !self.implies(*d, b)).collect();
        let a = if kept.len() == disjuncts.len() { a } else { self.or(kept) };
        let conjuncts = self.conjuncts(a);
        let kept: Vec<FormulaId> = conjuncts.iter().copied().filter(|c| !self.implies(b.not(), *c)).collect();
        if kept.len() == conjuncts.len() { a } else { self.and(kept) }
    }

    fn until_of_until(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        if let Node::Until(_, d) = *self.node(a)
            && d == b
        {
            return Some(a);
        }
        let Node::Until(c, d) = *self.node(b) else { return None };
        if self.implies(a, c) {
            return Some(b);
        }
        if self.implies(c, a) { Some(self.until(a, d)) } else { None }
    }

    fn until_of_next(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        let Node::Next(b) = *self.node(b) else { return None };
        let a = match *self.node(a) {
            Node::True => a,
            Node::Next(a) => a,
            _ => return None,
        };
        let until = self.until(a, b);
        Some(self.next(until))
    }

    /// `a U (b || e)` is `(a U b) || e` for eventual `e`; `<>(b || u)` is `<>b || <>u`, which for
    /// universal `u` is a formula that a run need not keep watching.
    fn split_or(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        let Node::Or(parts) = self.node(b).clone() else { return None };
        let apart = |s: &Self, p: FormulaId| s.is_eventual(p) || (a == FormulaId::TRUE && s.is_universal(p));
        let (split, kept): (Vec<FormulaId>, Vec<FormulaId>) = parts.iter().partition(|p| apart(self, **p));
        if split.is_empty() {
            return None;
        }
        let kept = self.or(kept);
        let mut parts = vec![self.until(a, kept)];
        for part in split {
            parts.push(self.until(a, part));
        }
        Some(self.or(parts))
    }

    /// `a U (b && e)` is `(a U b) && e` for suspendable `e`.
    fn split_and(&mut self, a: FormulaId, b: FormulaId) -> Option<FormulaId> {
        let Node::And(parts) = self.node(b).clone() else { return None };
        let (mut split, kept): (Vec<FormulaId>, Vec<FormulaId>) = parts.iter().partition(|p| self.is_suspendable(**p));
        if split.is_empty() {
            return None;
        }
        let kept = self.and(kept);
        split.push(self.until(a, kept));
        Some(self.and(split))
    }
}
