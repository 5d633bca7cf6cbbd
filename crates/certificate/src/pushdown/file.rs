//! Proof files of pushdown systems: shared states and symbols by name, threads and nodes by number from 1.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Rejected;
use selvedge_nets_syntax::pds::{Pds, StateId, SymbolId};
use selvedge_source::{Diagnostic, FileId, Span};

use super::{Automaton, NodeId};
use crate::codes;
use crate::text::{HEADER, Line, Word, header};

/// The kind of model that such a proof is for.
const KIND: &str = "pushdown-system";

/// The text of a proof.
pub(super) fn write(pds: &Pds, path: &str, sha256: &str, automata: &[Automaton]) -> String {
    let path = path.replace(['#', '\n', '\r'], "?");
    let mut text = format!("{HEADER}\nfor {KIND}\nmodel {path}\nsha256 {sha256}\n");
    let state = |state: StateId| &pds.states[state.0 as usize];
    for (number, (thread, automaton)) in pds.threads.iter().zip(automata).enumerate() {
        let symbol = |symbol: SymbolId| &thread.symbols[symbol.0 as usize];
        let _ = writeln!(text, "thread {} # {}", number + 1, thread.name);
        for (from, to) in &automaton.changes {
            let _ = writeln!(text, "changes {} {}", state(*from), state(*to));
        }
        for ((from, top), nodes) in &automaton.tops {
            for node in nodes {
                let _ = writeln!(text, "top {} {} {}", state(*from), symbol(*top), node + 1);
            }
        }
        for (node, edges) in &automaton.below {
            for (below, to) in edges {
                let _ = writeln!(text, "below {} {} {}", node + 1, symbol(*below), to + 1);
            }
        }
    }
    text
}

/// What a proof says, with the line that begins what is said of each thread.
pub(super) struct Read {
    pub automata: Vec<Automaton>,
    pub threads: Vec<Option<Span>>,
    pub file: FileId,
}

/// Reads what a proof says.
pub(super) fn read(pds: &Pds, file: FileId, lines: &[Line<'_>]) -> Result<Read, Rejected> {
    header(file, lines)?;
    let states = pds.states.iter().enumerate().map(|(n, name)| (name.as_str(), StateId(n as u32))).collect();
    let automata = vec![Automaton::default(); pds.threads.len()];
    let read = Read { automata, threads: vec![None; pds.threads.len()], file };
    let mut reader = Reader { pds, states, symbols: BTreeMap::new(), thread: None, read };
    let mut kind = false;
    for line in &lines[1..] {
        kind |= reader.line(line)?;
    }
    if !kind {
        let start = Span::new(file, 0, 0);
        return Err(Diagnostic::error(codes::UNREADABLE_PROOF, start, "the line `for` is missing").into());
    }
    Ok(reader.read)
}

struct Reader<'p> {
    pds: &'p Pds,
    states: BTreeMap<&'p str, StateId>,
    /// Of the thread that is being read.
    symbols: BTreeMap<&'p str, SymbolId>,
    thread: Option<usize>,
    read: Read,
}

impl Reader<'_> {
    /// Whether it is the line that says for what the proof is.
    fn line(&mut self, line: &Line<'_>) -> Result<bool, Rejected> {
        let key = line.key();
        match key.text {
            "for" => {
                let [kind] = line.rest()?;
                if kind.text != KIND {
                    return Err(kind.unreadable(format!("this model needs a proof for a {KIND}")));
                }
                return Ok(true);
            }
            "model" | "sha256" => {}
            "thread" => self.thread(line)?,
            "changes" => {
                let [from, to] = line.rest()?;
                let change = (self.state(from)?, self.state(to)?);
                self.automaton(key)?.changes.insert(change);
            }
            "top" => {
                let [from, top, node] = line.rest()?;
                let edge = (self.state(from)?, self.symbol(top)?);
                let node = number(node)?;
                self.automaton(key)?.tops.entry(edge).or_default().insert(node);
            }
            "below" => {
                let [from, symbol, to] = line.rest()?;
                let (from, symbol, to) = (number(from)?, self.symbol(symbol)?, number(to)?);
                self.automaton(key)?.below.entry(from).or_default().insert((symbol, to));
            }
            _ => return Err(key.unreadable("a proof has no such line")),
        }
        Ok(false)
    }

    fn thread(&mut self, line: &Line<'_>) -> Result<(), Rejected> {
        let [word] = line.rest()?;
        let thread = number(word)? as usize;
        let source = self.pds.threads.get(thread).ok_or_else(|| word.unknown("thread"))?;
        if self.read.threads[thread].replace(line.key().span).is_some() {
            return Err(word.unreadable("this thread is given twice"));
        }
        let symbols = source.symbols.iter().enumerate();
        self.symbols = symbols.map(|(n, name)| (name.as_str(), SymbolId(n as u32))).collect();
        self.thread = Some(thread);
        Ok(())
    }

    fn automaton(&mut self, word: Word<'_>) -> Result<&mut Automaton, Rejected> {
        let none = || word.unreadable("this line belongs to a thread, but no thread is named above it");
        self.thread.map(|thread| &mut self.read.automata[thread]).ok_or_else(none)
    }

    fn state(&self, word: Word<'_>) -> Result<StateId, Rejected> {
        self.states.get(word.text).copied().ok_or_else(|| word.unknown("shared state"))
    }

    fn symbol(&self, word: Word<'_>) -> Result<SymbolId, Rejected> {
        self.symbols.get(word.text).copied().ok_or_else(|| word.unknown("symbol of this thread"))
    }
}

fn number(word: Word<'_>) -> Result<NodeId, Rejected> {
    let number = word.text.parse::<NodeId>().ok().and_then(|number| number.checked_sub(1));
    number.ok_or_else(|| word.unreadable("a number from 1 on is expected here"))
}
