//! Selvedge beside loom and shuttle, on the same bodies in one run.
//!
//! `cargo run --release -- rates [BODY]|bounds [BODY]|table1|memory|recheck [BODY]|ours [BODY]|weak [BODY]|weak-ours [BODY] [TIMES]` (the
//! first three without an argument).

mod bodies;
mod bounds;
mod clock;
mod memory;
mod ours;
mod rates;
mod recheck;
mod table1;
mod weak;
mod weak_bodies;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("rates") => rates::run(),
        Some("bounds") => bounds::run(),
        Some("table1") => table1::run(),
        Some("memory") => memory::run(),
        Some("recheck") => recheck::run(),
        Some("ours") => ours::run(),
        Some("weak") => weak::run(),
        Some("weak-ours") => weak::ours(),
        None => {
            bounds::run();
            rates::run();
            table1::run();
        }
        Some(other) => {
            eprintln!("unknown benchmark `{other}`: rates, bounds, table1, memory, recheck, ours, weak, weak-ours");
            std::process::exit(2);
        }
    }
}
