//! Diagnostics as people and editors see them, and inputs that must not make the renderer panic.

use selvedge_report::diagnostics::{Style, render, short};
use selvedge_source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

const PLAIN: Style = Style { width: 80, color: false };

fn all(list: impl IntoIterator<Item = Diagnostic>) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    list.into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
    diagnostics
}

#[test]
fn an_error_shows_its_place_its_reason_and_what_to_do() {
    let mut sources = SourceMap::new();
    let main = sources.add("race.pml", "#include \"defs.h\"\nactive proctype P() {\n\tbyte é = 1; count = é\n}\n");
    let defs = sources.add("defs.h", "byte cnt;\n");
    let at = sources.file(main).text.find("count").unwrap();
    let error = Diagnostic::error("P0203", Span::new(main, at, at + 5), "`count` is not declared")
        .label("not found in this scope")
        .also(Span::new(main, 35, 36), "in this process")
        .also(Span::new(defs, 5, 8), "a name much like it")
        .note("Promela declares a variable before its first use")
        .help("declare it: `byte count`");
    let warning = Diagnostic::warning("P0301", Span::new(main, 0, 8), "old spelling");
    let diagnostics = all([error, warning, Diagnostic::error_without_place("P0001", "there is no process")]);
    assert_eq!(
        render(&diagnostics, &sources, PLAIN),
        r#"error[P0203]: `count` is not declared
 --> race.pml:3:14
  |
2 | active proctype P() {
  |                  - in this process
3 |     byte é = 1; count = é
  |                 ^^^^^ not found in this scope
  |
 ::: defs.h:1:6
  |
1 | byte cnt;
  |      --- a name much like it
  |
  = note: Promela declares a variable before its first use
  = help: declare it: `byte count`

warning[P0301]: old spelling
 --> race.pml:1:1
  |
1 | #include "defs.h"
  | ^^^^^^^^

error[P0001]: there is no process
"#
    );
    assert_eq!(
        short(&diagnostics, &sources),
        "race.pml:3:14: error[P0203]: `count` is not declared\n\
         race.pml:1:1: warning[P0301]: old spelling\n\
         race.pml:1:1: error[P0001]: there is no process\n"
    );
}

#[test]
fn colour_is_all_or_nothing() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.pml", "x\x1b[31m = 1\n");
    let diagnostics = all([Diagnostic::error("P0101", Span::new(file, 0, 1), "bad \x1b[31m").label("\x1b")]);
    assert!(render(&diagnostics, &sources, Style { color: true, ..PLAIN }).contains("\x1b["));
    assert!(!render(&diagnostics, &sources, PLAIN).contains('\x1b'));
    assert!(!short(&diagnostics, &sources).contains('\x1b'));
}

#[test]
fn no_span_makes_the_renderer_panic() {
    let texts = [
        "",
        "\n",
        "\n\n\n",
        "x",
        "x = 1\n",
        "\tx\t=\t1\r\n\ty\r\n",
        "größe = \"日本語\" /* 👩‍👩‍👧 */\nx\n",
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl",
    ];
    for text in texts {
        let mut sources = SourceMap::new();
        let file = sources.add("a.pml", text);
        for start in 0..=text.len() + 3 {
            for end in 0..=text.len() + 3 {
                let span = Span { file, start: start as u32, end: end as u32 };
                let diagnostics = all([Diagnostic::error("P0101", span, "m").label("l").also(span, "again")]);
                for color in [false, true] {
                    assert!(render(&diagnostics, &sources, Style { color, width: 80 }).contains("P0101"));
                }
                assert!(short(&diagnostics, &sources).starts_with("a.pml:"), "{text:?} {start}..{end}");
            }
        }
    }
}

#[test]
fn no_diagnostics_print_nothing() {
    let sources = SourceMap::new();
    assert_eq!(render(&Diagnostics::new(), &sources, Style { color: true, ..PLAIN }), "");
    let lonely = all([Diagnostic::error_without_place("P0001", "no file")]);
    assert_eq!(short(&lonely, &sources), "error[P0001]: no file\n");
    assert_eq!(render(&lonely, &sources, PLAIN), "error[P0001]: no file\n");
}

#[test]
fn a_span_over_several_lines_and_one_at_the_end_of_the_file() {
    let mut sources = SourceMap::new();
    let file: FileId = sources.add("a.pml", "init {\n  if\n  :: x\n");
    let text = &sources.file(file).text;
    let open = Diagnostic::error("P0102", Span::new(file, text.len(), text.len()), "the file ends here")
        .also(Span::new(file, 5, text.len()), "this block is not closed");
    assert_eq!(
        render(&all([open.clone()]), &sources, PLAIN),
        "\
error[P0102]: the file ends here
 --> a.pml:3:7
  |
1 |   init {
  |  ______-
2 | |   if
3 | |   :: x
  | |      -^
  | |______|
  |        this block is not closed
"
    );
    assert_eq!(short(&all([open]), &sources), "a.pml:3:7: error[P0102]: the file ends here\n");
}

#[test]
fn long_sentences_and_long_lines_fit() {
    let mut sources = SourceMap::new();
    let line = format!("x = {};\n", "(y + 1) * ".repeat(40));
    let file = sources.add("long.pml", line.repeat(12));
    let start = line.len() * 11;
    let sentence = "a sentence that says a lot and then continues to say some more, as sentences do";
    let diagnostic =
        Diagnostic::error("P0101", Span::new(file, start + 200, start + 201), format!("{sentence}; {sentence}"))
            .note(format!("{sentence}; {sentence}"))
            .help(format!("{sentence}; {sentence}"));
    for width in [50, 80, 120] {
        let drawn = render(&all([diagnostic.clone()]), &sources, Style { width, color: false });
        let widest = drawn.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width, "{widest} columns:\n{drawn}");
        let words: Vec<&str> = drawn.split_whitespace().collect();
        assert_eq!(words.iter().filter(|word| **word == "sentences").count(), 6, "no word is lost:\n{drawn}");
    }
}
