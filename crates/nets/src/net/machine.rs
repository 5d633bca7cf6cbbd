//! The interpreter of nets: a [`Machine`] with one thread, the net. Where the number of tokens at the start is
//! not fixed, the first steps of a run choose it, place by place, up to a limit.
//!
//! A state vector is, in words of four bytes: the first place whose tokens may still be chosen (one beyond
//! the last once a transition was taken), then the tokens of each place.

use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{Fault, Machine, Path, PathStep, Step, StepView, Steps, ThreadId, Turn, ViolationKind};
use selvedge_source::{SourceMap, Span};

use super::model::{Net, PlaceId, Start, Target, TransitionId};
use super::print::print_transition;

/// How to execute.
#[derive(Clone, Copy, Debug)]
pub struct NetOptions {
    /// Tokens that a place holds at most; transitions that give more are not followed, and
    /// [`NetMachine::was_cut`] tells.
    pub token_limit: u32,
    /// A marking in which no transition can be taken is a violation.
    pub deadlock: bool,
}

/// Tokens of a place if nothing is said.
pub const TOKEN_LIMIT: u32 = 8;

impl Default for NetOptions {
    fn default() -> Self {
        NetOptions { token_limit: TOKEN_LIMIT, deadlock: false }
    }
}

/// The interpreter.
pub struct NetMachine {
    net: Net,
    options: NetOptions,
    texts: Vec<String>,
    choices: Vec<(Span, String)>,
    cut: AtomicBool,
}

/// A state vector in parts.
struct Config {
    next_choice: usize,
    marking: Vec<u32>,
}

impl Config {
    fn read(state: &[u8]) -> Config {
        let mut words = state.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let next_choice = words.next().unwrap_or(0) as usize;
        Config { next_choice, marking: words.collect() }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.next_choice as u32).to_le_bytes());
        self.marking.iter().for_each(|tokens| out.extend(tokens.to_le_bytes()));
    }
}

impl NetMachine {
    /// An interpreter for a net whose spans speak of `sources`.
    pub fn new(net: Net, sources: &SourceMap, options: NetOptions) -> Self {
        let words = |span: Span| sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let texts = net.transitions.iter().map(|t| words(t.span).trim_end_matches(';').to_owned());
        let texts = texts.zip(&net.transitions).map(|(text, transition)| match text.is_empty() {
            true => print_transition(&net, transition).trim_end_matches(';').to_owned(),
            false => text,
        });
        let texts = texts.collect();
        let fallback = net.transitions.first().map(|transition| transition.span);
        let fallback = fallback.or_else(|| net.targets.first().map(|target| target.span));
        let start = fallback.map(|span| Span::new(span.file, 0, 0));
        let choice = |(place, tokens): (usize, &super::Tokens)| {
            let span = tokens.span.or(start).unwrap_or_else(|| Span::new(selvedge_source::FileId(0), 0, 0));
            (span, format!("{} >= {}", net.places[place], tokens.least))
        };
        let choices = net.initial.iter().enumerate().map(choice).collect();
        NetMachine { net, options, texts, choices, cut: AtomicBool::new(false) }
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Whether tokens were limited, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The tokens in a state vector.
    pub fn marking(&self, state: &[u8]) -> Vec<u32> {
        Config::read(state).marking
    }

    /// The run that starts with these tokens where the net does not fix them, and takes these transitions.
    /// `None` if one cannot be taken. No limit is looked at.
    pub fn run(&self, start: &Start, transitions: &[TransitionId]) -> Option<Path> {
        let mut path = Path::default();
        self.initial(&mut path.initial);
        let mut config = Config::read(&path.initial);
        for (place, tokens) in start {
            let at = place.0 as usize;
            let range = self.net.initial[at];
            if range.most.is_some_and(|most| *tokens > most) || at < config.next_choice {
                return None;
            }
            if *tokens <= range.least {
                continue;
            }
            config.marking[at] = *tokens;
            config.next_choice = at + 1;
            path.steps.push(self.path_step([0, place.0, *tokens], &config));
        }
        config.next_choice = self.net.places.len();
        for transition in transitions {
            config.marking = self.net.transitions.get(transition.0 as usize)?.fire(&config.marking)?;
            path.steps.push(self.path_step([1, transition.0, 0], &config));
        }
        Some(path)
    }

    fn path_step(&self, action: [u32; 3], config: &Config) -> PathStep {
        let mut state = Vec::new();
        config.write(&mut state);
        let thread = Some(ThreadId(0));
        let step = Step { thread, ran_last: thread, action, state: 0..state.len(), turn: Turn::Any, faults: 0..0 };
        PathStep { step, state, faults: Vec::new() }
    }

    fn target(&self, marking: &[u32]) -> Option<&Target> {
        self.net.targets.iter().find(|target| target.is_covered(marking))
    }

    fn push(&self, action: [u32; 3], config: &Config, out: &mut Steps) {
        let start = out.bytes.len();
        config.write(&mut out.bytes);
        out.list.push(Step {
            thread: Some(ThreadId(0)),
            ran_last: Some(ThreadId(0)),
            action,
            state: start..out.bytes.len(),
            turn: Turn::Any,
            faults: out.faults.len()..out.faults.len(),
        });
    }

    /// Chooses more tokens for a place whose number is not fixed.
    fn choices(&self, config: &Config, out: &mut Steps) {
        for place in config.next_choice..self.net.places.len() {
            let range = self.net.initial[place];
            let limit = self.options.token_limit.max(range.least);
            let most = range.most.unwrap_or(u32::MAX);
            if most > limit {
                self.cut.store(true, Ordering::Relaxed);
            }
            for tokens in range.least.saturating_add(1)..=most.min(limit) {
                let mut marking = config.marking.clone();
                marking[place] = tokens;
                let chosen = Config { next_choice: place + 1, marking };
                self.push([0, place as u32, tokens], &chosen, out);
            }
        }
    }

    fn highest_least(&self) -> u32 {
        self.net.initial.iter().map(|tokens| tokens.least).max().unwrap_or(0).max(self.options.token_limit)
    }
}

impl Machine for NetMachine {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        let marking = self.net.initial.iter().map(|tokens| tokens.least).collect();
        Config { next_choice: 0, marking }.write(out);
    }

