//! Calls and returns: rules R2, R3 and R7 of \[LR\] Figure 3 (primed in Figure 5) on diagrams.
//!
//! A relation at a node of a called procedure also speaks of how it was entered: the globals (`entry`)
//! and arguments (`params`) at the call, and the context it was made in, which is kept outside
//! the diagrams. Of the tuple that the paper carries for the state at the entry of the procedure, the
//! components of other contexts are equal to those of the present tuple: one copy is enough.
//!
//! // DIVERGENCE \[LR\] Fig. 5: locals of the callee that are no parameters take any value at its entry, so
//! // only the arguments are part of a summary.

use selvedge_boolprog::program::{Edge, EdgeId, NodeId, Op, ProcId, VarId};

use crate::bdd::{Bdd, Limited, Var};
use crate::encode::Encoding;

/// A call of a program.
pub struct CallSite<'p> {
    /// The edge.
    pub edge: &'p Edge,
    /// Who is called.
    pub callee: ProcId,
    args: &'p [selvedge_boolprog::program::Expr],
    targets: &'p [Option<VarId>],
}

impl<'p> Encoding<'p> {
    /// The call that an edge makes.
    pub fn call_site(&self, id: EdgeId) -> Option<CallSite<'p>> {
        let edge = self.program.edge(id);
        match &edge.op {
            Op::Call { procedure, args, targets } => Some(CallSite { edge, callee: *procedure, args, targets }),
            _ => None,
        }
    }

    /// Callers that wait for a call made in context `k`: their states before it, with the globals in `call`
    /// and the arguments in `args`.
    pub fn waiting(&self, site: &CallSite<'_>, k: usize, from: &Bdd) -> Limited<Bdd> {
        let bdds = &self.bdds;
        let (outs, locals) = (self.outs(k), self.locals());
        let layout = self.layout.borrow();
        let arguments = site.args.iter().zip(&layout.args);
        let bound = self.all_equal(arguments.map(|(e, var)| (bdds.var(*var), e, self.value(e, k))))?;
        // Locals that the return overwrites or that are not read afterwards.
        let overwritten = |local: usize| site.targets.contains(&Some(VarId::Local(local_id(local))));
        let forget = (0..locals.len()).filter(|l| overwritten(*l) || !self.keeps(site.edge.to, *l)).map(|l| locals[l]);
        let waiting = bdds.and_exists(from, &bound, &bdds.cube(forget)?)?;
        let to_call = bdds.renaming(outs.into_iter().zip(layout.contexts[k].call.iter().copied()))?;
        bdds.rename(&waiting, &to_call)
    }

    /// The states in which a callee is entered by callers that wait: R7. `k` is the context.
    pub fn entered(&self, callee: ProcId, k: usize, waiting: &Bdd) -> Limited<Bdd> {
        let bdds = &self.bdds;
        let outs = self.outs(k);
        let procedure = self.program.procedure(callee);
        let callers_own = bdds.cube(self.locals().into_iter().chain(self.entered_with(k)))?;
        let entry = bdds.exists(waiting, &callers_own)?;
        let layout = self.layout.borrow();
        let here = &layout.contexts[k];
        let pairs = here.call.iter().zip(&here.entry).chain(layout.args.iter().zip(&layout.params));
        let entry = bdds.rename(&entry, &bdds.renaming(pairs.map(|(a, b)| (*a, *b)))?)?;
        let kept: Vec<usize> = (0..procedure.parameters).filter(|p| self.keeps(procedure.entry, *p)).collect();
        let same_globals = outs.iter().zip(&layout.contexts[k].entry).map(|(a, b)| (*a, *b));
        let same_params = kept.iter().map(|p| (layout.locals[*p], layout.params[*p]));
        let same = bdds.equal(same_globals.chain(same_params))?;
        bdds.and(&entry, &same)
    }

    /// Every way to enter a callee in context `k`: R0 of the eager analysis.
    pub(crate) fn entered_anyhow(&self, callee: ProcId, k: usize) -> Limited<Bdd> {
        let outs = self.outs(k);
        let procedure = self.program.procedure(callee);
        let layout = self.layout.borrow();
        let kept = (0..procedure.parameters).filter(|p| self.keeps(procedure.entry, *p));
        let same_globals = outs.iter().zip(&layout.contexts[k].entry).map(|(a, b)| (*a, *b));
        self.bdds.equal(same_globals.chain(kept.map(|p| (layout.locals[p], layout.params[p]))))
    }

    /// The summary that states at the exit of a procedure add: R3. `call` and `args` stand for how it
    /// was entered, in context `made_in`, as in [`Encoding::waiting`].
    pub fn summary(&self, made_in: usize, at_exit: &Bdd) -> Limited<Bdd> {
        let layout = self.layout.borrow();
        let there = &layout.contexts[made_in];
        let pairs = there.entry.iter().zip(&there.call).chain(layout.params.iter().zip(&layout.args));
        self.bdds.rename(at_exit, &self.bdds.renaming(pairs.map(|(a, b)| (*a, *b)))?)
    }

    /// The callers' states behind the call: R2. The call was made in one context and returns in another.
    pub fn returned(
        &self,
        site: &CallSite<'_>,
        (made_in, k): (usize, usize),
        waiting: &Bdd,
        summary: &Bdd,
    ) -> Limited<Bdd> {
        let bdds = &self.bdds;
        let scratch: Vec<Var> = {
            let layout = self.layout.borrow();
            layout.contexts[made_in].call.iter().chain(&layout.args).copied().collect()
        };
        let mut states = bdds.and_exists(waiting, summary, &bdds.cube(scratch)?)?;
        let results = self.layout.borrow().results.clone();
        for (target, result) in site.targets.iter().zip(&results) {
            let Some(target) = target.filter(|t| self.wanted(site.edge.to, *t)) else { continue };
            let var = self.now(target, k);
            states = bdds.exists(&states, &bdds.cube([var])?)?;
            states = bdds.and(&states, &bdds.equal([(var, *result)])?)?;
        }
        bdds.exists(&states, &bdds.cube(results)?)
    }

    fn wanted(&self, node: NodeId, var: VarId) -> bool {
        match var {
            VarId::Global(_) => true,
            VarId::Local(local) => self.keeps(node, local.index()),
        }
    }
}

fn local_id(index: usize) -> selvedge_boolprog::program::LocalId {
    selvedge_boolprog::program::LocalId::new(index)
}
