//! What stands at the top level: declarations, heads of processes, formulas.

use selvedge_promela_syntax::ast::{ChanInit, ExprKind, Init, Item, Ltl, Model, Process, TypeName, VarDecl};

use super::{Around, Walk};

impl Walk<'_> {
    pub(super) fn model(&mut self, model: &Model) {
        for item in &model.items {
            match item {
                Item::Mtype(decl) => self.feature(if decl.set.is_some() { "mtype set" } else { "mtype" }),
                Item::Typedef(typedef) => {
                    self.feature("typedef");
                    for field in &typedef.fields {
                        match (&field.ty, &field.array) {
                            (TypeName::Named(_), _) => self.feature("structure in structure"),
                            (TypeName::Chan, _) => self.feature("channel in structure"),
                            (_, Some(_)) => self.feature("array in structure"),
                            _ => {}
                        }
                        self.declaration(field);
                    }
                }
                Item::Vars(vars) => vars.iter().for_each(|var| self.declaration(var)),
                Item::Process(process) => self.process(process),
                Item::Never(claim) => {
                    self.feature("never");
                    self.body(&claim.body, Around::Claim);
                }
                Item::Ltl(claim) => {
                    self.feature("ltl");
                    self.formula(&claim.formula);
                }
                Item::Trace(trace) => {
                    self.feature(if trace.negated { "notrace" } else { "trace" });
                    self.body(&trace.body, Around::Trace);
                }
            }
        }
    }

    fn process(&mut self, process: &Process) {
        match (&process.active, process.is_init) {
            (_, true) => self.feature("init"),
            (Some(None), _) => self.feature("active"),
            (Some(Some(_)), _) => self.feature("active [n]"),
            (None, _) => {}
        }
        if process.deterministic {
            self.feature("D_proctype");
        }
        if process.priority.is_some() {
            self.feature("priority");
        }
        if let Some(condition) = &process.provided {
            self.feature("provided");
            self.expr(condition, "provided");
        }
        for param in &process.params {
            self.feature(match param.ty {
                TypeName::Chan => "channel parameter",
                TypeName::Named(_) => "structure parameter",
                _ => "parameter",
            });
            self.declaration(param);
        }
        self.body(&process.body, Around::Process);
    }

    pub(super) fn declaration(&mut self, var: &VarDecl) {
        self.feature(match &var.ty {
            TypeName::Bit => "bit",
            TypeName::Bool => "bool",
            TypeName::Byte => "byte",
            TypeName::Pid => "pid",
            TypeName::Short => "short",
            TypeName::Int => "int",
            TypeName::Unsigned(_) => "unsigned",
            TypeName::Mtype(None) => "mtype variable",
            TypeName::Mtype(Some(_)) => "mtype set variable",
            TypeName::Chan => "chan",
            TypeName::Named(_) => "structure variable",
        });
        for (written, name) in [(var.hidden, "hidden"), (var.show, "show"), (var.local, "local")] {
            if written {
                self.feature(name);
            }
        }
        if var.array.is_some() {
            self.feature(match var.ty {
                TypeName::Named(_) => "array of structures",
                TypeName::Chan => "array of channels",
                _ => "array",
            });
        }
        match &var.init {
            None => {}
            Some(Init::Expr(value)) => {
                self.feature("initial value");
                self.expr(value, "initialiser");
            }
            Some(Init::List(values)) => {
                self.feature("initial list");
                values.iter().for_each(|value| self.expr(value, "initialiser"));
            }
            Some(Init::Chan(init)) => self.channel(&var.name.name, init),
        }
    }

    fn channel(&mut self, name: &str, init: &ChanInit) {
        self.feature("initial channel");
        if let ExprKind::Const(capacity) = init.capacity.kind {
            self.capacities.insert(name.to_owned(), capacity);
        }
        if init.fields.len() > 1 {
            self.feature("several fields");
        }
        for (ty, _) in &init.fields {
            match ty {
                TypeName::Named(_) => self.feature("structure in message"),
                TypeName::Chan => self.feature("channel in message"),
                _ => {}
            }
        }
        if !self.context.within.is_empty() {
            self.feature("local channel");
        }
    }

    fn formula(&mut self, formula: &Ltl) {
        let (name, parts): (_, Vec<&Ltl>) = match formula {
            Ltl::Atom(atom) => {
                self.expr(atom, "formula");
                ("ltl atom", vec![])
            }
            Ltl::Not(a) => ("ltl !", vec![a]),
            Ltl::Next(a) => ("ltl X", vec![a]),
            Ltl::Always(a) => ("ltl []", vec![a]),
            Ltl::Eventually(a) => ("ltl <>", vec![a]),
            Ltl::And(a, b) => ("ltl &&", vec![a, b]),
            Ltl::Or(a, b) => ("ltl ||", vec![a, b]),
            Ltl::Implies(a, b) => ("ltl ->", vec![a, b]),
            Ltl::Iff(a, b) => ("ltl <->", vec![a, b]),
            Ltl::Until(a, b) => ("ltl U", vec![a, b]),
            Ltl::WeakUntil(a, b) => ("ltl W", vec![a, b]),
            Ltl::Release(a, b) => ("ltl V", vec![a, b]),
        };
        self.feature(name);
        parts.into_iter().for_each(|part| self.formula(part));
    }
}
