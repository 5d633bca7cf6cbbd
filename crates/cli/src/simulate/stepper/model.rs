//! What the stepper knows, and what a key does to it.

use selvedge_verify::simulate::{BlockedThread, Chance, End, Simulation, StepChoice, Variable};
use selvedge_verify::{SwitchReason, Trace};

use crate::shell;

/// A key, whatever terminal it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// Return.
    Enter,
    /// Esc.
    Escape,
    /// Backspace.
    Backspace,
    /// Ctrl-C.
    Interrupt,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

/// What is to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Save the run in this file.
    Save(String),
    /// End.
    Quit,
}

/// What the bottom line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Steps are chosen.
    Choosing,
    /// The name of a file is typed.
    Saving(String),
    /// The keys are shown.
    Help,
}

/// A step that is possible now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The step.
    pub step: StepChoice,
    /// What it would cost.
    pub cost: Option<SwitchReason>,
}

/// Everything the screen shows.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The run so far.
    pub trace: Trace,
    /// What is possible now.
    pub choices: Vec<Choice>,
    /// Index of the one that Enter takes.
    pub chosen: usize,
    /// How the run ended, if no step is enabled.
    pub ended: Option<String>,
    /// The blocked threads.
    pub blocked: Vec<BlockedThread>,
    /// The lines of the file of the chosen step, and its line there, from 1.
    pub source: Option<(Vec<String>, u32)>,
    /// The state.
    pub variables: Vec<Variable>,
    /// Steps that were taken back and can be taken again.
    pub ahead: usize,
    /// Lines by which the lanes are scrolled up.
    pub scrolled: usize,
    /// The bottom line.
    pub mode: Mode,
    /// What happened last.
    pub message: String,
}

/// A run and what is chosen in it.
pub struct Stepper<'r> {
    run: &'r mut Simulation,
    chosen: usize,
    scrolled: usize,
    mode: Mode,
    message: String,
    chance: Chance,
}

impl<'r> Stepper<'r> {
    /// At the end of the run.
    pub fn new(run: &'r mut Simulation) -> Self {
        let (mode, message) = (Mode::Choosing, String::new());
        let mut stepper = Stepper { run, chosen: 0, scrolled: 0, mode, message, chance: Chance::new(1) };
        stepper.select_default();
        stepper
    }

    /// The run.
    pub fn run(&self) -> &Simulation {
        self.run
    }

    /// The run so far.
    fn trace(&self) -> Trace {
        self.run.trace()
    }

    /// How the run ends here.
    pub fn end(&self) -> End {
        self.run.end().unwrap_or(End::Stopped)
    }

    /// Shows a sentence in the bottom line.
    pub fn report(&mut self, message: String) {
        self.message = message;
    }

    /// What a key does.
    pub fn press(&mut self, key: Key) -> Effect {
        self.message.clear();
        match std::mem::replace(&mut self.mode, Mode::Choosing) {
            _ if key == Key::Interrupt => Effect::Quit,
            Mode::Help => Effect::None,
            Mode::Saving(name) => self.type_name(name, key),
            Mode::Choosing => self.act(key),
        }
    }

    fn act(&mut self, key: Key) -> Effect {
        match key {
            Key::Char('q') | Key::Escape => return Effect::Quit,
            Key::Char('j') | Key::Down => self.choose(1),
            Key::Char('k') | Key::Up => self.choose(-1),
            Key::Char('l') | Key::Right | Key::Enter => self.take(self.chosen),
            Key::Char(digit @ '1'..='9') => self.take(digit as usize - '1' as usize),
            Key::Char('h') | Key::Left | Key::Backspace => self.back(1),
            Key::Char('f') => self.forward(1),
            Key::Char('r') => self.by_chance(),
            Key::Home => self.back(usize::MAX),
            Key::End => self.forward(usize::MAX),
            Key::PageUp => self.scrolled = self.scrolled.saturating_add(10),
            Key::PageDown => self.scrolled = self.scrolled.saturating_sub(10),
            Key::Char('s') => self.mode = Mode::Saving(self.default_name()),
            Key::Char('?') => self.mode = Mode::Help,
            Key::Char(other) => self.message = format!("`{other}` does nothing; ? shows the keys"),
            Key::Interrupt => return Effect::Quit,
        }
        Effect::None
    }

