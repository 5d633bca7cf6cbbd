//! Partial-order reduction changes no verdict: on random programs and on the corpus, the searches
//! without a bound find the same faults with it as without it, and the search for cycles at every bound and without one.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason, SwitchCost};
use selvedge_explicit::{Cycle, CycleOptions, ExhaustiveOptions, Order, Outcome, Wanted, cycles, exhaustive};
use selvedge_promela::build::{BuildOptions, Built, ClaimSelection, build};
use selvedge_promela::machine::{PromelaMachine, Properties};
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::{Program, model, program, shrink, with_claims};

/// Which generated models are used.
const FAMILY: u64 = 11;
/// Which are used with claims to channels.
const CLAIMS: u64 = 12;
/// Programs with more states than this are left out.
const MOST_STATES: u64 = 4_000;

fn machine(text: &str, optimize: bool) -> Option<PromelaMachine> {
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    Some(built(text, BuildOptions { properties, optimize, ..BuildOptions::default() })?.machine)
}

fn built(text: &str, options: BuildOptions) -> Option<Built> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    build(&model, &options, &mut sources, &mut found)
}

fn explore(machine: &PromelaMachine, order: Order, reduction: bool, states: u64) -> Option<Outcome> {
    let options =
        ExhaustiveOptions { order, keep_going: true, all_violations: false, reduction, ..ExhaustiveOptions::default() };
    let limits = Limits { states: Some(states), ..Limits::default() };
    let outcome = exhaustive(machine, &options, &Budget::start(limits, Interrupt::new()), &mut Silent);
    (outcome.stop == StopReason::Exhausted).then_some(outcome)
}

fn faults(outcome: &Outcome) -> BTreeSet<String> {
    outcome.violations.iter().map(|found| format!("{:?}", found.fault)).collect()
}

/// What is different with reduction, if anything, and the states without and with it.
fn difference(machine: &PromelaMachine, most: u64) -> Option<(Vec<String>, u64, u64)> {
    let full = explore(machine, Order::BreadthFirst, false, most)?;
    let mut complaints = Vec::new();
    let mut states = u64::MAX;
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let reduced = explore(machine, order, true, most)?;
        if faults(&reduced) != faults(&full) {
            complaints.push(format!("{order:?}: {:#?} without, {:#?} with reduction", faults(&full), faults(&reduced)));
        }
        // What a claim does alone after the end depends on the order of the search: states are compared order by order.
        let unreduced = explore(machine, order, false, most)?.stats.states;
        if reduced.stats.states > unreduced {
            complaints.push(format!("{order:?}: {} states, {unreduced} without", reduced.stats.states));
        }
        states = states.min(reduced.stats.states);
    }
    Some((complaints, full.stats.states, states))
}

fn differs(program: &Program, optimize: bool) -> bool {
    let machine = machine(&program.to_string(), optimize);
    machine.and_then(|m| difference(&m, MOST_STATES)).is_some_and(|(complaints, ..)| !complaints.is_empty())
}

#[test]
fn random_programs_have_the_same_faults_with_reduction() {
    let (mut compared, mut reduced, mut faulty) = (0, 0, 0);
    for seed in 0..4_000 {
        let program = model(FAMILY, seed);
        let optimize = seed % 4 == 0;
        let Some(machine) = machine(&program.to_string(), optimize) else { continue };
        let Some((complaints, full, least)) = difference(&machine, MOST_STATES) else { continue };
        if !complaints.is_empty() {
            let text = shrink(program, 1_000, |smaller| differs(smaller, optimize)).to_string();
            let complaints = self::machine(&text, optimize).and_then(|m| difference(&m, MOST_STATES));
            panic!(
                "seed {seed} (optimised: {optimize}):\n{text}\n{}",
                complaints.map_or_else(String::new, |c| c.0.join("\n"))
            );
        }
        compared += 1;
        reduced += u32::from(least < full);
        let outcome = explore(&machine, Order::BreadthFirst, true, MOST_STATES);
        faulty += u32::from(outcome.is_some_and(|o| !o.violations.is_empty()));
    }
    assert!(compared > 1_500, "only {compared} programs were compared");
    assert!(reduced > compared / 10, "only {reduced} of {compared} programs were reduced");
    assert!(faulty > compared / 4, "only {faulty} of {compared} programs had a fault");
}

