//! Programs on which pan is known to go wrong.
//!
//! The generator does not make them; but shrinking could turn a program into one, and find a fault of pan where it set
//! out to find one of ours.

use crate::ast::*;

/// Whether pan's answer to a program means anything, as far as its text shows.
pub fn defined(program: &Program) -> bool {
    let inlines = program.inlines.iter().map(|inline| &inline.body);
    let processes = program.processes.iter().map(|process| &process.body);
    !processes.chain(inlines).any(|body| body.iter().any(wrong))
}

fn wrong(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Block(Bracket::DStep, body) => misplaced_d_step(body) || body.iter().any(wrong),
        Stmt::Block(_, body) | Stmt::For(_, _, _, body) | Stmt::ForIn(_, _, body) => body.iter().any(wrong),
        Stmt::Labelled(_, inner) => wrong(inner),
        Stmt::Choice(_, options) => options.iter().flatten().any(wrong),
        Stmt::Unless(main, escape) => main.iter().chain(escape).any(wrong),
        _ => false,
    }
}

/// A `d_step` that begins with `assert` or `printf`: pan executes it even in the middle of another process's rendezvous.
pub(crate) fn misplaced_d_step(body: &Body) -> bool {
    let first = body.iter().find(|stmt| !matches!(stmt, Stmt::Declare(_)));
    first.is_some_and(|stmt| match stmt {
        Stmt::Assert(_) | Stmt::Print(_) => true,
        Stmt::Block(_, body) => misplaced_d_step(body),
        Stmt::Choice(_, options) => options.iter().any(misplaced_d_step),
        Stmt::Labelled(_, inner) => matches!(**inner, Stmt::Assert(_) | Stmt::Print(_)),
        _ => false,
    })
}
