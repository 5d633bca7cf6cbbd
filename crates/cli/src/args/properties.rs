//! Options of `check` and `swarm` that select the properties to check.

use clap::Args;

/// The properties; by default those of the file, assertions and deadlocks.
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// Check this property: the name of an `ltl` or `never` of the file, or a formula
    #[arg(long, value_name = "NAME|FORMULA", help_heading = "Properties", conflicts_with = "no_claim")]
    pub ltl: Option<String>,
    /// Report infinite runs that pass an `accept` label of a process infinitely often
    #[arg(long, help_heading = "Properties")]
    pub acceptance: bool,
    /// Report infinite runs that pass `progress` labels only finitely often
    #[arg(long, help_heading = "Properties")]
    pub non_progress: bool,
    /// Consider only weakly fair infinite runs: a process that stays enabled eventually runs
    #[arg(long, help_heading = "Properties")]
    pub fair: bool,
    /// Ignore the `never` claims and `ltl` formulas of the file
    #[arg(long, help_heading = "Properties")]
    pub no_claim: bool,
    /// Check only the part of a property that finite runs can violate
    #[arg(long, help_heading = "Properties")]
    pub safety_only: bool,
    /// Report a run that reaches this label, written LABEL or PROCESS@LABEL
    #[arg(long, value_name = "LABEL", help_heading = "Properties")]
    pub reach: Option<String>,
    /// Do not report deadlocks (invalid end states)
    #[arg(long, help_heading = "Properties")]
    pub no_deadlock: bool,
    /// Do not report failed assertions
    #[arg(long, help_heading = "Properties")]
    pub no_assert: bool,
}
