//! What was measured, one JSON object on each line of a file, so that a comparison that takes hours can be stopped, gone on with,
//! and printed again without another run.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::instance::Instance;
use super::tool::{Answer, Measured};

/// Everything measured so far, by benchmark and tool.
#[derive(Debug, Default)]
pub struct Records {
    file: Option<PathBuf>,
    known: BTreeMap<(String, String), Measured>,
}

impl Records {
    /// The records of a file, which need not exist yet.
    pub fn open(file: Option<&Path>) -> io::Result<Records> {
        let mut records = Records { file: file.map(Path::to_path_buf), known: BTreeMap::new() };
        let Some(file) = file.filter(|file| file.is_file()) else { return Ok(records) };
        for (number, line) in std::fs::read_to_string(file)?.lines().enumerate() {
            let bad = || io::Error::other(format!("{}:{}: no record", file.display(), number + 1));
            let (key, measured) = read(line).ok_or_else(bad)?;
            records.known.insert(key, measured);
        }
        Ok(records)
    }

    /// What a tool did on a benchmark.
    pub fn get(&self, instance: &Instance, tool: &str) -> Option<Measured> {
        self.known.get(&(instance.name.clone(), tool.to_owned())).copied()
    }

    /// Whether a run with this limit would show nothing new: it was run with that, or a lower one was enough.
    pub fn suffices(&self, instance: &Instance, tool: &str, seconds: u64) -> bool {
        let known = self.get(instance, tool);
        known.is_some_and(|known| known.answer != Answer::Limit || known.limit >= seconds)
    }

    /// Adds a measurement, to the file too.
    pub fn add(&mut self, instance: &Instance, tool: &str, measured: Measured) -> io::Result<()> {
        self.known.insert((instance.name.clone(), tool.to_owned()), measured);
        let Some(path) = &self.file else { return Ok(()) };
        let Measured { answer, cpu, wall, limit } = measured;
        let word = answer.word();
        let record = json!({"benchmark": instance.name, "tool": tool, "answer": word, "cpu": cpu, "wall": wall,
                            "limit": limit});
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{record}")
    }
}

fn read(line: &str) -> Option<((String, String), Measured)> {
    let record: Value = serde_json::from_str(line).ok()?;
    let text = |field: &str| record[field].as_str().map(str::to_owned);
    let measured = Measured {
        answer: Answer::of_word(record["answer"].as_str()?)?,
        cpu: record["cpu"].as_f64()?,
        wall: record["wall"].as_f64()?,
        limit: record["limit"].as_u64()?,
    };
    Some(((text("benchmark")?, text("tool")?), measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let line = r#"{"benchmark":"mist/a.spec","tool":"bfc","answer":"safe","cpu":0.5,"wall":1.0,"limit":60}"#;
        let (key, measured) = read(line).unwrap();
        assert_eq!(key, ("mist/a.spec".to_owned(), "bfc".to_owned()));
        assert_eq!(measured, Measured { answer: Answer::Safe, cpu: 0.5, wall: 1.0, limit: 60 });
        assert!(read(r#"{"benchmark":"mist/a.spec"}"#).is_none());
    }
}
