//! Random Boolean programs that create threads: the dynamic engine against runs of the machine, explored one by one with
//! few threads, and its runs followed by the machine.

mod support;

use std::collections::HashSet;

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, build, concretize};
use selvedge_boolprog_syntax::Dialect;
use selvedge_core::{Chance, ThreadId};
use selvedge_dynamic::program::compile;
use selvedge_dynamic::reach::{Query, Reach, Within, reach};
use selvedge_dynamic::strata::Solver;
use selvedge_machine::{Machine, Steps, Turn};
use selvedge_source::{Diagnostics, SourceMap};
use support::free;

/// Statements of a random program.
struct Writer<'a> {
    chance: &'a mut Chance,
    text: String,
    recursive: bool,
    label: usize,
}

impl Writer<'_> {
    fn expr(&mut self) -> String {
        let atom = |chance: &mut Chance| ["g", "h", "l", "T", "F", "*"][chance.below(6)].to_owned();
        let (left, right) = (atom(self.chance), atom(self.chance));
        match self.chance.below(5) {
            0 => left,
            1 => format!("!({left})"),
            2 => format!("({left}) & ({right})"),
            3 => format!("({left}) | ({right})"),
            _ => format!("!(({left}) = ({right}))"),
        }
    }

    fn block(&mut self, depth: usize, atomic: bool) {
        for _ in 0..1 + self.chance.below(3) {
            self.statement(depth, atomic);
        }
    }

    fn statement(&mut self, depth: usize, atomic: bool) {
        let (expr, other) = (self.expr(), self.expr());
        let target = ["g", "h", "l"][self.chance.below(3)];
        match self.chance.below(14) {
            0..3 => self.text += &format!("{target} := {expr};\n"),
            3 => self.text += &format!("g, h := {expr}, {other};\n"),
            4 => self.text += &format!("assume({expr});\n"),
            5 => self.text += &format!("assert(({expr}) | ({other}) | g);\n"),
            6 | 7 if !atomic => self.text += &format!("start_thread {}();\n", ["w", "v"][self.chance.below(2)]),
            8 if depth > 0 => {
                self.text += &format!("if ({expr}) then\n");
                self.block(depth - 1, atomic);
                self.text += "else\n";
                self.block(depth - 1, atomic);
                self.text += "fi;\n";
            }
            9 if depth > 0 => {
                self.text += "while (*) do\n";
                self.block(depth - 1, atomic);
                self.text += "od;\n";
            }
            10 if depth > 0 && !atomic => {
                self.text += "atomic_begin;\n";
                self.block(depth - 1, true);
                self.text += "atomic_end;\n";
            }
            11 => self.text += &format!("{target} := f({expr});\n"),
            12 if self.recursive => self.text += "r();\n",
            13 if !atomic && self.chance.once_in(4) => self.text += "end_thread;\n",
            _ => self.text += "skip;\n",
        }
    }

    fn program(mut self) -> String {
        self.text += "decl g, h;\n";
        for name in ["w", "v", "main"] {
            self.text += &format!("void {name}()\nbegin\ndecl l;\n");
            if name == "main" {
                self.text += "g, h := F, F;\n";
            }
            self.block(2, false);
            self.text += "end\n";
        }
        let (condition, given) = (self.expr(), self.expr());
        self.text += &format!(
            "bool f(p)\nbegin\ndecl l;\nl := p;\nif ({condition}) then\nreturn {given};\nfi;\nreturn !p;\nend\n"
        );
        if self.recursive {
            self.label += 1;
            self.text += "void r()\nbegin\ndecl l;\nif (*) then\n";
            self.block(0, false);
            self.text += "r();\n";
            self.block(0, false);
            self.text += "fi;\nend\n";
        }
        self.text
    }
}

/// What is explored: a state, who runs (and inside of an atomic section), switch numbers, the stratum.
type Configuration = (Vec<u8>, Option<u32>, Turn, Vec<u32>, u32);

struct Brute<'a> {
    machine: &'a BoolMachine,
    within: Within,
    fresh: bool,
}

