//! How an answer was checked by something independent.

use serde::{Deserialize, Serialize};

/// How an answer was checked by something that shares no code with what found it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// The independent interpreter executed the runs that are shown.
    Replayed {
        /// Runs.
        runs: u64,
    },
    /// The independent interpreter explored everything within the bound again and found no violation.
    ReExplored {
        /// States.
        states: u64,
        /// Steps that it executed.
        steps: u64,
        /// States of its random runs that were found in the store of the search, at no higher cost; `None` where the
        /// store need not have them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stored_states: Option<u64>,
    },
    /// The independent checker accepted a certificate.
    Certificate,
    /// Random runs of the independent interpreter within the bound found no violation.
    Sampled {
        /// Runs.
        runs: u64,
        /// Steps that it executed.
        steps: u64,
        /// States in which its enabled steps were compared with those of the search.
        compared_states: u64,
        /// States of these runs that were found in the store of the search, at no higher cost; `None` where the store
        /// need not have them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stored_states: Option<u64>,
        /// Start of the random choices.
        seed: u64,
    },
    /// Nothing independent checked it.
    None {
        /// Why.
        reason: String,
    },
}
