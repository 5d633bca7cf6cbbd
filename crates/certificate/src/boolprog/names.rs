//! How a proof file names the places of a program: the function, and within it the number of the statement in the order of
//! the text, from 1.
//!
//! | word | place |
//! | --- | --- |
//! | `3` | before statement 3 |
//! | `3.2` | before the second condition of the `if` that is statement 3 |
//! | `end` | at the end of the function |
//! | `enter`, `values` | before `enforce`, before the initial values of locals |
//! | `check:3` | before `enforce` on the way to statement 3 |
//! | `3+1` | with one atomic section open |

use selvedge_boolprog_syntax::ast::Program;

use super::graph::{Body, Node, Stage};
use super::statements::Place;

/// The name of a function, with the atomic sections that are open when it is called.
pub(super) fn body(program: &Program, body: Body) -> String {
    format!("{}{}", program.functions[body.function].name.text, sections(body.sections))
}

/// The name of a place within its function.
pub(super) fn place(node: Node) -> String {
    let place = match node.place {
        Place::Statement { number, branch: 0 } => (number + 1).to_string(),
        Place::Statement { number, branch } => format!("{}.{}", number + 1, branch + 1),
        Place::End => "end".to_owned(),
    };
    let place = match node.stage {
        Stage::Enter => "enter".to_owned(),
        Stage::Values => "values".to_owned(),
        Stage::Check => format!("check:{place}"),
        Stage::Run => place,
    };
    format!("{place}{}", sections(node.sections))
}

fn sections(open: u32) -> String {
    if open == 0 { String::new() } else { format!("+{open}") }
}
