//! Which variables an operation reads and writes, by bytes. Whatever is not known exactly is
//! taken as read and not as overwritten.

use smallvec::SmallVec;

use crate::program::{Base, DNode, Ex, Op, Pattern, Place, ProtoId, Receive};

/// Offset and length.
pub(super) type Range = (u32, u32);

/// A set of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Bytes(SmallVec<[u64; 4]>);

impl Bytes {
    pub(super) fn add(&mut self, (offset, length): Range) {
        let end = (offset + length) as usize;
        if self.0.len() * 64 < end {
            self.0.resize(end.div_ceil(64), 0);
        }
        for byte in offset as usize..end {
            self.0[byte / 64] |= 1 << (byte % 64);
        }
    }

    pub(super) fn remove(&mut self, (offset, length): Range) {
        for byte in offset as usize..(offset + length) as usize {
            if let Some(word) = self.0.get_mut(byte / 64) {
                *word &= !(1 << (byte % 64));
            }
        }
    }

    pub(super) fn contains(&self, byte: u32) -> bool {
        self.0.get(byte as usize / 64).is_some_and(|word| word >> (byte % 64) & 1 == 1)
    }

    pub(crate) fn overlaps(&self, (offset, length): Range) -> bool {
        (offset..offset + length).any(|byte| self.contains(byte))
    }

    /// Whether the two share a byte.
    pub(super) fn meets(&self, other: &Bytes) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }

    pub(super) fn join(&mut self, other: &Bytes) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    /// What is in here but not in `other`, below `end`, as ranges.
    pub(crate) fn ranges_outside(&self, other: &Bytes, end: u32) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for byte in (0..end).filter(|b| self.contains(*b) && !other.contains(*b)) {
            match ranges.last_mut() {
                Some((offset, length)) if *offset + *length == byte => *length += 1,
                _ => ranges.push((byte, 1)),
            }
        }
        ranges
    }
}

/// What an operation uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub local_reads: Vec<Range>,
    pub local_writes: Vec<Range>,
    /// Writes of exactly these bytes, whatever happens.
    pub local_kills: Vec<Range>,
    pub global_reads: Vec<Range>,
    pub global_writes: bool,
    /// Variables of other processes.
    pub remote: Vec<(ProtoId, Range)>,
    /// It asks for more than variables: channels, processes, time-outs.
    pub environment: bool,
    /// It asks who moved last, who can move, or where processes stand.
    pub observes_steps: bool,
    /// It can fail at run time.
    pub can_fail: bool,
    /// It can fail in another way than by an index that is out of range.
    pub can_fail_otherwise: bool,
    /// The global variables that indices depend on.
    pub index_reads: Vec<Range>,
    /// It starts a process or changes a priority.
    pub acts: bool,
    /// It asks for `timeout`.
    pub timeout: bool,
    /// Processes it may start.
    pub runs: Vec<ProtoId>,
}

/// What an expression uses.
pub(super) fn uses_of_expression(ex: &Ex) -> Uses {
    let mut uses = Uses::default();
    uses.expression(ex);
    uses
}

/// What an operation uses.
pub(super) fn uses_of(op: &Op) -> Uses {
    let mut uses = Uses::default();
    uses.operation(op, true);
    uses
}

impl Uses {
    /// Reads and writes only the process's own variables, and cannot fail.
    pub(super) fn is_local(&self) -> bool {
        self.global_reads.is_empty()
            && !self.global_writes
            && self.remote.is_empty()
            && self.has_no_side_effect()
            && !self.environment
    }

    /// Evaluating it changes nothing and cannot fail.
    pub(crate) fn has_no_side_effect(&self) -> bool {
        !self.can_fail && !self.acts && !self.observes_steps
    }

    /// Evaluating it changes nothing and can fail by an index only.
    pub(crate) fn fails_by_index_at_most(&self) -> bool {
        !self.can_fail_otherwise && !self.acts && !self.observes_steps
    }

    /// It can fail, and not by an index.
    fn fails(&mut self) {
        (self.can_fail, self.can_fail_otherwise) = (true, true);
    }

