//! Several models at once, each on a thread of its own. What is said about a model is kept until those named before it
//! are told, so that the output is the same with any number of threads.
//!
//! One search uses one thread: a step of a model takes a tenth of a microsecond, less than handing it to another
//! thread.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use selvedge_core::Interrupt;

use super::check_and_judge;
use crate::STACK_BYTES;
use crate::args::CheckArgs;
use crate::console::{Console, Said, complain, keeping};
use crate::exit::Exit;

/// How many models are looked at at once.
pub fn at_once(args: &CheckArgs) -> usize {
    args.files.len().min(args.threads as usize).max(1)
}

/// A model that was checked; or not, because the user has stopped the run.
type Done = Option<(Exit, Vec<Said>, Console)>;

/// Checks all models and tells the answers in their order.
pub fn check_all(args: &CheckArgs, interrupt: &Interrupt, console: &Console) -> Exit {
    let next = AtomicUsize::new(0);
    let (done, finished) = channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once(args) {
            let (console, done, next) = (console.for_one_of_several(), done.clone(), &next);
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            if let Err(error) = builder.spawn_scoped(scope, move || check_some(args, next, interrupt, &console, &done))
            {
                complain(&format!("cannot start a thread: {error}"));
                return Exit::Input;
            }
        }
        drop(done);
        let (mut exit, mut waiting, mut told) = (Exit::NoViolation, BTreeMap::new(), 0);
        for (index, done) in finished {
            waiting.insert(index, done);
            while let Some(done) = waiting.remove(&told) {
                told += 1;
                exit = exit.worst(tell(done, console));
            }
        }
        exit
    })
}

fn tell(done: Done, console: &Console) -> Exit {
    let Some((exit, said, known)) = done else { return Exit::Inconclusive };
    console.say_later(said, known);
    exit
}

/// Checks the models that nobody has taken, one after the other.
fn check_some(
    args: &CheckArgs,
    next: &AtomicUsize,
    interrupt: &Interrupt,
    console: &Console,
    done: &Sender<(usize, Done)>,
) {
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = args.files.get(index) else { return };
        // The first one is told about even if nothing was explored.
        let checked = (index == 0 || !interrupt.is_set()).then(|| {
            let console = console.for_one_of_several();
            let (exit, said) = keeping(|| check_and_judge(args, file, interrupt, &console));
            (exit, said, console)
        });
        if done.send((index, checked)).is_err() {
            return;
        }
    }
}
