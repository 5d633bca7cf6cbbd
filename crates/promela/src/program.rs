//! A model as the machine runs it: names resolved to offsets in a flat state vector, control flow as a table of transitions
//! for each control state. Built once by `lower`, read by `machine`. The state vector, in this order:
//!
//! | part | bytes |
//! | --- | --- |
//! | hidden variables | carried along, not compared |
//! | globals | fixed |
//! | global channels | fixed; rendezvous channels take no room |
//! | header | number of processes; `_last`, event state, claim state and variables where used |
//! | processes, oldest first | type, control state, priority where used, variables, local channels |

use selvedge_source::Span;

use crate::reached::{AssertId, Assertions, Mark};
use crate::{events::Events, exclusive::Exclusive, independence::Independence, safety::Safety, spinning::Spinning};
use selvedge_promela_syntax::ast::{BinaryOp, ChanQuery, UnaryOp};

/// Index of a process type in [`Program::protos`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProtoId(pub u16);

/// A control state of a process type: Spin's own numbering, from 1; 0 is "none".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ControlState(pub u16);

/// How a scalar is stored and truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `bit`, `bool`.
    Bit,
    /// `byte`, `pid`, `mtype`, `chan`.
    Byte,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `unsigned : n`.
    Unsigned(u8),
}

impl Scalar {
    /// Bytes it takes in the state vector.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bit | Scalar::Byte => 1,
            Scalar::Short => 2,
            Scalar::Int => 4,
            Scalar::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
        }
    }

    /// The value as an assignment stores it.
    #[inline]
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Scalar::Bit => value & 1,
            Scalar::Byte => value & 0xff,
            Scalar::Short => i32::from(value as i16),
            Scalar::Int => value,
            Scalar::Unsigned(bits) if bits >= 32 => value,
            Scalar::Unsigned(bits) => value & ((1i64 << bits) - 1) as i32,
        }
    }
}

/// How a value is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// As a number.
    Number,
    /// As `true` or `false`.
    Bool,
    /// As the symbol of this mtype set (index into [`Program::mtypes`]).
    Mtype(usize),
    /// As a channel's name.
    Chan,
}

/// Which part of the vector an offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// The start of the vector (globals, hidden variables, the claim's variables).
    Global,
    /// The start of the process's record.
    Local,
}

/// An index of an array access.
#[derive(Clone, Debug)]
pub struct Index {
    /// The index.
    pub value: Ex,
    /// Elements of the array.
    pub len: u32,
    /// Bytes from element to element.
    pub stride: u32,
    /// Where it is written.
    pub span: Span,
}

/// A scalar variable, possibly inside arrays and structures.
#[derive(Clone, Debug)]
pub struct Place {
    /// What the offset counts from.
    pub base: Base,
    /// Offset of the element with all indices 0.
    pub offset: u32,
    /// Indices that are not constant.
    pub indices: Vec<Index>,
    /// How it is stored.
    pub scalar: Scalar,
}

