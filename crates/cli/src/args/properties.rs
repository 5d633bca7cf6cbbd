//! Options of `check` and `swarm` that select the properties to check.

use clap::Args;
use selvedge_verify::request::{Claims, Properties};

/// The properties; by default those of the file, assertions and deadlocks.
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// Check this property: the name of an `ltl` or `never` of the file, or a formula
    #[arg(long, value_name = "NAME|FORMULA", help_heading = "Properties", conflicts_with = "no_claim")]
    pub ltl: Option<String>,
    /// Ignore the `never` claims and `ltl` formulas of the file
    #[arg(long, help_heading = "Properties")]
    pub no_claim: bool,
    #[command(flatten)]
    pub others: Properties,
}

impl PropertyArgs {
    /// Which claims are checked.
    pub fn claims(&self) -> Claims {
        match (&self.ltl, self.no_claim) {
            (Some(text), _) => Claims::Chosen(text.clone()),
            (None, true) => Claims::None,
            (None, false) => Claims::Each,
        }
    }
}
