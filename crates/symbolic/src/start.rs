//! How a concurrent run starts: the shared states in which its threads find the globals.

use crate::bdd::{Bdd, Limited};
use crate::encode::Encoding;
use crate::thread::{Met, ThreadRun};

/// The initial shared states.
pub struct Start {
    /// Over `ins[0]`.
    pub states: Bdd,
    /// The first thread that starts where no run may come: then every run is over before its first step.
    pub at_goal: Option<usize>,
    /// What went wrong before the threads started.
    pub met: Vec<Met>,
}

impl Start {
    /// From the declarations and, where there is one, the procedure that runs first.
    pub fn new(encoding: &Encoding<'_>) -> Limited<Start> {
        let bdds = &encoding.bdds;
        let (ins, outs) = (encoding.ins(0), encoding.outs(0));
        let declared = encoding.declared(&ins)?;
        let entry = |thread: &selvedge_boolprog::program::Thread| encoding.program.procedure(thread.procedure).entry;
        let at_goal = encoding.program.threads.iter().position(|thread| encoding.flow.target[entry(thread).index()]);
        let Some(init) = encoding.program.init else {
            return Ok(Start { states: declared, at_goal, met: Vec::new() });
        };
        let mut run = ThreadRun::new(encoding, init);
        run.enter(&declared)?;
        let mut ended = bdds.exists(&run.ended()?, &bdds.cube(ins.clone())?)?;
        // The threads start with a switch.
        if let Some(flag) = encoding.no_switch(0)? {
            ended = bdds.minus(&ended, &flag)?;
        }
        let states = bdds.rename(&ended, &bdds.renaming(outs.into_iter().zip(ins))?)?;
        Ok(Start { states, at_goal, met: run.met() })
    }
}
