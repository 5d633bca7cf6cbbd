//! Disagreements as files of the corpus.
//!
//! Spin's answer becomes what is expected of Selvedge: from then on the corpus tests hold the line, without Spin.

use super::judge::Disagreement;
use selvedge_testgen::Program;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a program with the header of the corpus; where it is.
pub fn write(dir: &Path, seed: u64, index: u64, program: &Program, disagreement: &Disagreement) -> io::Result<PathBuf> {
    std::fs::create_dir_all(dir)?;
    let path = dir.join(format!("fuzz_{seed}_{index}.pml"));
    std::fs::write(&path, format!("{}{program}", header(seed, index, disagreement)))?;
    Ok(path)
}

fn header(seed: u64, index: u64, disagreement: &Disagreement) -> String {
    let figures = &disagreement.spin;
    let mut kinds = figures.kinds.iter();
    let expect = match (kinds.next(), kinds.next()) {
        (None, _) => "holds".to_owned(),
        (Some(only), None) => format!("violated {only}"),
        // Which of several is reported first is not Spin's to say.
        (Some(_), Some(_)) => "violated".to_owned(),
    };
    let mut text = String::new();
    let _ =
        writeln!(text, "// about: found by differential fuzzing (seed {seed}, program {index}): {}", disagreement.sort);
    let _ = writeln!(text, "// expect: {expect}");
    let _ = writeln!(text, "// states: {}", figures.states);
    let _ = writeln!(text, "// errors: {}", figures.kinds_text());
    text
}
