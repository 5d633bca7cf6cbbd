//! Random concurrent Boolean programs, for tests of the interpreter and of engines. The same seed and
//! shape give the same program everywhere. Every program passes the checks.

mod unusual;

use crate::ast::{
    BinOp, Branch, Expr, ExprKind, Function, Initializer, NOWHERE, Name, Program, Stmt, StmtKind, Variable,
};
use crate::dialect::Dialect;

/// What programs to make.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads, at least.
    pub least_threads: u32,
    /// Threads, at most.
    pub most_threads: u32,
    /// Globals, at most (and at least one).
    pub globals: u32,
    /// Locals of a function, at most.
    pub locals: u32,
    /// Procedures that can be called, at most.
    pub procedures: u32,
    /// Statements of a block, at most.
    pub statements: u32,
    /// Statements inside each other, at most.
    pub nesting: u32,
    /// Procedures may call themselves and each other; otherwise only later ones.
    pub recursion: bool,
    /// Assertions and error labels.
    pub errors: bool,
    /// Atomic sections.
    pub atomic: bool,
    /// Getafix's variable `atomic`, mostly false at the start: no switch is possible while it is true.
    pub atomic_variable: bool,
    /// `constrain`, `enforce`, `dead`, `abortif`, initial values of locals, `init`.
    pub extras: bool,
    /// Every construct in every position, however unusual.
    pub everything: bool,
    /// The only thread is `main`, and others are created: procedures run as threads.
    pub creates: bool,
    /// Few variables have a value at the start, and threads wait for them.
    pub waits: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            least_threads: 2,
            most_threads: 3,
            globals: 3,
            locals: 1,
            procedures: 2,
            statements: 3,
            nesting: 2,
            recursion: false,
            errors: false,
            atomic: true,
            atomic_variable: false,
            extras: true,
            everything: false,
            creates: false,
            waits: false,
        }
    }
}

/// Random choices in the numbers of a [`Shape`].
struct Chance(selvedge_core::Chance);

impl Chance {
    fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit as usize) as u32
    }

    /// True in `percent` of a hundred cases.
    fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// Getafix's variable; it is the first one.
const ATOMIC: &str = "atomic";

/// A random program.
pub fn generate(seed: u64, shape: &Shape) -> Program {
    let mut chance = Chance(selvedge_core::Chance::new(seed));
    let globals = 1 + chance.below(shape.globals.max(1));
    let procedures = chance.below(shape.procedures + 1);
    let threads = shape.least_threads + chance.below(shape.most_threads - shape.least_threads + 1);
    let signatures: Vec<(u32, u32)> = (0..procedures).map(|_| (chance.below(2), chance.below(3).min(2))).collect();
    let mut generator =
        Generator { chance, shape: *shape, globals, signatures, scope: Vec::new(), labels: 0, jumps: false };
    let mut functions = Vec::new();
    if shape.extras && !shape.creates && generator.chance.percent(15) {
        let callable = if shape.everything { 0 } else { procedures };
        functions.push(generator.function("init".to_owned(), 0, 0, callable));
    }
    for index in 0..procedures {
        let (parameters, results) = generator.signatures[index as usize];
        let from = if shape.recursion { 0 } else { index + 1 };
        functions.push(generator.function(format!("p{index}"), parameters, results, from));
    }
    for index in 0..threads {
        let name = if threads == 1 { "main".to_owned() } else { format!("thread{}", index + 1) };
        functions.push(generator.function(name, 0, 0, 0));
    }
    let flag = shape
        .atomic_variable
        .then(|| Variable { name: Name::made(ATOMIC.to_owned()), initial: generator.flag_at_start() });
    let globals = (0..globals).map(|index| generator.variable(format!("g{index}"), 70));
    let globals = flag.into_iter().chain(globals).collect();
    Program { dialect: Dialect::Getafix, globals, functions }
}

