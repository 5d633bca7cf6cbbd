//! From a checked syntax tree to the lowered form. Each function becomes a plain graph first
//! (`graph`); then every version that is needed, inside or outside atomic sections, is made of it
//! (`versions`). Here is decided what the threads are and which labels are errors.

mod expr;
mod graph;
mod versions;

use selvedge_source::{Diagnostic, Diagnostics};

use crate::program::{Global, GlobalId, Initial, Program, Target, Thread};
use selvedge_boolprog_syntax::ast::{self, Function, Initializer, StmtKind, walk};
use selvedge_boolprog_syntax::codes;
use selvedge_boolprog_syntax::dialect::{Dialect, is_thread_name};

use graph::Graph;
use versions::Versions;

/// What to lower.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// Failed assertions are violations. Otherwise they block, as in Getafix, or are skipped, as
    /// elsewhere.
    pub assertions: bool,
    /// The label that must not be reached, `LABEL` or `FUNCTION@LABEL`; `SLIC_ERROR` and `ERROR` if
    /// nothing is said.
    pub reach: Option<String>,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions { assertions: true, reach: None }
    }
}

/// Labels that are errors by convention.
const ERROR_LABELS: [&str; 2] = ["SLIC_ERROR", "ERROR"];

/// Lowers a program that [`selvedge_boolprog_syntax::check::check`] found nothing wrong with.
pub fn lower(source: &ast::Program, options: &LowerOptions, found: &mut Diagnostics) -> Option<Program> {
    let before = found.iter().filter(|d| d.severity == selvedge_source::Severity::Error).count();
    let roles = roles(source, found)?;
    let graphs: Vec<Graph> = source
        .functions
        .iter()
        .enumerate()
        .map(|(index, function)| {
            let stops_at = (roles.init == Some(index)).then_some("endinit");
            Graph::of(source, function, options.assertions, stops_at)
        })
        .collect();
    let mut versions = Versions::new(source, &graphs, found);
    let init = roles.init.map(|function| versions.want(function, false));
    let threads = roles
        .threads
        .iter()
        .map(|function| Thread {
            name: source.functions[*function].name.text.clone(),
            procedure: versions.want(*function, false),
        })
        .collect();
    versions.make_all();
    let mut program = Program {
        globals: source.globals.iter().map(global).collect(),
        init,
        threads,
        no_switch_while: no_switch_while(source),
        ..versions.program
    };
    program.targets = targets(&program, options, found)?;
    let errors = found.iter().filter(|d| d.severity == selvedge_source::Severity::Error).count();
    (errors == before).then_some(program)
}

fn global(variable: &ast::Variable) -> Global {
    let initial = match variable.initial {
        None | Some(Initializer::Any) => Initial::Any,
        Some(Initializer::Value(value)) => Initial::Value(value),
    };
    Global { name: variable.name.text.clone(), span: variable.name.span, initial }
}

/// Getafix's own atomic sections: while the global `atomic`, which must be declared first, is true.
fn no_switch_while(source: &ast::Program) -> Option<GlobalId> {
    let first = source.globals.first()?;
    (source.dialect == Dialect::Getafix && first.name.text == "atomic").then_some(GlobalId(0))
}

/// Which functions run by themselves, as positions in [`ast::Program::functions`].
struct Roles {
    init: Option<usize>,
    threads: Vec<usize>,
}

/// In a program that starts threads, `main` runs. In a program that starts none, every function
/// called `main` or `thread…` is a thread, and `init`, if it is not called, runs before them.
fn roles(source: &ast::Program, found: &mut Diagnostics) -> Option<Roles> {
    let named = |wanted: &str| source.functions.iter().position(|f| f.name.text == wanted);
    let starts = |kind: &StmtKind| matches!(kind, StmtKind::Start { .. } | StmtKind::StartGoto(_));
    let dynamic = source.functions.iter().any(|function| contains(function, &starts));
    let mut threads: Vec<usize> = match dynamic {
        true => named("main").into_iter().collect(),
        false => (0..source.functions.len()).filter(|i| is_thread_name(&source.functions[*i].name.text)).collect(),
    };
    if threads.is_empty() && source.functions.len() == 1 {
        threads.push(0);
    }
    if threads.is_empty() {
        let error = Diagnostic::error_without_place(codes::NO_THREAD, "no function runs: there is no `main`").note(
            "`main` runs; in a program without `start_thread` also every function whose name starts with `thread`",
        );
        found.push(error);
        return None;
    }
    let is_called = |callee: &str| {
        let calls = |kind: &StmtKind| match kind {
            StmtKind::Call { callee: name, .. } | StmtKind::Start { callee: name, .. } => name.text == callee,
            _ => false,
        };
        source.functions.iter().any(|function| contains(function, &calls))
    };
    let init = named("init").filter(|index| !dynamic && !threads.contains(index) && !is_called("init"));
    if let Some(function) = init.map(|index| &source.functions[index])
        && (!function.parameters.is_empty() || function.results > 0)
    {
        let message = "`init` runs before the threads: it can have neither parameters nor results";
        found.push(Diagnostic::error(codes::BAD_INIT, function.name.span, message));
        return None;
    }
    Some(Roles { init, threads })
}

fn contains(function: &Function, wanted: &dyn Fn(&StmtKind) -> bool) -> bool {
    let mut any = false;
    walk(&function.body, &mut |statement| any |= wanted(&statement.kind));
    any
}

/// The nodes that must not be reached.
fn targets(program: &Program, options: &LowerOptions, found: &mut Diagnostics) -> Option<Vec<Target>> {
    let (function, names): (Option<&str>, Vec<&str>) = match options.reach.as_deref() {
        Some(reach) => match reach.split_once('@') {
            Some((function, label)) => (Some(function), vec![label]),
            None => (None, vec![reach]),
        },
        None => (None, ERROR_LABELS.to_vec()),
    };
    let wanted: Vec<_> = program
        .labels
        .iter()
        .filter(|label| names.contains(&label.name.as_str()) && function.is_none_or(|f| f == label.function))
        .collect();
    if let (Some(reach), true) = (&options.reach, wanted.is_empty()) {
        let mut error = Diagnostic::error_without_place(codes::UNKNOWN_REACH, format!("there is no label `{reach}`"));
        let mut all: Vec<String> = program.labels.iter().map(|l| format!("`{}@{}`", l.function, l.name)).collect();
        all.dedup();
        if !all.is_empty() {
            let more = if all.len() > 12 { ", …" } else { "" };
            all.truncate(12);
            error = error.note(format!("the labels are {}{more}", all.join(", ")));
        }
        found.push(error);
        return None;
    }
    let nodes = wanted.into_iter().flat_map(|label| {
        label.nodes.iter().map(|node| Target { node: *node, label: label.name.clone(), span: label.span })
    });
    Some(nodes.collect())
}
