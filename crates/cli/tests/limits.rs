//! Limits hold in every phase: what a check does when it does not look at its budget is ended from outside, with an
//! answer that says so. A run that did not end would be killed here after a minute; how precise limits are is measured by
//! `bench/limits/matrix.py`.

mod support;

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use support::schema::Validator;
use support::{BIG, RACE, Ran, Scratch};

/// One atomic sequence with four billion states.
const ATOMIC_STATES: &str = "int i;\nactive proctype P() { atomic { do :: i++ od }; assert(i == 0) }\n";

const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a run that must end; one that does not is killed and fails the test.
fn ended(mut child: Child) -> Ran {
    let start = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the run did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("output");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn started(scratch: &Scratch, args: &[&str]) -> Child {
    scratch.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn run(scratch: &Scratch, args: &[&str]) -> Ran {
    ended(started(scratch, args))
}

fn repeated(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// Models that take long to read or to prepare.
fn blow_ups() -> Vec<(&'static str, String)> {
    let process = |body: String| format!("active proctype p() {{\n{body}assert(true) }}\n");
    let types = repeated(6, |i| match i {
        0 => "typedef T0 { byte a[250] };\n".to_owned(),
        _ => format!("typedef T{i} {{ T{} a[250] }};\n", i - 1),
    });
    let macros = repeated(12, |i| match i {
        0 => "#define M0(x) x x x x x x x x x x\n".to_owned(),
        _ => format!("#define M{i}(x) M{}(M{}(x))\n", i - 1, i - 1),
    });
    vec![
        ("labels", process(repeated(50_000, |i| format!("L{i}: skip;\n")))),
        ("gotos", process("L: skip;\n".to_owned() + &repeated(100_000, |_| "goto L;\n".to_owned()))),
        ("variables", repeated(300_000, |i| format!("byte v{i};\n")) + &process(String::new())),
        ("types", types + "T5 x;\n" + &process(String::new())),
        ("macros", macros + &process("M11(skip;)".to_owned())),
        ("channels", "chan c[250] = [65535] of { int, int, int };\n".to_owned() + &process("c[0]!1,2,3;\n".to_owned())),
    ]
}

#[test]
fn reading_and_preparing_a_model_obey_the_limits() {
    let scratch = Scratch::new("limits-front-end");
    let schema = Validator::new("docs/schemas/check.schema.json", &[]);
    for (name, model) in blow_ups() {
        let file = format!("{name}.pml");
        scratch.write(&file, &model);
        let ran = run(
            &scratch,
            &["check", &file, "--time-limit", "300ms", "--memory-limit", "150M", "--json", "--no-deadlock"],
        );
        match ran.code {
            // Too large is a diagnostic, too; a fast machine may even be done.
            2 => assert!(ran.err.contains("error["), "{name}: {}", ran.err),
            0 => {}
            code => {
                let json = ran.json();
                assert_eq!((code, json["verdict"].as_str()), (3, Some("inconclusive")), "{name}: {}", ran.err);
                assert!(["time-limit", "memory-limit"].contains(&json["stop"].as_str().unwrap_or_default()), "{name}");
                assert_eq!(schema.complaints(&json), Vec::<String>::new(), "{name}");
                let peak = json["stats"]["peak_memory_bytes"].as_u64().unwrap_or(u64::MAX);
                assert!(peak < 300 << 20, "{name}: {peak}");
            }
        }
    }
}

#[test]
fn an_atomic_loop_obeys_every_limit() {
    let scratch = Scratch::new("limits-atomic");
    scratch.write("states.pml", ATOMIC_STATES);
    let time = run(&scratch, &["check", "states.pml", "--time-limit", "500ms"]);
    assert_eq!(time.code, 3, "{}", time.err);
    assert!(time.out.starts_with("inconclusive: stopped by --time-limit after 0."), "{}", time.out);
    let memory = run(&scratch, &["check", "states.pml", "--memory-limit", "100M", "--json"]);
    let json = memory.json();
    assert_eq!((memory.code, json["stop"].as_str()), (3, Some("memory-limit")), "{}", memory.err);
    let peak = json["stats"]["peak_memory_bytes"].as_u64().unwrap_or_default();
    assert!((90 << 20..200 << 20).contains(&peak), "{peak}");
    for search in ["layered", "dfs", "bfs", "spin"] {
        let bound: &[&str] = if search == "spin" { &["--preemptions", "1"] } else { &[] };
        let args = [&["check", "states.pml", "--search", search, "--time-limit", "300ms", "--quiet"], bound].concat();
        let ran = run(&scratch, &args);
        assert!(ran.code == 3 && ran.out.starts_with("inconclusive: "), "{search}: {}{}", ran.out, ran.err);
    }
    // The answers for other programs are written all the same.
    let files =
        run(&scratch, &["check", "states.pml", "--time-limit", "300ms", "--sarif", "x.sarif", "--junit", "x.xml"]);
    assert_eq!(files.code, 3);
    assert!(scratch.read("x.sarif").ends_with("}\n") && scratch.read("x.xml").contains("</testsuites>"));
}

/// Searches that were ended from outside still name what they checked.
#[test]
fn a_swarm_whose_searches_are_ended_is_inconclusive() {
    let scratch = Scratch::new("limits-swarm-atomic");
    scratch.write("states.pml", ATOMIC_STATES);
    let args = ["swarm", "states.pml", "--workers", "1", "--jobs", "2", "--time-limit", "600ms"];
    let ran = run(&scratch, &args);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("inconclusive: stopped by --time-limit"), "{}", ran.out);
    let one = run(&scratch, &["check", "states.pml", "--time-limit", "600ms", "--json"]).json();
    assert_eq!(one["scope"]["checked"][0], "assertions (1)", "{one}");
}

/// Whether a thread spins is asked while it may enter an atomic sequence of any length.
#[test]
fn simulation_does_not_follow_long_atomic_sequences_to_their_end() {
    let scratch = Scratch::new("limits-simulate");
    let text =
        "int y, z;\nactive [2] proctype P() { do :: atomic { z--; do :: y = 3 :: z++ :: break od } :: break od }\n";
    scratch.write("m.pml", text);
    // Two counters: the sequence is wide, too, and can be left everywhere or nowhere.
    let wide = |end: &str| {
        format!(
            "int x, y, z;\nactive [2] proctype P() {{ do :: z = 1 :: atomic {{ y = 2; do :: x-- :: y-- {end} od }} :: break od }}\n"
        )
    };
    scratch.write("wide.pml", &wide(":: break"));
    scratch.write("endless.pml", &wide(""));
    for (file, seeds) in [("m.pml", 1..4), ("wide.pml", 1..4), ("endless.pml", 1..2)] {
        for seed in seeds {
            let ran = run(&scratch, &["simulate", file, "--seed", &seed.to_string(), "--steps", "60", "--quiet"]);
            assert_eq!(ran.code, 0, "{file} {seed}: {}{}", ran.out, ran.err);
        }
    }
}

/// A limit that is met while the last property is searched does not lose the run that violates another one.
#[test]
fn what_was_decided_before_the_limit_is_saved() {
    let scratch = Scratch::new("limits-decided");
    let text = "byte x; int a, b, c;\nactive proctype P() { assert(x == 1) }\n\
                active proctype Q() { do :: a++ :: b++ :: c++ od }\nltl l { [] <> (a != -1 || b != -1) }\n";
    scratch.write("m.pml", text);
    let limits = [["--time-limit", "700ms"], ["--memory-limit", "90M"]];
    for limit in limits {
        let ran = run(&scratch, &[&["check", "m.pml"], &limit[..]].concat());
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        let saved = std::fs::read_dir(scratch.path(".selvedge")).expect("a directory").flatten();
        let traces: Vec<_> =
            saved.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
        assert_eq!(traces.len(), 1, "{traces:?}");
        let replayed = run(&scratch, &["replay", &traces[0].display().to_string(), "--quiet"]);
        assert_eq!(replayed.code, 1, "{}{}", replayed.out, replayed.err);
        std::fs::remove_file(&traces[0]).expect("it is there");
    }
}

/// The recheck explores millions of states here, and to give their memory back takes longer than a limit allows.
#[test]
fn a_limit_of_the_recheck_does_not_change_the_verdict() {
    let scratch = Scratch::new("limits-recheck");
    let text = "decl lock := F, inside := F;
        void worker() begin while (*) do
            atomic_begin; assume(!lock); lock := T; atomic_end;
            assert(!inside); inside := T; inside := F; lock := F;
        od; end
        void main() begin while (*) do start_thread worker(); od; end";
    scratch.write("lock.bp", text);
    for (limit, value) in [("--time-limit", "1500ms"), ("--memory-limit", "200M")] {
        let ran = run(&scratch, &["check", "--json", "--recheck", "full", limit, value, "lock.bp"]);
        let answer: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!((ran.code, &answer["verdict"]), (0, &"holds".into()), "{limit}: {}", ran.err);
        let kind = answer["evidence"]["kind"].as_str();
        assert!(matches!(kind, Some("none" | "sampled")), "{limit}: {}", answer["evidence"]);
    }
}

#[test]
fn a_state_has_a_largest_size() {
    let scratch = Scratch::new("limits-sizes");
    let types = "typedef T0 { byte a[100] };\ntypedef T1 { T0 a[100] };\ntypedef T2 { T1 a[100] };\n";
    let process = "active proctype p() { assert(true) }\n";
    for (name, text) in [
        ("variables", format!("{types}T2 x, y;\n{process}")),
        ("locals", format!("{types}active proctype p() {{ T2 x; T2 y; assert(true) }}\n")),
        ("channels", format!("chan c[250] = [65535] of {{ int, int, int }};\n{process}")),
        ("messages", format!("{types}chan c = [65535] of {{ T2 }};\n{process}")),
        ("both", format!("{types}chan c[65535] = [65535] of {{ int, int, int, T1 }};\n{process}")),
    ] {
        scratch.write("m.pml", &text);
        let ran = run(&scratch, &["check", "m.pml"]);
        assert!(ran.code == 2 && ran.err.contains("error[P1020]"), "{name}: {} {}{}", ran.code, ran.out, ran.err);
    }
    scratch.write("m.pml", &format!("{types}T2 x;\n{process}"));
    assert_eq!(run(&scratch, &["check", "m.pml", "--quiet"]).code, 0);
}

#[test]
fn a_model_that_does_not_end_does_not_hide_the_others() {
    let scratch = Scratch::new("limits-several");
    scratch.write("race.pml", RACE);
    scratch.write("states.pml", ATOMIC_STATES);
    let ran = run(&scratch, &["check", "race.pml", "states.pml", "race.pml", "--time-limit", "400ms", "--quiet"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("race.pml: violated: "), "{}", ran.out);
    assert!(ran.out.contains("states.pml: inconclusive: stopped by --time-limit"), "{}", ran.out);
    // Beside each other, what is answered waits for its turn.
    let args = ["check", "states.pml", "race.pml", "states.pml", "--threads", "2", "--time-limit", "1500ms", "--quiet"];
    let ran = run(&scratch, &args);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("race.pml: violated: "), "{}", ran.out);
    assert!(ran.out.contains("states.pml: inconclusive: stopped by --time-limit"), "{}", ran.out);
}

#[cfg(unix)]
#[test]
fn signals_end_any_phase_with_what_was_covered() {
    let scratch = Scratch::new("limits-signals");
    scratch.write("states.pml", ATOMIC_STATES);
    scratch.write("big.pml", BIG);
    let (_, labels) = blow_ups().swap_remove(0);
    scratch.write("labels.pml", &labels);
    for (model, signal) in
        [("states.pml", "-INT"), ("states.pml", "-TERM"), ("big.pml", "-TERM"), ("labels.pml", "-INT")]
    {
        let child = started(&scratch, &["check", model, "--quiet"]);
        std::thread::sleep(Duration::from_millis(700));
        let sent = std::process::Command::new("kill").arg(signal).arg(child.id().to_string()).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "{model} has ended by itself");
        let Ran { code, out, err } = ended(child);
        assert!(code == 3 && out.starts_with("inconclusive: "), "{model} {signal}: {code} {out}{err}");
    }
}

/// `timeout` sends its signal to the command and again to its group of processes.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_sent_twice_at_once_is_one() {
    let scratch = Scratch::new("limits-twice");
    scratch.write("states.pml", ATOMIC_STATES);
    for _ in 0..4 {
        let child = started(&scratch, &["check", "states.pml", "--quiet"]);
        std::thread::sleep(Duration::from_millis(400));
        let id = child.id().to_string();
        let twice = format!("kill -TERM {id}; kill -TERM {id}");
        let sent = std::process::Command::new("sh").args(["-c", &twice]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "it has ended by itself");
        let Ran { code, out, err } = ended(child);
        assert!(code == 3 && out.starts_with("inconclusive: interrupted"), "{code} {out}{err}");
    }
}

