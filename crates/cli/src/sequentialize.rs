//! `selvedge sequentialize`: prints the sequential program of the reduction, as a Boolean program or as C.

use selvedge_verify::{LoadOptions, Refusal, load_file, sequentialized};

use crate::args::SequentializeArgs;
use crate::console::Console;
use crate::exit::Exit;

/// Runs the command.
pub fn run(args: &SequentializeArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let options = LoadOptions { language: args.language, dialect: args.run.dialect, name: None };
    let model = load_file(&args.file, &options)?;
    let text = sequentialized(&model, args.reach.as_deref(), args.rounds, args.emit)?;
    match &args.out {
        None => console.answer(&text),
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Refusal::request(format!("cannot write `{}`: {error}", path.display())))?,
    }
    Ok(Exit::NoViolation)
}
