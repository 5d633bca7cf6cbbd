//! Where a process may come back to by its own steps is found from its table alone. Checked on the states of the corpus:
//! wherever a process does come back, it was said that it may.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::{BusyWaiting, ExpandBuffers, Machine, ThreadId, Turn, expand};
use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela::parse::parse_file;
use selvedge_source::{Diagnostics, SourceMap};

/// States looked at of each model, and states a process may go through before it is given up.
const STATES: usize = 300;
const OWN_STATES: usize = 300;

fn models(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the corpus").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|e| e == "pml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn machine(path: &Path, optimize: bool) -> Option<PromelaMachine> {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let model = parse_file(path, &mut sources, &mut diagnostics)?;
    let options = BuildOptions { optimize, ..BuildOptions::default() };
    build(&model, &options, &mut sources, &mut diagnostics).map(|built| built.machine)
}

/// The first states of a machine, breadth first.
fn states(machine: &PromelaMachine) -> Vec<Vec<u8>> {
    let mut initial = Vec::new();
    machine.initial(&mut initial);
    let (mut seen, mut queue) = (HashSet::from([initial.clone()]), VecDeque::from([initial]));
    let mut found = Vec::new();
    let mut buffers = ExpandBuffers::default();
    while let Some(state) = queue.pop_front() {
        expand(machine, &state, Turn::Any, &mut buffers, &mut |arrival| {
            if let Some(next) = arrival.state.filter(|next| seen.insert(next.to_vec())) {
                queue.push_back(next.to_vec());
            }
        });
        found.push(state);
        if found.len() == STATES {
            break;
        }
    }
    found
}

#[test]
fn a_process_comes_back_only_where_it_may() {
    let (mut busy, mut never) = (0, 0);
    for path in models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela")) {
        for machine in [false, true].into_iter().filter_map(|optimize| machine(&path, optimize)) {
            let mut waiting = BusyWaiting::at_most(OWN_STATES);
            for state in states(&machine) {
                for thread in (0..machine.thread_count(&state)).map(ThreadId) {
                    let comes_back = waiting.is_busy(&machine, &state, thread);
                    let may_return = machine.may_return(&state, thread);
                    assert!(may_return || !comes_back, "{}: process {} in {state:?}", path.display(), thread.0);
                    busy += usize::from(comes_back);
                    never += usize::from(!may_return);
                }
            }
        }
    }
    // Both are found, or the test says nothing.
    assert!(busy > 1000 && never > 1000, "{busy} {never}");
}
