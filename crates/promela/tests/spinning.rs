//! Where a process can spin is found from its table alone. Checked on the states of the corpus: wherever a process does
//! spin, the table allows it. So is that the steps of one process alone are its steps among those of all, which the
//! layered search relies on as well.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use selvedge_core::ThreadId;
use selvedge_machine::{ExpandBuffers, Hints, Machine, Steps, Threads, Turn, expand, expand_unclaimed};
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

/// Whether a process comes back to a state by its own steps through states that look the same to the others; whatever
/// its table says.
fn comes_back(machine: &PromelaMachine, state: &[u8], thread: ThreadId) -> bool {
    let mut home = state.to_vec();
    machine.erase_unread(&mut home, thread);
    let (mut seen, mut queue) = (HashSet::new(), VecDeque::from([home.clone()]));
    let mut buffers = ExpandBuffers::default();
    while let Some(at) = queue.pop_front().filter(|_| seen.len() < OWN_STATES) {
        expand_unclaimed(machine, &at, thread, &mut buffers, &mut |arrival| {
            let own = arrival.steps().all(|(_, step)| step.ran_last == Some(thread));
            let Some(next) = arrival.state.filter(|_| own && arrival.turn == Turn::Any) else { return };
            let mut next = next.to_vec();
            machine.erase_unread(&mut next, thread);
            if machine.same_shared(&home, &next, thread) && seen.insert(next.clone()) {
                queue.push_back(next);
            }
        });
    }
    seen.contains(&home)
}

#[test]
fn a_process_spins_only_where_its_table_allows_it() {
    let (mut spinning, mut never) = (0, 0);
    for path in models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/promela")) {
        for machine in [false, true].into_iter().filter_map(|optimize| machine(&path, optimize)) {
            for state in states(&machine) {
                for thread in (0..machine.thread_count(&state)).map(ThreadId) {
                    let (spins, may_spin) = (comes_back(&machine, &state, thread), machine.may_spin(&state, thread));
                    assert!(may_spin || !spins, "{}: process {} in {state:?}", path.display(), thread.0);
                    spinning += usize::from(spins);
                    never += usize::from(!may_spin);
                }
            }
        }
    }
    // Both are found, or the test says nothing.
    assert!(spinning > 500 && never > 1000, "{spinning} {never}");
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
                let all = listed(&buffer);
                for thread in (0..machine.thread_count(&state)).map(ThreadId) {
                    buffer.clear();
                    machine.thread_steps(&state, &Threads::only(thread), &mut scratch, &mut buffer);
                    let of_thread = |steps: &[Listed]| -> Vec<Listed> {
                        steps.iter().filter(|(by, ..)| *by == Some(thread)).cloned().collect()
                    };
                    let (wanted, found) = (of_thread(&all), of_thread(&listed(&buffer)));
                    assert_eq!(found, wanted, "{}: process {} in {state:?}", path.display(), thread.0);
                    compared += found.len();
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Who moves, after which move of the claim, what, and where it leads.
type Listed = (Option<ThreadId>, u32, [u32; 3], Option<Vec<u8>>);

fn listed(steps: &Steps) -> Vec<Listed> {
    steps
        .list
        .iter()
        .map(|step| (step.thread, step.claim_move, step.action, steps.state(step).map(<[u8]>::to_vec)))
        .collect()
}
