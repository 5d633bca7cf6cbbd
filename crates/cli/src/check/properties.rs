//! What a run checks and what it does not, in words. A run that checks nothing is no success.

use selvedge_promela::build::Built;

use crate::args::CheckArgs;

/// Properties of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is checked, runtime errors aside.
    pub properties: Vec<String>,
    /// Runs of this language can have runtime errors, and they are violations.
    pub runtime_errors: bool,
    /// What is not, each with the reason.
    pub not_checked: Vec<String>,
    /// The places of assertions that no run comes to; empty where that is not known.
    pub never_reached: Vec<String>,
}

impl Checked {
    /// What the options and the model amount to.
    pub fn of(args: &CheckArgs, built: &Built) -> Self {
        let mut checked = Checked { runtime_errors: true, ..Checked::default() };
        checked.assertions(args, built);
        checked.end_states(args, built);
        checked.claims(args, built);
        if let Some(label) = &args.reach {
            checked.properties.push(format!("label `{label}` is not reached"));
        }
        if built.has_events {
            checked.properties.push("the event trace".to_owned());
        }
        checked.cycles(args, built);
        checked
    }

    /// Nothing of any kind is checked; runtime errors alone are no property.
    pub fn nothing(&self) -> bool {
        self.properties.is_empty()
    }

    /// For the list of what was checked.
    pub fn listed(&self) -> Vec<String> {
        let runtime_errors = (self.runtime_errors && !self.nothing()).then(|| "runtime errors".to_owned());
        self.properties.iter().cloned().chain(runtime_errors).collect()
    }

    fn assertions(&mut self, args: &CheckArgs, built: &Built) {
        match (args.no_assert, built.assertions) {
            (true, _) => self.not("assertions", "because of --no-assert"),
            (false, 0) => self.not("assertions", "because the model has none"),
            (false, n) => self.properties.push(format!("assertions ({n})")),
        }
    }

    fn end_states(&mut self, args: &CheckArgs, built: &Built) {
        match (args.no_deadlock, built.claim.is_some()) {
            (true, _) => self.not("invalid end states", "because of --no-deadlock"),
            (false, true) => self.not("invalid end states", "because a claim is in force (--no-claim leaves it out)"),
            (false, false) => self.properties.push("invalid end states".to_owned()),
        }
    }

    fn claims(&mut self, args: &CheckArgs, built: &Built) {
        if let Some(name) = &built.claim_name {
            let finite_part = built.liveness && args.safety_only;
            let part = if finite_part { "the safety part of " } else { "" };
            self.properties.push(format!("{part}claim `{name}`"));
            if finite_part {
                self.not(&format!("the liveness part of claim `{name}`"), "because of --safety-only");
            }
        }
        if !built.other_claims.is_empty() {
            let names: Vec<String> = built.other_claims.iter().map(|name| format!("`{name}`")).collect();
            let claims = format!("claim{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "));
            let why = if args.no_claim {
                "because of --no-claim"
            } else {
                "because one claim is checked at a time (--ltl NAME chooses)"
            };
            self.not(&claims, why);
        }
    }

    /// Properties of infinite runs that labels mark; looked at on request only.
    fn cycles(&mut self, args: &CheckArgs, built: &Built) {
        let program = built.machine.program();
        let labels = || program.protos.iter().flat_map(|p| &p.controls).flat_map(|control| &control.labels);
        let fair = if args.fair { "fair " } else { "" };
        let kinds = [
            ("accept", "acceptance cycles", "--acceptance", args.acceptance),
            ("progress", "non-progress cycles", "--non-progress", args.non_progress),
        ];
        for (prefix, cycles, option, asked) in kinds {
            if asked {
                self.properties.push(format!("{fair}{cycles}"));
            } else if labels().any(|label| label.starts_with(prefix)) {
                self.not(cycles, &format!("because {option} was not given"));
            }
        }
    }

    /// Adds what is not checked, and why.
    pub fn not(&mut self, what: &str, why: &str) {
        self.not_checked.push(format!("{what}, {why}"));
    }
}
