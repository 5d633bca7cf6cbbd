//! How much is explored up to the first counterexample: \[BCS\], Tables 2 and 3.

use super::measure::{Cell, Lab, Outcome, read};
use super::pan::Generated;
use super::pick::Picked;
use serde_json::Value;
use std::io;

/// What a search explored before it had a counterexample; `None` if it has none, or did not get there.
type Explored = Option<Cell>;

/// All searches for the violation of one model, with or without reduction.
#[derive(Debug)]
pub struct Effort {
    /// The model.
    pub name: String,
    /// With partial-order reduction.
    pub reduced: bool,
    /// Of each tool: breadth first, depth first, then each bound. In the order of [`TOOLS`].
    pub rows: [Vec<Explored>; 3],
}

/// The rows. The layered search goes through the bounds by itself, so at each one that is large enough it has explored
/// the same.
pub const TOOLS: [&str; 3] = ["ours (layered)", "ours (spin)", "Spin"];

impl Lab<'_> {
    /// The searches for one violation.
    pub fn effort(&self, picked: &Picked, reduced: bool) -> io::Result<Effort> {
        let near = self.ours_to_violation(picked, reduced, &["--search", "bfs"])?;
        let deep = self.ours_to_violation(picked, reduced, &["--search", "dfs"])?;
        let (mut layered, mut spin) = (vec![near, deep], vec![near, deep]);
        for bound in self.bounds {
            let bound = bound.to_string();
            let bounded = |search| ["--search", search, "--preemptions", &bound];
            layered.push(self.ours_to_violation(picked, reduced, &bounded("layered"))?);
            let mut options = bounded("spin").to_vec();
            if !reduced {
                options.push("--count-busy-wait");
            }
            spin.push(self.ours_to_violation(picked, reduced, &options)?);
        }
        let rows = [layered, spin, self.pan_to_violation(picked, reduced)?];
        Ok(Effort { name: picked.name.clone(), reduced, rows })
    }

    fn ours_to_violation(&self, picked: &Picked, reduced: bool, options: &[&str]) -> io::Result<Explored> {
        let mut all = vec!["--optimize", "none", "--reduction", if reduced { "por" } else { "none" }];
        all.extend(options);
        let done = self.selvedge.run(&picked.model.path, picked.no_claim, &all)?;
        Ok(up_to_violation(&done.stdout, read(&done)))
    }

    fn pan_to_violation(&self, picked: &Picked, reduced: bool) -> io::Result<Vec<Explored>> {
        let nothing = vec![None; 2 + self.bounds.len()];
        let Ok(generated) = Generated::new(&picked.model, picked.no_claim, self.limit)? else { return Ok(nothing) };
        let reduction: &[&str] = if reduced { &[] } else { &["-DNOREDUCE"] };
        let first = |name: &str, definitions: &[&str], arguments: &[&str]| -> io::Result<Explored> {
            let Ok(pan) = generated.compile(name, &[reduction, definitions].concat())? else { return Ok(None) };
            let ran = generated.explore_up_to(1, &pan, arguments)?;
            let found = ran.ok().filter(|ran| ran.report.errors > 0);
            Ok(found.map(|ran| ran.cell()))
        };
        let mut row = vec![first("near", &["-DBFS"], &[])?, first("deep", &[], &[])?];
        for bound in self.bounds {
            row.push(first("bounded", &["-DBCS", "-DCONSERVATIVE=2"], &[&format!("-L{bound}")])?);
        }
        Ok(row)
    }
}

/// The figures of a search that found something.
fn up_to_violation(json: &str, outcome: Outcome) -> Explored {
    let json: Value = serde_json::from_str(json).ok()?;
    outcome.ok().filter(|_| json["verdict"] == "violated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_searches_that_found_something_have_figures() {
        let cell = Cell { states: 3, transitions: 4, seconds: 0.1 };
        assert_eq!(up_to_violation(r#"{"verdict": "violated"}"#, Ok(cell)), Some(cell));
        assert_eq!(up_to_violation(r#"{"verdict": "holds within the bound"}"#, Ok(cell)), None);
        assert_eq!(up_to_violation(r#"{"verdict": "violated"}"#, Err("limit".to_owned())), None);
    }
}
