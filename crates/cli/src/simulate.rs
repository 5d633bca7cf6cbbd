//! `selvedge simulate`: one run of a model, its steps chosen by a seed, by the user or by a trace.

mod interactive;
mod render;
pub mod stepper;

use std::path::{Path, PathBuf};

use selvedge_verify::simulate::{End, SimulateOptions, Simulation};
use selvedge_verify::{LoadOptions, Refusal, table};

use crate::args::SimulateArgs;
use crate::console::Console;
use crate::diagnostics;
use crate::exit::Exit;
use crate::outputs::written;
use crate::{model_input, output_file, trace_file};

use render::FinishedRun;

/// Runs the command.
pub fn run(args: &SimulateArgs, console: &mut Console) -> Result<Exit, Refusal> {
    if let Some(out) = &args.trace_out {
        let inputs: Vec<&Path> = args.file.iter().chain(&args.replay).map(PathBuf::as_path).collect();
        output_file::refuse_overlaps(&[("--trace-out", out)], &inputs)?;
    }
    let mut simulation = start(args, console)?;
    if let Some(out) = &args.trace_out {
        output_file::refuse_overlaps(&[("--trace-out", out)], &[])?;
    }
    let path = simulation.path().to_owned();
    diagnostics::print(simulation.diagnostics(), simulation.sources(), &path, console);
    let end = if args.interactive {
        interactive::choose_steps(&mut simulation, console)
    } else if args.replay.is_some() {
        simulation.end().unwrap_or(End::TraceOver)
    } else {
        simulation.run_at_random(args.seed, args.steps)
    };
    let trace = simulation.trace();
    let save = |path: &PathBuf| written(trace_file::save(&trace, path).map(|()| path.clone()), console);
    let saved = args.trace_out.as_ref().and_then(save);
    // The seed, where chance decided.
    let seed = (!args.interactive && args.replay.is_none()).then_some(args.seed);
    let language = simulation.language();
    Ok(FinishedRun { path: &path, language, seed, end, trace: &trace, saved }.print(console))
}

/// Saves a run where the user says, but not in the place of its model.
fn save_run(run: &Simulation, path: &Path) -> Result<(), Refusal> {
    output_file::refuse_overlaps(&[("this", path)], &[Path::new(run.path())])?;
    trace_file::save(&run.trace(), path)
}

/// The run at its beginning, or at the end of the trace to follow.
fn start(args: &SimulateArgs, console: &mut Console) -> Result<Simulation, Refusal> {
    if let Some(path) = &args.replay {
        if let Some(definition) = args.definitions.0.first() {
            return Err(Refusal::request(format!("{definition} cannot be used with --replay: the trace has its own")));
        }
        let trace = trace_file::read(path)?;
        let model = trace_file::load_model(&trace, path, args.file.as_deref(), &args.include, console)?;
        return Simulation::follow(&model, &trace, args.no_deadlock);
    }
    let Some(file) = &args.file else { return Err(Refusal::request("name the FILE of a model")) };
    if args.interactive && model_input::is_stdin(file) {
        return Err(Refusal::with_help(
            "--interactive reads your choices from standard input, where the model was to come from",
            "save the model to a file",
        ));
    }
    let load = LoadOptions {
        language: args.language,
        dialect: args.boolprog.dialect,
        ..args.include.load_options(&args.definitions)
    };
    let model = model_input::load(file, &load)?;
    let limits = args.boolprog.limits;
    if let Some(message) = table::unfit_limits(&limits, model.language) {
        return Err(Refusal::request(message));
    }
    Simulation::start(&model, &SimulateOptions { no_deadlock: args.no_deadlock, no_assert: args.no_assert, limits })
}
