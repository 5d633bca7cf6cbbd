//! Random networks, and brute force on them: configurations explored one by one, with few threads and low
//! stacks. Threads beyond the cap are forgotten, which a scheduler may do with any thread.
#![allow(dead_code)]

use std::collections::HashSet;

use selvedge_core::{Budget, Chance, Interrupt, Limits};
use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::{FileId, Span};

/// Sizes of a random network.
pub struct Size {
    pub states: usize,
    pub symbols: usize,
    pub rules: usize,
    pub resumes: usize,
    pub recursive: bool,
}

/// A random network whose last state is the target.
pub fn network(chance: &mut Chance, size: &Size) -> Dcps {
    let span = Span::new(FileId(0), 0, 0);
    let name = |prefix: &str, n: usize| (0..n).map(|i| format!("{prefix}{i}")).collect();
    let target = StateId(size.states as u32 - 1);
    let mut rules = Vec::new();
    for _ in 0..size.rules {
        let symbol = |chance: &mut Chance| SymbolId(chance.below(size.symbols) as u32);
        let height = if size.recursive { [0, 1, 1, 2, 2][chance.below(5)] } else { [0, 1, 1][chance.below(3)] };
        let kind = if chance.once_in(3) { Kind::Yield } else { Kind::Step };
        let spawn = (kind == Kind::Step && chance.once_in(2)).then(|| symbol(chance));
        rules.push(Rule {
            from: StateId(chance.below(size.states) as u32),
            top: symbol(chance),
            to: if chance.once_in(6) { target } else { StateId(chance.below(size.states - 1) as u32) },
            push: (0..height).map(|_| symbol(chance)).collect(),
            spawn,
            kind,
            span,
        });
    }
    let resumes = (0..size.resumes).map(|_| Resume {
        from: StateId(chance.below(size.states) as u32),
        to: if chance.once_in(12) { target } else { StateId(chance.below(size.states - 1) as u32) },
        top: SymbolId(chance.below(size.symbols) as u32),
        span,
    });
    let resumes = resumes.collect();
    let (states, symbols) = (name("q", size.states), name("g", size.symbols));
    Dcps {
        states,
        symbols,
        initial: StateId(0),
        initial_symbol: SymbolId(0),
        targets: vec![(target, span)],
        rules,
        resumes,
    }
}

/// A budget without limits.
pub fn free() -> Budget {
    Budget::start(Limits::default(), Interrupt::new())
}

/// What is asked of brute force.
#[derive(Clone, Copy)]
pub struct Query {
    pub most: u32,
    pub stratified: bool,
    pub fresh: bool,
    /// Suspended threads that are remembered.
    pub threads: usize,
    /// Symbols on a stack.
    pub stack: usize,
    /// Configurations.
    pub configurations: usize,
}

/// Top last, and the switch number.
type Local = (Vec<u32>, u32);
/// Global state, active thread, the others in order, stratum.
type Configuration = (u32, Option<Local>, Vec<Local>, u32);

/// Whether the target is reached within the caps.
pub fn reaches(dcps: &Dcps, query: Query) -> bool {
    let start: Configuration = (dcps.initial.0, Some((vec![dcps.initial_symbol.0], 0)), Vec::new(), 0);
    let mut seen = HashSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some(configuration) = work.pop() {
        if dcps.targets.iter().any(|(target, _)| target.0 == configuration.0) {
            return true;
        }
        if seen.len() > query.configurations {
            return false;
        }
        for next in successors(dcps, query, &configuration) {
            if seen.insert(next.clone()) {
                work.push(next);
            }
        }
    }
    false
}

fn successors(dcps: &Dcps, query: Query, (state, active, idle, stratum): &Configuration) -> Vec<Configuration> {
    let mut list = Vec::new();
    let add = |idle: &mut Vec<Local>, thread: Local| {
        if thread.1 <= query.most && idle.len() < query.threads && !thread.0.is_empty() {
            idle.push(thread);
            idle.sort();
        }
    };
    match active {
        Some((stack, number)) => {
            let fits = |rule: &&Rule| rule.from.0 == *state && stack.last() == Some(&rule.top.0);
            for rule in dcps.rules.iter().filter(fits) {
                let mut stack = stack.clone();
                stack.pop();
                stack.extend(rule.push.iter().rev().map(|symbol| symbol.0));
                if stack.len() > query.stack {
                    continue;
                }
                let mut idle = idle.clone();
                if let Some(symbol) = rule.spawn {
                    add(&mut idle, (vec![symbol.0], if query.fresh { 0 } else { number + 1 }));
                }
                let active = match rule.kind {
                    Kind::Step => Some((stack, *number)),
                    Kind::Yield => {
                        add(&mut idle, (stack, number + 1));
                        None
                    }
                };
                list.push((rule.to.0, active, idle, *stratum));
            }
        }
        None => {
            for (index, (stack, number)) in idle.iter().enumerate() {
                if *number > query.most || query.stratified && number < stratum {
                    continue;
                }
                let fits = |resume: &&Resume| resume.from.0 == *state && stack.last() == Some(&resume.top.0);
                for resume in dcps.resumes.iter().filter(fits) {
                    let mut others = idle.clone();
                    others.remove(index);
                    let stratum = if query.stratified { *number } else { 0 };
                    list.push((resume.to.0, Some((stack.clone(), *number)), others, stratum));
                }
            }
        }
    }
    list
}
