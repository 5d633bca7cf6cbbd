//! The `selvedge` command. Only glue: this crate alone reads arguments, prints and decides the exit
//! code; everything else is done by the crates it calls.
//!
//! Models may be nested deeply, so the work runs on a thread with a large stack. The exit code is
//! decided in [`main`] alone: from what a command returns ([`exit::Exit`]), or 101 after a panic.
#![forbid(unsafe_code)]

mod about;
mod advice;
mod args;
mod check;
mod config;
mod console;
mod dynamic;
mod exit;
mod explain;
mod independent;
mod load;
mod ltl;
mod memory;
mod progress;
mod publish;
mod recursive;
mod replay;
mod shell;
mod signals;
mod simulate;
mod swarm;
mod symbolic;
mod trace_file;
mod view;

use std::process::ExitCode;

use args::Command;
use console::Console;
use exit::Exit;

/// Stack of the thread that does the work.
pub const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(console::report_panic));
    let worker = std::thread::Builder::new().name("main".into()).stack_size(STACK_BYTES).spawn(run);
    let exit = match worker {
        Ok(worker) => worker.join().unwrap_or(Exit::Defect),
        Err(error) => {
            console::complain(&format!("cannot start a thread: {error}"));
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
    match command {
        Command::Check(args) => with_console(Console::new(&args.output, args.json), |c| check::run(args, c)),
        Command::Simulate(args) => with_console(Console::new(&args.output, args.json), |c| simulate::run(args, c)),
        Command::Replay(args) => with_console(Console::new(&args.output, false), |c| replay::run(args, c)),
        Command::Ltl(args) => with_console(Console::new(&args.output, false), |c| ltl::run(args, c)),
        Command::View(args) => with_console(Console::new(&args.output(), false), |c| view::run(args, c)),
        Command::Convert(args) => with_console(Console::new(&args.output, false), |c| dynamic::convert::run(args, c)),
        Command::Certify(args) => with_console(Console::new(&args.output, false), |c| dynamic::certify::run(args, c)),
        Command::Sequentialize(args) => {
            with_console(Console::new(&args.output, false), |c| symbolic::sequentialize(args, c))
        }
        Command::Explain(args) => with_console(Console::plain(), |c| explain::run(args, c)),
        Command::Config(args) => with_console(Console::plain(), |c| config::show::run(args, c)),
        Command::Completions(args) => with_console(Console::plain(), |c| about::completions(args.shell, c)),
        Command::Man(args) => with_console(Console::plain(), |c| about::man(args, c)),
        Command::Reference => with_console(Console::plain(), about::reference),
        Command::Swarm(args) => with_console(swarm::console(args), |c| swarm::run(args, c)),
    }
}

/// Runs a command; an answer that could not be written is no answer.
fn with_console(console: Console, command: impl FnOnce(&Console) -> Exit) -> Exit {
    let exit = command(&console);
    if console.lost_output() { exit.worst(Exit::Input) } else { exit }
}
