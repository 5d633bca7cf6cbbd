//! A syntax tree as text that every dialect reads the same way: nested operators are parenthesised,
//! except chains of one associative operator, which all dialects group to the left.

use crate::ast::{BinOp, Expr, ExprKind, Function, Initializer, Name, Program, Stmt, StmtKind, Variable};

/// A program.
pub fn program(program: &Program) -> String {
    let mut out = Printer::default();
    for variable in &program.globals {
        out.line(&format!("decl {};", declared(variable)));
    }
    for function in &program.functions {
        out.function(function);
    }
    out.text
}

/// An expression.
pub fn expression(expr: &Expr) -> String {
    let mut text = String::new();
    write_expr(expr, &mut text);
    text
}

#[derive(Default)]
struct Printer {
    text: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn function(&mut self, function: &Function) {
        let results = match function.results {
            0 => "void".to_owned(),
            1 => "bool".to_owned(),
            n => format!("bool<{n}>"),
        };
        let parameters: Vec<&str> = function.parameters.iter().map(|name| name.text.as_str()).collect();
        if !self.text.is_empty() {
            self.line("");
        }
        self.line(&format!("{results} {}({})", function.name.text, parameters.join(", ")));
        self.line("begin");
        self.indent += 1;
        for variable in &function.locals {
            self.line(&format!("decl {};", declared(variable)));
        }
        if let Some(condition) = &function.enforce {
            self.line(&format!("enforce {};", expression(condition)));
        }
        self.block(&function.body);
        self.indent -= 1;
        self.line("end");
    }

    fn block(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn inner(&mut self, statements: &[Stmt]) {
        self.indent += 1;
        self.block(statements);
        self.indent -= 1;
    }

    fn statement(&mut self, statement: &Stmt) {
        let labels: String = statement.labels.iter().map(|label| format!("{}: ", label.text)).collect();
        match &statement.kind {
            StmtKind::If { branches, otherwise } => {
                for (index, branch) in branches.iter().enumerate() {
                    let word = if index == 0 { format!("{labels}if") } else { "elsif".to_owned() };
                    self.line(&format!("{word} ({}) then", expression(&branch.condition)));
                    self.inner(&branch.body);
                }
                if let Some(body) = otherwise {
                    self.line("else");
                    self.inner(body);
                }
                self.line("fi");
            }
            StmtKind::While { condition, body } => {
                self.line(&format!("{labels}while ({}) do", expression(condition)));
                self.inner(body);
                self.line("od");
            }
            kind => self.line(&format!("{labels}{};", simple(kind))),
        }
    }
}

fn declared(variable: &Variable) -> String {
    let name = &variable.name.text;
    match variable.initial {
        None => name.clone(),
        Some(Initializer::Any) => format!("{name} := *"),
        Some(Initializer::Value(value)) => format!("{name} := {}", u8::from(value)),
    }
}

fn simple(kind: &StmtKind) -> String {
    match kind {
        StmtKind::Skip | StmtKind::If { .. } | StmtKind::While { .. } => "skip".to_owned(),
        StmtKind::Assign { targets, values, constrain } => {
            let condition = constrain.as_ref().map(|e| format!(" constrain {}", expression(e))).unwrap_or_default();
            format!("{} := {}{condition}", names_or_blank(targets), expressions(values))
        }
        StmtKind::Call { targets, callee, args } => {
            let left = if targets.is_empty() { String::new() } else { format!("{} := ", names_or_blank(targets)) };
            format!("{left}{}({})", callee.text, expressions(args))
        }
        StmtKind::Return(values) if values.is_empty() => "return".to_owned(),
        StmtKind::Return(values) => format!("return {}", expressions(values)),
        StmtKind::Goto(labels) => format!("goto {}", names(labels)),
        StmtKind::Assert(e) => format!("assert({})", expression(e)),
        StmtKind::Assume(e) => format!("assume({})", expression(e)),
        StmtKind::Constrain(e) => format!("constrain({})", expression(e)),
        StmtKind::Print(values) => format!("print({})", expressions(values)),
        StmtKind::AbortIf(e) => format!("abortif ({})", expression(e)),
        StmtKind::Dead(variables) => format!("dead {}", names(variables)),
        StmtKind::Start { callee, args } => format!("start_thread {}({})", callee.text, expressions(args)),
        StmtKind::StartGoto(label) => format!("start_thread goto {}", label.text),
        StmtKind::EndThread => "end_thread".to_owned(),
        StmtKind::AtomicBegin => "atomic_begin".to_owned(),
        StmtKind::AtomicEnd => "atomic_end".to_owned(),
        StmtKind::Wait => "wait".to_owned(),
        StmtKind::Broadcast => "broadcast".to_owned(),
    }
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(", ")
}

fn names_or_blank(targets: &[Option<Name>]) -> String {
    targets.iter().map(|name| name.as_ref().map_or("_", |name| &name.text)).collect::<Vec<_>>().join(", ")
}

fn expressions(list: &[Expr]) -> String {
    list.iter().map(expression).collect::<Vec<_>>().join(", ")
}

fn write_expr(expr: &Expr, out: &mut String) {
    match &expr.kind {
        ExprKind::Const(value) => out.push(if *value { 'T' } else { 'F' }),
        ExprKind::Var(name) => out.push_str(name),
        ExprKind::Next(name) => {
            out.push('\'');
            out.push_str(name);
        }
        ExprKind::Star => out.push('*'),
        ExprKind::Not(inner) => {
            out.push('!');
            write_inner(inner, out, is_compound(inner));
        }
        ExprKind::Binary(op, left, right) => {
            write_inner(left, out, is_compound(left) && !chains(*op, left));
            out.push_str(symbol(*op));
            write_inner(right, out, is_compound(right));
        }
        ExprKind::If(condition, then, otherwise) => {
            write_inner(condition, out, is_compound(condition));
            out.push_str(" ? ");
            write_inner(then, out, is_compound(then));
            out.push_str(" : ");
            write_inner(otherwise, out, is_compound(otherwise));
        }
        ExprKind::Schoose(first, second) => {
            out.push_str("schoose[");
            write_expr(first, out);
            out.push_str(", ");
            write_expr(second, out);
            out.push(']');
        }
    }
}

fn write_inner(expr: &Expr, out: &mut String, parenthesised: bool) {
    if parenthesised {
        out.push('(');
    }
    write_expr(expr, out);
    if parenthesised {
        out.push(')');
    }
}

fn is_compound(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary(..) | ExprKind::If(..))
}

/// Whether `left op …` needs no parentheses around `left`.
fn chains(op: BinOp, left: &Expr) -> bool {
    let associative = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
    associative && matches!(&left.kind, ExprKind::Binary(inner, ..) if *inner == op)
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::And => " & ",
        BinOp::Or => " | ",
        BinOp::Xor => " ^ ",
        BinOp::Eq => " = ",
        BinOp::Ne => " != ",
        BinOp::Implies => " => ",
    }
}
