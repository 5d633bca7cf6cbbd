//! How an answer was checked, in words.

use selvedge_core::Evidence;

use crate::text::{count, thousands};

/// In words, for the last line of an answer.
pub fn evidence(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Replayed { runs: 1 } => "replayed by the independent interpreter".to_owned(),
        Evidence::Replayed { runs } => {
            format!("{} runs replayed by the independent interpreter", thousands(*runs))
        }
        Evidence::ReExplored { states, stored_states, .. } => {
            let states = count(*states, "state", "states");
            format!("explored again by the independent interpreter ({states}){}", looked_up(*stored_states))
        }
        Evidence::Certificate => "the independent checker accepted the certificate".to_owned(),
        Evidence::Sampled { runs, steps, compared_states, stored_states, .. } => {
            let compared = match compared_states {
                0 => String::new(),
                states => format!("; enabled steps compared in {}", count(*states, "state", "states")),
            };
            format!(
                "{} of the independent interpreter found no violation ({}){compared}{}",
                count(*runs, "random run", "random runs"),
                count(*steps, "step", "steps"),
                looked_up(*stored_states)
            )
        }
        Evidence::None { reason } => format!("none, because {reason}"),
    }
}

/// What was found in the store of the search.
fn looked_up(stored: Option<u64>) -> String {
    match stored {
        None => String::new(),
        Some(states) => format!("; {} of its runs found in the store", count(states, "state", "states")),
    }
}
