//! From the options of `check` to a request, in one place.

use selvedge_verify::request::{Bounds, Claims, Dynamic, MachineLimits, Properties, Request, Search, Symbolic};
use selvedge_verify::{Choice, LoadOptions, table};

use super::{BoolProgRunArgs, CheckArgs};
use crate::memory;

impl CheckArgs {
    /// What is asked of each model.
    pub fn request(&self) -> Request {
        Request {
            engine: self.boolprog.engine,
            bounds: Bounds {
                preemptions: self.bounds.preemptions,
                switches: self.bounds.switches,
                rounds: self.bounds.rounds,
                thread_switches: self.bounds.thread_switches,
                strata: self.bounds.strata,
                depth: self.bounds.depth,
                unbounded: self.bounds.unbounded,
                max_bound: self.bounds.max_bound,
            },
            properties: self.properties(),
            search: Search {
                kind: self.search,
                reduction: self.reduction,
                store: self.store,
                bitstate_bytes: self.bitstate_bytes,
                hashes: self.hashes,
                seed: self.seed,
                count_busy_wait: self.count_busy_wait,
                minimize: self.minimize,
                optimize: self.optimize,
                all_violations: self.all_violations,
                keep_going: self.keep_going,
            },
            symbolic: Symbolic {
                analysis: self.boolprog.analysis,
                print_reachable: self.boolprog.print_reachable,
                error_projection: self.boolprog.error_projection,
            },
            dynamic: Dynamic {
                fresh_switches: self.nets.fresh_switches,
                certificate: self.nets.certificate.is_some(),
                solver: self.nets.solver,
            },
            machine: self.boolprog.run.limits(),
            limits: selvedge_verify::Limits {
                time: self.time_limit,
                memory: self.memory_limit.or_else(|| Some(memory::default_limit()? / self.at_once() as u64)),
                states: self.max_states,
                depth: self.max_depth,
            },
            recheck: self.recheck,
        }
    }

    /// The properties to check.
    fn properties(&self) -> Properties {
        let claims = match (&self.properties.ltl, self.properties.no_claim) {
            (Some(text), _) => Claims::Chosen(text.clone()),
            (None, true) => Claims::None,
            (None, false) => Claims::Each,
        };
        Properties {
            claims,
            acceptance: self.properties.acceptance,
            non_progress: self.properties.non_progress,
            fair: self.properties.fair,
            safety_only: self.properties.safety_only,
            reach: self.properties.reach.clone(),
            no_deadlock: self.properties.no_deadlock,
            no_assert: self.properties.no_assert,
            deadlock: self.boolprog.deadlock,
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

impl BoolProgRunArgs {
    /// Limits of machines.
    pub fn limits(&self) -> MachineLimits {
        MachineLimits { stack: self.stack_limit, threads: self.nets.thread_limit, tokens: self.nets.token_limit }
    }
}

/// The engines and what they read, for the help text.
pub fn engines() -> String {
    let mut text = String::from("Engines:\n");
    for row in table::ENGINES.iter().rev().filter(|row| row.available) {
        let languages: Vec<&str> = row.languages.iter().map(|language| language.name()).collect();
        text.push_str(&format!("  {:<9} {}: {}\n", row.engine.name(), languages.join(", "), row.about));
    }
    text.trim_end().to_owned()
}
