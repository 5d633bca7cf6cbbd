//! Options for dynamic networks and nets.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Of `check`.
#[derive(Debug, Args)]
pub struct NetArgs {
    /// A new thread has the switch number 0, so that each has K switches of its own; by default it has its creator's plus
    /// one
    #[arg(long, help_heading = "Dynamic networks and nets")]
    pub fresh_switches: bool,
    /// If there is no violation, write the proof; `selvedge certify` checks it
    #[arg(long, value_name = "F.json", help_heading = "Dynamic networks and nets")]
    pub certificate: Option<PathBuf>,
    /// Who solves the formulas of --strata: the solver that is built in, or an installed one [default: builtin]
    #[arg(long, value_name = "SOLVER", help_heading = "Dynamic networks and nets")]
    pub solver: Option<SolverName>,
}

/// `--solver`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SolverName {
    Builtin,
    Z3,
    Cvc5,
}

/// Of every command that executes a model.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NetRunArgs {
    /// Threads of a dynamic network, where it is executed state by state [default: 4]
    #[arg(long, value_name = "N", help_heading = "Dynamic networks and nets",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub thread_limit: Option<u32>,
    /// Tokens in a place of a net, where it is executed state by state [default: 8]
    #[arg(long, value_name = "N", help_heading = "Dynamic networks and nets",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub token_limit: Option<u32>,
}

impl NetArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        refusal(&[
            ("fresh-switches", self.fresh_switches),
            ("certificate", self.certificate.is_some()),
            ("solver", self.solver.is_some()),
        ])
    }
}

impl NetRunArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        refusal(&[("thread-limit", self.thread_limit.is_some()), ("token-limit", self.token_limit.is_some())])
    }
}

fn refusal(given: &[(&str, bool)]) -> Option<String> {
    let (name, _) = given.iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for dynamic networks (.dcps) and nets (.spec, .tts)"))
}
