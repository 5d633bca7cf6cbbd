//! Constructs that the parser accepts and that have no meaning of their own in Spin 6.5.2: it rejects them, warns and
//! continues, or what they mean depends on how its verifier happens to be written. They are refused here, before
//! anything is lowered.

use selvedge_promela_syntax::ast::{self, Expr, ExprKind, Ident, Item, Sequence, Stmt, StmtKind};
use selvedge_promela_syntax::walk::{Visitor, walk_expr, walk_sequence, walk_stmt};
use selvedge_source::{Diagnostic, Diagnostics};

use super::codes;

/// Checks the processes, and the claim in force. `acceptance`: acceptance labels of processes are looked at.
pub(crate) fn check(model: &ast::Model, claim: Option<&ast::Claim>, acceptance: bool, found: &mut Diagnostics) {
    for item in &model.items {
        let Item::Process(process) = item else { continue };
        if let Some(provided) = &process.provided {
            no_run(provided, "a `provided` clause", found);
        }
        let mut visitor = InProcess { found, acceptance, atomic: false };
        process.provided.iter().for_each(|provided| visitor.expr(provided));
        walk_sequence(&mut visitor, &process.body);
    }
    if let Some(claim) = claim {
        walk_sequence(&mut InClaim { found, atomic: false, condition: false }, &claim.body);
        non_progress_with_else(&claim.body, found);
    }
}

/// Refuses `np_` in a formula, where its value would be needed in every state.
pub(crate) fn check_formula(formula: &ast::Ltl, found: &mut Diagnostics) {
    use ast::Ltl::{Always, And, Atom, Eventually, Iff, Implies, Next, Not, Or, Release, Until, WeakUntil};
    match formula {
        Atom(expr) => walk_expr_with(expr, &mut |e| {
            if matches!(e.kind, ExprKind::NonProgress) {
                found.push(non_progress(e));
            }
        }),
        Not(f) | Next(f) | Always(f) | Eventually(f) => check_formula(f, found),
        And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
            check_formula(a, found);
            check_formula(b, found);
        }
    }
}

/// What is refused in the body of a process.
struct InProcess<'d> {
    found: &'d mut Diagnostics,
    acceptance: bool,
    /// Inside `atomic` or `d_step`.
    atomic: bool,
}

impl Visitor for InProcess<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::ForRange { from, to, .. } => {
                [from, to].iter().for_each(|bound| no_run(bound, "the bounds of a `for`", self.found));
            }
            StmtKind::Select { from, to, .. } => {
                [from, to].iter().for_each(|bound| no_run(bound, "the bounds of a `select`", self.found));
            }
            _ => {}
        }
        if let StmtKind::Unless(main, _) = &stmt.kind
            && self.atomic
        {
            jump_before_unless(main, self.found);
        }
        if self.atomic && self.acceptance {
            invisible_labels(&stmt.labels, self.found);
        }
        let outside = self.atomic;
        self.atomic |= matches!(stmt.kind, StmtKind::Atomic(_) | StmtKind::DStep(_));
        walk_stmt(self, stmt);
        self.atomic = outside;
    }

    fn expr(&mut self, expr: &Expr) {
        match expr.kind {
            ExprKind::Enabled(_) => self.found.push(
                Diagnostic::error(codes::CLAIM_ONLY, expr.span, "`enabled` outside of a claim")
                    .label("only a claim or a formula can ask which processes are enabled")
                    .help("move the question into a `never` claim or an `ltl` formula"),
            ),
            ExprKind::NonProgress => self.found.push(non_progress(expr)),
            _ => {}
        }
        walk_expr(self, expr);
    }
}

/// What is refused in a claim.
struct InClaim<'d> {
    found: &'d mut Diagnostics,
    atomic: bool,
    /// The expression is a statement of its own.
    condition: bool,
}

