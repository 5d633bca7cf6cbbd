//! Where the runs and views of `check` are written: to the file that was named, or, if that is a directory, to one file
//! for each model in it. Whether that can be done is asked before a long search, not after it.

use std::path::{Path, PathBuf};

use crate::args::CheckArgs;
use crate::console::complain;

/// What the file of a trace ends in.
pub const TRACE: &str = "trace.json";
/// What the file of a view ends in.
pub const VIEW: &str = "html";

/// Whether a path names a directory, one that is there or one to be made.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// The file for the model at `model`.
pub fn file_for(out: &Path, ending: &str, model: &str, args: &CheckArgs) -> PathBuf {
    if !is_directory(out) {
        return out.to_path_buf();
    }
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let same = args.files.iter().filter(|file| stem(file) == stem(Path::new(model))).count() > 1;
    // Models of the same name are told apart by their paths.
    let name = if same { whole_name(model) } else { stem(Path::new(model)) };
    out.join(format!("{name}.{ending}"))
}

fn whole_name(model: &str) -> String {
    let parts = model.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    parts.collect::<Vec<_>>().join("-")
}

/// Makes the directories that are asked for. If something cannot be written there, says so.
pub fn can_write(args: &CheckArgs) -> bool {
    let outs = [&args.trace_out, &args.html, &args.nets.certificate].into_iter().flatten();
    outs.into_iter().all(|out| match prepare(out) {
        Ok(()) => true,
        Err(why) => {
            complain(&format!("cannot write `{}`: {why}", out.display()));
            false
        }
    })
}

fn prepare(out: &Path) -> Result<(), String> {
    if is_directory(out) {
        return std::fs::create_dir_all(out).map_err(|error| error.to_string());
    }
    match out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if !parent.is_dir() => Err(format!("there is no directory `{}`", parent.display())),
        _ => Ok(()),
    }
}
