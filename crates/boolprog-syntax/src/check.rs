//! What the grammar cannot say: names are declared, numbers of values fit, labels exist. Called
//! between parsing and lowering, which relies on every one of these.

use std::collections::HashMap;

use selvedge_source::{Diagnostic, Diagnostics, Span, nearest};

use crate::ast::{Expr, ExprKind, Function, Name, Program, Stmt, StmtKind, walk};
use crate::codes;

/// Reports every mistake; whether there was none.
pub fn check(program: &Program, found: &mut Diagnostics) -> bool {
    let errors = |found: &Diagnostics| found.iter().filter(|d| d.severity == selvedge_source::Severity::Error).count();
    let before = errors(found);
    let mut checker = Checker { globals: HashMap::new(), functions: HashMap::new(), found };
    for variable in &program.globals {
        declare(&mut checker.globals, &variable.name, "variable", checker.found);
    }
    for function in &program.functions {
        if let Some(earlier) = checker.functions.insert(&function.name.text, function) {
            checker.found.push(declared_twice(&function.name, earlier.name.span, "function"));
        }
    }
    for function in &program.functions {
        checker.function(function);
    }
    errors(checker.found) == before
}

struct Checker<'a, 'd> {
    globals: HashMap<&'a str, Span>,
    functions: HashMap<&'a str, &'a Function>,
    found: &'d mut Diagnostics,
}

/// Names in the scope of a function.
struct Scope<'a> {
    function: &'a Function,
    locals: HashMap<&'a str, Span>,
    labels: HashMap<&'a str, Span>,
}

/// A variable of BoPP may be written with a `$` behind it on the left of an assignment.
pub fn undecorated(name: &str) -> Option<&str> {
    name.strip_suffix('$').filter(|rest| !rest.is_empty())
}

fn declare<'a>(names: &mut HashMap<&'a str, Span>, name: &'a Name, what: &str, found: &mut Diagnostics) {
    if let Some(earlier) = names.insert(&name.text, name.span) {
        found.push(declared_twice(name, earlier, what));
    }
}

fn declared_twice(name: &Name, earlier: Span, what: &str) -> Diagnostic {
    Diagnostic::error(codes::DECLARED_TWICE, name.span, format!("the {what} `{}` is declared twice", name.text))
        .also(earlier, "first here")
}

