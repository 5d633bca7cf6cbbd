//! From the command line of `check` to a request. Most options are fields of it already.

use selvedge_verify::engine::ENGINES;
use selvedge_verify::request::{Dynamic, Properties, Request};
use selvedge_verify::{Choice, LoadOptions};

use super::CheckArgs;
use crate::memory;

impl CheckArgs {
    /// What is asked of each model.
    pub fn request(&self) -> Request {
        Request {
            engine: self.boolprog.engine,
            bounds: self.bounds.clone(),
            properties: Properties {
                claims: self.properties.claims(),
                deadlock: self.boolprog.deadlock,
                ..self.properties.others.clone()
            },
            search: self.search.clone(),
            symbolic: self.boolprog.symbolic.clone(),
            dynamic: Dynamic { certificate: self.nets.certificate.is_some(), ..self.nets.dynamic.clone() },
            machine: self.boolprog.run.limits,
            limits: selvedge_verify::Limits {
                time: self.time_limit,
                memory: match self.memory_limit {
                    None => memory::limit(None).map(|bytes| bytes / self.at_once() as u64),
                    given => memory::limit(given),
                },
                states: self.max_states,
                depth: self.max_depth,
            },
            recheck: self.recheck,
        }
    }

    /// How each model is loaded.
    pub fn load_options(&self) -> LoadOptions {
        LoadOptions {
            language: self.language,
            dialect: self.boolprog.run.dialect,
            ..self.include.load_options(&self.definitions)
        }
    }

    /// How many models are checked at once.
    pub fn at_once(&self) -> usize {
        self.files.len().min(self.threads as usize).max(1)
    }
}

/// The engines and what they read, for the help text.
pub fn engines() -> String {
    let mut text = String::from("Engines:\n");
    for row in ENGINES.iter().filter(|row| row.is_available()) {
        let languages: Vec<&str> = row.languages.iter().map(|language| language.name()).collect();
        text.push_str(&format!("  {:<9} {}: {}\n", row.engine.name(), languages.join(", "), row.about));
    }
    text.trim_end().to_owned()
}
