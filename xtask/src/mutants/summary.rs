//! What became of the mutants of each file, as a table, with the list of those that were missed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::{fs, io};

use super::run::{Outcome, Tested};
use super::sample::Mutant;

/// Writes and prints the summary of the sample.
pub fn write(sample: &[Mutant], known: &BTreeMap<String, Tested>, place: PathBuf) -> io::Result<()> {
    let mut files: BTreeMap<&str, Counts> = BTreeMap::new();
    let (mut total, mut seconds) = (Counts::default(), 0.0);
    for (mutant, tested) in sample.iter().filter_map(|mutant| Some((mutant, known.get(&mutant.name)?))) {
        files.entry(&mutant.file).or_default().add(tested.outcome);
        total.add(tested.outcome);
        seconds += tested.seconds;
    }
    let mut text =
        String::from("| file | caught | timeout | missed | unviable |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (file, counts) in &files {
        let _ = writeln!(text, "{}", counts.row(&format!("`{file}`")));
    }
    let _ = writeln!(text, "{}", total.row("all"));
    let tested = total.caught + total.timeout + total.missed + total.unviable;
    let _ = writeln!(
        text,
        "\nscore {:.1} % of {} viable mutants; {tested} of {} tested, {:.1} s each\n",
        total.score(),
        tested - total.unviable,
        sample.len(),
        seconds / f64::from(tested.max(1)),
    );
    for mutant in
        sample.iter().filter(|mutant| known.get(&mutant.name).is_some_and(|one| one.outcome == Outcome::Missed))
    {
        let _ = writeln!(text, "- `{}`", mutant.name);
    }
    print!("{text}");
    fs::write(place, text)
}

#[derive(Default)]
struct Counts {
    caught: u32,
    timeout: u32,
    missed: u32,
    unviable: u32,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Caught => &mut self.caught,
            Outcome::Timeout => &mut self.timeout,
            Outcome::Missed => &mut self.missed,
            Outcome::Unviable => &mut self.unviable,
        } += 1;
    }

    fn row(&self, name: &str) -> String {
        format!("| {name} | {} | {} | {} | {} |", self.caught, self.timeout, self.missed, self.unviable)
    }

    /// Per cent of the viable mutants that a test notices.
    fn score(&self) -> f64 {
        let noticed = self.caught + self.timeout;
        100.0 * f64::from(noticed) / f64::from((noticed + self.missed).max(1))
    }
}