    fn type_name(&mut self, mut name: String, key: Key) -> Effect {
        match key {
            Key::Enter if !name.trim().is_empty() => return Effect::Save(name.trim().to_owned()),
            Key::Escape => return Effect::None,
            Key::Char(c) if !c.is_control() => {
                // The proposed name gives way to one that is typed.
                if name == self.default_name() {
                    name.clear();
                }
                name.push(c);
            }
            Key::Backspace => {
                name.pop();
            }
            _ => {}
        }
        self.mode = Mode::Saving(name);
        Effect::None
    }

    fn default_name(&self) -> String {
        shell::trace_name(std::path::Path::new(&self.trace().input.path))
    }

    fn choose(&mut self, by: isize) {
        let last = self.run.choice_count().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    fn take(&mut self, index: usize) {
        if index >= self.run.choice_count() {
            self.message = match self.run.end() {
                Some(_) => "the run is over; h goes back".to_owned(),
                None => format!("there is no step {}", index + 1),
            };
            return;
        }
        self.run.take(index);
        self.select_default();
    }

    fn by_chance(&mut self) {
        match self.run.choice_count() {
            0 => self.take(0),
            number => {
                let index = self.chance.below(number);
                self.take(index);
            }
        }
    }

    fn back(&mut self, most: usize) {
        let mut gone = 0;
        while gone < most && self.run.back() {
            gone += 1;
        }
        if gone == 0 {
            self.message = "this is the initial state".to_owned();
        }
        self.select_default();
    }

    fn forward(&mut self, most: usize) {
        let mut gone = 0;
        while gone < most && self.run.forward() {
            gone += 1;
        }
        if gone == 0 {
            self.message = "there is nothing to redo".to_owned();
        }
        self.select_default();
    }

    fn select_default(&mut self) {
        self.scrolled = 0;
        // The way forward, if there is one, else the step that costs least.
        self.chosen = self.run.way_ahead().unwrap_or_else(|| self.cheapest());
    }

    /// The first step that is no switch, else the first that is no preemption, else the first.
    fn cheapest(&self) -> usize {
        let price = |index: &usize| match self.run.cost(*index) {
            None => 0,
            Some(SwitchReason::Preempted) => 2,
            Some(_) => 1,
        };
        (0..self.run.choice_count()).min_by_key(price).unwrap_or(0)
    }

    /// The text that the chosen step is part of or, at the end, the last step.
    fn source(&self, trace: &Trace, choices: &[Choice]) -> Option<(Vec<String>, u32)> {
        let chosen = choices.get(self.chosen).and_then(|choice| choice.step.place.clone());
        let place = chosen.or_else(|| trace.steps.last()?.location.clone())?;
        let (_, file) = self.run.sources().files().find(|(_, file)| file.path == place.file)?;
        Some((file.text.lines().map(str::to_owned).collect(), place.line))
    }

    /// What is to be shown.
    pub fn snapshot(&self) -> Snapshot {
        let ended = self.run.end().map(|end| match end {
            End::Violation(message) => format!("violation: {message}"),
            End::Stuck => {
                "deadlock: every process is blocked or has finished, and not all are at a valid end state".to_owned()
            }
            _ => "the run is over: every process has finished or is at a valid end state".to_owned(),
        });
        let choices = if ended.is_some() { 0 } else { self.run.choice_count() };
        let choices: Vec<Choice> = (0..choices).map(|index| self.choice(index)).collect();
        let trace = self.trace();
        Snapshot {
            source: self.source(&trace, &choices),
            trace,
            choices,
            chosen: self.chosen,
            blocked: self.run.blocked(),
            ended,
            variables: self.run.variables(),
            ahead: self.run.ahead(),
            scrolled: self.scrolled,
            mode: self.mode.clone(),
            message: self.message.clone(),
        }
    }

    fn choice(&self, index: usize) -> Choice {
        Choice { step: self.run.choice(index), cost: self.run.cost(index) }
    }
}
