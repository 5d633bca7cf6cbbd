//! `selvedge swarm`: verdicts, what does not go together, scripts that run, results that are put together.

mod support;

use std::process::Command;

use support::{BIG, HOLDS, RACE, Scratch, ran};

const LIVENESS: &str = "byte x;\nactive proctype p() { do :: x = 1 - x od }\nltl again { [] <> (x == 1) }\n";

/// Few states with few preemptions, and more than fit into a small memory with many.
const FAR: &str = "\
byte x[6];
active [6] proctype p() { do :: x[_pid] < 40 -> x[_pid]++ :: else -> break od; assert(x[_pid] == 40) }
";

fn scratch(name: &str) -> Scratch {
    let scratch = Scratch::new(&format!("swarm-{name}"));
    scratch.write("holds.pml", HOLDS);
    scratch.write("race.pml", RACE);
    scratch.write("big.pml", BIG);
    scratch.write("far.pml", FAR);
    scratch.write("liveness.pml", LIVENESS);
    scratch.write("none.pml", "byte x;\nactive proctype p() { x = 1 }\n");
    scratch.write("broken.pml", "active proctype p() { x = }\n");
    scratch
}

#[test]
fn the_simplest_violation_is_shown_and_can_be_replayed() {
    let scratch = scratch("violated");
    let args = ["swarm", "race.pml", "--workers", "2", "--memory-limit", "256M", "--trace-out", "t.json"];
    let swarm = scratch.run(&args);
    assert_eq!(swarm.code, 1, "{}{}", swarm.out, swarm.err);
    let check = scratch.run(&["check", "race.pml", "--trace-out", "check.json"]);
    assert_eq!(swarm.out.lines().next(), check.out.lines().next(), "the same words");
    assert!(swarm.out.contains("══ inc("), "{}", swarm.out);
    assert!(swarm.out.contains("replay: selvedge replay t.json\n"), "{}", swarm.out);
    assert_eq!(scratch.run(&["replay", "t.json"]).code, 1);
    let json = scratch.run(&["swarm", "race.pml", "--workers", "1", "--jobs", "1", "--json"]).json();
    assert_eq!((json["verdict"].as_str(), json["engine"].as_str()), (Some("violated"), Some("swarm")));
    assert_eq!(json["violation"]["preemptions"], 1);
    assert_eq!(json["violation"]["trace"], ".selvedge/race-c44baf40.trace.json");
    assert_eq!(json["searches"].as_array().map(Vec::len), Some(1));
}

#[test]
fn one_exact_search_to_the_end_proves() {
    let scratch = scratch("holds");
    let swarm = scratch.run(&["swarm", "holds.pml", "--memory-limit", "256M", "--json"]);
    assert_eq!(swarm.code, 0, "{}{}", swarm.out, swarm.err);
    assert_eq!(swarm.json()["verdict"], "holds");
    assert_eq!(swarm.json()["stop"], "exhausted");
    let live = scratch.run(&["swarm", "liveness.pml", "--workers", "2", "--jobs", "4", "--json"]);
    assert_eq!(live.code, 0, "{}{}", live.out, live.err);
    assert_eq!(live.json()["verdict"], "holds");
    assert_eq!(live.json()["searches"][1]["name"], "--unbounded");
    let quiet = scratch.run(&["swarm", "holds.pml", "--quiet", "--jobs", "2"]);
    assert!(quiet.out.starts_with("holds: ") && quiet.out.lines().count() == 1, "{}", quiet.out);
}

#[test]
fn a_limit_ends_it_with_what_was_covered() {
    let scratch = scratch("limits");
    let limited = ["swarm", "big.pml", "--workers", "2", "--jobs", "4", "--memory-limit", "64M", "--time-limit", "2s"];
    let swarm = scratch.run(&limited);
    assert_eq!(swarm.code, 3, "{}{}", swarm.out, swarm.err);
    assert!(swarm.out.starts_with("inconclusive: stopped by --"), "{}", swarm.out);
    assert_eq!(swarm.out.lines().filter(|line| line.contains("stopped by the ")).count(), 4, "{}", swarm.out);
    assert!(!swarm.out.contains("holds"), "{}", swarm.out);
}