/// An expression with names resolved.
#[derive(Clone, Debug)]
pub enum Ex {
    /// A number.
    Const(i32),
    /// A byte-sized global scalar.
    GlobalByte(u32),
    /// A byte-sized local scalar.
    LocalByte(u32),
    /// Any other variable.
    Load(Box<Place>),
    /// A prefix operator.
    Unary(UnaryOp, Box<Ex>),
    /// An infix operator; the span is for division by zero.
    Binary(BinaryOp, Box<(Ex, Ex)>, Span),
    /// `(c -> a : b)`.
    Conditional(Box<(Ex, Ex, Ex)>),
    /// `run`.
    Run {
        /// What to start.
        proto: ProtoId,
        /// One for each scalar of the parameters.
        args: Vec<Ex>,
        /// Its priority.
        priority: Box<Ex>,
        /// Where.
        span: Span,
    },
    /// `len(c)`, …
    Query(ChanQuery, Box<Ex>, Span),
    /// `c?[…]`.
    Poll(Box<Receive>),
    /// `_pid`.
    Pid,
    /// `_nr_pr`.
    ProcessCount,
    /// `_last`.
    Last,
    /// `_priority`.
    OwnPriority,
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(p)`.
    Enabled(Box<Ex>, Span),
    /// `pc_value(p)`.
    PcValue(Box<Ex>),
    /// `get_priority(p)`.
    GetPriority(Box<Ex>),
    /// `set_priority(p, n)`.
    SetPriority(Box<(Ex, Ex)>, Span),
    /// `P[i]@label`; an index into [`Program::remote_labels`].
    RemoteLabel(ProtoId, Option<Box<Ex>>, usize),
    /// `P[i]:v`.
    RemoteVar(ProtoId, Option<Box<Ex>>, Box<Place>),
}

/// An argument of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Stores the field.
    Store(Place),
    /// Drops it.
    Any,
    /// Must equal it.
    Match(Ex),
}

/// A receive or a poll.
#[derive(Clone, Debug)]
pub struct Receive {
    /// The channel.
    pub chan: Ex,
    /// `??`.
    pub random: bool,
    /// `?<…>` or a poll: the message stays.
    pub copy: bool,
    /// One for each field.
    pub args: Vec<Pattern>,
    /// Where.
    pub span: Span,
}

/// A send.
#[derive(Clone, Debug)]
pub struct Send {
    /// The channel.
    pub chan: Ex,
    /// `!!`.
    pub sorted: bool,
    /// One for each field.
    pub args: Vec<Ex>,
    /// Where.
    pub span: Span,
}

/// What a transition does.
#[derive(Clone, Debug)]
pub enum Op {
    /// `skip`, `goto`, `break`, printing: always possible, changes nothing.
    Skip,
    /// `else`.
    Else,
    /// A condition.
    Condition(Ex),
    /// `v = e`.
    Assign(Place, Ex),
    /// Several assignments in one step: a declaration of an array or structure that is reached.
    AssignAll(Vec<(Place, Ex)>),
    /// `c!…`.
    Send(Box<Send>),
    /// `c?…`.
    Receive(Box<Receive>),
    /// `assert(e)`; the text is the expression as written.
    Assert(Ex, String, Span, AssertId),
    /// `printf`, `printm`.
    Print(Box<Print>),
    /// `d_step`.
    DStep(Box<DStep>),
    /// The process's end.
    End,
}

/// Something printed.
#[derive(Clone, Debug)]
pub struct Print {
    /// The format.
    pub format: String,
    /// What to insert, each with how `%e` shows it.
    pub args: Vec<(Ex, Show)>,
}

/// A deterministic sequence as a little program of its own.
#[derive(Clone, Debug)]
pub struct DStep {
    /// Its nodes.
    pub nodes: Vec<DNode>,
    /// Where it starts.
    pub entry: usize,
}

/// A node of a deterministic sequence.
#[derive(Clone, Debug)]
pub enum DNode {
    /// Executes and continues at a node.
    Basic {
        /// What.
        op: Op,
        /// Where it stands.
        span: Span,
        /// Next node.
        next: usize,
        /// Whether a search has executed it.
        executed: Mark,
    },
    /// Takes the first option that can start.
    Choice {
        /// First nodes of the options.
        options: Vec<usize>,
        /// Where it stands.
        span: Span,
    },
    /// Goes on at a node.
    Jump(usize),
    /// Goes on with the first node of a block. As in Spin, the guard of a block does not count where the `d_step` starts.
    Block(usize),
    /// Leaves the sequence.
    Exit,
}

/// A transition of a control state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Index into [`Proto::actions`].
    pub action: u32,
    /// Control state after it; 0 leaves it as it is (the process's end).
    pub target: ControlState,
    /// The process keeps the turn after it.
    pub atomic: bool,
    /// The escape it belongs to; 0 is none.
    pub escape: u16,
    /// Parts of the process's variables that are dead after it and are set to 0: offset, length.
    pub resets: Vec<(u32, u32)>,
}

/// What a transition does and where it is written.
#[derive(Clone, Debug)]
pub struct Action {
    /// What.
    pub op: Op,
    /// The statement.
    pub span: Span,
    /// The statement as written.
    pub text: String,
}

/// A control state.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Escapes first, then as written, `else` last.
    pub transitions: Vec<Transition>,
    /// The process may end its life here.
    pub valid_end: bool,
    /// An `accept` label.
    pub accept: bool,
    /// A `progress` label.
    pub progress: bool,
    /// The steps from here are local (see [`selvedge_machine::Hints::is_local`]).
    pub local: bool,
    /// Which steps there are from here may depend on `timeout`.
    pub timeout: bool,
    /// Labels that stand here.
    pub labels: Vec<String>,
    /// The statement that stands here.
    pub span: Option<Span>,
}

/// The message format and capacity of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChanSpec {
    /// 0 is a rendezvous.
    pub capacity: u32,
    /// The fields, flattened.
    pub fields: Vec<Scalar>,
    /// How to show them.
    pub shows: Vec<Show>,
    /// Bytes of one message.
    pub message_size: u32,
}

impl ChanSpec {
    /// Bytes in the state vector: length and messages.
    pub fn size(&self) -> u32 {
        let length = if self.capacity == 0 { 0 } else { self.length_size() };
        self.capacity.saturating_mul(self.message_size).saturating_add(length)
    }

    /// Bytes of the length in front of the messages.
    pub(crate) fn length_size(&self) -> u32 {
        if self.capacity > 255 { 2 } else { 1 }
    }
}

/// A channel with its place in the vector (or in the process's record).
#[derive(Clone, Debug)]
pub struct ChanSlot {
    /// Its name, for displays.
    pub name: String,
    /// Offset.
    pub offset: u32,
    /// Index into [`Program::specs`].
    pub spec: u16,
}

/// A scalar variable for displays: its full name and place.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Such as `t.c[1]`.
    pub name: String,
    /// Offset.
    pub offset: u32,
    /// How it is stored.
    pub scalar: Scalar,
    /// How it is shown.
    pub show: Show,
}

/// A process type (or the claim, or the event trace).
#[derive(Clone, Debug)]
pub struct Proto {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Scalars of its parameters.
    pub params: Vec<(u32, Scalar)>,
    /// Bytes of its record.
    pub size: u32,
    /// What runs when it is created, in order; local channels get their numbers first.
    pub init: Vec<(Place, Ex)>,
    /// Local channels, with the variable that holds each one's number.
    pub chans: Vec<(ChanSlot, u32)>,
    /// Variables, for displays.
    pub shown: Vec<Shown>,
    /// Where it starts.
    pub start: ControlState,
    /// Indexed by control state.
    pub controls: Vec<Control>,
    /// What transitions do.
    pub actions: Vec<Action>,
    /// Which of them a search has executed.
    pub executed: Vec<Mark>,
    /// `provided`.
    pub provided: Option<Ex>,
    /// `D_proctype`: a choice is a runtime error.
    pub deterministic: bool,
    /// `xr` and `xs`.
    pub exclusive: Vec<Exclusive>,
}

/// A model, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Process types.
    pub protos: Vec<Proto>,
    /// Instances at the start: type and priority.
    pub active: Vec<(ProtoId, u8)>,
    /// The claim in force.
    pub claim: Option<Proto>,
    /// What the claim in force asks about.
    pub propositions: Vec<(String, Ex)>,
    /// The event trace.
    pub events: Option<Events>,
    /// Message formats.
    pub specs: Vec<ChanSpec>,
    /// Global channels, with the variable that holds each one's number.
    pub chans: Vec<(ChanSlot, u32)>,
    /// What runs at the start.
    pub init: Vec<(Place, Ex)>,
    /// Global variables, for displays.
    pub shown: Vec<Shown>,
    /// Symbols of the mtype sets: value to name.
    pub mtypes: Vec<Vec<String>>,
    /// Control states that remote references ask for.
    pub remote_labels: Vec<ControlState>,
    /// Fixed places in the vector.
    pub header: Header,
    /// `timeout` occurs.
    pub uses_timeout: bool,
    /// `run` occurs.
    pub uses_run: bool,
    /// Priorities occur.
    pub uses_priority: bool,
    /// `provided` occurs.
    pub uses_provided: bool,
    /// There is a rendezvous channel.
    pub uses_rendezvous: bool,
    /// `unless` occurs.
    pub uses_unless: bool,
    /// Violated `xr` and `xs` are reported.
    pub checks_exclusive: bool,
    /// Which steps may stand for those of all processes as Spin has it.
    pub safety: Safety,
    /// Which steps may stand for those of all processes.
    pub independence: Independence,
    /// Where processes can spin, and what others see of them.
    pub spinning: Spinning,
    /// Assertions in processes and claims.
    pub assertions: Assertions,
}

/// Fixed places in the state vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Bytes of hidden variables, at the front.
    pub hidden: u32,
    /// Where the number of processes stands.
    pub process_count: u32,
    /// Where `_last` stands.
    pub last: Option<u32>,
    /// Where the event trace's control state stands (two bytes).
    pub event: Option<u32>,
    /// Where the claim's control state stands (two bytes).
    pub claim: Option<u32>,
    /// Where the first process stands.
    pub processes: u32,
    /// Bytes of a control state in a process's record.
    pub control_size: u32,
    /// Bytes in front of a process's variables.
    pub record_header: u32,
}
