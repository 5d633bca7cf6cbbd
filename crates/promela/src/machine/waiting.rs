//! What a blocked process waits for, for people: each of its next statements, and why it is not enabled: the channel that is
//! full or empty or has other messages, the condition with the values that make it false.

use selvedge_core::ThreadId;
use selvedge_source::Span;

use super::eval::read;
use super::view::one_line;
use super::{Exec, Processes, Scratch};
use crate::program::{DNode, DStep, Ex, Op, Pattern, Place, Receive, Shown};

/// What keeps a process where it is.
pub(super) struct Waits {
    /// The first of its statements.
    pub(super) span: Span,
    /// All of them, in words.
    pub(super) reason: String,
    /// Globals and channels that the words name.
    pub(super) on: Vec<String>,
}

/// A variable in a condition: its name, its value, and whether it is global.
type Read = (String, String, bool);

impl Processes {
    pub(super) fn waiting_for(&self, state: &[u8], thread: ThreadId) -> Option<Waits> {
        let mut scratch = Scratch::default();
        let mut exec = self.load(state, &mut scratch);
        let index = thread.0 as usize;
        let process = *exec.s.procs.get(index)?;
        let proto = &self.program.protos[usize::from(process.proto)];
        let control = &proto.controls[usize::from(exec.control_of(index).0)];
        exec.enter_for_display(thread);
        let mut reasons = Vec::new();
        let (mut span, mut read) = (None, Vec::new());
        for transition in &control.transitions {
            let action = &proto.actions[transition.action as usize];
            span.get_or_insert(action.span);
            let reason = exec.reason(&action.op, &one_line(&action.text), &mut read);
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let mut reason = format!("waits for {}", reasons.join("; or "));
        if control.valid_end {
            reason.push_str(" (a valid end)");
        }
        Some(Waits { span: span.or(control.span)?, reason, on: read })
    }
}

impl Exec<'_> {
    /// Why a statement cannot be executed. The globals and channels that it depends on are added to `on`.
    fn reason(&mut self, op: &Op, text: &str, on: &mut Vec<String>) -> String {
        match op {
            Op::Send(send) => self.full(&send.chan, text, on),
            Op::Receive(receive) => self.lacks(receive, text, on),
            Op::End => "the processes started after it to end".to_owned(),
            Op::Else => "(else)".to_owned(),
            Op::Condition(Ex::Timeout) => "`timeout`: nothing else can happen".to_owned(),
            Op::Condition(condition) => {
                let mut values = Vec::new();
                self.values(condition, &mut values);
                let now = if values.is_empty() { String::new() } else { format!(" ({})", rendered(&values, on)) };
                format!("`{text}` to become true{now}")
            }
            Op::DStep(sequence) => match first(sequence) {
                Some(op) => self.reason(op, text, on),
                None => format!("`{text}`"),
            },
            _ => format!("`{text}` to become true"),
        }
    }

    fn full(&mut self, chan: &Ex, text: &str, on: &mut Vec<String>) -> String {
        let id = self.eval(chan);
        let Some(name) = self.channel_name(id) else { return "an uninitialised channel".to_owned() };
        let capacity = self.content(id).map_or(0, |(capacity, _)| capacity);
        match capacity {
            0 => format!("a receiver for `{text}` on {name}"),
            n => {
                note(&name, on);
                format!("room in {name} for `{text}` (it is full: {n} {})", if n == 1 { "message" } else { "messages" })
            }
        }
    }

    fn lacks(&mut self, receive: &Receive, text: &str, on: &mut Vec<String>) -> String {
        let id = self.eval(&receive.chan);
        let Some(name) = self.channel_name(id) else { return "an uninitialised channel".to_owned() };
        match self.content(id) {
            None => format!("a sender for `{text}` on {name}"),
            Some((_, content)) if content == "[]" => {
                note(&name, on);
                format!("a message on {name} for `{text}` (it is empty)")
            }
            Some((_, content)) => {
                let mut values = vec![(name.clone(), content, true)];
                for argument in &receive.args {
                    if let Pattern::Match(wanted) = argument {
                        self.values(wanted, &mut values);
                    }
                }
                format!("another message on {name} for `{text}` ({})", rendered(&values, on))
            }
        }
    }

    /// Capacity and messages of a buffered channel.
    fn content(&self, id: i32) -> Option<(usize, String)> {
        let chan = *self.s.chans.get(usize::try_from(id - 1).ok()?)?;
        let mut shown = Vec::new();
        self.contents(String::new(), chan, &mut shown);
        Some((self.program.specs[chan.spec as usize].capacity as usize, shown.pop()?.1))
    }

    /// The variables that an expression reads, each once.
    pub(super) fn values(&mut self, ex: &Ex, out: &mut Vec<Read>) {
        match ex {
            Ex::GlobalByte(at) => self.value_at(*at as usize, out),
            Ex::LocalByte(at) => self.value_at(self.base + *at as usize, out),
            Ex::Load(place) => self.value_of(place, out),
            Ex::Unary(_, inner) | Ex::Enabled(inner, _) => self.values(inner, out),
            Ex::Binary(_, both, _) => {
                self.values(&both.0, out);
                self.values(&both.1, out);
            }
            Ex::Conditional(all) => {
                self.values(&all.0, out);
                self.values(&all.1, out);
                self.values(&all.2, out);
            }
            Ex::Query(_, chan, _) => self.channel_value(chan, out),
            Ex::Poll(receive) => self.channel_value(&receive.chan, out),
            _ => {}
        }
    }

    fn channel_value(&mut self, chan: &Ex, out: &mut Vec<Read>) {
        let id = self.eval(chan);
        if let (Some(name), Some((_, content))) = (self.channel_name(id), self.content(id)) {
            note(&(name, content, true), out);
        }
    }

    fn value_of(&mut self, place: &Place, out: &mut Vec<Read>) {
        if let Some(at) = self.address(place) {
            self.value_at(at, out);
        }
        for index in &place.indices {
            self.values(&index.value, out);
        }
    }

    pub(super) fn value_at(&self, at: usize, out: &mut Vec<Read>) {
        let program = self.program;
        let process = self.s.procs[usize::from(self.pid)];
        let proto = &program.protos[usize::from(process.proto)];
        let global = program.shown.iter().find(|shown| shown.offset as usize == at);
        let local = || proto.shown.iter().find(|shown| self.base + shown.offset as usize == at);
        let shared = global.is_some();
        if let Some(Shown { name, scalar, show, .. }) = global.or_else(local) {
            note(&(name.clone(), self.show(show, read(&self.s.work, at, *scalar)), shared), out);
        }
    }
}

/// `x = 1, y = 2`; global ones are added to `on`.
fn rendered(values: &[Read], on: &mut Vec<String>) -> String {
    values.iter().filter(|(.., shared)| *shared).for_each(|(name, ..)| note(name, on));
    values.iter().map(|(name, value, _)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Adds what is not there yet.
fn note<T: PartialEq + Clone>(new: &T, out: &mut Vec<T>) {
    if !out.contains(new) {
        out.push(new.clone());
    }
}

/// What a deterministic sequence begins with, where that is one statement.
fn first(sequence: &DStep) -> Option<&Op> {
    match sequence.nodes.get(sequence.entry)? {
        DNode::Basic { op, .. } => Some(op),
        DNode::Choice { .. } | DNode::Jump(_) | DNode::Block(_) | DNode::Exit => None,
    }
}
