//! Text in, the expanded text out.

use std::io;
use std::path::Path;

use selvedge_source::{Diagnostics, SourceMap};

use super::{Definition, Preprocessed, Setup, preprocess};
use crate::lex::Token;

fn run(text: &str) -> (Vec<Token>, Diagnostics, SourceMap) {
    run_with(text, &Setup::default())
}

fn run_with(text: &str, setup: &Setup) -> (Vec<Token>, Diagnostics, SourceMap) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut loader = |path: &Path| match path.to_str() {
        Some("dir/a.h") => Ok("#include \"b.h\"\nA\n".to_string()),
        Some("dir/b.h") => Ok("#ifndef B\n#define B\n#define A from_b\n#endif B\n".to_string()),
        Some("one/c.h") => Ok("#include \"d.h\"\n".to_string()),
        Some("one/d.h") => Ok("from_one\n".to_string()),
        Some("two/d.h" | "two/b.h") => Ok("from_two\n".to_string()),
        Some("dir/self.h") => Ok("#include \"self.h\"\n#include \"self.h\"\n".to_string()),
        _ => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    let Preprocessed { tokens, .. } =
        preprocess("dir/model.pml", text, setup, &mut loader, &mut sources, &mut diagnostics);
    (tokens, diagnostics, sources)
}

fn expanded(text: &str) -> String {
    expanded_with(text, &[], &[])
}

/// With definitions as they are typed, and directories for included files.
fn expanded_with(text: &str, definitions: &[&str], directories: &[&str]) -> String {
    let definitions = definitions.iter().map(|word| Definition::parse(word).expect("-D or -U")).collect();
    let setup = Setup { definitions, directories: directories.iter().map(Into::into).collect() };
    let (tokens, diagnostics, _) = run_with(text, &setup);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let texts: Vec<_> = tokens.iter().map(Token::text).filter(|t| !t.is_empty()).collect();
    texts.join(" ")
}

fn codes(text: &str) -> Vec<&'static str> {
    run(text).1.iter().map(|d| d.code).collect()
}

#[test]
fn macros_without_parameters() {
    assert_eq!(expanded("#define N 3\n#define M (N+1)\nx = M; y = N"), "x = ( 3 + 1 ) ; y = 3");
    assert_eq!(expanded("#define N 1\nN\n#undef N\nN\n#define N 2\nN"), "1 N 2");
    assert_eq!(expanded("#define LONG a \\\n b\nLONG"), "a b");
}

#[test]
fn a_macro_is_not_expanded_inside_itself() {
    assert_eq!(expanded("#define a b\n#define b a\na b"), "a b");
    assert_eq!(expanded("#define f(x) f(x+1)\nf(f(2))"), "f ( f ( 2 + 1 ) + 1 )");
}

#[test]
fn macros_with_parameters() {
    assert_eq!(expanded("#define max(a,b) ((a)>(b) -> (a) : (b))\nmax(f(1,2), 3)").matches("f ( 1 , 2 )").count(), 2);
    assert_eq!(expanded("#define f (x)\n#define g(x) x\nf g (1) g"), "( x ) 1 g");
    assert_eq!(expanded("#define nothing() 1\nnothing() nothing( )"), "1 1");
    assert_eq!(expanded("#define f(x) <x>\n#define g f\ng(\n1\n)"), "< 1 >");
    assert_eq!(expanded("#define p(f, ...) printf(f, __VA_ARGS__)\np(\"%d\", 1, 2)"), "printf ( \"%d\" , 1 , 2 )");
}

#[test]
fn paste_and_stringify() {
    assert_eq!(expanded("#define cat(a,b) a##b\n#define N 1\ncat(N,2) cat(x, y) cat(,z)"), "N2 xy z");
    assert_eq!(expanded("#define s(a) #a\ns(x + \"q\")"), "\"x + \\\"q\\\"\"");
}

#[test]
fn conditions() {
    assert_eq!(expanded("#define N 2\n#if N > 1 && defined(N) && !defined M\na\n#elif 1\nb\n#else\nc\n#endif"), "a");
    assert_eq!(expanded("#if 0\n#if 1\na\n#endif\n#elif UNKNOWN\nb\n#else x\nc\n#endif x"), "c");
    assert_eq!(expanded("#ifdef X\n don't \"open\n#error no\n#else\na\n#endif"), "a");
    assert_eq!(expanded("#if (1 ? 0x10 : 2) == 16\na\n#endif"), "a");
}

#[test]
fn includes_are_relative_to_the_including_file() {
    assert_eq!(expanded("#include \"a.h\" trailing\n#include \"b.h\"\nA"), "from_b from_b");
}

