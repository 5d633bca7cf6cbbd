//! Every command in the book and in the README is executed, and what it prints is compared with what stands there. A block
//! looks like this, and commands of one page run in one directory, with the models of the book in it:
//!
//! ````text
//! ```console,exit-1
//! $ selvedge check counter.pml
//! violated: …
//! ```
//! ````
//!
//! A line `...` stands for any lines, `[..]` for any text in a line. `SELVEDGE_UPDATE_BOOK=1 cargo test -p selvedge-cli --test book`
//! writes what is printed now.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Scratch, root};

/// A fenced block: where its lines are in the page, and the exit code of its last command.
struct Block {
    lines: std::ops::Range<usize>,
    exit: i32,
}

/// A command of a block with what is printed below it.
struct Entry {
    command: String,
    expected: Vec<String>,
}

fn pages() -> Vec<PathBuf> {
    fn below(directory: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                below(&path, out);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                out.push(path);
            }
        }
    }
    let mut pages = vec![root().join("README.md")];
    below(&root().join("docs/book/src"), &mut pages);
    pages.sort();
    pages
}

fn blocks(lines: &[String]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut start: Option<(usize, i32)> = None;
    for (index, line) in lines.iter().enumerate() {
        match (&start, line.strip_prefix("```")) {
            (None, Some(info)) if info == "console" || info.starts_with("console,") => {
                let exit = info.split(',').find_map(|word| word.strip_prefix("exit-")?.parse().ok());
                start = Some((index + 1, exit.unwrap_or(0)));
            }
            (Some((first, exit)), Some("")) => {
                blocks.push(Block { lines: *first..index, exit: *exit });
                start = None;
            }
            _ => {}
        }
    }
    blocks
}

fn entries(lines: &[String]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), entries.last_mut()) {
            (Some(command), _) => entries.push(Entry { command: command.to_owned(), expected: Vec::new() }),
            (None, Some(entry)) => entry.expected.push(line.clone()),
            (None, None) => panic!("a block starts with a command: {line}"),
        }
    }
    entries
}

/// What a command prints, both streams, and its exit code.
fn run(scratch: &Scratch, command: &str) -> (Vec<String>, i32) {
    let binary = Path::new(env!("CARGO_BIN_EXE_selvedge")).parent().expect("a directory").display().to_string();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(scratch.path("")).env("PATH", path);
    for variable in ["NO_COLOR", "COLUMNS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"] {
        shell.env_remove(variable);
    }
    let output = shell.stdin(Stdio::null()).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text.lines().map(|line| line.trim_end().to_owned()).collect(), output.status.code().unwrap_or(-1))
}

/// A line of a table with its last column, the seconds, left open.
fn timeless(line: &str) -> String {
    match line.rsplit_once(' ') {
        Some((rest, last)) if last.split_once('.').is_some_and(|(whole, part)| is_number(whole) && is_number(part)) => {
            format!("{} [..]", rest.trim_end())
        }
        _ => line.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn line_fits(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split("[..]");
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn fits(pattern: &[String], lines: &[String]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => (0..=lines.len()).any(|skip| fits(rest, &lines[skip..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, lines)| line_fits(first, line) && fits(rest, lines))
        }
    }
}

#[test]
fn wildcards() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(line_fits("a [..] c [..]", "a b c d") && !line_fits("a [..] d", "a b c"));
    assert!(line_fits("[..]", "") && !line_fits("a", "ab") && !line_fits("ab[..]b", "ab"));
    assert!(fits(&lines("a\n...\nd"), &lines("a\nb\nc\nd")) && fits(&lines("..."), &[]));
    assert!(!fits(&lines("a\n...\nd"), &lines("a\nb")));
}

/// The directory for the commands of a page: the models of the book, and the corpus.
fn prepared(page: &Path) -> Scratch {
    let name = page.file_stem().expect("a name").to_string_lossy().into_owned();
    let above = page.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let scratch = Scratch::new(&format!("book-{}-{name}", above.unwrap_or_default()));
    for entry in fs::read_dir(root().join("docs/book/models")).expect("models") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        scratch.write(&name, &fs::read_to_string(&path).expect("a model"));
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("corpus"), scratch.path("corpus")).expect("a link");
    scratch
}

#[test]
fn every_command_prints_what_the_page_shows() {
    let update = std::env::var_os("SELVEDGE_UPDATE_BOOK").is_some();
    let (mut wrong, mut executed) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let blocks = blocks(&lines);
        if blocks.is_empty() {
            continue;
        }
        let scratch = prepared(&page);
        let mut new: Vec<String> = Vec::new();
        let mut done = 0;
        for block in &blocks {
            new.extend_from_slice(&lines[done..block.lines.start]);
            done = block.lines.end;
            let mut code = 0;
            for entry in entries(&lines[block.lines.clone()]) {
                let (printed, ended) = run(&scratch, &entry.command);
                (code, executed) = (ended, executed + 1);
                let same = fits(&entry.expected, &printed);
                new.push(format!("$ {}", entry.command));
                new.extend(if same {
                    entry.expected.clone()
                } else {
                    printed.iter().map(|line| timeless(line)).collect()
                });
                if !same && !update {
                    wrong.push(format!("{}: $ {}\n{}", page.display(), entry.command, printed.join("\n")));
                }
            }
            if code != block.exit {
                wrong.push(format!("{}: line {}: exit code {code}", page.display(), block.lines.start));
            }
        }
        new.extend_from_slice(&lines[done..]);
        if update {
            fs::write(&page, new.join("\n") + "\n").expect("the page");
        }
    }
    assert!(executed >= 15, "only {executed} commands were found");
    assert!(wrong.is_empty(), "{} outputs differ from what the pages say:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn the_book_is_whole() {
    let src = root().join("docs/book/src");
    let summary = fs::read_to_string(src.join("SUMMARY.md")).expect("a summary");
    let listed: Vec<&str> = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    for page in &listed {
        let text = fs::read_to_string(src.join(page)).unwrap_or_else(|_| panic!("{page} is listed and missing"));
        assert!(text.trim().lines().count() > 3 || text.contains("{{#include"), "{page} is empty");
    }
    for page in pages().iter().filter(|page| page.starts_with(&src)) {
        let name = page.strip_prefix(&src).expect("inside").display().to_string();
        assert!(name == "SUMMARY.md" || listed.contains(&name.as_str()), "{name} is not in the summary");
        check_links(page);
    }
    check_links(&root().join("README.md"));
}

/// Links to files and included files exist.
fn check_links(page: &Path) {
    let text = fs::read_to_string(page).expect("a page");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let links = links.map(|link| link.split('#').next().unwrap_or_default()).filter(|link| link.ends_with(".md"));
    let included = text.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next());
    let included = included.map(|path| path.split(':').next().unwrap_or_default());
    for link in links.filter(|link| !link.contains("://")).chain(included) {
        let path = page.parent().expect("a directory").join(link);
        assert!(path.exists(), "{}: {link} does not exist", page.display());
    }
}
