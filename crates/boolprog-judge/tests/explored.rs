//! On random programs, exploration, proofs and random runs agree with brute force.

use selvedge_boolprog_judge::brute::{Reached, reachable};
use selvedge_boolprog_judge::{Goals, explore, explore_rounds, explore_within, prove, sample_rounds};
use selvedge_boolprog_syntax::ast::Program;
use selvedge_boolprog_syntax::parse::parse;
use selvedge_boolprog_syntax::print;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::shrink::shrink;
use selvedge_core::{Bound, BoundKind, Budget, Effort, Runs};
use selvedge_source::{Diagnostics, FileId};

const ROUNDS: u32 = 3;
const STACK: usize = 4;
const EFFORT: Effort = Effort { steps: 200_000, stack: STACK };
const SMALL: Effort = Effort { steps: 20_000, stack: STACK };

fn shape(seed: u64) -> Shape {
    let base = Shape { errors: true, globals: 2, ..Shape::default() };
    match seed % 6 {
        0 => Shape { procedures: 0, statements: 4, ..base },
        1 => Shape { procedures: 1, recursion: true, ..base },
        2 => Shape { most_threads: 4, statements: 2, ..base },
        3 => Shape { procedures: 0, statements: 4, atomic_variable: true, ..base },
        4 => Shape { procedures: 1, atomic_variable: true, recursion: true, ..base },
        _ => Shape { locals: 2, recursion: true, least_threads: 1, most_threads: 2, ..base },
    }
}

/// What was compared of a program.
#[derive(Default)]
struct Compared {
    programs: u32,
    proved: u32,
    sampled: u32,
}

/// Why something differs from brute force, if it does.
fn difference(program: &Program, compared: &mut Compared) -> Option<String> {
    let brute = reachable(program, ROUNDS, STACK, 2_000)?;
    compared.programs += 1;
    by_rounds(program, &brute)
        .or_else(|| within(program, &brute))
        .or_else(|| any_rounds(program, &brute, compared))
        .or_else(|| runs(program, &brute, compared))
}

fn by_rounds(program: &Program, brute: &Reached) -> Option<String> {
    let goals = Goals::default();
    let whole = explore_rounds(program, &goals, ROUNDS, EFFORT, &Budget::unlimited());
    for round in 1..=ROUNDS {
        let explored = explore_rounds(program, &goals, round, EFFORT, &Budget::unlimited());
        let violated = brute.violated[round as usize - 1];
        if explored.violations.is_empty() == violated {
            return Some(format!("round {round}: brute force {violated}, explored {explored:?}"));
        }
        if whole.violations.iter().any(|found| found.round <= round) != violated {
            return Some(format!("round {round}: brute force {violated}, explored at once {whole:?}"));
        }
    }
    // Behind a violation brute force looks no further.
    let wrong = whole.complete == brute.cut && whole.violations.is_empty();
    wrong.then(|| format!("cut: brute force {}, explored {whole:?}", brute.cut))
}

/// The exploration of any bound, with rounds.
fn within(program: &Program, brute: &Reached) -> Option<String> {
    for round in 1..=ROUNDS {
        let bound = Bound { kind: BoundKind::Rounds, value: Some(round) };
        let explored = explore_within(program, &Goals::default(), bound, false, EFFORT, &Budget::unlimited());
        let violated = brute.violated[round as usize - 1];
        let limited = explored.steps > EFFORT.steps || brute.cut;
        if explored.violations.is_empty() == violated && !limited {
            return Some(format!("within {round} rounds: brute force {violated}, explored {explored:?}"));
        }
    }
    None
}

fn any_rounds(program: &Program, brute: &Reached, compared: &mut Compared) -> Option<String> {
    let violated = brute.violated.contains(&true);
    let explored = explore(program, &Goals::default(), SMALL, &Budget::unlimited());
    if violated && explored.complete && explored.violations.is_empty() {
        return Some(format!("brute force violated, explored {explored:?}"));
    }
    let proved = prove(program, &Goals::default(), SMALL, &Budget::unlimited())?;
    compared.proved += u32::from(proved.confirms());
    let violated = violated || !explored.violations.is_empty();
    (proved.confirms() && violated).then(|| format!("proved {proved:?}, explored {explored:?}"))
}

fn runs(program: &Program, brute: &Reached, compared: &mut Compared) -> Option<String> {
    for rounds in 1..=ROUNDS {
        let runs = Runs { seed: 1, count: 20, steps: 60 };
        let sampled = sample_rounds(program, &Goals::default(), rounds, runs);
        let violated = brute.violated[rounds as usize - 1];
        compared.sampled += u32::from(!sampled.violations.is_empty());
        if !sampled.violations.is_empty() && !violated && !brute.cut {
            return Some(format!("within {rounds} rounds brute force finds nothing, sampled {sampled:?}"));
        }
    }
    None
}

#[test]
fn the_judge_agrees_with_brute_force() {
    let mut compared = Compared::default();
    for seed in 0..900 {
        let program = generate(seed, &shape(seed));
        if difference(&program, &mut compared).is_some() {
            let mut ignored = Compared::default();
            let small = shrink(&program, &mut |program| difference(program, &mut ignored).is_some());
            let why = difference(&small, &mut ignored).unwrap_or_default();
            panic!("seed {seed}: {why}\n{}", print::program(&small));
        }
    }
    assert!(compared.programs > 500, "only {} programs were small enough", compared.programs);
    assert!(compared.proved > 100, "only {} programs were proved safe", compared.proved);
    assert!(compared.sampled > 100, "only {} random runs were violations", compared.sampled);
}

#[test]
fn the_effort_ends_an_exploration() {
    let program = generate(5, &Shape { statements: 6, globals: 6, locals: 3, ..Shape::default() });
    let explored = explore(&program, &Goals::default(), Effort { steps: 2, stack: 8 }, &Budget::unlimited());
    assert!(!explored.complete && !explored.saturated && explored.steps < 1_000);
}

/// A program with a statement that reads one variable `times` times.
fn counter_that_looks(times: usize) -> Program {
    let condition = vec!["a"; times].join(" ^ ");
    let text =
        format!("decl a, b, c, d;\nvoid main() begin while (T) do a, b, c, d := !({condition}), a, b, c; od end\n");
    parse(FileId(0), &text, None, &mut Diagnostics::new()).expect("it parses")
}

#[test]
fn a_step_that_looks_up_many_variables_counts_for_several() {
    let explored = |times| {
        let effort = Effort { steps: 150, stack: 8 };
        let program = counter_that_looks(times);
        (
            explore(&program, &Goals::default(), effort, &Budget::unlimited()),
            explore_within(
                &program,
                &Goals::default(),
                Bound { kind: BoundKind::Preemptions, value: Some(1) },
                false,
                effort,
                &Budget::unlimited(),
            ),
        )
    };
    let (short, long) = (explored(1), explored(301));
    assert!(short.0.complete && short.1.complete, "{short:?}");
    assert!(!long.0.complete && !long.1.complete, "{long:?}");
    assert!(long.0.steps < short.0.steps && long.1.steps < short.1.steps, "{long:?} {short:?}");
}
