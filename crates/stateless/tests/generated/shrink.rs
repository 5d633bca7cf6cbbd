//! Takes a failing program apart: leaves out instructions and unfolds nested ones as long as it still fails.

use super::program::{Ins, Program};

/// A smallest program that still fails.
pub fn shrink(program: &Program, fails: &dyn Fn(&Program) -> bool) -> Program {
    let mut best = program.clone();
    while let Some(smaller) = candidates(&best).into_iter().find(|p| fails(p)) {
        best = smaller;
    }
    best
}

fn candidates(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for (t, code) in program.threads.iter().enumerate() {
        for smaller in smaller_bodies(code) {
            let mut program = program.clone();
            program.threads[t] = smaller;
            if well_formed(&program) {
                all.push(program);
            }
        }
    }
    if program.capacity.is_some() {
        all.push(Program { capacity: None, ..program.clone() });
    }
    all
}

/// Nobody names a thread that is never spawned.
fn well_formed(program: &Program) -> bool {
    let text = format!("{:?}", program.threads);
    (1..program.threads.len()).all(|t| {
        let named = [format!("Join({t})"), format!("IsFinished({t})")];
        text.contains(&format!("Spawn({t})")) || !named.iter().any(|n| text.contains(n))
    })
}

fn smaller_bodies(code: &[Ins]) -> Vec<Vec<Ins>> {
    let mut all = Vec::new();
    for i in 0..code.len() {
        let with = |middle: Vec<Ins>| [&code[..i], &middle, &code[i + 1..]].concat();
        all.push(with(Vec::new()));
        match &code[i] {
            Ins::If(value, inner) => {
                all.push(with(inner.clone()));
                all.extend(smaller_bodies(inner).into_iter().map(|b| with(vec![Ins::If(*value, b)])));
            }
            Ins::Locked(m, inner) => {
                all.extend(smaller_bodies(inner).into_iter().map(|b| with(vec![Ins::Locked(*m, b)])));
            }
            Ins::TryLocked(m, inner) => {
                all.extend(smaller_bodies(inner).into_iter().map(|b| with(vec![Ins::TryLocked(*m, b)])));
            }
            Ins::Reading(inner) => {
                all.push(with(inner.clone()));
                all.extend(smaller_bodies(inner).into_iter().map(|b| with(vec![Ins::Reading(b)])));
            }
            Ins::Writing(inner) => {
                all.push(with(inner.clone()));
                all.extend(smaller_bodies(inner).into_iter().map(|b| with(vec![Ins::Writing(b)])));
            }
            _ => {}
        }
    }
    all
}
