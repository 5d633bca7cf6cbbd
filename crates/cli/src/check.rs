//! `selvedge check`: loads each model, lets `verify` check it, prints the answer.

mod parallel;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use selvedge_report::answer::{Problem, Record};
use selvedge_source::{Cancel, Diagnostics, SourceMap};
use selvedge_verify::{Budget, Interrupt, Limits, LoadOptions, Refusal, Request, Verdict, prepare};

use crate::args::CheckArgs;
use crate::console::Console;
use crate::diagnostics;
use crate::exit::Exit;
use crate::outputs::Outputs;
use crate::render::Rendering;
use crate::watchdog::{Asked, Stage, Watched};
use crate::{memory, model_input, progress, publish, signals, watchdog};

/// What is done with each model.
struct Job {
    request: Request,
    load: LoadOptions,
    outputs: Arc<Outputs>,
    /// There is more than one model.
    one_of_many: bool,
    /// An answer that holds only within the bound counts as inconclusive.
    require_complete: bool,
    /// Other programs read the answers.
    publishes: bool,
    interrupt: Interrupt,
}

/// The result for one model.
struct ModelReply {
    exit: Exit,
    /// The answer for other programs.
    record: Record,
    /// The limits of the check.
    budget: Budget,
}

/// Runs the command.
pub fn run(args: &CheckArgs, console: &mut Console) -> Result<Exit, Refusal> {
    // From here on, a signal leaves no temporary file behind.
    let interrupt = signals::catch();
    let one_of_many = args.files.len() > 1;
    console.one_line_json = one_of_many;
    model_input::refuse_twice(args.files.iter().map(PathBuf::as_path))?;
    let outputs = Arc::new(Outputs::new(args)?);
    publish::prepare(&args.reports)?;
    watchdog::expect(args.files.len(), &args.reports, &interrupt);
    if args.until_stdin_ends {
        signals::set_when_stdin_ends(interrupt.clone());
    }
    if let (Some(given), Some(largest)) = (args.memory_limit, memory::largest())
        && given > largest
    {
        console.warn(&format!(
            "`ulimit` allows less than --memory-limit: {} MB is the limit of this search",
            largest >> 20
        ));
    }
    if args.threads > 1 && !one_of_many {
        console.warn("--threads checks several files in parallel; the search of one file uses one thread");
    }
    let job = Job {
        request: args.request(),
        load: args.load_options(),
        outputs,
        one_of_many,
        require_complete: args.reports.require_complete,
        publishes: publish::is_wanted(&args.reports),
        interrupt,
    };
    let replies = match args.at_once() {
        1 => one_by_one(&job, &args.files, console),
        workers => parallel::check_all(&job, &args.files, workers, console),
    };
    let stopped = if replies.len() < args.files.len() { Exit::Inconclusive } else { Exit::NoViolation };
    let exit = replies.iter().fold(stopped, |exit, reply| exit.worst(reply.exit));
    // Limits are those of each model; what is written for several has none, only an end.
    let budget = match replies.as_slice() {
        [only] => only.budget.clone(),
        _ => Budget::start(Limits::default(), job.interrupt.clone()),
    };
    let records: Vec<Record> = replies.into_iter().map(|reply| reply.record).collect();
    publish::publish(&args.reports, records, &Cancel::when(move || budget.is_overdue()), console);
    Ok(exit)
}

fn one_by_one(job: &Job, files: &[PathBuf], console: &mut Console) -> Vec<ModelReply> {
    let mut replies = Vec::new();
    for file in files {
        // The first one is answered even if nothing was explored.
        if !replies.is_empty() && job.interrupt.is_set() {
            break;
        }
        replies.push(job.reply(file, console));
    }
    replies
}