struct Generator {
    chance: Chance,
    shape: Shape,
    globals: u32,
    /// Parameters and results of the procedures.
    signatures: Vec<(u32, u32)>,
    /// Names of the locals of the function being made.
    scope: Vec<String>,
    labels: u32,
    /// The function has unusual jumps, which need a place to land.
    jumps: bool,
}

impl Generator {
    fn variable(&mut self, name: String, initialised: u32) -> Variable {
        let initialised = if self.shape.waits { initialised / 4 } else { initialised };
        let initial = self.chance.percent(initialised).then(|| Initializer::Value(self.chance.percent(30)));
        Variable { name: Name::made(name), initial }
    }

    fn flag_at_start(&mut self) -> Option<Initializer> {
        match self.chance.below(10) {
            0 => None,
            1 => Some(Initializer::Value(true)),
            _ => Some(Initializer::Value(false)),
        }
    }

    /// A function that may call the procedures from number `callable` on.
    fn function(&mut self, name: String, parameters: u32, results: u32, callable: u32) -> Function {
        let parameters: Vec<String> = (0..parameters).map(|index| format!("a{index}")).collect();
        let locals = self.chance.below(self.shape.locals + 1);
        let values = if self.shape.extras { 30 } else { 0 };
        let locals: Vec<Variable> = (0..locals).map(|index| self.variable(format!("x{index}"), values)).collect();
        self.scope = parameters.iter().cloned().chain(locals.iter().map(|local| local.name.text.clone())).collect();
        self.labels = 0;
        let enforces = self.shape.extras && self.chance.percent(4);
        let enforce = enforces.then(|| if self.shape.everything { self.any(2) } else { self.expr(2, false) });
        let place = Spot { nesting: 0, atomic: false, callable, results };
        self.jumps = false;
        let mut body = self.block(place);
        self.add_jumps(&mut body);
        if self.jumps {
            body.extend(self.landing());
        }
        if results > 0 {
            body.push(Stmt::made(StmtKind::Return((0..results).map(|_| self.expr(1, true)).collect())));
        }
        let parameters = parameters.into_iter().map(Name::made).collect();
        let results = results as usize;
        Function { results, name: Name::made(name), parameters, locals, enforce, body, end: NOWHERE }
    }

    fn block(&mut self, spot: Spot) -> Vec<Stmt> {
        let count = 1 + self.chance.below(self.shape.statements);
        let mut list = Vec::new();
        for _ in 0..count {
            self.statement(spot, &mut list);
        }
        list
    }

    fn statement(&mut self, spot: Spot, list: &mut Vec<Stmt>) {
        let deeper = Spot { nesting: spot.nesting + 1, ..spot };
        let may_nest = spot.nesting < self.shape.nesting;
        if self.shape.everything && self.chance.percent(40) {
            return self.unusual(spot, list);
        }
        if self.shape.creates && self.can_call(spot) && self.chance.percent(20) {
            return list.push(Stmt::made(self.start(spot)));
        }
        if self.shape.atomic_variable && self.chance.percent(15) {
            return self.flagged(deeper, may_nest, list);
        }
        if self.shape.waits && self.chance.percent(35) {
            return self.wait(spot, list);
        }
        let kind = match self.chance.below(20) {
            0..=5 => self.assignment(),
            6 | 7 if self.can_call(spot) => self.call(spot),
            8 | 9 => StmtKind::Assume(self.expr(2, true)),
            10 | 11 if may_nest => {
                let mut branches = vec![self.branch(deeper)];
                if self.chance.percent(20) {
                    branches.push(self.branch(deeper));
                }
                let otherwise = self.chance.percent(40).then(|| self.block(deeper));
                StmtKind::If { branches, otherwise }
            }
            12 if may_nest => StmtKind::While { condition: self.condition(), body: self.block(deeper) },
            13 | 14 if may_nest && self.shape.atomic && !spot.atomic => {
                list.push(Stmt::made(StmtKind::AtomicBegin));
                list.extend(self.block(Spot { atomic: true, ..deeper }));
                StmtKind::AtomicEnd
            }
            15 | 16 if self.shape.errors => StmtKind::Assert(self.expr(2, false)),
            17 if self.shape.extras => self.extra(),
            18 if !spot.atomic && spot.nesting > 0 => {
                StmtKind::Return((0..spot.results).map(|_| self.expr(1, true)).collect())
            }
            _ => self.assignment(),
        };
        list.push(Stmt::made(kind));
    }

