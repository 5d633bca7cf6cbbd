//! Pushdown systems as they stand in `.pds` files: read as Boolean programs by the lazy analysis, they have the shared states that
//! the reduction to one pushdown system finds, and runs to their targets can be executed.

mod support;

use selvedge_core::Chance;
use selvedge_core::Silent;
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_nets_syntax::pds::{Pds, Rule, StateId, SymbolId, Thread};
use selvedge_source::{SourceMap, Span};
use selvedge_symbolic::analysis::{Options, analyse};
use selvedge_symbolic::from_pds::convert;
use selvedge_symbolic::pds::net::Net;
use selvedge_symbolic::pds::reduce::forward;
use support::budget;

const STATES: usize = 4;
const SYMBOLS: usize = 3;

fn random(seed: u64, span: Span) -> Pds {
    let mut chance = Chance::new(seed);
    let threads = 2 + chance.below(2);
    let thread = |index: usize, chance: &mut Chance| Thread {
        name: format!("t{index}"),
        span,
        symbols: (0..SYMBOLS).map(|symbol| format!("g{symbol}")).collect(),
        entry: SymbolId(chance.below(SYMBOLS) as u32),
        rules: (0..1 + chance.below(6))
            .map(|_| Rule {
                from: StateId(chance.below(STATES) as u32),
                top: SymbolId(chance.below(SYMBOLS) as u32),
                to: StateId(chance.below(STATES) as u32),
                push: (0..chance.below(3)).map(|_| SymbolId(chance.below(SYMBOLS) as u32)).collect(),
                span,
            })
            .collect(),
    };
    Pds {
        states: (0..STATES).map(|state| format!("p{state}")).collect(),
        initial: StateId(0),
        targets: vec![],
        threads: (0..threads).map(|index| thread(index, &mut chance)).collect(),
    }
}

#[test]
fn as_programs_and_as_systems() {
    let mut sources = SourceMap::new();
    let file = sources.add("random.pds", "pds");
    let span = Span { file, start: 0, end: 3 };
    let mut violated = 0;
    for seed in 0..400 {
        let mut pds = random(seed, span);
        for rounds in 1..=2 {
            let system = forward(&mut Net::new(&pds), rounds, &budget()).expect("in budget");
            let converted = convert(&pds);
            let options = Options { rounds: Some(rounds as u32), list_shared: 100, ..Options::default() };
            let outcome = analyse(&converted.program, &options, &budget(), &mut Silent).expect("small");
            let mut found: Vec<u64> =
                outcome.shared.iter().flatten().filter_map(|s| converted.state(s)).map(|s| u64::from(s.0)).collect();
            found.sort_unstable();
            assert_eq!(found, Vec::from_iter(system.shared.clone()), "seed {seed}, {rounds} rounds: {pds:?}");
        }
        // Each state that is reached, as a target.
        let reached = forward(&mut Net::new(&pds), 2, &budget()).expect("in budget").shared;
        pds.targets = vec![(StateId((seed % STATES as u64) as u32), span)];
        let converted = convert(&pds);
        let options = Options { rounds: Some(2), ..Options::default() };
        let outcome = analyse(&converted.program, &options, &budget(), &mut Silent).expect("small");
        assert_eq!(outcome.violation.is_some(), reached.contains(&(seed % STATES as u64)), "seed {seed}: {pds:?}");
        if let Some(violation) = outcome.violation {
            let machine = PdsMachine::new(pds, &sources, PdsOptions { stack_limit: 1000, ..PdsOptions::default() });
            let path = machine.run(&converted.rules(&violation.moves)).expect("the run can be executed");
            let state = path.steps.last().map_or(&path.initial, |step| &step.state);
            assert_eq!(u64::from(machine.shared(state).0), seed % STATES as u64);
            violated += 1;
        }
    }
    assert!(violated > 100, "{violated}");
}
