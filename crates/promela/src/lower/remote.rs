//! What refers to processes: `run`, labels and variables of others.

use super::Lowerer;
use super::codes;
use super::types::Kind;
use crate::program::Ex;
use selvedge_promela_syntax::ast::{self, VarRef};
use selvedge_source::{Diagnostic, Span, nearest};

impl Lowerer<'_> {
    pub(super) fn run(
        &mut self,
        name: &ast::Ident,
        args: &[ast::Expr],
        priority: Option<&ast::Expr>,
        span: Span,
    ) -> Ex {
        if self.in_claim {
            self.error(
                Diagnostic::error(codes::RUN_OUTSIDE_PROCESS, span, "a claim cannot start processes")
                    .help("start processes from `init` or with `active`"),
            );
            return Ex::Const(0);
        }
        if self.in_d_step {
            self.error(
                Diagnostic::error(codes::IN_D_STEP, span, "`run` cannot be used inside a `d_step`")
                    .help("use `atomic` instead, or start the process before the sequence"),
            );
        }
        let args = self.scalars(args);
        let Some(&proto) = self.proto_names.get(&name.name) else {
            let known: Vec<String> = self.proto_names.keys().cloned().collect();
            let mut error = Diagnostic::error(
                codes::UNKNOWN_PROCESS,
                name.span,
                format!("there is no process type `{}`", name.name),
            );
            if let Some(near) = nearest(&name.name, known.iter().map(String::as_str)) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.error(error);
            return Ex::Const(0);
        };
        let wanted = self.param_counts[proto.0 as usize];
        if wanted != args.len() {
            let declared = self.proto_spans[proto.0 as usize];
            self.error(
                Diagnostic::error(
                    codes::RUN_ARITY,
                    span,
                    format!(
                        "`{}` takes {wanted} argument{}, {} given",
                        name.name,
                        if wanted == 1 { "" } else { "s" },
                        args.len()
                    ),
                )
                .also(declared, "declared here"),
            );
        }
        let priority = match priority {
            Some(priority) => {
                self.uses_priority = true;
                self.expr(priority)
            }
            None => Ex::Const(1),
        };
        Ex::Run { proto, args: args.into_iter().map(|(ex, _)| ex).collect(), priority: Box::new(priority), span }
    }

    fn remote_process(&mut self, process: &ast::Ident) -> Option<crate::program::ProtoId> {
        let found = self.proto_names.get(&process.name).copied();
        if found.is_none() {
            self.error(Diagnostic::error(
                codes::UNKNOWN_PROCESS,
                process.span,
                format!("there is no process type `{}` to look into", process.name),
            ));
        }
        found
    }

    pub(super) fn remote_label(&mut self, process: &ast::Ident, pid: Option<&ast::Expr>, label: &ast::Ident) -> Ex {
        let pid = pid.map(|pid| Box::new(self.expr(pid)));
        let Some(proto) = self.remote_process(process) else { return Ex::Const(0) };
        self.remote_requests.push((proto, label.clone()));
        Ex::RemoteLabel(proto, pid, self.remote_requests.len() - 1)
    }

    pub(super) fn remote_var(&mut self, process: &ast::Ident, pid: Option<&ast::Expr>, var: &VarRef) -> Ex {
        let pid = pid.map(|pid| Box::new(self.expr(pid)));
        let Some(proto) = self.remote_process(process) else { return Ex::Const(0) };
        let Some(&id) = self.proto_locals[proto.0 as usize].get(&var.name.name) else {
            self.error(Diagnostic::error(
                codes::UNDECLARED,
                var.span,
                format!("process type `{}` has no variable `{}`", process.name, var.name.name),
            ));
            return Ex::Const(0);
        };
        // The name is looked up in the other process's scope, indices in ours.
        self.scopes.push(std::collections::HashMap::from([(var.name.name.clone(), id)]));
        let reference = self.reference(var, true);
        self.scopes.pop();
        match reference.map(|r| (r.ty.kind.clone(), r)) {
            Some((Kind::Scalar(scalar, _), reference)) => Ex::RemoteVar(proto, pid, Box::new(reference.place(scalar))),
            Some(_) => {
                self.error(Diagnostic::error(
                    codes::STRUCT_AS_SCALAR,
                    var.span,
                    "a remote reference must name a scalar",
                ));
                Ex::Const(0)
            }
            None => Ex::Const(0),
        }
    }
}