#[test]
fn other_directives() {
    assert_eq!(expanded("#pragma x\n#line 3\n# 12 \"file\"\n#\n__LINE__"), "5");
    assert_eq!(codes("#warning soon\n#error don't\n#nonsense"), ["P0016", "P0015", "P0011"]);
}

#[test]
fn mistakes() {
    assert_eq!(codes("#if 1"), ["P0014"]);
    assert_eq!(codes("#endif"), ["P0014"]);
    assert_eq!(codes("#if 1 +\n#endif"), ["P0020"]);
    assert_eq!(codes("#if 1/0\n#endif"), ["P0020"]);
    assert_eq!(codes("#include \"none.h\""), ["P0012"]);
    assert_eq!(codes("#include \"self.h\""), ["P0013"]);
    assert_eq!(codes("#define f(a) a\nf(1,2)"), ["P0017"]);
    assert_eq!(codes("#define f(a) a\nf(1"), ["P0017"]);
    assert_eq!(codes("#define f(1) a"), ["P0010"]);
    assert_eq!(codes("#define a 1\n#define a 2"), ["P0018"]);
    assert_eq!(codes("#define c(a,b) a##b\nc(+,/)"), ["P0021"]);
    assert_eq!(codes("x /* y"), ["P0002"]);
}

#[test]
fn explosion_is_stopped() {
    let mut text = "#define m0 x\n".to_string();
    for i in 1..40 {
        text += &format!("#define m{i} m{0} m{0}\n", i - 1);
    }
    assert_eq!(codes(&(text + "m39")), ["P0019"]);
    let nested = format!("#define f(x) x x\n{}1{}", "f(".repeat(90), ")".repeat(90));
    assert_eq!(codes(&nested), ["P0019"]);
}

#[test]
fn places_of_expanded_tokens() {
    let (tokens, _, sources) = run("#define twice(v) v + v\n x = twice(y);\n");
    let place = |i: usize| sources.location(tokens[i].span).to_string();
    // x = y + y ;
    assert_eq!([place(2), place(3), place(4)], ["dir/model.pml:2:12", "dir/model.pml:2:6", "dir/model.pml:2:12"]);
    assert_eq!(sources.text(tokens[3].expanded_from.expect("from a macro")), "+");
}

#[test]
fn line_ends_are_those_of_the_expanded_text() {
    let (tokens, ..) = run("#define empty\n#define two(a) a b\nx\nempty two(\n1) y");
    let newlines: Vec<_> = tokens.iter().map(|t| t.newline_before).collect();
    // x | 1 b y | end
    assert_eq!(newlines, [true, true, false, false, true]);
}

#[test]
fn definitions_from_outside_hold_from_the_first_line() {
    assert_eq!(expanded_with("N M", &["-DN", "-DM=2+1"], &[]), "1 2 + 1");
    assert_eq!(expanded_with("N", &["-DN=3", "-UN"], &[]), "N");
    assert_eq!(expanded_with("N", &["-UN", "-DN=3"], &[]), "3");
    assert_eq!(expanded_with("F(4) E", &["-DF(x)=(x+1)", "-DE="], &[]), "( 4 + 1 )");
    assert_eq!(expanded_with("#ifdef N\nyes\n#else\nno\n#endif", &["-DN=0"], &[]), "yes");
    let setup = Setup { definitions: vec![Definition::Define("N=1".into())], ..Setup::default() };
    let (_, found, sources) = run_with("#define N 2\nN", &setup);
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [crate::codes::MACRO_REDEFINED]);
    assert_eq!(sources.files().next().expect("a file").1.path, "dir/model.pml");
    let setup = Setup { definitions: vec![Definition::Define("1=2".into())], ..Setup::default() };
    let (_, found, sources) = run_with("skip", &setup);
    let place = found.iter().next().and_then(|d| d.primary.as_ref()).expect("an error").span;
    assert_eq!(sources.location(place).to_string(), "<command-line>:1:9");
}

#[test]
fn included_files_are_searched_as_cpp_does() {
    let both = &["one", "two"];
    assert_eq!(expanded_with("#include \"d.h\"", &[], both), "from_one");
    assert_eq!(expanded_with("#include \"d.h\"", &[], &["two", "one"]), "from_two");
    // The directory of the including file comes first, of a nested one too.
    assert_eq!(expanded_with("#include \"b.h\"\nA", &[], both), "from_b");
    assert_eq!(expanded_with("#include <b.h>\nA", &[], both), "from_two A");
    assert_eq!(expanded_with("#include <c.h>", &[], &["two", "one"]), "from_one");
    assert_eq!(codes("#include <b.h>"), [crate::codes::BAD_INCLUDE]);
}
