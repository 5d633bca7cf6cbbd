//! Checks a certificate that a check wrote, without searching.

use selvedge_certificate::{CertificateFile, FileFlaw, Subject};

use crate::model::{LoadedModel, Syntax};
use crate::refusal::Refusal;

/// A certificate that the checker accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certified {
    /// What it proves, in words.
    pub claim: String,
    /// How large it is, in words.
    pub size: String,
}

/// Checks the certificate in `text` against a model.
pub fn certify(model: &LoadedModel, text: &str) -> Result<Certified, Refusal> {
    let path = &model.path;
    let none = || Refusal::request(format!("`{path}`: there are no proofs of this kind for such a model"));
    let subject = match &model.syntax {
        Syntax::Net { net, .. } => Subject::Net(net),
        Syntax::Dcps(dcps) => Subject::Network(dcps),
        Syntax::Promela(_) | Syntax::Bool(_) | Syntax::Pds(_) => return Err(none()),
    };
    let file =
        CertificateFile::from_json(text).map_err(|error| Refusal::request(format!("cannot use the proof: {error}")))?;
    match file.check(subject) {
        Ok(()) => Ok(Certified { claim: file.claim(), size: file.size() }),
        Err(FileFlaw::NoSuchCertificates) => Err(none()),
        Err(FileFlaw::UnknownPlace(name)) => {
            Err(Refusal::request(format!("the proof speaks of a place `{name}` that is not there")))
        }
        Err(FileFlaw::Rejected(flaw)) => {
            let message = format!("the proof does not hold for `{path}`: {}", flaw.0);
            let help = (file.sha256 != model.sha256).then(|| {
                "the model has changed since the proof was written: run `selvedge check --certificate` again".to_owned()
            });
            Err(Refusal::Request { message, help })
        }
    }
}
