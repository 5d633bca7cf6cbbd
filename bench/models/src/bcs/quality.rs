//! How easy the counterexamples are to follow: \[BCS\], Table 4.
//!
//! Every search stops at its first violation, as a user's does, and shows the run it then has.

use super::measure::Lab;
use super::pan::Generated;
use super::pick::Picked;
use super::trail::Counted;
use serde_json::Value;
use std::fmt;
use std::io;

/// One counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its switches and its length.
    pub counted: Counted,
    /// Its preemptions, where they are known: a trail of Spin's does not say whether a process could have gone on.
    pub preemptions: Option<u64>,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} / ", self.counted.switches)?;
        if let Some(preemptions) = self.preemptions {
            write!(f, "{preemptions} / ")?;
        }
        write!(f, "{}", self.counted.length)
    }
}

/// The counterexamples of one model; `None` where a search found none.
#[derive(Debug)]
pub struct Quality {
    /// The model.
    pub name: String,
    /// The least bound at which Spin's bounded search finds the violation.
    pub bound: Option<u32>,
    /// In the order of [`SEARCHES`].
    pub shown: Vec<Option<Shown>>,
}

/// The columns.
pub const SEARCHES: [&str; 7] =
    ["Spin DFS", "Spin BFS", "Spin BCS", "Spin BCS -DREACH -i", "ours: dfs", "ours: bfs, shortest", "ours (default)"];

impl Lab<'_> {
    /// All searches for one violation.
    pub fn quality(&self, picked: &Picked) -> io::Result<Quality> {
        let (bound, mut shown) = self.of_spin(picked)?;
        let searches: [&[&str]; 3] = [&["--search", "dfs"], &["--search", "bfs", "--minimize", "length"], &[]];
        for options in searches {
            let done = self.selvedge.run(&picked.model.path, picked.no_claim, options)?;
            shown.push(violation(&done.stdout));
        }
        Ok(Quality { name: picked.name.clone(), bound, shown })
    }

    fn of_spin(&self, picked: &Picked) -> io::Result<(Option<u32>, Vec<Option<Shown>>)> {
        let Ok(generated) = Generated::new(&picked.model, picked.no_claim, self.limit)? else {
            return Ok((None, vec![None; 4]));
        };
        let first = |definitions: &[&str], arguments: &[&str]| -> io::Result<Option<Shown>> {
            let definitions = [&["-DNOREDUCE"], definitions].concat();
            let Ok(pan) = generated.compile("pan", &definitions)? else { return Ok(None) };
            let counted = generated.counterexample(&pan, arguments)?;
            Ok(counted.map(|counted| Shown { counted, preemptions: None }))
        };
        let (dfs, bfs) = (first(&[], &[])?, first(&["-DBFS"], &[])?);
        let bounding = ["-DBCS", "-DCONSERVATIVE=2"];
        let (mut least, mut bcs) = (None, None);
        if let Ok(pan) = generated.compile("bounded", &[&["-DNOREDUCE"][..], &bounding].concat())? {
            for bound in 0..=self.bounds.last().copied().unwrap_or(0) {
                if let Some(counted) = generated.counterexample(&pan, &[&format!("-L{bound}")])? {
                    (least, bcs) = (Some(bound), Some(Shown { counted, preemptions: None }));
                    break;
                }
            }
        }
        let iterated = match least {
            Some(bound) => first(&[&bounding[..], &["-DREACH"]].concat(), &["-i", &format!("-L{bound}")])?,
            None => None,
        };
        Ok((least, vec![dfs, bfs, bcs, iterated]))
    }
}

/// The run that Selvedge shows.
fn violation(json: &str) -> Option<Shown> {
    let json: Value = serde_json::from_str(json).ok()?;
    let violation = &json["violation"];
    let counted = Counted { switches: violation["switches"].as_u64()?, length: violation["length"].as_u64()? };
    Some(Shown { counted, preemptions: violation["preemptions"].as_u64() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_selvedge_shows() {
        let shown = violation(r#"{"violation": {"switches": 14, "preemptions": 0, "length": 44}}"#).unwrap();
        assert_eq!(shown.to_string(), "14 / 0 / 44");
        assert_eq!(violation(r#"{"violation": null}"#), None);
    }
}
