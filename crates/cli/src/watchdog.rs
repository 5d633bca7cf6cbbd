//! Limits that hold whatever a check is doing. Engines look at their budget and end in order; this is for everything
//! else: reading and lowering a model, one long atomic sequence, one operation on decision diagrams, shortening and
//! rendering a run.
//!
//! The main thread waits here for the thread that works. It measures memory, which budgets count, and where a limit is
//! exceeded and the work has not ended, it gives the answer itself: inconclusive, with what was covered. The process
//! then ends, and with it the work. Who takes a check off the list gives its answer, so there is never more than one.

mod conclude;
mod measure;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use selvedge_report::answer::Record;
use selvedge_report::json::Scope;
use selvedge_source::Cancel;
use selvedge_verify::{
    Answer, Budget, Checked, Event, Interrupt, Language, Layer, Limits, Observer, Request, Stats, StopReason,
};

use crate::args::ReportArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::output_file;
use crate::outputs::{Outputs, Saved};
use crate::render::scope;

pub use conclude::Asked;
pub use measure::Memory;

/// Time between two looks.
const TICK: Duration = Duration::from_millis(2);
/// How long a check may go on after its time is over: the least, and the part of the limit.
const LATE: (Duration, f64) = (Duration::from_millis(30), 0.02);
/// How long it may go on after it was asked to stop.
const PATIENCE: Duration = Duration::from_millis(60);
/// The same while the file of a run is flushed to disk, which takes long where the disk is busy.
const LATE_WRITING: (Duration, f64) = (Duration::from_millis(80), 0.04);
const PATIENCE_WRITING: Duration = Duration::from_millis(140);

/// What a check is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading and parsing the model.
    Reading,
    /// Building what the engine works on, choosing the engine.
    Preparing,
    /// Searching, shortening the run, replaying it.
    Searching,
    /// Writing the answer.
    Rendering,
}

/// A check that is being watched.
pub struct Watched {
    budget: Budget,
    asked: Asked,
    state: Mutex<State>,
}

/// How far a check is.
#[derive(Clone)]
struct State {
    stage: Stage,
    /// A completed bound has no violation in it.
    layers_count: bool,
    /// What is checked; empty while that is not known.
    scope: Scope,
    layers: Vec<Layer>,
    stats: Stats,
    interrupted: Option<Instant>,
    /// What is known while other properties are searched, or while the answer is checked again.
    decided: Option<Arc<Answer>>,
    answer: Option<Arc<Answer>>,
    /// What was written of it.
    saved: Saved,
}

/// The checks in progress, and those that are over.
#[derive(Default)]
struct Checks {
    running: Vec<Arc<Watched>>,
    over: Vec<(Record, Exit)>,
    /// What they have to print, by the place of the model, while an earlier one is still checked.
    unprinted: BTreeMap<usize, Console>,
    /// Where the answers for other programs go.
    reports: ReportArgs,
    files: usize,
    /// Of all checks.
    interrupt: Interrupt,
    /// When it was seen while no check was running.
    interrupted: Option<Instant>,
}

impl Checks {
    /// Whether output is to end that somebody keeps waiting, at the other end of a pipe: there are answers, no check is
    /// running, and there was an interrupt.
    fn ends_output(&mut self) -> bool {
        if self.over.is_empty() || !self.running.is_empty() || !self.interrupt.is_set() {
            self.interrupted = None;
            return false;
        }
        self.interrupted.get_or_insert_with(Instant::now).elapsed() >= PATIENCE_WRITING
    }
}

fn checks() -> MutexGuard<'static, Checks> {
    static CHECKS: OnceLock<Mutex<Checks>> = OnceLock::new();
    // A check that panicked leaves the list as it was.
    CHECKS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says how many models are checked, where their answers go, and what ends all of them.
pub fn expect(files: usize, reports: &ReportArgs, interrupt: &Interrupt) {
    let mut checks = checks();
    (checks.files, checks.reports, checks.interrupt) = (files, reports.clone(), interrupt.clone());
}

/// A check that starts now, watched until it is taken off the list.
pub fn watch(mut limits: Limits, interrupt: Interrupt, asked: Asked) -> Arc<Watched> {
    limits.memory = limits.memory.map(measure::for_work);
    let budget = Budget::start(limits, interrupt).measured_by(measure::meter().clone());
    let state = State {
        stage: Stage::Reading,
        layers_count: false,
        scope: Scope::default(),
        layers: Vec::new(),
        stats: Stats::default(),
        interrupted: None,
        decided: None,
        answer: None,
        saved: Saved::default(),
    };
    let watched = Arc::new(Watched { budget, asked, state: Mutex::new(state) });
    checks().running.push(watched.clone());
    watched
}

impl Watched {
    /// Its budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// It goes on with something else.
    pub fn enter(&self, stage: Stage) {
        self.state().stage = stage;
    }

    /// The search of `checked` starts; whether each bound that it completes is one without a violation.
    pub fn searching(&self, checked: &Checked, layers_count: bool) {
        let mut state = self.state();
        (state.stage, state.layers_count, state.scope) = (Stage::Searching, layers_count, scope(checked));
    }

    /// Some properties are decided, and others are searched or checked again now.
    pub fn decided(&self, so_far: Answer) {
        let mut state = self.state();
        state.decided = Some(Arc::new(so_far));
        (state.layers, state.stats) = (Vec::new(), Stats::default());
    }

