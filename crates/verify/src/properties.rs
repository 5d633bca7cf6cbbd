//! What a run checks and what it does not, in words. A run that checks nothing is no success.

use std::collections::BTreeSet;

use selvedge_boolprog::program::{Op, Program};
use selvedge_promela::build::Built;

use crate::model::{BoolModel, Executable, OpenModel};
use crate::parts::Scope;
use crate::request::{Claims, Properties, Request};

/// Properties of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is checked, runtime errors aside.
    pub properties: Vec<String>,
    /// Runs of this language can have runtime errors, and they are violations.
    pub runtime_errors: bool,
    /// What is not, each with the reason.
    pub not_checked: Vec<String>,
    /// The places of assertions that no run reaches; empty where that is not known.
    pub never_reached: Vec<String>,
    /// The places of other statements that no run executes; empty where that is not known.
    pub never_executed: Vec<String>,
}

impl Checked {
    /// What the request and the model amount to, of a part of it if claims are searched alone.
    pub(crate) fn of(request: &Request, model: &OpenModel, scope: Scope) -> Self {
        let asked = &request.properties;
        let mut checked = Checked::default();
        match &model.executable {
            Executable::Promela(promela) if scope == Scope::Claim => checked.claim(asked, &promela.built),
            Executable::Promela(promela) => checked.promela(asked, &promela.built, scope),
            Executable::Bool(model) => checked.boolean(asked, model),
            Executable::Pds(machine) => {
                let pds = machine.pds();
                checked.targets(pds.targets.iter().map(|(state, _)| format!("`{}`", pds.states[state.0 as usize])));
            }
            Executable::Dcps(machine) => {
                let dcps = machine.dcps();
                checked.targets(dcps.targets.iter().map(|(state, _)| format!("`{}`", dcps.state_name(*state))));
            }
            Executable::Net(model) => {
                let net = model.machine.net();
                checked.targets(net.targets.iter().map(|target| format!("`{}`", net.shown(&target.need))));
            }
        }
        if !matches!(model.executable, Executable::Promela(_)) {
            // No label marks progress in these languages, so every infinite run is a non-progress cycle.
            if asked.non_progress {
                checked.properties.push(format!("{}non-progress cycles", if asked.fair { "fair " } else { "" }));
            }
            checked.stuck_threads(asked, model);
        }
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

    /// Nothing but claims is checked.
    pub(crate) fn only_claims(&self) -> bool {
        self.properties.iter().all(|property| property.contains("claim `"))
    }

    /// What two searches check together.
    pub(crate) fn and(mut self, other: &Checked) -> Self {
        self.properties.extend_from_slice(&other.properties);
        self.not_checked.extend_from_slice(&other.not_checked);
        self.never_reached.extend_from_slice(&other.never_reached);
        self.never_executed.extend_from_slice(&other.never_executed);
        self.runtime_errors |= other.runtime_errors;
        self
    }

    fn promela(&mut self, asked: &Properties, built: &Built, scope: Scope) {
        self.runtime_errors = true;
        self.assertions(asked, built.assertions, "model");
        match (asked.no_deadlock, built.claim.is_some()) {
            (false, false) if asked.non_progress => self.not("invalid end states", "because of --non-progress"),
            (true, _) => self.not("invalid end states", "because of --no-deadlock"),
            (false, true) => {
                self.not("invalid end states", "because a claim is in force (without --ltl they are checked)")
            }
            (false, false) => self.properties.push("invalid end states".to_owned()),
        }
        self.claim(asked, built);
        if scope == Scope::Whole {
            self.other_claims(asked, built);
        }
        if let Some(label) = &asked.reach {
            self.properties.push(format!("label `{label}` is not reached"));
        }
        if built.has_events {
            self.properties.push("the event trace".to_owned());
        }
        self.cycles(asked, built);
    }

    fn assertions(&mut self, asked: &Properties, number: usize, of: &str) {
        match (asked.no_assert, number) {
            (true, _) => self.not("assertions", "because of --no-assert"),
            (false, 0) => self.not("assertions", &format!("because the {of} has none")),
            (false, n) => self.properties.push(format!("assertions ({n})")),
        }
    }

    fn claim(&mut self, asked: &Properties, built: &Built) {
        self.runtime_errors = true;
        if let Some(name) = &built.claim_name {
            let finite_part = built.liveness && asked.safety_only;
            let part = if finite_part { "the safety part of " } else { "" };
            self.properties.push(format!("{part}claim `{name}`"));
            if finite_part {
                self.not(&format!("the liveness part of claim `{name}`"), "because of --safety-only");
            }
        }
    }

    fn other_claims(&mut self, asked: &Properties, built: &Built) {
        if !built.other_claims.is_empty() {
            let names: Vec<String> = built.other_claims.iter().map(|name| format!("`{name}`")).collect();
            let claims = format!("claim{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "));
            let why = match asked.claims {
                Claims::None => "because of --no-claim",
                _ => "because of --ltl",
            };
            self.not(&claims, why);
        }
    }

    /// Properties of infinite runs that labels mark; checked on request only.
    fn cycles(&mut self, asked: &Properties, built: &Built) {
        let program = built.machine.system.program();
        let labels = || program.protos.iter().flat_map(|p| &p.controls).flat_map(|control| &control.labels);
        let fair = if asked.fair { "fair " } else { "" };
        let kinds = [
            ("accept", "acceptance cycles", "--acceptance", asked.acceptance),
            ("progress", "non-progress cycles", "--non-progress", asked.non_progress),
        ];
        for (prefix, cycles, option, wanted) in kinds {
            if wanted {
                self.properties.push(format!("{fair}{cycles}"));
            } else if labels().any(|label| label.starts_with(prefix)) {
                self.not(cycles, &format!("because {option} was not given"));
            }
        }
    }

    fn boolean(&mut self, asked: &Properties, model: &BoolModel) {
        self.assertions(asked, assertions(&model.program), "program");
        let mut labels: BTreeSet<&str> = model.program.targets.iter().map(|target| target.label.as_str()).collect();
        labels.extend(asked.reach.as_deref());
        self.properties.extend(labels.into_iter().map(|label| format!("label `{label}` is not reached")));
    }

    fn targets(&mut self, names: impl Iterator<Item = String>) {
        let names: BTreeSet<String> = names.collect();
        match names.is_empty() {
            true => self.not("targets", "because the file has none"),
            false => self.properties.push(format!("targets {}", Vec::from_iter(names).join(", "))),
        }
    }

    fn stuck_threads(&mut self, asked: &Properties, model: &OpenModel) {
        let why = match asked.deadlock {
            true => {
                self.properties.push("invalid end states".to_owned());
                return;
            }
            false if model.is_net() => "because a run may end anywhere (--engine explicit --deadlock checks them)",
            false if matches!(model.executable, Executable::Pds(_)) => {
                "because a thread without a rule only ends a run (--deadlock checks them)"
            }
            false => "because a false `assume` only ends a run (--deadlock checks them)",
        };
        self.not("invalid end states", why);
    }

    /// Adds what is not checked, and why.
    fn not(&mut self, what: &str, why: &str) {
        self.not_checked.push(format!("{what}, {why}"));
    }
}

/// Assertions of the source.
fn assertions(program: &Program) -> usize {
    let spans = program.edges.iter().filter(|edge| matches!(edge.op, Op::Assert(_))).map(|edge| edge.span);
    spans.collect::<BTreeSet<_>>().len()
}
