//! Text in, tree out; and the messages about what is no Promela.

mod show;

use std::io;
use std::path::Path;

use selvedge_source::{Diagnostics, SourceMap};

use super::{parse_ltl, parse_text};
use crate::ast::{Item, Model};
use crate::codes;

fn parse(text: &str) -> (Option<Model>, Diagnostics, SourceMap) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut loader = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("m.pml", text, &mut loader, &mut sources, &mut diagnostics);
    (model, diagnostics, sources)
}

fn model(text: &str) -> Model {
    let (model, diagnostics, _) = parse(text);
    model.unwrap_or_else(|| panic!("{text}: {diagnostics:#?}"))
}

/// The body of the last process of a model.
fn body_of(text: &str) -> String {
    let model = model(text);
    let body = model.items.iter().rev().find_map(|item| match item {
        Item::Process(p) => Some(show::sequence(&p.body)),
        _ => None,
    });
    body.expect("a process")
}

/// The statements of an `init` with this text.
fn body(text: &str) -> String {
    body_of(&format!("proctype P() {{ L: skip }} init {{ {text} }}"))
}

/// Codes and places of all messages.
fn messages(text: &str) -> Vec<String> {
    let (model, diagnostics, sources) = parse(text);
    assert_eq!(model.is_none(), diagnostics.has_errors());
    diagnostics
        .iter()
        .map(|d| match &d.primary {
            Some(label) => {
                let place = sources.location(label.span);
                format!("{} {}:{}", d.code, place.line, place.column)
            }
            None => d.code.to_string(),
        })
        .collect()
}

#[track_caller]
fn first(text: &str, code: &str, place: &str) {
    let found = messages(text);
    assert_eq!(found.first().map(String::as_str), Some(format!("{code} {place}").as_str()), "{text}: {found:?}");
}

fn formula(text: &str) -> String {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    match parse_ltl(text, &mut sources, &mut diagnostics) {
        Some(formula) => show::ltl(&formula),
        None => diagnostics.iter().map(|d| d.code).collect::<Vec<_>>().join(" "),
    }
}

#[test]
fn precedence_of_operators() {
    assert_eq!(
        body("a || b && c | d ^ e & f == g < h << i + j * -k"),
        "{(Or a (And b (BitOr c (BitXor d (BitAnd e (Eq f (Lt g (Shl h (Add i (Mul j (Negate k)))))))))))}"
    );
    assert_eq!(body("a - b - c; !x == 1; ~a * b"), "{(Sub (Sub a b) c) (Eq (Not x) 1) (Mul (Complement a) b)}");
    assert_eq!(body("x = (a -> b : (c -> 1 : 2))"), "{(= x (? a b (? c 1 2)))}");
}

#[test]
fn primary_expressions() {
    assert_eq!(body("'a' + '\\n' + true + false; skip"), "{(Add (Add (Add 97 10) 1) 0) 1}");
    assert_eq!(body("len(q) > 0 && full(q[1].c); timeout; np_"), "{(And (Gt (Len q) 0) (Full q[1].c)) timeout np_}");
    assert_eq!(
        body("x = run P(1, a) priority 3; enabled(1); pc_value(2); set_priority(0, get_priority(1))"),
        "{(= x (run P 1 a @3)) (enabled 1) (pc_value 2) (set_priority 0 (get_priority 1))}"
    );
    assert_eq!(body("P[1]@L && P@L; P[0]:x.f > P:y[2]"), "{(And P[1]@L P@L) (Gt P[0]:x.f P:y[2])}");
    assert_eq!(body("a.b[1].c = d[e[0]]"), "{(= a.b[1].c d[e[0]])}");
}

#[test]
fn messages_sent_and_received() {
    assert_eq!(body("q!a,b; q!m(a,b); q!!1; q[0].c!x + 1"), "{(! q a b) (! q m a b) (!! q 1) (! q[0].c (Add x 1))}");
    assert_eq!(
        body("q?a,b; q?m(a,_); q??eval(x+1),-1,(3),true"),
        "{(? q a b) (? q m a _) (?? q =(Add x 1) =-1 =3 =1)}"
    );
    assert_eq!(body("q?<a,b>; q??<a>; q?(a,b)"), "{(?<> q a b) (??<> q a) (? q a b)}");
    assert_eq!(body("q?[m(a)] && q??[1] -> skip"), "{(And (poll q m a) (poll? q =1)) 1}");
}