impl Brute<'_> {
    /// Whether a violation is found with few threads and configurations.
    fn violated(&self) -> bool {
        let mut initial = Vec::new();
        self.machine.initial(&mut initial);
        let start: Configuration = (initial, Some(0), Turn::Any, vec![0], 0);
        let mut seen = HashSet::from([start.clone()]);
        let mut work = vec![start];
        while let Some(configuration) = work.pop() {
            if seen.len() > 4_000 {
                return false;
            }
            let mut next = Vec::new();
            if self.successors(&configuration, &mut next) {
                return true;
            }
            work.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
        }
        false
    }

    fn successors(
        &self,
        (state, active, turn, numbers, stratum): &Configuration,
        out: &mut Vec<Configuration>,
    ) -> bool {
        if self.machine.state_fault(state).is_some() {
            return true;
        }
        let Some(active) = *active else {
            for (thread, number) in numbers.iter().enumerate() {
                let late = matches!(self.within, Within::Strata(_)) && number < stratum;
                if *number <= self.within.most() && !late {
                    let stratum = if matches!(self.within, Within::Strata(_)) { *number } else { 0 };
                    out.push((state.clone(), Some(thread as u32), Turn::Any, numbers.clone(), stratum));
                }
            }
            return false;
        };
        if *turn == Turn::Any {
            let mut numbers = numbers.clone();
            numbers[active as usize] += 1;
            out.push((state.clone(), None, Turn::Any, numbers, *stratum));
        }
        let mut steps = Steps::new();
        let mut scratch = Default::default();
        self.machine.steps(state, *turn, &mut scratch, &mut steps);
        for step in steps.list.iter().filter(|step| step.thread == Some(ThreadId(active))) {
            if !step.faults.is_empty() {
                return true;
            }
            let Some(next) = steps.state(step) else { continue };
            let count = self.machine.thread_count(next) as usize;
            if count > 3 {
                continue;
            }
            let mut after = numbers.clone();
            after.resize(count.max(active as usize + 1), if self.fresh { 0 } else { numbers[active as usize] + 1 });
            // A thread that has ended is left out: no thread runs.
            let alive = (active as usize) < count;
            after.truncate(count);
            let (active, turn) = if alive { (Some(active), step.turn) } else { (None, Turn::Any) };
            out.push((next.to_vec(), active, turn, after, *stratum));
        }
        false
    }
}

fn compare(seed: u64, cases: usize, recursive: bool) {
    let mut chance = Chance::new(seed);
    let (mut reached, mut unreachable, mut with_threads) = (0, 0, 0);
    for case in 0..cases {
        let text = Writer { chance: &mut chance, text: String::new(), recursive, label: 0 }.program();
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let options = BuildOptions { dialect: Some(Dialect::Satabs), ..BuildOptions::default() };
        let built = build("random.bp", &text, &options, &mut sources, &mut found);
        let built = built.unwrap_or_else(|| panic!("case {case}: {found:?}\n{text}"));
        let compiled = compile(&built.program, &free()).unwrap_or_else(|why| panic!("case {case}: {why:?}\n{text}"));
        let machine =
            BoolMachine::new(built.program.clone(), &sources, MachineOptions { stack_limit: 400, deadlock: false });
        let low = BoolMachine::new(built.program, &sources, MachineOptions { stack_limit: 4, deadlock: false });
        for (within, fresh) in [
            (Within::ThreadSwitches(1), false),
            (Within::ThreadSwitches(0), true),
            (Within::ThreadSwitches(1), true),
            (Within::Strata(2), false),
            (Within::Strata(1), true),
        ] {
            let place = format!("case {case}, {within:?}, fresh {fresh}:\n{text}");
            match reach(&compiled.dcps, Query { within, fresh_switches: fresh, solver: Solver::BuiltIn }, &free()).reach
            {
                Reach::Reached(run) => {
                    reached += 1;
                    let moves = compiled.moves(&run);
                    with_threads += usize::from(moves.iter().any(|next| next.thread > 0));
                    let path = concretize::follow(&machine, &moves)
                        .unwrap_or_else(|stuck| panic!("{stuck:?}: {moves:?} {place}"));
                    let last = path.steps.last().expect("a step");
                    let of_state = || machine.state_fault(&last.state).is_some();
                    assert!(!last.faults.is_empty() || of_state(), "no violation at the end: {place}");
                }
                Reach::Unreachable => {
                    unreachable += 1;
                    assert!(!Brute { machine: &low, within, fresh }.violated(), "missed: {place}");
                }
                other => panic!("{other:?}: {place}"),
            }
        }
    }
    assert!(
        reached > cases / 4 && unreachable > cases / 4 && with_threads > cases / 8,
        "{reached} {unreachable} {with_threads}"
    );
}

#[test]
fn programs_without_recursion() {
    compare(1, 60, false);
}

#[test]
fn programs_with_recursion() {
    compare(3, 25, true);
}
