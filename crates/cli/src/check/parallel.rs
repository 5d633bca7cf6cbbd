//! Checks several models in parallel, each on a thread of its own. Output is buffered and printed in the order of the files,
//! so that it is the same with any number of threads.
//!
//! One search uses one thread: a step of a model takes a tenth of a microsecond, less than handing it to another
//! thread.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use super::{Job, ModelReply};
use crate::console::Console;
use crate::watchdog;

/// Stack of a thread that checks a model: models may be nested deeply.
const STACK_BYTES: usize = 256 << 20;

/// A model that was checked, its output kept by the watchdog; or not, because the user has stopped the run.
type Done = Option<ModelReply>;

/// Checks all models and prints the answers in their order.
pub fn check_all(job: &Job, files: &[PathBuf], workers: usize, console: &mut Console) -> Vec<ModelReply> {
    let next = AtomicUsize::new(0);
    let (done, finished) = channel();
    let mut replies = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (template, done, next) = (console.buffered(), done.clone(), &next);
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            let started = builder.spawn_scoped(scope, move || check_some(job, files, next, &template, &done));
            if let Err(error) = started {
                console.error(&format!("cannot start a thread: {error}"));
                console.lose();
                break;
            }
        }
        drop(done);
        let (mut waiting, mut printed): (BTreeMap<usize, Done>, usize) = (BTreeMap::new(), 0);
        for (index, done) in finished {
            waiting.insert(index, done);
            while let Some(done) = waiting.remove(&printed) {
                printed += 1;
                if let Some(reply) = done {
                    watchdog::take(printed - 1).into_iter().for_each(|kept| console.emit_all_of(kept));
                    replies.push(reply);
                }
            }
        }
    });
    replies
}

/// Checks models that no other thread has taken, one after the other.
fn check_some(job: &Job, files: &[PathBuf], next: &AtomicUsize, template: &Console, done: &Sender<(usize, Done)>) {
    loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = files.get(index) else { return };
        // The first one is answered even if nothing was explored.
        let checked = (index == 0 || !job.interrupt.is_set()).then(|| {
            let mut console = template.buffered();
            let reply = job.reply(file, &mut console);
            watchdog::keep(index, console);
            reply
        });
        if done.send((index, checked)).is_err() {
            return;
        }
    }
}
