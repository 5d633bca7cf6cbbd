//! One table of options: help, manual, completions, the reference of the book and the project's file all have the same.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

use support::{BIG, HOLDS, RACE, Scratch, root};

const COMMANDS: &[&str] = &["check", "simulate", "replay", "ltl", "sequentialize", "swarm", "explain", "config"];

/// The long options that the help of a command names.
fn options_in_help(scratch: &Scratch, command: &str) -> BTreeSet<String> {
    let help = scratch.run(&[command, "--help"]).out;
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = |line: &str| {
        let word = line.split([' ', ',', '=']).find(|word| word.starts_with("--"))?.trim_start_matches('-');
        // A line of help that was wrapped may begin with the name of another option.
        word.chars().all(|c| c.is_ascii_lowercase() || c == '-').then(|| word.to_owned())
    };
    lines.filter_map(long).collect()
}

#[test]
fn every_option_is_everywhere() {
    let scratch = Scratch::new("everywhere");
    let reference = scratch.run(&["reference"]).out;
    let shells: Vec<(&str, String)> =
        ["bash", "zsh", "fish", "powershell"].map(|shell| (shell, scratch.run(&["completions", shell]).out)).into();
    for command in COMMANDS {
        let options = options_in_help(&scratch, command);
        assert!(options.contains("no-config"), "{command}: {options:?}");
        let manual = scratch.run(&["man", command]).out.replace("\\-", "-");
        let section = reference.split(&format!("## `selvedge {command}`")).nth(1).unwrap_or_default();
        let section = section.split("\n## `selvedge ").next().unwrap_or_default();
        for option in options.iter().filter(|option| *option != "help") {
            assert!(manual.contains(&format!("--{option}")), "{command} --{option} is not in the manual");
            assert!(section.contains(&format!("--{option}")), "{command} --{option} is not in the reference");
            for (shell, text) in &shells {
                assert!(text.contains(option), "{command} --{option} is not in the completions of {shell}");
            }
        }
    }
}

#[test]
fn the_book_has_the_reference() {
    let scratch = Scratch::new("reference");
    let written = fs::read_to_string(root().join("docs/book/src/reference.md")).expect("the page");
    assert_eq!(written, scratch.run(&["reference"]).out, "out of date: run `cargo xtask reference`");
}

/// Loads what `completions` prints, in every shell that is there; any output of a shell is an error.
#[test]
fn completions_load() {
    let scratch = Scratch::new("completions");
    let shells = [
        ("bash", "selvedge.bash", "source ./selvedge.bash && complete -p selvedge"),
        ("zsh", "_selvedge", "compdef() { print $2 }; source ./_selvedge && whence -w _selvedge"),
        ("fish", "selvedge.fish", "source ./selvedge.fish; and complete -C 'selvedge che'"),
    ];
    let mut loaded = 0;
    for (shell, file, script) in shells {
        scratch.write(file, &scratch.run(&["completions", shell]).out);
        let run = Command::new(shell).args(["-c", script]).current_dir(scratch.path("")).stdin(Stdio::null()).output();
        let Ok(run) = run else {
            println!("{shell} is not there: its completions were not loaded");
            continue;
        };
        let output = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
        let known = output.contains("selvedge") || output.contains("check");
        assert!(run.status.success() && known, "{shell}: {output}");
        assert!(
            !output.contains("error") && !output.contains("not found") && !output.contains(": none"),
            "{shell}: {output}"
        );
        loaded += 1;
    }
    assert!(loaded >= 1, "not even bash is there");
    assert!(scratch.run(&["completions", "powershell"]).out.contains("Register-ArgumentCompleter"));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let scratch = Scratch::new("manual");
    fs::create_dir_all(scratch.path("man1")).expect("a directory");
    assert_eq!(scratch.run(&["man", "--out", "man1"]).code, 0);
    for page in ["selvedge.1", "selvedge-check.1", "selvedge-swarm.1", "selvedge-explain.1"] {
        assert!(scratch.read(&format!("man1/{page}")).contains(".SH NAME"), "{page}");
    }
    assert!(!scratch.path("man1/selvedge-reference.1").exists(), "hidden commands have no page");
    assert_eq!(scratch.run(&["man", "--out", "no/such/directory"]).code, 2);
}

#[test]
fn a_typed_option_wins_then_the_environment_then_the_file() {
    let scratch = Scratch::new("precedence");
    scratch.write("selvedge.toml", "[check]\nmax-states = 1000\n");
    scratch.write("sub/big.pml", BIG);
    let states = |options: &[&str], variable: Option<&str>| {
        let mut command = scratch.command(&[&["check", "big.pml", "--json"], options].concat());
        command.current_dir(scratch.path("sub"));
        if let Some(value) = variable {
            command.env("SELVEDGE_CHECK_MAX_STATES", value);
        }
        let json = support::ran(&mut command).json();
        assert_eq!(json["stop"], "max-states");
        json["stats"]["states"].as_u64().expect("a number")
    };
    let near = |found: u64, wanted: u64| assert!(found >= wanted && found < wanted + 500, "{found} for {wanted}");
    near(states(&[], None), 1000);
    near(states(&[], Some("3000")), 3000);
    near(states(&["--max-states", "5000"], Some("3000")), 5000);
    near(states(&["--no-config", "--max-states", "7000"], None), 7000);
}

