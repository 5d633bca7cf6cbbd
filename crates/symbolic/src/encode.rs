//! Statements as operations on diagrams. A relation of the analysis has the globals of the running
//! context in one copy (`outs[k]`) and the locals of the running procedure; a step is applied to it by
//! [`Encoding::step`], calls and returns by the functions of [`crate::calls`].
//!
//! An assignment whose values do not depend on what it overwrites needs no copy of the variables:
//! forget the old values, conjoin the new ones. Others go through the `next` copies.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use selvedge_boolprog::program::{BinOp, Edge, EdgeId, Expr, GlobalId, Initial, NodeId, Op, Program, VarId};
use selvedge_core::Budget;

use crate::bdd::{Bdd, Bdds, Cube, Limited, Renaming, Tables, Var};
use crate::flow::{Flow, choices, reads};
use crate::layout::Layout;

/// Whether values that will not be read are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Locals {
    /// Forgotten as soon as they cannot be read again: smaller relations.
    WhileLive,
    /// Kept: every relation speaks of complete states.
    Always,
}

/// A program with everything needed to encode it.
pub struct Encoding<'p> {
    /// The program.
    pub program: &'p Program,
    /// Facts about its graphs.
    pub flow: Flow,
    /// The diagrams.
    pub bdds: Bdds,
    /// Which variable is what.
    pub layout: RefCell<Layout>,
    locals: Locals,
    steps: RefCell<FxHashMap<(EdgeId, usize), Rc<Step>>>,
}

/// An edge as an operation: forget, conjoin, forget, rename.
struct Step {
    before: Cube,
    relation: Bdd,
    after: Cube,
    rename: Option<Rc<Renaming>>,
}

impl<'p> Encoding<'p> {
    /// Encodes a program over diagrams of its own, with room for so many contexts.
    pub fn new(program: &'p Program, contexts: usize, locals: Locals, budget: &Budget) -> Self {
        Self::with_tables(program, contexts, locals, Tables::Full, budget)
    }

    /// The same with tables of this size.
    pub(crate) fn with_tables(
        program: &'p Program,
        contexts: usize,
        locals: Locals,
        tables: Tables,
        budget: &Budget,
    ) -> Self {
        let layout = Layout::new(program, contexts);
        let bdds = Bdds::with_tables(layout.variables(), tables, budget);
        let (layout, steps) = (RefCell::new(layout), RefCell::default());
        Encoding { program, flow: Flow::new(program), bdds, layout, locals, steps }
    }

    /// Makes sure that there are so many contexts.
    pub fn reach(&self, contexts: usize) {
        self.layout.borrow_mut().reach(contexts, &self.bdds);
    }

    /// The copies of the globals that belong to a context.
    pub fn ins(&self, context: usize) -> Vec<Var> {
        self.layout.borrow().contexts[context].ins.clone()
    }

    /// See [`Encoding::ins`].
    pub fn outs(&self, context: usize) -> Vec<Var> {
        self.layout.borrow().contexts[context].outs.clone()
    }

    /// See [`Encoding::ins`].
    pub(crate) fn mids(&self, context: usize) -> Vec<Var> {
        self.layout.borrow().contexts[context].mids.clone()
    }

    /// See [`Encoding::ins`]; empty if nothing is called.
    pub fn entry(&self, context: usize) -> Vec<Var> {
        self.layout.borrow().contexts[context].entry.clone()
    }

    /// See [`Encoding::ins`]; empty if nothing is called.
    pub fn call(&self, context: usize) -> Vec<Var> {
        self.layout.borrow().contexts[context].call.clone()
    }

    /// Everything that says how procedures were entered, in contexts 0 to `last`.
    pub(crate) fn entered_with(&self, last: usize) -> Vec<Var> {
        let layout = self.layout.borrow();
        layout.contexts[..=last].iter().flat_map(|c| &c.entry).chain(&layout.params).copied().collect()
    }

    /// The variables of the locals.
    pub fn locals(&self) -> Vec<Var> {
        self.layout.borrow().locals.clone()
    }

    /// The variable of the value that `var` has in context `k`.
    pub fn now(&self, var: VarId, k: usize) -> Var {
        let layout = self.layout.borrow();
        match var {
            VarId::Global(global) => layout.contexts[k].outs[global.index()],
            VarId::Local(local) => layout.locals[local.index()],
        }
    }

