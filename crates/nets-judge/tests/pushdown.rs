//! Random pushdown systems: exploration, proofs and random runs of the judge agree with each other.

use selvedge_core::{Bound, BoundKind, Chance, Effort, Runs};
use selvedge_nets_judge::pds::{explore, explore_rounds, prove, sample};
use selvedge_nets_syntax::pds::{Pds, Rule, StateId, SymbolId, Thread};
use selvedge_source::{FileId, Span};

const SPAN: Span = Span { file: FileId(0), start: 0, end: 3 };
const STATES: usize = 5;
const SYMBOLS: usize = 3;
const EFFORT: Effort = Effort { steps: 30_000, stack: 6 };

fn state(chance: &mut Chance) -> StateId {
    StateId(chance.below(STATES) as u32)
}

fn symbol(chance: &mut Chance) -> SymbolId {
    SymbolId(chance.below(SYMBOLS) as u32)
}

fn random(seed: u64) -> Pds {
    let mut chance = Chance::new(seed);
    let thread = |index: usize, chance: &mut Chance| Thread {
        name: format!("t{index}"),
        span: SPAN,
        symbols: (0..SYMBOLS).map(|symbol| format!("g{symbol}")).collect(),
        entry: symbol(chance),
        rules: (0..2 + chance.below(6))
            .map(|_| Rule {
                from: state(chance),
                top: symbol(chance),
                to: state(chance),
                push: (0..chance.below(3)).map(|_| symbol(chance)).collect(),
                span: SPAN,
            })
            .collect(),
    };
    Pds {
        states: (0..STATES).map(|state| format!("p{state}")).collect(),
        initial: StateId(0),
        targets: vec![(StateId(STATES as u32 - 1), SPAN)],
        threads: (0..2 + chance.below(2)).map(|index| thread(index, &mut chance)).collect(),
    }
}

#[test]
fn explorations_proofs_and_runs_agree() {
    let (mut proved, mut saturated, mut sampled) = (0, 0, 0);
    for seed in 0..2_000 {
        let pds = random(seed);
        let whole = explore(&pds, EFFORT);
        let proof = prove(&pds, EFFORT);
        assert!(proof.complete, "seed {seed}: proofs are small");
        assert!(!proof.confirms() || whole.violations.is_empty(), "seed {seed}: {proof:?}, {whole:?}");
        proved += u32::from(proof.confirms());
        saturated += u32::from(whole.saturated);
        for rounds in 1..=3 {
            let explored = explore_rounds(&pds, rounds, EFFORT);
            let known = whole.violations.iter().any(|found| found.round <= rounds);
            assert_eq!(!explored.violations.is_empty(), known, "seed {seed}, {rounds} rounds: {explored:?}, {whole:?}");
            let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
            let runs = sample(&pds, bound, Runs { seed, count: 10, steps: 30 }).expect("rounds are counted");
            sampled += u32::from(!runs.violations.is_empty());
            let refuted = explored.confirms() && !runs.violations.is_empty();
            assert!(!refuted, "seed {seed}, {rounds} rounds: {explored:?}, {runs:?}");
        }
    }
    assert!(
        proved > 300 && saturated > 300 && sampled > 300,
        "{proved} proved, {saturated} saturated, {sampled} sampled"
    );
}

#[test]
fn a_bound_of_no_switches_keeps_the_first_thread_running() {
    for seed in 0..500 {
        let pds = random(seed);
        let runs = Runs { seed, count: 10, steps: 30 };
        let bound = |kind| Bound { kind, value: Some(0) };
        let switches = sample(&pds, bound(BoundKind::Switches), runs).expect("switches are counted");
        let alone = (0..pds.threads.len()).any(|thread| {
            let one = Pds { threads: vec![pds.threads[thread].clone()], ..pds.clone() };
            let explored = explore(&one, Effort { steps: 30_000, stack: 40 });
            !explored.violations.is_empty() || !explored.complete
        });
        assert!(alone || switches.violations.is_empty(), "seed {seed}: {switches:?}");
    }
}
