//! Explores a model with the judge and prints what it took: `measure FILE [PREEMPTIONS]`.

use std::path::Path;
use std::time::Instant;

use selvedge_promela_judge::{Interpreter, Properties, RunBound, explore_within};
use selvedge_promela_syntax::parse::parse_file;
use selvedge_source::{Diagnostics, SourceMap};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bound = arguments.get(1).and_then(|text| text.parse().ok()).map_or(RunBound::NONE, RunBound::preemptions);
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let model = parse_file(Path::new(&arguments[0]), &mut sources, &mut diagnostics).expect("a model");
    let interpreter = Interpreter::new(&model, None).expect("a model that can be executed");
    let properties = Properties { assertions: true, end_states: true, ..Properties::default() };
    let start = Instant::now();
    let explored = explore_within(&interpreter, &properties, bound, 20_000_000);
    let seconds = start.elapsed().as_secs_f64();
    let rate = explored.steps as f64 / seconds;
    println!("{} states, {} steps, {seconds:.2} s, {rate:.0} steps/s", explored.states, explored.steps);
    println!("{:?}", explored.completion);
    for finding in &explored.findings {
        println!("{:?} at cost {} after {} steps: {}", finding.kind, finding.cost, finding.run.len(), finding.message);
    }
}
