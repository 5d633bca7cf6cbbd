//! Input that somebody else wrote: it may not make the command wait, read what is none of its business, show it, or talk
//! to a terminal or a runner.
#![cfg(unix)]

mod support;

use std::os::unix::fs::symlink;
use std::process::Command;

use support::{HOLDS, RACE, Ran, Scratch, ran};

const SECRET: &str = "hunter2";

fn pipe(scratch: &Scratch, name: &str) {
    let made = Command::new("mkfifo").arg(scratch.path(name)).status().expect("mkfifo");
    assert!(made.success());
}

#[test]
fn pipes_devices_and_directories_are_no_inputs() {
    let scratch = Scratch::new("hostile-kinds");
    scratch.write("race.pml", RACE);
    scratch.write("directory/x", "");
    for ending in ["pml", "bp", "pds", "dcps", "spec", "tts", "json"] {
        pipe(&scratch, &format!("pipe.{ending}"));
        symlink("/dev/zero", scratch.path(&format!("zero.{ending}"))).expect("a link");
        symlink("directory", scratch.path(&format!("directory.{ending}"))).expect("a link");
    }
    let refused = |args: &[&str]| {
        let Ran { code, out, err } = scratch.run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        let words = err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("not a regular file") || words.contains("is a directory"), "{args:?}: {err}");
    };
    for kind in ["pipe", "zero", "directory"] {
        for ending in ["pml", "bp", "pds", "dcps", "spec", "tts"] {
            let model = format!("{kind}.{ending}");
            refused(&["check", &model]);
            refused(&["simulate", &model]);
        }
        let (model, document) = (format!("{kind}.pml"), format!("{kind}.json"));
        scratch.write("including.pml", &format!("#include \"{model}\"\n"));
        refused(&["check", "including.pml", "--allow-include-anywhere"]);
        scratch.write("net.tts", "1 1\n");
        refused(&["replay", &document]);
        refused(&["view", &document]);
        refused(&["view", &document, "--model", &model]);
        refused(&["simulate", "--replay", &document]);
        refused(&["swarm", "merge", &document]);
        refused(&["swarm", &model]);
        refused(&["convert", &format!("{kind}.spec"), "out.dcps"]);
        refused(&["sequentialize", &format!("{kind}.bp"), "--rounds", "2"]);
    }
    scratch.write("lock.spec", "vars a\nrules\na >= 1 -> a' = a - 1;\ninit\na = 1\ntarget\na >= 2\n");
    refused(&["certify", "lock.spec", "pipe.json"]);
    refused(&["certify", "lock.spec", "zero.json"]);
}

#[test]
fn a_file_has_a_largest_size() {
    let scratch = Scratch::new("hostile-size");
    let file = std::fs::File::create(scratch.path("big.pml")).expect("a file");
    file.set_len((64 << 20) + 1).expect("a sparse file");
    let Ran { code, err, .. } = scratch.run(&["check", "big.pml"]);
    assert!(code == 2 && err.contains("more than 64 MiB"), "{err}");
}

#[test]
fn includes_stay_inside_of_the_models_directory() {
    let scratch = Scratch::new("hostile-includes");
    scratch.write("elsewhere/x.h", &format!("byte {SECRET};\n"));
    symlink(scratch.path("elsewhere"), scratch.path("way")).expect("a link");
    scratch.write("own/sub/in.h", "byte x;\n");
    symlink(scratch.path("elsewhere/x.h"), scratch.path("own/link.h")).expect("a link");
    let absolute = scratch.path("elsewhere/x.h").display().to_string();
    for include in ["../elsewhere/x.h", "link.h", "sub/../../way/x.h", absolute.as_str()] {
        scratch.write("own/m.pml", &format!("#include \"{include}\"\nactive proctype p() {{ assert(true) }}\n"));
        let Ran { code, err, .. } = scratch.run(&["check", "own/m.pml"]);
        assert_eq!(code, 2, "{include}: {err}");
        assert!(err.contains("outside of the model's directory") && !err.contains(SECRET), "{include}: {err}");
        let permitted = scratch.run(&["check", "own/m.pml", "--allow-include-anywhere"]);
        assert_eq!(permitted.code, 0, "{include}: {}", permitted.err);
    }
    scratch.write("own/m.pml", "#include \"sub/in.h\"\nactive proctype p() { assert(x == 0) }\n");
    assert_eq!(scratch.run(&["check", "own/m.pml"]).code, 0);
}

