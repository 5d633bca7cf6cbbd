//! Prints what is wrong with a model, and why a request was refused. The exit code of a refusal is decided here.

use std::collections::BTreeSet;

use selvedge_report::{diagnostics, lanes};
use selvedge_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use selvedge_verify::Refusal;

use crate::advice;
use crate::args::Format;
use crate::console::Console;
use crate::exit::Exit;

/// Diagnostics of one model that are shown at most: nobody reads more, and drawing them takes time.
const MOST_SHOWN: usize = 100;

/// Prints why a command was refused.
pub fn print_refusal(refusal: &Refusal, console: &mut Console) -> Exit {
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

/// Shows diagnostics on stderr, and how many errors there were.
pub fn print(found: &Diagnostics, sources: &SourceMap, name: &str, console: &mut Console) {
    let quiet = console.quiet;
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error || !quiet;
    let shown = advice::added(found.iter().filter(wanted).take(MOST_SHOWN));
    let hidden = found.iter().filter(wanted).count() - shown.iter().count();
    console.stderr(&match console.format {
        Format::Full => diagnostics::render(&shown, sources, console.look()),
        Format::Short => diagnostics::short(&shown, sources),
    });
    if hidden > 0 {
        console.stderr(&format!("{} not shown: repair the first ones\n", count(hidden, "more diagnostic")));
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
