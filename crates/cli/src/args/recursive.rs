//! Options for Boolean programs and pushdown systems.

use clap::{Args, ValueEnum};

use super::NetRunArgs;

/// Of `check`.
#[derive(Debug, Args)]
pub struct RecursiveArgs {
    /// Who searches Boolean programs, pushdown systems and nets
    #[arg(long, value_name = "ENGINE", help_heading = "Boolean programs and pushdown systems")]
    pub engine: Option<Engine>,
    /// How the symbolic engine analyses: `lazy`, only what the threads really hand to each other; `eager`, every guess of it,
    /// checked in the end; `pds`, one pushdown system, state by state; `spds`, the same with relations [default: lazy]
    #[arg(long, value_name = "METHOD", help_heading = "Boolean programs and pushdown systems")]
    pub analysis: Option<Analysis>,
    /// Print the shared states that can be reached within the bound
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub print_reachable: bool,
    /// If there is a violation, print every place that lies on some run to one, with as few rounds
    #[arg(long, help_heading = "Boolean programs and pushdown systems")]
    pub error_projection: bool,
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
    #[command(flatten)]
    pub nets: NetRunArgs,
}

/// `--engine`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// State by state, calls up to --stack-limit
    Explicit,
    /// With decision diagrams, calls without limit, round by round: the default
    Symbolic,
    /// Threads without limit: the default for dynamic networks, nets, and programs that create threads without limit
    Dynamic,
}

/// `--analysis`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Analysis {
    #[default]
    Lazy,
    Eager,
    Pds,
    Spds,
}

/// `--dialect`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Dialect {
    Getafix,
    Satabs,
    Bopp,
}

impl From<Dialect> for selvedge_boolprog_syntax::Dialect {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Getafix => selvedge_boolprog_syntax::Dialect::Getafix,
            Dialect::Satabs => selvedge_boolprog_syntax::Dialect::Satabs,
            Dialect::Bopp => selvedge_boolprog_syntax::Dialect::Bopp,
        }
    }
}

impl RecursiveRunArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        let given = [("dialect", self.dialect.is_some()), ("stack-limit", self.stack_limit.is_some())];
        refusal(&given).or_else(|| self.nets.refusal())
    }
}

impl RecursiveArgs {
    /// Why these options are refused for another language, if one is given.
    pub fn refusal(&self) -> Option<String> {
        let symbolic = self.engine == Some(Engine::Symbolic);
        let dynamic = self.engine == Some(Engine::Dynamic);
        let given = [("engine symbolic", symbolic), ("engine dynamic", dynamic), ("deadlock", self.deadlock)];
        refusal(&given)
            .or_else(|| self.symbolic_only().and_then(|name| refusal(&[(name, true)])))
            .or_else(|| self.run.refusal())
    }

    /// An option that only the symbolic engine has, if one is given.
    pub fn symbolic_only(&self) -> Option<&'static str> {
        let given = [
            ("analysis", self.analysis.is_some()),
            ("print-reachable", self.print_reachable),
            ("error-projection", self.error_projection),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

fn refusal(given: &[(&str, bool)]) -> Option<String> {
    let (name, _) = given.iter().find(|(_, given)| *given)?;
    Some(format!("--{name} is for Boolean programs (.bp) and pushdown systems (.pds)"))
}
