//! A trace as one HTML file for a browser: source, lanes, space-time diagram and state, all in it. The page is written
//! by hand (`html/assets`): its parts are assembled here, with the run as JSON (`document`).
//!
//! What must hold: no request leaves the page, and nothing of a model is ever markup. The first is the policy in its
//! head, which allows this script and this style by their hashes and nothing else; the second is [`escape`] here,
//! [`script_data`] for the JSON, and text nodes in the script.

mod document;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use selvedge_core::{Bound, Trace};
use selvedge_source::Cancel;
use sha2::{Digest, Sha256};

use self::document::Document;
use crate::asking::Asking;
use crate::lanes::ending::why as sentences;
use crate::text::{count, one_line, preemptions};

const PAGE: &str = include_str!("html/assets/page.html");
const STYLE: &str = include_str!("html/assets/page.css");
/// In the order in which they use each other.
const SCRIPTS: [&str; 8] = [
    include_str!("html/assets/model.js"),
    include_str!("html/assets/list.js"),
    include_str!("html/assets/diagram.js"),
    include_str!("html/assets/steps.js"),
    include_str!("html/assets/source.js"),
    include_str!("html/assets/state.js"),
    include_str!("html/assets/overview.js"),
    include_str!("html/assets/app.js"),
];

/// A source file of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewFile {
    /// As the trace calls it.
    pub name: String,
    /// Its text; `None` if it was not found.
    pub text: Option<String>,
}

/// The page. `files` are the texts that the trace's places speak of; `notes` are sentences to show above the run.
pub fn html(trace: &Trace, files: &[ViewFile], notes: &[String]) -> String {
    html_until(trace, files, notes, &Cancel::never()).unwrap_or_default()
}

/// As [`html`]; `None` if it was cancelled.
pub fn html_until(trace: &Trace, files: &[ViewFile], notes: &[String], cancel: &Cancel) -> Option<String> {
    let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat()).replace("\r\n", "\n");
    let style = STYLE.replace("\r\n", "\n");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let (verdict, headline) = headline(trace);
    let notes: String = notes.iter().map(|note| format!("<p class=\"note\">{}</p>\n", escape(note))).collect();
    let title = format!("{verdict}: {headline} – {} – Selvedge", trace.input.path);
    let document = Document::of(trace, files, cancel);
    let mut json = Asking::until(cancel);
    serde_json::to_writer(&mut json, &document).ok().filter(|()| !cancel.was_cancelled())?;
    let json = json.text()?;
    Some(fill(&[
        ("policy", policy),
        ("title", escape(&title)),
        ("style", style),
        ("verdict-class", escape(verdict)),
        ("verdict", escape(verdict)),
        ("headline", escape(&headline)),
        ("facts", facts(trace)),
        ("why", why(trace)),
        ("notes", notes),
        ("data", script_data(&json)),
        ("script", script),
    ]))
}

/// Puts the parts into the page, in one pass: the contents of a part are not scanned again.
fn fill(parts: &[(&str, String)]) -> String {
    let mut out = String::new();
    let mut rest = PAGE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(parts.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The verdict and what there is to say about it.
fn headline(trace: &Trace) -> (&'static str, String) {
    match &trace.violation {
        Some(violation) => ("violated", one_line(&violation.message)),
        None => ("run", "a run that ends in no violation".to_owned()),
    }
}

/// Where, at what cost, within which bound.
fn facts(trace: &Trace) -> String {
    let mut facts = Vec::new();
    if let Some(location) = trace.violation.as_ref().and_then(|violation| violation.location.as_ref()) {
        facts.push(format!("<b>{}</b>", escape(&location.to_string())));
    } else {
        facts.push(format!("<b>{}</b>", escape(&trace.input.path)));
    }
    if let Some(violation) = &trace.violation {
        facts.push(preemptions(violation.preemptions, violation.preemptions_per_cycle));
        facts.push(count(violation.switches.into(), "switch", "switches"));
    }
    facts.push(count(trace.steps.len() as u64, "step", "steps"));
    if trace.violation.is_some() {
        let bound = Bound { kind: trace.bound.kind, value: trace.bound.value };
        facts.push(format!("searched: {}", escape(&bound.to_string())));
    }
    facts.join(" · ")
}

/// Why it happens, and what avoids it.
fn why(trace: &Trace) -> String {
    let Some(violation) = &trace.violation else { return String::new() };
    sentences(violation).iter().map(|sentence| format!("<p class=\"why\">{}</p>\n", escape(sentence))).collect()
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON inside a script element: there `</script>` and `<!--` would mean something. `<` occurs in strings only, where
/// it can be written in another way.
fn script_data(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
