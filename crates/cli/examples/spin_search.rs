//! Runs the search of `--search spin` on a model and prints its figures, one line for each bound.
//! `cargo run --release -p selvedge-cli --example spin_search -- model.pml [reduction] [stack] 0 1 2`

use selvedge_core::{Budget, Interrupt, Limits, Silent};
use selvedge_explicit::{Order, SearchOptions, SpinOptions, search, spin_search};
use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela::machine::Properties;
use selvedge_promela::parse::parse_file;
use selvedge_source::{Diagnostics, SourceMap};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let model = parse_file(words[0].as_ref(), &mut sources, &mut found).expect("a model");
    let properties = Properties { assertions: true, end_states: true, reach: None };
    let options = BuildOptions { properties, optimize: has("optimize"), ..Default::default() };
    let built = build(&model, &options, &mut sources, &mut found).expect("a machine");
    if has("dump") {
        let program = built.machine.program();
        for (proto, safety) in program.protos.iter().zip(&program.safety.controls) {
            for (index, safe) in safety.iter().enumerate().filter(|(_, s)| s.as_ref().is_some_and(|s| s.as_spin)) {
                println!("{} {index} {:?}", proto.name, safe.as_ref().expect("some").sound);
            }
        }
    }
    let machine = if has("trust") { built.machine.reduced_as_spin() } else { built.machine };
    let budget = Budget::start(Limits::default(), Interrupt::new());
    for (name, order) in [("breadth", Order::BreadthFirst), ("depth", Order::DepthFirst)] {
        if has(name) {
            let options = SearchOptions { order, keep_going: true, reduction: has("reduction"), ..Default::default() };
            let out = search(&machine, &options, &budget, &mut Silent);
            println!("{name} {} {} violations {}", out.stats.states, out.stats.transitions + 1, out.violations.len());
        }
    }
    for bound in words[1..].iter().filter_map(|w| w.parse::<u32>().ok()) {
        let options = SpinOptions {
            bound,
            reduction: has("reduction"),
            cycle_rule: has("stack"),
            remember_processes: has("processes"),
            as_pan: !has("paper"),
            bits: None,
            keep_going: true,
            all_violations: false,
        };
        let out = spin_search(&machine, &options, &budget, &mut Silent);
        let pan = out.stats.transitions - out.revisits + 1;
        println!("L{bound} {} {pan} revisits {} violations {}", out.stats.states, out.revisits, out.violations.len());
    }
}
