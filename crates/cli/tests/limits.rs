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

#[test]
fn a_model_that_does_not_end_does_not_hide_the_others() {
    let scratch = Scratch::new("limits-several");
    scratch.write("race.pml", RACE);
    scratch.write("states.pml", ATOMIC_STATES);
    let ran = run(&scratch, &["check", "race.pml", "states.pml", "race.pml", "--time-limit", "400ms", "--quiet"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("race.pml: violated: "), "{}", ran.out);
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
