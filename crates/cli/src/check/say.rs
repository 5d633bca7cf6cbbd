//! Puts an answer out in the form that was asked for, whichever engine gave it.

use selvedge_core::Verdict;

use super::properties::Checked;
use crate::args::CheckArgs;
use crate::console::Console;
use crate::exit::Exit;

/// What a verdict on these properties means for the exit code.
pub fn exit_of(verdict: Verdict, checked: &Checked) -> Exit {
    match verdict {
        Verdict::Violated => Exit::Violation,
        _ if checked.nothing() => Exit::NothingChecked,
        Verdict::Holds | Verdict::HoldsWithinBound => Exit::NoViolation,
        Verdict::Inconclusive => Exit::Inconclusive,
    }
}

/// The forms of an answer; each is made when it is asked for.
pub struct Forms<'a> {
    /// `--json`.
    pub json: &'a dyn Fn() -> String,
    /// The verdict and its scope; its first line is the answer of `--quiet`.
    pub head: &'a dyn Fn() -> String,
    /// Everything in words.
    pub text: &'a dyn Fn() -> String,
}

/// Says the answer about the model at `path`.
pub fn say(forms: &Forms<'_>, args: &CheckArgs, path: &str, console: &Console) {
    let several = args.files.len() > 1;
    if console.json {
        console.answer(&(forms.json)());
    } else if console.quiet {
        let head = (forms.head)();
        let line = head.lines().next().unwrap_or_default();
        let name = if several { format!("{path}: ") } else { String::new() };
        console.answer(&format!("{name}{}\n", console.painted(line)));
    } else {
        if several {
            console.section(path);
        }
        console.answer(&console.painted(&(forms.text)()));
    }
}