    fn next(&self, var: VarId, k: usize) -> Var {
        let layout = self.layout.borrow();
        match var {
            VarId::Global(global) => layout.contexts[k].mids[global.index()],
            VarId::Local(local) => layout.locals_next[local.index()],
        }
    }

    /// An expression, with what its variables stand for before and after the step.
    pub fn expr(
        &self,
        expr: &Expr,
        before: &dyn Fn(VarId) -> Limited<Bdd>,
        after: &dyn Fn(VarId) -> Limited<Bdd>,
    ) -> Limited<Bdd> {
        let sub = |e: &Expr| self.expr(e, before, after);
        let bdds = &self.bdds;
        match expr {
            Expr::Const(value) => Ok(bdds.constant(*value)),
            Expr::Var(var) => before(*var),
            Expr::Next(var) => after(*var),
            Expr::Nondet(index) => bdds.var(self.layout.borrow().choices[*index as usize]),
            Expr::Not(inner) => bdds.not(&sub(inner)?),
            Expr::If(condition, then, other) => bdds.ite(&sub(condition)?, &sub(then)?, &sub(other)?),
            Expr::Binary(op, left, right) => {
                let (left, right) = (sub(left)?, sub(right)?);
                match op {
                    BinOp::And => bdds.and(&left, &right),
                    BinOp::Or => bdds.or(&left, &right),
                    BinOp::Xor => bdds.xor(&left, &right),
                    BinOp::Eq => bdds.iff(&left, &right),
                    BinOp::Implies => bdds.or(&bdds.not(&left)?, &right),
                }
            }
        }
    }

    /// An expression over the values in context `k`.
    pub fn value(&self, expr: &Expr, k: usize) -> Limited<Bdd> {
        self.expr(expr, &|var| self.bdds.var(self.now(var, k)), &|var| self.bdds.var(self.next(var, k)))
    }

    /// The occurrences of `*` of an edge.
    pub fn choices(&self, edge: &Edge) -> Limited<Cube> {
        let layout = self.layout.borrow();
        self.bdds.cube(layout.choices[..edge.choices as usize].iter().copied())
    }

    /// Each variable has the value of its expression, for some choice. Every `*` stands in one expression only and is
    /// quantified as soon as that is encoded: a relation over all of them would be exponentially large.
    pub fn all_equal<'e>(
        &self,
        pairs: impl IntoIterator<Item = (Limited<Bdd>, &'e Expr, Limited<Bdd>)>,
    ) -> Limited<Bdd> {
        let equal = |(var, expr, value): (Limited<Bdd>, &Expr, Limited<Bdd>)| {
            let own = choices(expr).into_iter().map(|index| self.layout.borrow().choices[index as usize]);
            self.bdds.exists(&self.bdds.iff(&var?, &value?)?, &self.bdds.cube(own)?)
        };
        self.bdds.all(pairs.into_iter().map(equal))
    }

    /// Some choice makes a condition of an edge true in context `k`.
    pub fn possible(&self, edge: &Edge, condition: &Expr, k: usize) -> Limited<Bdd> {
        self.bdds.exists(&self.value(condition, k)?, &self.choices(edge)?)
    }

    /// Some choice makes the assertion of an edge false in context `k`.
    pub fn failure(&self, edge: &Edge, assertion: &Expr, k: usize) -> Limited<Bdd> {
        self.bdds.exists(&self.bdds.not(&self.value(assertion, k)?)?, &self.choices(edge)?)
    }

    /// The shared states in which no switch is possible, in context `k`.
    pub(crate) fn no_switch(&self, k: usize) -> Limited<Option<Bdd>> {
        let flag = self.program.no_switch_while;
        flag.map(|global| self.bdds.var(self.now(VarId::Global(global), k))).transpose()
    }

    /// The initial values of the globals, before `init` runs, over `vars`.
    pub fn declared(&self, vars: &[Var]) -> Limited<Bdd> {
        let fixed = self.program.globals.iter().zip(vars).filter_map(|(global, var)| match global.initial {
            Initial::Any => None,
            Initial::Value(value) => Some((*var, value)),
        });
        self.bdds.point(fixed)
    }

    /// Whether the value of a local can still be read at a node.
    pub fn keeps(&self, node: NodeId, local: usize) -> bool {
        match self.locals {
            Locals::Always => local < self.flow.live[node.index()].len() && node != self.exit_of(node),
            Locals::WhileLive => self.flow.live[node.index()].get(local).copied().unwrap_or(false),
        }
    }

