//! Options for Boolean programs and pushdown systems.

use clap::{Args, ValueEnum};

/// Of `check`.
#[derive(Debug, Args)]
pub struct RecursiveArgs {
    /// Who searches Boolean programs and pushdown systems
    #[arg(long, value_name = "ENGINE", help_heading = "Boolean programs and pushdown systems")]
    pub engine: Option<Engine>,
    /// Threads that are stuck for ever are a violation. By default a false `assume` only ends the
    /// run, as it is meant in these languages
    #[arg(long, help_heading = "Boolean programs and pushdown systems", conflicts_with = "no_deadlock")]
    pub deadlock: bool,
    #[command(flatten)]
    pub run: RecursiveRunArgs,
}

/// Of every command that executes a model.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct RecursiveRunArgs {
    /// How operators of Boolean programs bind [default: found out from the file]
    #[arg(long, value_name = "DIALECT", help_heading = "Boolean programs and pushdown systems")]
    pub dialect: Option<Dialect>,
    /// Calls inside each other that are followed [default: 32]
    #[arg(long, value_name = "N", help_heading = "Boolean programs and pushdown systems",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub stack_limit: Option<u32>,
}

/// `--engine`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    Explicit,
    #[value(hide = true)]
    Symbolic,
}

/// `--dialect`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    Getafix,
    Satabs,
    Bopp,
}

impl From<Dialect> for selvedge_boolprog::Dialect {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Getafix => selvedge_boolprog::Dialect::Getafix,
            Dialect::Satabs => selvedge_boolprog::Dialect::Satabs,
            Dialect::Bopp => selvedge_boolprog::Dialect::Bopp,
        }
    }
}

impl RecursiveRunArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        let given = [("dialect", self.dialect.is_some()), ("stack-limit", self.stack_limit.is_some())];
        refusal(&given)
    }
}

impl RecursiveArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        let symbolic = self.engine == Some(Engine::Symbolic);
        refusal(&[("engine symbolic", symbolic), ("deadlock", self.deadlock)]).or_else(|| self.run.refusal())
    }
}

fn refusal(given: &[(&str, bool)]) -> Option<String> {
    let (name, _) = given.iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for Boolean programs (.bp) and pushdown systems (.pds)"))
}
