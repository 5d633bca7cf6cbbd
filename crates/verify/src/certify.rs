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
    let none = || Refusal::request(format!("`{path}`: certificates exist only for networks and nets"));
    let subject = match &model.syntax {
        Syntax::Net { net, .. } => Subject::Net(net),
        Syntax::Dcps(dcps) => Subject::Network(dcps),
        Syntax::Promela(_) | Syntax::Bool(_) | Syntax::Pds(_) => return Err(none()),
    };
    let file = CertificateFile::from_json(text)
        .map_err(|error| Refusal::request(format!("cannot read the certificate: {error}")))?;
    match file.check(subject) {
        Ok(()) => Ok(Certified { claim: file.claim(), size: file.size() }),
        Err(FileFlaw::NoSuchCertificates) => Err(none()),
        Err(FileFlaw::UnknownPlace(name)) => {
            Err(Refusal::request(format!("the certificate names the place `{name}`, which the model does not have")))
        }
        Err(FileFlaw::Rejected(flaw)) => {
            let message = format!("the certificate is not valid for `{path}`: {}", flaw.0);
            let help = (file.sha256 != model.sha256).then(|| {
                "the model has changed since the certificate was written: run `selvedge check --certificate` again"
                    .to_owned()
            });
            Err(Refusal::Request { message, help })
        }
    }
}
