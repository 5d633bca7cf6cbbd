//! Changes of a model that change neither its verdict nor the least number of preemptions of a violation.
//!
//! A `skip` makes a new place at which a process can be preempted, but a preemption there can as well happen before it:
//! nothing observable lies between. Only a process that counts steps or processes notices, so models that mention such
//! things are not rewritten.

use crate::ast::*;
use crate::rng::Rng;

/// A change: the changed model, or `None` where it does not apply. The number chooses the place.
pub type Rewrite = fn(&Program, u64) -> Option<Program>;

/// Every change, with its name.
pub const REWRITES: &[(&str, Rewrite)] = &[
    ("rename process types", rename),
    ("move a process type that is not active", move_passive),
    ("add skip", add_skip),
    ("wrap a statement in atomic", wrap_in_atomic),
    ("repeat an option", repeat_option),
];

/// What makes steps or control states observable.
const OBSERVERS: &[&str] = &["_last", "enabled(", "pc_value(", "np_", "priority", "ltl", "never", "timeout", "unless"];

fn observes_steps(program: &Program) -> bool {
    let text = program.to_string();
    OBSERVERS.iter().any(|word| text.contains(word))
}

/// Gives the process types other names.
fn rename(program: &Program, _: u64) -> Option<Program> {
    // Where a name is part of text, it cannot be found.
    let text = program.to_string();
    if text.contains("run ")
        || text.contains('@')
        || program.never.is_some()
        || text.contains("Q[")
        || text.contains("Q:")
    {
        return None;
    }
    let mut renamed = program.clone();
    for process in renamed.processes.iter_mut().filter(|process| process.name != "init") {
        process.name = format!("renamed_{}", process.name);
    }
    Some(renamed)
}

/// Moves a process type that exists in no state at the start to the end of the text.
fn move_passive(program: &Program, seed: u64) -> Option<Program> {
    let passive = |process: &Process| process.active.is_none() && process.name != "init";
    let candidates: Vec<usize> = (0..program.processes.len()).filter(|at| passive(&program.processes[*at])).collect();
    let at = *Rng::new(seed, 1).pick(&candidates)?;
    let mut moved = program.clone();
    let process = moved.processes.remove(at);
    // In front, since `run` may precede the declaration but remote references may not.
    let refers = |stmt: &Stmt| matches!(stmt, Stmt::Text(text) if text.contains("Q:") || text.contains("Q@"));
    if process.body.iter().any(refers) {
        return None;
    }
    moved.processes.insert(0, process);
    Some(moved)
}

fn add_skip(program: &Program, seed: u64) -> Option<Program> {
    if observes_steps(program) {
        return None;
    }
    let mut rng = Rng::new(seed, 2);
    let mut changed = program.clone();
    let at = rng.below(changed.processes.len());
    let body = &mut changed.processes[at].body;
    // Behind the declarations, which are part of the process's creation.
    let first = body.iter().position(|stmt| !declares(stmt)).unwrap_or(body.len());
    let at = first + rng.below(body.len() - first + 1);
    body.insert(at, Stmt::Word("skip"));
    Some(changed)
}

fn wrap_in_atomic(program: &Program, seed: u64) -> Option<Program> {
    if observes_steps(program) {
        return None;
    }
    let mut rng = Rng::new(seed, 3);
    let mut changed = program.clone();
    let at = rng.below(changed.processes.len());
    let basic = |stmt: &Stmt| {
        matches!(stmt, Stmt::Assign(..) | Stmt::Assert(_) | Stmt::Count(..) | Stmt::Expr(_) | Stmt::Word("skip"))
    };
    let body = &mut changed.processes[at].body;
    let candidates: Vec<usize> = (0..body.len()).filter(|at| basic(&body[*at])).collect();
    let at = *rng.pick(&candidates)?;
    let stmt = body[at].clone();
    body[at] = Stmt::Block(Bracket::Atomic, vec![stmt]);
    Some(changed)
}

fn repeat_option(program: &Program, seed: u64) -> Option<Program> {
    let mut rng = Rng::new(seed, 4);
    let mut changed = program.clone();
    let mut choices = Vec::new();
    for process in &mut changed.processes {
        process.body.iter_mut().for_each(|stmt| choices_in(stmt, &mut choices));
    }
    // An option with a label or declaration cannot be written twice, and `else` only once.
    let plain = |option: &Body| option.iter().all(|stmt| !matches!(stmt, Stmt::Word("else")) && is_plain(stmt));
    let fitting = |options: &Vec<Body>| options.iter().any(plain);
    let mut choices: Vec<&mut Vec<Body>> = choices.into_iter().filter(|options| fitting(options)).collect();
    if choices.is_empty() {
        return None;
    }
    let options = choices.swap_remove(rng.below(choices.len()));
    let option = options.iter().find(|option| plain(option))?.clone();
    options.insert(0, option);
    Some(changed)
}

fn declares(stmt: &Stmt) -> bool {
    let types = ["byte ", "bit ", "In ", "x", "short ", "int ", "mtype ", "unsigned ", "chan "];
    match stmt {
        Stmt::Declare(_) => true,
        Stmt::Text(text) => types.iter().any(|name| text.starts_with(name)),
        _ => false,
    }
}

fn is_plain(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Labelled(..) | Stmt::Declare(_) | Stmt::Choice(..) | Stmt::Block(..) | Stmt::Unless(..) => false,
        Stmt::For(..) | Stmt::ForIn(..) | Stmt::Inline(..) => false,
        Stmt::Text(_) => !declares(stmt),
        _ => true,
    }
}

/// The choices of a statement that are not inside a `d_step`, where the first option is taken.
fn choices_in<'s>(stmt: &'s mut Stmt, choices: &mut Vec<&'s mut Vec<Body>>) {
    match stmt {
        Stmt::Labelled(_, inner) => choices_in(inner, choices),
        Stmt::Choice(_, options) => choices.push(options),
        Stmt::Block(Bracket::Plain | Bracket::Atomic, body) | Stmt::For(_, _, _, body) | Stmt::ForIn(_, _, body) => {
            body.iter_mut().for_each(|stmt| choices_in(stmt, choices));
        }
        _ => {}
    }
}
