//! `selvedge sequentialize`: prints the sequential program of the reduction, as a Boolean program or as C.

use selvedge_verify::{LoadOptions, Refusal, sequentialized};

use crate::args::SequentializeArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::{model_input, output_file};

/// Runs the command.
pub fn run(args: &SequentializeArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let options = LoadOptions { language: args.language, dialect: args.run.dialect, ..LoadOptions::default() };
    let model = model_input::load(&args.file, &options)?;
    if let Some(out) = &args.out {
        output_file::refuse_overlaps(&[("--out", out)], &[&args.file])?;
    }
    let text = sequentialized(&model, args.reach.as_deref(), args.rounds, args.emit)?;
    match &args.out {
        None => console.document(&text),
        Some(path) => output_file::write(path, text)
            .map_err(|error| Refusal::request(format!("cannot write `{}`: {error}", path.display())))?,
    }
    Ok(Exit::NoViolation)
}
