//! Prints what is wrong with a model, and why a request was refused. The exit code of a refusal is decided here.

use std::collections::BTreeSet;

use selvedge_report::error_report::{ErrorDiagnostic, ErrorReport};
use selvedge_report::{diagnostics, lanes};
use selvedge_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use selvedge_verify::Refusal;

use crate::advice;
use crate::args::Format;
use crate::console::Console;
use crate::exit::Exit;

/// Diagnostics of one model that are shown at most: rendering takes time.
const MOST_SHOWN: usize = 100;

/// Prints why a command was refused; `file` is the model, where it is about one.
pub fn print_refusal(refusal: &Refusal, file: Option<&str>, console: &mut Console) -> Exit {
    if console.json {
        let document = error_document(refusal, file, console.one_line_json);
        console.answer(&document);
    }
    match refusal {
        Refusal::Model { path, diagnostics, sources } => {
            print(diagnostics, sources, path, console);
            Exit::Input
        }
        Refusal::Request { message, help } => {
            console.error(message);
            help.iter().for_each(|help| console.help(help));
            Exit::Input
        }
        // A check answers this by itself, and nothing else has limits.
        Refusal::Cancelled => {
            console.error(&refusal.to_string());
            Exit::Inconclusive
        }
        Refusal::Defect(defect) => {
            console.defect(&defect.message);
            if let Some(run) = &defect.run {
                let run = lanes(run, &console.lanes_on_stderr());
                console.stderr(&run);
            }
            Exit::Defect
        }
    }
}

/// What `--json` prints about a refusal.
fn error_document(refusal: &Refusal, file: Option<&str>, one_line: bool) -> String {
    let (path, diagnostics) = match refusal {
        Refusal::Model { path, diagnostics, sources } => {
            (Some(path.as_str()), ErrorDiagnostic::of_model(&advice::added(diagnostics.iter()), sources))
        }
        Refusal::Request { message, help } => (file, vec![ErrorDiagnostic::request(message, help.as_deref())]),
        Refusal::Cancelled => (file, vec![ErrorDiagnostic::request(&refusal.to_string(), None)]),
        Refusal::Defect(defect) => {
            (file, vec![ErrorDiagnostic::request(&format!("internal error: {}", defect.message), None)])
        }
    };
    json_text(&ErrorReport::new(env!("CARGO_PKG_VERSION"), path, diagnostics), one_line)
}

/// What `--json` prints about a command line that clap refuses with this text: an error, then advice.
pub fn usage_error(text: &str) -> String {
    let (message, help) = text.split_once("\n\n").unwrap_or((text, ""));
    let message = message.trim_start_matches("error: ").trim();
    let help = Some(help.trim()).filter(|help| !help.is_empty());
    let diagnostics = vec![ErrorDiagnostic::request(message, help)];
    json_text(&ErrorReport::new(env!("CARGO_PKG_VERSION"), None, diagnostics), false)
}

/// A document as text: on one line among several documents, else indented.
pub fn json_text(document: &impl serde::Serialize, one_line: bool) -> String {
    let text = if one_line { serde_json::to_string(document) } else { serde_json::to_string_pretty(document) };
    format!("{}\n", text.unwrap_or_default())
}

/// Shows diagnostics on stderr, and how many errors there were.
pub fn print(found: &Diagnostics, sources: &SourceMap, name: &str, console: &mut Console) {
    let quiet = console.quiet;
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error || !quiet;
    let shown = advice::added(found.iter().filter(wanted).take(MOST_SHOWN));
    let hidden = found.iter().filter(wanted).count() - shown.iter().count();
    console.stderr(&match console.format {
        Format::Full => diagnostics::render(&shown, sources, console.style()),
        Format::Short => diagnostics::short(&shown, sources),
    });
    if hidden > 0 {
        console.stderr(&format!("{} not shown: fix the first ones\n", count(hidden, "more diagnostic")));
    }
    if found.has_errors() {
        let how_many = |severity| found.iter().filter(|d| d.severity == severity).count();
        let (errors, warnings) = (how_many(Severity::Error), how_many(Severity::Warning));
        let mut summary = format!("{name}: {}", count(errors, "error"));
        if warnings > 0 {
            summary.push_str(&format!(", {}", count(warnings, "warning")));
        }
        console.stderr(&format!("{summary}\n"));
    }
    if console.format == Format::Full && !console.quiet {
        console.stderr(&where_to_read_more(&shown));
    }
}

/// Codes that a line names at most.
const NAMED_CODES: usize = 5;

/// The command that explains what was shown; nothing if nothing was.
fn where_to_read_more(shown: &Diagnostics) -> String {
    let codes: BTreeSet<&str> = shown.iter().map(|diagnostic| diagnostic.code).collect();
    if codes.is_empty() {
        return String::new();
    }
    let named: Vec<&str> = codes.into_iter().take(NAMED_CODES).collect();
    format!("for more: selvedge explain {}\n", named.join(" "))
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
