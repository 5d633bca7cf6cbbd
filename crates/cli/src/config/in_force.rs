//! The project file that decided something in this run. Every answer names it: it may lie in a directory far above, and
//! switch off a property.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

/// A project file and the options of this command that it has set.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// Its path from here.
    pub path: String,
    /// The options as they would be typed.
    pub options: Vec<String>,
}

static IN_FORCE: OnceLock<ProjectFile> = OnceLock::new();

/// Remembers the file. There is one command line in a run, so this happens once.
pub(super) fn set(file: ProjectFile) {
    let _ = IN_FORCE.set(file);
}

/// A line about the file for people, if there is one.
pub fn line() -> Option<String> {
    let file = IN_FORCE.get()?;
    Some(format!("options from `{}`: {}\n", file.path, file.options.join(" ")))
}

/// Adds the file to a JSON document, if there is one.
pub fn add_to(fields: &mut Map<String, Value>) {
    if let Some(file) = IN_FORCE.get() {
        fields.insert("project_file".to_owned(), json!({"path": file.path, "options": file.options}));
    }
}
