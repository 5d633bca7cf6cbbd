//! How large the automata are: never more states than those of `spin -f`. Edges are shown but not
//! compared: ours have conjunctions as guards, and are cut so as to choose less often.

use std::process::Command;

use super::reader::{read, spin_text};
use crate::translate_negation;
use selvedge_promela_syntax::ast::Ltl;

/// Properties of every usual pattern; `!(…)` of each is translated.
pub(super) const FORMULAS: &[&str] = &[
    "[]p",
    "<>p",
    "p U q",
    "p W q",
    "p V q",
    "[]<>p",
    "<>[]p",
    "[](p -> <>q)",
    "[](p -> (q U r))",
    "[](p -> (q W r))",
    "([]<>p) -> ([]<>q)",
    "(([]<>p) && ([]<>q)) -> ([]<>r)",
    "([]<>p) -> ([](q -> <>r))",
    "([]<>p) && ([]<>q)",
    "([]<>p) || (<>[]q)",
    "!(p U (q U r))",
    "p U (q U r)",
    "(p U q) U r",
    "!((p U q) U r)",
    "[](p U q)",
    "!([](p U q))",
    "<>(p && <>q)",
    "!(<>(p && <>q))",
    "<>(p && <>(q && <>r))",
    "[](p -> [](q -> <>r))",
    "[]((p && !q) -> (!r W q))",
    "[](p -> !(q U r))",
    "(<>p) -> ((!q) U p)",
    "(<>p) -> ((!q) U (r && !p))",
    "[]((p && (!q) && <>q) -> (r U q))",
    "[]((p && <>q) -> ((!r) U q))",
    "[](p -> (([]q) || <>r))",
    "([]p) || ([]q)",
    "(<>p) && (<>q)",
    "!((<>p) && (<>q))",
    "((<>p) && (<>q)) && (<>r)",
    "(<>[]p) -> (([]<>q) && (<>r))",
    "<>([]p || []q)",
    "[](<>p -> <>q)",
    "!([](p -> <>q))",
    "!(([]<>p) -> ([]<>q))",
    "!([](p -> (q U r)))",
    "p <-> (q U r)",
    "([]p) <-> (<>q)",
    "([]<>p) <-> ([]<>q)",
];

/// States and edges of the claim that Spin writes; `None` when it cannot be run.
fn spin_size(formula: &Ltl) -> Option<(usize, usize)> {
    let output = Command::new("spin").arg("-f").arg(format!("!({})", spin_text(formula))).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let edges = text.lines().filter(|l| l.trim_start().starts_with(":: ")).count();
    let loops = text.lines().filter(|l| l.trim() == "do" || l.trim() == "if").count();
    let accept_all = usize::from(text.contains("accept_all:"));
    (loops > 0).then_some((loops + accept_all, edges + accept_all))
}

#[test]
fn not_more_states_than_spin() {
    let mut larger = Vec::new();
    println!("{:40} {:>14} {:>14}", "property", "ours", "spin");
    for formula in FORMULAS {
        let automaton = translate_negation(&read(formula)).expect("a small formula").automaton;
        let ours = (automaton.states.len(), automaton.states.iter().map(|s| s.edges.len()).sum::<usize>());
        let Some(spin) = spin_size(&read(formula)) else {
            println!("spin is not on the path: sizes not compared");
            return;
        };
        println!("{formula:40} {:>14} {:>14}", format!("{} / {}", ours.0, ours.1), format!("{} / {}", spin.0, spin.1));
        if ours.0 > spin.0 {
            larger.push(formula);
        }
    }
    assert!(larger.is_empty(), "larger than Spin's: {larger:?}");
}

/// The translation may give up on what is large, but it comes back; fairness is never large.
#[test]
fn large_formulas_end() {
    let names: Vec<String> = ('a'..='t').map(String::from).collect();
    let each = |f: &dyn Fn(&String) -> String, glue: &str| names.iter().map(f).collect::<Vec<_>>().join(glue);
    let states = |text: &str| translate_negation(&read(text)).map(|t| t.automaton.states.len());
    assert_eq!(states(&each(&|n| format!("([](z -> <>{n}))"), " && ")), Ok(21));
    assert_eq!(states(&format!("!({})", each(&|n| format!("([]<>{n})"), " && "))), Ok(21));
    let fair = each(&|n| format!("([]<>{n})"), " && ");
    assert_eq!(states(&format!("({fair}) -> [](y -> <>z)")), Ok(22));
    let goals = format!("!({})", each(&|n| format!("(<>{n})"), " && "));
    for large in [names.join(" U "), goals, each(&|n| format!("(<>{n})"), " <-> ")] {
        assert!(states(&large).is_err(), "{large}");
    }
}
