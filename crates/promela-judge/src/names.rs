//! What the expressions of a model mention that changes what a step is: labels seen from other
//! processes, `_last`, `timeout`. A walk over everything.

use std::collections::{BTreeMap, BTreeSet};

use selvedge_promela_syntax::ast::{Claim, Expr, ExprKind, Item, Model, VarRef};
use selvedge_promela_syntax::walk::{Visitor, walk_expr, walk_sequence, walk_var};

/// What is mentioned.
#[derive(Default)]
pub(crate) struct Mentioned {
    labels: BTreeMap<String, BTreeSet<String>>,
    /// `_last`.
    pub(crate) last: bool,
    /// `timeout`.
    pub(crate) timeout: bool,
}

impl Mentioned {
    /// Of a model and the claim in force.
    pub(crate) fn of(model: &Model, claim: Option<&Claim>) -> Mentioned {
        let mut mentioned = Mentioned::default();
        for item in &model.items {
            match item {
                Item::Process(process) => {
                    process.provided.iter().for_each(|e| mentioned.expr(e));
                    walk_sequence(&mut mentioned, &process.body);
                }
                Item::Trace(trace) => walk_sequence(&mut mentioned, &trace.body),
                _ => {}
            }
        }
        claim.into_iter().for_each(|claim| walk_sequence(&mut mentioned, &claim.body));
        mentioned
    }

    /// Labels of a process type that remote references name.
    pub(crate) fn labels_of(&self, process: &str) -> BTreeSet<String> {
        self.labels.get(process).cloned().unwrap_or_default()
    }
}

impl Visitor for Mentioned {
    fn var(&mut self, var: &VarRef) {
        self.last |= var.name.name == "_last";
        walk_var(self, var);
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Timeout => self.timeout = true,
            ExprKind::RemoteLabel { process, label, .. } => {
                self.labels.entry(process.name.clone()).or_default().insert(label.name.clone());
            }
            _ => {}
        }
        walk_expr(self, e);
    }
}
