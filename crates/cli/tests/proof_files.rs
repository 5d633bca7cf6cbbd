//! Certificates of Boolean programs and pushdown systems as files: written by `check --certificate`, accepted by `certify`,
//! refused with the place where they are damaged; a message where there is none.

mod support;

use support::{Scratch, root};

/// Models that are proved.
const PROVED: &[&str] = &["boolprog/recursion/even_odd.bp", "boolprog/recursion/matching.bp", "pds/never.pds"];

fn model(name: &str) -> String {
    root().join("corpus").join(name).display().to_string()
}

#[test]
fn proofs_are_written_and_accepted() {
    let scratch = Scratch::new("proofs-accepted");
    for name in PROVED {
        let model = model(name);
        let checked = scratch.run(&["check", &model, "--certificate", "proof.txt"]);
        assert_eq!(checked.code, 0, "{name}: {}{}", checked.out, checked.err);
        assert!(checked.out.contains("the independent checker accepted the certificate"), "{name}: {}", checked.out);
        let certified = scratch.run(&["certify", &model, "proof.txt"]);
        assert_eq!(certified.code, 0, "{name}: {}{}", certified.out, certified.err);
        assert!(certified.out.starts_with("proved: no "), "{name}: {}", certified.out);
    }
}

#[test]
fn damaged_proofs_are_refused_with_the_place() {
    let scratch = Scratch::new("proofs-damaged");
    for name in PROVED {
        let model = model(name);
        assert_eq!(scratch.run(&["check", &model, "--certificate", "proof.txt"]).code, 0);
        let proof = scratch.read("proof.txt");
        let lines: Vec<&str> = proof.lines().collect();
        let claim = lines.iter().rposition(|line| line.starts_with("at ") || line.starts_with("top "));
        let claim = claim.expect("a proof says something");
        let without: String = proof
            .lines()
            .enumerate()
            .filter(|(number, _)| *number != claim)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let damaged = [
            (proof.replacen("proof 1", "proof 2", 1), "F0001"),
            (format!("{proof}nonsense here\n"), "F0001"),
            (format!("{proof}thread nobody\n"), if name.ends_with("pds") { "F0001" } else { "F0002" }),
            (without, "F0003"),
        ];
        for (text, code) in damaged {
            scratch.write("damaged.txt", &text);
            let refused = scratch.run(&["certify", &model, "damaged.txt", "--format", "short"]);
            assert_eq!(refused.code, 2, "{name}: {}{}", refused.out, refused.err);
            let place = refused.err.starts_with("damaged.txt:");
            assert!(place && refused.err.contains(code), "{name}, {code}: {}", refused.err);
        }
    }
}

#[test]
fn a_proof_of_another_model_is_refused() {
    let scratch = Scratch::new("proofs-other");
    assert_eq!(scratch.run(&["check", &model(PROVED[0]), "--certificate", "proof.txt"]).code, 0);
    for other in ["boolprog/classic/peterson.bp", "pds/never.pds"] {
        let refused = scratch.run(&["certify", &model(other), "proof.txt"]);
        assert_eq!(refused.code, 2, "{other}: {}{}", refused.out, refused.err);
    }
    let refused =
        scratch.run(&["certify", &root().join("docs/book/models/lock.spec").display().to_string(), "proof.txt"]);
    assert_eq!(refused.code, 2, "{}{}", refused.out, refused.err);
}

#[test]
fn where_there_is_no_certificate_the_answer_states_it() {
    let scratch = Scratch::new("proofs-none");
    let peterson = model("boolprog/classic/peterson.bp");
    let violated = model("pds/handoff.pds");
    for (args, code, message) in [
        (vec!["check", &peterson, "--rounds", "2"], 0, "no certificate was written: the answer covers only runs with"),
        (vec!["check", &violated], 1, "no certificate was written: the answer is a violation"),
        (vec!["check", &peterson, "--engine", "explicit"], 2, "--certificate is only for the symbolic engine"),
    ] {
        let ran = scratch.run(&[&args[..], &["--certificate", "none.txt"]].concat());
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
        let stderr = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(message), "{args:?}: {}", ran.err);
        assert!(!scratch.path("none.txt").exists());
    }
}
