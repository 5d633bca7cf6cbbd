//! `selvedge certify`: checks a proof that `check --certificate` wrote, with a checker that shares nothing with the search.

use selvedge_certificate::{CertificateFile, FileFlaw};

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
    let subject = match super::subject(&opened) {
        Some(subject) => subject,
        None => return refused(&no_such_proofs(&opened.path)),
    };
    let proof = match std::fs::read_to_string(&args.proof)
        .map_err(|error| error.to_string())
        .and_then(|text| CertificateFile::from_json(&text))
    {
        Ok(proof) => proof,
        Err(error) => return refused(&format!("cannot use the proof `{}`: {error}", args.proof.display())),
    };
    match proof.check(subject) {
        Ok(()) => {
            console.answer(&format!("proved: {}\n", proof.claim()));
            console.tell(&format!("the proof has {}\n", proof.size()));
            Exit::NoViolation
        }
        Err(FileFlaw::NoSuchCertificates) => refused(&no_such_proofs(&opened.path)),
        Err(FileFlaw::UnknownPlace(name)) => {
            refused(&format!("the proof speaks of a place `{name}` that is not there"))
        }
        Err(FileFlaw::Rejected(flaw)) => {
            complain(&format!("the proof does not hold for `{}`: {}", opened.path, flaw.0));
            if proof.sha256 != opened.sha256 {
                advise("the model has changed since the proof was written: run `selvedge check --certificate` again");
            }
            Exit::Input
        }
    }
}

fn no_such_proofs(path: &str) -> String {
    format!("`{path}`: there are no proofs of this kind for such a model")
}
