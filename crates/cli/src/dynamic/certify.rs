//! `selvedge certify`: checks a proof that `check --certificate` wrote, with a checker that shares nothing with the search.

use selvedge_dynamic::cover::certificate::check;

use super::proof::Proof;
use crate::args::CertifyArgs;
use crate::console::{Console, advise, complain};
use crate::exit::Exit;
use crate::load::Request;
use crate::recursive::{Options, open, reads};

/// Runs the command.
pub fn run(args: &CertifyArgs, console: &Console) -> Exit {
    let refused = |message: &str| {
        complain(message);
        Exit::Input
    };
    let request = Request::new(&args.file, args.language, args.format);
    if !reads(&request) {
        return refused(&format!(
            "`{}`: there are proofs for networks (.dcps) and nets (.spec, .tts) only",
            request.shown
        ));
    }
    let Some(opened) = open(&request, &Options::default(), console) else { return Exit::Input };
    let proof = match Proof::read(&args.proof) {
        Ok(proof) => proof,
        Err(message) => return refused(&message),
    };
    let (net, certificate) = match proof.certificate(&opened) {
        Ok(found) => found,
        Err(message) => return refused(&message),
    };
    match check(&net, &certificate) {
        Ok(()) => {
            console.answer(&format!("proved: {}\n", proof.claim()));
            console.tell(&format!("the proof has {}\n", proof.size()));
            Exit::NoViolation
        }
        Err(flaw) => {
            complain(&format!("the proof does not hold for `{}`: {}", opened.path, flaw.0));
            if proof.sha256 != opened.sha256 {
                advise("the model has changed since the proof was written: run `selvedge check --certificate` again");
            }
            Exit::Input
        }
    }
}