#[test]
fn claims_to_channels_are_violated_with_reduction_too() {
    let (mut compared, mut reduced, mut violated) = (0, 0, 0);
    for seed in 0..3_000 {
        let program = with_claims(program(CLAIMS, seed), CLAIMS, seed);
        let optimize = seed % 2 == 0;
        let text = program.to_string();
        let Some(machine) = machine(&text, optimize).filter(|_| text.contains("xr ") || text.contains("xs ")) else {
            continue;
        };
        let Some((complaints, full, least)) = difference(&machine, MOST_STATES) else { continue };
        if !complaints.is_empty() {
            let text = shrink(program, 1_000, |smaller| differs(smaller, optimize)).to_string();
            panic!("seed {seed} (optimised: {optimize}):\n{text}\n{}", complaints.join("\n"));
        }
        compared += 1;
        reduced += u32::from(least < full);
        let outcome = explore(&machine, Order::DepthFirst, true, MOST_STATES);
        let is_claim = |outcome: &Outcome| faults(outcome).iter().any(|fault| fault.contains("claims for itself"));
        violated += u32::from(outcome.is_some_and(|outcome| is_claim(&outcome)));
    }
    assert!(compared > 500, "only {compared} programs were compared");
    assert!(reduced > compared / 10, "only {reduced} of {compared} programs were reduced");
    assert!(violated > compared / 10, "only {violated} of {compared} programs violated a claim");
}

/// What infinite runs are found at each bound up to 2, or without one, and how many states are looked at for it; `None` if
/// the program is too large.
fn infinite(machine: &PromelaMachine, options: &CycleOptions) -> Option<(Vec<BTreeSet<String>>, u64)> {
    let bounds = if options.cost.is_some() { vec![Some(0), Some(1), Some(2)] } else { vec![None] };
    let (mut found, mut states) = (Vec::new(), 0);
    for max_bound in bounds {
        let options = CycleOptions { max_bound, wanted: Wanted { keep_going: true, all: false }, ..options.clone() };
        let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
        let outcome = cycles(machine, &options, &Budget::start(limits, Interrupt::new()), &mut Silent);
        if outcome.stop == StopReason::States {
            return None;
        }
        states += outcome.stats.states;
        found.push(faults(&outcome));
    }
    Some((found, states))
}

/// Whether the search without a claim finds that no statement is ever at fault.
fn is_faultless(text: &str, optimize: bool) -> bool {
    let properties = Properties { assertions: true, end_states: false, ..Properties::default() };
    let options = BuildOptions { properties, optimize, claim: ClaimSelection::None, ..BuildOptions::default() };
    let outcome = built(text, options).and_then(|built| explore(&built.machine, Order::DepthFirst, true, MOST_STATES));
    outcome.is_some_and(|outcome| outcome.violations.is_empty())
}

/// What is different with reduction in a search for cycles, if anything; and for how many searches it saved states.
fn cycles_differ(text: &str, options: &BuildOptions) -> Option<(Vec<String>, u32, bool)> {
    let built = built(text, options.clone())?;
    if built.counts_steps {
        return None;
    }
    let (mut complaints, mut saved, mut some) = (Vec::new(), 0, false);
    for cycle in [Cycle::Acceptance, Cycle::NonProgress] {
        let ways = [
            (None, false),
            (Some(SwitchCost::Preemptions), false),
            (Some(SwitchCost::Preemptions), true),
            (Some(SwitchCost::Switches), true),
        ];
        for (cost, count_busy_wait) in ways {
            let full = CycleOptions { cycle, cost, count_busy_wait, ..CycleOptions::default() };
            let reduced = CycleOptions { reduction: true, ..full.clone() };
            let ((without, all), (with, fewer)) =
                (infinite(&built.machine, &full)?, infinite(&built.machine, &reduced)?);
            if with != without {
                complaints.push(format!("{full:?}: {without:#?} without, {with:#?} with reduction"));
            }
            saved += u32::from(fewer < all);
            some |= without.last().is_some_and(|found| found.iter().any(|fault| fault.contains("Cycle")));
        }
    }
    Some((complaints, saved, some))
}

