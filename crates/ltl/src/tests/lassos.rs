//! Random formulas, random words `u v v v …`: the automaton of `!f` accepts the word iff `f` is
//! false on it. The evaluation follows the definition of the logic; nothing is shared with the
//! translation.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRng, TestRunner};

use super::reader::{atom, constant, read};
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

fn any_formula() -> impl Strategy<Value = Ltl> {
    let leaf = prop_oneof![
        12 => prop::sample::select(&ATOMS[..]).prop_map(atom),
        1 => any::<bool>().prop_map(constant),
    ];
    leaf.prop_recursive(5, 9, 2, |inner| {
        let one = || inner.clone().prop_map(Box::new);
        let two = || (one(), one());
        prop_oneof![
            1 => one().prop_map(Ltl::Not),
            1 => one().prop_map(Ltl::Next),
            2 => one().prop_map(Ltl::Always),
            2 => one().prop_map(Ltl::Eventually),
            1 => two().prop_map(|(a, b)| Ltl::And(a, b)),
            1 => two().prop_map(|(a, b)| Ltl::Or(a, b)),
            1 => two().prop_map(|(a, b)| Ltl::Implies(a, b)),
            1 => two().prop_map(|(a, b)| Ltl::Iff(a, b)),
            2 => two().prop_map(|(a, b)| Ltl::Until(a, b)),
            1 => two().prop_map(|(a, b)| Ltl::WeakUntil(a, b)),
            1 => two().prop_map(|(a, b)| Ltl::Release(a, b)),
        ]
    })
}

fn any_lasso() -> impl Strategy<Value = Lasso> {
    let letters = |most: usize| prop::collection::vec(0u8..8, 0..=most);
    (letters(4), letters(3), 0u8..8).prop_map(|(stem, mut cycle, last)| {
        cycle.push(last);
        Lasso { back: stem.len(), letters: [stem, cycle].concat() }
    })
}

fn runner(cases: u32, seed: u64) -> TestRunner {
    let config = Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn check(f: &Ltl, words: &[Lasso]) -> Result<(), TestCaseError> {
    let negative = translate_negation(f).expect("a small formula");
    let positive = translate(f).expect("a small formula");
    for word in words {
        let expected = holds(f, word)[0];
        prop_assert_eq!(accepts(&positive, word), expected, "the automaton of f on {:?}", word);
        prop_assert_eq!(accepts(&negative, word), !expected, "the automaton of !f on {:?}", word);
        if negative.automaton.is_safety_violation_only() {
            prop_assert_eq!(reaches_accept_all(&negative, word), !expected, "a bad prefix of {:?}", word);
        }
    }
    Ok(())
}

fn reaches_accept_all(translation: &Translation, word: &Lasso) -> bool {
    let automaton: &Automaton = &translation.automaton;
    reach(translation, word, vec![(automaton.initial, 0)]).iter().any(|(state, _)| automaton.is_accept_all(*state))
}

#[test]
fn random_formulas_agree_with_the_definition() {
    let strategy = (any_formula(), prop::collection::vec(any_lasso(), 40));
    runner(4_000, 1).run(&strategy, |(f, words)| check(&f, &words)).unwrap();
}

/// With many fairness conditions, which take a way of their own.
#[test]
fn fairness_agrees_with_the_definition() {
    let strategy = (any_formula(), prop::collection::vec(any_lasso(), 40));
    let fair = "([]<>p) && ([]<>!p) && ([]<>q) && ([]<>!r)";
    runner(500, 2)
        .run(&strategy, |(f, words)| {
            check(&Ltl::And(Box::new(read(fair)), Box::new(f.clone())), &words)?;
            check(&Ltl::Implies(Box::new(read(fair)), Box::new(f)), &words)
        })
        .unwrap();
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
        check(&read(text), &words).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}
