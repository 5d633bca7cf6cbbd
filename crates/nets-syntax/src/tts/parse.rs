//! The text of a `.tts` file: the numbers of shared and local states, then one rule a line; and of a `.prop` file:
//! `shared|local,local,…`, what threads must not reach together.

use selvedge_source::{Diagnostic, Diagnostics, FileId, Span};

use super::model::{Kind, Rule, Tts};
use crate::codes;
use crate::net::Target;
use crate::text::{Failed, Reader};

const MARKS: &[&str] = &["->", "+>", "~>"];
/// States of one kind at most: every state is a place of a net.
const MOST_STATES: u32 = 1_000_000;

/// Parses a `.tts` file. `None` if it has errors; they are in `found`.
pub fn parse(file: FileId, text: &str, found: &mut Diagnostics) -> Option<Tts> {
    let mut reader = Reader::new(file, text, MARKS, found);
    let start = reader.peek().span;
    reader.reads("the first line has the numbers of shared and of local states");
    let Ok((shared, local, end)) = head(&mut reader) else { return None };
    if shared == 0 || local == 0 {
        let error = Diagnostic::error(codes::OUT_OF_RANGE, start.to(end), "there must be a shared and a local state");
        reader.found.push(error.help("the first line has the numbers of shared and of local states"));
        return None;
    }
    let mut rules = Vec::new();
    while !reader.at_end() {
        match rule(&mut reader, shared, local) {
            Ok(rule) => rules.push(rule),
            Err(Failed) => reader.skip_line(),
        }
    }
    let failed = reader.found.has_errors();
    (!failed).then_some(Tts { shared, local, rules, span: start.to(end) })
}

/// The first line: how many shared and local states there are.
fn head(reader: &mut Reader<'_>) -> Result<(u32, u32, Span), Failed> {
    let line = reader.peek().clone();
    let (shared, _) = number(reader, "the number of shared states", MOST_STATES + 1)?;
    if !reader.same_line(&line) {
        return Err(reader.unexpected("the number of local states in the same line"));
    }
    let (local, end) = number(reader, "the number of local states", MOST_STATES + 1)?;
    Ok((shared, local, end))
}

fn rule(reader: &mut Reader<'_>, shared: u32, local: u32) -> Result<Rule, Failed> {
    let line = reader.peek().clone();
    reader.reads(
        "a rule is written `SHARED LOCAL -> SHARED LOCAL`, or with `+>` to create a thread, `~>` to move all threads",
    );
    let (from, start) = number(reader, "a shared state", shared)?;
    let (from_local, _) = number(reader, "a local state", local)?;
    let kind = match reader.peek().text.as_str() {
        "->" => Kind::Move,
        "+>" => Kind::Spawn,
        "~>" => Kind::Broadcast,
        _ => return Err(reader.unexpected("`->`, `+>` or `~>`")),
    };
    reader.take();
    let (to, _) = number(reader, "a shared state", shared)?;
    let (to_local, mut end) = number(reader, "a local state", local)?;
    let mut passive: Vec<(u32, u32)> = Vec::new();
    while kind == Kind::Move && reader.peek().is_name() && reader.same_line(&line) {
        let (source, at) = number(reader, "a local state", local)?;
        reader.expect("~>")?;
        let (target, last) = number(reader, "a local state", local)?;
        if passive.iter().any(|(other, _)| *other == source) {
            let message = "the threads of one local state cannot move to two states";
            return Err(reader.error(codes::NOT_A_NET, at.to(last), message));
        }
        passive.push((source, target));
        end = last;
    }
    if !reader.at_end() && reader.same_line(&line) {
        return Err(reader.unexpected("the end of the line"));
    }
    Ok(Rule { from: (from, from_local), to: (to, to_local), kind, passive, span: start.to(end) })
}

/// A number below a limit.
fn number(reader: &mut Reader<'_>, what: &str, below: u32) -> Result<(u32, Span), Failed> {
    let token = reader.name(what)?;
    match token.text.parse::<u32>() {
        Ok(number) if number < below => Ok((number, token.span)),
        Err(_) if token.text.bytes().any(|byte| !byte.is_ascii_digit()) => {
            let message = format!("expected {what}, found {}", token.shown());
            Err(reader.error(codes::UNEXPECTED, token.span, message))
        }
        _ => {
            let message = format!("expected {what}, and {} is not below {below}", token.text);
            Err(reader.error(codes::OUT_OF_RANGE, token.span, message))
        }
    }
}

/// Parses a `.prop` file: the targets of the net of a system. `None` if it has errors.
pub fn parse_property(file: FileId, text: &str, tts: &Tts, found: &mut Diagnostics) -> Option<Vec<Target>> {
    let mut reader = Reader::new(file, text, &["|", ","], found);
    let mut targets = Vec::new();
    while !reader.at_end() {
        match property(&mut reader, tts) {
            Ok(target) => targets.push(target),
            Err(Failed) => reader.skip_line(),
        }
    }
    let failed = reader.found.has_errors();
    (!failed).then_some(targets)
}

fn property(reader: &mut Reader<'_>, tts: &Tts) -> Result<Target, Failed> {
    let line = reader.peek().clone();
    reader.reads("what threads must not reach together is written `SHARED|LOCAL,LOCAL,…`");
    let (shared, start) = number(reader, "a shared state", tts.shared)?;
    let mut end = reader.expect("|")?.span;
    let mut need = vec![(tts.shared_place(shared), 1)];
    while reader.peek().is_name() && reader.same_line(&line) {
        let (local, span) = number(reader, "a local state", tts.local)?;
        need.push((tts.local_place(local), 1));
        end = span;
        if !reader.eat(",") {
            break;
        }
    }
    Ok(Target { need: crate::net::bag(need), span: start.to(end) })
}
