//! `selvedge explain`: the long story of a diagnostic's code, with an example that yields it. The stories are the files in
//! `docs/codes`, which the book has as well; a test runs every example. Kinds of violations are explained by `report`.

use selvedge_core::ViolationKind;
use selvedge_report::rules;

use crate::args::ExplainArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;

/// One file for each family of codes.
const FILES: &[&str] = &[
    include_str!("../../../docs/codes/promela-text.md"),
    include_str!("../../../docs/codes/promela-checks.md"),
    include_str!("../../../docs/codes/boolean-programs.md"),
    include_str!("../../../docs/codes/nets.md"),
    include_str!("../../../docs/codes/configuration.md"),
];

/// A section of these files.
struct Story {
    code: &'static str,
    title: &'static str,
    text: &'static str,
}

/// Every story, in the order of the files. A section starts with `## CODE: title`.
fn stories() -> impl Iterator<Item = Story> {
    FILES.iter().flat_map(|file| file.split("\n## ").skip(1)).filter_map(|section| {
        let (head, text) = section.split_once('\n')?;
        let (code, title) = head.split_once(": ")?;
        Some(Story { code, title, text: text.trim() })
    })
}

/// The title and the story of a code.
pub fn in_short(code: &str) -> Option<(String, String)> {
    let story = stories().find(|story| story.code == code)?;
    Some((story.title.to_owned(), story.text.to_owned()))
}

/// Runs the command.
pub fn run(args: &ExplainArgs, console: &Console) -> Exit {
    if args.codes.is_empty() {
        console.answer(&list());
        return Exit::NoViolation;
    }
    let mut exit = Exit::NoViolation;
    for (index, code) in args.codes.iter().enumerate() {
        match explained(code) {
            Some(text) => console.answer(&format!("{}{text}\n", if index > 0 { "\n" } else { "" })),
            None => {
                complain(&format!("`{code}` is neither the code of a diagnostic nor a kind of violation"));
                advise("`selvedge explain` lists them");
                exit = Exit::Input;
            }
        }
    }
    exit
}

fn explained(code: &str) -> Option<String> {
    if let Some(story) = stories().find(|story| story.code.eq_ignore_ascii_case(code)) {
        return Some(format!("{}: {}\n\n{}", story.code, story.title, story.text));
    }
    let kind = kind(code)?;
    Some(format!("{}: {}\n\n{}", kind.code(), kind.words(), wrapped(rules::help(kind))))
}

fn kind(code: &str) -> Option<ViolationKind> {
    rules::KINDS.iter().copied().find(|kind| kind.code() == code)
}

fn list() -> String {
    let mut text = String::from("violations:\n");
    for kind in rules::KINDS {
        text.push_str(&format!("  {:<18}  {}\n", kind.code(), kind.words()));
    }
    text.push_str("diagnostics:\n");
    for story in stories() {
        text.push_str(&format!("  {:<18}  {}\n", story.code, story.title));
    }
    text
}

/// The text in lines of 80 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let full = lines.last().is_some_and(|line| line.chars().count() + 1 + word.chars().count() > 80);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}
