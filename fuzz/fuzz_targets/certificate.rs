//! Certificates: read the file, and check it against a net and against a network.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selvedge_verify::{CertificateFile, Language, certify};

const NET: &str = include_str!("../../corpus/nets/mutual_exclusion.spec");
const NETWORK: &str = include_str!("../../corpus/nets/lock.dcps");

fuzz_target!(|text: &str| {
    if CertificateFile::from_json(text).is_err() {
        return;
    }
    let _ = certify(&selvedge_fuzz::model(Language::Spec, NET), text);
    let _ = certify(&selvedge_fuzz::model(Language::Dcps, NETWORK), text);
});
