//! The tree as compact text, for tests: prefix notation, one line.

use crate::ast::*;

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    items.iter().map(show).collect::<Vec<_>>().join(" ")
}

pub(super) fn sequence(s: &Sequence) -> String {
    format!("{{{}}}", list(&s.stmts, stmt))
}

pub(super) fn stmt(s: &Stmt) -> String {
    let labels: String = s.labels.iter().map(|l| format!("{}:", l.name)).collect();
    labels + &kind(&s.kind)
}

fn kind(k: &StmtKind) -> String {
    match k {
        StmtKind::Decl(v) => list(v, var),
        StmtKind::Expr(e) => expr(e),
        StmtKind::Assign(v, e) => format!("(= {} {})", varref(v), expr(e)),
        StmtKind::Increment(v) => format!("(++ {})", varref(v)),
        StmtKind::Decrement(v) => format!("(-- {})", varref(v)),
        StmtKind::Send { chan, sorted, args } => {
            format!("({} {} {})", if *sorted { "!!" } else { "!" }, varref(chan), list(args, expr))
        }
        StmtKind::Receive { chan, random, copy, args } => {
            let op = if *random { "??" } else { "?" };
            format!("({op}{} {} {})", if *copy { "<>" } else { "" }, varref(chan), list(args, receive))
        }
        StmtKind::Assert(e) => format!("(assert {})", expr(e)),
        StmtKind::Printf { format, args } => format!("(printf {format:?} {})", list(args, expr)),
        StmtKind::Printm(e) => format!("(printm {})", expr(e)),
        StmtKind::If(o) => format!("(if {})", list(o, sequence)),
        StmtKind::Do(o) => format!("(do {})", list(o, sequence)),
        StmtKind::Else => "else".into(),
        StmtKind::Break => "break".into(),
        StmtKind::Goto(l) => format!("(goto {})", l.name),
        StmtKind::Atomic(s) => format!("(atomic {})", sequence(s)),
        StmtKind::DStep(s) => format!("(d_step {})", sequence(s)),
        StmtKind::Block(s) => sequence(s),
        StmtKind::Unless(a, b) => format!("(unless {} {})", stmt(a), stmt(b)),
        StmtKind::ForRange { var, from, to, body } => {
            format!("(for {} {} {} {})", varref(var), expr(from), expr(to), sequence(body))
        }
        StmtKind::ForIn { var, over, body } => format!("(in {} {} {})", varref(var), varref(over), sequence(body)),
        StmtKind::Select { var, from, to } => format!("(select {} {} {})", varref(var), expr(from), expr(to)),
        StmtKind::Exclusive { read, chans } => format!("({} {})", if *read { "xr" } else { "xs" }, list(chans, varref)),
        StmtKind::Return(e) => format!("(return {})", e.as_ref().map(expr).unwrap_or_default()),
        StmtKind::InlineCall { name, result, body } => {
            format!(
                "({}{} {})",
                result.as_ref().map(|r| varref(r) + "=").unwrap_or_default(),
                name.name,
                sequence(body)
            )
        }
    }
}

fn receive(a: &ReceiveArg) -> String {
    match a {
        ReceiveArg::Var(v) => varref(v),
        ReceiveArg::Any(_) => "_".into(),
        ReceiveArg::Match(e) => format!("={}", expr(e)),
    }
}

pub(super) fn var(v: &VarDecl) -> String {
    let array = v.array.as_ref().map(|e| format!("[{}]", expr(e))).unwrap_or_default();
    let init = match &v.init {
        None => String::new(),
        Some(Init::Expr(e)) => format!("={}", expr(e)),
        Some(Init::List(l)) => format!("={{{}}}", list(l, expr)),
        Some(Init::Chan(c)) => {
            format!("=[{}]{:?}", expr(&c.capacity), c.fields.iter().map(|f| &f.0).collect::<Vec<_>>())
        }
    };
    let flag = |on, text: &str| if on { text.to_string() } else { String::new() };
    let flags = flag(v.hidden, "hidden ") + &flag(v.show, "show ") + &flag(v.local, "local ");
    format!("<{flags}{:?} {}{array}{init}>", v.ty, v.name.name)
}

pub(super) fn varref(v: &VarRef) -> String {
    let index = v.index.as_ref().map(|e| format!("[{}]", expr(e))).unwrap_or_default();
    let field = v.field.as_ref().map(|f| format!(".{}", varref(f))).unwrap_or_default();
    format!("{}{index}{field}", v.name.name)
}

pub(super) fn expr(e: &Expr) -> String {
    let process = |name: &Ident, pid: &Option<Box<Expr>>| {
        name.name.clone() + &pid.as_ref().map(|p| format!("[{}]", expr(p))).unwrap_or_default()
    };
    match &e.kind {
        ExprKind::Const(c) => c.to_string(),
        ExprKind::Var(v) => varref(v),
        ExprKind::Unary(op, a) => format!("({op:?} {})", expr(a)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", expr(a), expr(b)),
        ExprKind::Conditional(c, a, b) => format!("(? {} {} {})", expr(c), expr(a), expr(b)),
        ExprKind::Run { name, args, priority } => {
            let priority = priority.as_ref().map(|p| format!(" @{}", expr(p))).unwrap_or_default();
            format!("(run {} {}{priority})", name.name, list(args, expr))
        }
        ExprKind::ChanQuery(q, v) => format!("({q:?} {})", varref(v)),
        ExprKind::Poll { chan, random, args } => {
            format!("(poll{} {} {})", if *random { "?" } else { "" }, varref(chan), list(args, receive))
        }
        ExprKind::Enabled(e) => format!("(enabled {})", expr(e)),
        ExprKind::PcValue(e) => format!("(pc_value {})", expr(e)),
        ExprKind::GetPriority(e) => format!("(get_priority {})", expr(e)),
        ExprKind::SetPriority(a, b) => format!("(set_priority {} {})", expr(a), expr(b)),
        ExprKind::Timeout => "timeout".into(),
        ExprKind::NonProgress => "np_".into(),
        ExprKind::RemoteLabel { process: p, pid, label } => format!("{}@{}", process(p, pid), label.name),
        ExprKind::RemoteVar { process: p, pid, var } => format!("{}:{}", process(p, pid), varref(var)),
    }
}

pub(super) fn ltl(f: &Ltl) -> String {
    let two = |op: &str, a: &Ltl, b: &Ltl| format!("({op} {} {})", ltl(a), ltl(b));
    match f {
        Ltl::Atom(e) => expr(e),
        Ltl::Not(a) => format!("(! {})", ltl(a)),
        Ltl::Next(a) => format!("(X {})", ltl(a)),
        Ltl::Always(a) => format!("([] {})", ltl(a)),
        Ltl::Eventually(a) => format!("(<> {})", ltl(a)),
        Ltl::And(a, b) => two("&&", a, b),
        Ltl::Or(a, b) => two("||", a, b),
        Ltl::Implies(a, b) => two("->", a, b),
        Ltl::Iff(a, b) => two("<->", a, b),
        Ltl::Until(a, b) => two("U", a, b),
        Ltl::WeakUntil(a, b) => two("W", a, b),
        Ltl::Release(a, b) => two("V", a, b),
    }
}