#[test]
fn a_bound_that_is_asked_for_is_answered() {
    let scratch = scratch("bound");
    let json = |args: &[&str]| {
        let swarm = scratch.run(&[&["swarm", "--json", "--memory-limit", "512M"], args].concat());
        (swarm.code, swarm.json())
    };
    let (code, within) = json(&["race.pml", "--max-bound", "0"]);
    assert_eq!((code, within["verdict"].as_str()), (0, Some("holds-within-bound")), "{within}");
    assert_eq!((within["bound"]["value"].as_u64(), within["coverage"]["exact"]["value"].as_u64()), (Some(0), Some(0)));
    let one = ["far.pml", "--jobs", "1", "--workers", "1", "--memory-limit", "24M"];
    let far = |more: &[&str]| {
        let swarm = scratch.run(&[&["swarm"], &one[..], more].concat());
        (swarm.code, swarm.out)
    };
    let (code, whatever) = far(&[]);
    assert!(code == 0 && whatever.starts_with("holds within the bound: no violation with at most "), "{whatever}");
    assert!(whatever.contains("stopped by the memory limit; no violation with at most "), "{whatever}");
    let bound_0 = scratch.run(&["check", "far.pml", "--preemptions", "0"]);
    let head = |text: &str| text.lines().take(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(head(&whatever), head(&bound_0.out), "the figures are those of the bound");
    let (code, asked) = far(&["--max-bound", "1000"]);
    assert!(code == 3 && asked.starts_with("inconclusive: stopped by --memory-limit"), "{asked}");
    assert!(asked.contains("\nno violation with at most "), "{asked}");
    let (code, nothing) = json(&["none.pml", "--no-deadlock"]);
    assert_eq!((code, nothing["verdict"].as_str()), (4, Some("inconclusive")), "{nothing}");
}

#[test]
fn conflicting_options_are_refused() {
    let scratch = scratch("refused");
    let table = [
        ("swarm", "FILE"),
        ("swarm missing.pml", "missing.pml"),
        ("swarm broken.pml", "error"),
        ("swarm holds.pml race.pml", "race.pml"),
        ("swarm holds.pml --workers 0", "--workers"),
        ("swarm holds.pml --jobs 0", "--jobs"),
        ("swarm holds.pml --emit pbs", "pbs"),
        ("swarm holds.pml -o script.sh", "--emit"),
        ("swarm holds.pml --emit shell --json", "--json"),
        ("swarm holds.pml --emit shell --trace-out t.json", "--trace-out"),
        ("swarm holds.pml --emit shell -o missing/script.sh", "missing/script.sh"),
        ("swarm holds.pml --ltl [](x<2) --no-claim", "--no-claim"),
        ("swarm liveness.pml --ltl again --non-progress", "--no-claim"),
        ("swarm holds.pml --store compact", "--store"),
        ("swarm merge", "RESULT.json"),
        ("swarm merge missing.json", "missing.json"),
        ("swarm merge holds.pml", "not a result"),
        ("check holds.pml --seed 3 --search dfs", "--seed"),
        ("check liveness.pml --seed 3", "--seed"),
        ("check holds.pml --seed 3 --unbounded", "--seed"),
    ];
    support::assert_refused(&scratch, &table);
}

#[test]
fn a_seed_changes_the_order_and_not_the_answer() {
    let scratch = scratch("seed");
    let figures = |args: &[&str]| {
        let json = scratch.run(&[&["check", "--json", "--continue", "race.pml"], args].concat()).json();
        (
            json["stats"]["states"].as_u64(),
            json["stats"]["transitions"].as_u64(),
            json["violation"]["preemptions"].as_u64(),
        )
    };
    let plain = figures(&[]);
    for seed in ["0", "1", "2", "18446744073709551615"] {
        assert_eq!(figures(&["--seed", seed]), plain);
        assert_eq!(figures(&["--seed", seed, "--store", "compact"]), plain);
    }
}

/// Saves the result of a check.
fn save(scratch: &Scratch, name: &str, args: &[&str]) {
    scratch.write(name, &scratch.run(&[&["check", "--json"], args].concat()).out);
}

/// Results of searches that differ, and an empty one.
fn results(name: &str) -> Scratch {
    let scratch = scratch(name);
    save(
        &scratch,
        "bits1.json",
        &[
            "far.pml",
            "--preemptions",
            "0",
            "--store",
            "bitstate",
            "--bitstate-bytes",
            "1K",
            "--seed",
            "1",
            "--max-states",
            "2000",
        ],
    );
    save(&scratch, "race0.json", &["race.pml", "--preemptions", "0"]);
    save(
        &scratch,
        "bits.json",
        &["race.pml", "--preemptions", "0", "--store", "bitstate", "--bitstate-bytes", "4K", "--seed", "5"],
    );
    save(
        &scratch,
        "bits2.json",
        &["race.pml", "--preemptions", "0", "--store", "bitstate", "--bitstate-bytes", "4K", "--seed", "6"],
    );
    save(&scratch, "race.json", &["race.pml", "--trace-out", "race.trace.json"]);
    save(&scratch, "no-assert.json", &["race.pml", "--no-assert"]);
    save(&scratch, "counted.json", &["race.pml", "--preemptions", "0", "--count-busy-wait"]);
    save(&scratch, "ltl1.json", &["race.pml", "--ltl", "[] (x < 3)"]);
    save(&scratch, "ltl2.json", &["race.pml", "--ltl", "[] (x < 4)"]);
    scratch.write("empty.json", "");
    scratch
}

fn merge(scratch: &Scratch, args: &[&str]) -> support::Ran {
    scratch.run(&[&["swarm", "merge"], args].concat())
}

#[test]
fn results_are_merged() {
    let scratch = results("merge");
    let merge = |args: &[&str]| merge(&scratch, args);
    let within = merge(&["race0.json", "bits.json", "empty.json"]);
    assert_eq!(within.code, 0, "{}{}", within.out, within.err);
    assert!(
        within.out.starts_with("holds within the bound: no violation with at most 0 preemptions;"),
        "{}",
        within.out
    );
    assert!(within.err.contains("`empty.json` is empty"), "{}", within.err);
    assert!(within.out.contains("left no result"), "{}", within.out);
    assert_eq!(merge(&["race0.json", "--max-bound", "1"]).code, 3);

    let lossy = merge(&["bits.json", "bits2.json", "bits2.json"]);
    assert_eq!(lossy.code, 3, "{}{}", lossy.out, lossy.err);
    assert!(lossy.out.starts_with("inconclusive: only searches that may miss states"), "{}", lossy.out);
    assert!(lossy.out.contains("(2 searches with different hash functions together)"), "{}", lossy.out);
    let json = merge(&["bits.json", "bits2.json", "--json"]).json();
    let missed = |name: &str| {
        let one: serde_json::Value = serde_json::from_str(&scratch.read(name)).expect("JSON");
        1.0 - one["search"]["omission"]["expected-coverage"].as_f64().expect("a share")
    };
    let together = json["coverage"]["lossy"][0]["expected_missed"].as_f64().expect("a share");
    assert!(missed("bits.json") > 0.0, "an array of 4K is not empty");
    assert!((together - missed("bits.json") * missed("bits2.json")).abs() < 1e-15, "{json}");

    let violated = merge(&["race0.json", "bits.json", "race.json"]);
    assert_eq!(violated.code, 1, "{}{}", violated.out, violated.err);
    assert!(violated.out.contains("replay: selvedge replay race.trace.json"), "{}", violated.out);
    assert!(violated.out.contains("no violation with at most 0 preemptions"), "{}", violated.out);
}

#[test]
fn results_that_differ_in_more_than_the_search_are_not_merged() {
    let scratch = results("merge-refused");
    let merge = |args: &[&str]| merge(&scratch, args);
    let mixed = [
        (["race.json", "bits1.json"], "different models"),
        (["race.json", "no-assert.json"], "different properties"),
        (["ltl1.json", "ltl2.json"], "different properties"),
        (["race0.json", "counted.json"], "--count-busy-wait"),
        (["empty.json", "empty.json"], "none of the files"),
    ];
    for (files, words) in mixed {
        let ran = merge(&files);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{files:?}: {}", ran.err);
        assert!(support::on_one_line(&ran.err).contains(words), "{files:?}: {}", ran.err);
    }
}

/// Runs a script with `sh` where the model is.
#[cfg(unix)]
fn sh(scratch: &Scratch, script: &str, args: &[&str], set: &[(&str, &str)]) -> support::Ran {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command.arg(script).args(args).current_dir(scratch.path("."));
    command.env("SELVEDGE", env!("CARGO_BIN_EXE_selvedge")).env_remove("SWARM_OUT");
    command.env("PATH", format!("{}:{path}", scratch.path("bin").display()));
    command.envs(set.iter().copied());
    ran(&mut command)
}

#[cfg(unix)]
#[test]
fn a_shell_script_runs_the_searches_and_merges_them() {
    let scratch = scratch("shell");
    let name = "it's a $(model).pml";
    scratch.write(name, RACE);
    let emit = |file: &str, kind: &str, script: &str, more: &[&str]| {
        let args = ["swarm", file, "--emit", kind, "-o", script, "--workers", "2", "--memory-limit", "256M"];
        let written = scratch.run(&[&args[..], more].concat());
        assert_eq!(written.code, 0, "{}", written.err);
        assert!(written.out.contains("searches; to run them: sh "), "{}", written.out);
    };
    emit(name, "shell", "run it.sh", &["--ltl", "[] (x < 3)", "--no-assert"]);
    let held = sh(&scratch, "run it.sh", &[], &[]);
    assert_eq!(held.code, 0, "{}{}", held.out, held.err);
    assert!(held.out.starts_with("holds: "), "{}", held.out);
    assert_eq!(held.err, "");
    assert!(scratch.path("it's a $(model).swarm/search-8.json").is_file());

    emit(name, "shell", "violated.sh", &["--time-limit", "5m", "--jobs", "3"]);
    let violated = sh(&scratch, "violated.sh", &[], &[("SWARM_OUT", "other place")]);
    assert_eq!(violated.code, 1, "{}{}", violated.out, violated.err);
    assert!(violated.out.starts_with("violated: ") && violated.out.contains("replay: "), "{}", violated.out);
    assert!(scratch.path("other place/violated").is_file());

    emit("race.pml", "shell", "within.sh", &["--max-bound", "0", "--jobs", "2"]);
    let within = sh(&scratch, "within.sh", &[], &[]);
    assert_eq!(within.code, 0, "{}{}", within.out, within.err);
    assert!(within.out.starts_with("holds within the bound: "), "{}", within.out);
}

#[cfg(unix)]
#[test]
fn parallel_and_slurm_are_given_what_they_need() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = scratch("cluster");
    let program = |name: &str, text: &str| {
        scratch.write(&format!("bin/{name}"), text);
        let path = scratch.path(&format!("bin/{name}"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    };
    // Stand-ins that do with the arguments what the programs do.
    program(
        "parallel",
        "#!/bin/sh\n[ \"$1 $2 $3 $4 $5\" = '--jobs 2 --halt now,fail=1 --quote' ] || exit 9\n\
         [ \"$6 $8 $9\" = 'sh {} :::' ] || exit 9\nscript=$7\nshift 9\n\
         for n in \"$@\"; do sh \"$script\" \"$n\" || exit 1; done\n",
    );
    program(
        "sbatch",
        "#!/bin/sh\necho \"$@\" >>calls\ncase $1 in\n\
         --parsable) for n in 1 2 3; do SLURM_ARRAY_TASK_ID=$n sh \"$2\" || :; done; echo '17;cluster' ;;\n\
         --dependency=afterany:17) SLURM_ARRAY_TASK_ID=1 sh \"$4\" \"$5\" >\"${3#--output=}\" ;;\n*) exit 9 ;;\nesac\n",
    );
    let emit = |kind: &str| {
        let args = ["swarm", "race.pml", "--emit", kind, "--workers", "2", "--jobs", "3", "--memory-limit", "256M"];
        let written = scratch.run(&[&args[..], &["--time-limit", "10m"]].concat());
        assert_eq!(written.code, 0, "{}", written.err);
        scratch.write(&format!("{kind}.sh"), &written.out);
        written.out
    };
    emit("parallel");
    let answer = sh(&scratch, "parallel.sh", &[], &[]);
    assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
    assert!(answer.out.starts_with("violated: "), "{}", answer.out);
    assert_eq!(sh(&scratch, "parallel.sh", &["99"], &[]).code, 2);

    let text = emit("slurm");
    for line in ["#SBATCH --array=1-3%2", "#SBATCH --mem=384M", "#SBATCH --time=7"] {
        assert!(text.lines().take(10).any(|l| l == line), "{line}: {text}");
    }
    let submitted = sh(&scratch, "slurm.sh", &[], &[]);
    assert!(submitted.out.contains("race.swarm/answer.txt"), "{}{}", submitted.out, submitted.err);
    assert!(
        scratch.read("race.swarm/answer.txt").starts_with("violated: "),
        "{}",
        scratch.read("race.swarm/answer.txt")
    );
    assert_eq!(scratch.read("calls").lines().count(), 2);
}

/// Starts a swarm that does not end by itself; returns when its first search runs.
#[cfg(unix)]
fn start_unbounded(scratch: &Scratch) -> std::process::Child {
    let args = ["swarm", "big.pml", "--workers", "2", "--jobs", "2", "--memory-limit", "8G"];
    let mut command = scratch.command(&args);
    std::fs::create_dir_all(scratch.path("tmp")).expect("a directory");
    command.env("TMPDIR", scratch.path("tmp")).stdout(std::process::Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    wait_for("the first search", || files(scratch).iter().any(|(name, _)| name == "search-1.json"));
    child
}

/// The files of the searches, with their sizes.
#[cfg(unix)]
fn files(scratch: &Scratch) -> Vec<(String, u64)> {
    let list = |path: std::path::PathBuf| {
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let name = |path: &std::path::Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    list(scratch.path("tmp")).into_iter().flat_map(list).map(|path| (name(&path), size(&path))).collect()
}

#[cfg(unix)]
fn wait_for(what: &str, mut seen: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if seen() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("waited in vain for {what}");
}

#[cfg(unix)]
fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

#[cfg(unix)]
#[test]
fn an_interrupted_swarm_reports_what_it_covered_and_leaves_nothing_behind() {
    let scratch = scratch("interrupted");
    let child = start_unbounded(&scratch);
    signal(&child, "INT");
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{out}");
    assert!(out.starts_with("inconclusive: interrupted after "), "{out}");
    assert_eq!(out.matches("stopped; no violation found, ").count(), 2, "{out}");
    assert_eq!(std::fs::read_dir(scratch.path("tmp")).expect("the directory").count(), 0);
}

#[cfg(unix)]
#[test]
fn searches_do_not_outlive_their_swarm() {
    let scratch = scratch("orphans");
    let mut child = start_unbounded(&scratch);
    signal(&child, "KILL");
    child.wait().expect("it ends");
    // Each prints its result when it ends.
    wait_for("the searches to end", || files(&scratch).iter().any(|(name, size)| name == "search-1.json" && *size > 0));
}
