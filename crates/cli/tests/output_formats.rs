//! What other programs read: JSON, traces, SARIF, JUnit, GitHub's formats. Documents are validated against their schemas over
//! the corpus, and what they say is compared with the trace.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;
use support::corpus::{Model, judge_all, models};
use support::schema::Validator;
use support::{DEADLOCK, HOLDS, RACE, Scratch, command, ran, root};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The validator of one of our own schemas. That of a swarm refers to that of a check; the others need no other.
fn ours(name: &str) -> Validator {
    let others: &[&str] = if name == "swarm" { &["docs/schemas/check.schema.json"] } else { &[] };
    Validator::new(&format!("docs/schemas/{name}.schema.json"), others)
}

/// Of the larger directories every third model.
fn corpus() -> Vec<Model> {
    let small = ["promela/classic", "boolprog/classic", "pds", "pds/broken"].into_iter().flat_map(models);
    let large = ["promela/semantics", "promela/broken", "boolprog/broken"].into_iter();
    small.chain(large.flat_map(|directory| models(directory).into_iter().step_by(3))).collect()
}

/// Each model of the corpus with every format at once.
#[test]
fn every_document_fits_its_schema() {
    let (check, trace, error) = (ours("check"), ours("trace"), ours("error"));
    let sarif = Validator::new("crates/cli/tests/schemas/sarif-schema-2.1.0.json", &[]);
    let scratch = Scratch::new("schemas");
    let seen = std::sync::Mutex::new(BTreeMap::<&str, u32>::new());
    judge_all(&corpus(), |model| {
        let name = model.path.display().to_string().replace('/', "-");
        let out = |ending: &str| scratch.path(&format!("{name}.{ending}"));
        let mut arguments = vec!["check".to_owned(), "--json".to_owned()];
        for (option, ending) in [("--trace-out", "json"), ("--sarif", "sarif"), ("--junit", "xml")] {
            arguments.extend([option.to_owned(), out(ending).display().to_string()]);
        }
        let ran = ran(command().args(&arguments).args(model.options()).arg(&model.path).current_dir(root()));
        let count = |what: &'static str| *seen.lock().expect("no panic").entry(what).or_default() += 1;
        let mut complaints = Vec::new();
        if ran.code == 2 {
            complaints.extend(error.complaints(&ran.json()));
            count("errors");
        } else {
            complaints.extend(check.complaints(&ran.json()));
            complaints.extend(unexplained(&ran.json()));
            count("answers");
        }
        if let Ok(text) = fs::read_to_string(out("json")) {
            complaints.extend(trace.complaints(&json(&text)));
            count("traces");
        }
        let text = fs::read_to_string(out("sarif")).unwrap_or_default();
        complaints.extend(sarif.complaints(&json(&text)));
        complaints.extend(absolute_paths(&text));
        complaints.extend(flow_complaints(&json(&text), fs::read_to_string(out("json")).ok().map(|text| json(&text))));
        let text = fs::read_to_string(out("xml")).unwrap_or_default();
        complaints.extend(junit_complaints(&text, ran.code));
        complaints.extend(absolute_paths(&text));
        complaints
    });
    let seen = seen.into_inner().expect("no panic");
    assert!(seen["answers"] > 40 && seen["traces"] > 15, "{seen:?}");
}

/// Violations of an answer without a sentence why.
fn unexplained(answer: &Value) -> Vec<String> {
    let properties = answer["properties"].as_array().into_iter().flatten().map(|property| &property["violation"]);
    let violations = properties.chain([&answer["violation"]]).filter(|violation| violation.is_object());
    let missing = violations.filter(|violation| violation["explanation"].as_str().is_none_or(str::is_empty));
    missing.map(|violation| format!("not explained: {}", violation["message"])).collect()
}

fn absolute_paths(text: &str) -> Vec<String> {
    let here = root().display().to_string();
    if text.contains(&here) { vec![format!("an absolute path: {here}")] } else { Vec::new() }
}

