//! A sequential Boolean program as C, for checkers of C programs: choices and assumptions are the functions
//! `__VERIFIER_nondet_bool` and `__VERIFIER_assume`, a failed assertion calls `reach_error`, as in the competition on software
//! verification. Results of functions travel in globals.

use std::fmt::Write;

use selvedge_boolprog_syntax::ast::{
    BinOp, Expr, ExprKind, Function, Initializer, Name, Program, Stmt, StmtKind, Variable,
};

const HEAD: &str = "\
#include <assert.h>

extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);

void reach_error(void) { assert(0); }

";

/// The program. Statements that only concurrent programs have do not occur in it.
pub fn program(program: &Program) -> String {
    let mut out = Printer { text: HEAD.to_owned(), indent: 0 };
    for global in &program.globals {
        out.line(&format!("_Bool {};", global.name.text));
    }
    for function in &program.functions {
        for result in 0..function.results {
            out.line(&format!("_Bool {};", given(&function.name, result)));
        }
        if function.name.text != "main" {
            out.line(&format!("{};", signature(function)));
        }
    }
    for function in &program.functions {
        out.function(function, &program.globals);
    }
    out.text
}

fn given(function: &Name, result: usize) -> String {
    format!("{}_gives_{result}", function.text)
}

fn signature(function: &Function) -> String {
    let parameters: Vec<String> = function.parameters.iter().map(|p| format!("_Bool {}", p.text)).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    format!("void {}({parameters})", function.name.text)
}

fn initial(variable: &Variable) -> &'static str {
    match variable.initial {
        Some(Initializer::Value(true)) => "1",
        Some(Initializer::Value(false)) => "0",
        Some(Initializer::Any) | None => "__VERIFIER_nondet_bool()",
    }
}

struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 4 * self.indent);
    }

    fn function(&mut self, function: &Function, globals: &[Variable]) {
        let is_main = function.name.text == "main";
        let head = if is_main { "int main(void)".to_owned() } else { signature(function) };
        self.line("");
        self.line(&format!("{head} {{"));
        self.indent += 1;
        for global in globals.iter().filter(|_| is_main) {
            self.line(&format!("{} = {};", global.name.text, initial(global)));
        }
        for local in &function.locals {
            self.line(&format!("_Bool {} = {};", local.name.text, initial(local)));
        }
        self.block(&function.body, function);
        if is_main {
            self.line("return 0;");
        }
        self.indent -= 1;
        self.line("}");
    }

    fn block(&mut self, statements: &[Stmt], function: &Function) {
        for statement in statements {
            for label in &statement.labels {
                self.line(&format!("{}: ;", label.text));
            }
            self.statement(&statement.kind, function);
        }
    }

    fn inner(&mut self, head: &str, statements: &[Stmt], function: &Function) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.block(statements, function);
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, kind: &StmtKind, function: &Function) {
        match kind {
            StmtKind::Assign { targets, values, constrain } => self.assign(targets, values, constrain.as_ref()),
            StmtKind::Call { targets, callee, args } => {
                let args: Vec<String> = args.iter().map(|e| expr(e, &|name| name.to_owned())).collect();
                self.line(&format!("{}({});", callee.text, args.join(", ")));
                for (result, target) in targets.iter().enumerate() {
                    if let Some(target) = target {
                        self.line(&format!("{} = {};", target.text, given(callee, result)));
                    }
                }
            }
            StmtKind::Return(values) => {
                for (result, value) in values.iter().enumerate() {
                    self.line(&format!("{} = {};", given(&function.name, result), plain(value)));
                }
                self.line(if function.name.text == "main" { "return 0;" } else { "return;" });
            }
            StmtKind::Goto(labels) => {
                let Some((last, others)) = labels.split_last() else { return };
                for label in others {
                    self.line(&format!("if (__VERIFIER_nondet_bool()) goto {};", label.text));
                }
                self.line(&format!("goto {};", last.text));
            }
            StmtKind::If { branches, otherwise } => {
                for (index, branch) in branches.iter().enumerate() {
                    let word = if index == 0 { "if" } else { "else if" };
                    self.inner(&format!("{word} ({})", plain(&branch.condition)), &branch.body, function);
                }
                if let Some(body) = otherwise {
                    self.inner("else", body, function);
                }
            }
            StmtKind::While { condition, body } => self.inner(&format!("while ({})", plain(condition)), body, function),
            StmtKind::Assert(e) => self.line(&format!("if (!{}) reach_error();", plain(e))),
            StmtKind::Assume(e) => self.line(&format!("__VERIFIER_assume({});", plain(e))),
            _ => {}
        }
    }

    /// All values are computed before one is stored.
    fn assign(&mut self, targets: &[Option<Name>], values: &[Expr], constrain: Option<&Expr>) {
        self.line("{");
        self.indent += 1;
        for (index, value) in values.iter().enumerate() {
            self.line(&format!("_Bool value_{index} = {};", plain(value)));
        }
        if let Some(condition) = constrain {
            let next = |name: &str| {
                let place = targets.iter().position(|target| target.as_ref().is_some_and(|t| t.text == name));
                place.map_or_else(|| name.to_owned(), |place| format!("value_{place}"))
            };
            self.line(&format!("__VERIFIER_assume({});", expr(condition, &next)));
        }
        for (index, target) in targets.iter().enumerate() {
            if let Some(target) = target {
                self.line(&format!("{} = value_{index};", target.text));
            }
        }
        self.indent -= 1;
        self.line("}");
    }
}

fn plain(e: &Expr) -> String {
    expr(e, &|name| name.to_owned())
}

fn expr(e: &Expr, next: &dyn Fn(&str) -> String) -> String {
    let sub = |e: &Expr| expr(e, next);
    match &e.kind {
        ExprKind::Const(value) => u8::from(*value).to_string(),
        ExprKind::Var(name) => name.clone(),
        ExprKind::Next(name) => next(name),
        ExprKind::Star => "__VERIFIER_nondet_bool()".to_owned(),
        ExprKind::Not(inner) => format!("(!{})", sub(inner)),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (sub(left), sub(right));
            // Without short cuts: both sides are evaluated, as in the program.
            match op {
                BinOp::And => format!("({left} & {right})"),
                BinOp::Or => format!("({left} | {right})"),
                BinOp::Xor | BinOp::Ne => format!("({left} != {right})"),
                BinOp::Eq => format!("({left} == {right})"),
                BinOp::Implies => format!("(!{left} | {right})"),
            }
        }
        ExprKind::If(condition, then, other) => format!("({} ? {} : {})", sub(condition), sub(then), sub(other)),
        ExprKind::Schoose(yes, no) => format!("({} | (__VERIFIER_nondet_bool() & !{}))", sub(yes), sub(no)),
    }
}
