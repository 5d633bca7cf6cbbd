//! Claims to channels (`xr`, `xs`), added to a program that has none: many of them are wrong, so that a search has violations
//! to find.

use crate::ast::*;
use crate::rng::Rng;

/// The program with random claims at the start of its processes: to global channels, and to those that are parameters.
pub fn with_claims(mut program: Program, seed: u64, index: u64) -> Program {
    let mut rng = Rng::new(seed, index);
    let global: Vec<String> = program.globals.iter().filter_map(claimable).collect();
    for process in &mut program.processes {
        let params = process.params.iter().filter(|param| param.ty == Type::Chan && param.len.is_none());
        let channels = global.iter().cloned().chain(params.map(|param| param.name.clone()));
        let claims: Vec<Stmt> = channels
            .flat_map(|name| ["xr", "xs"].map(|word| format!("{word} {name}")))
            .filter(|_| rng.percent(20))
            .map(Stmt::Text)
            .collect();
        process.body.splice(0..0, claims);
    }
    program
}

/// The name by which a channel is claimed; of an array, the first element.
fn claimable(var: &Var) -> Option<String> {
    let is_channel = var.ty == Type::Chan && matches!(var.init, Init::Channel(..));
    is_channel.then(|| if var.len.is_some() { format!("{}[0]", var.name) } else { var.name.clone() })
}