    fn steps(&self, state: &[u8], turn: Turn, (): &mut (), out: &mut Steps) {
        let config = Config::read(state);
        if turn == Turn::Stutter || self.target(&config.marking).is_some() {
            return;
        }
        let limit = self.highest_least();
        for (index, transition) in self.net.transitions.iter().enumerate() {
            let Some(marking) = transition.fire(&config.marking) else { continue };
            if marking.iter().any(|tokens| *tokens > limit) {
                self.cut.store(true, Ordering::Relaxed);
                continue;
            }
            let after = Config { next_choice: self.net.places.len(), marking };
            self.push([1, index as u32, 0], &after, out);
        }
        self.choices(&config, out);
    }

    fn end_fault(&self, state: &[u8]) -> Option<Fault> {
        let config = Config::read(state);
        let stuck = self.net.transitions.iter().all(|transition| transition.fire(&config.marking).is_none());
        if !self.options.deadlock || !stuck || self.target(&config.marking).is_some() {
            return None;
        }
        let message = "no transition can be taken".to_owned();
        Some(Fault { kind: ViolationKind::InvalidEndState, message, span: None, thread: None })
    }

    fn state_fault(&self, state: &[u8]) -> Option<Fault> {
        let config = Config::read(state);
        let target = self.target(&config.marking)?;
        let message = format!("the target `{}` is covered", self.net.shown(&target.need));
        Some(Fault { kind: ViolationKind::TargetCovered, message, span: Some(target.span), thread: None })
    }

    fn thread_count(&self, _: &[u8]) -> u32 {
        1
    }

    fn thread_name(&self, _: &[u8], _: ThreadId) -> String {
        "net".to_owned()
    }

    fn view(&self, before: &[u8], step: &Step, after: Option<&[u8]>) -> StepView {
        let [kind, index, _] = step.action.map(|number| number as usize);
        let (span, text) = match kind {
            0 => self.choices[index].clone(),
            _ => (self.net.transitions[index].span, self.texts[index].clone()),
        };
        let mut view = StepView { span: Some(span), text, ..StepView::default() };
        if let Some(after) = after {
            let (before, after) = (Config::read(before), Config::read(after));
            let changed = |place: &usize| before.marking[*place] != after.marking[*place];
            for place in (0..self.net.places.len()).filter(changed) {
                view.changes.push((self.net.places[place].clone(), after.marking[place].to_string()));
            }
        }
        view
    }

    fn waiting(&self, _: &[u8], _: ThreadId) -> Option<(Span, String)> {
        let span = self.net.transitions.first().map(|transition| transition.span)?;
        Some((span, "has no transition with enough tokens".to_owned()))
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let marked = |(place, tokens): (usize, &u32)| {
            (*tokens > 0).then(|| (self.net.place_name(PlaceId(place as u32)).to_owned(), tokens.to_string()))
        };
        Config::read(state).marking.iter().enumerate().filter_map(marked).collect()
    }
}
