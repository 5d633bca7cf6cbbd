//! The interpreter of nets: a [`Machine`] with one thread, the net. Where the number of tokens at the start is
//! not fixed, the first steps of a run choose it, place by place, up to a limit.
//!
//! A state vector is, in words of four bytes: the first place whose tokens may still be chosen (one beyond
//! the last once a transition was taken), then each place that has tokens, followed by their number. A net may have
//! a hundred thousand places and a run as many steps: nothing here looks at every place, or every transition, in a step.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};

use selvedge_core::{Budget, StopReason, ThreadId, ViolationKind};
use selvedge_machine::{Describe, Fault, Hints, Machine, Path, PathStep, Recorded, Step, StepView, Steps, Turn};
use selvedge_source::{SourceMap, Span};

use selvedge_nets_syntax::net::{Bag, Net, PlaceId, Start, Target, TransitionId, held, print_transition, tokens_of};

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
    /// Transitions under a place that they take from; targets under one that they need.
    transitions: ByPlace,
    targets: ByPlace,
    /// Tokens beyond which a step is not followed.
    most_tokens: u32,
    cut: AtomicBool,
}

/// Positions in a list, each under one place without which it is of no use.
#[derive(Debug, Default)]
struct ByPlace {
    under: HashMap<PlaceId, Vec<usize>>,
    /// Those that need no place.
    always: Vec<usize>,
}

impl ByPlace {
    fn of<'a>(needs: impl Iterator<Item = &'a Bag>) -> ByPlace {
        let mut index = ByPlace::default();
        for (at, need) in needs.enumerate() {
            match need.iter().find(|(_, count)| *count > 0) {
                Some((place, _)) => index.under.entry(*place).or_default().push(at),
                None => index.always.push(at),
            }
        }
        index
    }

    /// What may be of use in a marking, in the order of the list.
    fn candidates(&self, marking: &Bag) -> Vec<usize> {
        let under = marking.iter().filter_map(|(place, _)| self.under.get(place)).flatten();
        let mut list: Vec<usize> = self.always.iter().chain(under).copied().collect();
        list.sort_unstable();
        list
    }
}

/// A state vector in parts.
struct Config {
    next_choice: usize,
    /// The places with tokens, sorted.
    marking: Bag,
}

impl Config {
    fn read(state: &[u8]) -> Config {
        let mut words = state.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let next_choice = words.next().unwrap_or(0) as usize;
        let mut marking = Bag::with_capacity(state.len() / 8);
        while let (Some(place), Some(tokens)) = (words.next(), words.next()) {
            marking.push((PlaceId(place), tokens));
        }
        Config { next_choice, marking }
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend((self.next_choice as u32).to_le_bytes());
        for (place, tokens) in &self.marking {
            out.extend(place.0.to_le_bytes());
            out.extend(tokens.to_le_bytes());
        }
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
        let choice = |(place, tokens): (usize, &selvedge_nets_syntax::net::Tokens)| {
            let span = tokens.span.or(start).unwrap_or_else(|| Span::new(selvedge_source::FileId(0), 0, 0));
            (span, format!("{} >= {}", net.places[place], tokens.least))
        };
        let choices = net.initial.iter().enumerate().map(choice).collect();
        let most_tokens = net.initial.iter().map(|tokens| tokens.least).max().unwrap_or(0).max(options.token_limit);
        let transitions = ByPlace::of(net.transitions.iter().map(|transition| &transition.take));
        let targets = ByPlace::of(net.targets.iter().map(|target| &target.need));
        NetMachine { net, options, texts, choices, transitions, targets, most_tokens, cut: AtomicBool::new(false) }
    }

    /// The net.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Whether tokens were limited, in any state so far.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The run that starts with these tokens where the net does not fix them, and takes these transitions.
    /// `None` if one cannot be taken. No limit of tokens is looked at.
    pub fn run(&self, start: &Start, transitions: &[TransitionId]) -> Option<Path> {
        self.run_within(start, transitions, &Budget::unlimited()).ok().flatten()
    }

