//! From a model and a request to an answer that was checked independently. This crate is where the guarantee of
//! Selvedge lives; the command line, and every program that embeds Selvedge, calls [`verify`] and only shows what
//! comes back.
//!
//! ```
//! use selvedge_verify::{Budget, Language, Request, Silent, Verdict, load_text, verify};
//!
//! let text = "byte x; active [2] proctype inc() { byte t; t = x; x = t + 1 }
//!             active proctype check() { (_nr_pr == 1); assert(x == 2) }";
//! let model = load_text("race.pml", Language::Promela, text)?;
//! let answer = verify(&model, &Request::default(), &Budget::unlimited(), &mut Silent)?;
//! assert_eq!(answer.verdict, Verdict::Violated);
//! let violation = answer.traces[0].violation.as_ref().expect("the run ends in a violation");
//! println!("{}: {} steps", violation.message, violation.length);
//! # Ok::<(), selvedge_verify::Refusal>(())
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `load`, `language`, `model` | from a file to a syntax tree, and to a machine |
//! | `request`, `options`, `choice` | what is asked, as data; the options of a check, each in one place |
//! | `command_line` | values of options as text |
//! | `engine` | the engines, a row each |
//! | `table` | which engine accepts which language and option |
//! | `check`, `parts`, `combine` | the pipeline: a search for each property, one answer |
//! | `pass` | one search: choose the engine, search, shorten, judge |
//! | `explicit`, `symbolic`, `dynamic` | one module for each engine |
//! | `properties` | what is checked and what is not |
//! | `judge`, `recheck`, `replay`, `proof`, `certify` | what checks answers |
//! | `answer`, `refusal` | what comes back |
//! | `simulate` | one run, step by step |
//! | `formula`, `sequentialize`, `convert` | what else is done with models |
#![forbid(unsafe_code)]
// Some parts serve one engine only, which may be left out.
#![cfg_attr(not(all(feature = "explicit", feature = "symbolic", feature = "dynamic")), allow(dead_code))]

pub mod answer;
mod certify;
mod check;
pub mod choice;
mod combine;
#[cfg(feature = "command-line")]
pub mod command_line;
#[cfg(feature = "dynamic")]
mod convert;
#[cfg(feature = "dynamic")]
mod dynamic;
pub mod engine;
#[cfg(feature = "explicit")]
mod explicit;
mod formula;
mod includes;
mod judge;
mod language;
mod load;
mod model;
mod nearby;
mod options;
mod parts;
mod pass;
mod proof;
mod properties;
mod recheck;
mod refusal;
mod replay;
pub mod request;
#[cfg(feature = "symbolic")]
mod sequentialize;
pub mod simulate;
#[cfg(feature = "symbolic")]
mod symbolic;
pub mod table;
mod wording;

pub use answer::{Answer, Details};
pub use certify::{Certified, certify};
pub use check::{Prepared, prepare, verify};
pub use choice::Choice;
#[cfg(feature = "dynamic")]
pub use convert::{ConvertOptions, ConvertedModel, convert};
pub use formula::never_claim;
pub use language::Language;
pub use load::{LoadOptions, load_file, load_input, load_text, model_text};
pub use model::LoadedModel;
pub use parts::{Property, PropertyAnswer, PropertyKind};
pub use properties::Checked;
pub use refusal::{Defect, Refusal};
pub use replay::{Replayed, replay};
pub use request::{Engine, Request};
#[cfg(feature = "symbolic")]
pub use sequentialize::{Emit, sequentialized};

pub use selvedge_certificate::CertificateFile;
pub use selvedge_core::{
    Bound, BoundKind, Budget, Effort, Event, Evidence, Interrupt, Layer, Limits, Meter, Observer, Omission, Silent,
    Stats, StopReason, Switch, SwitchCost, SwitchReason, Trace, Verdict, ViolationKind, trace,
};
pub use selvedge_promela_syntax::{Definition, Setup};
