//! `selvedge ltl` prints a claim that `check` can read.

mod support;

use support::Scratch;

#[test]
fn the_claim_of_a_formula_can_be_checked() {
    let scratch = Scratch::new("ltl");
    let ran = scratch.run(&["ltl", "[] (x < 2)"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("/* !([] (x < 2)) */\nnever {\n"), "{}", ran.out);
    let model =
        |limit: &str| format!("byte x;\nactive proctype p() {{ do :: x < {limit} -> x++ :: else -> break od }}\n");
    for (limit, code) in [("1", 0), ("5", 1)] {
        scratch.write("model.pml", &format!("{}{}", model(limit), ran.out));
        let checked = scratch.run(&["check", "model.pml", "--safety-only"]);
        assert_eq!(checked.code, code, "{}{}", checked.out, checked.err);
    }
    let wrong = scratch.run(&["ltl", "[] (x <", "--format", "short"]);
    assert!(wrong.code == 2 && wrong.err.starts_with("<formula>:1:"), "{}", wrong.err);
}
