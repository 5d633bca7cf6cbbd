//! Executes a run of a network move by move, without any of the constructions that found it: what every
//! run of the analyses here has to pass. Threads have their whole stacks and their switch numbers.

use selvedge_nets_syntax::dcps::{Action, Dcps, Kind, Move};
use selvedge_nets_syntax::pds::SymbolId;

/// What a run must keep to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The greatest switch number of a thread that runs.
    pub most: Option<u32>,
    /// Threads run in the order of their switch numbers.
    pub stratified: bool,
    /// A new thread has the switch number 0, not its creator's plus one.
    pub fresh_switches: bool,
}

struct Thread {
    /// The top last.
    stack: Vec<SymbolId>,
    switches: u32,
}

/// Executes the moves from the start. `Err` has the move (from 0) that cannot be executed, and the reason; the number
/// of moves if the run does not end in a target.
pub fn follow(dcps: &Dcps, rules: Rules, moves: &[Move]) -> Result<(), (usize, String)> {
    let mut state = dcps.initial;
    let mut threads = vec![Thread { stack: vec![dcps.initial_symbol], switches: 0 }];
    let mut active = Some(0);
    let mut stratum = 0;
    for (index, Move { thread, action }) in moves.iter().enumerate() {
        let refused = |why: &str| Err((index, format!("thread {thread}: {why}")));
        let Some(runner) = threads.get_mut(*thread) else { return refused("does not exist") };
        match action {
            Action::Resume(position) => {
                let Some(resume) = dcps.resumes.get(*position) else { return refused("no such activation") };
                if active.is_some() || resume.from != state || runner.stack.last() != Some(&resume.top) {
                    return refused("cannot be activated");
                }
                if rules.most.is_some_and(|most| runner.switches > most) {
                    return refused("has no switch left");
                }
                if rules.stratified && runner.switches < stratum {
                    return refused("belongs to a stratum that is over");
                }
                stratum = runner.switches.max(stratum);
                (state, active) = (resume.to, Some(*thread));
            }
            Action::Rule(position) => {
                let Some(rule) = dcps.rules.get(*position) else { return refused("no such rule") };
                if active != Some(*thread) || rule.from != state || runner.stack.last() != Some(&rule.top) {
                    return refused("cannot follow the rule");
                }
                runner.stack.pop();
                runner.stack.extend(rule.push.iter().rev());
                let switches = if rules.fresh_switches { 0 } else { runner.switches + 1 };
                if rule.kind == Kind::Yield {
                    runner.switches += 1;
                    active = None;
                }
                state = rule.to;
                threads.extend(rule.spawn.map(|symbol| Thread { stack: vec![symbol], switches }));
            }
        }
    }
    match dcps.is_target(state) {
        true => Ok(()),
        false => Err((moves.len(), "the run does not end in a target".to_owned())),
    }
}
