//! What people and scripts read: diagnostics with the source underlined, counterexamples as lanes,
//! summaries, JSON, SARIF, JUnit, GitHub. Everything here turns data into a `String`; nothing prints, reads a file, asks
//! the clock or knows an engine or a language.
#![forbid(unsafe_code)]

pub mod answer;
mod asking;
mod clean;
pub mod diagnostics;
pub mod error_report;
mod evidence;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod lanes;
pub mod rules;
pub mod sarif;
mod style;
pub mod summary;
mod text;
mod waits;

pub use clean::clean;
pub use evidence::evidence;
pub use html::{ViewFile, html, html_until};
pub use json::{CheckReport, trace_from_json, trace_to_json, trace_to_json_until};
pub use lanes::{LaneOptions, lanes, lanes_until};
pub use summary::{Summary, properties};
pub use text::{count, fill, one_line, preemptions, thousands, wrap, wrap_commands};
