//! Where the runs, views and certificates of `check` are written: to the file that was named, or, if that is a
//! directory, to one file for each model in it. Whether they can be written is checked before a long search, not after it.

use std::path::{Path, PathBuf};

use selvedge_report::{ViewFile, html_until};
use selvedge_source::{Cancel, SourceFile};
use selvedge_verify::{Answer, CertificateFile, Details, Refusal};

use crate::args::{CheckArgs, SaveArgs};
use crate::console::Console;
use crate::{model_input, output_file, saved, shell, trace_file, view};

/// What the file of a trace ends in.
const TRACE: &str = "trace.json";
/// What the file of a view ends in.
const VIEW: &str = "html";

/// Where the outputs of a check go.
pub struct Outputs {
    trace: Option<PathBuf>,
    view: Option<PathBuf>,
    certificate: Option<PathBuf>,
    save: SaveArgs,
    /// The models.
    files: Vec<PathBuf>,
    /// The files that options name, directories aside.
    named: Vec<(&'static str, PathBuf)>,
}

/// What was written: names of files.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    /// Traces, one for each run or none.
    pub traces: Vec<String>,
    /// Views, one for each run or none.
    pub views: Vec<String>,
    /// The certificate.
    pub certificate: Option<String>,
}

impl Outputs {
    /// What was asked for. Makes the directories; refuses what cannot be written.
    pub fn new(args: &CheckArgs) -> Result<Outputs, Refusal> {
        let one_of_many = args.files.len() > 1;
        for (name, out) in [("trace-out", &args.trace_out), ("html", &args.html)] {
            let Some(out) = out else { continue };
            if one_of_many && !is_directory(out) {
                return Err(Refusal::request(format!(
                    "--{name} writes one file per model: name a directory for them, such as --{name} runs/"
                )));
            }
            if out.as_os_str() == "-" {
                let instead = if name == "html" { ", or use `selvedge view -o -`" } else { "" };
                return Err(Refusal::request(format!(
                    "--{name} - would mix the file with the answer on stdout: name a file{instead}"
                )));
            }
        }
        let (trace, view) = (args.trace_out.clone(), args.html.clone());
        let certificate = args.nets.certificate.clone();
        for out in [&trace, &view, &certificate].into_iter().flatten() {
            make_place(out).map_err(|why| Refusal::request(format!("cannot write `{}`: {why}", out.display())))?;
        }
        let files = args.files.clone();
        let mut outputs = Outputs { trace, view, certificate, save: args.save.clone(), files, named: Vec::new() };
        args.files.iter().for_each(|file| output_file::protect(file));
        outputs.named = named(args);
        outputs.refuse_overlaps()?;
        outputs.refuse_overlaps_in_directories()?;
        Ok(outputs)
    }

    /// Refuses outputs that would overwrite each other, a model, or what was read so far: the files that a model includes
    /// are known when it is loaded.
    pub fn refuse_overlaps(&self) -> Result<(), Refusal> {
        let outputs: Vec<(&str, &Path)> = self.named.iter().map(|(option, path)| (*option, path.as_path())).collect();
        output_file::refuse_overlaps(&outputs, &[])
    }

    /// The same for the files of each model in a directory; among themselves, they have different names.
    fn refuse_overlaps_in_directories(&self) -> Result<(), Refusal> {
        for (option, out, ending) in [("--trace-out", &self.trace, TRACE), ("--html", &self.view, VIEW)] {
            let Some(out) = out.as_ref().filter(|out| is_directory(out)) else { continue };
            for model in &self.files {
                let path = self.file_for(out, ending, &model_input::shown(model));
                output_file::refuse_overlaps(&[(option, &path)], &[])?;
                self.refuse_named(option, &path)?;
            }
        }
        Ok(())
    }

    fn refuse_named(&self, option: &str, path: &Path) -> Result<(), Refusal> {
        let mut others = self.named.iter().filter(|(other, _)| *other != option);
        match others.find(|(_, other)| output_file::same(path, other)) {
            Some((other, _)) => {
                Err(Refusal::request(format!("cannot write `{}`: {other} names the same file", path.display())))
            }
            None => Ok(()),
        }
    }

    /// The file of the violation with this index; refused if it is that of another option.
    fn numbered(&self, option: &str, out: &Path, index: usize) -> Result<PathBuf, Refusal> {
        let path = trace_file::numbered(out, index);
        self.refuse_named(option, &path).map(|()| path)
    }

