//! Decision diagrams: conjunction, disjunction and negation, on the constraints of six queens on a board.

use std::hint::black_box;

use criterion::{BatchSize, Criterion};
use selvedge_core::{Budget, Interrupt, Limits};
use selvedge_symbolic::bdd::{Bdd, Bdds, Run, Var};

const SIDE: u32 = 6;

pub fn bench(criterion: &mut Criterion) {
    let limits = Limits { memory: Some(256 << 20), ..Limits::default() };
    let empty = || Bdds::new(SIDE * SIDE, &Budget::start(limits.clone(), Interrupt::new()));
    criterion.bench_function("bdd_apply/queens", |bencher| {
        bencher.iter_batched_ref(
            empty,
            |bdds| {
                let solutions = queens(bdds).expect("there is memory enough");
                assert!(solutions.satisfiable());
                black_box(solutions.nodes())
            },
            BatchSize::PerIteration,
        );
    });
}

/// All ways to place queens that do not attack each other, one in each row.
fn queens(bdds: &Bdds) -> Run<Bdd> {
    let mut all = bdds.yes();
    for row in 0..SIDE {
        let mut some = bdds.no();
        for column in 0..SIDE {
            some = bdds.or(&some, &alone(bdds, row, column)?)?;
        }
        all = bdds.and(&all, &some)?;
    }
    Ok(all)
}

/// A queen is here, and none on the squares that it attacks.
fn alone(bdds: &Bdds, row: u32, column: u32) -> Run<Bdd> {
    let mut here = bdds.literal(Var(row * SIDE + column), true)?;
    for square in 0..SIDE * SIDE {
        let (r, c) = (square / SIDE, square % SIDE);
        let attacked = r == row || c == column || r.abs_diff(row) == c.abs_diff(column);
        if attacked && (r, c) != (row, column) {
            here = bdds.and(&here, &bdds.literal(Var(square), false)?)?;
        }
    }
    Ok(here)
}
