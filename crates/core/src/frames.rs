//! The call stack of a thread in a trace. A step has the frames in which its statement is executed; a recursion may be
//! thousands of calls deep, so equal neighbours are one entry and the middle of a long stack is left out.

use serde::{Deserialize, Serialize};

use crate::trace::TraceLocation;

/// Entries of a stack that is kept whole, and of what is left at its start where it is not.
const MOST: usize = 24;
const FIRST: usize = 8;
/// What the frames that are left out are called.
const LEFT_OUT: &str = "…";

/// One call, or several equal ones inside each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TraceFrame {
    /// The procedure (of a pushdown system, the stack symbol); `…` for frames that are left out.
    pub procedure: String,
    /// How deep the (outermost of these) call is, from 1.
    pub depth: u32,
    /// Where the frame is: at its call of the next one or, of the innermost one, at the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<TraceLocation>,
    /// How many equal frames follow each other here.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
}

fn once() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference.
fn is_once(times: &u32) -> bool {
    *times == 1
}

impl TraceFrame {
    /// A stack of these frames, outermost first, folded.
    pub fn stack(frames: impl Iterator<Item = (String, Option<TraceLocation>)>) -> Vec<TraceFrame> {
        let mut stack: Vec<TraceFrame> = Vec::new();
        for (depth, (procedure, location)) in (1..).zip(frames) {
            match stack.last_mut().filter(|last| last.procedure == procedure && last.location == location) {
                Some(last) => last.times += 1,
                None => stack.push(TraceFrame { procedure, depth, location, times: 1 }),
            }
        }
        if stack.len() > MOST {
            let end = stack.len() - (MOST - FIRST);
            let (depth, times) = (stack[FIRST].depth, stack[end].depth - stack[FIRST].depth);
            let left_out = TraceFrame { procedure: LEFT_OUT.to_owned(), depth, location: None, times };
            stack.splice(FIRST..end, [left_out]);
        }
        stack
    }

    /// How many frames a stack has.
    pub fn depth_of(stack: &[TraceFrame]) -> u32 {
        stack.last().map_or(0, |last| last.depth + last.times - 1)
    }

    /// `main → f ×12 → g`.
    pub fn chain(stack: &[TraceFrame]) -> String {
        let shown = |frame: &TraceFrame| match frame.times {
            1 => frame.procedure.clone(),
            times => format!("{} ×{times}", frame.procedure),
        };
        stack.iter().map(shown).collect::<Vec<_>>().join(" → ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(names: &[&str]) -> Vec<TraceFrame> {
        TraceFrame::stack(names.iter().map(|name| ((*name).to_owned(), None)))
    }

    #[test]
    fn equal_neighbours_are_folded() {
        let folded = stack(&["main", "f", "f", "f", "g"]);
        assert_eq!(TraceFrame::chain(&folded), "main → f ×3 → g");
        assert_eq!(folded.iter().map(|frame| frame.depth).collect::<Vec<_>>(), [1, 2, 5]);
        assert_eq!(TraceFrame::depth_of(&folded), 5);
        assert_eq!(TraceFrame::depth_of(&[]), 0);
    }

    #[test]
    fn the_middle_of_a_long_stack_is_left_out() {
        let names: Vec<&str> = std::iter::repeat_n(["even", "odd"], 500).flatten().collect();
        let folded = stack(&names);
        assert_eq!((folded.len(), TraceFrame::depth_of(&folded)), (MOST + 1, 1000));
        assert_eq!((folded[FIRST].procedure.as_str(), folded[FIRST].depth, folded[FIRST].times), (LEFT_OUT, 9, 976));
        assert_eq!(folded[FIRST + 1].depth, 985);
        assert_eq!(stack(&names[..MOST]).len(), MOST, "this one is kept whole");
    }
}
