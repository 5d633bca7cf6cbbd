//! The text of a `.spec` file, as mist reads it:
//!
//! ```text
//! vars
//!     free busy
//! rules
//!     free >= 1 -> free' = free - 1, busy' = busy + 1;
//! init
//!     free >= 1, busy = 0
//! target
//!     busy >= 2
//! ```
//!
//! Places that `init` does not mention hold any number of tokens. Each line of `target` is one marking, and
//! covering one of them is the violation. `invariants` are hints for other tools and only read.

use std::collections::BTreeMap;

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use super::expr::{Assignment, transition};
use super::model::{Bag, Net, PlaceId, Target, Tokens, Transition, bag};
use crate::codes;
use crate::text::{Failed, Names, Reader, Token};

const MARKS: &[&str] = &["->", ">=", "=", ",", ";", "+", "-", "[", "]"];
const SECTIONS: &[&str] = &["vars", "rules", "init", "target", "invariants"];

/// Parses a file. `None` if it has errors; they are in `found`.
pub fn parse(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Net> {
    let mut parser = Parser {
        reader: Reader::new(file, text, MARKS, found),
        places: Names::default(),
        spans: Vec::new(),
        transitions: Vec::new(),
        initial: None,
        targets: Vec::new(),
    };
    parser.file();
    parser.finish()
}

struct Parser<'a> {
    reader: Reader<'a>,
    places: Names,
    spans: Vec<Span>,
    transitions: Vec<Transition>,
    initial: Option<(Vec<Tokens>, Span)>,
    targets: Vec<Target>,
}

/// What a condition asks of a place.
enum Condition {
    AtLeast(u32),
    Exactly(u32),
    Between(u32, u32),
}

