//! Which parts of the language a program may use.
//!
//! Drawn once for every program, so that rare constructs meet each other often enough in some programs and stay out of
//! the way in the rest.

use crate::rng::Rng;

/// What is allowed in one program.
#[derive(Clone, Debug)]
pub(super) struct Features {
    /// Channels at all.
    pub channels: bool,
    /// Channels that are local, passed as parameters or sent in messages.
    pub mobile_channels: bool,
    /// `typedef`.
    pub structs: bool,
    /// Structures as fields of messages.
    pub struct_messages: bool,
    /// `#define`.
    pub macros: bool,
    /// `inline`.
    pub inlines: bool,
    /// Declarations among statements.
    pub scattered_declarations: bool,
    /// `unless`.
    pub unless: bool,
    /// `timeout`.
    pub timeout: bool,
    /// `run` outside of `init`.
    pub dynamic: bool,
    /// An `init` process.
    pub init: bool,
    /// `provided`.
    pub provided: bool,
    /// `priority` and what belongs to it.
    pub priority: bool,
    /// `_last`.
    pub last: bool,
    /// `enabled(pid)`, in the never claim.
    pub enabled: bool,
    /// `pc_value(pid)`, in the never claim.
    pub pc_value: bool,
    /// `hidden`, `show`, `local`.
    pub prefixes: bool,
    /// A never claim.
    pub never: bool,
    /// References to labels and variables of processes, in the never claim.
    pub remote: bool,
    /// `trace` or `notrace`.
    pub trace: bool,
    /// `else` beside a send or receive.
    pub dubious_else: bool,
}

impl Features {
    /// The features of the next program.
    pub(super) fn draw(rng: &mut Rng) -> Features {
        let channels = rng.percent(60);
        let structs = rng.percent(25);
        let never = rng.percent(14);
        let enabled = never && rng.percent(15);
        Features {
            channels,
            mobile_channels: channels && rng.percent(25),
            structs,
            struct_messages: channels && structs && rng.percent(20),
            macros: rng.percent(25),
            inlines: rng.percent(20),
            scattered_declarations: rng.percent(30),
            unless: rng.percent(20),
            timeout: rng.percent(20) && !enabled,
            dynamic: rng.percent(25),
            init: rng.percent(45),
            provided: rng.percent(5),
            priority: rng.percent(3),
            last: rng.percent(4),
            enabled,
            pc_value: never && rng.percent(12),
            prefixes: rng.percent(12),
            never,
            remote: never && rng.percent(50),
            trace: channels && rng.percent(7),
            dubious_else: rng.percent(8),
        }
    }
}
