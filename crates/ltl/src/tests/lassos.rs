//! Random formulas, random words `u v v v …`: the automaton of `!f` accepts the word iff `f` is
//! false on it. The evaluation follows the definition of the logic; nothing is shared with the
//! translation.

use selvedge_core::Chance;

use super::reader::{atom, constant, read, spin_text};
use crate::expr_text::expr_text;
use crate::{Automaton, Translation, translate, translate_negation};
use selvedge_promela_syntax::ast::{ExprKind, Ltl};

const ATOMS: [&str; 3] = ["p", "q", "r"];

/// Letters are sets of atoms; after the last letter the word continues at `back`.
#[derive(Clone, Debug)]
struct Lasso {
    letters: Vec<u8>,
    back: usize,
}

impl Lasso {
    fn after(&self, position: usize) -> usize {
        if position + 1 < self.letters.len() { position + 1 } else { self.back }
    }

    fn has(&self, position: usize, name: &str) -> bool {
        let atom = ATOMS.iter().position(|a| *a == name).expect("one of the atoms");
        self.letters[position] >> atom & 1 == 1
    }
}

/// Where on the word `f` holds.
fn holds(f: &Ltl, word: &Lasso) -> Vec<bool> {
    let n = word.letters.len();
    let each = |value: &dyn Fn(usize) -> bool| (0..n).map(value).collect::<Vec<bool>>();
    let two = |a: &Ltl, b: &Ltl| (holds(a, word), holds(b, word));
    match f {
        Ltl::Atom(expr) => each(&|i| match &expr.kind {
            ExprKind::Const(value) => *value != 0,
            _ => word.has(i, &expr_text(expr)),
        }),
        Ltl::Not(a) => holds(a, word).iter().map(|v| !v).collect(),
        Ltl::Next(a) => {
            let a = holds(a, word);
            each(&|i| a[word.after(i)])
        }
        Ltl::Always(a) => {
            let a = holds(a, word);
            fixpoint(true, word, |i, next| a[i] && next)
        }
        Ltl::Eventually(a) => {
            let a = holds(a, word);
            fixpoint(false, word, |i, next| a[i] || next)
        }
        Ltl::And(a, b) => {
            let (a, b) = two(a, b);
            each(&|i| a[i] && b[i])
        }
        Ltl::Or(a, b) => {
            let (a, b) = two(a, b);
            each(&|i| a[i] || b[i])
        }
        Ltl::Implies(a, b) => {
            let (a, b) = two(a, b);
            each(&|i| !a[i] || b[i])
        }
        Ltl::Iff(a, b) => {
            let (a, b) = two(a, b);
            each(&|i| a[i] == b[i])
        }
        Ltl::Until(a, b) => {
            let (a, b) = two(a, b);
            fixpoint(false, word, |i, next| b[i] || a[i] && next)
        }
        Ltl::WeakUntil(a, b) => {
            let (a, b) = two(a, b);
            fixpoint(true, word, |i, next| b[i] || a[i] && next)
        }
        Ltl::Release(a, b) => {
            let (a, b) = two(a, b);
            fixpoint(true, word, |i, next| b[i] && (a[i] || next))
        }
    }
}

/// The least (from `false`) or greatest (from `true`) solution of `x[i] = step(i, x[after i])`.
fn fixpoint(start: bool, word: &Lasso, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut x = vec![start; word.letters.len()];
    loop {
        let next: Vec<bool> = (0..x.len()).map(|i| step(i, x[word.after(i)])).collect();
        if next == x {
            return x;
        }
        x = next;
    }
}

/// Whether the automaton accepts the word: some reachable pair of an accepting state and a
/// position reaches itself.
fn accepts(translation: &Translation, word: &Lasso) -> bool {
    let start = (translation.automaton.initial, 0);
    let all = reach(translation, word, vec![start]);
    all.into_iter().filter(|(state, _)| translation.automaton.states[*state].accepting).any(|pair| {
        let next = successors(translation, word, pair);
        reach(translation, word, next).contains(&pair)
    })
}

fn reach(translation: &Translation, word: &Lasso, start: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open = start;
    while let Some(pair) = open.pop() {
        if !found.contains(&pair) {
            found.push(pair);
            open.extend(successors(translation, word, pair));
        }
    }
    found
}