#[test]
fn what_a_state_takes_is_measured() {
    let scratch = Scratch::new("limits-measured");
    scratch.write("big.pml", BIG);
    let json = run(&scratch, &["check", "big.pml", "--max-states", "1000000", "--json", "--recheck", "none"]).json();
    let stats = &json["stats"];
    let (states, peak) =
        (stats["states"].as_f64().expect("states"), stats["peak_memory_bytes"].as_f64().expect("peak"));
    let each = stats["bytes_per_state"].as_f64().expect("bytes");
    assert!((each - peak / states).abs() < 1.0, "{stats}");
}

/// Boolean programs in which every variable of many is open when it is read: a run is one of exponentially many.
fn open_variables() -> Vec<(&'static str, String)> {
    let names: Vec<String> = (0..48).map(|i| format!("g{i}")).collect();
    let each = |word: &dyn Fn(&str) -> String| names.iter().map(|name| word(name)).collect::<Vec<_>>();
    let (list, all) = (names.join(", "), names.join(" & "));
    let global = |body: String| format!("decl {list};\nvoid main() begin\n{body}\nend\n");
    let test = format!("if ({all}) then ERROR: skip; fi");
    let assigned = |values: Vec<String>| global(format!("{list} := {};\n{test}", values.join(", ")));
    let primed = each(&|name| format!("'{name}")).join(" & ");
    let called = |result: &str, body: &str, call: &str| {
        format!(
            "decl {list};\n{result} f({}) begin\n{body}\nend\nvoid main() begin\n{call}\nend\n",
            list.replace('g', "p")
        )
    };
    let (parameters, reversed) = (list.replace('g', "p"), names.iter().rev().cloned().collect::<Vec<_>>().join(", "));
    let test_parameters = test.replace('g', "p");
    vec![
        ("globals", global(test.clone())),
        ("locals", format!("void main() begin\ndecl {list};\n{test}\nend\n")),
        ("star", assigned(each(&|_| "*".to_owned()))),
        ("schoose", assigned(each(&|name| format!("schoose[F, {name}]")))),
        ("parity", global(format!("if ({}) then ERROR: skip; fi", names.join(" ^ ")))),
        ("stars", global(format!("if ({}) then ERROR: skip; fi", each(&|_| "*".to_owned()).join(" & ")))),
        ("constrain", global(format!("{list} := {} constrain ({primed});\nERROR: skip;", ["*"; 48].join(", ")))),
        ("parameters", called("void", &test_parameters, &format!("f({list});"))),
        ("reversed", called("void", &test_parameters, &format!("f({reversed});"))),
        ("results", called("bool<48>", &format!("return {parameters};"), &format!("{list} := f({list});\n{test}"))),
        ("assertion", global(format!("assert(!({all}));"))),
    ]
}

