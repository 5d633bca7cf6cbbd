//! Steps and states for people: statements as written, what changed. `waiting` lists what a process waits for.

use selvedge_core::ThreadId;
use selvedge_machine::{Step, StepView};

use super::eval::read;
use super::{ChanRef, Exec, Processes, Scratch};
use crate::program::{Action, ChanSpec, Op, Print, Proto, Show, Shown};

impl Processes {
    pub(super) fn view_step(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        let mut scratch = Scratch::default();
        let mut exec = self.load(before, &mut scratch);
        let Some(thread) = step.thread else { return StepView::default() };
        let action = self.action(&exec, thread, step.action[0]);
        let mut view = StepView {
            span: Some(action.span),
            text: one_line(&action.text),
            changes: after.map_or_else(Vec::new, |after| self.changes(before, after, thread)),
            ..StepView::default()
        };
        exec.enter_for_display(thread);
        match &action.op {
            Op::Send(send) => {
                let values = send.args.iter().map(|arg| exec.eval(arg)).collect::<Vec<_>>();
                let id = exec.eval(&send.chan);
                let direction = if step.action[1] > 0 { "rendezvous" } else { "send" };
                view.message = exec.message(id, direction, &values);
            }
            Op::Receive(receive) => {
                if let Some((id, chan)) = exec.channel(&receive.chan, receive.span)
                    && let Some(at) = exec.find_message(receive, chan)
                {
                    let fields = self.program.specs[chan.spec as usize].fields.len();
                    let values = (0..fields).map(|field| exec.field(chan, at, field)).collect::<Vec<_>>();
                    view.message = exec.message(id, "receive", &values);
                }
            }
            Op::Print(print) => view.output = Some(exec.format(print, &self.program.mtypes)),
            _ => {}
        }
        if let (true, Some(partner)) = (step.action[1] > 0, step.ran_last) {
            let action = self.action(&exec, partner, step.action[1]);
            view.partner = Some((partner, action.span, one_line(&action.text)));
        }
        view
    }

    pub(super) fn action(&self, exec: &Exec<'_>, thread: ThreadId, number: u32) -> &Action {
        let proto = usize::from(exec.s.procs[thread.0 as usize].proto);
        &self.program.protos[proto].actions[number as usize - 1]
    }

    /// Variables that differ, the acting process's own by their plain names.
    fn changes(&self, before: &[u8], after: &[u8], actor: ThreadId) -> Vec<(String, String)> {
        let [old, new] = self.differing(before, after, Some(actor));
        let old: std::collections::HashMap<String, String> = old.into_iter().collect();
        let mut changes: Vec<(String, String)> =
            new.into_iter().filter(|(name, value)| old.get(name).is_some_and(|o| o != value)).collect();
        let (was, is) =
            (before[self.program.header.process_count as usize], after[self.program.header.process_count as usize]);
        if is > was {
            let mut scratch = Scratch::default();
            let exec = self.load(after, &mut scratch);
            for index in usize::from(was)..usize::from(is) {
                let proto = &self.program.protos[usize::from(exec.s.procs[index].proto)];
                changes.push((format!("{}[{index}]", proto.name), "started".to_owned()));
            }
        }
        changes
    }

    pub(super) fn all_variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let mut scratch = Scratch::default();
        let exec = self.load(state, &mut scratch);
        self.named_values(state, &exec, None, (|_| true, |_| true))
    }

    /// The variables of two states, without global variables and processes that are the same in both: of many, few change
    /// in a step.
    pub(super) fn differing(&self, before: &[u8], after: &[u8], actor: Option<ThreadId>) -> [Vec<(String, String)>; 2] {
        let (mut one, mut other) = (Scratch::default(), Scratch::default());
        let (old, new) = (self.load(before, &mut one), self.load(after, &mut other));
        // The name of a channel may come from another process, which may have started or ended: its channels are the last.
        let lasting = old.s.chans.len().min(new.s.chans.len());
        let may_rename = new.s.procs.len() != old.s.procs.len();
        let renamed = |(proto, own): (u16, &[u8])| {
            let mut shown = self.program.protos[usize::from(proto)].shown.iter();
            shown.any(|shown| {
                shown.show == Show::Chan && read(own, shown.offset as usize, shown.scalar) as usize > lasting
            })
        };
        let both = self.processes(before, &old).zip(self.processes(after, &new));
        let same: Vec<bool> = both.map(|(a, b)| a == b && !(may_rename && renamed(a))).collect();
        let differs = |index: usize| !same.get(index).copied().unwrap_or(false);
        let number = |state, shown: &Shown| read(state, shown.offset as usize, shown.scalar);
        let changed = |shown: &Shown| number(before, shown) != number(after, shown);
        let wanted = (changed, differs);
        [self.named_values(before, &old, actor, wanted), self.named_values(after, &new, actor, wanted)]
    }

    /// Each process: its type, and its variables and channels.
    fn processes<'a>(&'a self, state: &'a [u8], exec: &'a Exec<'_>) -> impl Iterator<Item = (u16, &'a [u8])> + 'a {
        exec.s.procs.iter().map(move |process| {
            let locals = process.locals(&self.program);
            let size = self.program.protos[usize::from(process.proto)].size as usize;
            (process.proto, &state[locals..locals + size])
        })
    }

    /// Global variables and processes that are wanted, by name, and all global channels.
    fn named_values(
        &self,
        state: &[u8],
        exec: &Exec<'_>,
        actor: Option<ThreadId>,
        (global, wanted): (impl Fn(&Shown) -> bool, impl Fn(usize) -> bool),
    ) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for shown in self.program.shown.iter().filter(|shown| shown.show != Show::Chan && global(shown)) {
            let value = read(state, shown.offset as usize, shown.scalar);
            out.push((shown.name.clone(), exec.show(&shown.show, value)));
        }
        for (index, (slot, _)) in self.program.chans.iter().enumerate() {
            exec.contents(slot.name.clone(), exec.s.chans[index], &mut out);
        }
        let mut chan = self.program.chans.len();
        for (index, process) in exec.s.procs.iter().enumerate() {
            let proto = &self.program.protos[usize::from(process.proto)];
            if !wanted(index) {
                chan += proto.chans.len();
                continue;
            }
            let prefix =
                if actor == Some(ThreadId(index as u32)) { String::new() } else { format!("{}[{index}].", proto.name) };
            let base = process.locals(&self.program);
            let declares = |offset: u32, proto: &Proto| proto.chans.iter().any(|(_, at)| *at == offset);
            for shown in proto.shown.iter().filter(|s| s.show != Show::Chan || !declares(s.offset, proto)) {
                let value = read(state, base + shown.offset as usize, shown.scalar);
                out.push((format!("{prefix}{}", shown.name), exec.show(&shown.show, value)));
            }
            for (slot, _) in &proto.chans {
                exec.contents(format!("{prefix}{}", slot.name), exec.s.chans[chan], &mut out);
                chan += 1;
            }
        }
        out
    }
}

