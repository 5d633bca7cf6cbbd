//! The exit codes of the contract (docs/interface.md 1), and which of several counts.

use crate::console::Console;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// No violation within what was asked.
    NoViolation,
    /// A violation was found.
    Violation,
    /// The input or the command line is wrong.
    Input,
    /// A limit ended the run before an answer.
    Inconclusive,
    /// There was no property of any kind.
    NothingChecked,
    /// A defect of Selvedge itself.
    Defect,
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::NoViolation => 0,
            Exit::Violation => 1,
            Exit::Input => 2,
            Exit::Inconclusive => 3,
            Exit::NothingChecked => 4,
            Exit::Defect => 101,
        }
    }

    /// The one of two that a run over several files reports.
    pub fn worst(self, other: Exit) -> Exit {
        if self.weight() >= other.weight() { self } else { other }
    }

    /// The exit code of a run whose answer is there, but not everything that was to be written: a verdict of a violation
    /// stays what it is. Both are said.
    pub fn without_output(self, console: &mut Console) -> Exit {
        if self == Exit::Input {
            return self;
        }
        let ended = if matches!(self, Exit::Violation | Exit::Defect) { self } else { Exit::Input };
        let instead = if ended == self { String::new() } else { format!(" instead of {}", self.code()) };
        console
            .error(&format!("an output was not written, but the verdict stands: exit code {}{instead}", ended.code()));
        ended
    }

    fn weight(self) -> u8 {
        match self {
            Exit::NoViolation => 0,
            Exit::NothingChecked => 1,
            Exit::Inconclusive => 2,
            Exit::Violation => 3,
            Exit::Input => 4,
            Exit::Defect => 5,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit::{Defect, Inconclusive, Input, NoViolation, NothingChecked, Violation};

    #[test]
    fn the_worst_of_several_counts() {
        let from_worst = [Defect, Input, Violation, Inconclusive, NothingChecked, NoViolation];
        for pair in from_worst.windows(2) {
            assert_eq!((pair[0].worst(pair[1]), pair[1].worst(pair[0])), (pair[0], pair[0]));
        }
        assert_eq!(from_worst.map(|exit| exit.code()), [101, 2, 1, 3, 4, 0]);
    }
}
