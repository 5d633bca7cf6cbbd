//! The sequential program equivalent to a concurrent one within a bound on its rounds (\[LR\] Section 3.2), as text.

use selvedge_boolprog_syntax::print;
use selvedge_symbolic::{emit_c, sequentialize};

use crate::choice::Choice;
use crate::language::Language;
use crate::model::{LoadedModel, OpenOptions, open};
use crate::refusal::Refusal;
use crate::symbolic::{program_of, unsuited};

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emit {
    /// A Boolean program.
    Bp,
    /// C.
    C,
}

impl Choice for Emit {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Emit::Bp, "bp", "A Boolean program"),
        (Emit::C, "c", "C, with choices and assumptions for C model checkers"),
    ];
}

/// The sequential program of a model in which each thread runs at most `rounds` times.
pub fn sequentialized(model: &LoadedModel, reach: Option<&str>, rounds: u32, emit: Emit) -> Result<String, Refusal> {
    if !matches!(model.language, Language::Bp | Language::Pds) {
        let path = &model.path;
        return Err(Refusal::request(format!(
            "`{path}`: only Boolean programs (.bp) and pushdown systems (.pds) can be sequentialized"
        )));
    }
    let open_model = open(model, &OpenOptions { reach: reach.map(str::to_owned), ..OpenOptions::default() })?;
    if let Some(message) = unsuited(&open_model) {
        return Err(Refusal::request(message));
    }
    let Some((program, _)) = program_of(&open_model) else {
        return Err(Refusal::defect(format!("{}: there is no program", model.path)));
    };
    let sequential = sequentialize::sequentialize(&program, rounds as usize);
    Ok(match emit {
        Emit::Bp => print::program(&sequential),
        Emit::C => emit_c::program(&sequential),
    })
}
