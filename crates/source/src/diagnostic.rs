//! What is wrong with an input, as data. Every diagnostic has a code, a primary span where one
//! exists, and says what to do next; rendering is the business of `report`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Cancel, Span};

/// Declares the codes of a front end, each a constant with its meaning, and the list `ALL` of them. The meaning is also the
/// title of the code's section in `docs/codes`.
#[macro_export]
macro_rules! codes {
    ($($name:ident = $code:literal, $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $name: &str = $code;)*
        /// Every code with its meaning.
        #[allow(dead_code, reason = "not every front end reads its list")]
        pub const ALL: &[(&str, &str)] = &[$(($code, $meaning)),*];
    };
}

/// How bad it is. Errors stop the run (exit code 2), warnings do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is suspicious.
    Warning,
}

/// A span with a short label (which may be empty).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// What is marked.
    pub span: Span,
    /// What is said about it.
    pub text: String,
}

/// One message about the input.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code, such as `P0101`.
    pub code: &'static str,
    /// One sentence: what is wrong.
    pub message: String,
    /// Where; `None` only for what concerns the input as a whole.
    pub primary: Option<Label>,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// Background, one paragraph each.
    pub notes: Vec<String>,
    /// What to do about it, one proposal each.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, Some(span), message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, Some(span), message.into())
    }

    /// An error that concerns the input as a whole.
    pub fn error_without_place(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, None, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Option<Span>, message: String) -> Self {
        let primary = span.map(|span| Label { span, text: String::new() });
        Diagnostic { severity, code, message, primary, secondary: Vec::new(), notes: Vec::new(), help: Vec::new() }
    }

    /// Sets the label of the primary span.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place that matters.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds background.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a proposal.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

/// The diagnostics of one run, in the order found. Everything that reads a model reports here, and asks here whether to go
/// on reading.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Where in the list those with a hash value are.
    places: BTreeMap<u64, Vec<usize>>,
    /// How many of them are errors.
    errors: usize,
    cancel: Cancel,
}

impl PartialEq for Diagnostics {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Diagnostics {}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// None yet, from work that may be cancelled.
    pub fn until(cancel: Cancel) -> Self {
        Diagnostics { cancel, ..Self::default() }
    }

    /// None yet, from work that is cancelled together with this.
    pub fn new_with_same_cancel(&self) -> Self {
        Self::until(self.cancel.clone())
    }

    /// Whether to give up: then there is no result, with errors or without.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Adds one, unless the very same was added before (a macro used twice makes the same
    /// mistake twice).
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let mut hasher = DefaultHasher::new();
        diagnostic.hash(&mut hasher);
        let places = self.places.entry(hasher.finish()).or_default();
        if !places.iter().any(|at| self.list[*at] == diagnostic) {
            places.push(self.list.len());
            self.errors += usize::from(diagnostic.severity == Severity::Error);
            self.list.push(diagnostic);
        }
    }

    /// Whether there is a result: none of them is an error, and the work was not cancelled.
    pub fn allow_result(&self) -> bool {
        !self.has_errors() && !self.cancel.was_cancelled()
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them, in the order found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_diagnostic_is_kept_once() {
        let mut diagnostics = Diagnostics::new();
        let error = |number: u32| Diagnostic::error_without_place("X0001", format!("number {number}"));
        let warning = Diagnostic { severity: Severity::Warning, ..error(0) };
        diagnostics.push(warning.clone());
        assert!(!diagnostics.has_errors() && diagnostics.allow_result());
        for number in [3, 1, 3, 2, 1] {
            diagnostics.push(error(number));
        }
        diagnostics.push(warning.clone());
        let expected = [warning, error(3), error(1), error(2)];
        assert!(diagnostics.iter().eq(&expected) && diagnostics.len() == 4);
        assert!(diagnostics.has_errors() && !diagnostics.allow_result());
    }
}