    fn operation(&mut self, op: &Op, certain: bool) {
        match op {
            Op::Skip | Op::Else | Op::End => {}
            Op::Condition(ex) | Op::Assert(ex, ..) => self.expression(ex),
            Op::Assign(place, value) => {
                self.expression(value);
                self.write(place, certain);
            }
            Op::AssignAll(list) => {
                for (place, value) in list {
                    self.expression(value);
                    self.write(place, false);
                }
            }
            Op::Send(send) => {
                self.environment = true;
                self.expression(&send.chan);
                send.args.iter().for_each(|arg| self.expression(arg));
            }
            Op::Receive(receive) => self.receive(receive, certain),
            Op::Print(print) => print.args.iter().for_each(|(ex, _)| self.expression(ex)),
            Op::DStep(code) => {
                for node in &code.nodes {
                    if let DNode::Basic { op, .. } = node {
                        self.operation(op, false);
                    }
                }
            }
        }
    }

    fn receive(&mut self, receive: &Receive, certain: bool) {
        self.environment = true;
        self.expression(&receive.chan);
        for arg in &receive.args {
            match arg {
                Pattern::Store(place) => self.write(place, certain),
                Pattern::Any => {}
                Pattern::Match(ex) => self.expression(ex),
            }
        }
    }

    fn write(&mut self, place: &Place, certain: bool) {
        self.indices(place);
        match place.base {
            Base::Global => self.global_writes = true,
            Base::Local => {
                self.local_writes.push(extent(place));
                if certain && place.indices.is_empty() {
                    self.local_kills.push(extent(place));
                }
            }
        }
    }

    fn indices(&mut self, place: &Place) {
        for index in &place.indices {
            self.can_fail = true;
            let reads = self.global_reads.len();
            self.expression(&index.value);
            self.index_reads.extend_from_slice(&self.global_reads[reads..]);
        }
    }

    fn read(&mut self, base: Base, range: Range) {
        match base {
            Base::Global => self.global_reads.push(range),
            Base::Local => self.local_reads.push(range),
        }
    }

    pub(super) fn expression(&mut self, ex: &Ex) {
        use selvedge_promela_syntax::ast::BinaryOp::{Div, Rem};
        match ex {
            Ex::Const(_) | Ex::Pid => {}
            Ex::GlobalByte(at) => self.global_reads.push((*at, 1)),
            Ex::LocalByte(at) => self.local_reads.push((*at, 1)),
            Ex::Load(place) => {
                self.read(place.base, extent(place));
                self.indices(place);
            }
            Ex::Unary(_, inner) => self.expression(inner),
            Ex::Binary(op, both, _) => {
                if matches!(op, Div | Rem) {
                    self.fails();
                }
                self.expression(&both.0);
                self.expression(&both.1);
            }
            Ex::Conditional(all) => {
                self.expression(&all.0);
                self.expression(&all.1);
                self.expression(&all.2);
            }
            Ex::Run { proto, args, priority, .. } => {
                self.acts = true;
                self.runs.push(*proto);
                args.iter().for_each(|arg| self.expression(arg));
                self.expression(priority);
            }
            _ => self.surroundings(ex),
        }
    }

    /// An expression that reads more than variables of its own process and global ones.
    fn surroundings(&mut self, ex: &Ex) {
        self.environment = true;
        match ex {
            Ex::Query(_, chan, _) => {
                self.fails();
                self.expression(chan);
            }
            Ex::Poll(receive) => {
                self.fails();
                self.expression(&receive.chan);
                for arg in &receive.args {
                    if let Pattern::Match(ex) = arg {
                        self.expression(ex);
                    }
                }
            }
            Ex::Timeout => self.timeout = true,
            Ex::Last | Ex::NonProgress => self.observes_steps = true,
            Ex::Enabled(pid, _) => {
                self.observes_steps = true;
                self.fails();
                self.expression(pid);
            }
            Ex::PcValue(pid) => {
                self.observes_steps = true;
                self.expression(pid);
            }
            Ex::GetPriority(pid) => self.expression(pid),
            Ex::SetPriority(both, _) => {
                self.acts = true;
                self.fails();
                self.expression(&both.0);
                self.expression(&both.1);
            }
            Ex::RemoteLabel(_, pid, _) => pid.iter().for_each(|pid| self.expression(pid)),
            Ex::RemoteVar(proto, pid, place) => {
                self.remote.push((*proto, extent(place)));
                self.indices(place);
                pid.iter().for_each(|pid| self.expression(pid));
            }
            _ => {}
        }
    }
}

/// Every byte a place may stand for.
pub(super) fn extent(place: &Place) -> Range {
    let more: u32 = place.indices.iter().map(|i| (i.len - 1) * i.stride).sum();
    (place.offset, more + place.scalar.size())
}
