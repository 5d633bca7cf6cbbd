//! What others build on: the GitHub action, the matcher for editors, pipes.

mod support;

use std::fs;
use std::io::Read;
use std::process::Stdio;

use support::{RACE, Scratch, root};

/// Every option that the action and the sample workflow give exists.
#[test]
fn the_action_uses_options_that_exist() {
    let scratch = Scratch::new("action");
    let help = scratch.run(&["check", "--help"]).out;
    let action = fs::read_to_string(root().join("action.yml")).expect("action.yml");
    let used: Vec<&str> = action.split_whitespace().filter(|word| word.starts_with("--")).collect();
    let ours: Vec<&&str> = used.iter().filter(|word| !["--path", "--locked", "--quiet"].contains(word)).collect();
    assert!(ours.len() >= 2, "{used:?}");
    for option in ours {
        let name = option.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        assert!(help.contains(name), "{name} is no option of check");
    }
    let workflow = fs::read_to_string(root().join("docs/github-workflow.yml")).expect("the workflow");
    let inputs = action.split("inputs:").nth(1).and_then(|rest| rest.split("\nruns:").next()).expect("inputs");
    for input in workflow
        .split("with:")
        .nth(1)
        .unwrap_or_default()
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("          "))
    {
        let name = input.trim().split(':').next().unwrap_or_default();
        assert!(inputs.contains(&format!("  {name}:")), "the action has no input {name}");
    }
}

/// The pattern is simple enough to be followed by hand here: path, line, column, severity, code, text.
#[test]
fn the_matcher_fits_short_diagnostics() {
    let matcher: serde_json::Value = serde_json::from_str(
        &fs::read_to_string(root().join("docs/editors/problem-matcher.json")).expect("the matcher"),
    )
    .expect("JSON");
    let pattern = matcher["problemMatcher"][0]["pattern"][0]["regexp"].as_str().expect("a pattern");
    assert_eq!(pattern, r"^(.+):(\d+):(\d+): (error|warning)\[([A-Z]\d{4})\]: (.*)$");
    let scratch = Scratch::new("matcher");
    scratch.write("a.pml", "init { x = 1; (y = 2) }\nbyte unused;\n");
    scratch.write("b.bp", "void main() begin\n  x := 1;\nend\n");
    scratch.write("c.pds", "pds\n");
    for file in ["a.pml", "b.bp", "c.pds"] {
        let ran = scratch.run(&["check", file, "--format", "short"]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        let err = ran.err;
        let lines: Vec<&str> = err.lines().filter(|line| line.contains('[')).collect();
        assert!(!lines.is_empty(), "{err}");
        for line in lines {
            let mut parts = line.splitn(4, ':');
            assert_eq!(parts.next(), Some(file), "{line}");
            assert!(parts.next().is_some_and(|text| text.parse::<u32>().is_ok()), "{line}");
            assert!(parts.next().is_some_and(|text| text.parse::<u32>().is_ok()), "{line}");
            let rest = parts.next().expect("a message").trim_start();
            assert!(rest.starts_with("error[") || rest.starts_with("warning["), "{line}");
        }
    }
}

/// `selvedge … | head -1`: the reader goes away, and that is no matter.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = Scratch::new("pipe");
    scratch.write("race.pml", RACE);
    for args in [&["check", "race.pml"][..], &["explain"], &["reference"], &["completions", "zsh"], &["--help"]] {
        let mut child = scratch.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut first = [0u8; 1];
        let mut out = child.stdout.take().expect("piped");
        out.read_exact(&mut first).expect("it prints something");
        drop(out);
        let output = child.wait_with_output().expect("it ends");
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!err.contains("internal error") && !err.contains("panic"), "{args:?}: {err}");
        assert!(output.status.code().is_some_and(|code| code < 3), "{args:?}: {:?} {err}", output.status);
    }
}
