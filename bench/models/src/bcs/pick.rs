//! Which models: those of \[BCS\] that are public, and others of the same kind from our corpus.

use harness::models::Model;
use harness::selvedge::workspace_root;
use harness::spin::claims;
use std::io;
use std::path::{Path, PathBuf};

/// A model and how to check it.
#[derive(Debug)]
pub struct Picked {
    /// What tables call it.
    pub name: String,
    /// The file.
    pub model: Model,
    /// It has `ltl` properties, which stay out.
    pub no_claim: bool,
}

/// Models of \[BCS\], Table 1, that come with Spin: a name, and the path below its examples.
const OF_SPIN: [(&str, &str); 3] = [("snoopy", "snoopy.pml"), ("dtp", "dtp.pml"), ("pftp", "LTL/pftp.pml")];

/// The worst case of \[BCS\], and models of similar kinds, below `corpus/promela`.
const OF_CORPUS: [(&str, &str); 7] = [
    ("worst case", "large/counter_ten_processes.pml"),
    ("peterson", "large/peterson_filter.pml"),
    ("sliding window", "large/sliding_window.pml"),
    ("philosophers", "large/dining_philosophers.pml"),
    ("deadlock", "large/dining_philosophers_deadlock.pml"),
    ("leader", "large/leader_election.pml"),
    ("queue", "large/michael_scott_queue.pml"),
];

/// Models with a violation, below `corpus/promela`.
const WRONG: [(&str, &str); 11] = [
    ("worst case", "large/counter_ten_processes.pml"),
    ("philosophers", "classic/dining_philosophers_deadlock.pml"),
    ("peterson filter", "classic/peterson_n_filter_wrong.pml"),
    ("peterson", "classic/peterson_two_wrong_order.pml"),
    ("szymanski", "classic/szymanski_wrong_exit.pml"),
    ("bakery", "classic/bakery_without_choosing.pml"),
    ("lost update", "classic/lost_update_five_loops.pml"),
    ("queue without CAS", "classic/queue_without_cas.pml"),
    ("go-back-n", "classic/go_back_n_modulus_too_small.pml"),
    ("sliding window", "classic/sliding_window_small_modulus.pml"),
    ("coherence (MSI)", "classic/msi_coherence_no_write_back.pml"),
];

/// The models of the tables of cost.
pub fn costly(examples: &Path) -> io::Result<Vec<Picked>> {
    let corpus = corpus();
    let spin = OF_SPIN.iter().filter_map(|(name, path)| found(name, examples, path));
    spin.chain(OF_CORPUS.iter().filter_map(|(name, path)| found(name, &corpus, path))).map(read).collect()
}

/// The models of the table of counterexamples.
pub fn wrong(examples: &Path) -> io::Result<Vec<Picked>> {
    let corpus = corpus();
    let snoopy = found("snoopy", examples, "snoopy.pml").into_iter();
    snoopy.chain(WRONG.iter().filter_map(|(name, path)| found(name, &corpus, path))).map(read).collect()
}

/// Models the user names.
pub fn named(paths: &[PathBuf]) -> io::Result<Vec<Picked>> {
    let name = |p: &PathBuf| p.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    paths.iter().map(|path| read((name(path), path.clone()))).collect()
}

fn corpus() -> PathBuf {
    workspace_root().join("corpus/promela")
}

/// Examples lie in the directory itself or, as Debian has it, in one called `Examples`.
fn found(name: &str, dir: &Path, path: &str) -> Option<(String, PathBuf)> {
    let file = [dir.join(path), dir.join("Examples").join(path)].into_iter().find(|p| p.is_file());
    if file.is_none() {
        eprintln!("{name}: left out: no {path} below {}", dir.display());
    }
    file.map(|file| (name.to_owned(), file))
}

fn read((name, path): (String, PathBuf)) -> io::Result<Picked> {
    let model = Model::read(&path, name.clone())?;
    let no_claim = claims::without_ltl(&model.source) != model.source;
    Ok(Picked { name, model, no_claim })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_models_of_the_corpus_are_there() {
        for (_, path) in OF_CORPUS.iter().chain(&WRONG) {
            assert!(corpus().join(path).is_file(), "{path}");
        }
    }
}
