//! Writes a proof as the text of a file.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::read::KIND;
use super::semantics::Semantics;
use super::{Claims, Proof, Property, names};
use crate::diagram::{ALL, Diagram, NONE, Variable};
use crate::text::HEADER;

/// What a proof file says of itself.
#[derive(Clone, Copy, Debug)]
pub struct ProofHead<'a> {
    /// The model's path.
    pub path: &'a str,
    /// SHA-256 of the model.
    pub sha256: &'a str,
}

/// A proof as the text of a file, with its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofText {
    /// The file.
    pub text: String,
    /// Places with an invariant.
    pub invariants: usize,
    /// Functions with a summary.
    pub summaries: usize,
    /// Nodes of all diagrams.
    pub nodes: usize,
}

struct Writer<'w, 'g, 'a> {
    semantics: &'w Semantics<'g, 'a>,
    names: FxHashMap<Variable, String>,
    numbers: FxHashMap<Diagram, usize>,
    out: ProofText,
}

/// The text of a proof.
pub(super) fn write(
    semantics: &Semantics<'_, '_>,
    property: &Property,
    head: ProofHead<'_>,
    proof: &Proof,
) -> ProofText {
    let path = head.path.replace(['#', '\n', '\r'], "?");
    let assertions = if property.assertions { "hold" } else { "ignored" };
    let mut text = format!("{HEADER}\nfor {KIND}\nmodel {path}\nsha256 {}\nassertions {assertions}\n", head.sha256);
    for label in &property.labels {
        let _ = writeln!(text, "unreachable {label}");
    }
    let out = ProofText { text, invariants: 0, summaries: 0, nodes: 0 };
    let mut writer = Writer { semantics, names: semantics.names(), numbers: FxHashMap::default(), out };
    let graph = semantics.graph;
    let name = |root: usize| &graph.program.functions[root].name.text;
    if let (Some(root), Some(claims)) = (graph.init, &proof.init) {
        writer.claims(&format!("init {}", name(root)), claims);
    }
    for (root, claims) in graph.threads.iter().zip(&proof.threads) {
        writer.claims(&format!("thread {}", name(*root)), claims);
    }
    writer.out
}

impl Writer<'_, '_, '_> {
    fn claims(&mut self, heading: &str, claims: &Claims) {
        let all = claims.invariants.values().chain(claims.summaries.values()).copied();
        for diagram in all.chain(claims.changes) {
            self.diagram(diagram);
        }
        let program = self.semantics.graph.program;
        let mut lines = vec![heading.to_owned()];
        if claims.changes() != NONE {
            lines.push(format!("changes {}", self.name(claims.changes())));
        }
        for (key, states) in claims.invariants.iter().filter(|(_, states)| **states != NONE) {
            let word = if key.called { "call" } else { "at" };
            let (body, place) = (names::body(program, key.node.body), names::place(key.node));
            lines.push(format!("{word} {body} {place} {}", self.name(*states)));
            self.out.invariants += 1;
        }
        for (body, states) in claims.summaries.iter().filter(|(_, states)| **states != NONE) {
            lines.push(format!("returns {} {}", names::body(program, *body), self.name(*states)));
            self.out.summaries += 1;
        }
        for line in lines {
            let _ = writeln!(self.out.text, "{line}");
        }
    }

    fn name(&self, diagram: Diagram) -> String {
        match diagram {
            NONE => "F".to_owned(),
            ALL => "T".to_owned(),
            _ => format!("d{}", self.numbers.get(&diagram).copied().unwrap_or_default()),
        }
    }

    /// Writes a diagram behind the diagrams that it consists of.
    fn diagram(&mut self, diagram: Diagram) {
        let Some((variable, low, high)) = self.semantics.diagrams.parts(diagram) else { return };
        if self.numbers.contains_key(&diagram) {
            return;
        }
        self.diagram(low);
        self.diagram(high);
        let number = self.numbers.len() + 1;
        self.numbers.insert(diagram, number);
        self.out.nodes += 1;
        let (high, low) = (self.name(high), self.name(low));
        let variable = self.names.get(&variable).map_or("?", String::as_str);
        let _ = writeln!(self.out.text, "d{number} = {variable} ? {high} : {low}");
    }
}
