//! The file of a proof: places by name, so that it can be read, and checked against the model alone.

use std::collections::BTreeMap;
use std::path::Path;

use selvedge_core::trace::SCHEMA;
use selvedge_dynamic::cover::certificate::Certificate;
use selvedge_dynamic::network::{Question, encode};
use selvedge_nets::net::{Net, PlaceId};
use serde::{Deserialize, Serialize};

use crate::recursive::{Model, Opened};

/// What the file holds.
#[derive(Debug, Serialize, Deserialize)]
pub struct Proof {
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

/// The net that a proof for a model speaks of. `None` if there is none.
fn net_of(opened: &Opened, thread_switches: Option<u32>, fresh_switches: bool) -> Option<Net> {
    match &opened.model {
        Model::Net(model) => Some(model.machine.net().clone()),
        Model::Dcps(machine) if machine.dcps().is_finite_state() => {
            Some(encode(machine.dcps(), Question { thread_switches, fresh_switches }).net)
        }
        Model::Dcps(_) | Model::Bool(_) | Model::Pds(_) => None,
    }
}

impl Proof {
    /// The proof of a model's safety.
    pub fn new(opened: &Opened, thread_switches: Option<u32>, fresh_switches: bool, certificate: &Certificate) -> Self {
        let net = net_of(opened, thread_switches, fresh_switches);
        let name = |place: &PlaceId| net.as_ref().map(|net| net.place_name(*place).to_owned()).unwrap_or_default();
        let named = |list: &[BTreeMap<PlaceId, u32>]| {
            list.iter().map(|map| map.iter().map(|(place, count)| (name(place), *count)).collect()).collect()
        };
        Proof {
            schema: SCHEMA,
            path: opened.path.clone(),
            sha256: opened.sha256.clone(),
            thread_switches,
            fresh_switches,
            unmarked: certificate.unmarked.iter().map(name).collect(),
            weights: named(&certificate.weights),
            basis: named(&certificate.basis),
        }
    }

    /// Writes the file; the error is one sentence.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let mut text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        text.push('\n');
        std::fs::write(path, text).map_err(|error| format!("cannot write the proof to `{}`: {error}", path.display()))
    }

    /// Reads a file; the error is one sentence.
    pub fn read(path: &Path) -> Result<Proof, String> {
        let cannot = |error: String| format!("cannot use the proof `{}`: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| cannot(error.to_string()))?;
        let proof: Proof = serde_json::from_str(&text).map_err(|error| cannot(error.to_string()))?;
        if proof.schema > SCHEMA {
            return Err(cannot("it is of a newer version".to_owned()));
        }
        Ok(proof)
    }

    /// The net it is about and the certificate on it; the error is one sentence.
    pub fn certificate(&self, opened: &Opened) -> Result<(Net, Certificate), String> {
        let net = net_of(opened, self.thread_switches, self.fresh_switches);
        let net = net.ok_or_else(|| format!("`{}`: there are no proofs of this kind for such a model", opened.path))?;
        let places: BTreeMap<&str, PlaceId> =
            net.places.iter().enumerate().map(|(at, name)| (name.as_str(), PlaceId(at as u32))).collect();
        let place = |name: &String| {
            places
                .get(name.as_str())
                .copied()
                .ok_or_else(|| format!("the proof speaks of a place `{name}` that is not there"))
        };
        let listed = |list: &[BTreeMap<String, u32>]| -> Result<Vec<BTreeMap<PlaceId, u32>>, String> {
            let map = |map: &BTreeMap<String, u32>| map.iter().map(|(name, n)| Ok((place(name)?, *n))).collect();
            list.iter().map(map).collect()
        };
        let unmarked = self.unmarked.iter().map(place).collect::<Result<_, _>>()?;
        let (basis, weights) = (listed(&self.basis)?, listed(&self.weights)?);
        Ok((net, Certificate { basis, weights, unmarked }))
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

/// The parts of a certificate, in words.
pub fn parts(markings: usize, sums: usize, unmarked: usize) -> String {
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