    fn exit_of(&self, node: NodeId) -> NodeId {
        self.program.procedure(self.program.node(node).procedure).exit
    }

    /// The locals that a relation at this node must not depend on.
    pub fn dead(&self, node: NodeId) -> Vec<Var> {
        let locals = self.locals();
        (0..locals.len()).filter(|local| !self.keeps(node, *local)).map(|local| locals[local]).collect()
    }

    /// The states after following an edge, that is neither a call nor creates threads, in context `k`.
    pub fn step(&self, id: EdgeId, k: usize, from: &Bdd) -> Limited<Bdd> {
        let known = self.steps.borrow().get(&(id, k)).cloned();
        let step = match known {
            Some(step) => step,
            None => {
                let step = Rc::new(self.compile(self.program.edge(id), k)?);
                self.steps.borrow_mut().insert((id, k), step.clone());
                step
            }
        };
        let before = self.bdds.exists(from, &step.before)?;
        let after = self.bdds.and_exists(&before, &step.relation, &step.after)?;
        match &step.rename {
            Some(rename) => self.bdds.rename(&after, rename),
            None => Ok(after),
        }
    }

    fn compile(&self, edge: &Edge, k: usize) -> Limited<Step> {
        let bdds = &self.bdds;
        let dead = self.dead(edge.to);
        let filter =
            |relation| Ok(Step { before: bdds.cube([])?, relation, after: bdds.cube(dead.clone())?, rename: None });
        match &edge.op {
            Op::Assume(condition) | Op::Assert(condition) => filter(self.possible(edge, condition, k)?),
            Op::Assign { targets, values, constrain } => {
                self.compile_assign(edge, k, targets, values, constrain.as_ref(), dead)
            }
            Op::Return { values } => {
                let results = self.layout.borrow().results.clone();
                let pairs = values.iter().zip(results);
                filter(self.all_equal(pairs.map(|(e, var)| (bdds.var(var), e, self.value(e, k))))?)
            }
            // Calls are made in `calls`; programs that create threads are refused before.
            Op::Skip
            | Op::EndThread
            | Op::Call { .. }
            | Op::Start { .. }
            | Op::StartAt(_)
            | Op::Wait
            | Op::Broadcast => filter(bdds.yes()),
        }
    }

    fn compile_assign(
        &self,
        edge: &Edge,
        k: usize,
        targets: &[VarId],
        values: &[Expr],
        constrain: Option<&Expr>,
        dead: Vec<Var>,
    ) -> Limited<Step> {
        let bdds = &self.bdds;
        let direct = constrain.is_none() && !values.iter().any(|e| reads(e, &mut |var| targets.contains(&var)));
        let place = |var| if direct { self.now(var, k) } else { self.next(var, k) };
        let assigned = targets.iter().zip(values);
        let mut relation =
            self.all_equal(assigned.map(|(target, value)| (bdds.var(place(*target)), value, self.value(value, k))))?;
        if let Some(condition) = constrain {
            let after = |var| bdds.var(if targets.contains(&var) { self.next(var, k) } else { self.now(var, k) });
            let condition = self.expr(condition, &|var| bdds.var(self.now(var, k)), &after)?;
            relation = bdds.and(&relation, &condition)?;
        }
        let relation = bdds.exists(&relation, &self.choices(edge)?)?;
        let old = targets.iter().map(|target| self.now(*target, k));
        if direct {
            // What is dead behind the edge need not be written at all.
            return Ok(Step { before: bdds.cube(old)?, relation, after: bdds.cube(dead)?, rename: None });
        }
        let unread = targets.iter().filter(|t| dead.contains(&self.now(**t, k))).map(|t| self.next(*t, k));
        let after = bdds.cube(old.chain(dead.iter().copied()).chain(unread))?;
        let kept = targets.iter().filter(|t| !dead.contains(&self.now(**t, k)));
        let rename = bdds.renaming(kept.map(|target| (self.next(*target, k), self.now(*target, k))))?;
        Ok(Step { before: bdds.cube([])?, relation, after, rename: Some(rename) })
    }

    /// The globals of a shared state, from an assignment over `vars`; what does not matter is false.
    pub fn shared(&self, values: &[Option<bool>], vars: &[Var]) -> Vec<bool> {
        vars.iter().map(|var| values.get(var.0 as usize).copied().flatten().unwrap_or(false)).collect()
    }

    /// The global with this index.
    pub fn global(index: usize) -> VarId {
        VarId::Global(GlobalId::new(index))
    }
}