#[test]
fn compound_statements() {
    assert_eq!(body("if :: a -> b :: else fi; do :: break od"), "{(if {a b} {else}) (do {break})}");
    assert_eq!(body("atomic { a; b } d_step { c } { d }"), "{(atomic {a b}) (d_step {c}) {d}}");
    assert_eq!(
        body("for (i : 1 .. N-1) { x++ } for (i in a) { y-- } select (i : 0..9)"),
        "{(for i 1 (Sub N 1) {(++ x)}) (in i a {(-- y)}) (select i 0 9)}"
    );
    assert_eq!(body("a unless { b }; L1: L2: c unless d"), "{(unless a {b}) (unless L1:L2:c d)}");
    assert_eq!(body("L: ; M: if :: N: od_1 fi; goto L; end:"), "{L:1 M:(if {N:od_1}) (goto L) end:1}");
    assert_eq!(
        body("printf(\"a\\t%d\\n\", x); assert x == 1; assert(y); printm(m); xr q, r; xs s"),
        "{(printf \"a\\t%d\\n\" x) (assert (Eq x 1)) (assert y) (printm m) (xr q r) (xs s)}"
    );
}

#[test]
fn line_ends_separate_as_in_spin() {
    assert_eq!(
        body("x = 1\ny = 2\n-3\ngoto L\nprintf(\"a\")\nz++\nskip"),
        "{(= x 1) (= y 2) (Negate 3) (goto L) (printf \"a\" ) (++ z) 1}"
    );
    assert_eq!(body("x = (1\n + 2); y = 1 +\n 2"), "{(= x (Add 1 2)) (= y (Add 1 2))}");
    assert_eq!(
        body("if\n:: x\n\ty\n:: else x\nfi\nq\n!a\n{ b }\nunless { c }"),
        "{(if {x y} {else x}) q (Not a) (unless {b} {c})}"
    );
    assert_eq!(body("for (i : 1 .. 2)\n{ a } b; ; -> c;"), "{(for i 1 2 {a}) b c}");
    first("init { x == 1\n && y }", codes::UNEXPECTED, "2:2");
    first("init { if :: x fi y }", codes::MISSING_SEPARATOR, "1:19");
}

