//! The Boolean programs and pushdown systems of the corpus: the explicit engine gives the answer that
//! the header expects, and broken files are refused at their mistake.

mod support;

use support::corpus::{Model, judge_all, models, verdict_and_kind};

const PROGRAMS: [&str; 6] = ["constructs", "classic", "recursion", "bluetooth", "tree", "beem"];

/// The answer in the words of the headers.
fn answer(model: &Model, options: &[String]) -> Result<String, String> {
    let ran = model.check(options);
    match ran.code {
        0 | 1 | 3 => Ok(verdict_and_kind(&ran.json())),
        2 => Ok("refused".to_owned()),
        4 => Ok("nothing-checked".to_owned()),
        code => Err(format!("exit {code}: {}", ran.err)),
    }
}

/// The explicit engine follows calls up to a limit, so that it cannot answer everything: the header's
/// `explicit` is its own answer, with the options for that run, or `skip` with the reason.
fn judge(model: &Model) -> Vec<String> {
    let Some(expected) = model.header("expect") else { return vec!["its header has no `expect`".to_owned()] };
    let own: Vec<&str> = model.header("explicit").unwrap_or_default().split_whitespace().collect();
    if own.first() == Some(&"skip,") {
        return Vec::new();
    }
    let expected = own.first().copied().unwrap_or(expected);
    let mut options = model.options();
    options.extend(["--engine", "explicit", "--json"].map(str::to_owned));
    options.extend(own.iter().skip(1).map(|word| (*word).to_owned()));
    match answer(model, &options) {
        Err(complaint) => vec![complaint],
        Ok(answer) if answer == expected => Vec::new(),
        Ok(answer) => vec![format!("{answer}, expected {expected}")],
    }
}

#[test]
fn boolean_programs_have_the_answers_of_their_headers() {
    let all: Vec<Model> = PROGRAMS.iter().flat_map(|directory| models(&format!("boolprog/{directory}"))).collect();
    assert!(all.len() > 100, "only {} programs", all.len());
    judge_all(&all, judge);
}

#[test]
fn pushdown_systems_have_the_answers_of_their_headers() {
    let all = models("pds");
    assert!(all.len() > 10, "only {} systems", all.len());
    judge_all(&all, judge);
}

#[test]
fn broken_files_are_refused_at_their_mistake() {
    for directory in ["boolprog/broken", "pds/broken"] {
        let all = models(directory);
        assert!(!all.is_empty(), "{directory} is empty");
        judge_all(&all, |model| {
            let ran = model.check(&["--format", "short"].map(str::to_owned));
            let place = model.header("mistake").and_then(|text| text.split_whitespace().next()).unwrap_or_default();
            let wanted = format!("{}:{place}:", model.path.display());
            let without_place = place == "1:1" && ran.err.contains("error[") && !ran.err.contains(".bp:1:");
            match ran.code == 2 && (ran.err.contains(&wanted) || without_place) {
                true => Vec::new(),
                false => vec![format!("exit {}, no complaint at {place}:\n{}", ran.code, ran.err)],
            }
        });
    }
}
