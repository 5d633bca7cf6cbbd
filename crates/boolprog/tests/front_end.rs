//! The parser: damaged programs are refused or read but never make it panic; the dialects read what
//! they read differently; what is found is found where it is.

use selvedge_boolprog::{BuildOptions, build};
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::{Dialect, codes, print};
use selvedge_core::Chance;
use selvedge_source::{Diagnostics, SourceMap};

fn complaints(text: &str, dialect: Option<Dialect>) -> (bool, Vec<&'static str>) {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let options = BuildOptions { dialect, ..BuildOptions::default() };
    let built = build("m.bp", text, &options, &mut sources, &mut found);
    assert_eq!(built.is_none(), found.has_errors(), "{text}");
    (built.is_some(), found.iter().map(|d| d.code).collect())
}

#[test]
fn damaged_programs_never_make_it_panic() {
    let mut chance = Chance::new(1);
    let words = ["begin", "end", "if", "fi", "(", ")", ":=", ";", "*", "goto", "x", "'", "?", "{", "atomic_end", "0"];
    let mut read = 0;
    for seed in 0..1_500 {
        let text = print::program(&generate(seed, &Shape { errors: true, ..Shape::default() }));
        let mut tokens: Vec<&str> = text.split(' ').collect();
        for _ in 0..1 + chance.below(3) {
            let at = chance.below(tokens.len());
            match chance.below(3) {
                0 => drop(tokens.remove(at)),
                1 => tokens.insert(at, words[chance.below(words.len())]),
                _ => tokens[at] = words[chance.below(words.len())],
            }
        }
        read += u32::from(complaints(&tokens.join(" "), None).0);
    }
    assert!(read > 10 && read < 1_400, "{read} of 1500 damaged programs were read");
}

#[test]
fn random_bytes_never_make_it_panic() {
    let mut chance = Chance::new(2);
    for _ in 0..2_000 {
        let length = chance.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| chance.below(256) as u8).collect();
        complaints(&String::from_utf8_lossy(&bytes), None);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("void main()\nbegin\n{}skip;\n{}end\n", open.repeat(n), close.repeat(n))
    };
    for n in [10_000, 1_000] {
        assert_eq!(complaints(&deep("if (*) then\n", "fi\n", n), None).1, [codes::TOO_DEEP]);
        let chain = format!("decl x;\nvoid main()\nbegin\nx := x{};\nend\n", " & x".repeat(n));
        assert_eq!(complaints(&chain, None).1, [codes::TOO_DEEP]);
        let negated = format!("decl x;\nvoid main()\nbegin\nx := {}x;\nend\n", "!".repeat(n));
        assert_eq!(complaints(&negated, None).1, [codes::TOO_DEEP]);
    }
    assert!(complaints(&deep("while (*) do\n", "od\n", 100), None).0);
}

/// The constructs of one dialect decide it; where nothing does, an expression that the dialects read
/// differently is warned of.
#[test]
fn the_dialect_is_found_out_where_something_decides_it() {
    let program = |more: &str| format!("decl a, b, c;\nvoid main()\nbegin\n{more}\nassume(a & b = c);\nend\n");
    let warns = |text: &str| complaints(text, None).1.contains(&codes::PRECEDENCE);
    assert!(warns(&program("skip;")));
    assert!(!warns(&program("dead a;")), "SATABS");
    assert!(!warns(&program("abortif a;")), "SATABS");
    assert!(!warns(&program("1: skip;")), "BoPP");
    assert!(!warns(&program("if (?) then skip; fi")), "Getafix");
    assert!(warns(&program("1: dead a;").replace("a & b = c", "a | b ^ c")) || !warns(&program("1: dead a;")));
    for same in ["a & b & c", "a = b = c", "a & b | c", "(a & b) = c", "!a & b", "a ^ b = c"] {
        assert!(!warns(&program("skip;").replace("a & b = c", same)), "{same}");
    }
    for different in ["a = b & c", "a | b ^ c", "a => b => c", "a != b | c"] {
        assert!(warns(&program("skip;").replace("a & b = c", different)), "{different}");
    }
    assert!(!complaints(&program("skip;"), Some(Dialect::Satabs)).1.contains(&codes::PRECEDENCE));
}

#[test]
fn suspicious_programs_are_warned_of() {
    let shadowed = "decl x;\nvoid main()\nbegin\ndecl x;\nx := T;\nend\n";
    assert_eq!(complaints(shadowed, None), (true, vec![codes::SHADOWED]));
    let no_return = "bool f()\nbegin\nskip;\nend\nvoid main()\nbegin\ndecl x;\nx := f();\nend\n";
    assert_eq!(complaints(no_return, None), (true, vec![codes::NO_RETURN]));
    let dropped = "bool f()\nbegin\nreturn T;\nend\nvoid main()\nbegin\nf();\nend\n";
    assert_eq!(complaints(dropped, None), (true, vec![codes::UNUSED_RESULT]));
}

#[test]
fn every_code_is_named_once() {
    let mut seen = std::collections::BTreeSet::new();
    assert!(codes::ALL.iter().all(|(code, meaning)| seen.insert(*code) && !meaning.is_empty()));
}
