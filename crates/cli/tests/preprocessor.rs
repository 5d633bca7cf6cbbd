//! `-D`, `-U`, `-I` and models from standard input: through every command, and remembered by traces.

mod support;

use support::Scratch;

const MODEL: &str = "#ifndef N\n#define N 1\n#endif\nactive proctype P() { assert(N == 1) }\n";

#[test]
fn macros_are_defined_and_undefined_in_their_order() {
    let scratch = Scratch::new("define");
    scratch.write("m.pml", MODEL);
    for (args, code) in [
        (&[][..], 0),
        (&["-D", "N=2"], 1),
        (&["-DN"], 0),
        (&["-DN=2", "-UN"], 0),
        (&["-UN", "-DN=2"], 1),
        (&["--define=N=2", "--undefine", "N"], 0),
    ] {
        let ran = scratch.run(&[&["check", "m.pml"], args].concat());
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
    }
    scratch.write("n.bp", "decl x; void main() begin skip; end");
    let refused = scratch.run(&["check", "n.bp", "-DN"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--define is only for Promela"), "{}", refused.err);
    let wrong = scratch.run(&["check", "m.pml", "-D", "2=1"]);
    assert_eq!(wrong.code, 2, "{}", wrong.out);
    assert!(wrong.err.contains("<command-line>:1:9"), "{}", wrong.err);
}

#[test]
fn the_project_file_has_lists() {
    let scratch = Scratch::new("define-list");
    scratch.write("m.pml", "#include <two.h>\nactive proctype P() { assert(N == M) }\n");
    scratch.write("inc/two.h", "#define M 2\n");
    scratch.write("selvedge.toml", "[check]\ndefine = [\"N=2\", \"UNUSED\"]\ninclude-dir = [\"inc\"]\n");
    let ran = scratch.run(&["check", "m.pml"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(scratch.run(&["config", "check"]).out.contains("define = [\"N=2\",\"UNUSED\"]"));
    scratch.write("selvedge.toml", "[check]\ndefine = [1]\n");
    assert!(scratch.run(&["check", "m.pml"]).err.contains("takes a list of strings"));
}

#[test]
fn traces_remember_macros_and_directories() {
    let scratch = Scratch::new("define-trace");
    scratch.write("models/m.pml", "#include \"n.h\"\nactive proctype P() { assert(N == M) }\n");
    scratch.write("inc/n.h", "#include \"deep/m.h\"\n");
    scratch.write("inc/deep/m.h", "#define M 3\n");
    let missing = scratch.run(&["check", "models/m.pml", "-DN=2"]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("-I DIR"), "{}", missing.err);
    let checked = scratch.run(&["check", "models/m.pml", "-DN=2", "-I", "inc", "--trace-out", "t.json"]);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("replay: selvedge replay t.json -I inc\n"), "{}", checked.out);
    let replayed = scratch.run(&["replay", "t.json", "-I", "inc"]);
    assert_eq!((replayed.code, replayed.err.as_str()), (1, ""));
    // A trace may come from somebody else: it does not open directories of this machine.
    let refused = scratch.run(&["replay", "t.json"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("-I DIR or --allow-include-anywhere permits that"), "{}", refused.err);
    assert_eq!(scratch.run(&["view", "t.json", "-I", "inc"]).err, "");
    assert!(scratch.read("t.html").contains("#define M 3") || scratch.read("t.html").contains("N == M"));
    assert_eq!(scratch.run(&["simulate", "--replay", "t.json", "-I", "inc"]).code, 1);
    // Inside of the model's directory nothing has to be permitted.
    let inside = scratch.run(&["check", "./m.pml", "-DN=2", "-I", "inc", "--trace-out", "t.json"]);
    assert_eq!(inside.code, 2, "{}", inside.out);
    scratch.write("m.pml", "#include \"n.h\"\nactive proctype P() { assert(N == M) }\n");
    assert_eq!(scratch.run(&["check", "m.pml", "-DN=2", "-I", "inc", "--trace-out", "t.json"]).code, 1);
    let replayed = scratch.run(&["replay", "t.json"]);
    assert_eq!((replayed.code, replayed.err.as_str()), (1, ""));
    let swarm = scratch.run(&["swarm", "m.pml", "-DN=3", "-Iinc", "--jobs", "2"]);
    assert_eq!(swarm.code, 0, "{}{}", swarm.out, swarm.err);
}

#[test]
fn a_model_is_read_from_standard_input() {
    let scratch = Scratch::new("stdin");
    scratch.write("n.h", "#define N 2\n");
    let text = format!("#include \"n.h\"\n{MODEL}");
    let checked = scratch.run_with_input(&["check", "-"], &text);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    let line = checked.out.lines().find(|line| line.starts_with("replay: ")).expect("how to replay");
    let trace = line.split(' ').nth(3).expect("a file");
    assert!(line.ends_with(" --model FILE") && trace.starts_with(".selvedge/stdin-"), "{line}");
    let lost = scratch.run(&["replay", trace]);
    assert_eq!(lost.code, 2);
    assert!(lost.err.contains("was read from standard input") && lost.err.contains("--model -"), "{}", lost.err);
    let piped = scratch.run_with_input(&["replay", trace, "--model", "-"], &text);
    assert_eq!((piped.code, piped.err.as_str()), (1, ""));
    scratch.write("saved.pml", &text);
    assert_eq!(scratch.run(&["replay", trace, "--model", "saved.pml"]).code, 1);
    let json = scratch.run_with_input(&["check", "-", "--json"], &text).json();
    assert_eq!(json["input"]["path"], "<stdin>");
    assert_eq!(scratch.run_with_input(&["simulate", "-"], &text).code, 1);
    let bp = scratch.run_with_input(&["check", "-", "--language", "bp"], "void main() begin assert(0); end");
    assert_eq!(bp.code, 1, "{}{}", bp.out, bp.err);
    for (args, why) in [
        (&["check", "-", "-"][..], "only once"),
        (&["swarm", "-"], "many times"),
        (&["simulate", "-", "--interactive"], "--interactive reads"),
    ] {
        let refused = scratch.run_with_input(args, &text);
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.out);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
}
