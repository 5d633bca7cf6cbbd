//! `selvedge swarm`: many different searches of one model side by side, here or on a cluster, and what they amount to
//! together. Each search is a run of `selvedge check`, so that a script can run it as well and no search can harm
//! another.

mod combine;
mod emit;
mod local;
mod merge;
mod plan;
mod render;
mod result;

use std::path::Path;

use clap::Parser;
use selvedge_report::answer::Record;
use selvedge_report::trace_from_json;
use selvedge_source::{Cancel, Size, read_utf8};
use selvedge_verify::{Choice, Language, Refusal, Trace};

use crate::args::swarm::{LocalArgs, SwarmArgs, SwarmCommand};
use crate::args::{Cli, Command, ReportArgs};
use crate::check;
use crate::console::Console;
use crate::exit::Exit;
use crate::outputs::written;
use crate::{model_input, output_file, publish, saved, signals, trace_file};

use plan::{Runs, Swarm};
use render::SwarmAnswer;

/// How to talk to the user.
pub fn console(args: &SwarmArgs) -> Console {
    match &args.command {
        Some(SwarmCommand::Merge(merge)) => Console::new(&merge.output, merge.json),
        None => Console::new(&args.output, args.options.json).with_format(args.options.format),
    }
}

/// Runs the command.
pub fn run(args: &SwarmArgs, console: &mut Console) -> Result<Exit, Refusal> {
    if let Some(SwarmCommand::Merge(merge)) = &args.command {
        return merge::run(merge, console);
    }
    let file = args.file.as_deref().and_then(|file| file.to_str());
    let Some(file) = file else {
        return Err(Refusal::request("the name of the model is not UTF-8: a swarm cannot pass it on to its searches"));
    };
    if model_input::is_stdin(Path::new(file)) {
        return Err(Refusal::with_help(
            "a swarm reads its model many times, and standard input can be read only once",
            "save the model to a file",
        ));
    }
    let out = [&args.options.trace_out, &args.options.script];
    let outputs: Vec<(&str, &Path)> = ["--trace-out", "--output"]
        .into_iter()
        .zip(out)
        .filter_map(|(name, out)| Some((name, out.as_deref()?)))
        .collect();
    output_file::refuse_overlaps(&outputs, &[Path::new(file)])?;
    let swarm = planned(file, &args.options, console)?;
    // The files that the model includes are known now.
    output_file::refuse_overlaps(&outputs, &[])?;
    match args.options.emit {
        Some(kind) => emit::run(kind, &swarm, &args.options, console),
        None => {
            let mut record = Record::new(file);
            let exit = search(&swarm, &args.options, &mut record, console)?;
            publish::publish(&ReportArgs::default(), vec![record], &Cancel::never(), console);
            Ok(exit)
        }
    }
}

/// The searches, after the model was probed: what is wrong with it is printed once, and not by every search.
fn planned(file: &str, args: &LocalArgs, console: &mut Console) -> Result<Swarm, Refusal> {
    let language = args.language.or_else(|| Language::of_ending(Path::new(file)));
    if let Some(other) = language.filter(|language| *language != Language::Promela) {
        return Err(Refusal::request(format!(
            "`{file}`: a swarm searches Promela models, not .{} files",
            other.name()
        )));
    }
    let mut swarm = Swarm::new(file, args, Runs::Finite);
    let first = &swarm.searches[0];
    let words = ["selvedge".to_owned(), "check".to_owned()].into_iter().chain(swarm.arguments(first));
    let check = match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Check(check), .. }) => check,
        Ok(_) => return Err(Refusal::defect("the arguments of a search are not those of a check")),
        Err(error) => return Err(Refusal::request(error.to_string())),
    };
    let probe = check::probe(&check, console)?;
    if probe.cycles {
        swarm = Swarm::new(file, args, Runs::Infinite);
    }
    if probe.nothing_to_check {
        swarm.searches.truncate(1);
    }
    Ok(swarm)
}

/// Runs the searches here.
fn search(swarm: &Swarm, args: &LocalArgs, record: &mut Record, console: &mut Console) -> Result<Exit, Refusal> {
    let interrupt = signals::catch();
    let mut ran = local::run(swarm, args.max_bound, &interrupt, console).map_err(Refusal::request)?;
    if let Some(exit) = ran.broken {
        return Ok(exit);
    }
    let answer = SwarmAnswer::new(std::mem::take(&mut ran.members), args.max_bound, interrupt.is_set());
    let trace = match answer.violation().map(|violation| violation.trace.clone()) {
        None => None,
        // The search was over time before it was written.
        Some(None) => {
            console.error("a search found a violation, but a limit ended it before its run was written");
            None
        }
        Some(path) => match read_trace(path.as_deref()) {
            Some(trace) => Some(trace),
            None => return Err(Refusal::defect("a search found a violation, and its trace cannot be read")),
        },
    };
    let saved = match (&args.trace_out, &trace) {
        (Some(out), Some(trace)) => written(trace_file::save(trace, out).map(|()| out.clone()), console),
        (None, Some(trace)) => {
            saved::save(&args.save, &swarm.file, std::slice::from_ref(trace), &Cancel::never(), console).pop()
        }
        (_, None) => None,
    };
    let next = render::next_commands(&answer, saved.as_deref(), &swarm.file);
    let answer = answer.with_traces_at(saved);
    record.answer = answer.for_programs(trace.as_ref());
    Ok(answer.print(trace.as_ref(), next, console))
}

/// The run that a search saved.
fn read_trace(path: Option<&str>) -> Option<Trace> {
    trace_from_json(&read_utf8(Path::new(path?), Size::Document).ok()?).ok()
}
