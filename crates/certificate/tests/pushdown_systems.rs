//! Random pushdown systems: exploration and random runs of the judge agree with each other and with proofs, the checker accepts
//! what is found, and damaged proofs are refused.

use selvedge_certificate::pushdown::{check, prove};
use selvedge_core::{Bound, BoundKind, Budget, Chance, Effort, Runs};
use selvedge_nets_judge::Goals;
use selvedge_nets_judge::pds::{explore, explore_rounds, sample};
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
        let whole = explore(&pds, false, EFFORT, &Budget::unlimited());
        let attempt = prove(&pds, EFFORT, &Budget::unlimited());
        if let Some(text) = attempt.text(&pds, "test.pds", "0") {
            let checked = check(&pds, FileId(0), &text, &Budget::unlimited());
            assert!(checked.is_ok(), "seed {seed}: {checked:?}\n{text}");
        }
        let proof = attempt.explored;
        assert!(proof.complete, "seed {seed}: proofs are small");
        assert!(!proof.confirms() || whole.violations.is_empty(), "seed {seed}: {proof:?}, {whole:?}");
        proved += u32::from(proof.confirms());
        saturated += u32::from(whole.saturated);
        for rounds in 1..=3 {
            let explored = explore_rounds(&pds, false, rounds, EFFORT, &Budget::unlimited());
            let known = whole.violations.iter().any(|found| found.round <= rounds);
            assert_eq!(!explored.violations.is_empty(), known, "seed {seed}, {rounds} rounds: {explored:?}, {whole:?}");
            let bound = Bound { kind: BoundKind::Rounds, value: Some(rounds) };
            let runs = sample(&pds, Goals::default(), bound, Runs { seed, count: 10, steps: 30 }, &Budget::unlimited());
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
        let switches = sample(&pds, Goals::default(), bound(BoundKind::Switches), runs, &Budget::unlimited());
        let alone = (0..pds.threads.len()).any(|thread| {
            let one = Pds { threads: vec![pds.threads[thread].clone()], ..pds.clone() };
            let explored = explore(&one, false, Effort { steps: 30_000, stack: 40 }, &Budget::unlimited());
            !explored.violations.is_empty() || !explored.complete
        });
        assert!(alone || switches.violations.is_empty(), "seed {seed}: {switches:?}");
    }
}

fn proofs(count: u64) -> impl Iterator<Item = (u64, Pds, String)> {
    (0..count).filter_map(|seed| {
        let pds = random(seed);
        let text = prove(&pds, EFFORT, &Budget::unlimited()).text(&pds, "test.pds", "0")?;
        Some((seed, pds, text))
    })
}

fn accepts(pds: &Pds, text: &str) -> bool {
    check(pds, FileId(0), text, &Budget::unlimited()).is_ok()
}

/// A start that two edges describe can do without one of them; apart from that every edge is needed.
#[test]
fn a_proof_without_one_of_its_lines_is_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for (_, pds, text) in proofs(600) {
        for number in (0..text.lines().count())
            .filter(|number| text.lines().nth(*number).is_some_and(|line| line.starts_with("top ")))
        {
            let rest = text.lines().enumerate().filter(|(other, _)| *other != number);
            let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
            *(if accepts(&pds, &rest) { &mut accepted } else { &mut refused }) += 1;
        }
    }
    assert!(refused > 1000 && accepted * 100 < refused, "{refused} refused, {accepted} accepted");
}

#[test]
fn no_proof_is_accepted_for_a_system_with_a_violation() {
    let mut refused = 0;
    for (seed, mut pds, text) in proofs(600) {
        for target in 0..STATES as u32 {
            pds.targets = vec![(StateId(target), SPAN)];
            if !explore(&pds, false, EFFORT, &Budget::unlimited()).violations.is_empty() {
                assert!(!accepts(&pds, &text), "seed {seed}, target {target}");
                refused += 1;
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn damaged_files_are_refused_for_systems_with_a_violation() {
    let mut chance = Chance::new(5);
    for (seed, mut pds, text) in proofs(300) {
        pds.targets = vec![(pds.initial, SPAN)];
        for _ in 0..20 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..1 + chance.below(4) {
                let at = chance.below(bytes.len());
                match chance.below(3) {
                    0 => bytes[at] = b" 0123456789pg#\n"[chance.below(15)],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(20)),
                }
            }
            let damaged = String::from_utf8(bytes).expect("ASCII");
            assert!(!accepts(&pds, &damaged), "seed {seed}:\n{damaged}");
        }
    }
}
