//! Checks a certificate that a check wrote, without searching.

use selvedge_certificate::boolprog::{self, Property};
use selvedge_certificate::{CertificateFile, FileFlaw, Rejected, Subject, is_proof, pushdown};
use selvedge_core::Budget;
use selvedge_source::{Diagnostics, SourceMap};

use crate::model::{LoadedModel, Syntax};
use crate::proof::count;
use crate::refusal::Refusal;

/// A certificate that the checker accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    /// What it proves, in words.
    pub claim: String,
    /// How large it is, in words.
    pub size: String,
}

/// Checks the certificate in `text`, the file at `proof`, against a model.
pub fn certify(model: &LoadedModel, proof: &str, text: &str) -> Result<Certified, Refusal> {
    let subject = match &model.syntax {
        Syntax::Net { net, .. } => Subject::Net(net),
        Syntax::Dcps(dcps) => Subject::Network(dcps),
        Syntax::Bool(_) | Syntax::Pds(_) => return certify_text(model, proof, text),
        Syntax::Promela(_) => return Err(none(model)),
    };
    let unusable = |error| Refusal::request(format!("cannot read the certificate `{proof}`: {error}"));
    if is_proof(text) {
        return Err(unusable("it is for a Boolean program or a pushdown system".to_owned()));
    }
    let file = CertificateFile::from_json(text).map_err(unusable)?;
    match file.check(subject) {
        Ok(()) => Ok(Certified { claim: file.claim(), size: file.size() }),
        Err(FileFlaw::NoSuchCertificates) => Err(none(model)),
        Err(FileFlaw::UnknownPlace(name)) => {
            Err(Refusal::request(format!("the certificate names the place `{name}`, which the model does not have")))
        }
        Err(FileFlaw::Rejected(flaw)) => {
            let message = format!("the certificate is not valid for `{}`: {}", model.path, flaw.0);
            let help = (file.sha256 != model.sha256).then(|| CHANGED.to_owned());
            Err(Refusal::Request { message, help })
        }
    }
}

const CHANGED: &str =
    "the model has changed since the certificate was written: run `selvedge check --certificate` again";

fn none(model: &LoadedModel) -> Refusal {
    Refusal::request(format!("`{}`: there are no certificates for models in this language", model.path))
}

/// Checks a proof of a Boolean program or a pushdown system.
fn certify_text(model: &LoadedModel, proof: &str, text: &str) -> Result<Certified, Refusal> {
    let mut sources = SourceMap::new();
    let file = sources.add(proof, text);
    let budget = Budget::unlimited();
    let checked = match &model.syntax {
        Syntax::Bool(program) => boolprog::check(program, file, text, &budget).map(|property| claim(&property)),
        Syntax::Pds(pds) => {
            let claim = "no run reaches a target, with any number of rounds".to_owned();
            pushdown::check(pds, file, text, &budget).map(|()| claim)
        }
        Syntax::Promela(_) | Syntax::Dcps(_) | Syntax::Net { .. } => return Err(none(model)),
    };
    match checked {
        Ok(claim) => {
            let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
            Ok(Certified { claim, size: count(lines, "line") })
        }
        Err(Rejected::Stopped(_)) => Err(Refusal::request(format!("the proof `{proof}` is too large to be checked"))),
        Err(Rejected::Flaw(flaw)) => {
            let changed = !text.lines().any(|line| line.trim() == format!("sha256 {}", model.sha256));
            let mut diagnostics = Diagnostics::new();
            diagnostics.push(if changed { flaw.help(CHANGED) } else { *flaw });
            Err(Refusal::Model { path: proof.to_owned(), diagnostics, sources })
        }
    }
}

/// What a proof of a Boolean program proves.
fn claim(property: &Property) -> String {
    let labels: Vec<String> = property.labels.iter().map(|label| format!("`{label}`")).collect();
    let labels = (!labels.is_empty()).then(|| format!("no run reaches the label {}", labels.join(" or ")));
    let assertions = property.assertions.then(|| "no assertion fails".to_owned());
    let parts: Vec<String> = assertions.into_iter().chain(labels).collect();
    match parts.is_empty() {
        true => "nothing: neither assertions nor labels are claimed".to_owned(),
        false => format!("{}, with any number of rounds", parts.join(" and ")),
    }
}