#[test]
fn a_typed_option_wins_over_those_it_excludes() {
    let scratch = Scratch::new("excluded");
    scratch.write("selvedge.toml", "[check]\npreemptions = 0\nquiet = true\n");
    scratch.write("race.pml", RACE);
    let bounded = scratch.run(&["check", "race.pml"]);
    assert!(bounded.code == 0 && bounded.out.lines().count() == 1, "{}", bounded.out);
    assert!(bounded.out.contains("at most 0 preemptions"), "{}", bounded.out);
    assert_eq!(scratch.run(&["check", "race.pml", "--unbounded"]).code, 1);
    assert_eq!(scratch.run(&["check", "race.pml", "--no-config"]).code, 1);
    let mut flag = scratch.command(&["check", "race.pml"]);
    flag.env("SELVEDGE_CHECK_QUIET", "0").env("SELVEDGE_CHECK_SWITCHES", "9");
    let ran = support::ran(&mut flag);
    assert_eq!(ran.code, 1, "the environment's bound wins over the file's: {}", ran.err);
    assert!(ran.out.lines().count() > 5, "and it is not quiet: {}", ran.out);
}

#[test]
fn what_is_wrong_has_its_place() {
    let scratch = Scratch::new("config-errors");
    scratch.write("holds.pml", HOLDS);
    let table = [
        ("[check]\ntime_limit = \"5m\"\n", "selvedge.toml:2:1", "C0004", "did you mean `time-limit`?"),
        ("[check]\ntime-limit = \"5\"\n", "selvedge.toml:2:14", "C0005", "30s, 5m or 2h"),
        ("[check]\nfair = 1\n", "selvedge.toml:2:8", "C0005", "true or false"),
        ("[check]\nthreads = true\n", "selvedge.toml:2:11", "C0005", "a string or a whole number"),
        ("[chekc]\n", "selvedge.toml:1:2", "C0003", "did you mean [check]?"),
        ("time-limit = \"5m\"\n", "selvedge.toml:1:1", "C0003", "[check]"),
        ("check = 3\n", "selvedge.toml:1:9", "C0005", "[check]"),
        ("[check]\nunbounded = true\npreemptions = 2\n", "selvedge.toml:", "C0008", "cannot be used with"),
        ("[check\n", "selvedge.toml:1:7", "C0002", "not TOML"),
    ];
    for (text, place, code, words) in table {
        scratch.write("selvedge.toml", text);
        let ran = scratch.run(&["check", "holds.pml"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{text}: {}", ran.err);
        for wanted in [place, code, words] {
            assert!(ran.err.contains(wanted), "{text}: {wanted}: {}", ran.err);
        }
        assert_eq!(scratch.run(&["check", "holds.pml", "--no-config"]).code, 0, "{text}");
        assert_eq!(scratch.run(&["explain", code]).code, 0, "a broken file does not prevent the explanation");
    }
    scratch.write("selvedge.toml", "");
    let mut wrong = scratch.command(&["check", "holds.pml"]);
    wrong.env("SELVEDGE_CHECK_TIMELIMIT", "5m");
    let ran = support::ran(&mut wrong);
    assert!(ran.code == 2 && ran.err.contains("C0006"), "{}", ran.err);
    // Variables of the library are not about the command.
    let mut library = scratch.command(&["check", "holds.pml"]);
    library.env("SELVEDGE_PREEMPTIONS", "x").env("SELVEDGE_REPLAY", "x").env("SELVEDGE_TRACE_OUT", "x");
    assert_eq!(support::ran(&mut library).code, 0);
}

#[test]
fn config_shows_where_values_come_from_and_is_a_file_itself() {
    let scratch = Scratch::new("config-show");
    scratch.write("selvedge.toml", "# ours\n[check]\ntime-limit = \"5m\"\nltl = \"[] \\\"x\\\"\"\n");
    scratch.write("sub/holds.pml", HOLDS);
    let mut show = scratch.command(&["config"]);
    show.current_dir(scratch.path("sub")).env("SELVEDGE_CHECK_FAIR", "1");
    let shown = support::ran(&mut show).out;
    let line = |option: &str| shown.lines().find(|line| line.starts_with(option)).unwrap_or_default().to_owned();
    assert!(line("time-limit = \"5m\"").ends_with("# ../selvedge.toml:3:1"), "{shown}");
    assert!(line("fair = true").ends_with("# SELVEDGE_CHECK_FAIR"), "{shown}");
    assert!(line("search = \"layered\"").ends_with("# default"), "{shown}");
    assert!(line("# max-states").ends_with("# not set (SELVEDGE_CHECK_MAX_STATES)"), "{shown}");
    for command in ["[check]", "[simulate]", "[swarm]", "[sequentialize]"] {
        assert!(shown.contains(command), "{shown}");
    }
    // A flag that is not set excludes nothing.
    scratch.write("bounded/selvedge.toml", "[check]\npreemptions = 0\nunbounded = false\nmax-states = 9\n");
    scratch.write("bounded/race.pml", RACE);
    let mut bounded = scratch.command(&["check", "race.pml", "--json"]);
    bounded.current_dir(scratch.path("bounded"));
    assert_eq!(support::ran(&mut bounded).json()["bound"]["value"], 0);
    // What is shown can be used, and then prints the same.
    scratch.write("again/selvedge.toml", &shown);
    let mut again = scratch.command(&["config", "check"]);
    again.current_dir(scratch.path("again"));
    let again = support::ran(&mut again);
    assert_eq!(again.code, 0, "{}", again.err);
    assert!(again.out.contains("fair = true"), "{}", again.out);
}

#[test]
fn swarms_and_their_searches_do_not_mix_up_options() {
    let scratch = Scratch::new("config-swarm");
    scratch.write("selvedge.toml", "[check]\npreemptions = 0\nno-assert = true\n[swarm]\njobs = 2\n");
    scratch.write("race.pml", RACE);
    let ran = scratch.run(&["swarm", "race.pml", "--time-limit", "20s", "--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert_eq!(ran.json()["searches"].as_array().map(Vec::len), Some(2));
    assert_eq!(scratch.run(&["swarm", "merge", "missing.json"]).code, 2);
}
