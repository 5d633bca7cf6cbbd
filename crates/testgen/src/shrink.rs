//! Making a program smaller, one edit at a time.
//!
//! [`edit`] enumerates all single edits of a program, coarse ones first. Whether an edited program is still valid is not
//! decided here: the caller refuses those that are not, and the search continues.

use crate::ast::*;

/// The program after its `number`th edit; `None` if it has no more.
pub(crate) fn edit(program: &Program, number: usize) -> Option<Program> {
    let mut edited = program.clone();
    let mut edits = Edits { left: number, done: false };
    edits.program(&mut edited);
    edits.done.then_some(edited)
}

/// The smallest program to which single edits lead while `still_bad` holds, within `attempts` questions.
pub fn shrink(program: Program, attempts: usize, mut still_bad: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program;
    let (mut number, mut failures_in_a_row, mut asked) = (0, 0, 0);
    while asked < attempts {
        let Some(candidate) = edit(&smallest, number) else {
            if failures_in_a_row >= number {
                break;
            }
            number = 0;
            continue;
        };
        asked += 1;
        if candidate != smallest && still_bad(&candidate) {
            smallest = candidate;
            failures_in_a_row = 0;
        } else {
            number += 1;
            failures_in_a_row += 1;
        }
    }
    smallest
}

/// A walk through a program that counts down to the edit to be made.
struct Edits {
    left: usize,
    done: bool,
}

impl Edits {
    /// Whether the edit at this point of the walk is the one.
    fn now(&mut self) -> bool {
        if self.done {
            return false;
        }
        if self.left == 0 {
            self.done = true;
            return true;
        }
        self.left -= 1;
        false
    }

    fn program(&mut self, program: &mut Program) {
        self.remove_one(&mut program.processes);
        self.forget(&mut program.never);
        self.forget(&mut program.trace);
        self.forget(&mut program.formula);
        for process in &mut program.processes {
            self.process_head(process);
        }
        for process in &mut program.processes {
            self.body(&mut process.body);
        }
        for body in program.never.iter_mut().chain(program.trace.iter_mut().map(|t| &mut t.body)) {
            self.body(body);
        }
        for inline in &mut program.inlines {
            self.body(&mut inline.body);
        }
        self.remove_one(&mut program.inlines);
        self.remove_one(&mut program.macros);
        self.remove_one(&mut program.globals);
        self.remove_one(&mut program.declarations);
        self.remove_one(&mut program.typedefs);
        self.remove_one(&mut program.mtypes);
        for typedef in &mut program.typedefs {
            self.remove_one(&mut typedef.fields);
        }
        for var in &mut program.globals {
            self.var(var);
        }
    }

    fn process_head(&mut self, process: &mut Process) {
        if process.deterministic && self.now() {
            process.deterministic = false;
        }
        if process.active.is_some_and(|n| n > 1) && self.now() {
            process.active = Some(1);
        }
        self.forget(&mut process.priority);
        self.forget(&mut process.provided);
        if let Some(provided) = &mut process.provided {
            self.expr(provided);
        }
    }

    fn remove_one<T>(&mut self, items: &mut Vec<T>) {
        for at in 0..items.len() {
            if self.now() {
                items.remove(at);
                return;
            }
        }
    }

    fn forget<T>(&mut self, item: &mut Option<T>) {
        if item.is_some() && self.now() {
            *item = None;
        }
    }

    fn var(&mut self, var: &mut Var) {
        if !var.prefix.is_empty() && self.now() {
            var.prefix = "";
        }
        // Not from wider types: pan has trouble with variables too narrow for what they receive.
        if matches!(var.ty, Type::Bit | Type::Bool | Type::Unsigned(_)) && self.now() {
            var.ty = Type::Byte;
        }
        match &mut var.init {
            Init::Value(_) | Init::List(_) if self.now() => var.init = Init::None,
            Init::Value(value) => self.expr(value),
            Init::Channel(capacity, _) if *capacity > 1 && self.now() => *capacity = 1,
            _ => {}
        }
    }