impl Job {
    /// Checks one model and prints the answer.
    fn reply(&self, file: &Path, console: &mut Console) -> ModelReply {
        let mut record = Record::new(&model_input::shown(file));
        let asked = Asked::new(file, &self.request, &self.outputs, self.one_of_many, console);
        let watched = watchdog::watch(self.request.limits.clone(), self.interrupt.clone(), asked);
        let exit = match self.check(file, &watched, &mut record, console) {
            Ok(exit) => exit,
            Err(Refusal::Cancelled) => {
                watched.release();
                watched.answer_unfinished(&mut record, console)
            }
            Err(refusal) => {
                watched.release();
                note_refusal(&refusal, &mut record);
                diagnostics::print_refusal(&refusal, Some(&record.path), console)
            }
        };
        let bounded = record.answer.as_ref().is_some_and(|answer| answer.verdict == Verdict::HoldsWithinBound);
        let exit = if self.require_complete && bounded && exit == Exit::NoViolation {
            console.warn("the answer holds only within the bound, but --require-complete was given");
            Exit::Inconclusive
        } else {
            exit
        };
        watchdog::over(&record, exit);
        ModelReply { exit, record, budget: watched.budget().clone() }
    }

    fn check(
        &self,
        file: &Path,
        watched: &Arc<Watched>,
        record: &mut Record,
        console: &mut Console,
    ) -> Result<Exit, Refusal> {
        let model = model_input::load(file, &LoadOptions { cancel: watched.cancel(), ..self.load.clone() })?;
        self.outputs.refuse_overlaps()?;
        watched.enter(Stage::Preparing);
        let prepared = prepare(&model, &self.request, watched.budget())?;
        note_problems(prepared.diagnostics(), prepared.sources(), record);
        diagnostics::print(prepared.diagnostics(), prepared.sources(), &model.path, console);
        prepared.warnings().iter().for_each(|warning| console.warn(warning));
        watched.searching(&prepared.checked(), prepared.completed_bounds_hold());
        let mut answer = {
            let mut observer = watched.observing(progress::observer(console));
            prepared.run_noting(watched.budget(), &mut observer, &mut |so_far| watched.decided(so_far))?
        };
        if !self.one_of_many {
            watchdog::measured(&mut answer.stats);
        }
        let answer = Arc::new(answer);
        watched.answered(&answer);
        answer.warnings.iter().for_each(|warning| console.warn(warning));
        let cancel = watched.cancel_when_overdue();
        let saved = self.outputs.save(&answer, &cancel, console);
        watched.saved(&saved);
        let rendering =
            Rendering { answer: &answer, request: &self.request, saved: &saved, one_of_many: self.one_of_many };
        record.answer = Some(rendering.for_programs(self.publishes));
        let text = rendering.rendered(&cancel, console).ok_or(Refusal::Cancelled)?;
        watched.release();
        Ok(rendering.print(&text, console))
    }
}

/// What a swarm has to know of a model before it is searched many times.
pub struct Probe {
    /// Infinite runs are searched.
    pub cycles: bool,
    /// There is no property of any kind.
    pub nothing_to_check: bool,
}

/// Loads the first model and prepares its check, without searching.
pub fn probe(args: &CheckArgs, console: &mut Console) -> Result<Probe, Refusal> {
    let model = model_input::load(&args.files[0], &args.load_options())?;
    let prepared = prepare(&model, &args.request(), &Budget::unlimited())?;
    diagnostics::print(prepared.diagnostics(), prepared.sources(), &model.path, console);
    Ok(Probe { cycles: prepared.searches_cycles(), nothing_to_check: prepared.checks_nothing() })
}

/// Keeps diagnostics about a model for other programs.
fn note_problems(found: &Diagnostics, sources: &SourceMap, record: &mut Record) {
    record.problems.extend(found.iter().map(|diagnostic| Problem::new(diagnostic, sources)));
}

/// Keeps why there is no answer for other programs.
fn note_refusal(refusal: &Refusal, record: &mut Record) {
    match refusal {
        Refusal::Model { diagnostics, sources, .. } => note_problems(diagnostics, sources, record),
        Refusal::Request { message, .. } => record.failure = Some(message.clone()),
        Refusal::Cancelled => record.failure = Some(refusal.to_string()),
        Refusal::Defect(_) => {
            record.failure = Some("internal error: a bug in selvedge, not in the model".to_owned());
        }
    }
}