    /// A section in which `atomic` is true, or one of its borders alone.
    fn flagged(&mut self, inside: Spot, whole: bool, list: &mut Vec<Stmt>) {
        let set = |value| {
            let (target, value) = (Name::made(ATOMIC.to_owned()), Expr::made(ExprKind::Const(value)));
            Stmt::made(StmtKind::Assign { targets: vec![Some(target)], values: vec![value], constrain: None })
        };
        if !whole || self.chance.percent(30) {
            return list.push(set(self.chance.percent(40)));
        }
        list.push(set(true));
        list.extend(self.block(inside));
        list.push(set(false));
    }

    /// Waits for a variable, sometimes with a section that begins so.
    fn wait(&mut self, spot: Spot, list: &mut Vec<Stmt>) {
        let condition = self.expr(self.shape.nesting.min(1), false);
        let waits = Stmt::made(StmtKind::Assume(condition));
        if !self.shape.atomic || spot.atomic || self.chance.percent(70) {
            return list.push(waits);
        }
        list.extend([Stmt::made(StmtKind::AtomicBegin), waits, Stmt::made(self.assignment())]);
        list.push(Stmt::made(StmtKind::AtomicEnd));
    }

    fn branch(&mut self, spot: Spot) -> Branch {
        Branch { condition: self.condition(), span: NOWHERE, body: self.block(spot) }
    }

    fn condition(&mut self) -> Expr {
        if self.chance.percent(25) { Expr::made(ExprKind::Star) } else { self.expr(2, true) }
    }

    /// Labels on some statements of a body, and jumps to them; none lie inside atomic sections.
    fn add_jumps(&mut self, body: &mut Vec<Stmt>) {
        let open = |body: &[Stmt], index: usize| {
            let count = |wanted: StmtKind| body[..index].iter().filter(|s| s.kind == wanted).count();
            count(StmtKind::AtomicBegin) > count(StmtKind::AtomicEnd)
        };
        if !self.chance.percent(30) || body.is_empty() {
            return;
        }
        let free: Vec<usize> = (0..body.len()).filter(|index| !open(body, *index)).collect();
        let mut targets = Vec::new();
        for _ in 0..1 + self.chance.below(2) {
            let index = free[self.chance.below(free.len() as u32) as usize];
            let error = self.shape.errors && self.chance.percent(10);
            let label = if error && self.labels == 0 { "ERROR".to_owned() } else { format!("L{}", self.labels) };
            self.labels += 1;
            body[index].labels.push(Name::made(label.clone()));
            targets.push(Name::made(label));
        }
        let at = free[self.chance.below(free.len() as u32) as usize];
        body.insert(at, Stmt::made(StmtKind::Goto(targets)));
        if self.chance.percent(50) {
            // Otherwise whatever follows the jump may be dead.
            let skipped = Branch { condition: self.condition(), span: NOWHERE, body: vec![body.remove(at)] };
            body.insert(at, Stmt::made(StmtKind::If { branches: vec![skipped], otherwise: None }));
        }
    }

    fn can_call(&self, spot: Spot) -> bool {
        (spot.callable as usize) < self.signatures.len()
    }

    fn call(&mut self, spot: Spot) -> StmtKind {
        let (callee, args, results) = self.callee(spot);
        StmtKind::Call { targets: self.targets(results), callee, args }
    }

    /// A thread that runs a procedure.
    fn start(&mut self, spot: Spot) -> StmtKind {
        let (callee, args, _) = self.callee(spot);
        StmtKind::Start { callee, args }
    }