fn successors(translation: &Translation, word: &Lasso, (state, position): (usize, usize)) -> Vec<(usize, usize)> {
    let atoms: Vec<bool> = translation.atoms.iter().map(|a| word.has(position, &expr_text(a))).collect();
    let edges = translation.automaton.states[state].edges.iter();
    let enabled = edges.filter(|e| e.guard.iter().all(|l| atoms[l.atom.0 as usize] == l.positive));
    enabled.map(|e| (e.target, word.after(position))).collect()
}

/// A formula with `size` operators and atoms.
fn any_formula(chance: &mut Chance, size: usize) -> Ltl {
    if size < 2 {
        return if chance.once_in(13) { constant(chance.once_in(2)) } else { atom(ATOMS[chance.below(ATOMS.len())]) };
    }
    let kind = chance.below(14);
    if size == 2 || kind < 6 {
        let inner = Box::new(any_formula(chance, size - 1));
        return match kind % 6 {
            0 => Ltl::Not(inner),
            1 => Ltl::Next(inner),
            2 | 3 => Ltl::Always(inner),
            _ => Ltl::Eventually(inner),
        };
    }
    let left = 1 + chance.below(size - 2);
    let (a, b) = (Box::new(any_formula(chance, left)), Box::new(any_formula(chance, size - 1 - left)));
    match kind {
        6 => Ltl::And(a, b),
        7 => Ltl::Or(a, b),
        8 => Ltl::Implies(a, b),
        9 => Ltl::Iff(a, b),
        10 => Ltl::WeakUntil(a, b),
        11 => Ltl::Release(a, b),
        _ => Ltl::Until(a, b),
    }
}

fn any_lasso(chance: &mut Chance) -> Lasso {
    let (stem, cycle) = (chance.below(5), 1 + chance.below(4));
    Lasso { letters: (0..stem + cycle).map(|_| chance.below(8) as u8).collect(), back: stem }
}

fn any_lassos(chance: &mut Chance) -> Vec<Lasso> {
    (0..40).map(|_| any_lasso(chance)).collect()
}

/// The largest random formula.
const LARGEST: usize = 9;

fn check(f: &Ltl, words: &[Lasso]) {
    let negative = translate_negation(f).expect("a small formula");
    let positive = translate(f).expect("a small formula");
    for word in words {
        let expected = holds(f, word)[0];
        assert_eq!(accepts(&positive, word), expected, "the automaton of {} on {word:?}", spin_text(f));
        assert_eq!(accepts(&negative, word), !expected, "the automaton of !({}) on {word:?}", spin_text(f));
        if negative.automaton.is_safety_violation_only() {
            assert_eq!(reaches_accept_all(&negative, word), !expected, "a bad prefix of {word:?}: {}", spin_text(f));
        }
    }
}

fn reaches_accept_all(translation: &Translation, word: &Lasso) -> bool {
    let automaton: &Automaton = &translation.automaton;
    reach(translation, word, vec![(automaton.initial, 0)]).iter().any(|(state, _)| automaton.is_accept_all(*state))
}

#[test]
fn random_formulas_agree_with_the_definition() {
    let mut chance = Chance::new(1);
    for _ in 0..4_000 {
        let size = 1 + chance.below(LARGEST);
        let f = any_formula(&mut chance, size);
        check(&f, &any_lassos(&mut chance));
    }
}

/// With many fairness conditions, which take a way of their own.
#[test]
fn fairness_agrees_with_the_definition() {
    let mut chance = Chance::new(2);
    let fair = || Box::new(read("([]<>p) && ([]<>!p) && ([]<>q) && ([]<>!r)"));
    for _ in 0..500 {
        let size = 1 + chance.below(LARGEST);
        let f = Box::new(any_formula(&mut chance, size));
        let words = any_lassos(&mut chance);
        check(&Ltl::And(fair(), f.clone()), &words);
        check(&Ltl::Implies(fair(), f), &words);
    }
}

/// Words of up to four letters over two atoms, all of them.
#[test]
fn usual_formulas_agree_on_all_short_words() {
    let mut words = Vec::new();
    for (stem, cycle) in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 2), (1, 3)] {
        for code in 0..4usize.pow((stem + cycle) as u32) {
            let letters = (0..stem + cycle).map(|i| (code >> (2 * i) & 3) as u8).collect();
            words.push(Lasso { letters, back: stem });
        }
    }
    for text in super::sizes::FORMULAS.iter().chain(&["X p", "[](p -> X q)", "(X p) U q", "[](p <-> X X q)"]) {
        check(&read(text), &words);
    }
}
