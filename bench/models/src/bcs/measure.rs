//! States, transitions and seconds at every bound, for our two searches and for Spin's verifier.

use super::pan::Generated;
use super::pick::Picked;
use harness::process::{Ending, Finished};
use harness::selvedge::Selvedge;
use serde_json::Value;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// One search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Distinct states.
    pub states: u64,
    /// Transitions executed, without one for the initial state; without those into states visited again in Spin's
    /// search, which pan leaves out of its count.
    pub transitions: u64,
    /// The tool's own seconds, the best of several runs.
    pub seconds: f64,
}

/// A search, or why there is none.
pub type Outcome = Result<Cell, String>;

/// A tool's searches of one model.
#[derive(Clone, Debug)]
pub struct Series {
    /// Without a bound.
    pub full: Outcome,
    /// At each bound.
    pub bounded: Vec<Outcome>,
}

/// All searches of a model, with or without reduction.
#[derive(Debug)]
pub struct Measured {
    /// The model.
    pub name: String,
    /// With partial-order reduction.
    pub reduced: bool,
    /// `--search layered`; without a bound `--search dfs`.
    pub layered: Series,
    /// `--search spin`; without a bound `--search dfs`.
    pub spin: Series,
    /// Spin's verifier.
    pub pan: Series,
}

impl Measured {
    /// Where our search in Spin's manner and Spin's verifier differ, though both finished.
    pub fn disagreements(&self, bounds: &[u32]) -> Vec<String> {
        let differs = |ours: &Outcome, theirs: &Outcome| match (ours, theirs) {
            (Ok(a), Ok(b)) => (a.states, a.transitions) != (b.states, b.transitions),
            _ => false,
        };
        let mut list = Vec::new();
        if differs(&self.spin.full, &self.pan.full) {
            list.push("full".to_owned());
        }
        let pairs = self.spin.bounded.iter().zip(&self.pan.bounded).zip(bounds);
        list.extend(pairs.filter(|((a, b), _)| differs(a, b)).map(|(_, bound)| format!("L{bound}")));
        list
    }
}

/// What all measurements share.
pub struct Lab<'a> {
    /// Ours.
    pub selvedge: &'a Selvedge,
    /// The bounds.
    pub bounds: &'a [u32],
    /// How often to run for a time.
    pub runs: u32,
    /// Seconds after which a search is not repeated for a better time.
    pub patience: f64,
    /// For each run.
    pub limit: Duration,
}