impl Visitor for InClaim<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Decl(vars) = &stmt.kind {
            for var in vars {
                let text = format!("a claim declares the variable `{}`", var.name.name);
                self.found.push(
                    Diagnostic::error(codes::CLAIM_DECLARES, var.name.span, text)
                        .label("a claim has no variables of its own")
                        .help("declare it as a global variable, or use the claim's control states as its memory"),
                );
            }
        }
        if self.atomic {
            invisible_labels(&stmt.labels, self.found);
        }
        let outside = self.atomic;
        self.atomic |= matches!(stmt.kind, StmtKind::Atomic(_) | StmtKind::DStep(_));
        self.condition = matches!(stmt.kind, StmtKind::Expr(_));
        walk_stmt(self, stmt);
        self.atomic = outside;
    }

    fn expr(&mut self, expr: &Expr) {
        let condition = std::mem::take(&mut self.condition);
        if matches!(expr.kind, ExprKind::NonProgress) && !condition {
            self.found.push(non_progress(expr));
        }
        walk_expr(self, expr);
    }
}

/// A claim with `np_` as a condition is the one that a search for non-progress cycles uses. With an `else` beside it, it
/// would be about states that make progress, which Spin's verifier does not mark for claims.
fn non_progress_with_else(body: &Sequence, found: &mut Diagnostics) {
    struct Uses<'e> {
        otherwise: bool,
        non_progress: Option<&'e Expr>,
    }
    fn collect<'e>(sequence: &'e Sequence, uses: &mut Uses<'e>) {
        for stmt in &sequence.stmts {
            match &stmt.kind {
                StmtKind::Else => uses.otherwise = true,
                StmtKind::Expr(e) if matches!(e.kind, ExprKind::NonProgress) => uses.non_progress = Some(e),
                StmtKind::If(options) | StmtKind::Do(options) => options.iter().for_each(|o| collect(o, uses)),
                StmtKind::Atomic(inner) | StmtKind::DStep(inner) | StmtKind::Block(inner) => collect(inner, uses),
                StmtKind::InlineCall { body, .. } => collect(body, uses),
                _ => {}
            }
        }
    }
    let mut uses = Uses { otherwise: false, non_progress: None };
    collect(body, &mut uses);
    if let (true, Some(expr)) = (uses.otherwise, uses.non_progress) {
        found.push(non_progress(expr));
    }
}

fn non_progress(expr: &Expr) -> Diagnostic {
    Diagnostic::error(codes::MISPLACED_NON_PROGRESS, expr.span, "`np_` inside of an expression")
        .label("only as a condition of its own in a `never` claim without `else`")
        .help("search for non-progress cycles with `--non-progress`")
}

/// A jump has no step of its own to which the escape could belong; inside of an atomic sequence Spin's verifier then
/// stops in front of it.
fn jump_before_unless(main: &Stmt, found: &mut Diagnostics) {
    match &main.kind {
        StmtKind::Block(inner) if inner.stmts.len() == 1 => jump_before_unless(&inner.stmts[0], found),
        StmtKind::Goto(_) | StmtKind::Break => found.push(
            Diagnostic::error(codes::JUMP_BEFORE_UNLESS, main.span, "nothing but a jump in front of `unless`")
                .label("it takes no step that could be escaped from")
                .help("leave out the `unless`, or put a `skip` in front of the jump"),
        ),
        _ => {}
    }
}

fn invisible_labels(labels: &[Ident], found: &mut Diagnostics) {
    for label in labels.iter().filter(|label| label.name.starts_with("accept")) {
        let text = format!("acceptance label `{}` inside of an atomic sequence", label.name);
        found.push(
            Diagnostic::error(codes::INVISIBLE_LABEL, label.span, text)
                .label("no state is stored here")
                .help("put the label in front of the sequence, or end the sequence before it"),
        );
    }
}

/// Refuses `run` in an expression that is evaluated any number of times.
fn no_run(expr: &Expr, place: &str, found: &mut Diagnostics) {
    walk_expr_with(expr, &mut |e| {
        if matches!(e.kind, ExprKind::Run { .. }) {
            found.push(
                Diagnostic::error(codes::RUN_IN_EXPRESSION, e.span, format!("`run` in {place}"))
                    .label("evaluating it must not have side effects")
                    .help("run the process in a statement of its own and keep its pid in a variable"),
            );
        }
    });
}

/// Calls a function with an expression and all of its parts.
fn walk_expr_with(expr: &Expr, each: &mut dyn FnMut(&Expr)) {
    struct All<'f>(&'f mut dyn FnMut(&Expr));
    impl Visitor for All<'_> {
        fn expr(&mut self, expr: &Expr) {
            (self.0)(expr);
            walk_expr(self, expr);
        }
    }
    All(each).expr(expr);
}