#[test]
fn what_is_no_model_is_not_shown() {
    let scratch = Scratch::new("hostile-contents");
    scratch.write("secrets", &format!("password {SECRET}\n"));
    symlink("secrets", scratch.path("innocent.pml")).expect("a link");
    symlink("secrets", scratch.path("innocent.bp")).expect("a link");
    scratch.write("m.pml", "#include \"secrets\"\nactive proctype p() { skip }\n");
    let model = scratch.path("secrets").display().to_string();
    let commands: [&[&str]; 5] = [
        &["check", "innocent.pml"],
        &["check", "innocent.bp"],
        &["check", "m.pml"],
        &["check", &model, "--language", "promela"],
        &["simulate", "innocent.pml", "--format", "short"],
    ];
    for command in commands {
        let Ran { code, out, err } = scratch.run(command);
        assert_eq!(code, 2, "{command:?}");
        assert!(!out.contains(SECRET) && !err.contains(SECRET), "{command:?}: {err}");
        assert!(err.contains("is not a model"), "{command:?}: {err}");
    }
    // A model may be called anything.
    scratch.write("model", "byte x;\nactive proctype p() { y = 1 }\n");
    let Ran { err, .. } = scratch.run(&["check", "model", "--language", "promela"]);
    assert!(err.contains("y = 1"), "{err}");
}

