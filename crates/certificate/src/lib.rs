//! Certificates: what proves that no run reaches a target, the file they are kept in, and the checker. The checker
//! knows the model and nothing of how the certificate was found: it depends on no engine and no machine.
//!
//! | file | idea |
//! | --- | --- |
//! | `net` | the certificate of a net, and its checker |
//! | `trie` | the markings of a certificate, arranged for look-ups |
//! | `network` | the net that a certificate of a finite-state network speaks of |
//! | `file` | the file format: places by name |
#![forbid(unsafe_code)]

pub mod file;
pub mod net;
pub mod network;
mod trie;

pub use file::{CertificateFile, FileFlaw, Subject};
pub use net::{Certificate, Flaw, check};
pub use network::{NetworkCertificate, NetworkNet, Place, SwitchBound};