#[test]
fn a_run_of_many_open_variables_is_found_and_replayed_at_once() {
    let scratch = Scratch::new("limits-open");
    for (name, program) in open_variables() {
        let file = format!("{name}.bp");
        scratch.write(&file, &program);
        let ran = run(&scratch, &["check", &file, "--no-save", "--time-limit", "20s"]);
        assert_eq!(ran.code, 1, "{name}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("evidence: replayed by the independent interpreter"), "{name}: {}", ran.out);
    }
}

/// What holds is explored again by the judge, which must not list all values of the variables either.
#[test]
fn many_open_variables_are_rechecked_within_a_budget() {
    let scratch = Scratch::new("limits-recheck");
    for (name, program) in open_variables() {
        let file = format!("{name}.bp");
        scratch.write(&file, &program.replace("ERROR: skip", "assert(T)").replace("assert(!(", "assert(g0 | ("));
        // The proof of a call with open arguments takes many operations on diagrams.
        let recheck = if ["parameters", "reversed", "results"].contains(&name) { "quick" } else { "full" };
        let ran = run(&scratch, &["check", &file, "--no-save", "--time-limit", "20s", "--recheck", recheck]);
        assert_eq!(ran.code, i32::from(name == "assertion"), "{name}: {}{}", ran.out, ran.err);
    }
}

#[cfg(unix)]
#[test]
fn diagrams_fit_into_the_address_space_that_there_is() {
    let scratch = Scratch::new("limits-address-space");
    let (_, program) = open_variables().swap_remove(0);
    scratch.write("m.bp", &program);
    for (kilobytes, options) in [
        (2_000_000, ""),
        (2_000_000, "--memory-limit 200M"),
        (700_000, ""),
        (250_000, ""),
        (250_000, "--analysis eager"),
    ] {
        let selvedge = env!("CARGO_BIN_EXE_selvedge");
        let limited = format!("ulimit -v {kilobytes} && exec '{selvedge}' check m.bp --no-save {options}");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited]).current_dir(scratch.path("")).env_clear();
        let ran = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"));
        assert_eq!(ran.code, 1, "{kilobytes} {options}: {}{}", ran.out, ran.err);
    }
}

