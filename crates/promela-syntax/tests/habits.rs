//! What users of C, of other logics and of other languages write by habit is answered with what Promela has instead:
//! one error, at the habit, whose help names the remedy.

use std::io;
use std::path::Path;

use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};

/// Code, place, and help of each message about a model.
fn messages(text: &str) -> Vec<String> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    parse_text("m.pml", text, &mut no_files, &mut sources, &mut found);
    let place = |d: &selvedge_source::Diagnostic| d.primary.as_ref().map(|l| sources.text(l.span).to_owned());
    found.iter().map(|d| format!("{} at `{}`: {}", d.code, place(d).unwrap_or_default(), d.help.join("; "))).collect()
}

#[test]
fn each_habit_has_one_error_that_names_the_remedy() {
    let body = |statements: &str| format!("byte x, y;\ninit {{ {statements} }}\n");
    let formula = |formula: &str| format!("byte x, y;\ninit {{ x = 1 }}\nltl p {{ {formula} }}\n");
    let loops = "a loop is `do :: condition -> … :: else -> break od`";
    let cases = [
        (
            body("for (int i = 0; i < 3; i++) { x = x + i }"),
            "P0030 at `int`: declare `i` in front of the loop and write `for (i : 0 .. 9) { … }`".to_owned(),
        ),
        (body("for (y = 0; y < 3; y++) { x++ }"), "P0030 at `y`: write `for (y : 0 .. 9) { … }`".to_owned()),
        (body("if :: x == 1 -> x = 2 :: else => x = 3 fi"), "P0030 at `=>`: write `->`".to_owned()),
        (body("assert(x => y)"), "P0030 at `=>`: an implication outside of formulas is written `!a || b`".to_owned()),
        (body("while (x < 3) { x++ }"), format!("P0030 at `while`: {loops}")),
        (body("while :: x < 3 -> x++ od; x = 1"), format!("P0030 at `while`: {loops}")),
        (body("if :: x == 0 and y == 0 -> x = 1 :: else fi"), "P0030 at `and`: write `&&`".to_owned()),
        (body("if :: (x == 0) OR (y == 0) -> x = 1 :: else fi"), "P0030 at `OR`: write `||`".to_owned()),
        (body("assert(x == 0 and y == 0)"), "P0030 at `and`: write `&&`".to_owned()),
        (body("assert(x == 0 &&& y == 0)"), "P0030 at `&&&`: write `&&`".to_owned()),
        (body("if :: x == 0 ||| y == 0 -> x = 1 :: else fi"), "P0030 at `|||`: write `||`".to_owned()),
        (body("if :: not (x == 0) -> skip :: else fi"), "P0030 at `not`: write `!`".to_owned()),
        (formula("G (x < 2)"), "P0030 at `G`: write `[]`".to_owned()),
        (formula("G x < 2"), "P0030 at `G`: write `[]`".to_owned()),
        (formula("! F (x == 2)"), "P0030 at `F`: write `<>`".to_owned()),
        (formula("GF (x == 2)"), "P0030 at `GF`: write `[] <>`".to_owned()),
        (formula("x R y"), "P0030 at `R`: write `V`".to_owned()),
        (formula("[] (x => y)"), "P0030 at `=>`: write `->`".to_owned()),
        (formula("<> (x <=> y)"), "P0030 at `<=>`: write `<->`".to_owned()),
        (formula("<> x & [] y"), "P0047 at `[] y`: write `&&`".to_owned()),
        (body("x = 1 } "), "P0057 at `}`: remove it, or look above for one that closes too early".to_owned()),
        (body("x = (1)); y = 1"), "P0057 at `)`: remove it, or look above for one that closes too early".to_owned()),
        (formula("[] x < 2"), "P0049 at `[] x < 2`: write `[] (x < 2)`".to_owned()),
        (formula("<> x+y == 2"), "P0049 at `<> x+y == 2`: write `<> (x+y == 2)`".to_owned()),
    ];
    for (text, expected) in cases {
        assert_eq!(messages(&text), [expected], "{text}");
    }
}

#[test]
fn the_same_words_may_be_names() {
    let text = "byte G, and, not;\ninit { G = and; not = G; assert(not == 0) }\nltl p { [] (G == and) }\n";
    assert_eq!(messages(text), Vec::<String>::new());
}
