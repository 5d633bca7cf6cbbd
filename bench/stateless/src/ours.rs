//! Our searches alone, each once, without a clock: what a counter of instructions (`valgrind --tool=callgrind`) measures to
//! compare two versions on a machine that is busy.

use selvedge::{Bound, Builder, Recheck, Reduction};

use crate::bodies::BODIES;

const EXECUTIONS: usize = 2_000;

pub fn run() {
    println!("| body | executions up to bound 3 | depth-first, at most {EXECUTIONS} |");
    println!("| --- | ---: | ---: |");
    let only = std::env::args().nth(2).unwrap_or_default();
    for body in BODIES.iter().filter(|body| body.name.contains(&only)) {
        let bounded = Builder::new().preemptions(3).max_executions(EXECUTIONS).recheck(Recheck::None);
        let bounded = bounded.explore(body.selvedge).executions;
        let plain = Builder::new().reduction(Reduction::None).bound(Bound::Depth(10_000)).recheck(Recheck::None);
        let plain = plain.max_executions(EXECUTIONS).explore(body.selvedge).executions;
        println!("| {} | {bounded} | {plain} |", body.name);
    }
}
