//! `selvedge convert`: writes a network or a net in another format, by the reductions between them.

use std::path::Path;

use selvedge_verify::{ConvertOptions, Language, LoadOptions, Refusal, convert};

use crate::args::ConvertArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::{model_input, output_file};

/// Runs the command.
pub fn run(args: &ConvertArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let Some(wanted) = args.emit.or_else(|| Language::of_ending(&args.to)) else {
        return Err(Refusal::request(format!(
            "cannot determine the language of `{}`: use --emit dcps, spec or tts",
            args.to.display()
        )));
    };
    let model = model_input::load(&args.from, &LoadOptions { language: args.language, ..LoadOptions::default() })?;
    let options = ConvertOptions { thread_switches: args.thread_switches, fresh_switches: args.fresh_switches };
    let converted = convert(&model, wanted, options)?;
    if args.to == Path::new("-") {
        console.document(&converted.text);
        return Ok(Exit::NoViolation);
    }
    let property_file = converted.property_file.as_ref().map(|(ending, text)| (args.to.with_extension(ending), text));
    output_file::refuse_overlaps(&[("TO", &args.to)], &[&args.from])?;
    for (path, text) in std::iter::once((args.to.clone(), &converted.text)).chain(property_file) {
        output_file::write(&path, text)
            .map_err(|error| Refusal::request(format!("cannot write `{}`: {error}", path.display())))?;
    }
    Ok(Exit::NoViolation)
}
