//! Certificates: what proves that no run reaches a target, the file they are kept in, and the checker. The checker
//! knows the model and nothing of how the certificate was found: it depends on no engine and no machine.
//!
//! | file | idea |
//! | --- | --- |
//! | `net` | the certificate of a net, and its checker |
//! | `trie` | the markings of a certificate, arranged for look-ups |
//! | `network` | the net that a certificate of a finite-state network speaks of |
//! | `file` | the file format of these: places by name |
//! | `boolprog` | proofs for Boolean programs: invariants, summaries and changes, with their checker |
//! | `pushdown` | proofs for pushdown systems: an automaton for each thread, with their checker |
//! | `diagram` | decision diagrams of the checker's own |
//! | `text`, `codes` | what proof files have in common, and what can be wrong with them |
#![forbid(unsafe_code)]

pub mod boolprog;
pub mod codes;
pub mod diagram;
pub mod file;
pub mod net;
pub mod network;
pub mod pushdown;
mod rejected;
mod text;
mod trie;

pub use file::{CertificateFile, FileFlaw, Subject};
pub use net::{Certificate, Flaw, check};
pub use network::{NetworkCertificate, Place, SwitchBound};
pub use rejected::Rejected;
pub use text::is_proof;