/// What is reserved counts there, and a reservation that fails ends the process.
#[cfg(target_os = "linux")]
#[test]
fn searches_end_within_the_address_space_that_there_is() {
    let scratch = Scratch::new("limits-ulimit");
    scratch.write("states.pml", ATOMIC_STATES);
    scratch.write("big.pml", BIG);
    let commands = [
        (250_000, "states.pml"),
        (250_000, "states.pml --memory-limit 4G"),
        (250_000, "big.pml"),
        (250_000, "big.pml --search bfs"),
        (250_000, "big.pml --store compact"),
    ];
    for (kilobytes, words) in commands {
        let selvedge = env!("CARGO_BIN_EXE_selvedge");
        let limited = format!("ulimit -v {kilobytes} && exec '{selvedge}' check {words} --time-limit 30s");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited]).current_dir(scratch.path("")).env_clear();
        let ran = ended(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"));
        assert_eq!(ran.code, 3, "{kilobytes} {words}: {}{}", ran.out, ran.err);
        assert_eq!(ran.err.contains("`ulimit` allows less"), words.contains("4G"), "{}", ran.err);
    }
}

/// The processes that a process has started.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let listed = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    listed.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn the_searches_of_a_swarm_end_with_it() {
    let scratch = Scratch::new("limits-swarm");
    scratch.write("big.pml", BIG);
    let mut swarm = started(&scratch, &["swarm", "big.pml", "--workers", "2"]);
    let start = Instant::now();
    let searches = loop {
        let searches = children(swarm.id());
        if searches.len() == 2 || start.elapsed() > PATIENCE {
            break searches;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(searches.len(), 2, "two searches run");
    // SIGKILL: it cannot tell its searches.
    swarm.kill().expect("it runs");
    swarm.wait().expect("it has ended");
    let runs =
        |id: &u32| std::fs::read_to_string(format!("/proc/{id}/cmdline")).is_ok_and(|line| line.contains("big.pml"));
    let killed = Instant::now();
    while searches.iter().any(runs) {
        assert!(killed.elapsed() < PATIENCE, "searches run on without the swarm");
        std::thread::sleep(Duration::from_millis(5));
    }
}
