//! The generator: random small programs that are valid and whose behaviour in pan is defined.
//!
//! What is avoided, because pan itself has no defined answer: indices out of range (it reads foreign memory), division by
//! zero (it dies), shifts by more than a few bits, unbounded creation of processes, reading hidden variables (they are no
//! part of a state, so the answer depends on the order of the search), references to processes that may have ended, and
//! `d_step`s that block half-way (it gives up).

mod claim;
mod control;
mod declare;
mod expr;
mod features;
mod labels;
mod message;
mod scope;
mod stmt;

use crate::ast::*;
use crate::rng::Rng;
use features::Features;
use scope::{Binding, Signature};
use stmt::Context;

/// A program in the making.
pub(crate) struct Gen {
    rng: Rng,
    features: Features,
    program: Program,
    globals: Vec<Binding>,
    locals: Vec<Binding>,
    /// Signatures of the parameters of type `chan`, by name (parameters have unique names).
    param_signatures: Vec<(String, Signature)>,
    /// Processes that the current one may run.
    callees: Vec<Process>,
    /// How many `run`s outside of `init` the program may still get.
    runs_left: u32,
    /// Statements the program may still get.
    budget: u32,
    /// For fresh names.
    serial: u32,
    /// Whether the current process has gotos.
    gotos: bool,
    /// How many of the locals are declared outside of the innermost braces.
    block_start: usize,
    /// In a claim there is no `_pid`, and `enabled` may be used.
    in_claim: bool,
    /// Number of processes that exist from the start.
    pids_at_start: usize,
    /// Processes the never claim may refer to.
    remote_targets: Vec<RemoteTarget>,
}

/// A process that never ends, with what a claim can say about it.
#[derive(Clone)]
struct RemoteTarget {
    process: String,
    pid: usize,
    labels: Vec<String>,
    variables: Vec<String>,
}

/// The program with this seed and index; always the same.
pub fn program(seed: u64, index: u64) -> Program {
    let mut rng = Rng::new(seed, index);
    let features = Features::draw(&mut rng);
    let budget = [8, 14, 20, 26][rng.weighted(&[25, 37, 28, 10])];
    let mut generator = Gen {
        rng,
        features,
        program: Program::default(),
        globals: Vec::new(),
        locals: Vec::new(),
        param_signatures: Vec::new(),
        callees: Vec::new(),
        runs_left: 2,
        budget,
        serial: 0,
        gotos: false,
        block_start: 0,
        in_claim: false,
        pids_at_start: 0,
        remote_targets: Vec::new(),
    };
    generator.make();
    generator.program
}

impl Gen {
    /// Everything, in the order of the text.
    fn make(&mut self) {
        self.declare_globals();
        self.make_inlines();
        self.make_processes();
        if self.features.never {
            self.program.never = Some(self.never_claim());
        }
        if self.features.trace {
            self.program.trace = self.event_trace();
        }
    }

    fn make_inlines(&mut self) {
        if !self.features.inlines {
            return;
        }
        for _ in 0..1 + self.rng.below(2) {
            let name = self.fresh("inl");
            let value = self.fresh("a");
            let target = self.fresh("w");
            let param = |name| Binding { itself: false, ..Binding::variable(Var::plain(name, Type::Byte)) };
            self.locals = vec![param(&target), Binding { writable: false, ..param(&value) }];
            let budget = std::mem::replace(&mut self.budget, 6);
            let callable = std::mem::take(&mut self.features.inlines);
            let count = 1 + self.rng.below(3);
            let mut body = self.body(Context { depth: 1, repeats: true, ..Context::default() }, count);
            self.features.inlines = callable;
            self.budget = budget;
            if self.rng.percent(70) {
                let change = self.value(1).guarded("&", 1);
                body.push(Stmt::Assign(Place::plain(&target), change));
            }
            self.program.inlines.push(Inline { name, params: vec![value, target], body });
        }
        self.locals.clear();
    }