#[test]
fn declarations() {
    let text = "mtype = {a, b c} mtype:s = {d}; typedef T { byte f[2]\n mtype:s g }\nhidden T t[3]; unsigned u : 5 = 3, v : 1\n\
        chan q[2] = [N*2] of {byte, mtype:s, T, chan}; byte x[3] = {1,2,3}, y = 4; local pid p; show bit z";
    let shown: Vec<_> = model(text)
        .items
        .iter()
        .map(|item| match item {
            Item::Mtype(m) => format!("{:?} {}", m.set.as_ref().map(|s| &s.name), m.names.len()),
            Item::Typedef(t) => t.fields.iter().map(show::var).collect(),
            Item::Vars(v) => v.iter().map(show::var).collect(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "None 3",
            "Some(\"s\") 1",
            "<Byte f[2]><Mtype(Some(\"s\")) g>",
            "<hidden Named(\"T\") t[3]>",
            "<Unsigned(5) u=3><Unsigned(1) v>",
            "<Chan q[2]=[(Mul N 2)][Byte, Mtype(Some(\"s\")), Named(\"T\"), Chan]>",
            "<Byte x[3]={1 2 3}><Byte y=4>",
            "<local Pid p>",
            "<show Bit z>",
        ]
    );
    assert_eq!(body("byte x = 1\nint a[2], b; skip"), "{<Byte x=1> <Int a[2]> <Int b> 1}");
}

#[test]
fn processes_and_claims() {
    let m = model(
        "active [2] D_proctype P(byte a, b; chan c) priority 3 provided (x > 0) { skip }; init priority 2 { skip }\
        never n { skip } trace { q!1 } notrace { q?_ } ltl { [] p } ltl f { <> q; } inline g() { skip }",
    );
    let names: Vec<_> = m
        .items
        .iter()
        .map(|item| match item {
            Item::Process(p) => {
                let active = p.active.as_ref().map(|n| n.as_ref().map(show::expr));
                let clauses = (p.priority.as_ref().map(show::expr), p.provided.as_ref().map(show::expr));
                format!("{} {active:?} {} {} {clauses:?}", p.name.name, p.deterministic, p.params.len())
            }
            Item::Never(c) => format!("never {:?}", c.name.as_ref().map(|n| &n.name)),
            Item::Trace(t) => format!("trace {} {}", t.negated, show::sequence(&t.body)),
            Item::Ltl(l) => show::ltl(&l.formula),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        names,
        [
            "P Some(Some(\"2\")) true 3 (Some(\"3\"), Some(\"(Gt x 0)\"))",
            "init None false 0 (Some(\"2\"), None)",
            "never Some(\"n\")",
            "trace false {(! q 1)}",
            "trace true {(? q _)}",
            "([] p)",
            "(<> q)",
        ]
    );
}

#[test]
fn formulas() {
    assert_eq!(formula("[]<>p && ! q -> (x == 1 U y > 2)"), "(-> (&& ([] (<> p)) (! q)) (U (Eq x 1) (Gt y 2)))");
    assert_eq!(formula("a || b && c U d"), "(|| a (&& b (U c d)))");
    assert_eq!(formula("a U b W c V d"), "(V (W (U a b) c) d)");
    assert_eq!(formula("a -> b <-> c"), "(<-> (-> a b) c)");
    assert_eq!(
        formula("always (eventually p implies next q) equivalent (r until s weakuntil t release u)"),
        "(<-> ([] (-> (<> p) (X q))) (V (W (U r s) t) u))"
    );
    assert_eq!(formula("p /\\ <>q \\/ X r"), "(|| (&& p (<> q)) (X r))");
    assert_eq!(formula("[] (a && b || !c)"), "([] (Or (And a b) (Not c)))");
    assert_eq!(formula("<> P[1]@here && P:x == 2 && q?[1]"), "(&& (&& (<> P[1]@here) (Eq P:x 2)) (poll q =1))");
    assert_eq!(formula("[] x == 1"), "([] (Eq x 1))");
    assert_eq!(formula("([] x) + 1"), "P0047");
    assert_eq!(formula("p U"), "P0030");
    assert_eq!(formula("p q"), "P0030");
    assert_eq!(formula("true U !!p"), "(U 1 (! (! p)))");
    let claims = model("#define p (x > 0)\nltl { [] p }\nltl named { <>p }").items.len();
    assert_eq!(claims, 2);
}

#[test]
fn inlines_are_expanded_in_place() {
    let text = "inline set(v, e) { v = e\n L: goto L }\ninline both(a) { set(a.f, a.g + 1) set(y, 2) }\ninit { both(t[1]); skip }";
    assert_eq!(body_of(text), "{(both {(set {(= t[1].f (Add t[1].g 1)) L:(goto L)}) (set {(= y 2) L:(goto L)})}) 1}");
    assert_eq!(body_of("inline f(a) { return a * 2 }\ninit { x = f(3) }"), "{(x=f {(return (Mul 3 2))})}");
    assert_eq!(body_of("inline swap(a, b) { a = b }\ninit { swap(b, a) }"), "{(swap {(= b a)})}");
}

#[test]
fn places_in_inlines() {
    let text = "inline f(a) { x = a + 1 }\ninit { f(y[2]) }";
    let (model, _, sources) = parse(text);
    let model = model.expect("parses");
    let Item::Process(init) = &model.items[0] else { panic!() };
    let crate::ast::StmtKind::InlineCall { body, .. } = &init.body.stmts[0].kind else { panic!() };
    assert_eq!(sources.text(init.body.stmts[0].span), "f(y[2])");
    assert_eq!(sources.text(body.stmts[0].span), "x = a + 1");
    let crate::ast::StmtKind::Assign(_, sum) = &body.stmts[0].kind else { panic!() };
    let crate::ast::ExprKind::Binary(_, left, _) = &sum.kind else { panic!() };
    assert_eq!(sources.text(sum.span), "a + 1");
    assert_eq!(sources.text(left.span), "y[2]");
}

#[test]
fn mistakes_are_placed_and_named() {
    first("init { (x = 1) }", codes::ASSIGNMENT_IN_EXPRESSION, "1:11");
    first("init { x += 1 }", codes::UNEXPECTED, "1:10");
    first("init { if (x) :: y fi }", codes::UNEXPECTED, "1:11");
    first("init { do :: break fi }", codes::UNCLOSED, "1:20");
    first("init { skip", codes::UNCLOSED, "1:6");
    first("init { x = 1 y = 2 }", codes::MISSING_SEPARATOR, "1:14");
    first("init { f(1) }", codes::UNKNOWN_CALL, "1:8");
    first("init { c_code { x = 'ab'; y } ; skip }", codes::EMBEDDED_C, "1:8");
    first("c_decl { int x; }\ninit { skip }", codes::EMBEDDED_C, "1:1");
    first("init { c_expr { 1 } -> skip }", codes::EMBEDDED_C, "1:8");
    first("init { x = 0x10 }", codes::BAD_NUMBER, "1:12");
    first("int x = 99999999999999999999", codes::BAD_NUMBER, "1:9");
    first("int x = 4294967295", codes::NUMBER_WRAPS, "1:9");
    first("int x = 99999999999", codes::BAD_NUMBER, "1:9");
    first("init { 3 = x }", codes::ASSIGNED_CONSTANT, "1:8");
    first("init { x = !!y }", codes::UNEXPECTED, "1:12");
    first("init { x = --y }", codes::UNEXPECTED, "1:12");
    first("init { if :: (x -> y = 1 fi }", codes::UNCLOSED, "1:17");
    assert_eq!(messages("proctype P() { typedef T { byte b }\n skip }\ninit { skip }"), ["P0032 1:16"]);
    assert_eq!(messages("init { /* skip }"), ["P0002 1:8"]);
    assert_eq!(messages("#define f(a) a\ninit { x = f(1, 2) }"), ["P0017 2:12"]);
    first("init { x = 'ab' }", codes::BAD_CHARACTER_CONSTANT, "1:12");
    first("init { printf(\"a) }", codes::UNTERMINATED_STRING, "1:15");
    first("init { x = $ }", codes::STRAY_CHARACTER, "1:12");
    first("init { L: byte x; skip }", codes::LABELLED_DECLARATION, "1:8");
    first("init { of: skip }", codes::RESERVED_WORD, "1:8");
    first("byte if;", codes::RESERVED_WORD, "1:6");
    first("init { mtype = {a} }", codes::MUST_BE_GLOBAL, "1:8");
    first("init { }", codes::EMPTY_SEQUENCE, "1:8");
    first("init { do :: od }", codes::EMPTY_SEQUENCE, "1:14");
    first("proctype P(byte a, byte b) { skip }", codes::PARAMETER_SEPARATOR, "1:20");
    first("proctype P(byte a = 1) { skip }", codes::INITIALISED_PARAMETER, "1:19");
    first("proctype P() provided (x) priority 1 { skip }", codes::CLAUSE_ORDER, "1:27");
    first("unsigned x;", codes::BAD_WIDTH, "1:10");
    first("unsigned x : 32;", codes::BAD_WIDTH, "1:14");
    first("byte x : 3;", codes::BAD_WIDTH, "1:10");
    first("chan q = [1] of { unsigned };", codes::BAD_WIDTH, "1:19");
    first("init { a b; skip }", codes::UNKNOWN_TYPE, "1:8");
    first("inline f(a) { f(a) }\ninit { f(1) }", codes::INLINE_RECURSION, "1:15");
    first("inline f(a) { skip }\ninit { f(1, 2) }", codes::INLINE_ARGUMENTS, "2:8");
    first("inline f() { skip }\ninline f() { skip }", codes::INLINE_REDEFINED, "2:8");
    first("inline f() { return 1 }\ninit { f() }", codes::MISPLACED_RETURN, "1:14");
    first("init { return 1 }", codes::MISPLACED_RETURN, "1:8");
    first("init() { skip }", codes::UNEXPECTED, "1:5");
    first("ltl p { ([] x) == 1 }", codes::TEMPORAL_OPERAND, "1:9");
    assert_eq!(messages("init { !full(q) -> skip }"), ["P0048 1:8"]);
}

#[test]
fn a_mistake_in_a_macro_or_inline_names_both_places() {
    let (_, diagnostics, sources) = parse("#define BAD (x = 1)\ninit {\n  BAD }");
    let found = diagnostics.iter().next().expect("one");
    assert_eq!(sources.location(found.primary.as_ref().expect("placed").span).to_string(), "m.pml:3:3");
    assert_eq!(sources.location(found.secondary[0].span).to_string(), "m.pml:1:16");
    let (_, diagnostics, sources) = parse("inline f(a) { a = }\ninit { f(x); f(y) }");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(sources.location(diagnostics.iter().next().expect("one").secondary[0].span).to_string(), "m.pml:2:8");
}

#[test]
fn several_mistakes_are_found_in_one_run() {
    let text = "init {\n x = ;\n y = 2\n if :: (z = 1) -> skip fi;\n goto 3\n skip }\nproctype P( { skip }\nproctype Q() { od; 4 5 }";
    assert_eq!(messages(text), ["P0030 2:6", "P0034 4:11", "P0030 5:7", "P0030 7:13", "P0030 8:16", "P0031 8:22"]);
    let many = messages(&format!("init {{ {} }}", "x = ;\n".repeat(100)));
    assert_eq!((many.len(), many.last().map(String::as_str)), (21, Some(codes::TOO_MANY_ERRORS)));
}

#[test]
fn depth_is_bounded() {
    let parens = |n: usize| format!("init {{ {}1{} }}", "(".repeat(n), ")".repeat(n));
    let blocks = |n: usize| format!("init {{ {}skip{} }}", "{".repeat(n), "}".repeat(n));
    let loops = |n: usize| format!("init {{ {}skip{} }}", "do :: ".repeat(n), " od".repeat(n));
    let chain = |n: usize| format!("int x = 1{};", " + 1".repeat(n));
    let unary = |n: usize| format!("int x = {}1;", "~".repeat(n));
    let fields = |n: usize| format!("init {{ a{} = 1 }}", ".b".repeat(n));
    let indices = |n: usize| format!("init {{ {}1{} = 1 }}", "a[".repeat(n), "]".repeat(n));
    let mixed = |n: usize| format!("int x = {}1{};", "1 || 1 && 1 + 1 * (".repeat(n), ")".repeat(n));
    let formula = |n: usize| format!("ltl {{ {}p{} }}", "[] (p U ".repeat(n), ")".repeat(n));
    let shapes: [&dyn Fn(usize) -> String; 9] =
        [&parens, &blocks, &loops, &chain, &unary, &fields, &indices, &mixed, &formula];
    for make in shapes {
        assert!(messages(&make(40)).is_empty(), "{}", make(2));
        assert_eq!(messages(&make(20_000)).iter().map(|m| &m[..5]).collect::<Vec<_>>(), [codes::TOO_DEEP]);
    }
    assert!(messages(&chain(900)).is_empty());
}

#[test]
fn inlines_that_double_are_stopped() {
    let mut text = "inline f0() { skip }\n".to_string();
    for i in 1..40 {
        text += &format!("inline f{i}() {{ f{0}(); f{0}() }}\n", i - 1);
    }
    let found = messages(&(text + "init { f39() }"));
    assert_eq!(found.iter().map(|m| &m[..5]).collect::<Vec<_>>(), [codes::INLINE_EXPLOSION]);
}

#[test]
fn misspelt_keywords_are_recognised() {
    for (text, meant) in [
        ("init { asert(true) }", Some("assert")),
        ("init { prinf(\"a\") }", Some("printf")),
        ("init { atmic { skip } }", Some("atomic")),
        ("init { gotto L; L: skip }", Some("goto")),
        ("init { itn x; skip }", Some("int")),
        ("procytpe P() { skip }", Some("proctype")),
        ("activ proctype P() { skip }", Some("active")),
        ("nevr { skip }", Some("never")),
        ("inline work(a) { skip } init { wrok(1) }", Some("work")),
        ("init { insert(1) }", None),
        ("init { point p; skip }", None),
        ("init { x { skip } }", None),
    ] {
        let (_, diagnostics, _) = parse(text);
        let help = diagnostics.iter().next().map(|first| first.help.concat()).unwrap_or_default();
        match meant {
            Some(word) => assert_eq!(help, format!("did you mean `{word}`?"), "{text}"),
            None => assert!(!help.contains("did you mean"), "{text}: {help}"),
        }
        assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:?}");
    }
}
