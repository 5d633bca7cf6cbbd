//! A copy of the sources with mutants in it, and the way back from a message of the compiler to a mutant.
//!
//! Files are written only where their text changes, so that the compiler builds what has to be built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use super::sample::Mutant;
use super::schema::{self, Blamed};

/// The copy.
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Brings the copy up to date with the files that git knows or would add, apart from those that [`Tree::write`] writes.
    pub fn copy(root: PathBuf, sample: &[Mutant]) -> io::Result<Tree> {
        let output = Command::new("git").args(["ls-files", "-z", "-co", "--exclude-standard"]).output()?;
        let names = String::from_utf8_lossy(&output.stdout).into_owned();
        let files: BTreeSet<&Path> = names.split('\0').map(Path::new).filter(|file| file.is_file()).collect();
        fs::create_dir_all(&root)?;
        let tree = Tree { root };
        let mutated: BTreeSet<&Path> = sample.iter().map(|mutant| Path::new(&mutant.file)).collect();
        let roots: BTreeSet<String> = sample.iter().map(|mutant| crate_root(&mutant.file)).collect();
        let written = |file: &Path| mutated.contains(file) || roots.iter().any(|root| file == Path::new(root));
        for file in files.iter().filter(|file| !written(file)) {
            tree.put(file, &fs::read(file)?)?;
        }
        tree.remove_others(&tree.root, &files)?;
        Ok(tree)
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes all mutants but those `without` as branches; the result are those for which there is no expression.
    pub fn write(&self, sample: &[Mutant], without: &BTreeSet<usize>) -> io::Result<Vec<usize>> {
        let mut refused = Vec::new();
        for (file, mutants) in by_file(sample) {
            let mutants: Vec<_> = mutants.into_iter().filter(|(number, _)| !without.contains(number)).collect();
            let text = fs::read_to_string(file)?;
            let (text, unplaced) =
                schema::with_branches(&text, &mutants).map_err(|error| io::Error::other(format!("{file}: {error}")))?;
            refused.extend(unplaced);
            self.put(Path::new(file), with_switch(file, text).as_bytes())?;
        }
        let roots: BTreeSet<String> = sample.iter().map(|mutant| crate_root(&mutant.file)).collect();
        for root in roots.iter().filter(|root| !by_file(sample).contains_key(root.as_str())) {
            self.put(Path::new(root), with_switch(root, fs::read_to_string(root)?).as_bytes())?;
        }
        Ok(refused)
    }

    /// Replaces a file by the original with this mutant alone.
    pub fn write_one(&self, mutant: &Mutant) -> io::Result<()> {
        let mut text = fs::read_to_string(&mutant.file)?;
        text.replace_range(mutant.span.clone(), &mutant.replacement);
        self.put(Path::new(&mutant.file), with_switch(&mutant.file, text).as_bytes())
    }

    /// The mutants in whose branches the compiler found an error at these byte offsets of a file.
    pub fn blamed(&self, file: &str, offsets: &[usize]) -> io::Result<Vec<Blamed>> {
        Ok(schema::blamed(&fs::read_to_string(self.root.join(file))?, offsets))
    }

    fn put(&self, file: &Path, text: &[u8]) -> io::Result<()> {
        let place = self.root.join(file);
        if fs::read(&place).is_ok_and(|old| old == text) {
            return Ok(());
        }
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(place, text)
    }

    fn remove_others(&self, directory: &Path, files: &BTreeSet<&Path>) -> io::Result<()> {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                self.remove_others(&path, files)?;
            } else if !path.strip_prefix(&self.root).is_ok_and(|name| files.contains(name)) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// The mutants of each file, with their numbers.
fn by_file(sample: &[Mutant]) -> BTreeMap<&str, Vec<(usize, &Mutant)>> {
    let mut files: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (number, mutant) in sample.iter().enumerate() {
        files.entry(&mutant.file).or_default().push((number, mutant));
    }
    files
}

fn crate_root(file: &str) -> String {
    let crate_directory = file.split("/src/").next().unwrap_or_default();
    format!("{crate_directory}/src/lib.rs")
}

fn with_switch(file: &str, text: String) -> String {
    if file == crate_root(file) { text + schema::SWITCH } else { text }
}
