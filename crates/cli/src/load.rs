//! From a file to a machine: which language it is, parse, build, and show what is wrong with it.
//! Called by every command that reads a model.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use selvedge_promela::build::{BuildOptions, Built, build};
use selvedge_promela_syntax::ast;
use selvedge_promela_syntax::parse::{parse_file, parse_text};
use selvedge_report::answer::Problem;
use selvedge_report::diagnostics;
use selvedge_source::{Diagnostic, Diagnostics, Severity, SourceMap, read_text, similar_file};
use sha2::{Digest, Sha256};

use crate::advice;
use crate::args::{Format, Language};
use crate::console::{Console, advise, complain, to_stderr};

/// Promela's name in JSON and traces.
pub const PROMELA: &str = "promela";

/// Which model to open.
pub struct Request<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// What it is called in messages and traces; differs from `path` only where a trace is replayed
    /// whose model is elsewhere now.
    pub shown: String,
    /// `--language`.
    pub language: Option<Language>,
    /// `--format`.
    pub format: Format,
}

impl<'a> Request<'a> {
    /// The model at `path`, called so.
    pub fn new(path: &'a Path, language: Option<Language>, format: Format) -> Self {
        Request { path, shown: path.display().to_string(), language, format }
    }
}

/// A model that can be executed.
pub struct Opened {
    /// As shown to people.
    pub path: String,
    /// The syntax tree, for the plain interpreter.
    pub model: ast::Model,
    /// Every file read.
    pub sources: SourceMap,
    /// SHA-256 of every file read, main file first.
    pub sha256: String,
    /// The machine.
    pub built: Built,
}

/// Opens a model and shows its diagnostics. `None` if it cannot be used: then everything was said.
pub fn open(request: &Request<'_>, options: &BuildOptions, console: &Console) -> Option<Opened> {
    if let Err((message, help)) = check_language(request) {
        complain(&message);
        help.iter().for_each(|help| advise(help));
        return None;
    }
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let opened = parse(request, &mut sources, &mut found).and_then(|model| {
        // Before `build`, which may add the text of a formula.
        let sha256 = hash(&sources);
        let built = build(&model, options, &mut sources, &mut found)?;
        Some((model, sha256, built))
    });
    show_diagnostics(&found, &sources, &request.shown, request.format, console);
    let (model, sha256, built) = opened?;
    Some(Opened { path: request.shown.clone(), model, sources, sha256, built })
}

/// Diagnostics of one model that are shown at most: nobody reads more, and drawing them takes time.
const MOST_SHOWN: usize = 100;

/// Shows diagnostics on stderr, and how many errors there were.
pub fn show_diagnostics(found: &Diagnostics, sources: &SourceMap, name: &str, format: Format, console: &Console) {
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error || !console.quiet;
    let shown = advice::added(found.iter().filter(wanted).take(MOST_SHOWN));
    let hidden = found.iter().filter(wanted).count() - shown.iter().count();
    console.keep_problems(found.iter().map(|diagnostic| Problem::new(diagnostic, sources)));
    to_stderr(&match format {
        Format::Full => diagnostics::render(&shown, sources, console.look()),
        Format::Short => diagnostics::short(&shown, sources),
    });
    if hidden > 0 {
        to_stderr(&format!("{} not shown: repair the first ones\n", count(hidden, "more diagnostic")));
    }
    if found.has_errors() {
        let how_many = |severity| found.iter().filter(|d| d.severity == severity).count();
        let (errors, warnings) = (how_many(Severity::Error), how_many(Severity::Warning));
        let mut summary = format!("{name}: {}", count(errors, "error"));
        if warnings > 0 {
            summary.push_str(&format!(", {}", count(warnings, "warning")));
        }
        to_stderr(&format!("{summary}\n"));
    }
    if format == Format::Full && !console.quiet {
        to_stderr(&where_to_read_more(&shown));
    }
}

/// Codes that a line names at most.
const NAMED_CODES: usize = 5;

/// The command that tells more about what was shown; nothing if nothing was.
fn where_to_read_more(shown: &Diagnostics) -> String {
    let codes: std::collections::BTreeSet<&str> = shown.iter().map(|diagnostic| diagnostic.code).collect();
    if codes.is_empty() {
        return String::new();
    }
    let named: Vec<&str> = codes.into_iter().take(NAMED_CODES).collect();
    format!("for more: selvedge explain {}\n", named.join(" "))
}

fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The language of a file: as the user says, else by its ending.
pub fn language(request: &Request<'_>) -> Option<Language> {
    let ending = request.path.extension().unwrap_or_default().to_string_lossy().into_owned();
    match (request.language, ending.as_str()) {
        (Some(language), _) => Some(language),
        (None, "pml" | "prom" | "promela") => Some(Language::Promela),
        (None, ending) => Language::from_str(ending, false).ok(),
    }
}

/// Whether the file's language is one that can be read; what to say otherwise, and what to do.
fn check_language(request: &Request<'_>) -> Result<(), (String, Option<String>)> {
    match language(request) {
        Some(Language::Promela) => Ok(()),
        Some(other) => {
            let name = other.to_possible_value().map(|value| format!(".{}", value.get_name())).unwrap_or_default();
            Err((format!("`{}`: this command reads Promela models, not {name} files", request.shown), None))
        }
        None if request.path.is_dir() => {
            Err((format!("`{}` is a directory", request.shown), Some("name the file of a model".to_owned())))
        }
        None if !request.path.exists() => {
            let near = similar_file(request.path).map(|name| format!("did you mean `{name}`?"));
            Err((format!("there is no file `{}`", request.shown), near))
        }
        None => {
            let ending = request.path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let why =
                if ending.is_empty() { "it has no ending".to_owned() } else { format!("its ending is `.{ending}`") };
            let message = format!("cannot tell the language of `{}`: {why}", request.shown);
            Err((message, Some("if it is Promela, say --language promela".to_owned())))
        }
    }
}

fn parse(request: &Request<'_>, sources: &mut SourceMap, found: &mut Diagnostics) -> Option<ast::Model> {
    let shown = Path::new(&request.shown);
    if shown == request.path {
        return parse_file(request.path, sources, found);
    }
    let text = match read_text(request.path) {
        Ok(text) => text,
        Err(error) => {
            complain(&format!("cannot read `{}`: {error}", request.path.display()));
            return None;
        }
    };
    let mut loader = |include: &Path| read_text(&moved(include, shown, request.path));
    parse_text(&request.shown, &text, &mut loader, sources, found)
}

/// Where an included file is now, given where the main file was and is.
pub fn moved(include: &Path, was: &Path, is: &Path) -> PathBuf {
    let directory = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
    match include.strip_prefix(directory(was)) {
        Ok(rest) => directory(is).join(rest),
        Err(_) => include.to_path_buf(),
    }
}

/// The property of a thread transition system, which stands beside it in `X.prop` or `X.tts.prop`.
pub fn beside(system: &Path) -> Option<PathBuf> {
    let mut longer = system.as_os_str().to_owned();
    longer.push(".prop");
    [system.with_extension("prop"), longer.into()].into_iter().find(|path| path.is_file())
}

/// SHA-256 of the texts one after the other; of a single file, what `sha256sum` prints.
pub fn hash(sources: &SourceMap) -> String {
    let mut hasher = Sha256::new();
    sources.files().for_each(|(_, file)| hasher.update(file.text.as_bytes()));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