    /// A procedure that may be called, arguments for it, and how many results it has.
    fn callee(&mut self, spot: Spot) -> (Name, Vec<Expr>, u32) {
        let count = self.signatures.len() as u32 - spot.callable;
        let index = spot.callable + self.chance.below(count);
        let (parameters, results) = self.signatures[index as usize];
        let args = (0..parameters).map(|_| self.expr(1, true)).collect();
        (Name::made(format!("p{index}")), args, results)
    }

    /// Different variables, or nothing.
    fn targets(&mut self, count: u32) -> Vec<Option<Name>> {
        let mut targets: Vec<Option<Name>> = Vec::new();
        for _ in 0..count {
            let name = Name::made(self.name());
            let taken = targets.contains(&Some(name.clone()));
            targets.push((!taken && self.chance.percent(80)).then_some(name));
        }
        targets
    }

    fn assignment(&mut self) -> StmtKind {
        let count = 1 + self.chance.below(2);
        let targets = self.targets(count);
        let values = targets.iter().map(|_| self.value()).collect();
        let constrain = (self.shape.extras && self.chance.percent(10)).then(|| self.relation(2));
        StmtKind::Assign { targets, values, constrain }
    }

    fn value(&mut self) -> Expr {
        match self.chance.below(8) {
            0 => Expr::made(ExprKind::Star),
            1 => {
                let (a, b) = (self.condition_of_schoose(), self.condition_of_schoose());
                Expr::made(ExprKind::Schoose(Box::new(a), Box::new(b)))
            }
            _ => self.expr(2, true),
        }
    }

    /// Each of the two is a constant as often as not.
    fn condition_of_schoose(&mut self) -> Expr {
        if self.chance.percent(50) {
            return Expr::made(ExprKind::Const(self.chance.percent(40)));
        }
        self.expr(1, false)
    }

    fn extra(&mut self) -> StmtKind {
        match self.chance.below(5) {
            0 => StmtKind::Constrain(self.relation(3)),
            1 => StmtKind::Dead(vec![Name::made(self.name())]),
            2 => StmtKind::AbortIf(self.expr(2, false)),
            3 => StmtKind::Print(vec![self.expr(1, false)]),
            _ => StmtKind::Skip,
        }
    }

    fn name(&mut self) -> String {
        if self.shape.atomic_variable && self.chance.percent(6) {
            return ATOMIC.to_owned();
        }
        let index = self.chance.below(self.globals + self.scope.len() as u32);
        match index.checked_sub(self.globals) {
            None => format!("g{index}"),
            Some(local) => self.scope[local as usize].clone(),
        }
    }

    fn expr(&mut self, depth: u32, stars: bool) -> Expr {
        self.tree(depth, stars, false)
    }

    /// An expression that may speak of values after the step.
    fn relation(&mut self, depth: u32) -> Expr {
        self.tree(depth, false, true)
    }

    fn tree(&mut self, depth: u32, stars: bool, primed: bool) -> Expr {
        let leaf = depth == 0 || self.chance.percent(35);
        let kind = if leaf {
            match self.chance.below(12) {
                0 => ExprKind::Const(self.chance.percent(50)),
                1 if stars => ExprKind::Star,
                2..=5 if primed => ExprKind::Next(self.name()),
                _ => ExprKind::Var(self.name()),
            }
        } else {
            let inner = |generator: &mut Self| Box::new(generator.tree(depth - 1, stars, primed));
            match self.chance.below(8) {
                0 | 1 => ExprKind::Not(inner(self)),
                2 => ExprKind::If(inner(self), inner(self), inner(self)),
                op => {
                    let op = [BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Eq, BinOp::Ne, BinOp::Implies]
                        [(op as usize + self.chance.below(2) as usize) % 6];
                    ExprKind::Binary(op, inner(self), inner(self))
                }
            }
        };
        Expr::made(kind)
    }
}

/// Where a statement is being made.
#[derive(Clone, Copy)]
struct Spot {
    nesting: u32,
    atomic: bool,
    callable: u32,
    results: u32,
}
