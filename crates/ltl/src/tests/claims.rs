//! Claims as text and as a tree.

use std::process::Command;

use super::reader::{read, span};
use super::sizes::FORMULAS;
use crate::{print_never_claim, to_claim, translate_negation};
use selvedge_promela_syntax::ast::{BinaryOp, Expr, ExprKind, Ident, Ltl, StmtKind, VarRef};

fn claim_text(formula: &str) -> String {
    print_never_claim(&translate_negation(&read(formula)).expect("a small formula"), "wanted")
}

#[test]
fn invariant() {
    let expected = "never wanted {\nT0_init:\n\tdo\n\t:: (!(p)) -> goto accept_all\n\t:: (p) -> goto T0_init\n\tod;\n\
                    accept_all:\n\tskip\n}\n";
    assert_eq!(claim_text("[]p"), expected);
}

#[test]
fn response() {
    let expected = "never wanted {\nT0_init:\n\tdo\n\t:: (p && !(q)) -> goto accept_S1\n\t:: (1) -> goto T0_init\n\tod;\n\
                    accept_S1:\n\tdo\n\t:: (!(q)) -> goto accept_S1\n\tod;\n}\n";
    assert_eq!(claim_text("[](p -> <>q)"), expected);
}

#[test]
fn valid_property_and_impossible_property() {
    assert_eq!(claim_text("p || !p"), "never wanted {\nT0_init:\n\tfalse;\n}\n");
    assert_eq!(claim_text("p && !p"), "never wanted {\naccept_all:\n\tskip\n}\n");
}

#[test]
fn safety_is_recognised() {
    let safety = |text: &str| translate_negation(&read(text)).unwrap().automaton.is_safety_violation_only();
    for text in ["[]p", "p W q", "p V q", "[](p -> X q)", "[](p -> (q W r))", "[](p -> !(q U r))", "p || !p", "false"] {
        assert!(safety(text), "{text}");
    }
    for text in ["<>p", "p U q", "[]<>p", "[](p -> <>q)", "([]p) && (<>q)"] {
        assert!(!safety(text), "{text}");
    }
}

#[test]
fn comparisons_cancel_and_are_turned_round() {
    let expr = |kind| Expr { kind, span: span() };
    let x = || {
        let name = Ident { name: "x".to_owned(), span: span() };
        Box::new(expr(ExprKind::Var(VarRef { name, index: None, field: None, span: span() })))
    };
    let one = || Box::new(expr(ExprKind::Const(1)));
    let compare = |op| Box::new(Ltl::Atom(expr(ExprKind::Binary(op, x(), one()))));
    let valid = Ltl::Or(compare(BinaryOp::Eq), compare(BinaryOp::Ne));
    assert!(translate_negation(&valid).unwrap().automaton.states[0].edges.is_empty());
    let text = print_never_claim(&translate_negation(&Ltl::Always(compare(BinaryOp::Gt))).unwrap(), "");
    assert!(text.contains(":: ((x <= 1)) -> goto accept_all\n\t:: ((x > 1)) -> goto T0_init"), "{text}");
}

#[test]
fn tree_has_the_shape_of_the_text() {
    let translation = translate_negation(&read("[](p -> (q U r))")).unwrap();
    let claim = to_claim(&translation, None, span());
    let labels: Vec<&str> = claim.body.stmts.iter().map(|s| s.labels[0].name.as_str()).collect();
    assert_eq!(labels, ["T0_init", "accept_S2", "accept_all"]);
    let StmtKind::Do(options) = &claim.body.stmts[0].kind else { panic!("a loop") };
    assert!(matches!(&options[0].stmts[1].kind, StmtKind::Goto(label) if label.name == "accept_all"));
    assert!(matches!(&claim.body.stmts[2].kind, StmtKind::Expr(Expr { kind: ExprKind::Const(1), .. })));
}

/// Spin reads what we print.
#[test]
fn spin_accepts_the_text() {
    let directory = std::env::temp_dir().join(format!("selvedge-ltl-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for Spin");
    for (i, formula) in FORMULAS.iter().chain(&["p || !p", "p && !p", "[](p -> X q)"]).enumerate() {
        let model = format!("bool p, q, r;\nactive proctype P() {{ do :: p = !p od }}\n{}", claim_text(formula));
        std::fs::write(directory.join("model.pml"), &model).expect("a file for Spin");
        let Ok(output) = Command::new("spin").args(["-a", "model.pml"]).current_dir(&directory).output() else {
            println!("spin is not on the path: {i} claims not tried");
            break;
        };
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && !printed.contains("rror"), "{formula}: {printed}\n{model}");
    }
    std::fs::remove_dir_all(&directory).expect("the directory is ours");
}
