//! From the lines of a proof file to diagrams and places of the program.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use selvedge_source::{Diagnostic, FileId, Span};

use super::graph::{Body, Node};
use super::semantics::Semantics;
use super::{Claims, Key, Proof, Property, names};
use crate::codes;
use crate::diagram::{ALL, Diagram, NONE, Variable};
use crate::rejected::Rejected;
use crate::text::{Line, Word};

/// The kind of model that such a proof is for.
pub(super) const KIND: &str = "boolean-program";

/// Where things stand in the file.
pub(super) struct Origin {
    places: BTreeMap<(Option<usize>, Key), Span>,
    /// By thread, `init` first: the line that begins what is said of it.
    threads: BTreeMap<Option<usize>, Span>,
}

impl Origin {
    /// A condition that does not hold at a place.
    pub(super) fn flaw(&self, thread: Option<usize>, node: Node, message: String) -> Rejected {
        let inner = [true, false].into_iter().find_map(|called| self.places.get(&(thread, Key { called, node })));
        match inner.or_else(|| self.threads.get(&thread)).or_else(|| self.threads.values().next()) {
            Some(span) => Diagnostic::error(codes::NOT_PROVED, *span, message).into(),
            None => Diagnostic::error_without_place(codes::NOT_PROVED, message).into(),
        }
    }
}

