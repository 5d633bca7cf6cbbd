//! The text of a `.pds` file:
//!
//! ```text
//! pds
//! init p0
//! target perr
//! thread T1 entry e1
//!   (p0, e1) -> (p1, f e2)
//! ```
//!
//! An empty right side is written `(p1)`. States and symbols are declared by being used.

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use super::model::{Pds, Rule, StateId, SymbolId, Thread};
use crate::codes;
use crate::text::{Failed, Names, Reader, Token};

const MARKS: &[&str] = &["->", "(", ")", ","];
/// What can start after a mistake.
const STARTS: &[&str] = &["init", "target", "thread", "("];

/// Parses a file. `None` if it has errors; they are in `found`.
pub fn parse(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Pds> {
    let mut parser = Parser {
        reader: Reader::new(file, text, MARKS, found),
        states: Names::default(),
        initial: None,
        targets: Vec::new(),
        threads: Vec::new(),
        symbols: Names::default(),
    };
    parser.file();
    parser.finish()
}

struct Parser<'a> {
    reader: Reader<'a>,
    states: Names,
    initial: Option<(StateId, Span)>,
    targets: Vec<(StateId, Span)>,
    threads: Vec<Thread>,
    /// Of the last thread.
    symbols: Names,
}

impl Parser<'_> {
    fn file(&mut self) {
        if self.reader.first_word("pds", "pushdown systems").is_err() {
            return;
        }
        while !self.reader.at_end() {
            if self.item().is_err() {
                self.reader.skip_to(STARTS);
            }
        }
        self.close_thread();
    }

    fn item(&mut self) -> Result<(), Failed> {
        let token = self.reader.peek().clone();
        self.reader.reads(match token.text.as_str() {
            "init" => "the initial state is written `init STATE`",
            "target" => "a state to reach is written `target STATE`",
            "thread" => "a thread is written `thread NAME entry SYMBOL`",
            "(" => "a rule is written `(STATE, SYMBOL) -> (STATE, SYMBOLS)`, with no, one or two symbols on the right",
            _ => "a rule starts with `(`: `(STATE, SYMBOL) -> (STATE, SYMBOLS)`",
        });
        match token.text.as_str() {
            "init" => {
                self.reader.take();
                let name = self.reader.name("the initial state")?;
                let state = self.state(&name);
                if let Some((_, earlier)) = self.initial.replace((state, name.span)) {
                    return Err(self.reader.given_twice(name.span, earlier, "the initial state"));
                }
            }
            "target" => {
                self.reader.take();
                let name = self.reader.name("a state to reach")?;
                let state = self.state(&name);
                self.targets.push((state, name.span));
            }
            "thread" => self.thread()?,
            "(" => self.rule()?,
            _ => {
                let failed = self.reader.unexpected("`init`, `target`, `thread` or a rule");
                self.reader.take();
                return Err(failed);
            }
        }
        Ok(())
    }

    fn state(&mut self, name: &Token) -> StateId {
        StateId(self.states.number(&name.text))
    }

    fn close_thread(&mut self) {
        let symbols = std::mem::take(&mut self.symbols).list;
        if let Some(thread) = self.threads.last_mut() {
            thread.symbols = symbols;
        }
    }

    fn thread(&mut self) -> Result<(), Failed> {
        self.reader.take();
        let name = self.reader.name("the name of the thread")?;
        self.reader.expect("entry")?;
        let entry = self.reader.name("the initial stack symbol")?;
        self.close_thread();
        let entry = SymbolId(self.symbols.number(&entry.text));
        let earlier = self.threads.iter().find(|thread| thread.name == name.text).map(|thread| thread.span);
        self.threads.push(Thread {
            name: name.text.clone(),
            span: name.span,
            symbols: Vec::new(),
            entry,
            rules: Vec::new(),
        });
        match earlier {
            Some(earlier) => Err(self.reader.given_twice(name.span, earlier, &format!("the thread `{}`", name.text))),
            None => Ok(()),
        }
    }

    fn rule(&mut self) -> Result<(), Failed> {
        let start = self.reader.take().span;
        let from = self.reader.name("a state")?;
        self.reader.expect(",")?;
        let top = self.reader.name("a stack symbol")?;
        self.reader.expect(")")?;
        self.reader.expect("->")?;
        self.reader.expect("(")?;
        let to = self.reader.name("a state")?;
        let mut push = Vec::new();
        if self.reader.eat(",") {
            while self.reader.peek().is_name() {
                push.push(self.reader.take());
            }
        }
        let span = start.to(self.reader.expect(")")?.span);
        if self.threads.is_empty() {
            let message = "this rule belongs to no thread";
            let error = Diagnostic::error(codes::RULE_WITHOUT_THREAD, span, message);
            self.reader.found.push(error.help("write `thread NAME entry SYMBOL` before it"));
            return Err(Failed);
        }
        self.reader.at_most_two(&push)?;
        let (from, to) = (self.state(&from), self.state(&to));
        let top = SymbolId(self.symbols.number(&top.text));
        let push = push.iter().map(|name| SymbolId(self.symbols.number(&name.text))).collect();
        if let Some(thread) = self.threads.last_mut() {
            thread.rules.push(Rule { from, top, to, push, span });
        }
        Ok(())
    }

    fn finish(self) -> Option<Pds> {
        let found = self.reader.found;
        if found.has_errors() {
            return None;
        }
        let missing = |what: &str, help: &str| {
            Diagnostic::error_without_place(codes::MISSING, format!("the file has no {what}")).help(help)
        };
        let Some((initial, _)) = self.initial else {
            found.push(missing("initial state", "write `init STATE`"));
            return None;
        };
        if self.threads.is_empty() {
            found.push(missing("thread", "write `thread NAME entry SYMBOL`"));
            return None;
        }
        let pds = Pds { states: self.states.list, initial, targets: self.targets, threads: self.threads };
        for (state, span) in &pds.targets {
            let leads = |rule: &Rule| rule.to == *state;
            if *state != initial && !pds.threads.iter().flat_map(|thread| &thread.rules).any(leads) {
                let message = format!("no rule leads to the state `{}`", pds.states[state.0 as usize]);
                found.push(Diagnostic::warning(codes::UNUSED_STATE, *span, message));
            }
        }
        Some(pds)
    }
}