impl Lab<'_> {
    /// Everything about one model.
    pub fn measure(&self, picked: &Picked, reduced: bool) -> io::Result<Measured> {
        let full = self.ours(picked, reduced, &["--search", "dfs", "--unbounded"])?;
        let (mut layered, mut spin) = (Vec::new(), Vec::new());
        for bound in self.bounds {
            let bound = bound.to_string();
            layered.push(self.ours(picked, reduced, &["--search", "layered", "--preemptions", &bound])?);
            let mut options = vec!["--search", "spin", "--preemptions", &bound];
            if !reduced {
                // pan -DNOREDUCE -DSAFETY counts as if it had no rule for cycles (seen on snoopy, at all bounds).
                options.push("--count-busy-wait");
            }
            spin.push(self.ours(picked, reduced, &options)?);
        }
        Ok(Measured {
            name: picked.name.clone(),
            reduced,
            layered: Series { full: full.clone(), bounded: layered },
            spin: Series { full, bounded: spin },
            pan: self.pan(picked, reduced)?,
        })
    }

    fn ours(&self, picked: &Picked, reduced: bool, options: &[&str]) -> io::Result<Outcome> {
        let mut all = vec!["--continue", "--optimize", "none", "--reduction", if reduced { "por" } else { "none" }];
        all.extend(options);
        self.best(|| Ok(read(&self.selvedge.run(&picked.model.path, picked.no_claim, &all)?)))
    }

    fn pan(&self, picked: &Picked, reduced: bool) -> io::Result<Series> {
        let nothing = |why: String| Series { full: Err(why.clone()), bounded: vec![Err(why); self.bounds.len()] };
        let generated = match Generated::new(&picked.model, picked.no_claim, self.limit)? {
            Ok(generated) => generated,
            Err(obstacle) => return Ok(nothing(obstacle.to_string())),
        };
        let reduction: &[&str] = if reduced { &[] } else { &["-DNOREDUCE"] };
        let bounding = [reduction, &["-DBCS", "-DCONSERVATIVE=2"]].concat();
        let (full, bounded) = (generated.compile("full", reduction)?, generated.compile("bounded", &bounding)?);
        let (full, bounded) = match (full, bounded) {
            (Ok(full), Ok(bounded)) => (full, bounded),
            (Err(obstacle), _) | (_, Err(obstacle)) => return Ok(nothing(obstacle.to_string())),
        };
        let explore = |pan: &PathBuf, arguments: &[&str]| {
            self.best(|| {
                let ran = generated.explore(pan, arguments)?;
                Ok(ran.map(|ran| ran.cell()).map_err(|obstacle| obstacle.to_string()))
            })
        };
        let at = |bound: &u32| explore(&bounded, &[&format!("-L{bound}")]);
        Ok(Series { full: explore(&full, &[])?, bounded: self.bounds.iter().map(at).collect::<io::Result<_>>()? })
    }

    /// The quickest of several runs, whose other figures are always the same.
    fn best(&self, run: impl Fn() -> io::Result<Outcome>) -> io::Result<Outcome> {
        let mut best = match run()? {
            Ok(cell) => cell,
            failure => return Ok(failure),
        };
        let mut spent = best.seconds;
        for _ in 1..self.runs {
            if spent > self.patience {
                break;
            }
            if let Ok(again) = run()? {
                spent += again.seconds;
                best.seconds = best.seconds.min(again.seconds);
            }
        }
        Ok(Ok(best))
    }
}

/// Reads the figures of a search that came to its end or to its bound.
pub(super) fn read(done: &Finished) -> Outcome {
    let json: Value = serde_json::from_str(&done.stdout).unwrap_or(Value::Null);
    let stats = &json["stats"];
    let number = |key: &str| stats[key].as_u64();
    // `--search spin` exits with 3 even at its end, because it proves nothing.
    let ended = matches!(json["stop"].as_str(), Some("exhausted" | "bound" | "violation"));
    match (number("states"), number("transitions"), stats["seconds"].as_f64()) {
        (Some(states), Some(transitions), Some(seconds)) if ended => {
            Ok(Cell { states, transitions: transitions - number("revisits").unwrap_or(0).min(transitions), seconds })
        }
        _ if ended || done.ending == Ending::Exit(2) => Err(done.complaint()),
        _ => Err(format!("limit: {}", json["stop"].as_str().unwrap_or("no answer"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(code: i32, stdout: &str) -> Finished {
        Finished { ending: Ending::Exit(code), stdout: stdout.to_owned(), stderr: String::new(), seconds: 1.0 }
    }

    #[test]
    fn reads_figures_as_pan_counts_them() {
        let json = r#"{"stop": "bound", "stats": {"states": 5, "transitions": 12, "revisits": 2, "seconds": 0.5}}"#;
        assert_eq!(read(&finished(3, json)), Ok(Cell { states: 5, transitions: 10, seconds: 0.5 }));
        let limit = json.replace("\"bound\"", "\"time\"");
        assert_eq!(read(&finished(3, &limit)), Err("limit: time".to_owned()));
    }

    #[test]
    fn only_finished_searches_can_disagree() {
        let cell = |states| Ok(Cell { states, transitions: 1, seconds: 0.1 });
        let series = |list: Vec<Outcome>| Series { full: cell(1), bounded: list };
        let measured = Measured {
            name: String::new(),
            reduced: false,
            layered: series(Vec::new()),
            spin: series(vec![cell(1), cell(2), Err(String::new())]),
            pan: series(vec![cell(1), cell(3), cell(4)]),
        };
        assert_eq!(measured.disagreements(&[0, 1, 2]), ["L1"]);
    }
}