/// What a proof file says it proves.
pub(super) fn property(file: FileId, lines: &[Line<'_>]) -> Result<Property, Rejected> {
    let mut property = Property { assertions: true, labels: Vec::new() };
    let mut complete = [false; 2];
    for line in lines.iter().skip(1) {
        match line.key().text {
            "for" => {
                let [kind] = line.rest()?;
                if kind.text != KIND {
                    return Err(kind.unreadable(format!("this model needs a proof for a {KIND}")));
                }
                complete[0] = true;
            }
            "assertions" => {
                let [word] = line.rest()?;
                property.assertions = match word.text {
                    "hold" => true,
                    "ignored" => false,
                    _ => return Err(word.unreadable("assertions are `hold` or `ignored`")),
                };
                complete[1] = true;
            }
            "unreachable" => property.labels.push(line.rest::<1>()?[0].text.to_owned()),
            _ => {}
        }
    }
    let missing = ["for", "assertions"].into_iter().zip(complete).find(|(_, given)| !given);
    match missing {
        None => Ok(property),
        Some((line, _)) => {
            let end = Span::new(file, 0, 0);
            Err(Diagnostic::error(codes::UNREADABLE_PROOF, end, format!("the line `{line}` is missing")).into())
        }
    }
}

/// Reads what a proof says.
pub(super) fn read(semantics: &mut Semantics<'_, '_>, lines: &[Line<'_>]) -> Result<(Proof, Origin), Rejected> {
    let graph = semantics.graph;
    let proof =
        Proof { init: graph.init.map(|_| Claims::default()), threads: vec![Claims::default(); graph.threads.len()] };
    let origin = Origin { places: BTreeMap::new(), threads: BTreeMap::new() };
    let variables = semantics.names().into_iter().map(|(variable, name)| (name, variable)).collect();
    let mut reader =
        Reader { semantics, variables, diagrams: FxHashMap::default(), proof, origin, places: Places::default() };
    reader.diagrams.insert("F".to_owned(), NONE);
    reader.diagrams.insert("T".to_owned(), ALL);
    for line in &lines[1..] {
        reader.line(line)?;
    }
    reader.all_given(lines)?;
    Ok((reader.proof, reader.origin))
}

/// The places of the thread that is being read, by name.
#[derive(Default)]
struct Places {
    thread: Option<usize>,
    keys: BTreeMap<(bool, String, String), Key>,
    bodies: BTreeMap<String, Body>,
}

struct Reader<'r, 'g, 'a> {
    semantics: &'r mut Semantics<'g, 'a>,
    variables: BTreeMap<String, Variable>,
    diagrams: FxHashMap<String, Diagram>,
    proof: Proof,
    origin: Origin,
    places: Places,
}

impl Reader<'_, '_, '_> {
    fn line(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        match line.key().text {
            "for" | "model" | "sha256" | "assertions" | "unreachable" => Ok(()),
            "init" | "thread" => self.thread(line),
            "at" | "call" => self.place(line),
            "returns" => self.summary(line),
            "changes" => self.changes(line),
            _ => self.diagram(line),
        }
    }

    /// `NAME = VARIABLE ? HIGH : LOW`
    fn diagram(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let words: Vec<&str> = line.words.iter().map(|word| word.text).collect();
        let [name, "=", variable, "?", high, ":", low] = words[..] else {
            return Err(line.key().unreadable("a proof has no such line"));
        };
        if self.diagrams.contains_key(name) {
            return Err(line.key().unreadable(format!("the diagram `{name}` is given twice")));
        }
        let variable = *self.variables.get(variable).ok_or_else(|| line.words[2].unknown("variable"))?;
        let (high, low) = (self.known(line.words[4], high)?, self.known(line.words[6], low)?);
        let test = self.semantics.diagrams.variable(variable);
        let made = self.semantics.diagrams.choose(test, high, low)?;
        self.diagrams.insert(name.to_owned(), made);
        Ok(())
    }

    fn known(&self, word: Word<'_>, name: &str) -> Result<Diagram, Rejected> {
        let unknown = || word.unreadable(format!("the diagram `{name}` is not given before this line"));
        self.diagrams.get(name).copied().ok_or_else(unknown)
    }

    fn thread(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let [name] = line.rest()?;
        let graph = self.semantics.graph;
        let is_named = |function: &usize| graph.program.functions[*function].name.text == name.text;
        let found = match line.key().text {
            "init" => graph.init.filter(is_named).map(|root| (None, root)),
            _ => {
                let number = graph.threads.iter().position(is_named);
                number.map(|number| (Some(number), graph.threads[number]))
            }
        };
        let (thread, root) = found.ok_or_else(|| name.unknown(line.key().text))?;
        if self.origin.threads.insert(thread, name.span).is_some() {
            return Err(name.unreadable(format!("`{}` is given twice", name.text)));
        }
        let keys = graph.reachable(root);
        let keys: BTreeSet<Key> =
            keys.ok_or_else(|| name.refuted("the program opens too many atomic sections inside each other"))?;
        let named = |key: &Key| (key.called, names::body(graph.program, key.node.body), names::place(key.node));
        let bodies = keys.iter().filter(|key| key.called).map(|key| key.node.body);
        let bodies = bodies.map(|body| (names::body(graph.program, body), body)).collect();
        self.places = Places { thread, keys: keys.iter().map(|key| (named(key), *key)).collect(), bodies };
        Ok(())
    }

    /// The claims about the thread whose lines these are.
    fn claims(&mut self, line: &Line<'_>) -> Result<&mut Claims, Rejected> {
        let before = || line.key().unreadable("this line belongs to a thread, but no thread is named above it");
        if self.origin.threads.is_empty() {
            return Err(before());
        }
        let claims = match self.places.thread {
            None => self.proof.init.as_mut(),
            Some(number) => self.proof.threads.get_mut(number),
        };
        claims.ok_or_else(before)
    }

    fn place(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let [body, place, diagram] = line.rest()?;
        let states = self.known(diagram, diagram.text)?;
        let name = (line.key().text == "call", body.text.to_owned(), place.text.to_owned());
        self.claims(line)?;
        let key = *self.places.keys.get(&name).ok_or_else(|| place.unknown("place"))?;
        if self.claims(line)?.invariants.insert(key, states).is_some() {
            return Err(place.unreadable("the invariant of this place is given twice"));
        }
        self.origin.places.insert((self.places.thread, key), line.key().span);
        Ok(())
    }

    fn summary(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let [body, diagram] = line.rest()?;
        let states = self.known(diagram, diagram.text)?;
        self.claims(line)?;
        let known = *self.places.bodies.get(body.text).ok_or_else(|| body.unknown("called function"))?;
        match self.claims(line)?.summaries.insert(known, states) {
            None => Ok(()),
            Some(_) => Err(body.unreadable("the summary of this function is given twice")),
        }
    }

    fn changes(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let [diagram] = line.rest()?;
        let states = self.known(diagram, diagram.text)?;
        match self.claims(line)?.changes.replace(states) {
            None => Ok(()),
            Some(_) => Err(line.key().unreadable("the changes of this thread are given twice")),
        }
    }

    /// The proof says something of `init` and of every thread.
    fn all_given(&self, lines: &[Line<'_>]) -> Result<(), Rejected> {
        let graph = self.semantics.graph;
        let init = graph.init.map(|root| (None, root));
        let threads = graph.threads.iter().enumerate().map(|(number, root)| (Some(number), *root));
        let missing = init.into_iter().chain(threads).find(|(thread, _)| !self.origin.threads.contains_key(thread));
        let Some((_, root)) = missing else { return Ok(()) };
        let name = &graph.program.functions[root].name.text;
        Err(lines[0].key().refuted(format!("the proof has no lines about the thread `{name}`")))
    }
}
