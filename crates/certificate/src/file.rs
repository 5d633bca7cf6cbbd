//! The file of a certificate: places by name, so that it can be read, and checked against the model alone.

use std::collections::BTreeMap;

use selvedge_core::trace::SCHEMA;
use selvedge_nets_syntax::dcps::Dcps;
use selvedge_nets_syntax::net::{Net, PlaceId};
use serde::{Deserialize, Serialize};

use crate::net::{Certificate, Flaw, check};
use crate::network::{NetworkNet, SwitchBound};

/// The model that a certificate is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A net.
    Net(&'a Net),
    /// A network; certificates are about finite-state ones.
    Network(&'a Dcps),
}

impl Subject<'_> {
    /// The net that a certificate for this bound speaks of. `None` if there is none.
    fn net(self, bound: SwitchBound) -> Option<Net> {
        match self {
            Subject::Net(net) => Some(net.clone()),
            Subject::Network(dcps) => Some(NetworkNet::new(dcps, bound)?.net),
        }
    }
}

/// What the file holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateFile {
    schema: u32,
    path: String,
    /// SHA-256 of the model.
    pub sha256: String,
    /// The bound on the switches of each thread that it is for; absent if it is for every bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread_switches: Option<u32>,
    #[serde(default)]
    fresh_switches: bool,
    unmarked: Vec<String>,
    weights: Vec<BTreeMap<String, u32>>,
    basis: Vec<BTreeMap<String, u32>>,
}

impl CertificateFile {
    /// The file of a certificate, whose places are those of the net itself or of [`NetworkNet`].
    pub fn new(
        subject: Subject<'_>,
        path: &str,
        sha256: &str,
        bound: SwitchBound,
        certificate: &Certificate,
    ) -> Option<Self> {
        let net = subject.net(bound)?;
        let name = |place: &PlaceId| net.place_name(*place).to_owned();
        let named = |list: &[BTreeMap<PlaceId, u32>]| {
            list.iter().map(|map| map.iter().map(|(place, count)| (name(place), *count)).collect()).collect()
        };
        Some(CertificateFile {
            schema: SCHEMA,
            path: path.to_owned(),
            sha256: sha256.to_owned(),
            thread_switches: bound.thread_switches,
            fresh_switches: bound.fresh_switches,
            unmarked: certificate.unmarked.iter().map(name).collect(),
            weights: named(&certificate.weights),
            basis: named(&certificate.basis),
        })
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads the text of a file; the error is one sentence.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let file: CertificateFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.schema > SCHEMA {
            return Err("it is of a newer version".to_owned());
        }
        Ok(file)
    }

    /// Checks the certificate against a model.
    pub fn check(&self, subject: Subject<'_>) -> Result<(), FileFlaw> {
        let bound = SwitchBound { thread_switches: self.thread_switches, fresh_switches: self.fresh_switches };
        let net = subject.net(bound).ok_or(FileFlaw::NoSuchCertificates)?;
        let certificate = self.on(&net).map_err(FileFlaw::UnknownPlace)?;
        check(&net, &certificate).map_err(FileFlaw::Rejected)
    }

    fn on(&self, net: &Net) -> Result<Certificate, String> {
        let places: BTreeMap<&str, PlaceId> =
            net.places.iter().enumerate().map(|(at, name)| (name.as_str(), PlaceId(at as u32))).collect();
        let place = |name: &String| places.get(name.as_str()).copied().ok_or_else(|| name.clone());
        let listed = |list: &[BTreeMap<String, u32>]| -> Result<Vec<BTreeMap<PlaceId, u32>>, String> {
            let map = |map: &BTreeMap<String, u32>| map.iter().map(|(name, n)| Ok((place(name)?, *n))).collect();
            list.iter().map(map).collect()
        };
        let unmarked = self.unmarked.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Certificate { basis: listed(&self.basis)?, weights: listed(&self.weights)?, unmarked })
    }

    /// The bound on the switches of each thread that it is for; `None` if it is for every bound.
    pub fn thread_switches(&self) -> Option<u32> {
        self.thread_switches
    }

    /// How many markings it has.
    pub fn markings(&self) -> usize {
        self.basis.len()
    }

    /// How many weighted sums it has.
    pub fn weights(&self) -> usize {
        self.weights.len()
    }

    /// Whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.basis.is_empty() && self.weights.is_empty() && self.unmarked.is_empty()
    }

    /// What it proves, in words.
    pub fn claim(&self) -> String {
        match self.thread_switches {
            None => "no run covers a target".to_owned(),
            Some(1) => "no run with at most 1 switch of each thread reaches a target".to_owned(),
            Some(bound) => format!("no run with at most {bound} switches of each thread reaches a target"),
        }
    }

    /// How large it is, in words.
    pub fn size(&self) -> String {
        parts(self.basis.len(), self.weights.len(), self.unmarked.len())
    }
}

/// Why a file proves nothing about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFlaw {
    /// There are no certificates of this kind for such a model.
    NoSuchCertificates,
    /// It names a place that the model does not have.
    UnknownPlace(String),
    /// The checker rejects it.
    Rejected(Flaw),
}

/// The parts of a certificate, in words.
fn parts(markings: usize, sums: usize, unmarked: usize) -> String {
    let named = [(markings, "marking"), (sums, "weighted sum"), (unmarked, "place that is never marked")];
    let plural = |(number, noun): (usize, &str)| match number {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ if noun.starts_with("place") => Some(format!("{number} places that are never marked")),
        _ => Some(format!("{number} {noun}s")),
    };
    let list: Vec<String> = named.into_iter().filter_map(plural).collect();
    if list.is_empty() { "no parts: no step leads towards a target".to_owned() } else { list.join(", ") }
}
