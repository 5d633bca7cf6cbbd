//! `selvedge swarm`: many different searches of one model side by side, here or on a cluster, and what they amount to
//! together. Each search is a run of `selvedge check`, so that a script can run it as well and no search can harm
//! another.

pub mod args;
mod combine;
mod emit;
mod local;
mod merge;
mod plan;
mod result;
mod tell;

use clap::Parser;
use selvedge_core::Trace;
use selvedge_report::trace_from_json;

use crate::args::{Cli, Command, MachineArgs};
use crate::check;
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::{publish, signals, trace_file};

use args::{LocalArgs, SwarmArgs, SwarmCommand};
use plan::{Runs, Swarm};
use tell::Told;

/// How to talk to the user.
pub fn console(args: &SwarmArgs) -> Console {
    match &args.command {
        Some(SwarmCommand::Merge(merge)) => Console::new(&merge.output, merge.json),
        None => Console::new(&args.output, args.options.json),
    }
}

/// Runs the command.
pub fn run(args: &SwarmArgs, console: &Console) -> Exit {
    if let Some(SwarmCommand::Merge(merge)) = &args.command {
        return merge::run(merge, console);
    }
    let file = args.file.as_deref().and_then(|file| file.to_str());
    let Some(file) = file else {
        complain("the name of the model is not UTF-8: a swarm cannot pass it on to its searches");
        return Exit::Input;
    };
    console.begin(file);
    let swarm = match planned(file, &args.options, console) {
        Ok(swarm) => swarm,
        Err(exit) => return exit,
    };
    match args.options.emit {
        Some(kind) => emit::run(kind, &swarm, &args.options, console),
        None => {
            let exit = search(&swarm, &args.options, console);
            exit.worst(publish::publish(&MachineArgs::default(), console))
        }
    }
}

/// The searches, after a look at the model: what is wrong with it is said once, and not by every search.
fn planned(file: &str, args: &LocalArgs, console: &Console) -> Result<Swarm, Exit> {
    let mut swarm = Swarm::new(file, args, Runs::Finite);
    let first = &swarm.searches[0];
    let words = ["selvedge".to_owned(), "check".to_owned()].into_iter().chain(swarm.arguments(first));
    let mut check = match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Check(check), .. }) => check,
        Ok(_) => return Err(Exit::Defect),
        Err(error) => {
            complain(&error.to_string());
            return Err(Exit::Input);
        }
    };
    check.format = args.format;
    let looked = check::look(&check, console)?;
    if looked.cycles {
        swarm = Swarm::new(file, args, Runs::Infinite);
    }
    if looked.nothing_to_check {
        swarm.searches.truncate(1);
    }
    Ok(swarm)
}

/// Runs the searches here.
fn search(swarm: &Swarm, args: &LocalArgs, console: &Console) -> Exit {
    let interrupt = signals::catch();
    let mut ran = match local::run(swarm, args.max_bound, &interrupt, console) {
        Ok(ran) => ran,
        Err(message) => {
            complain(&message);
            return Exit::Input;
        }
    };
    if let Some(exit) = ran.broken {
        return exit;
    }
    let told = Told::new(std::mem::take(&mut ran.members), args.max_bound, interrupt.is_set());
    let trace = match told.violation().map(|violation| violation.trace.clone()) {
        None => None,
        Some(path) => match read_trace(path.as_deref()) {
            Some(trace) => Some(trace),
            None => return Exit::Defect,
        },
    };
    let mut saved = None;
    if let (Some(out), Some(trace)) = (&args.trace_out, &trace) {
        if !trace_file::save(trace, out) {
            return Exit::Input;
        }
        saved = Some(out.display().to_string());
    }
    let next = tell::next_commands(&told, saved.as_deref(), &swarm.file);
    told.with_traces_at(saved).tell(trace.as_ref(), next, console)
}

/// The run that a search saved.
fn read_trace(path: Option<&str>) -> Option<Trace> {
    trace_from_json(&std::fs::read_to_string(path?).ok()?).ok()
}
