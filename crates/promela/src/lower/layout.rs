//! Where everything stands in the state vector.

use super::{Frame, Lowerer};
use crate::program::{Header, Program};

impl Lowerer<'_> {
    /// Gives global channels their places; returns the size of the hidden part.
    pub(super) fn layout_globals(&mut self, globals: &Frame) -> u32 {
        globals
            .declared
            .iter()
            .map(|id| &self.variables[*id])
            .filter(|v| v.hidden)
            .map(|v| v.offset + self.types.size(&v.ty).unwrap_or(1))
            .max()
            .unwrap_or(0)
    }

    /// Fixes the header and the places that depend on it.
    pub(super) fn layout(&mut self, program: &mut Program, globals: &Frame) {
        let mut at = globals.size;
        for (slot, _) in &mut program.chans {
            slot.offset = at;
            at += program.specs[slot.spec as usize].size();
        }
        let mut take = |size: u32| {
            let here = at;
            at += size;
            here
        };
        let mut header = Header { hidden: program.header.hidden, process_count: take(1), ..Header::default() };
        header.last = self.uses_last.then(|| take(1));
        header.event = program.events.is_some().then(|| take(2));
        header.claim = program.claim.as_ref().map(|claim| take(2 + claim.size));
        header.processes = at;
        let wide = program.protos.iter().any(|p| p.controls.len() > 255);
        header.control_size = if wide { 2 } else { 1 };
        header.record_header = 1 + header.control_size + u32::from(program.uses_priority);
        program.header = header;
        for shown in &mut program.shown {
            debug_assert!(shown.offset < globals.size);
        }
    }
}
