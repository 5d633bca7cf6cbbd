//! The benchmarks: which files below a directory are one, which set they belong to, and what bfc reads in place of a net.
//!
//! A benchmark is a `.spec` or `.tts` file; a `.spec.tts` or `main.tts` file is the translation of a net for bfc and
//! stands for the `.spec` beside it. The directories right below the given one are the sets.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// One benchmark.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The directory below the given one that it is in.
    pub set: String,
    /// Its path below the given directory, which names it in records.
    pub name: String,
    /// Where it is.
    pub file: PathBuf,
    bytes: u64,
}

/// All benchmarks below a directory: the smallest of every set first, then the second smallest, and so on, so that a
/// run that is stopped has seen as much of one set as of another.
pub fn all(root: &Path) -> io::Result<Vec<Instance>> {
    let mut files = Vec::new();
    find(root, &mut files)?;
    let mut sets: BTreeMap<String, Vec<Instance>> = BTreeMap::new();
    for file in files {
        let below = file.strip_prefix(root).unwrap_or(&file);
        let directory = below.parent().and_then(|parent| parent.iter().next());
        let set = directory.map_or_else(|| ".".to_owned(), |set| set.to_string_lossy().into_owned());
        let bytes = std::fs::metadata(&file)?.len();
        let name = below.display().to_string();
        sets.entry(set.clone()).or_default().push(Instance { set, name, file, bytes });
    }
    for set in sets.values_mut() {
        set.sort_by(|a, b| (a.bytes, &a.name).cmp(&(b.bytes, &b.name)));
    }
    let longest = sets.values().map(Vec::len).max().unwrap_or(0);
    Ok((0..longest).flat_map(|at| sets.values().filter_map(move |set| set.get(at).cloned())).collect())
}

/// Keeps so many of each set, the smallest.
pub fn keep_smallest(instances: &mut Vec<Instance>, most: usize) {
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    instances.retain(|instance| {
        let number = kept.entry(instance.set.clone()).or_default();
        *number += 1;
        *number <= most
    });
}

fn find(directory: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, out)?;
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Where the net itself is there, its translation is not a benchmark of its own.
        let original = name.strip_suffix(".tts").filter(|name| name.ends_with(".spec"));
        let translated = original.is_some_and(|original| path.with_file_name(original).is_file());
        let beside = name == "main.tts" && path.with_file_name("main.spec").is_file();
        if name.ends_with(".spec") || name.ends_with(".tts") && !translated && !beside {
            out.push(path);
        }
    }
    Ok(())
}

impl Instance {
    /// Whether it is a net as mist writes them.
    pub fn is_spec(&self) -> bool {
        self.file.extension().is_some_and(|ending| ending == "spec")
    }

    /// The thread transition system and its property, where there are both.
    pub fn system(&self) -> Option<(PathBuf, PathBuf)> {
        let with = |path: &Path, ending: &str| {
            let mut longer = path.as_os_str().to_owned();
            longer.push(ending);
            PathBuf::from(longer)
        };
        let candidates = if self.is_spec() {
            vec![self.file.with_extension("tts"), with(&self.file, ".tts")]
        } else {
            vec![self.file.clone()]
        };
        let system = candidates.into_iter().find(|path| path.is_file())?;
        let property =
            [with(&system, ".prop"), system.with_extension("prop")].into_iter().find(|path| path.is_file())?;
        Some((system, property))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(set: &str, name: &str) -> Instance {
        Instance { set: set.to_owned(), name: name.to_owned(), file: PathBuf::from(name), bytes: 0 }
    }

    #[test]
    fn the_smallest_of_each_set_are_kept() {
        let mut list = vec![instance("a", "1"), instance("b", "2"), instance("a", "3"), instance("a", "4")];
        keep_smallest(&mut list, 2);
        assert_eq!(list.iter().map(|i| i.name.as_str()).collect::<Vec<_>>(), ["1", "2", "3"]);
    }
}
