//! `selvedge certify`: checks a proof that `check --certificate` wrote, with a checker that shares nothing with the search.

use selvedge_source::{Size, read_utf8};
use selvedge_verify::{LoadOptions, Refusal, certify};

use crate::args::CertifyArgs;
use crate::console::Console;
use crate::exit::Exit;
use crate::model_input;

/// Runs the command.
pub fn run(args: &CertifyArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let model = model_input::load(&args.file, &LoadOptions { language: args.language, ..LoadOptions::default() })?;
    let unusable =
        |error: String| Refusal::request(format!("cannot read the certificate `{}`: {error}", args.proof.display()));
    let text = read_utf8(&args.proof, Size::Document).map_err(|error| unusable(error.to_string()))?;
    let certified = certify(&model, &args.proof.display().to_string(), &text)?;
    console.answer(&format!("proved: {}\n", certified.claim));
    console.inform(&format!("the certificate has {}\n", certified.size));
    Ok(Exit::NoViolation)
}
