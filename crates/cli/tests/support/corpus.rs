//! The files of the corpus with what their headers say.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Ran, command, ran, root};

/// A file of the corpus.
pub struct Model {
    /// Relative to the repository.
    pub path: PathBuf,
    text: String,
}

impl Model {
    /// The value of a header line: `// name: value`, or `# name: value` in languages of nets.
    pub fn header(&self, name: &str) -> Option<&str> {
        let comment = |line: &'_ str| -> Option<usize> {
            ["//", "#"].iter().find(|mark| line.starts_with(**mark)).map(|mark| mark.len())
        };
        let lines = self.text.lines().map_while(|line| Some(line[comment(line)?..].trim()));
        let mut values = lines.filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        values.next().map(str::trim)
    }

    /// The options of its header.
    pub fn options(&self) -> Vec<String> {
        // Options in the corpus have no blanks inside, formulas in quotes aside.
        let mut words: Vec<String> = Vec::new();
        for (index, part) in self.header("options").unwrap_or_default().split('\'').enumerate() {
            match index % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
        }
        words
    }

    /// Runs `check` on it.
    pub fn check(&self, options: &[String]) -> Ran {
        ran(command().arg("check").args(options).arg(&self.path).current_dir(root()))
    }
}

/// Options as they are given.
pub fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// The verdict of an answer, and the kind of its violation, as headers have them.
pub fn verdict_and_kind(json: &serde_json::Value) -> String {
    let verdict = json["verdict"].as_str().unwrap_or_default();
    match json["violation"]["kind"].as_str() {
        Some(kind) => format!("{verdict} {kind}"),
        None => verdict.to_owned(),
    }
}

/// The models of a directory of the corpus.
pub fn models(directory: &str) -> Vec<Model> {
    let mut found: Vec<PathBuf> = fs::read_dir(root().join("corpus").join(directory))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("readable").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ["pml", "bp", "pds", "dcps", "spec", "tts"].iter().any(|known| ending == *known))
        })
        .collect();
    found.sort();
    let relative = |path: &Path| path.strip_prefix(root()).expect("inside").to_path_buf();
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned();
    found.iter().map(|path| Model { path: relative(path), text: text(path) }).collect()
}

/// Runs `judge` on every model, two at a time, and fails with every complaint.
pub fn judge_all(models: &[Model], judge: impl Fn(&Model) -> Vec<String> + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut complaints = Vec::new();
        while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            let about = |complaint: String| format!("{}: {complaint}", model.path.display());
            complaints.extend(judge(model).into_iter().map(about));
        }
        complaints
    };
    let mut complaints: Vec<String> = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    complaints.sort();
    let (wrong, all) = (complaints.len(), models.len());
    assert!(complaints.is_empty(), "{wrong} mismatches in {all} models:\n{}", complaints.join("\n"));
}