    /// The processes, last first: each may run those that come after it.
    fn make_processes(&mut self) {
        let count = 1 + self.rng.weighted(&[15, 40, 30, 15]);
        let share = self.budget / count as u32 + 2;
        let mut processes = Vec::new();
        for number in (0..count).rev() {
            self.budget = share;
            let passive = (self.features.init || self.features.dynamic) && self.rng.percent(55);
            let passive = passive && (self.features.init || number > 0);
            let process = self.make_process(format!("P{number}"), passive);
            if passive {
                self.callees.push(process.clone());
            }
            processes.insert(0, process);
        }
        if self.features.init {
            let init = self.make_init();
            processes.push(init);
        }
        self.program.processes = processes;
        self.number_processes();
    }

    fn make_process(&mut self, name: String, passive: bool) -> Process {
        let active = if passive { None } else { Some([1, 1, 1, 2, 3][self.rng.weighted(&[30, 30, 20, 18, 2])]) };
        let params = if passive { self.params() } else { Vec::new() };
        let provided = (self.features.provided && self.rng.percent(50)).then(|| {
            self.locals.clear();
            self.condition(1)
        });
        self.locals = params.iter().map(|p| self.param_binding(p)).collect();
        let mut body: Body = self.declare_locals();
        self.gotos = self.rng.percent(50);
        let count = 3 + self.rng.below(4);
        body.extend(self.body(Context::default(), count));
        if self.features.remote || self.rng.percent(10) {
            let end = if self.rng.percent(70) { "endless" } else { "stuck" };
            let stop = Stmt::Expr(Expr::word("false"));
            body.push(Stmt::Labelled(end.to_owned(), Box::new(stop)));
        }
        let tied = labels::tie(&mut body, &mut self.rng);
        let priority = (self.features.priority && self.rng.percent(60)).then(|| self.rng.between(1, 4) as u8);
        if self.features.remote && active.is_some() {
            self.remote_targets.push(RemoteTarget {
                process: name.clone(),
                pid: 0,
                labels: tied,
                variables: top_level_variables(&body),
            });
        }
        Process { name, deterministic: self.rng.percent(3), active, params, priority, provided, body }
    }

    /// `init`, which starts the passive processes.
    fn make_init(&mut self) -> Process {
        self.locals.clear();
        let mut runs = Vec::new();
        for callee in self.callees.clone().iter().rev() {
            for _ in 0..1 + self.rng.weighted(&[75, 25]) {
                if let Some(run) = self.run_of(callee) {
                    runs.push(Stmt::Expr(run));
                }
            }
        }
        let mut body = Vec::new();
        if self.rng.percent(30) {
            body.extend(self.body(Context { depth: 2, ..Context::default() }, 1));
        }
        if runs.len() > 1 && self.rng.percent(60) {
            body.push(Stmt::Block(Bracket::Atomic, runs));
        } else {
            body.extend(runs);
        }
        self.gotos = false;
        if self.rng.percent(30) && !self.features.never {
            let alone = self.process_count().with("==", Expr::Num(1));
            body.push(Stmt::Expr(alone));
        }
        if self.rng.percent(40) || body.is_empty() {
            body.extend(self.body(Context { depth: 1, ..Context::default() }, 2));
        }
        labels::tie(&mut body, &mut self.rng);
        Process { body, ..Process::init() }
    }

    /// Finds out which process numbers there are at the start: active ones in order, then `init`.
    fn number_processes(&mut self) {
        let mut next = 0;
        for process in &self.program.processes {
            for target in self.remote_targets.iter_mut().filter(|t| t.process == process.name) {
                target.pid = next;
            }
            next += process.active.map_or(usize::from(process.name == "init"), usize::from);
        }
        self.pids_at_start = next;
    }

    /// What messages a parameter of type `chan` has.
    fn param_signature(&self, name: &str) -> Signature {
        let found = self.param_signatures.iter().find(|(param, _)| param == name);
        found.map_or_else(scope::reply_signature, |(_, signature)| signature.clone())
    }
}

/// Names of the scalars declared at the beginning of a process.
fn top_level_variables(body: &Body) -> Vec<String> {
    let declared = body.iter().map_while(|stmt| match stmt {
        Stmt::Declare(var) => Some(var),
        _ => None,
    });
    declared.filter(|v| v.ty.is_scalar() && v.len.is_none()).map(|v| v.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn same_seed_same_program() {
        for index in 0..50 {
            let text = super::program(3, index).to_string();
            assert_eq!(text, super::program(3, index).to_string());
        }
    }
}
