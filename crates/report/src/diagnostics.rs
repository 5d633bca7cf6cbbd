//! Diagnostics for people (as rustc draws them: code, source underlined, notes, help) and for
//! editors (`path:line:col: severity[code]: text`). Spans may come from anywhere, so they are
//! clamped to what the file really holds; no span makes this code panic.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet, normalize_untrusted_str};
use selvedge_source::{Diagnostic, Diagnostics, FileId, Label, Severity, SourceMap, Span};

use crate::text::wrapped_line;

/// How diagnostics are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to use escape sequences for colours; without, there is none at all.
    pub color: bool,
}

/// All diagnostics, in the order found, a blank line between them. Empty if there is none.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, style: Style) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(style.width);
    let one = |diagnostic: &Diagnostic| one(diagnostic, sources, &renderer, style.width);
    let rendered: Vec<String> = diagnostics.iter().map(one).collect();
    rendered.iter().map(|text| format!("{}\n", text.trim_end())).collect::<Vec<_>>().join("\n")
}

/// One line for each: `path:line:col: severity[code]: text`. What concerns the input as a whole
/// points at the start of the main file.
pub fn short(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let line = |diagnostic: &Diagnostic| {
        let severity = word(diagnostic.severity);
        let text = normalize_untrusted_str(&diagnostic.message).replace('\n', " ");
        let place = match (&diagnostic.primary, sources.files().next()) {
            (Some(label), _) => format!("{}: ", sources.location(clamp(label.span, sources))),
            (None, Some((_, main))) => format!("{}:1:1: ", main.path),
            (None, None) => String::new(),
        };
        format!("{place}{severity}[{}]: {text}\n", diagnostic.code)
    };
    diagnostics.iter().map(line).collect()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn one(diagnostic: &Diagnostic, sources: &SourceMap, renderer: &Renderer, columns: usize) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = columns.saturating_sub(word(diagnostic.severity).len() + diagnostic.code.len() + 4);
    let margin = columns.saturating_sub(numbers(diagnostic, sources) + NOTE_MARK);
    let mut group = level
        .primary_title(lines(&diagnostic.message, title))
        .id(diagnostic.code)
        .elements(snippets(diagnostic, sources));
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(lines(note, margin)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(lines(help, margin)));
    }
    renderer.render(&[group])
}

/// ` = help: ` before a note, besides the numbers of lines.
const NOTE_MARK: usize = 10;

/// A message wrapped to a number of columns.
fn lines(message: &str, columns: usize) -> String {
    let text = normalize_untrusted_str(message);
    text.lines().flat_map(|line| wrapped_line(line, columns, "")).collect::<Vec<_>>().join("\n")
}

/// Columns of the largest number of a line that is shown.
fn numbers(diagnostic: &Diagnostic, sources: &SourceMap) -> usize {
    let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
    let line = |label: &Label| sources.location(clamp(label.span, sources)).line;
    labels.map(line).max().map_or(0, |line| line.to_string().len())
}

/// One snippet for each file that a label points into, the primary label's file first.
fn snippets<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let primary = diagnostic.primary.iter().map(|label| (AnnotationKind::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (AnnotationKind::Context, label));
    let mut files: Vec<(FileId, Vec<(AnnotationKind, &Label)>)> = Vec::new();
    for (kind, label) in primary.chain(secondary) {
        match files.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, labels)) => labels.push((kind, label)),
            None => files.push((label.span.file, vec![(kind, label)])),
        }
    }
    let snippet = |(file, labels): (FileId, Vec<(AnnotationKind, &'a Label)>)| {
        let source = sources.file(file);
        let annotation = |(kind, label): (AnnotationKind, &'a Label)| {
            let text = (!label.text.is_empty()).then(|| normalize_untrusted_str(&label.text));
            kind.span(clamp(label.span, sources).range()).label(text)
        };
        Snippet::source(source.text.as_str())
            .path(normalize_untrusted_str(&source.path))
            .annotations(labels.into_iter().map(annotation))
    };
    files.into_iter().map(snippet).collect()
}

/// The span inside its file's text, on character boundaries. The end of the file is the end of its
/// last line, not the empty line after it.
fn clamp(span: Span, sources: &SourceMap) -> Span {
    let text = &sources.file(span.file).text;
    let last = text.trim_end_matches(['\n', '\r']).len();
    let inside = |offset: usize| if offset < text.len() { floor(text, offset) } else { last };
    let Range { start, end } = span.range();
    let start = inside(start);
    Span::new(span.file, start, inside(end).max(start))
}

fn floor(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