    /// As [`NetMachine::run`], as long as a budget allows.
    pub fn run_within(
        &self,
        start: &Start,
        transitions: &[TransitionId],
        budget: &Budget,
    ) -> Result<Option<Path>, StopReason> {
        let mut recorded = Recorded::new(budget);
        self.initial(&mut recorded.path.initial);
        let mut config = Config::read(&recorded.path.initial);
        if !self.choose(start, &mut config, &mut recorded)? {
            return Ok(None);
        }
        config.next_choice = self.net.places.len();
        for TransitionId(id) in transitions {
            let fired = self.net.transitions.get(*id as usize).and_then(|known| known.fire_marked(&config.marking));
            let Some(marking) = fired else { return Ok(None) };
            config.marking = marking;
            recorded.push(self.path_step([1, *id, 0], &config))?;
        }
        Ok(Some(recorded.path))
    }

    /// The steps that choose tokens at the start; whether they can be chosen.
    fn choose(&self, start: &Start, config: &mut Config, recorded: &mut Recorded<'_>) -> Result<bool, StopReason> {
        for (place, tokens) in start {
            let at = place.0 as usize;
            let range = self.net.initial.get(at).filter(|range| range.most.is_none_or(|most| *tokens <= most));
            let Some(range) = range.filter(|_| at >= config.next_choice) else { return Ok(false) };
            if *tokens <= range.least {
                continue;
            }
            *tokens_of(&mut config.marking, *place) = *tokens;
            config.next_choice = at + 1;
            recorded.push(self.path_step([0, place.0, *tokens], config))?;
        }
        Ok(true)
    }

    fn path_step(&self, action: [u32; 3], config: &Config) -> PathStep {
        let mut state = Vec::new();
        config.write(&mut state);
        let thread = Some(ThreadId(0));
        let step = Step {
            thread,
            ran_last: thread,
            action,
            claim_move: 0,
            state: 0..state.len(),
            turn: Turn::Any,
            faults: 0..0,
        };
        PathStep { step, state, faults: Vec::new() }
    }

    fn target(&self, marking: &Bag) -> Option<&Target> {
        let near = self.targets.candidates(marking).into_iter().map(|at| &self.net.targets[at]);
        near.into_iter().find(|target| target.is_covered_by(marking))
    }

    fn push(&self, action: [u32; 3], config: &Config, out: &mut Steps) {
        let start = out.bytes.len();
        config.write(&mut out.bytes);
        out.list.push(Step {
            thread: Some(ThreadId(0)),
            ran_last: Some(ThreadId(0)),
            action,
            claim_move: 0,
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
                *tokens_of(&mut marking, PlaceId(place as u32)) = tokens;
                let chosen = Config { next_choice: place + 1, marking };
                self.push([0, place as u32, tokens], &chosen, out);
            }
        }
    }
}

impl Machine for NetMachine {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        let least = self.net.initial.iter().enumerate().map(|(place, tokens)| (PlaceId(place as u32), tokens.least));
        let marking = least.filter(|(_, tokens)| *tokens > 0).collect();
        Config { next_choice: 0, marking }.write(out);
    }

    fn steps(&self, state: &[u8], turn: Turn, (): &mut (), out: &mut Steps) {
        let config = Config::read(state);
        if turn == Turn::Stutter || self.target(&config.marking).is_some() {
            return;
        }
        for index in self.transitions.candidates(&config.marking) {
            let Some(marking) = self.net.transitions[index].fire_marked(&config.marking) else { continue };
            if marking.iter().any(|(_, tokens)| *tokens > self.most_tokens) {
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
        let taken = |at: usize| self.net.transitions[at].fire_marked(&config.marking).is_some();
        let stuck = || !self.transitions.candidates(&config.marking).into_iter().any(taken);
        if !self.options.deadlock || self.target(&config.marking).is_some() || !stuck() {
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
}

impl Hints for NetMachine {}

impl Describe for NetMachine {
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
            let (before, after) = (Config::read(before).marking, Config::read(after).marking);
            let both = before.iter().chain(&after).map(|(place, _)| *place).collect::<BTreeSet<_>>();
            for place in both.into_iter().filter(|place| held(&before, *place) != held(&after, *place)) {
                view.changes.push((self.net.place_name(place).to_owned(), held(&after, place).to_string()));
            }
        }
        view
    }

    fn waiting(&self, _: &[u8], _: ThreadId) -> Option<(Span, String)> {
        let span = self.net.transitions.first().map(|transition| transition.span)?;
        Some((span, "has no transition with enough tokens".to_owned()))
    }

    fn variables(&self, state: &[u8]) -> Vec<(String, String)> {
        let marking = Config::read(state).marking.into_iter();
        marking.map(|(place, tokens)| (self.net.place_name(place).to_owned(), tokens.to_string())).collect()
    }
}