#[test]
fn random_programs_have_the_same_cycles_with_reduction() {
    let (mut compared, mut reduced, mut with_cycles) = (0, 0, 0);
    for seed in 0..2_500 {
        let program = model(FAMILY, seed);
        let options = |text: &str| {
            let (assertions, optimize) = (seed % 2 == 0, seed % 3 == 0);
            let properties = Properties { assertions, end_states: true, acceptance: true, ..Properties::default() };
            BuildOptions { properties, optimize, faultless: is_faultless(text, optimize), ..BuildOptions::default() }
        };
        let differs = |program: &Program| {
            let text = program.to_string();
            cycles_differ(&text, &options(&text))
        };
        let Some((complaints, saved, some)) = differs(&program) else { continue };
        if !complaints.is_empty() {
            let still = |smaller: &Program| differs(smaller).is_some_and(|(all, ..)| !all.is_empty());
            let text = shrink(program, 1_000, still).to_string();
            let complaints = cycles_differ(&text, &options(&text)).map_or_else(String::new, |(all, ..)| all.join("\n"));
            panic!("seed {seed}:\n{text}\n{complaints}");
        }
        compared += 1;
        reduced += u32::from(saved > 0);
        with_cycles += u32::from(some);
    }
    assert!(compared > 800, "only {compared} programs were compared");
    assert!(reduced > compared / 10, "only {reduced} of {compared} programs were reduced");
    assert!(with_cycles > compared / 10, "only {with_cycles} of {compared} programs had a cycle");
}

#[test]
fn models_of_the_corpus_have_the_same_faults_with_reduction() {
    let (mut compared, mut reduced) = (0, 0);
    for directory in ["classic", "constructs", "found", "semantics"] {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
        let entries = fs::read_dir(corpus.join(directory)).expect("readable");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "pml")) {
            let text = String::from_utf8_lossy(&fs::read(path).expect("readable")).into_owned();
            let Some(machine) = machine(&text, false) else { continue };
            let Some((complaints, full, least)) = difference(&machine, 20_000) else { continue };
            assert!(complaints.is_empty(), "{}: {}", path.display(), complaints.join("\n"));
            compared += 1;
            reduced += u32::from(least < full);
        }
    }
    assert!(compared > 150, "only {compared} models were compared");
    assert!(reduced > 20, "only {reduced} models were reduced");
}

/// `xr` is a lie here: both processes receive. Believing it misses that `x` may get the first message.
const FALSE_CLAIM: &str = "
    chan c = [2] of { byte };
    active proctype sender() { atomic { c!1; c!2 } }
    active proctype first() { byte x; xr c; c?x; assert(x != 1) }
    active proctype second() { byte y; c?y }
";

#[test]
fn a_false_exclusive_receive_is_not_believed() {
    let mut machine = machine(FALSE_CLAIM, false).expect("a model");
    let full = explore(&machine, Order::BreadthFirst, false, MOST_STATES).expect("small");
    let reduced = explore(&machine, Order::BreadthFirst, true, MOST_STATES).expect("small");
    assert_eq!(faults(&full), faults(&reduced));
    assert!(!faults(&full).is_empty());
    machine.system.reduce_as_spin();
    let believed = explore(&machine, Order::BreadthFirst, true, MOST_STATES).expect("small");
    assert_ne!(faults(&full), faults(&believed), "the lie makes a difference, so the first half of this test can fail");
}

/// An exclusive channel between two processes, found out from the state itself although it is passed
/// to them as a parameter.
const PIPE: &str = "
    chan c = [3] of { byte };
    proctype writer(chan out) { xs out; out!1; out!2; out!3 }
    proctype reader(chan inp) { byte x; xr inp; inp?x; inp?x; inp?x; assert(x == 3) }
    init { atomic { run writer(c); run reader(c) } }
";

#[test]
fn exclusive_channels_are_reduced() {
    let machine = machine(PIPE, false).expect("a model");
    let full = explore(&machine, Order::DepthFirst, false, MOST_STATES).expect("small");
    let reduced = explore(&machine, Order::DepthFirst, true, MOST_STATES).expect("small");
    assert!(faults(&full).is_empty() && faults(&reduced).is_empty());
    assert!(reduced.stats.states < full.stats.states, "{} of {}", reduced.stats.states, full.stats.states);
}
