//! What `check` prints, word for word: each file of `golden` has a command, the model it is about and the answer.
//! `SELVEDGE_GOLDEN=write cargo test -p selvedge-cli --test golden` writes the answers anew, to be read before they are
//! kept. Times are not compared.

mod support;

use std::fs;
use std::path::Path;

use support::Scratch;

/// A command, a model, an answer.
struct Case {
    command: String,
    file: String,
    model: String,
    answer: String,
}

impl Case {
    fn read(text: &str) -> Case {
        let mut parts = text.splitn(3, "\n=== ");
        let command = parts.next().unwrap_or_default().trim_start_matches("$ selvedge ").trim().to_owned();
        let mut part = || parts.next().unwrap_or_default().split_once('\n').unwrap_or_default();
        let (file, model) = part();
        let (_, answer) = part();
        Case { command, file: file.to_owned(), model: format!("{model}\n"), answer: answer.to_owned() }
    }

    fn write(&self, answer: &str) -> String {
        format!("$ selvedge {}\n=== {}\n{}=== answer\n{answer}", self.command, self.file, self.model)
    }

    fn run(&self, name: &str) -> String {
        let scratch = Scratch::new(&format!("golden-{name}"));
        scratch.write(&self.file, &self.model);
        let ran = scratch.run(&self.command.split_whitespace().collect::<Vec<_>>());
        assert!(!ran.out.contains('\x1b'), "{name}: colours where there is no terminal");
        let lines = ran.out.lines().map(without_time).collect::<Vec<_>>().join("\n");
        format!("{lines}\n(exit {})\n", ran.code)
    }
}

/// The line with its times left out: a figure with three decimals at its end, or seconds.
fn without_time(line: &str) -> String {
    let is_time = |word: &str| {
        word.split_once('.').is_some_and(|(whole, part)| {
            part.len() == 3 && [whole, part].iter().all(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
        })
    };
    match line.rsplit_once(' ') {
        Some((rest, word)) if is_time(word) => format!("{rest} {}", "t.ttt"),
        _ => line.to_owned(),
    }
}

/// Lines that are there to be copied keep their length.
fn may_be_long(line: &str) -> bool {
    line.contains(": selvedge ")
}

#[test]
fn answers_are_as_they_were_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let write = std::env::var_os("SELVEDGE_GOLDEN").is_some_and(|what| what == "write");
    let mut files: Vec<_> =
        fs::read_dir(&directory).expect("golden").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).expect("a file").replace("\r\n", "\n");
        let case = Case::read(&text);
        let answer = case.run(&name);
        if write {
            fs::write(&file, case.write(&answer)).expect("written");
            continue;
        }
        assert_eq!(answer, case.answer, "{name}: {}\n{answer}", case.command);
        for line in answer.lines().filter(|line| !may_be_long(line)) {
            assert!(line.chars().count() <= 80, "{name}: longer than 80 columns:\n{line}");
        }
    }
}
