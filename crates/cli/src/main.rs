//! The `selvedge` command. Only glue: this crate alone reads arguments, prints and decides the exit
//! code; everything else is done by the crates it calls.
//!
//! Models may be nested deeply, so the work runs on a thread with a large stack, and the main thread watches over its
//! limits. The exit code is
//! decided in [`main`] alone: from what a command returns ([`exit::Exit`], or why it was refused), or 101 after a panic.
#![forbid(unsafe_code)]

mod address_space;
mod advice;
mod args;
mod certify;
mod check;
mod config;
mod console;
mod convert;
mod diagnostics;
mod docgen;
mod exit;
mod explain;
mod ltl;
mod memory;
mod model_input;
mod output_file;
mod outputs;
mod progress;
mod publish;
mod render;
mod replay;
mod saved;
mod sequentialize;
mod shell;
mod signals;
mod simulate;
mod swarm;
mod trace_file;
mod view;
mod watchdog;

use std::panic::PanicHookInfo;
use std::process::ExitCode;
use std::sync::mpsc;

use selvedge_report::clean;
use selvedge_verify::Refusal;

use args::Command;
use console::Console;
use exit::Exit;
use watchdog::Memory;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(report_panic));
    let stack = address_space::stack_bytes();
    let (memory, (done, work)) = (Memory::new(), mpsc::channel());
    // The channel is closed without an exit code where the work panics.
    let run = move || {
        let _ = done.send(run());
    };
    let worker = std::thread::Builder::new().name("main".into()).stack_size(stack).spawn(run);
    let exit = match worker {
        Ok(_) => watchdog::wait(&work, &memory),
        Err(error) => {
            Console::plain().error(&format!("cannot start a thread: {error}"));
            Exit::Input
        }
    };
    ExitCode::from(exit.code())
}

fn run() -> Exit {
    match config::parse() {
        Ok(cli) => dispatch(&cli.command),
        Err(exit) => exit,
    }
}

fn dispatch(command: &Command) -> Exit {
    let output = |output: &args::OutputArgs, json| Console::new(output, json);
    match command {
        Command::Check(args) => {
            conclude(output(&args.output, args.json).with_format(args.format), |c| check::run(args, c))
        }
        Command::Simulate(args) => {
            conclude(output(&args.output, args.json).with_format(args.format), |c| simulate::run(args, c))
        }
        Command::Replay(args) => {
            conclude(output(&args.output, false).with_format(args.format), |c| replay::run(args, c))
        }
        Command::Ltl(args) => conclude(output(&args.output, false).with_format(args.format), |c| ltl::run(args, c)),
        Command::View(args) => conclude(output(&args.output(), false), |c| view::run(args, c)),
        Command::Convert(args) => {
            conclude(output(&args.output, false).with_format(args.format), |c| convert::run(args, c))
        }
        Command::Certify(args) => {
            conclude(output(&args.output, false).with_format(args.format), |c| certify::run(args, c))
        }
        Command::Sequentialize(args) => {
            conclude(output(&args.output, false).with_format(args.format), |c| sequentialize::run(args, c))
        }
        Command::Explain(args) => conclude(Console::plain(), |c| explain::run(args, c)),
        Command::Config(args) => conclude(Console::plain(), |c| config::show::run(args, c)),
        Command::Completions(args) => conclude(Console::plain(), |c| docgen::completions(args.shell, c)),
        Command::Man(args) => conclude(Console::plain(), |c| docgen::man(args, c)),
        Command::Reference => conclude(Console::plain(), docgen::reference),
        Command::Swarm(args) => conclude(swarm::console(args), |c| swarm::run(args, c)),
    }
}

/// Runs a command and prints why it was refused, if it was; an answer that could not be written is no answer.
fn conclude(mut console: Console, command: impl FnOnce(&mut Console) -> Result<Exit, Refusal>) -> Exit {
    let exit = match command(&mut console) {
        Ok(exit) => exit,
        Err(refusal) => diagnostics::print_refusal(&refusal, None, &mut console),
    };
    if let Some(line) = config::in_force::line().filter(|_| !console.json) {
        let line = console.wrapped(&line);
        // Where stdout has a document or a single line, it goes beside it.
        if console.printed_answer() && !console.quiet { console.answer(&line) } else { console.stderr(&line) }
    }
    if console.lost_output() { exit.without_output(&mut console) } else { exit }
}

/// The panic hook.
fn report_panic(info: &PanicHookInfo<'_>) {
    simulate::stepper::give_back_terminal();
    let payload = info.payload();
    let words = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let words = words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_owned());
    let place = info.location().map(|place| format!(" (at {}:{})", place.file(), place.line())).unwrap_or_default();
    console::to_stderr(&clean(&console::defect(&format!("{words}{place}")), false));
}