    fn body(&mut self, body: &mut Body) {
        self.remove_one(body);
        for at in 0..body.len() {
            for replacement in simpler(&body[at]) {
                if self.now() {
                    body.splice(at..=at, replacement);
                    return;
                }
            }
        }
        for stmt in body {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Word(_) | Stmt::Goto(_) | Stmt::Text(_) => {}
            Stmt::Expr(e) | Stmt::Assert(e) | Stmt::Print(e) => self.expr(e),
            Stmt::Assign(place, e) => {
                self.place(place);
                self.expr(e);
            }
            Stmt::Count(place, _) => self.place(place),
            Stmt::Labelled(_, inner) => self.stmt(inner),
            Stmt::Choice(_, options) => {
                self.remove_one(options);
                options.iter_mut().for_each(|option| self.body(option));
            }
            Stmt::Block(_, body) | Stmt::ForIn(_, _, body) => self.body(body),
            Stmt::Unless(main, escape) => {
                self.body(main);
                self.body(escape);
            }
            Stmt::For(_, from, to, body) => {
                self.expr(from);
                self.expr(to);
                self.body(body);
            }
            Stmt::Select(_, from, to) => {
                if to > from && self.now() {
                    *to -= 1;
                }
            }
            Stmt::Send { sorted, args, .. } => {
                if *sorted && self.now() {
                    *sorted = false;
                }
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
            Stmt::Receive { random, peek, args, .. } => {
                for flag in [random, peek] {
                    if *flag && self.now() {
                        *flag = false;
                    }
                }
                args.iter_mut().for_each(|arg| self.arg(arg));
            }
            Stmt::Inline(_, args) => args.iter_mut().for_each(|arg| self.expr(arg)),
            Stmt::Declare(var) => self.var(var),
        }
    }

    fn arg(&mut self, arg: &mut Arg) {
        if !matches!(arg, Arg::Any) && self.now() {
            *arg = Arg::Any;
        }
        match arg {
            Arg::Any => {}
            Arg::Match(e) | Arg::Eval(e) => self.expr(e),
            Arg::Into(place) => self.place(place),
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let Some(index) = &mut place.index {
            self.expr(index);
        }
        if let Some(field) = &mut place.field {
            self.place(field);
        }
    }

    fn expr(&mut self, e: &mut Expr) {
        for replacement in simpler_values(e) {
            if self.now() {
                *e = replacement;
                return;
            }
        }
        match e {
            Expr::Num(_) | Expr::Word(_) | Expr::Test(..) => {}
            Expr::Read(place) => self.place(place),
            Expr::Unary(_, a) | Expr::Guarded(_, a, _) => self.expr(a),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Choose(a, b, c) => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            Expr::Poll(_, _, args) => args.iter_mut().for_each(|arg| self.arg(arg)),
            Expr::Call(_, args) => args.iter_mut().for_each(|arg| self.expr(arg)),
            Expr::Remote(..) => {}
            Expr::Run(_, args, priority) => {
                self.forget(priority);
                args.iter_mut().for_each(|arg| self.expr(arg));
            }
        }
    }
}

/// What a statement can be replaced by.
fn simpler(stmt: &Stmt) -> Vec<Body> {
    match stmt {
        Stmt::Word("skip") => vec![],
        Stmt::Labelled(_, inner) => vec![vec![(**inner).clone()]],
        Stmt::Choice(repeat, options) => {
            let mut all: Vec<Body> = options.clone();
            if *repeat {
                all.push(vec![Stmt::Choice(false, options.clone())]);
            }
            all
        }
        Stmt::Block(Bracket::DStep, body) => {
            vec![body.clone(), vec![Stmt::Block(Bracket::Atomic, body.clone())]]
        }
        Stmt::Block(_, body) | Stmt::For(_, _, _, body) | Stmt::ForIn(_, _, body) => vec![body.clone()],
        Stmt::Unless(main, escape) => vec![main.clone(), escape.clone()],
        Stmt::Declare(_) => vec![],
        _ => vec![vec![Stmt::Word("skip")]],
    }
}

/// What an expression can be replaced by: its parts, then 0 and 1.
fn simpler_values(e: &Expr) -> Vec<Expr> {
    let mut all: Vec<Expr> = match e {
        Expr::Unary(_, a) | Expr::Guarded(_, a, _) => vec![(**a).clone()],
        Expr::Binary(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Choose(a, b, c) => vec![(**a).clone(), (**b).clone(), (**c).clone()],
        Expr::Num(0) | Expr::Run(..) => return vec![],
        Expr::Num(1) => return vec![Expr::Num(0)],
        _ => vec![],
    };
    all.extend([Expr::Num(0), Expr::Num(1)]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn finds_the_statement_that_matters() {
        let bad = |p: &Program| p.to_string().contains("assert(");
        let programs = (0..40).map(|index| generate::program(1, index));
        for program in programs.filter(bad) {
            let small = shrink(program, 5000, bad).to_string();
            let lines = small.lines().filter(|l| !l.trim().is_empty()).count();
            assert!(bad(&shrink(generate::program(1, 0), 0, bad)) || lines < 12, "{small}");
        }
    }

    #[test]
    fn edits_come_to_an_end() {
        let program = generate::program(1, 1);
        let edits = (0..).take_while(|n| edit(&program, *n).is_some()).count();
        assert!(edits > 10 && edits < 10_000);
    }
}