/// One thread flow for each thread that takes a step, its steps in order and exactly those of the trace.
fn flow_complaints(sarif: &Value, trace: Option<Value>) -> Vec<String> {
    let Some(trace) = trace.filter(|trace| trace["steps"] != serde_json::json!([])) else { return Vec::new() };
    let result = &sarif["runs"][0]["results"];
    let with_flow = result.as_array().into_iter().flatten().find(|result| !result["codeFlows"].is_null());
    let flows = with_flow.map(|result| result["codeFlows"][0]["threadFlows"].as_array().cloned().unwrap_or_default());
    let Some(flows) = flows else { return vec!["a trace and no code flow".to_owned()] };
    let mut complaints = Vec::new();
    let mut orders = BTreeSet::new();
    for flow in &flows {
        let steps = flow["locations"].as_array().cloned().unwrap_or_default();
        let order: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
        if order.len() != steps.len() || order.windows(2).any(|pair| pair[0] >= pair[1]) {
            complaints.push(format!("thread flow {} is out of order: {order:?}", flow["id"]));
        }
        orders.extend(order);
    }
    let steps = trace["steps"].as_array().cloned().unwrap_or_default();
    if orders != (1..=steps.len() as u64).collect() {
        complaints.push(format!("{} steps in the flows, {} in the trace", orders.len(), steps.len()));
    }
    let acting: BTreeSet<String> = steps
        .iter()
        .flat_map(|step| [step["thread"].to_string(), step["partner"]["thread"].to_string()])
        .filter(|thread| thread != "null")
        .collect();
    let claim = usize::from(steps.iter().any(|step| step["thread"].is_null()));
    if flows.len() != acting.len() + claim {
        complaints.push(format!("{} thread flows for {} threads", flows.len(), acting.len()));
    }
    complaints
}