    /// There is an answer, which must still be written.
    pub fn answered(&self, answer: &Arc<Answer>) {
        let mut state = self.state();
        (state.stage, state.answer) = (Stage::Rendering, Some(answer.clone()));
    }

    /// The files of the answer are written, as far as there was time for them.
    pub fn saved(&self, saved: &Saved) {
        self.state().saved = saved.clone();
    }

    /// When reading and preparing the model end.
    pub fn cancel(&self) -> Cancel {
        let budget = self.budget.clone();
        Cancel::when(move || budget.spent(0).is_some())
    }

    /// When writing the answer ends.
    pub fn cancel_when_overdue(&self) -> Cancel {
        let budget = self.budget.clone();
        Cancel::when(move || budget.is_overdue())
    }

    /// Prints the answer to a check that was cancelled, with what is known, as if it was ended from outside.
    pub fn answer_unfinished(&self, record: &mut Record, console: &mut Console) -> Exit {
        // Of the limits, only memory may be free again.
        let stop = self.budget.spent(0).unwrap_or(StopReason::Memory);
        conclude::answer(self, stop, record, console)
    }

    /// Takes the check off the list: whoever does gives its answer. Does not return where that was done from outside,
    /// because the process is ending then.
    pub fn release(self: &Arc<Self>) {
        let mut checks = checks();
        let before = checks.running.len();
        checks.running.retain(|other| !Arc::ptr_eq(other, self));
        if checks.running.len() < before {
            return;
        }
        drop(checks);
        loop {
            std::thread::park();
        }
    }

    /// An observer that lets the watch know, too.
    pub fn observing(self: &Arc<Self>, observer: Box<dyn Observer>) -> Noting {
        Noting { watched: self.clone(), observer }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limit that it has exceeded although it was to end.
    fn overrun(&self, memory: u64) -> Option<StopReason> {
        let limits = self.budget.limits();
        let (late, patience) =
            if output_file::is_writing() { (LATE_WRITING, PATIENCE_WRITING) } else { (LATE, PATIENCE) };
        let late = |limit: Duration| self.budget.ends_after() >= limit + late.0.max(limit.mul_f64(late.1));
        if limits.time.is_some_and(late) {
            return Some(StopReason::Time);
        }
        if limits.memory.is_some_and(|limit| memory >= measure::most(limit)) {
            return Some(StopReason::Memory);
        }
        let mut state = self.state();
        if self.budget.is_interrupted() {
            let since = *state.interrupted.get_or_insert_with(Instant::now);
            return (since.elapsed() >= patience).then_some(StopReason::Interrupted);
        }
        None
    }
}

/// Remembers a model that was answered, for the answers to other programs.
pub fn over(record: &Record, exit: Exit) {
    checks().over.push((record.clone(), exit));
}

/// Keeps what is printed for the model at this place until it is its turn, or until the run is ended from outside.
pub fn keep(place: usize, printed: Console) {
    checks().unprinted.insert(place, printed);
}

/// What was kept for the model at this place; nothing if the run is being ended, which prints it.
pub fn take(place: usize) -> Option<Console> {
    checks().unprinted.remove(&place)
}

/// Memory at the peak, and what a state takes of it, as far as that can be measured.
pub fn measured(stats: &mut Stats) {
    measure::complete(stats);
}

/// Waits for the exit code of the work, or ends it.
pub fn wait(work: &Receiver<Exit>, memory: &Memory) -> Exit {
    loop {
        match work.recv_timeout(TICK) {
            Ok(exit) => return exit,
            Err(RecvTimeoutError::Disconnected) => return Exit::Defect,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let bytes = memory.measure();
        let overrun = |watched: &Arc<Watched>| Some((watched.clone(), watched.overrun(bytes)?));
        let mut checks = checks();
        if let Some((watched, stop)) = checks.running.iter().find_map(overrun) {
            checks.running.clear();
            let over = std::mem::take(&mut checks.over);
            let (reports, files) = (checks.reports.clone(), checks.files);
            let unprinted = std::mem::take(&mut checks.unprinted);
            drop(checks);
            unprinted.into_values().for_each(|printed| watched.asked.console.again().emit_all_of(printed));
            let exit = conclude::conclude(&watched, stop, over, files, &reports);
            output_file::discard_unfinished();
            return exit;
        }
        if checks.ends_output() {
            let exit = conclude::unpublished(&checks.over, checks.files);
            output_file::discard_unfinished();
            return exit;
        }
    }
}

/// Passes events on, and remembers them.
pub struct Noting {
    watched: Arc<Watched>,
    observer: Box<dyn Observer>,
}

impl Observer for Noting {
    fn event(&mut self, event: &Event) {
        {
            let mut state = self.watched.state();
            match event {
                Event::Layer(layer) => {
                    state.layers.push(*layer);
                    state.stats.states = state.stats.states.max(layer.states);
                    state.stats.transitions = state.stats.transitions.max(layer.transitions);
                }
                Event::Progress { states, transitions, depth, .. } => {
                    (state.stats.states, state.stats.transitions) = (*states, *transitions);
                    state.stats.max_depth = state.stats.max_depth.max(*depth);
                }
            }
        }
        self.observer.event(event);
    }
}

impl Asked {
    /// About one model.
    pub fn new(path: &Path, request: &Request, outputs: &Arc<Outputs>, one_of_many: bool, console: &Console) -> Self {
        let language = Language::of_ending(path);
        Asked {
            path: path.display().to_string(),
            language,
            request: request.clone(),
            one_of_many,
            outputs: Arc::clone(outputs),
            console: console.again(),
        }
    }
}