#[test]
fn a_trace_brings_no_other_file_into_the_view() {
    let scratch = Scratch::new("hostile-view");
    scratch.write("race.pml", RACE);
    scratch.write("secrets", &format!("password {SECRET}\n"));
    scratch.write("secrets.rs", &format!("// {SECRET}\n"));
    let Ran { code, .. } = scratch.run(&["check", "race.pml", "--trace-out", "t.json", "--quiet"]);
    assert_eq!(code, 1);
    let honest = scratch.read("t.json");
    let view = |trace: &str| {
        scratch.write("hostile.json", trace);
        let ran = scratch.run(&["view", "hostile.json", "-o", "-"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran
    };
    assert!(view(&honest).out.contains("byte x, done"));
    let secrets = scratch.path("secrets").display().to_string();
    for file in ["secrets", secrets.as_str()] {
        let mut trace: serde_json::Value = serde_json::from_str(&honest).expect("JSON");
        trace["steps"][0]["location"]["file"] = file.into();
        let Ran { out, err, .. } = view(&trace.to_string());
        assert!(!out.contains(SECRET) && out.contains("byte x, done"), "through a step: {err}");
        assert!(
            err.split_whitespace().collect::<Vec<_>>().join(" ").contains("is not among the model's files"),
            "{err}"
        );
        trace["input"]["path"] = file.into();
        let Ran { out, err, .. } = view(&trace.to_string());
        assert!(!out.contains(SECRET) && err.contains("has changed"), "as the model: {err}");
        trace["input"]["sha256"] = "".into();
        assert!(!view(&trace.to_string()).out.contains(SECRET), "without a hash");
        trace["input"]["language"] = "rust".into();
        assert!(!view(&trace.to_string()).out.contains(SECRET), "as Rust");
    }
    // A model that has changed is shown if the user names it.
    scratch.write("race.pml", &format!("{RACE}// changed\n"));
    assert!(!view(&honest).out.contains("byte x, done"));
    let Ran { out, err, .. } = scratch.run(&["view", "t.json", "-o", "-", "--model", "race.pml"]);
    assert!(out.contains("// changed") && err.contains("has changed"), "{err}");
}

#[test]
fn nothing_from_outside_talks_to_the_terminal_or_a_runner() {
    let scratch = Scratch::new("hostile-text");
    let model =
        "active proctype p() { printf(\"\\n::error::owned\\n##[group]owned\\n\u{1b}]0;title\u{7}\"); assert(false) }\n";
    let names = [
        "::warning::owned.pml",
        "a\n::error::owned.pml",
        "\u{1b}[2J\u{9b}5mx.pml",
        "wrong\u{1b}]0;t\u{7}\n::add-mask::x.pml",
    ];
    for name in names {
        let text = if name.starts_with("wrong") { "nonsense ::error::owned \u{1b}[2J\n" } else { model };
        scratch.write(name, text);
        let arguments: [&[&str]; 5] = [
            &["check", name],
            &["check", name, "--quiet", name],
            &["check", name, "--format", "short", "--color", "always"],
            &["simulate", name],
            &["replay", name],
        ];
        for arguments in arguments {
            let Ran { out, err, .. } = scratch.run(arguments);
            for text in [&out, &err] {
                let colored = arguments.contains(&"always");
                let control = |c: char| c.is_control() && c != '\n' && c != '\t' && !(colored && c == '\u{1b}');
                assert!(!text.contains(control), "{arguments:?}: {text:?}");
                assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{arguments:?}: {text}");
                assert!(!text.contains("##["), "{arguments:?}: {text}");
                assert!(!text.contains("\u{1b}[2J") && !text.contains("\u{1b}]"), "{arguments:?}: {text:?}");
            }
        }
    }
    // The command's own orders to a runner reach it.
    scratch.write("race.pml", RACE);
    let own = ran(scratch.command(&["check", "race.pml", "--quiet"]).env("GITHUB_ACTIONS", "true"));
    assert!(own.err.starts_with("::error file=race.pml"), "{}", own.err);
}

#[test]
fn a_project_file_in_force_is_named_in_every_answer() {
    let scratch = Scratch::new("hostile-project");
    scratch.write("selvedge.toml", "[check]\nno-assert = true\n[simulate]\nsteps = 3\n");
    scratch.write("sub/race.pml", RACE);
    let run = |args: &[&str]| ran(scratch.command(args).current_dir(scratch.path("sub")));
    let line = "options from `../selvedge.toml`: --no-assert\n";
    let text = run(&["check", "race.pml"]);
    assert!(text.code == 0 && text.out.ends_with(line), "{}", text.out);
    let quiet = run(&["check", "race.pml", "--quiet"]);
    assert!(quiet.out.lines().count() == 1 && quiet.err.contains(line), "{}", quiet.err);
    let json = run(&["check", "race.pml", "--json"]).json();
    assert_eq!(json["project_file"], serde_json::json!({"path": "../selvedge.toml", "options": ["--no-assert"]}));
    assert!(run(&["simulate", "race.pml"]).out.contains("options from `../selvedge.toml`: --steps=3"));
    let none = run(&["check", "race.pml", "--no-config"]);
    assert!(none.code == 1 && !none.out.contains("selvedge.toml"), "{}", none.out);
    scratch.write("sub/selvedge.toml", "[swarm]\njobs = 2\n");
    let other = run(&["check", "race.pml"]);
    assert!(other.code == 1 && !other.out.contains("options from"), "nothing of it is in force: {}", other.out);
}

#[test]
fn a_project_file_of_another_user_is_not_read() {
    let scratch = Scratch::new("hostile-owner");
    scratch.write("race.pml", RACE);
    scratch.write("selvedge.toml", "[check]\nno-assert = true\n");
    assert_eq!(scratch.run(&["check", "race.pml"]).code, 0);
    // Only the administrator can give a file away.
    if Command::new("chown").arg("65534").arg(scratch.path("selvedge.toml")).status().is_ok_and(|done| done.success()) {
        let Ran { code, err, .. } = scratch.run(&["check", "race.pml"]);
        assert!(code == 1 && err.contains("`selvedge.toml` was not read"), "{err}");
    }
    std::fs::remove_file(scratch.path("selvedge.toml")).expect("removed");
    scratch.write("secrets", &format!("password {SECRET}\n"));
    symlink("secrets", scratch.path("selvedge.toml")).expect("a link");
    let Ran { code, err, .. } = scratch.run(&["check", "race.pml"]);
    assert!(code == 1 && err.contains("was not read") && !err.contains(SECRET), "{err}");
    std::fs::remove_file(scratch.path("selvedge.toml")).expect("removed");
    scratch.write("fine.pml", HOLDS);
    pipe(&scratch, "selvedge.toml");
    assert_eq!(scratch.run(&["check", "fine.pml"]).code, 0, "a pipe is no project file");
}
