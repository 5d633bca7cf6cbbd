//! What it takes to tell whether a process spins (DESIGN 3.3): where it can, what others see of it, and what nothing
//! reads. Found by `lower::spinning`, asked by `machine::spinning`.

/// Offset and length.
pub type Range = (u32, u32);

/// Of a program.
#[derive(Clone, Debug, Default)]
pub struct Spinning {
    /// Bytes of the vector that must not tell states apart: global variables that nothing reads, and the claim.
    pub unread: Vec<Range>,
    /// Of each process type.
    pub protos: Vec<SpinningProto>,
}

/// Of a process type. Ranges count from the start of its variables and are in order.
#[derive(Clone, Debug, Default)]
pub struct SpinningProto {
    /// For each control state: it lies on a cycle of the table on which no message is sent or received outside of
    /// `atomic`.
    pub on_cycle: Vec<bool>,
    /// Variables that nothing reads.
    pub unread: Vec<Range>,
    /// Variables that no other process refers to.
    pub private: Vec<Range>,
    /// No other process refers to its control state.
    pub private_control: bool,
}
