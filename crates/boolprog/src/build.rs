//! From text to a program that can be executed: parse, check, lower.

use selvedge_source::{Diagnostics, SourceMap};

use crate::lower::{LowerOptions, lower};
use crate::program::Program;
use selvedge_boolprog_syntax::ast;
use selvedge_boolprog_syntax::check::check;
use selvedge_boolprog_syntax::dialect::Dialect;
use selvedge_boolprog_syntax::parse::parse;

/// How to build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// `--dialect`; found out if nothing is said.
    pub dialect: Option<Dialect>,
    /// What is checked.
    pub lower: LowerOptions,
}

/// A program that can be executed.
#[derive(Clone, Debug)]
pub struct Built {
    /// The syntax tree, for the plain interpreter.
    pub ast: ast::Program,
    /// The lowered form.
    pub program: Program,
}

/// Builds a program from its text and adds the text to `sources`. `None` if it has errors: they are
/// in `found`.
pub fn build(
    path: &str,
    text: &str,
    options: &BuildOptions,
    sources: &mut SourceMap,
    found: &mut Diagnostics,
) -> Option<Built> {
    let file = sources.add(path, text);
    let ast = parse(file, text, options.dialect, found)?;
    if !check(&ast, found) {
        return None;
    }
    let program = lower(&ast, &options.lower, found)?;
    Some(Built { ast, program })
}