    /// Writes what an answer has. What cannot be written is printed, and the answer is given all the same.
    /// What is not written when it is cancelled is left out.
    pub fn save(&self, answer: &Answer, cancel: &Cancel, console: &mut Console) -> Saved {
        Saved {
            traces: self.save_traces(answer, cancel, console),
            views: self.save_views(answer, cancel, console),
            certificate: self.save_certificate(answer, console),
        }
    }

    fn save_traces(&self, answer: &Answer, cancel: &Cancel, console: &mut Console) -> Vec<String> {
        let Some(out) = &self.trace else {
            return saved::save(&self.save, &answer.path, &answer.traces, cancel, console);
        };
        let out = self.file_for(out, TRACE, &answer.path);
        let save = |(index, trace)| {
            let path = self.numbered("--trace-out", &out, index);
            written(path.and_then(|path| trace_file::save_until(trace, &path, cancel).map(|()| path)), console)
        };
        answer.traces.iter().enumerate().filter_map(save).collect()
    }

    fn save_views(&self, answer: &Answer, cancel: &Cancel, console: &mut Console) -> Vec<String> {
        let Some(out) = &self.view else { return Vec::new() };
        let out = self.file_for(out, VIEW, &answer.path);
        if answer.traces.is_empty() {
            if self.files.len() == 1 {
                console.warn(&format!("there is no violation to show: `{}` was not written", out.display()));
            }
            return Vec::new();
        }
        let file = |file: &SourceFile| ViewFile { name: file.path.clone(), text: Some(file.text.clone()) };
        let files: Vec<ViewFile> = answer.sources.files().map(|(_, source)| file(source)).collect();
        let save = |(index, trace)| {
            let path = self.numbered("--html", &out, index);
            let page = html_until(trace, &files, &[], cancel).ok_or(Refusal::Cancelled);
            written(path.and_then(|path| view::write(&path, &page?).map(|()| path)), console)
        };
        answer.traces.iter().enumerate().filter_map(save).collect()
    }

    fn save_certificate(&self, answer: &Answer, console: &mut Console) -> Option<String> {
        let path = self.certificate.as_ref()?;
        let text = match &answer.details {
            Details::Explicit(_) => None,
            Details::Symbolic(details) => details.certificate.as_ref().map(|proof| proof.text.clone()),
            Details::Dynamic(details) => details.certificate.as_ref().map(CertificateFile::to_json),
        }?;
        let result = output_file::write(path, text);
        let result = result.map_err(|error| unwritten("the certificate", path, &error));
        written(result.map(|()| path.clone()), console)
    }

    /// The file for the model at `model`.
    fn file_for(&self, out: &Path, ending: &str, model: &str) -> PathBuf {
        if !is_directory(out) {
            return out.to_path_buf();
        }
        let same = self.files.iter().filter(|file| shell::stem(file) == shell::stem(Path::new(model))).count() > 1;
        // Models of the same name are distinguished by their paths.
        let name = if same { whole_name(model) } else { shell::stem(Path::new(model)) };
        out.join(format!("{name}.{ending}"))
    }
}

/// The files that options name, directories aside.
fn named(args: &CheckArgs) -> Vec<(&'static str, PathBuf)> {
    let named = [
        ("--trace-out", &args.trace_out),
        ("--html", &args.html),
        ("--certificate", &args.nets.certificate),
        ("--sarif", &args.reports.sarif),
        ("--junit", &args.reports.junit),
    ];
    let files = named.into_iter().filter_map(|(option, path)| Some((option, path.clone()?)));
    files.filter(|(_, path)| !is_directory(path)).collect()
}

/// The name of a file that was written; prints why it was not.
pub fn written(result: Result<PathBuf, Refusal>, console: &mut Console) -> Option<String> {
    match result {
        Ok(path) => Some(path.display().to_string()),
        Err(Refusal::Cancelled) => None,
        Err(refusal) => {
            console.error(&refusal.to_string());
            console.lose();
            None
        }
    }
}

/// Why a file cannot be written.
pub fn unwritten(what: &str, path: &Path, error: &std::io::Error) -> Refusal {
    Refusal::request(format!("cannot write {what} to `{}`: {error}", path.display()))
}

/// Whether a path names a directory, one that is there or one to be made.
fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

fn whole_name(model: &str) -> String {
    let parts = model.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    parts.collect::<Vec<_>>().join("-")
}

fn make_place(out: &Path) -> Result<(), String> {
    if is_directory(out) {
        return std::fs::create_dir_all(out).map_err(|error| error.to_string());
    }
    match out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if !parent.is_dir() => Err(format!("there is no directory `{}`", parent.display())),
        _ => Ok(()),
    }
}
