//! Certificates of Boolean programs and pushdown systems: found on the syntax tree, then checked as any other file. The
//! search for them is independent of the engine, too. It forgets exactly what the engine's proof forgets, so where it
//! meets a violation, one of the two is wrong.

use selvedge_certificate::boolprog::{NoProof, ProofHead, Property, check, prove};
use selvedge_certificate::diagram::Stopped;
use selvedge_certificate::{Rejected, pushdown};
use selvedge_core::{Budget, Effort};
use selvedge_source::FileId;

use crate::answer::ProofFile;
use crate::model::{BoolModel, Executable, OpenModel};
use crate::refusal::Refusal;
use crate::request::Request;

/// What came of looking for a certificate.
pub(crate) enum Attempt {
    /// The checker accepted it.
    Accepted(ProofFile),
    /// The effort or a limit ended it, or there are none for such a model.
    Unfinished,
}

/// Looks for a certificate of a model that an engine proved to be safe, with so many operations at most, and checks it.
pub(crate) fn certificate(
    request: &Request,
    model: &OpenModel,
    most_operations: u64,
    budget: &Budget,
) -> Result<Attempt, Refusal> {
    match &model.executable {
        Executable::Bool(program) => of_program(request, model, program, most_operations, budget),
        Executable::Pds(_) => of_pushdown_system(model, most_operations, budget),
        Executable::Promela(_) | Executable::Dcps(_) | Executable::Net(_) => Ok(Attempt::Unfinished),
    }
}

fn of_program(
    request: &Request,
    model: &OpenModel,
    program: &BoolModel,
    most_operations: u64,
    budget: &Budget,
) -> Result<Attempt, Refusal> {
    let property = property(request);
    let head = ProofHead { path: &model.path, sha256: &model.sha256 };
    let proof = match prove(&program.syntax, &property, head, budget, most_operations) {
        Ok(proof) => proof,
        Err(NoProof::Stopped(_) | NoProof::Unsupported) => return Ok(Attempt::Unfinished),
        Err(NoProof::TooWeak) => return Err(contradiction(model)),
    };
    match check(&program.syntax, FileId(0), &proof.text, budget) {
        Ok(_) => {}
        Err(Rejected::Stopped(_)) => return Ok(Attempt::Unfinished),
        Err(Rejected::Flaw(flaw)) => return Err(rejected(model, &flaw.message)),
    }
    let size = format!(
        "{} and {}, diagrams of {}",
        count(proof.invariants, "invariant"),
        if proof.summaries == 1 { "1 summary".to_owned() } else { format!("{} summaries", proof.summaries) },
        count(proof.nodes, "node")
    );
    Ok(Attempt::Accepted(ProofFile { text: proof.text, size }))
}

fn of_pushdown_system(model: &OpenModel, most_steps: u64, budget: &Budget) -> Result<Attempt, Refusal> {
    let Executable::Pds(machine) = &model.executable else { return Ok(Attempt::Unfinished) };
    let attempt = pushdown::prove(machine.pds(), Effort { steps: most_steps, stack: 0 }, budget);
    if !attempt.explored.complete {
        return Ok(Attempt::Unfinished);
    }
    let Some(text) = attempt.text(machine.pds(), &model.path, &model.sha256) else {
        return Err(contradiction(model));
    };
    match pushdown::check(machine.pds(), FileId(0), &text, budget) {
        Ok(()) => {
            Ok(Attempt::Accepted(ProofFile { text, size: format!("automata of {}", count(attempt.edges(), "edge")) }))
        }
        Err(Rejected::Stopped(Stopped::Limit(_) | Stopped::Effort)) => Ok(Attempt::Unfinished),
        Err(Rejected::Flaw(flaw)) => Err(rejected(model, &flaw.message)),
    }
}

/// What a request asks to be proved.
pub(crate) fn property(request: &Request) -> Property {
    let asked = &request.properties;
    let labels = asked.reach.clone().map(|reach| vec![reach]);
    Property { assertions: !asked.no_assert, labels: labels.unwrap_or(Property::default().labels) }
}

/// `1 edge`, `2 edges`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

fn contradiction(model: &OpenModel) -> Refusal {
    Refusal::defect(format!(
        "{}: the engine proved that each thread alone, with every change that others make, meets no violation; the \
         independent search for a certificate meets one",
        model.path
    ))
}

fn rejected(model: &OpenModel, flaw: &str) -> Refusal {
    Refusal::defect(format!("{}: the checker rejects the certificate: {flaw}", model.path))
}
