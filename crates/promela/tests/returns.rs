//! Where a process may come back to by its own steps is found from its table alone. Checked on the states of the corpus:
//! wherever a process does come back, it was said that it may. So is that the steps of one process alone are its steps
//! among those of all, which the layered search relies on as well.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::ThreadId;
use selvedge_machine::{BusyWaiting, ExpandBuffers, Machine, Steps, Threads, Turn, expand};
use selvedge_promela::build::{BuildOptions, build};
use selvedge_promela::machine::PromelaMachine;
use selvedge_promela_syntax::parse::parse_file;
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

/// In a ring each process receives from one channel of an array and sends to another: no message comes back.
#[test]
fn nobody_comes_back_in_a_ring() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela/large/leader_election.pml");
    for machine in [false, true].into_iter().filter_map(|optimize| machine(&path, optimize)) {
        for state in states(&machine).iter().filter(|state| machine.thread_count(state) > 1) {
            let mut nodes = (1..machine.thread_count(state)).map(ThreadId);
            assert!(nodes.all(|thread| !machine.may_return(state, thread)), "{state:?}");
        }
    }
}

/// The steps of one process are those that it has among the steps of all, also where processes wait for a `timeout`.
#[test]
fn the_steps_of_a_process_are_its_steps_among_all() {
    let (mut buffer, mut compared) = (Steps::new(), 0);
    for path in models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela")) {
        for machine in [false, true].into_iter().filter_map(|optimize| machine(&path, optimize)) {
            let mut scratch = Default::default();
            for state in states(&machine) {
                buffer.clear();
                machine.steps(&state, Turn::Any, &mut scratch, &mut buffer);
                let all = told(&buffer);
                for thread in (0..machine.thread_count(&state)).map(ThreadId) {
                    buffer.clear();
                    machine.thread_steps(&state, &Threads::only(thread), &mut scratch, &mut buffer);
                    let of_thread = |steps: &[Told]| -> Vec<Told> {
                        steps.iter().filter(|(by, ..)| *by == Some(thread)).cloned().collect()
                    };
                    let (wanted, found) = (of_thread(&all), of_thread(&told(&buffer)));
                    assert_eq!(found, wanted, "{}: process {} in {state:?}", path.display(), thread.0);
                    compared += found.len();
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Who moves, what, and where it leads.
type Told = (Option<ThreadId>, [u32; 3], Option<Vec<u8>>);

fn told(steps: &Steps) -> Vec<Told> {
    steps.list.iter().map(|step| (step.thread, step.action, steps.state(step).map(<[u8]>::to_vec))).collect()
}
