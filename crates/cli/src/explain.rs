//! `selvedge explain`: the explanation of a diagnostic's code, with an example that yields it. The explanations are the files in
//! `docs/codes`, which the book has as well; a test runs every example. Kinds of violations are explained by `report`.

use selvedge_report::rules;
use selvedge_verify::{Refusal, ViolationKind};

use crate::args::ExplainArgs;
use crate::console::Console;
use crate::exit::Exit;

/// One file for each family of codes.
const FILES: &[&str] = &[
    include_str!("../../../docs/codes/promela-text.md"),
    include_str!("../../../docs/codes/promela-checks.md"),
    include_str!("../../../docs/codes/boolean-programs.md"),
    include_str!("../../../docs/codes/nets.md"),
    include_str!("../../../docs/codes/proofs.md"),
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
pub fn run(args: &ExplainArgs, console: &mut Console) -> Result<Exit, Refusal> {
    if args.codes.is_empty() {
        let text = list(console);
        console.answer(&text);
        return Ok(Exit::NoViolation);
    }
    let mut exit = Exit::NoViolation;
    for (index, code) in args.codes.iter().enumerate() {
        match explained(code) {
            Some(text) => {
                let text = format!("{}{}", if index > 0 { "\n" } else { "" }, fitting(&text, console));
                console.answer(&text);
            }
            None => {
                console.error(&format!("`{code}` is neither a diagnostic code nor a kind of violation"));
                console.help("`selvedge explain` lists them");
                exit = Exit::Input;
            }
        }
    }
    Ok(exit)
}

fn explained(code: &str) -> Option<String> {
    if let Some(story) = stories().find(|story| story.code.eq_ignore_ascii_case(code)) {
        return Some(format!("{}: {}\n\n{}", story.code, story.title, story.text));
    }
    let kind = kind(code)?;
    Some(format!("{}: {}\n\n{}", kind.code(), kind.words(), rules::help(kind)))
}

fn kind(code: &str) -> Option<ViolationKind> {
    rules::KINDS.iter().copied().find(|kind| kind.code() == code)
}

/// Columns before the titles in the list.
const TITLES: usize = 22;

fn list(console: &Console) -> String {
    let mut text = String::from("violations:\n");
    let row = |text: &mut String, code: &str, title: &str| {
        text.push_str(&format!("  {code:<18}  {}\n", console.filled(title, TITLES)));
    };
    rules::KINDS.iter().for_each(|kind| row(&mut text, kind.code(), kind.words()));
    text.push_str("diagnostics:\n");
    stories().for_each(|story| row(&mut text, story.code, story.title));
    text
}

/// A story in lines that fit. Paragraphs and items of lists are broken anew, examples stay as they are.
fn fitting(markdown: &str, console: &Console) -> String {
    let (mut out, mut paragraph, mut example) = (String::new(), String::new(), false);
    let close = |paragraph: &mut String, out: &mut String| {
        if !paragraph.is_empty() {
            let item = if paragraph.starts_with("- ") { 2 } else { 0 };
            let (mark, words) = paragraph.split_at(item);
            out.push_str(&format!("{mark}{}\n", console.filled(words, item)));
            paragraph.clear();
        }
    };
    for line in markdown.lines() {
        let fence = line.starts_with("```");
        if fence || example || line.is_empty() || line.starts_with("- ") {
            close(&mut paragraph, &mut out);
        }
        if fence || example || line.is_empty() {
            out.push_str(&format!("{line}\n"));
            example ^= fence;
        } else {
            let blank = if paragraph.is_empty() { "" } else { " " };
            paragraph.push_str(&format!("{blank}{}", line.trim()));
        }
    }
    close(&mut paragraph, &mut out);
    out
}
