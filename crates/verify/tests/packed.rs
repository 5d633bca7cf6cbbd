//! Searches on packed states with remembered steps do what the others do: on random programs and on the corpus both give the same
//! states, transitions, depths, layers, violations and runs, at every bound. In a debug build the packed searches also
//! compare a sample of the steps that they remember with the machine's.

use std::fs;
use std::io;
use std::path::Path;

use selvedge_core::{Budget, Interrupt, Limits, Silent, StopReason, SwitchCost};
use selvedge_explicit::{
    ExhaustiveOptions, InterleavedOptions, LayeredOptions, Order, Outcome, Packing, Wanted, exhaustive, interleaved,
    layered,
};
use selvedge_promela::build::{BuildOptions, ClaimSelection, build};
use selvedge_promela::machine::{PromelaMachine, Properties};
use selvedge_promela_syntax::parse::parse_text;
use selvedge_source::{Diagnostics, SourceMap};
use selvedge_testgen::{Program, model, shrink};

/// Programs with more states than this are compared up to that many.
const MOST_STATES: u64 = 3_000;

fn machine(text: &str, optimize: bool) -> Option<PromelaMachine> {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let mut no_files = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
    let model = parse_text("model.pml", text, &mut no_files, &mut sources, &mut found)?;
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    let options = BuildOptions { properties, optimize, claim: ClaimSelection::None, ..Default::default() };
    Some(build(&model, &options, &mut sources, &mut found)?.machine)
}

fn budget(states: u64) -> Budget {
    Budget::start(Limits { states: Some(states), ..Limits::default() }, Interrupt::new())
}

/// Everything that a search found out, times and memory aside.
fn summary(outcome: &Outcome) -> String {
    let Outcome { stop, stats, violations, layers, bound, violated_at, .. } = outcome;
    let layers: Vec<_> = layers.iter().map(|l| (l.bound, l.states, l.new_states, l.transitions)).collect();
    let found: Vec<String> = violations
        .iter()
        .map(|found| {
            let steps = found.path.steps.iter().map(|step| (step.step.thread, step.step.action));
            format!("{:?} {:?}", found.fault, steps.collect::<Vec<_>>())
        })
        .collect();
    let figures = (stats.states, stats.transitions, stats.max_depth);
    format!("{stop:?} {figures:?} {layers:?} {bound} {violated_at:?} {found:?}")
}

/// A search that can be packed.
#[derive(Clone, Debug)]
enum Way {
    Layers(LayeredOptions),
    Whole(ExhaustiveOptions),
    /// Both in turns.
    Interleaved(LayeredOptions),
}

fn ways() -> Vec<Way> {
    let wanted = Wanted { keep_going: true, all: false };
    let layers = LayeredOptions { wanted, ..LayeredOptions::default() };
    let whole = |order| Way::Whole(ExhaustiveOptions { order, keep_going: true, ..ExhaustiveOptions::default() });
    let reduced = |order, keep_going| {
        Way::Whole(ExhaustiveOptions { order, keep_going, reduction: true, ..ExhaustiveOptions::default() })
    };
    vec![
        reduced(Order::DepthFirst, false),
        reduced(Order::DepthFirst, true),
        reduced(Order::BreadthFirst, true),
        Way::Interleaved(LayeredOptions { reduction: true, ..LayeredOptions::default() }),
        Way::Layers(LayeredOptions { wanted: Wanted::default(), ..layers.clone() }),
        Way::Whole(ExhaustiveOptions::default()),
        Way::Whole(ExhaustiveOptions { order: Order::DepthFirst, ..ExhaustiveOptions::default() }),
        Way::Layers(layers.clone()),
        Way::Layers(LayeredOptions { reduction: true, max_bound: Some(1), ..layers.clone() }),
        Way::Layers(LayeredOptions { cost: SwitchCost::Switches, ..layers.clone() }),
        Way::Layers(LayeredOptions { count_busy_wait: true, max_bound: Some(2), ..layers }),
        whole(Order::BreadthFirst),
        whole(Order::DepthFirst),
    ]
}

fn explore(machine: &PromelaMachine, way: &Way, packing: Packing, states: u64) -> Outcome {
    match way {
        Way::Layers(options) => {
            let options = LayeredOptions { packing, ..options.clone() };
            layered(machine, &options, &budget(states), &mut Silent)
        }
        Way::Whole(options) => {
            let options = ExhaustiveOptions { packing, ..options.clone() };
            exhaustive(machine, &options, &budget(states), &mut Silent)
        }
        Way::Interleaved(options) => {
            let layers = LayeredOptions { packing, ..options.clone() };
            let options = InterleavedOptions { layers, turn: 5 };
            interleaved(machine, &options, &budget(states), &mut Silent, &mut |_, _| Some(2))
        }
    }
}

/// What is different in packed searches, and whether some search was packed to the end.
fn difference(machine: &PromelaMachine, states: u64) -> (Vec<String>, bool) {
    let mut complaints = Vec::new();
    let mut packed = false;
    for way in ways() {
        let expected = explore(machine, &way, Packing::Never, states);
        for after in [0, 7] {
            let found = explore(machine, &way, Packing::After(after), states);
            if summary(&found) != summary(&expected) {
                complaints.push(format!("{way:?} after {after}:\n{}\n{}", summary(&expected), summary(&found)));
            }
        }
        packed |= expected.violations.is_empty() && expected.stop == StopReason::Exhausted;
    }
    (complaints, packed)
}

fn differs(program: &Program, optimize: bool) -> bool {
    machine(&program.to_string(), optimize).is_some_and(|machine| !difference(&machine, MOST_STATES).0.is_empty())
}

#[test]
fn random_programs_are_explored_alike() {
    let (mut compared, mut packed) = (0, 0);
    for seed in 0..400 {
        let program = model(11, seed);
        let optimize = seed % 2 == 0;
        let Some(machine) = machine(&program.to_string(), optimize) else { continue };
        let (complaints, some_packed) = difference(&machine, MOST_STATES);
        if !complaints.is_empty() {
            let text = shrink(program, 1_000, |smaller| differs(smaller, optimize)).to_string();
            let complaints = self::machine(&text, optimize).map(|machine| difference(&machine, MOST_STATES).0);
            panic!("seed {seed} (optimised: {optimize}):\n{text}\n{}", complaints.unwrap_or_default().join("\n"));
        }
        compared += 1;
        packed += u32::from(some_packed);
    }
    assert!(compared > 200, "only {compared} programs were compared");
    assert!(packed > compared / 8, "only {packed} of {compared} programs were explored without a violation");
}

#[test]
fn models_of_the_corpus_are_explored_alike() {
    let mut compared = 0;
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela");
    let mut directories = vec![corpus];
    let mut files = Vec::new();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("corpus") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pml") {
                files.push(path);
            }
        }
    }
    files.sort();
    for path in files {
        let text = fs::read_to_string(&path).expect("a model");
        for optimize in [false, true] {
            let Some(machine) = machine(&text, optimize) else { continue };
            let (complaints, _) = difference(&machine, MOST_STATES);
            assert!(complaints.is_empty(), "{} (optimised: {optimize}):\n{}", path.display(), complaints.join("\n"));
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} models were compared");
}
