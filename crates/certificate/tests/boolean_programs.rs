//! Proofs of random Boolean programs: what the checker accepts is never contradicted by the plain interpreter, what is
//! found for safe programs is accepted, and damaged proofs are refused.

use selvedge_boolprog_judge::{Goals, explore, prove as prove_explicitly};
use selvedge_boolprog_syntax::ast::{Expr, ExprKind, Program, Stmt, StmtKind};
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_certificate::boolprog::{NoProof, ProofHead, ProofText, Property, check, prove};
use selvedge_core::{Budget, Chance, Effort};
use selvedge_source::FileId;

const HEAD: ProofHead<'_> = ProofHead { path: "test.bp", sha256: "0" };
const EFFORT: Effort = Effort { steps: 60_000, stack: 12 };

fn proved(program: &Program) -> Result<ProofText, NoProof> {
    prove(program, &Property::default(), HEAD, &Budget::unlimited(), 5_000_000)
}

fn accepts(program: &Program, text: &str) -> bool {
    check(program, FileId(0), text, &Budget::unlimited()).is_ok()
}

fn shapes() -> [Shape; 4] {
    let plain = Shape { errors: true, ..Shape::default() };
    [
        plain,
        Shape { recursion: true, least_threads: 1, ..plain },
        Shape { atomic_variable: true, ..plain },
        Shape { least_threads: 1, most_threads: 1, locals: 2, recursion: true, ..plain },
    ]
}

/// Programs with their proofs.
fn proofs(count: u64) -> impl Iterator<Item = (u64, Program, Result<ProofText, NoProof>)> {
    let programs = (0..count).map(|seed| (seed, generate(seed, &shapes()[seed as usize % 4])));
    programs.map(|(seed, program)| {
        let proof = proved(&program);
        (seed, program, proof)
    })
}

#[test]
fn the_interpreter_agrees_with_every_proof() {
    let (mut accepted, mut refuted) = (0, 0);
    for (seed, program, proof) in proofs(800) {
        let explored = explore(&program, &Goals::default(), EFFORT, &Budget::unlimited());
        match proof {
            Ok(proof) => {
                let checked = check(&program, FileId(0), &proof.text, &Budget::unlimited());
                assert_eq!(checked.map_err(|why| format!("seed {seed}: {why:?}")).as_ref(), Ok(&Property::default()));
                assert_eq!(explored.violations, [], "seed {seed}");
                accepted += 1;
            }
            Err(NoProof::TooWeak) => refuted += usize::from(!explored.violations.is_empty()),
            Err(other) => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(accepted > 200 && refuted > 200, "{accepted} proved, {refuted} violated");
}

#[test]
fn programs_of_one_thread_are_proved_whenever_they_are_safe() {
    for (seed, program, proof) in proofs(800).filter(|(seed, ..)| seed % 4 == 3) {
        let Some(explicit) = prove_explicitly(&program, &Goals::default(), EFFORT, &Budget::unlimited()) else {
            panic!("seed {seed}")
        };
        if explicit.complete {
            assert_eq!(proof.is_ok(), explicit.confirms(), "seed {seed}");
        }
    }
}

#[test]
fn a_proof_without_one_of_its_lines_is_refused() {
    let claims = ["at ", "call ", "returns ", "changes ", "thread ", "init "];
    for (seed, program, proof) in proofs(200) {
        let Ok(proof) = proof else { continue };
        for (number, line) in proof.text.lines().enumerate() {
            let rest = proof.text.lines().enumerate().filter(|(other, _)| *other != number);
            let rest: String = rest.map(|(_, line)| format!("{line}\n")).collect();
            let is_claim = claims.iter().any(|claim| line.starts_with(claim)) || line.contains(" = ");
            assert!(!is_claim || !accepts(&program, &rest), "seed {seed}: accepted without `{line}`\n{}", proof.text);
        }
    }
}

#[test]
fn a_proof_with_less_in_a_claim_is_refused() {
    for (seed, program, proof) in proofs(200) {
        let Ok(proof) = proof else { continue };
        for line in proof
            .text
            .lines()
            .filter(|line| ["at ", "call ", "returns ", "changes "].iter().any(|claim| line.starts_with(claim)))
        {
            let (start, _) = line.rsplit_once(' ').expect("a claim ends in a diagram");
            let damaged = proof.text.replacen(&format!("{line}\n"), &format!("{start} F\n"), 1);
            assert!(!accepts(&program, &damaged), "seed {seed}: accepted with `{start} F`");
        }
    }
}

#[test]
fn no_proof_is_accepted_for_a_program_with_a_violation() {
    let fails = || Stmt::made(StmtKind::Assert(Expr::made(ExprKind::Const(false))));
    let mut refused = 0;
    for (seed, mut program, proof) in proofs(300) {
        let Ok(proof) = proof else { continue };
        for index in 0..program.functions.len() {
            program.functions[index].body.insert(0, fails());
            if !explore(&program, &Goals::default(), EFFORT, &Budget::unlimited()).violations.is_empty() {
                assert!(!accepts(&program, &proof.text), "seed {seed}");
                refused += 1;
            }
            program.functions[index].body.remove(0);
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn damaged_files_are_refused_for_programs_with_a_violation() {
    let mut chance = Chance::new(3);
    let mut refused = 0;
    for (seed, mut program, proof) in proofs(400) {
        let Ok(proof) = proof else { continue };
        // An assertion that fails makes every file wrong.
        program.functions.iter_mut().for_each(|function| {
            function.body.insert(0, Stmt::made(StmtKind::Assert(Expr::made(ExprKind::Const(false)))));
        });
        if explore(&program, &Goals::default(), EFFORT, &Budget::unlimited()).violations.is_empty() {
            continue;
        }
        for _ in 0..20 {
            let mut bytes = proof.text.clone().into_bytes();
            for _ in 0..1 + chance.below(4) {
                let at = chance.below(bytes.len());
                match chance.below(3) {
                    0 => bytes[at] = b" 0123456789TFd=?:#\n"[chance.below(19)],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(20)),
                }
            }
            let text = String::from_utf8(bytes).expect("ASCII");
            assert!(!accepts(&program, &text), "seed {seed}:\n{text}");
            refused += 1;
        }
    }
    assert!(refused > 1000, "{refused}");
}