impl Parser<'_> {
    fn file(&mut self) {
        if self.reader.peek().text != "vars" {
            let span = self.reader.peek().span;
            let error = Diagnostic::error(codes::WRONG_KIND, span, "this is not a file of a net");
            self.reader.found.push(error.help("such a file starts with the word `vars` and the names of the places"));
            return;
        }
        while !self.reader.at_end() {
            let word = self.reader.take();
            self.reader.reads("a net is written in these sections, `vars` first");
            let done = match word.text.as_str() {
                "vars" => self.vars(),
                "rules" => self.rules(),
                "init" => self.init(word.span),
                "target" => self.target(),
                "invariants" => self.invariants(),
                _ => {
                    let message = format!("expected a section ({}), found {}", SECTIONS.join(", "), word.shown());
                    Err(self.reader.error(codes::UNEXPECTED, word.span, message))
                }
            };
            if done.is_err() {
                self.reader.skip_to(SECTIONS);
            }
        }
    }

    fn at_section(&self) -> bool {
        self.reader.at_end() || SECTIONS.contains(&self.reader.peek().text.as_str())
    }

    fn vars(&mut self) -> Result<(), Failed> {
        self.reader.reads("`vars` is followed by the names of the places, separated by blanks");
        while !self.at_section() {
            let name = self.reader.name("the name of a place")?;
            if let Some(earlier) = self.places.find(&name.text) {
                let message = format!("the place `{}` is given twice", name.text);
                let error = Diagnostic::error(codes::GIVEN_TWICE, name.span, message);
                self.reader.found.push(error.also(self.spans[earlier as usize], "first here"));
                continue;
            }
            self.places.number(&name.text);
            self.spans.push(name.span);
        }
        Ok(())
    }

    fn rules(&mut self) -> Result<(), Failed> {
        while !self.at_section() {
            if self.rule().is_err() {
                while !self.at_section() && !self.reader.eat(";") {
                    self.reader.take();
                }
            }
        }
        Ok(())
    }

    fn rule(&mut self) -> Result<(), Failed> {
        self.reader.reads("a rule is written `a >= 1, b >= 2 -> a' = a - 1, b' = b + 1;`");
        let start = self.reader.peek().span;
        let guards = self.guards()?;
        self.reader.expect("->")?;
        let mut assignments: Vec<Assignment> = Vec::new();
        while self.reader.peek().text != ";" {
            let assignment = self.assignment()?;
            if let Some(earlier) = assignments.iter().find(|earlier| earlier.place == assignment.place) {
                let error = Diagnostic::error(codes::GIVEN_TWICE, assignment.span, "this place is assigned to twice");
                self.reader.found.push(error.also(earlier.span, "first here"));
                return Err(Failed);
            }
            assignments.push(assignment);
            if !self.reader.eat(",") {
                break;
            }
        }
        let span = start.to(self.reader.expect(";")?.span);
        let names = &self.places.list;
        match transition(&guards, &assignments, span, &|place| names[place.0 as usize].clone()) {
            Ok(transition) => self.transitions.push(transition),
            // The rule was read to its end, so that reading continues behind it.
            Err((place, message)) => drop(self.reader.error(codes::NOT_A_NET, place, message)),
        }
        Ok(())
    }

    fn guards(&mut self) -> Result<BTreeMap<PlaceId, u32>, Failed> {
        let mut guards = BTreeMap::new();
        loop {
            if !self.reader.eat("true") {
                let (place, condition, span) = self.condition()?;
                let least = self.upward("a guard", condition, span)?;
                let guard: &mut u32 = guards.entry(place).or_default();
                *guard = least.max(*guard);
            }
            if !self.reader.eat(",") {
                return Ok(guards);
            }
        }
    }

    fn assignment(&mut self) -> Result<Assignment, Failed> {
        let left = self.reader.name("a place to assign to")?;
        let Some(name) = left.text.strip_suffix('\'') else {
            let message = format!("expected `{}'`, the tokens after the step", left.text);
            return Err(self.reader.error(codes::UNEXPECTED, left.span, message));
        };
        let place = self.place(name, left.span)?;
        self.reader.expect("=")?;
        let (mut terms, mut constant, mut end) = (Vec::new(), 0i64, left.span);
        let mut sign = 1;
        loop {
            let token = self.reader.name("a place or a number")?;
            end = end.to(token.span);
            if token.text.starts_with(|c: char| c.is_ascii_digit()) {
                constant += sign * i64::from(self.number(&token)?);
            } else if sign < 0 {
                let message = "a net cannot subtract the tokens of a place";
                return Err(self.reader.error(codes::NOT_A_NET, token.span, message));
            } else {
                terms.push(self.place(&token.text, token.span)?);
            }
            sign = match self.reader.peek().text.as_str() {
                "+" => 1,
                "-" => -1,
                _ => break,
            };
            self.reader.take();
        }
        Ok(Assignment { place, terms, constant, span: end })
    }

    fn condition(&mut self) -> Result<(PlaceId, Condition, Span), Failed> {
        let name = self.reader.name("a place")?;
        let place = self.place(&name.text, name.span)?;
        if self.reader.eat("in") {
            self.reader.expect("[")?;
            let least = self.reader.name("a number")?;
            let least = self.number(&least)?;
            self.reader.expect(",")?;
            let most = self.reader.name("a number")?;
            let most = self.number(&most)?;
            let span = name.span.to(self.reader.expect("]")?.span);
            if least > most {
                return Err(self.reader.error(codes::OUT_OF_RANGE, span, "this range is empty"));
            }
            return Ok((place, Condition::Between(least, most), span));
        }
        let least = match self.reader.peek().text.as_str() {
            ">=" => true,
            "=" => false,
            _ => return Err(self.reader.unexpected("`>=`, `=` or `in`")),
        };
        self.reader.take();
        let number = self.reader.name("a number")?;
        let span = name.span.to(number.span);
        let number = self.number(&number)?;
        Ok((place, if least { Condition::AtLeast(number) } else { Condition::Exactly(number) }, span))
    }

    /// The number of a condition that more tokens cannot make false.
    fn upward(&mut self, what: &str, condition: Condition, span: Span) -> Result<u32, Failed> {
        match condition {
            Condition::AtLeast(number) => Ok(number),
            Condition::Exactly(_) | Condition::Between(..) => {
                let message = format!("{what} must be of the form `place >= number`");
                let error = Diagnostic::error(codes::NOT_MONOTONE, span, message);
                self.reader.found.push(error.help("nets with tests for zero are not supported"));
                Err(Failed)
            }
        }
    }

    fn init(&mut self, word: Span) -> Result<(), Failed> {
        self.reader.reads("`init` is followed by conditions such as `a = 1, b >= 0, c in [0, 3]`");
        let any = Tokens { least: 0, most: None, span: None };
        let mut initial = vec![any; self.places.list.len()];
        while !self.at_section() {
            let (place, condition, span) = self.condition()?;
            let (least, most) = match condition {
                Condition::AtLeast(least) => (least, None),
                Condition::Exactly(number) => (number, Some(number)),
                Condition::Between(least, most) => (least, Some(most)),
            };
            let tokens = &mut initial[place.0 as usize];
            if let Some(earlier) = tokens.span {
                let error = Diagnostic::error(codes::GIVEN_TWICE, span, "the tokens of this place are given twice");
                self.reader.found.push(error.also(earlier, "first here"));
            }
            *tokens = Tokens { least, most, span: Some(span) };
            self.reader.eat(",");
        }
        if let Some((_, earlier)) = self.initial.replace((initial, word)) {
            let error = Diagnostic::error(codes::GIVEN_TWICE, word, "the initial marking is given twice");
            self.reader.found.push(error.also(earlier, "first here"));
        }
        Ok(())
    }

    fn target(&mut self) -> Result<(), Failed> {
        self.reader.reads("`target` is followed by conditions such as `a >= 1, b >= 2`");
        while !self.at_section() {
            let start = self.reader.peek().span;
            let mut need: BTreeMap<PlaceId, u32> = BTreeMap::new();
            let mut end;
            loop {
                let (place, condition, span) = self.condition()?;
                let least = self.upward("a condition of a target", condition, span)?;
                let known = need.entry(place).or_default();
                *known = least.max(*known);
                end = span;
                if !self.reader.eat(",") || self.at_section() {
                    break;
                }
            }
            self.targets.push(Target { need: bag(need) as Bag, span: start.to(end) });
        }
        Ok(())
    }

    fn invariants(&mut self) -> Result<(), Failed> {
        self.reader.reads("`invariants` is followed by conditions such as `a = 1, b = 1`");
        while !self.at_section() {
            self.condition()?;
            self.reader.eat(",");
        }
        Ok(())
    }

    fn place(&mut self, name: &str, span: Span) -> Result<PlaceId, Failed> {
        match self.places.find(name) {
            Some(number) => Ok(PlaceId(number)),
            None => Err(self.reader.error(codes::UNKNOWN_PLACE, span, format!("there is no place `{name}`"))),
        }
    }

    fn number(&mut self, token: &Token) -> Result<u32, Failed> {
        match token.text.parse::<u32>() {
            Ok(number) if number <= i32::MAX as u32 => Ok(number),
            Ok(_) => Err(self.reader.error(codes::OUT_OF_RANGE, token.span, "this number is too large")),
            Err(_) if token.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(self.reader.error(codes::OUT_OF_RANGE, token.span, "this number is too large"))
            }
            Err(_) => {
                let message = format!("expected a number, found {}", token.shown());
                Err(self.reader.error(codes::UNEXPECTED, token.span, message))
            }
        }
    }

    fn finish(self) -> Option<Net> {
        let found = self.reader.found;
        if found.has_errors() {
            return None;
        }
        let Some((initial, _)) = self.initial else {
            let error = Diagnostic::error_without_place(codes::MISSING, "the file has no section `init`");
            found.push(error.help("write `init` and conditions such as `x = 1, y >= 0`"));
            return None;
        };
        let places = self.places.list;
        // Sections may come in any order, but `vars` is the first: every place has its tokens.
        let initial = (0..places.len())
            .map(|place| initial.get(place).copied().unwrap_or(Tokens { least: 0, most: None, span: None }))
            .collect();
        Some(Net { places, transitions: self.transitions, initial, targets: self.targets })
    }
}