impl Exec<'_> {
    pub(super) fn enter_for_display(&mut self, thread: ThreadId) {
        self.base = self.s.procs[thread.0 as usize].locals(self.program);
        self.pid = thread.0 as u8;
    }

    /// A channel's name by its number.
    pub(super) fn channel_name(&self, id: i32) -> Option<String> {
        let index = usize::try_from(id - 1).ok()?;
        if let Some((slot, _)) = self.program.chans.get(index) {
            return Some(slot.name.clone());
        }
        let mut first = self.program.chans.len();
        for (pid, process) in self.s.procs.iter().enumerate() {
            let proto = &self.program.protos[usize::from(process.proto)];
            if index < first + proto.chans.len() {
                return Some(format!("{}[{pid}].{}", proto.name, proto.chans[index - first].0.name));
            }
            first += proto.chans.len();
        }
        None
    }

    fn message(&self, id: i32, direction: &'static str, values: &[i32]) -> Option<(String, &'static str, Vec<String>)> {
        let name = self.channel_name(id)?;
        let spec = &self.program.specs[self.s.chans.get(id as usize - 1)?.spec as usize];
        let show =
            |(value, (field, show)): (&i32, (&crate::program::Scalar, &Show))| self.show(show, field.truncate(*value));
        let values = values.iter().zip(spec.fields.iter().zip(&spec.shows)).map(show).collect();
        Some((name, direction, values))
    }

    pub(super) fn show(&self, show: &Show, value: i32) -> String {
        match show {
            Show::Number => value.to_string(),
            // An element of an array and the only field of a message may be neither: Spin does not truncate them.
            Show::Bool => match value {
                0 => "false".to_owned(),
                1 => "true".to_owned(),
                other => other.to_string(),
            },
            Show::Mtype(set) => mtype_name(&self.program.mtypes[*set], value),
            Show::Chan => self.channel_name(value).unwrap_or_else(|| "none".to_owned()),
        }
    }

    /// The messages in a buffered channel, as one value.
    pub(super) fn contents(&self, name: String, chan: ChanRef, out: &mut Vec<(String, String)>) {
        let spec: &ChanSpec = &self.program.specs[chan.spec as usize];
        if spec.capacity == 0 {
            return;
        }
        let message = |m: usize| {
            let fields: Vec<String> =
                (0..spec.fields.len()).map(|f| self.show(&spec.shows[f], self.field(chan, m, f))).collect();
            if fields.len() == 1 { fields[0].clone() } else { format!("({})", fields.join(",")) }
        };
        let messages: Vec<String> = (0..self.length(chan)).map(message).collect();
        out.push((name, format!("[{}]", messages.join(", "))));
    }

    /// What a `printf` prints.
    fn format(&mut self, print: &Print, mtypes: &[Vec<String>]) -> String {
        let mut args = print.args.iter();
        let mut out = String::new();
        let mut chars = print.format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let conversion = chars.next();
            if conversion == Some('%') {
                out.push('%');
                continue;
            }
            let Some((ex, show)) = args.next() else {
                out.push('%');
                out.extend(conversion);
                continue;
            };
            let value = self.eval(ex);
            match conversion {
                Some('c') => out.push(value as u8 as char),
                Some('e') => match show {
                    Show::Mtype(set) => out.push_str(&mtype_name(&mtypes[*set], value)),
                    _ => out.push_str(&mtype_name(&mtypes[0], value)),
                },
                Some('u') => out.push_str(&(value as u32).to_string()),
                Some('x') => out.push_str(&format!("{value:x}")),
                Some('o') => out.push_str(&format!("{value:o}")),
                _ => out.push_str(&value.to_string()),
            }
        }
        out
    }
}

fn mtype_name(set: &[String], value: i32) -> String {
    usize::try_from(value - 1).ok().and_then(|i| set.get(i)).cloned().unwrap_or_else(|| value.to_string())
}

/// A statement's text on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
