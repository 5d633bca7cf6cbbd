//! Random programs: the printer and the parser agree, and the machine reaches what the plain
//! interpreter reaches by brute force.

mod support;

use selvedge_boolprog::machine::MachineOptions;
use selvedge_boolprog_judge::brute;
use selvedge_boolprog_syntax::ast::Program;
use selvedge_boolprog_syntax::print;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::shrink::shrink;
use support::{ready, rounds};

const ROUNDS: u32 = 3;
/// Programs with more states are left out.
const MOST: usize = 800;

fn shapes() -> [Shape; 6] {
    let plain = Shape { extras: false, atomic: false, procedures: 0, ..Shape::default() };
    [
        plain,
        Shape { errors: true, ..Shape::default() },
        Shape { recursion: true, globals: 2, statements: 2, ..Shape::default() },
        Shape { errors: true, atomic_variable: true, globals: 2, ..Shape::default() },
        Shape { least_threads: 4, most_threads: 4, globals: 2, statements: 2, nesting: 1, ..Shape::default() },
        Shape { least_threads: 1, most_threads: 1, statements: 6, nesting: 3, recursion: true, ..Shape::default() },
    ]
}

/// Why the machine and brute force differ, if they do; and whether they were compared at all.
fn difference(program: &Program) -> Result<bool, String> {
    let ready = ready(program)?;
    let Some(expected) = brute::reachable(&ready.built.ast, ROUNDS, 3, MOST) else { return Ok(false) };
    let machine = ready.machine(MachineOptions { stack_limit: 3, deadlock: false });
    let got = rounds(&machine, ROUNDS);
    if got.violated != expected.violated {
        return Err(format!("violated: machine {:?}, brute force {:?}", got.violated, expected.violated));
    }
    if machine.was_cut() != expected.cut {
        return Err(format!("stack cut: machine {}, brute force {}", machine.was_cut(), expected.cut));
    }
    for (round, (got, reached)) in got.shared.iter().zip(&expected.shared).enumerate() {
        // A violation where no switch is possible ends the run; only the machine counts its shared state.
        let unsure = expected.violated[round] && ready.built.program.no_switch_while.is_some();
        if got != reached && !unsure {
            return Err(format!("round {}: machine {got:?}, brute force {reached:?}", round + 1));
        }
    }
    Ok(true)
}

#[test]
fn the_machine_reaches_what_brute_force_reaches() {
    let mut compared = 0;
    for (number, shape) in shapes().into_iter().enumerate() {
        for seed in 0..300 {
            let program = generate(seed * 6 + number as u64, &shape);
            match difference(&program) {
                Ok(done) => compared += u32::from(done),
                Err(_) => {
                    let small = shrink(&program, &mut |program| ready(program).is_ok() && difference(program).is_err());
                    let reason = difference(&small).err().or(difference(&program).err()).unwrap_or_default();
                    panic!("shape {number}, seed {seed}: {reason}\n{}", print::program(&small));
                }
            }
        }
    }
    assert!(compared > 1_000, "only {compared} programs were small enough to compare");
}

#[test]
fn printed_programs_are_read_as_they_were() {
    for (number, shape) in shapes().into_iter().enumerate() {
        for seed in 0..400 {
            let program = generate(seed * 6 + number as u64, &shape);
            let text = print::program(&program);
            let read = ready(&program).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
            assert_eq!(print::program(&read.built.ast), text, "seed {seed}");
            assert_eq!(support::without_spans(&read.built.ast), program, "seed {seed}\n{text}");
        }
    }
}
