//! Programs as Promela text.

use crate::ast::*;
use std::fmt::{self, Display, Formatter, Write};

/// Anything with a separator between its elements.
fn list<T: Display>(items: &[T], separator: &str) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Type::Bit => "bit",
            Type::Bool => "bool",
            Type::Byte => "byte",
            Type::Short => "short",
            Type::Int => "int",
            Type::Unsigned(_) => "unsigned",
            Type::Mtype => "mtype",
            Type::Pid => "pid",
            Type::Chan => "chan",
            Type::Struct(name) => name,
        })
    }
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {}", self.prefix, self.ty, self.name)?;
        if let Type::Unsigned(bits) = self.ty {
            write!(f, " : {bits}")?;
        }
        if let Some(len) = self.len {
            write!(f, "[{len}]")?;
        }
        match &self.init {
            Init::None => Ok(()),
            Init::Value(value) => write!(f, " = {value}"),
            Init::List(values) => write!(f, " = {{ {} }}", list(values, ", ")),
            Init::Channel(capacity, fields) => {
                write!(f, " = [{capacity}] of {{ {} }}", list(fields, ", "))
            }
        }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(index) = &self.index {
            write!(f, "[{index}]")?;
        }
        match &self.field {
            Some(field) => write!(f, ".{field}"),
            None => Ok(()),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Num(n) => write!(f, "{n}"),
            Expr::Word(word) => f.write_str(word),
            Expr::Read(place) => write!(f, "{place}"),
            Expr::Unary(op, e) => write!(f, "{op}({e})"),
            Expr::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            Expr::Guarded(op, a, n) => write!(f, "({a} {op} {n})"),
            Expr::Choose(a, b, c) => write!(f, "({a} -> {b} : {c})"),
            Expr::Test(test, chan) => write!(f, "{test}({chan})"),
            Expr::Poll(chan, random, args) => {
                write!(f, "{chan}{}[{}]", if *random { "??" } else { "?" }, list(args, ", "))
            }
            Expr::Call(name, args) => write!(f, "{name}({})", list(args, ", ")),
            Expr::Remote(process, pid, sign, name) => match pid {
                Some(pid) => write!(f, "{process}[{pid}]{sign}{name}"),
                None => write!(f, "{process}{sign}{name}"),
            },
            Expr::Run(process, args, priority) => {
                write!(f, "run {process}({})", list(args, ", "))?;
                priority.map_or(Ok(()), |p| write!(f, " priority {p}"))
            }
        }
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Any => f.write_str("_"),
            Arg::Match(e) => write!(f, "{e}"),
            Arg::Eval(e) => write!(f, "eval({e})"),
            Arg::Into(place) => write!(f, "{place}"),
        }
    }
}

/// Text with indented lines.
struct Pretty {
    text: String,
    depth: usize,
}