/// It is XML, its totals are right, and it fails exactly where the exit code does.
fn junit_complaints(text: &str, code: i32) -> Vec<String> {
    let document = match roxmltree::Document::parse(text) {
        Ok(document) => document,
        Err(error) => return vec![format!("not XML: {error}")],
    };
    let mut complaints = Vec::new();
    let totals = [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
    for suite in document.descendants().filter(|node| node.has_tag_name("testsuite") || node.has_tag_name("testsuites"))
    {
        for (attribute, element) in totals {
            let counted = suite.descendants().filter(|node| node.has_tag_name(element)).count();
            if suite.attribute(attribute) != Some(counted.to_string().as_str()) {
                complaints.push(format!("{attribute} is {:?}, there are {counted}", suite.attribute(attribute)));
            }
        }
    }
    let failed = document.descendants().any(|node| node.has_tag_name("failure"));
    let undecided = document.descendants().any(|node| node.has_tag_name("error"));
    let fits = match code {
        0 => !failed && !undecided,
        1 => failed,
        2 => failed || undecided,
        _ => undecided && !failed,
    };
    if !fits {
        complaints.push(format!("exit code {code}, failed: {failed}, undecided: {undecided}"));
    }
    complaints
}

#[test]
fn swarms_fit_their_schema() {
    let swarm = ours("swarm");
    let scratch = Scratch::new("swarm-schema");
    scratch.write("race.pml", RACE);
    scratch.write("holds.pml", HOLDS);
    for model in ["race.pml", "holds.pml"] {
        let answer = scratch.run(&["swarm", model, "--jobs", "4", "--workers", "2", "--time-limit", "20s", "--json"]);
        let complaints = swarm.complaints(&answer.json());
        assert!(complaints.is_empty(), "{model}: {complaints:?}\n{}", answer.out);
    }
}

/// The results of a SARIF file: rule and fingerprint.
fn fingerprints(scratch: &Scratch, file: &str) -> Vec<(String, String)> {
    let document = json(&scratch.read(file));
    let results = document["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    let pair = |result: &Value| {
        let fingerprint = result["partialFingerprints"]["selvedge/v1"].as_str().expect("it has one").to_owned();
        (result["ruleId"].as_str().expect("it has one").to_owned(), fingerprint)
    };
    results.iter().map(pair).collect()
}

#[test]
fn fingerprints_outlive_a_comment_above() {
    let scratch = Scratch::new("fingerprints");
    let lossy = "chan q = [1] of { byte, byte };\nactive proctype p() { q!1; assert(false) }\n";
    for (name, text) in [("race.pml", RACE), ("stuck.pml", DEADLOCK), ("warns.pml", lossy)] {
        scratch.write(name, text);
        scratch.run(&["check", name, "--sarif", "before.sarif"]);
        scratch.write(name, &format!("// a comment\n\n{text}"));
        scratch.run(&["check", name, "--sarif", "after.sarif"]);
        let (before, after) = (fingerprints(&scratch, "before.sarif"), fingerprints(&scratch, "after.sarif"));
        assert!(!before.is_empty(), "{name}");
        assert_eq!(before, after, "{name}");
        assert_ne!(scratch.read("before.sarif"), scratch.read("after.sarif"), "{name}: the lines have moved");
    }
    // Two equal mistakes are two results.
    scratch.write("twice.pml", "init {\n  x = 1;\n  skip;\n  x = 1\n}\n");
    scratch.run(&["check", "twice.pml", "--sarif", "twice.sarif"]);
    let twice = fingerprints(&scratch, "twice.sarif");
    assert_eq!(twice.iter().collect::<BTreeSet<_>>().len(), 2, "{twice:?}");
}

#[test]
fn same_input_same_bytes() {
    let scratch = Scratch::new("bytes");
    scratch.write("race.pml", RACE);
    scratch.write("stuck.pml", DEADLOCK);
    scratch.write("holds.pml", HOLDS);
    for round in ["1", "2"] {
        let (sarif, junit) = (format!("{round}.sarif"), format!("{round}.xml"));
        let files = ["race.pml", "stuck.pml", "holds.pml", "--all-violations", "--sarif", &sarif, "--junit", &junit];
        scratch.run(&[&["check"], &files[..]].concat());
    }
    assert_eq!(scratch.read("1.sarif"), scratch.read("2.sarif"));
    assert_eq!(scratch.read("1.xml"), scratch.read("2.xml"));
}

#[test]
fn a_run_in_sarif_has_switches_states_and_rules() {
    let scratch = Scratch::new("sarif");
    scratch.write("models/my race.pml", RACE);
    let ran = scratch.run(&["check", "models/my race.pml", "--sarif", "a.sarif"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let document = json(&scratch.read("a.sarif"));
    let run = &document["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "assertion");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "models/my%20race.pml");
    assert_eq!(place["region"]["startLine"], 12);
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "assertion");
    assert!(rule["help"]["text"].as_str().is_some_and(|help| help.len() > 80));
    let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
    let names: Vec<&str> = flows.iter().filter_map(|flow| flow["id"].as_str()).collect();
    assert_eq!(names, ["inc(0)", "inc(1)", "check"]);
    let steps = || flows.iter().flat_map(|flow| flow["locations"].as_array().into_iter().flatten());
    let essential = steps().filter(|step| step["importance"] == "essential").count();
    // Three switches and the failing step.
    assert_eq!(essential, 4);
    assert!(steps().any(|step| step["state"]["x"]["text"] == "1"), "{flows:?}");
}

#[test]
fn junit_has_a_case_for_each_property() {
    let scratch = Scratch::new("junit");
    scratch.write("race.pml", RACE);
    scratch.write("holds.pml", HOLDS);
    scratch.write("broken.pml", "init { x = }\n");
    let files = ["race.pml", "holds.pml", "broken.pml", "missing.txt"];
    scratch.run(&[&["check", "--junit", "a.xml"], &files[..]].concat());
    let text = scratch.read("a.xml");
    let document = roxmltree::Document::parse(&text).expect("XML");
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    assert_eq!(suites.iter().filter_map(|suite| suite.attribute("name")).collect::<Vec<_>>(), files);
    let cases = |index: usize| -> Vec<(String, String)> {
        let cases = suites[index].children().filter(|node| node.has_tag_name("testcase"));
        let ending = |case: roxmltree::Node<'_, '_>| {
            let inside =
                case.children().find(roxmltree::Node::is_element).map(|node| node.tag_name().name().to_owned());
            (case.attribute("name").unwrap_or_default().to_owned(), inside.unwrap_or_else(|| "passed".to_owned()))
        };
        cases.map(ending).collect()
    };
    let pair = |name: &str, ending: &str| (name.to_owned(), ending.to_owned());
    assert_eq!(
        cases(0),
        [pair("assertions", "failure"), pair("invalid end states", "skipped"), pair("runtime errors", "skipped")]
    );
    assert_eq!(
        cases(1),
        [pair("assertions", "passed"), pair("invalid end states", "passed"), pair("runtime errors", "passed")]
    );
    assert_eq!(cases(2), [pair("the model can be checked", "failure")]);
    assert_eq!(cases(3), [pair("the model can be checked", "error")]);
    assert!(text.contains("there is no file `missing.txt`"), "{text}");
    assert!(text.contains("is preempted by"), "the run is in the failure: {text}");
}

#[test]
fn runners_get_annotations_and_a_summary() {
    let scratch = Scratch::new("github");
    scratch.write("models/race.pml", RACE);
    scratch.write("models/holds.pml", HOLDS);
    scratch.write("models/broken.pml", "init { x = }\n");
    let mut run = scratch.command(&["check", "race.pml", "holds.pml", "broken.pml", "--quiet"]);
    run.current_dir(scratch.path("models"));
    run.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", scratch.path(""));
    run.env("GITHUB_STEP_SUMMARY", scratch.path("summary.md"));
    let result = ran(&mut run);
    assert_eq!(result.code, 2);
    let marks: Vec<&str> = result.err.lines().filter(|line| line.starts_with("::")).collect();
    assert!(
        marks[0].starts_with("::error file=models/race.pml,line=12,col=5,title=assertion::assertion violated"),
        "{marks:?}"
    );
    assert!(marks[0].contains("%0Ainc(0) runs from line 5"), "{marks:?}");
    assert!(marks[1].starts_with("::error file=models/broken.pml,line=1,col=12,title=P0030::"), "{marks:?}");
    assert_eq!(marks.len(), 2);
    assert!(!result.out.contains("::"), "stdout is for people: {}", result.out);
    let summary = scratch.read("summary.md");
    for words in
        ["| race.pml | ❌ violated", "| holds.pml | ✅ holds", "| broken.pml | ⛔", "<details>", "is preempted by"]
    {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    // A second run is appended, and JSON stays JSON.
    let mut again = scratch.command(&["check", "models/holds.pml", "--json"]);
    again.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", scratch.path("summary.md"));
    assert_eq!(ran(&mut again).json()["verdict"], "holds");
    assert_eq!(scratch.read("summary.md").matches("## Selvedge").count(), 2);
}

#[test]
fn all_formats_at_once_do_not_change_what_people_read() {
    let scratch = Scratch::new("together-formats");
    scratch.write("race.pml", RACE);
    let plain = scratch.run(&["check", "race.pml"]);
    let files = ["--sarif", "a.sarif", "--junit", "a.xml"];
    let more = scratch.run(&[&["check", "race.pml"], &files[..]].concat());
    // The commands to go on with repeat the options, and are continued where they become too long.
    let words = |text: &str| text.replace(" \\\n", "\n").split_whitespace().collect::<Vec<_>>().join(" ");
    let without_files = |text: &str| words(text).replace(" --sarif a.sarif --junit a.xml", "");
    assert_eq!((words(&plain.out), plain.err, plain.code), (without_files(&more.out), more.err, more.code));
    assert!(!scratch.read("a.sarif").is_empty() && !scratch.read("a.xml").is_empty());
}

#[test]
fn several_models_are_json_lines_in_their_order() {
    let scratch = Scratch::new("json-lines");
    scratch.write("race.pml", RACE);
    scratch.write("holds.pml", "active proctype p() { assert(true) }");
    scratch.write("broken.pml", "active proctype p() { x = 1 }");
    for threads in ["1", "3"] {
        let files = ["race.pml", "broken.pml", "missing.pml", "holds.pml"];
        let ran = scratch.run(&[&["check", "--json", "--threads", threads], files.as_slice()].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        let documents: Vec<Value> = ran.out.lines().map(json).collect();
        let paths: Vec<&str> = documents.iter().filter_map(|document| document["input"]["path"].as_str()).collect();
        assert_eq!(paths, files);
        let verdicts: Vec<Option<&str>> = documents.iter().map(|document| document["verdict"].as_str()).collect();
        assert_eq!(verdicts, [Some("violated"), None, None, Some("holds")]);
        let error = ours("error");
        for document in &documents[1..3] {
            assert_eq!(error.complaints(document), Vec::<String>::new());
        }
        let place = &documents[1]["diagnostics"][0]["location"];
        assert_eq!((&place["file"], &place["line"]), (&"broken.pml".into(), &1.into()));
        assert!(documents[2]["diagnostics"][0]["message"].as_str().is_some_and(|text| text.contains("missing.pml")));
    }
}

#[test]
fn a_refused_request_is_json_too() {
    let scratch = Scratch::new("json-request");
    scratch.write("holds.pml", "active proctype p() { assert(true) }");
    let ran = scratch.run(&["check", "--json", "holds.pml", "--safety-only", "--acceptance"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ours("error").complaints(&ran.json()), Vec::<String>::new());
    assert!(ran.err.contains("--safety-only"), "people read it on stderr: {}", ran.err);
}

#[test]
fn a_wrong_command_line_is_json_too() {
    let scratch = Scratch::new("json-usage");
    let ran = scratch.run(&["check", "--json", "--preemptions", "many", "race.pml"]);
    assert_eq!(ran.code, 2);
    assert_eq!(ours("error").complaints(&ran.json()), Vec::<String>::new());
    let message = ran.json()["diagnostics"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.starts_with("invalid value 'many' for '--preemptions <N>'"), "{message}");
    assert!(ran.err.starts_with("error: invalid value 'many'"), "{}", ran.err);
    let ran = scratch.run(&["check", "--preemptions", "many", "race.pml"]);
    assert_eq!(ran.out, "");
}

#[test]
fn violations_have_a_short_form_for_editors() {
    let scratch = Scratch::new("short-violation");
    scratch.write("race.pml", RACE);
    scratch.write("stuck.pml", "active proctype p() { false }");
    let race = scratch.run(&["check", "race.pml", "--format", "short"]);
    assert!(race.err.starts_with("race.pml:") && race.err.contains(": error[assertion]: "), "{}", race.err);
    let stuck = scratch.run(&["check", "stuck.pml", "--format", "short"]);
    assert!(stuck.err.starts_with("stuck.pml:1:23: error[invalid-end-state]: deadlock: p is blocked"), "{}", stuck.err);
    scratch.write("lasso.pml", "bool on; active proctype p() { do :: on = !on od }\nltl dark { <> [] !on }");
    let lasso = scratch.run(&["check", "lasso.pml", "--format", "short"]);
    assert!(lasso.err.contains("lasso.pml:1:38: error[acceptance-cycle]: "), "{}", lasso.err);
}

#[test]
fn violations_of_a_claim_name_the_property() {
    let scratch = Scratch::new("named-property");
    let model = "bit a, b; active proctype p() { a = 1; b = 1 } ltl agree { [] (a == b) } ltl done { <> (b && !a) }";
    scratch.write("m.pml", model);
    scratch.write("n.pml", "bit a; active proctype p() { a = 1 } never { do :: !a :: a -> break od }");
    let head = |args: &[&str]| scratch.run(args).out.lines().next().unwrap_or_default().to_owned();
    assert_eq!(head(&["check", "m.pml", "--ltl", "agree"]), "violated: LTL property `agree` is violated: [] (a == b)");
    let infinite = head(&["check", "m.pml", "--ltl", "done"]);
    assert_eq!(infinite, "violated: LTL property `done` is violated by an infinite run: <> (b && !a)");
    assert_eq!(head(&["check", "m.pml", "--ltl", "[] !b"]), "violated: LTL property `[] !b` is violated");
    assert_eq!(head(&["check", "n.pml", "--ltl", "never_0"]), "violated: never claim `never_0` is violated");
    assert_eq!(head(&["check", "n.pml"]), "violated: never_0 (1 of 2 properties)");
}