impl<'a> Checker<'a, '_> {
    fn function(&mut self, function: &'a Function) {
        let mut scope = Scope { function, locals: HashMap::new(), labels: HashMap::new() };
        let locals = function.locals.iter().map(|local| &local.name);
        for name in function.parameters.iter().chain(locals) {
            declare(&mut scope.locals, name, "variable", self.found);
            if let Some(global) = self.globals.get(name.text.as_str()) {
                let warning = Diagnostic::warning(
                    codes::SHADOWED,
                    name.span,
                    format!("the local `{}` hides the global of this name", name.text),
                );
                self.found.push(warning.also(*global, "the global"));
            }
        }
        walk(&function.body, &mut |statement| {
            for label in &statement.labels {
                declare(&mut scope.labels, label, "label", self.found);
            }
        });
        if let Some(condition) = &function.enforce {
            self.expression(condition, &scope, false);
        }
        walk(&function.body, &mut |statement| self.statement(statement, &scope));
    }

    fn statement(&mut self, statement: &Stmt, scope: &Scope<'_>) {
        match &statement.kind {
            StmtKind::Assign { targets, values, constrain } => {
                self.targets(targets, scope);
                self.expressions(values, scope);
                if let Some(condition) = constrain {
                    self.expression(condition, scope, true);
                }
                if targets.len() != values.len() {
                    let message = format!(
                        "{} cannot be assigned to {}",
                        count(values.len(), "value"),
                        count(targets.len(), "variable")
                    );
                    self.found.push(Diagnostic::error(codes::WRONG_COUNT, statement.span, message));
                }
            }
            StmtKind::Call { targets, callee, args } => {
                self.targets(targets, scope);
                if let Some(function) = self.call(callee, args, scope) {
                    self.results(statement.span, targets, function);
                }
            }
            StmtKind::Start { callee, args } => {
                self.call(callee, args, scope);
            }
            StmtKind::Return(values) => {
                self.expressions(values, scope);
                self.returned(statement, values.len(), scope.function);
            }
            StmtKind::Goto(labels) => labels.iter().for_each(|label| self.label(label, scope)),
            StmtKind::StartGoto(label) => self.label(label, scope),
            StmtKind::If { branches, .. } => {
                branches.iter().for_each(|branch| self.expression(&branch.condition, scope, false));
            }
            StmtKind::While { condition: e, .. } | StmtKind::Assert(e) | StmtKind::Assume(e) | StmtKind::AbortIf(e) => {
                self.expression(e, scope, false)
            }
            StmtKind::Constrain(e) => self.expression(e, scope, true),
            StmtKind::Print(values) => self.expressions(values, scope),
            StmtKind::Dead(names) => names.iter().for_each(|name| self.variable(&name.text, name.span, scope)),
            StmtKind::Skip
            | StmtKind::EndThread
            | StmtKind::AtomicBegin
            | StmtKind::AtomicEnd
            | StmtKind::Wait
            | StmtKind::Broadcast => {}
        }
    }

    fn targets(&mut self, targets: &[Option<Name>], scope: &Scope<'_>) {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for name in targets.iter().flatten() {
            self.variable(&name.text, name.span, scope);
            let plain = undecorated(&name.text).unwrap_or(&name.text);
            if let Some(earlier) = seen.insert(plain, name.span) {
                let message = format!("`{plain}` is assigned twice in one step");
                self.found
                    .push(Diagnostic::error(codes::ASSIGNED_TWICE, name.span, message).also(earlier, "first here"));
            }
        }
    }

    fn call(&mut self, callee: &Name, args: &[Expr], scope: &Scope<'_>) -> Option<&'a Function> {
        self.expressions(args, scope);
        let Some(function) = self.functions.get(callee.text.as_str()).copied() else {
            let message = format!("there is no function `{}`", callee.text);
            let near = nearest(&callee.text, self.functions.keys().copied());
            self.found.push(with_proposal(Diagnostic::error(codes::UNKNOWN_FUNCTION, callee.span, message), near));
            return None;
        };
        if function.parameters.len() != args.len() {
            let message = format!(
                "`{}` has {}, but {} given",
                callee.text,
                count(function.parameters.len(), "parameter"),
                count_are(args.len(), "argument")
            );
            self.found.push(
                Diagnostic::error(codes::WRONG_COUNT, callee.span, message).also(function.name.span, "declared here"),
            );
        }
        Some(function)
    }

    fn results(&mut self, span: Span, targets: &[Option<Name>], function: &Function) {
        if targets.is_empty() && function.results > 0 {
            let message = format!("the call drops {} of `{}`", count(function.results, "result"), function.name.text);
            let warning = Diagnostic::warning(codes::UNUSED_RESULT, span, message);
            self.found.push(warning.help("write `_ := …` to drop a result on purpose"));
        } else if targets.len() != function.results {
            let message = format!(
                "`{}` returns {}, but {} assigned",
                function.name.text,
                count(function.results, "value"),
                count_are(targets.len(), "variable")
            );
            self.found
                .push(Diagnostic::error(codes::WRONG_COUNT, span, message).also(function.name.span, "declared here"));
        }
    }

    fn returned(&mut self, statement: &Stmt, values: usize, function: &Function) {
        if values != function.results {
            let message = format!(
                "`{}` returns {}, but {} given",
                function.name.text,
                count(function.results, "value"),
                count_are(values, "value")
            );
            self.found.push(
                Diagnostic::error(codes::WRONG_COUNT, statement.span, message)
                    .also(function.name.span, "declared here"),
            );
        }
    }

    fn label(&mut self, label: &Name, scope: &Scope<'_>) {
        if !scope.labels.contains_key(label.text.as_str()) {
            let message = format!("`{}` has no label `{}`", scope.function.name.text, label.text);
            let near = nearest(&label.text, scope.labels.keys().copied());
            self.found.push(with_proposal(Diagnostic::error(codes::UNKNOWN_LABEL, label.span, message), near));
        }
    }

    fn expressions(&mut self, list: &[Expr], scope: &Scope<'_>) {
        list.iter().for_each(|expr| self.expression(expr, scope, false));
    }

    fn expression(&mut self, expr: &Expr, scope: &Scope<'_>, may_be_primed: bool) {
        match &expr.kind {
            ExprKind::Var(name) => self.variable(name, expr.span, scope),
            ExprKind::Next(name) => {
                self.variable(name, expr.span, scope);
                if !may_be_primed {
                    let message = format!("`'{name}` is the value after a step, but no step is described here");
                    let error = Diagnostic::error(codes::PRIMED, expr.span, message);
                    self.found.push(error.note("primed variables are only allowed in `constrain`"));
                }
            }
            _ => expr.children().for_each(|child| self.expression(child, scope, may_be_primed)),
        }
    }

    fn variable(&mut self, name: &str, span: Span, scope: &Scope<'_>) {
        let known = |name: &str| scope.locals.contains_key(name) || self.globals.contains_key(name);
        if known(name) || undecorated(name).is_some_and(known) {
            return;
        }
        let names = scope.locals.keys().chain(self.globals.keys()).copied();
        let error = Diagnostic::error(codes::UNKNOWN_VARIABLE, span, format!("there is no variable `{name}` here"));
        let near = nearest(name, names);
        self.found.push(with_proposal(error, near));
    }
}

fn with_proposal(error: Diagnostic, near: Option<String>) -> Diagnostic {
    match near {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error,
    }
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn count_are(number: usize, noun: &str) -> String {
    format!("{} {}", count(number, noun), if number == 1 { "is" } else { "are" })
}