impl Pretty {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 4 * self.depth);
    }

    /// A line, indented lines, a line.
    fn nest(&mut self, open: &str, inside: impl FnOnce(&mut Pretty), close: &str) {
        self.line(open);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(close);
    }

    /// Puts text at the end of the last line.
    fn attach(&mut self, text: &str) {
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A sequence; the first separator is an arrow where that reads better.
    fn body(&mut self, body: &[Stmt], arrow: bool) {
        for (at, stmt) in body.iter().enumerate() {
            self.stmt(stmt);
            if at + 1 < body.len() {
                let guard = arrow && at == 0 && !matches!(stmt, Stmt::Declare(_));
                self.attach(if guard { " ->" } else { ";" });
            }
        }
        if body.iter().all(|stmt| matches!(stmt, Stmt::Declare(_))) {
            if !body.is_empty() {
                self.attach(";");
            }
            self.line("skip");
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Word(word) => self.line(word),
            Stmt::Expr(e) => self.line(&e.to_string()),
            Stmt::Assign(place, e) => self.line(&format!("{place} = {e}")),
            Stmt::Count(place, op) => self.line(&format!("{place}{op}")),
            Stmt::Assert(e) => self.line(&format!("assert({e})")),
            Stmt::Print(e) => self.line(&format!("printf(\"%d\\n\", {e})")),
            Stmt::Goto(label) => self.line(&format!("goto {label}")),
            Stmt::Labelled(label, stmt) => {
                self.line(&format!("{label}:"));
                self.stmt(stmt);
            }
            Stmt::Choice(repeat, options) => self.choice(*repeat, options),
            Stmt::Block(bracket, body) => {
                let open = match bracket {
                    Bracket::Plain => "{",
                    Bracket::Atomic => "atomic {",
                    Bracket::DStep => "d_step {",
                };
                self.nest(open, |p| p.body(body, false), "}");
            }
            Stmt::Unless(main, escape) => {
                self.nest("{", |p| p.body(main, false), "} unless {");
                self.depth += 1;
                self.body(escape, true);
                self.depth -= 1;
                self.line("}");
            }
            Stmt::For(var, from, to, body) => {
                self.nest(&format!("for ({var} : {from} .. {to}) {{"), |p| p.body(body, false), "}");
            }
            Stmt::ForIn(var, array, body) => {
                self.nest(&format!("for ({var} in {array}) {{"), |p| p.body(body, false), "}");
            }
            Stmt::Select(var, from, to) => self.line(&format!("select ({var} : {from} .. {to})")),
            Stmt::Send { chan, sorted, args } => {
                let op = if *sorted { "!!" } else { "!" };
                self.line(&format!("{chan}{op}{}", list(args, ", ")));
            }
            Stmt::Receive { chan, random, peek, args } => {
                let op = if *random { "??" } else { "?" };
                let (open, close) = if *peek { ("<", ">") } else { ("", "") };
                self.line(&format!("{chan}{op}{open}{}{close}", list(args, ", ")));
            }
            Stmt::Inline(name, args) => self.line(&format!("{name}({})", list(args, ", "))),
            Stmt::Declare(var) => self.line(&var.to_string()),
            Stmt::Text(text) => self.line(text),
        }
    }

    fn choice(&mut self, repeat: bool, options: &[Body]) {
        let (open, close) = if repeat { ("do", "od") } else { ("if", "fi") };
        self.line(open);
        for option in options {
            self.line("::");
            self.depth += 1;
            self.body(option, true);
            self.depth -= 1;
        }
        self.line(close);
    }

    fn process(&mut self, process: &Process) {
        let mut head = match process.active {
            None => String::new(),
            Some(1) => "active ".to_owned(),
            Some(n) => format!("active [{n}] "),
        };
        if process.name == "init" {
            head.push_str("init");
        } else {
            head.push_str(if process.deterministic { "D_" } else { "" });
            let _ = write!(head, "proctype {}({})", process.name, list(&process.params, "; "));
        }
        if let Some(priority) = process.priority {
            let _ = write!(head, " priority {priority}");
        }
        if let Some(condition) = &process.provided {
            let _ = write!(head, " provided ({condition})");
        }
        self.line("");
        self.line(&head);
        self.nest("{", |p| p.body(&process.body, false), "}");
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut p = Pretty { text: String::new(), depth: 0 };
        for Macro { name, params, body } in &self.macros {
            let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            p.line(&format!("#define {name}{params} ({body})"));
        }
        if !self.mtypes.is_empty() {
            p.line(&format!("mtype = {{ {} }};", self.mtypes.join(", ")));
        }
        for typedef in &self.typedefs {
            p.line(&format!("typedef {} {{ {} }}", typedef.name, list(&typedef.fields, "; ")));
        }
        for var in &self.globals {
            p.line(&format!("{var};"));
        }
        for declaration in &self.declarations {
            p.line(&format!("{declaration};"));
        }
        for inline in &self.inlines {
            p.line("");
            let head = format!("inline {}({}) {{", inline.name, inline.params.join(", "));
            p.nest(&head, |p| p.body(&inline.body, false), "}");
        }
        for process in &self.processes {
            p.process(process);
        }
        if let Some(trace) = &self.trace {
            p.line("");
            p.nest(&format!("{} {{", trace.keyword), |p| p.body(&trace.body, false), "}");
        }
        if let Some(formula) = &self.formula {
            p.line("");
            p.line(&format!("ltl {{ {formula} }}"));
        }
        if let Some(body) = &self.never {
            p.line("");
            p.nest("never {", |p| p.body(body, false), "}");
        }
        f.write_str(&p.text)
    }
}
