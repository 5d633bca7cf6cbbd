//! The dynamic networks and nets of the corpus: the dynamic engine gives the answer that the header expects, runs are
//! replayed, proofs are certified, the explicit engine never contradicts, and broken files are refused at their
//! mistake.

mod support;

use support::corpus::{Model, judge_all, models, verdict_and_kind, words};
use support::{Scratch, command, ran, root};

/// The answer in the words of the headers.
fn answer(model: &Model, options: &[String]) -> Result<(String, serde_json::Value), String> {
    let ran = model.check(options);
    match ran.code {
        0 | 1 | 3 => {
            let json = ran.json();
            Ok((verdict_and_kind(&json), json))
        }
        4 => Ok(("nothing-checked".to_owned(), serde_json::Value::Null)),
        code => Err(format!("exit {code}: {}", ran.err)),
    }
}

fn judge(model: &Model) -> Vec<String> {
    let Some(expected) = model.header("expect") else { return vec!["its header has no `expect`".to_owned()] };
    let mut options = model.options();
    options.push("--json".to_owned());
    let (found, json) = match answer(model, &options) {
        Err(complaint) => return vec![complaint],
        Ok(found) => found,
    };
    if found != expected {
        return vec![format!("{found}, expected {expected}")];
    }
    let mut complaints = Vec::new();
    if let Some(least) = model.header("least") {
        let bound = json["bound"]["value"].to_string();
        if bound != least {
            complaints.push(format!("the least bound is {least}, found {bound}"));
        }
    }
    complaints.extend(evidence(model, expected));
    complaints.extend(explicitly(model, expected));
    complaints
}

/// The run is replayed, or the proof certified.
fn evidence(model: &Model, expected: &str) -> Option<String> {
    let name = model.path.display().to_string().replace(['/', '.'], "-");
    let scratch = Scratch::new(&format!("nets-{name}"));
    let (trace, proof) = (scratch.path("t.json"), scratch.path("p.json"));
    let (trace, proof) = (trace.to_str()?, proof.to_str()?);
    let explicit = model.options().iter().any(|option| option == "explicit");
    let mut options = model.options();
    options.extend(words(&["--quiet", "--trace-out", trace]));
    if !explicit {
        options.extend(words(&["--certificate", proof]));
    }
    model.check(&options);
    let path = model.path.to_str()?;
    let (args, code): (&[&str], i32) = match expected.split(' ').next()? {
        "violated" => (&["replay", trace, "--quiet"], 1),
        "holds" | "holds-within-bound" => (&["certify", path, proof], 0),
        _ => return None,
    };
    let again = ran(command().args(args).current_dir(root()));
    if again.code != code {
        return Some(format!("{args:?}: exit {} instead of {code}: {}{}", again.code, again.out, again.err));
    }
    if code == 1 {
        let followed = ran(command().args(["simulate", "--replay", trace, "--quiet"]).current_dir(root()));
        if followed.code != 1 {
            return Some(format!("simulate --replay: exit {}: {}{}", followed.code, followed.out, followed.err));
        }
    }
    None
}

/// The explicit engine looks at few threads and tokens: what it finds must be a violation indeed.
fn explicitly(model: &Model, expected: &str) -> Option<String> {
    if !model.options().is_empty() {
        return None;
    }
    let options = words(&["--engine", "explicit", "--max-states", "20000", "--json"]);
    match answer(model, &options) {
        Err(complaint) => Some(format!("explicit: {complaint}")),
        Ok((found, _)) if found.starts_with("violated") && found != expected => Some(format!("explicit: {found}")),
        Ok((found, _)) if found == "holds" && expected.starts_with("violated") => Some(format!("explicit: {found}")),
        Ok(_) => None,
    }
}

#[test]
fn networks_and_nets_have_the_answers_of_their_headers() {
    let all = models("nets");
    assert!(all.len() >= 40, "only {} models", all.len());
    judge_all(&all, judge);
}

#[test]
fn broken_files_are_refused_at_their_mistake() {
    let all = models("nets/broken");
    assert!(all.len() >= 10, "only {} files", all.len());
    judge_all(&all, |model| {
        let ran = model.check(&words(&["--format", "short"]));
        let place = model.header("mistake").and_then(|text| text.split_whitespace().next()).unwrap_or_default();
        let wanted = if place == "none" { "error[".to_owned() } else { format!("{}:{place}:", model.path.display()) };
        match ran.code == 2 && ran.err.contains(&wanted) {
            true => Vec::new(),
            false => vec![format!("exit {}, no complaint at {place}:\n{}", ran.code, ran.err)],
        }
    });
}

#[test]
fn models_are_converted_and_keep_their_answers() {
    let scratch = Scratch::new("nets-convert");
    for model in models("nets") {
        let expected = model.header("expect").expect("an answer");
        let path = root().join(&model.path);
        let from = path.to_str().expect("UTF-8");
        let ending = path.extension().expect("an ending").to_string_lossy().into_owned();
        let recursive = from.ends_with("recursion.dcps");
        let transfers = ["transfer", "reset", "broadcast", "passive"].iter().any(|word| from.contains(word));
        for to in ["spec", "dcps", "tts"] {
            let known = to == ending || to != "tts" && !(recursive && to == "spec") && !(transfers && to == "dcps");
            let name = format!("{}-{ending}.{to}", path.file_stem().expect("a name").to_string_lossy());
            let converted = scratch.run(&["convert", from, &name]);
            assert_eq!(converted.code, if known { 0 } else { 2 }, "{from} to {to}: {}", converted.err);
            // Bounds of networks are those of another model afterwards.
            if known && model.options().is_empty() && !(ending == "dcps" && to == "dcps") {
                let again = scratch.run(&["check", &name, "--quiet", "--unbounded"]);
                let code = match expected.split(' ').next() {
                    Some("violated") => 1,
                    Some("holds") => 0,
                    _ => 4,
                };
                let code = if code == 4 && to == "dcps" { 0 } else { code };
                assert_eq!(again.code, code, "{from} as {to}: {}{}", again.out, again.err);
            }
        }
    }
}
