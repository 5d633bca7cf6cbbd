//! Pushdown systems: printing and parsing, the machine against a search on lists of symbols, damaged
//! files, replay.

use std::collections::{BTreeSet, HashSet};

use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{Bound, Chance};
use selvedge_machine::{Counting, Heading, Machine, Steps, Turn, classify, narrate};
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_nets_judge::pds::replay;
use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId, parse, print};
use selvedge_source::{Diagnostics, SourceMap};

fn random(seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let (states, symbols) = (2 + chance.remainder(3), 1 + chance.remainder(3));
    let mut text = format!("pds\ninit p0\ntarget p{}\n", states - 1);
    for thread in 1..=1 + chance.remainder(3) {
        text.push_str(&format!("thread T{thread} entry s0\n"));
        for _ in 0..4 + chance.remainder(6) {
            let (from, to) = (chance.remainder(states), chance.remainder(states));
            let top = chance.remainder(symbols);
            let push: String = (0..chance.remainder(3)).map(|_| format!(" s{}", chance.remainder(symbols))).collect();
            let right = if push.is_empty() { String::new() } else { format!(",{push}") };
            text.push_str(&format!("  (p{from}, s{top}) -> (p{to}{right})\n"));
        }
    }
    text
}

fn read(text: &str) -> (Option<Pds>, SourceMap, Diagnostics) {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = sources.add("m.pds", text);
    let pds = parse(file, text, &mut found);
    (pds, sources, found)
}

type Config = (StateId, Vec<Vec<SymbolId>>);

/// Every configuration with stacks up to `limit`, tops last.
fn brute(pds: &Pds, limit: usize) -> BTreeSet<Config> {
    let start: Config = (pds.initial, pds.threads.iter().map(|thread| vec![thread.entry]).collect());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut work = vec![start];
    while let Some((state, stacks)) = work.pop() {
        if pds.targets.iter().any(|(target, _)| *target == state) {
            continue;
        }
        for (index, thread) in pds.threads.iter().enumerate() {
            for rule in thread.rules.iter().filter(|r| r.from == state && stacks[index].last() == Some(&r.top)) {
                let mut next = stacks.clone();
                next[index].pop();
                next[index].extend(rule.push.iter().rev());
                if next[index].len() <= limit && seen.insert((rule.to, next.clone())) {
                    work.push((rule.to, next));
                }
            }
        }
    }
    seen
}

#[test]
fn the_machine_reaches_what_a_search_on_lists_reaches() {
    let mut large = 0;
    for seed in 0..400 {
        let (pds, sources, _) = read(&random(seed));
        let pds = pds.expect("it parses");
        let expected = brute(&pds, 4);
        let machine = PdsMachine::new(pds, &sources, PdsOptions { stack_limit: 4, deadlock: false });
        let mut initial = Vec::new();
        machine.initial(&mut initial);
        let mut seen = HashSet::from([initial.clone()]);
        let mut work = vec![initial];
        while let Some(state) = work.pop() {
            let mut steps = Steps::new();
            machine.steps(&state, Turn::Any, &mut (), &mut steps);
            for step in &steps.list {
                let next = steps.state(step).expect("complete").to_vec();
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        assert_eq!(seen.len(), expected.len(), "seed {seed}\n{}", random(seed));
        let shared = |states: &HashSet<Vec<u8>>| -> BTreeSet<StateId> {
            states.iter().map(|state| machine.shared(state)).collect()
        };
        let expected: BTreeSet<StateId> = expected.iter().map(|(state, _)| *state).collect();
        assert_eq!(shared(&seen), expected, "seed {seed}\n{}", random(seed));
        large += u32::from(seen.len() > 20);
    }
    assert!(large > 40, "only {large} systems are of any size");
}

#[test]
fn printed_systems_are_read_as_they_were() {
    for seed in 0..200 {
        let text = random(seed);
        let pds = read(&text).0.expect("it parses");
        let printed = print(&pds);
        let again = read(&printed).0.expect("it parses again");
        assert_eq!(print(&again), printed);
        assert_eq!(brute(&again, 3).len(), brute(&pds, 3).len(), "{text}");
    }
}

#[test]
fn runs_are_replayed_and_changed_runs_refused() {
    let text = "pds\ninit p\ntarget r\nthread A entry a\n(p, a) -> (q, b c)\n(q, b) -> (q)\n(q, c) -> (r, c)\n";
    let (pds, sources, _) = read(text);
    let machine = PdsMachine::new(pds.expect("it parses"), &sources, PdsOptions::default());
    assert!(machine.run(&[(0, 1)]).is_none(), "the second rule cannot be first");
    let path = machine.run(&[(0, 0), (0, 1), (0, 2)]).expect("a run");
    let fault = machine.state_fault(&path.steps[2].state).expect("the target");
    let input = TraceInput { path: "m.pds".into(), language: "pds".into(), sha256: String::new() };
    let heading = Heading { input, options: TraceOptions::default(), bound: Bound::UNBOUNDED };
    let switches = classify(&machine, &path, Counting::default());
    let mut trace = narrate(&machine, &sources, &path, &switches, Some(&fault), heading);
    assert_eq!(replay(machine.pds(), &sources, &trace), Ok(()));
    trace.steps.remove(1);
    assert_eq!(replay(machine.pds(), &sources, &trace).map_err(|error| error.step()), Err(Some(2)));
    trace.steps.truncate(1);
    assert_eq!(replay(machine.pds(), &sources, &trace).map_err(|error| error.step()), Err(Some(2)));
}

#[test]
fn damaged_files_never_make_it_panic() {
    let mut chance = Chance::new(9);
    for seed in 0..1_000 {
        let text = random(seed);
        let (from, length) = (chance.remainder(text.len() as u64) as usize, chance.remainder(8) as usize);
        let damaged = format!("{}{}", &text[..from], &text[(from + length).min(text.len())..]);
        let (pds, _, found) = read(&damaged);
        assert_eq!(pds.is_none(), found.has_errors(), "{damaged}");
    }
}
