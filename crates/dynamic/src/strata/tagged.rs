//! Strata by states and symbols: SSR\[k\] as reachability without a bound. Global states are tagged with the
//! stratum, symbols with the switch number. This is what is left where new threads have the switch number 0
//! (\[DYN\] Section 6): then threads of the first stratum create others of the same, and their order matters.

use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move, Resume, Rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};

/// The tagged network.
pub(crate) struct Tagged {
    pub network: Dcps,
    rules: Vec<usize>,
    resumes: Vec<usize>,
}

/// Rules and activations of a tagged network beyond which it is not made.
const MOST_RULES: u64 = 2_000_000;

/// Whether the tagged network is small enough to be made.
pub(crate) fn fits(dcps: &Dcps, k: u32) -> bool {
    let strata = u64::from(k) + 1;
    let rules = (dcps.rules.len() as u64).saturating_mul(strata);
    let resumes = (dcps.resumes.len() as u64).saturating_mul(strata.saturating_mul(strata));
    let names = (dcps.states.len().max(dcps.symbols.len()) as u64).saturating_mul(strata + 1);
    rules.saturating_add(resumes).saturating_add(names) <= MOST_RULES
}

/// Tags a finite-state network whose new threads have the switch number 0.
pub(crate) fn tag(dcps: &Dcps, k: u32) -> Tagged {
    let state = |state: StateId, stratum: u32| StateId(state.0 * (k + 1) + stratum);
    // Threads beyond the last stratum never run: one symbol number more than there are strata.
    let symbol = |symbol: SymbolId, number: u32| SymbolId(symbol.0 * (k + 2) + number);
    let names = |names: &[String], count: u32| {
        names.iter().flat_map(|name| (0..count).map(move |tag| format!("{name}.{tag}"))).collect()
    };
    let mut tagged = Tagged {
        network: Dcps {
            states: names(&dcps.states, k + 1),
            symbols: names(&dcps.symbols, k + 2),
            initial: state(dcps.initial, 0),
            initial_symbol: symbol(dcps.initial_symbol, 0),
            targets: dcps
                .targets
                .iter()
                .flat_map(|(target, span)| (0..=k).map(|i| (state(*target, i), *span)))
                .collect(),
            rules: Vec::new(),
            resumes: Vec::new(),
        },
        rules: Vec::new(),
        resumes: Vec::new(),
    };
    for (index, rule) in dcps.rules.iter().enumerate() {
        for stratum in 0..=k {
            let number = stratum + u32::from(rule.kind == Kind::Yield);
            tagged.network.rules.push(Rule {
                from: state(rule.from, stratum),
                top: symbol(rule.top, stratum),
                to: state(rule.to, stratum),
                push: rule.push.iter().map(|pushed| symbol(*pushed, number)).collect(),
                spawn: rule.spawn.map(|spawned| symbol(spawned, 0)),
                ..rule.clone()
            });
            tagged.rules.push(index);
        }
    }
    for (index, resume) in dcps.resumes.iter().enumerate() {
        for (now, next) in (0..=k).flat_map(|now| (now..=k).map(move |next| (now, next))) {
            tagged.network.resumes.push(Resume {
                from: state(resume.from, now),
                to: state(resume.to, next),
                top: symbol(resume.top, next),
                ..resume.clone()
            });
            tagged.resumes.push(index);
        }
    }
    tagged
}

impl Tagged {
    /// The same run without tags.
    pub(crate) fn untag(&self, moves: &mut [Move]) {
        for next in moves {
            next.action = match next.action {
                Action::Rule(index) => Action::Rule(self.rules[index]),
                Action::Resume(index) => Action::Resume(self.resumes[index]),
            };
        }
    }
}
