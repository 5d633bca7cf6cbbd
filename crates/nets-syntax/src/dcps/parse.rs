//! The text of a `.dcps` file:
//!
//! ```text
//! dcps
//! init q0 g0
//! target qerr
//! rule   (q0, g0) -> (q1, g0 g1) spawn h
//! yield  (q1, g0) -> (q2, g0)
//! resume q2 -> q3 on h
//! ```
//!
//! An empty right side is written `(q1)`, `(q1, ())` or, where the state stays, `()`. States and symbols
//! are declared by being used.

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use super::model::{Dcps, Kind, Resume, Rule};
use crate::codes;
use crate::pds::{StateId, SymbolId};
use crate::text::{Failed, Names, Reader, Token};

const MARKS: &[&str] = &["->", "(", ")", ","];
/// What can start after a mistake.
const STARTS: &[&str] = &["init", "target", "rule", "yield", "resume"];

/// Parses a file. `None` if it has errors; they are in `found`.
pub fn parse(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Dcps> {
    let mut parser = Parser {
        reader: Reader::new(file, text, MARKS, found),
        states: Names::default(),
        symbols: Names::default(),
        initial: None,
        targets: Vec::new(),
        rules: Vec::new(),
        resumes: Vec::new(),
    };
    parser.file();
    parser.finish()
}

struct Parser<'a> {
    reader: Reader<'a>,
    states: Names,
    symbols: Names,
    initial: Option<(StateId, SymbolId, Span)>,
    targets: Vec<(StateId, Span)>,
    rules: Vec<Rule>,
    resumes: Vec<Resume>,
}

impl Parser<'_> {
    fn file(&mut self) {
        if self.reader.first_word("dcps", "a dynamic network").is_err() {
            return;
        }
        while !self.reader.at_end() {
            if self.item().is_err() {
                self.reader.skip_to(STARTS);
            }
        }
    }

    fn item(&mut self) -> Result<(), Failed> {
        let token = self.reader.peek().clone();
        self.reader.reads(match token.text.as_str() {
            "init" => "the initial state is written `init STATE SYMBOL`",
            "target" => "states to reach are written `target STATE …`",
            "rule" => "a step is written `rule (STATE, SYMBOL) -> (STATE, SYMBOLS)`, with `spawn SYMBOL` behind it if it creates a thread",
            "yield" => "an interruption is written `yield (STATE, SYMBOL) -> (STATE, SYMBOLS)`",
            "resume" => "an activation is written `resume STATE -> STATE on SYMBOL`",
            _ => "every line starts with one of these words",
        });
        match token.text.as_str() {
            "init" => self.init(),
            "target" => self.target(),
            "rule" => self.rule(Kind::Step),
            "yield" => self.rule(Kind::Yield),
            "resume" => self.resume(),
            _ => {
                let failed = self.reader.unexpected("`init`, `target`, `rule`, `yield` or `resume`");
                self.reader.take();
                Err(failed)
            }
        }
    }

    fn init(&mut self) -> Result<(), Failed> {
        self.reader.take();
        let state = self.reader.name("the initial state")?;
        let symbol = self.reader.name("the stack symbol of the first thread")?;
        let span = state.span.to(symbol.span);
        let initial = (self.state(&state), self.symbol(&symbol), span);
        if let Some((.., earlier)) = self.initial.replace(initial) {
            return Err(self.reader.given_twice(span, earlier, "the start"));
        }
        Ok(())
    }

    fn target(&mut self) -> Result<(), Failed> {
        self.reader.take();
        let line = self.reader.peek().clone();
        let first = self.reader.name("a state to reach")?;
        let state = self.state(&first);
        self.targets.push((state, first.span));
        // More states may follow in the same line.
        while self.reader.peek().is_name() && self.reader.same_line(&line) {
            let name = self.reader.take();
            let state = self.state(&name);
            self.targets.push((state, name.span));
        }
        Ok(())
    }

    fn rule(&mut self, kind: Kind) -> Result<(), Failed> {
        let start = self.reader.take().span;
        self.reader.expect("(")?;
        let from = self.reader.name("a state")?;
        self.reader.expect(",")?;
        let top = self.reader.name("a stack symbol")?;
        self.reader.expect(")")?;
        self.reader.expect("->")?;
        self.reader.expect("(")?;
        let (to, push) = self.right_side(&from)?;
        let mut end = self.reader.expect(")")?.span;
        let mut spawn = None;
        if self.reader.peek().text == "spawn" {
            let word = self.reader.take();
            let symbol = self.reader.name("the stack symbol of the new thread")?;
            if kind == Kind::Yield {
                let message = "a `yield` creates no thread";
                let error = Diagnostic::error(codes::YIELD_SPAWNS, word.span.to(symbol.span), message);
                self.reader.found.push(error.help("let a `rule` create it, and the thread yield with the next step"));
                return Err(Failed);
            }
            end = symbol.span;
            spawn = Some(self.symbol(&symbol));
        }
        self.reader.at_most_two(&push)?;
        let (from, top) = (self.state(&from), self.symbol(&top));
        let (to, push) = (self.state(&to), push.iter().map(|name| self.symbol(name)).collect());
        self.rules.push(Rule { from, top, to, push, spawn, kind, span: start.to(end) });
        Ok(())
    }

    /// What stands between the parentheses on the right: a state and symbols.
    fn right_side(&mut self, from: &Token) -> Result<(Token, Vec<Token>), Failed> {
        let mut push = Vec::new();
        if self.reader.peek().text == ")" {
            return Ok((from.clone(), push));
        }
        let to = self.reader.name("a state")?;
        if self.reader.eat(",") {
            if self.reader.eat("(") {
                self.reader.expect(")")?;
                return Ok((to, push));
            }
            while self.reader.peek().is_name() {
                push.push(self.reader.take());
            }
        }
        Ok((to, push))
    }

    fn resume(&mut self) -> Result<(), Failed> {
        let start = self.reader.take().span;
        let from = self.reader.name("a state")?;
        self.reader.expect("->")?;
        let to = self.reader.name("a state")?;
        self.reader.expect("on")?;
        let top = self.reader.name("the stack symbol of the thread to activate")?;
        let span = start.to(top.span);
        let (from, to, top) = (self.state(&from), self.state(&to), self.symbol(&top));
        self.resumes.push(Resume { from, to, top, span });
        Ok(())
    }

    fn state(&mut self, name: &Token) -> StateId {
        StateId(self.states.number(&name.text))
    }

    fn symbol(&mut self, name: &Token) -> SymbolId {
        SymbolId(self.symbols.number(&name.text))
    }

    fn finish(self) -> Option<Dcps> {
        let found = self.reader.found;
        if found.has_errors() {
            return None;
        }
        let Some((initial, initial_symbol, _)) = self.initial else {
            let error = Diagnostic::error_without_place(codes::MISSING, "the file has no initial state");
            found.push(error.help("write `init STATE SYMBOL`"));
            return None;
        };
        let (states, symbols) = (self.states.list, self.symbols.list);
        let (targets, rules, resumes) = (self.targets, self.rules, self.resumes);
        let dcps = Dcps { states, symbols, initial, initial_symbol, targets, rules, resumes };
        for (state, span) in &dcps.targets {
            let by_rule = dcps.rules.iter().any(|rule| rule.to == *state);
            if *state != initial && !by_rule && !dcps.resumes.iter().any(|resume| resume.to == *state) {
                let message = format!("no rule leads to the state `{}`", dcps.state_name(*state));
                found.push(Diagnostic::warning(codes::UNUSED_STATE, *span, message));
            }
        }
        Some(dcps)
    }
}
