//! Simulation: by chance, by hand, for scripts.

mod support;

use support::{BIG, DEADLOCK, HOLDS, RACE, Scratch};

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(name);
    scratch.write("race.pml", RACE);
    scratch.write("holds.pml", HOLDS);
    scratch.write("big.pml", BIG);
    scratch.write("deadlock.pml", DEADLOCK);
    scratch
}

#[test]
fn a_run_shows_its_output_and_its_end() {
    let scratch = scratch("sim-run");
    let ran = scratch.run(&["simulate", "holds.pml"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("\noutput:\nx is 1\n"), "{}", ran.out);
    assert!(ran.out.contains("\nvalid end after "), "{}", ran.out);
    let cut = scratch.run(&["simulate", "big.pml", "--steps", "7"]);
    assert!(cut.out.contains("step limit: the run was stopped after 7 steps"), "{}", cut.out);
}

#[test]
fn the_seed_decides() {
    let scratch = scratch("sim-seed");
    let run = |seed: &str| scratch.run(&["simulate", "race.pml", "--seed", seed]);
    assert_eq!(run("7").out, run("7").out);
    assert_eq!(run("1").out, scratch.run(&["simulate", "race.pml"]).out);
    let codes: Vec<i32> = (0..30).map(|seed| run(&seed.to_string()).code).collect();
    assert!(codes.contains(&0) && codes.contains(&1), "{codes:?}");
}

#[test]
fn a_violation_is_one() {
    let scratch = scratch("sim-violation");
    let stuck = |seed: u32, more: &[&str]| {
        let seed = seed.to_string();
        scratch.run(&[&["simulate", "deadlock.pml", "--seed", &seed], more].concat())
    };
    let seed = (0..100).find(|seed| stuck(*seed, &[]).code == 1).expect("some run deadlocks");
    assert!(stuck(seed, &[]).out.contains("violated after"));
    let allowed = stuck(seed, &["--no-deadlock"]);
    assert_eq!(allowed.code, 0);
    assert!(allowed.out.contains("deadlock after"), "{}", allowed.out);
}

#[test]
fn scripts_get_json() {
    let scratch = scratch("sim-json");
    let json = scratch.run(&["simulate", "holds.pml", "--json", "--trace-out", "t.json"]).json();
    assert_eq!((json["schema"].as_u64(), json["end"].as_str()), (Some(1), Some("valid-end")));
    assert_eq!((json["output"].as_str(), json["trace"].as_str()), (Some("x is 1\n"), Some("t.json")));
    assert_eq!(json["seed"], 1);
}

#[test]
fn steps_are_chosen_by_number() {
    let scratch = scratch("sim-hand");
    // The first choice again and again is one thread after the other: no update is lost.
    let all = "1\n".repeat(20);
    let ran = scratch.run_with_input(&["simulate", "race.pml", "--interactive"], &all);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("race.pml:5:5") && ran.out.contains("inc(0)") && ran.out.contains("t = x"), "{}", ran.out);
    assert!(ran.out.contains("valid end after"), "{}", ran.out);

    let ran = scratch
        .run_with_input(&["simulate", "race.pml", "--interactive"], "b\n1\nv\nb\n99\nhelp\n1\n2\ns mine.json\nq\n1\n");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for words in
        ["this is the initial state", "x = 0", "`99` is not one of the choices", "saved: mine.json", "stopped after 2"]
    {
        assert!(ran.out.contains(words), "no {words} in\n{}", ran.out);
    }
    let on = scratch.run_with_input(&["simulate", "--replay", "mine.json", "--interactive"], "1\n");
    assert!(on.out.contains("after 2 steps") && on.out.contains("stopped after 3 steps"), "{}", on.out);
    let nothing = scratch.run(&["simulate", "race.pml", "--interactive"]);
    assert_eq!(nothing.code, 0);
}
