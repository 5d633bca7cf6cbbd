//! Finding Promela models, and what their headers say.

use std::io;
use std::path::{Path, PathBuf};

/// A model file.
#[derive(Clone, Debug)]
pub struct Model {
    /// Where it is.
    pub path: PathBuf,
    /// What to call it in tables: its path below the directory that was searched.
    pub name: String,
    /// Its text.
    pub source: String,
}

/// Endings of Promela files. Headers (`.h`) are parts of models, not models.
const ENDINGS: [&str; 3] = ["pml", "prom", "promela"];

/// Words that bring C into a model.
const EMBEDDED_C: [&str; 5] = ["c_code", "c_expr", "c_decl", "c_state", "c_track"];

impl Model {
    /// Reads one file.
    pub fn read(path: &Path, name: String) -> io::Result<Model> {
        let bytes = std::fs::read(path)?;
        let source = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Model { path: std::path::absolute(path)?, name, source })
    }

    /// What the header of a corpus file says: the rest of `// key: …` among the first comment lines.
    pub fn header(&self, key: &str) -> Option<&str> {
        let comments = self.source.lines().map_while(|line| line.strip_prefix("//"));
        let mut values = comments.filter_map(|c| c.trim().strip_prefix(key)?.strip_prefix(':'));
        values.next().map(str::trim)
    }

    /// Whether parts of it are C, which only Spin can execute.
    pub fn embeds_c(&self) -> bool {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let code = self.source.lines().map(|l| l.split("//").next().unwrap_or(l));
        code.flat_map(|l| l.split(|c| !word(c))).any(|w| EMBEDDED_C.contains(&w))
    }
}

/// All models below a directory, by name; none if there is no such directory.
pub fn below(dir: &Path) -> io::Result<Vec<Model>> {
    let mut paths = Vec::new();
    collect(dir, &mut paths)?;
    paths.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        Model::read(&path, name)
    };
    paths.into_iter().map(named).collect()
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|e| ENDINGS.iter().any(|known| e == *known)) {
            paths.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_headers_and_notices_c() {
        let source = "// about: x\n// states: 12\nbyte c_codex; // c_code\n".to_owned();
        let mut model = Model { path: PathBuf::new(), name: String::new(), source };
        assert_eq!(model.header("states"), Some("12"));
        assert_eq!(model.header("expect"), None);
        assert!(!model.embeds_c());
        model.source.push_str("c_code { int x; }");
        assert!(model.embeds_c());
    }
}
