//! Every diagnostic says what to do. Where the place that found a mistake knows no better advice, the general one of its code is
//! added: the paragraph `What to do: …` of its story in `docs/codes`. Called wherever diagnostics are shown.

use selvedge_source::{Diagnostic, Diagnostics};

use crate::explain;

/// What such a paragraph starts with.
const MARK: &str = "What to do: ";

/// The diagnostics with advice for those that have neither help nor a note.
pub fn added<'a>(found: impl Iterator<Item = &'a Diagnostic>) -> Diagnostics {
    let mut all = Diagnostics::new();
    for diagnostic in found {
        let silent = diagnostic.help.is_empty() && diagnostic.notes.is_empty();
        let advice = silent.then(|| general(diagnostic.code)).flatten();
        all.push(match advice {
            Some(advice) => diagnostic.clone().help(advice),
            None => diagnostic.clone(),
        });
    }
    all
}

/// The advice of a code, on one line and as a part of a diagnostic: without its full stop.
fn general(code: &str) -> Option<String> {
    let (_, story) = explain::in_short(code)?;
    let paragraph = story.split("\n\n").find_map(|paragraph| paragraph.strip_prefix(MARK))?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line.trim_end_matches('.').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_one_sentence_and_only_where_there_is_none() {
        let sentence = general("N0004").expect("N0004 has advice");
        assert_eq!(sentence, "remove one of the two, or give it another name");
        let error = || Diagnostic::error_without_place("N0004", "the initial state is given twice");
        let both = added([error(), error().help("so")].iter());
        let help: Vec<&[String]> = both.iter().map(|diagnostic| diagnostic.help.as_slice()).collect();
        assert_eq!(help, [&[sentence][..], &["so".to_owned()][..]]);
    }
}
