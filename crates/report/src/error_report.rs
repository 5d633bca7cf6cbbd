//! What `--json` prints where there is no answer: the diagnostics about the input or the request, in the order in which
//! people read them. Scripts distinguish it from an answer by the field `diagnostics`, and by exit code 2 (101 for a bug in
//! Selvedge). `docs/schemas/error.schema.json` describes it.

use selvedge_core::trace::{SCHEMA, TraceLocation};
use selvedge_source::{Diagnostics, Severity, SourceMap};
use serde::Serialize;

use crate::answer::Problem;
use crate::json::Tool;

/// The document.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorReport {
    /// Version of the format.
    pub schema: u32,
    /// Who wrote it.
    pub tool: Tool,
    /// The model that it is about; absent where it is about the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<ErrorInput>,
    /// What is wrong; at least one error.
    pub diagnostics: Vec<ErrorDiagnostic>,
}

/// The model file.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorInput {
    /// As given on the command line.
    pub path: String,
}

/// One diagnostic.
#[derive(Clone, Debug, Serialize)]
pub struct ErrorDiagnostic {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Its code; `null` for what is wrong with a request.
    pub code: Option<&'static str>,
    /// One sentence.
    pub message: String,
    /// Where.
    pub location: Option<TraceLocation>,
    /// What to do about it.
    pub help: Vec<String>,
}

impl ErrorReport {
    /// A report of these diagnostics about a model.
    pub fn new(version: &str, path: Option<&str>, diagnostics: Vec<ErrorDiagnostic>) -> Self {
        ErrorReport {
            schema: SCHEMA,
            tool: Tool { name: "selvedge".to_owned(), version: version.to_owned() },
            input: path.map(|path| ErrorInput { path: path.to_owned() }),
            diagnostics,
        }
    }
}

impl ErrorDiagnostic {
    /// An error that has no place and no code.
    pub fn request(message: &str, help: Option<&str>) -> Self {
        let help = help.map(str::to_owned).into_iter().collect();
        ErrorDiagnostic { severity: "error", code: None, message: message.to_owned(), location: None, help }
    }

    /// The diagnostics about the files of a model.
    pub fn of_model(diagnostics: &Diagnostics, sources: &SourceMap) -> Vec<Self> {
        diagnostics.iter().map(|diagnostic| Problem::new(diagnostic, sources).into()).collect()
    }
}

impl From<Problem> for ErrorDiagnostic {
    fn from(problem: Problem) -> Self {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Problem { code, message, location, help, .. } = problem;
        ErrorDiagnostic { severity, code: Some(code), message, location, help }
    }
}
