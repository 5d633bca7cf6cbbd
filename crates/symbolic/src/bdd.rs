//! The interface to the library of decision diagrams. Everything that builds a diagram goes through
//! [`Bdds`], which checks the limits of the run before each operation, collects garbage when as much
//! again as survived the last collection was built, and answers "out of memory" as a value.
//!
//! Variables are numbered by their place in the order, top first ([`crate::layout`] decides it).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager, ManagerRef,
    Subst,
};
use rustc_hash::FxHashMap;
use selvedge_core::{Budget, StopReason};

/// What an operation gives: a value, or why the run has to stop.
pub type Limited<T> = Result<T, StopReason>;

/// A variable: its place in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

/// A Boolean function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BDDFunction);

impl Bdd {
    /// Whether some assignment makes it true.
    pub fn satisfiable(&self) -> bool {
        self.0.satisfiable()
    }

    /// Whether no assignment makes it true.
    pub(crate) fn is_false(&self) -> bool {
        !self.0.satisfiable()
    }

    /// Nodes of its diagram.
    pub fn nodes(&self) -> usize {
        self.0.node_count()
    }
}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.nodes())
    }
}

/// A set of variables to quantify.
#[derive(Clone)]
pub struct Cube {
    product: BDDFunction,
    empty: bool,
}

/// A renaming of variables. The library remembers results by renaming, so each is built once.
pub struct Renaming {
    substitution: Subst<BDDFunction>,
    empty: bool,
}

/// Figures of the diagrams of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BddStats {
    /// Variables.
    pub variables: u32,
    /// Nodes alive now, garbage included.
    pub nodes: u64,
    /// The most there were.
    pub peak_nodes: u64,
    /// Operations asked for.
    pub operations: u64,
    /// Garbage collections.
    pub collections: u64,
    /// Bytes of nodes, tables and cache at the peak.
    pub peak_bytes: u64,
}

/// Which tables a run starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tables {
    /// Small ones: most programs need no more. A run that outgrows them ends with [`StopReason::Memory`].
    Small,
    /// As large as the limits allow. The cache is written once from end to end, whatever comes.
    Full,
}

impl Tables {
    /// Runs with small tables and, if these were too small, once more with full ones.
    pub(crate) fn as_needed<T>(budget: &Budget, mut run: impl FnMut(Tables) -> Limited<T>) -> Limited<T> {
        match run(Tables::Small) {
            Err(StopReason::Memory) if budget.spent(0).is_none() => run(Tables::Full),
            result => result,
        }
    }
}

/// How large the tables may be.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Nodes that can exist at once.
    pub nodes: usize,
    /// Entries of the cache of operations.
    pub cache: usize,
}

/// Node, place in the unique table.
const BYTES_PER_NODE: u64 = 16 + 8;
/// What the library reserves for a node from the start.
const BYTES_RESERVED: usize = 16;
/// What the process reserves beside its diagrams, stacks of threads above all, at least; a quarter of the diagrams where
/// that is more.
const OTHERS: usize = 64 << 20;
const BYTES_PER_CACHE_ENTRY: u64 = 24;
const FEWEST_NODES: usize = 1 << 12;
const MOST_NODES: usize = 1 << 30;
const MOST_CACHE: usize = 1 << 22;

/// Small tables: about six megabytes.
const SMALL: Size = Size { nodes: 1 << 17, cache: 1 << 16 };

impl Size {
    /// The tables that fit into so many bytes.
    pub fn within(bytes: Option<u64>) -> Size {
        let bytes = bytes.unwrap_or(8 << 30);
        let cache = ((bytes / 8 / BYTES_PER_CACHE_ENTRY) as usize).clamp(1 << 10, MOST_CACHE);
        let cache = 1 << cache.ilog2();
        let rest = bytes.saturating_sub(cache as u64 * BYTES_PER_CACHE_ENTRY);
        Size { nodes: ((rest / BYTES_PER_NODE) as usize).clamp(FEWEST_NODES, MOST_NODES), cache }
    }

    /// The same or less: so much that it can be reserved twice. A witness needs diagrams of its own while those of the
    /// analysis exist, and where address space is limited a failed reservation ends the process.
    fn that_can_be_reserved(self) -> Size {
        self.that_fits(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
    }

    /// The same with `can_reserve` for whether that many bytes can be reserved.
    fn that_fits(self, can_reserve: impl Fn(usize) -> bool) -> Size {
        let fits = |size: &Size| {
            let bytes =
                size.nodes.saturating_mul(BYTES_RESERVED).saturating_add(size.cache * BYTES_PER_CACHE_ENTRY as usize);
            let twice = bytes.saturating_mul(2);
            can_reserve(twice.saturating_add(OTHERS.max(twice / 4)))
        };
        let less = |size: &Size| {
            let nodes = (size.nodes / 4 * 3).max(FEWEST_NODES);
            (nodes < size.nodes).then(|| Size { nodes, cache: size.cache.min((nodes / 4).next_power_of_two()) })
        };
        let mut size = self;
        while !fits(&size) {
            let Some(smaller) = less(&size) else { break };
            size = smaller;
        }
        size
    }
}

/// Fewer nodes than this are never worth collecting: a collection also empties the cache.
const SMALLEST_COLLECTION: usize = 1 << 22;

type VarPairs = Vec<(Var, Var)>;

/// The diagrams of one analysis.
pub struct Bdds {
    manager: BDDManagerRef,
    budget: Budget,
    size: Size,
    /// The tables are small, and larger ones can be had.
    small: bool,
    variables: Cell<u32>,
    collect_at: Cell<usize>,
    stats: Cell<BddStats>,
    cubes: RefCell<FxHashMap<Vec<Var>, Cube>>,
    renamings: RefCell<FxHashMap<VarPairs, Rc<Renaming>>>,
    yes: Bdd,
    no: Bdd,
}

impl Bdds {
    /// Diagrams over `variables` variables.
    pub fn new(variables: u32, budget: &Budget) -> Self {
        Self::with_tables(variables, Tables::Full, budget)
    }

    /// The same with tables of this size.
    pub(crate) fn with_tables(variables: u32, tables: Tables, budget: &Budget) -> Self {
        let full = Size::within(budget.limits().memory);
        // With fewer nodes than that, a run is not started twice.
        let small = tables == Tables::Small && full.nodes > 4 * SMALL.nodes;
        let size = if small { SMALL } else { full.that_can_be_reserved() };
        let manager = oxidd::bdd::new_manager(size.nodes, size.cache, 1);
        manager.with_manager_exclusive(|manager| manager.add_vars(variables));
        let (yes, no) = manager.with_manager_shared(|m| (Bdd(BDDFunction::t(m)), Bdd(BDDFunction::f(m))));
        Bdds {
            manager,
            budget: budget.clone(),
            size,
            variables: Cell::new(variables),
            small,
            collect_at: Cell::new(SMALLEST_COLLECTION.min(size.nodes / 4 * 3)),
            stats: Cell::default(),
            cubes: RefCell::default(),
            renamings: RefCell::default(),
            yes,
            no,
        }
    }

    /// Adds variables below all others; the first of them.
    pub(crate) fn add_variables(&self, how_many: u32) -> Var {
        let first = self.variables.get();
        self.manager.with_manager_exclusive(|manager| manager.add_vars(how_many));
        self.variables.set(first + how_many);
        Var(first)
    }

    /// The limits in force.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The figures so far.
    pub fn stats(&self) -> BddStats {
        let nodes = self.nodes() as u64;
        let stats = self.stats.get();
        let peak_nodes = stats.peak_nodes.max(nodes);
        let peak_bytes = peak_nodes * BYTES_PER_NODE + self.size.cache as u64 * BYTES_PER_CACHE_ENTRY;
        BddStats { variables: self.variables.get(), nodes, peak_nodes, peak_bytes, ..stats }
    }

    fn nodes(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes())
    }

    /// Throws away what nothing refers to.
    pub fn collect(&self) {
        self.manager.with_manager_shared(|manager| manager.gc());
        let mut stats = self.stats.get();
        stats.collections += 1;
        self.stats.set(stats);
        let left = self.manager.with_manager_shared(|manager| manager.num_inner_nodes());
        self.collect_at.set((2 * left).max(SMALLEST_COLLECTION).min(left + (self.size.nodes - left) / 4 * 3));
    }

    /// Looks at the limits and at the garbage; then runs an operation, once more after a collection
    /// if there was no room.
    fn run(&self, operation: impl Fn() -> AllocResult<BDDFunction>) -> Limited<Bdd> {
        let nodes = self.nodes();
        let mut stats = self.stats.get();
        stats.operations += 1;
        stats.peak_nodes = stats.peak_nodes.max(nodes as u64);
        self.stats.set(stats);
        // Memory is bounded by the size of the table.
        if let Some(stop) = self.budget.check(0, 0) {
            return Err(stop);
        }
        if nodes >= self.collect_at.get() {
            if self.small {
                return Err(StopReason::Memory);
            }
            self.collect();
        }
        match operation() {
            Ok(function) => Ok(Bdd(function)),
            Err(_) if self.small => Err(StopReason::Memory),
            Err(_) => {
                self.collect();
                operation().map(Bdd).map_err(|_| StopReason::Memory)
            }
        }
    }

    /// True.
    pub fn yes(&self) -> Bdd {
        self.yes.clone()
    }

    /// False.
    pub fn no(&self) -> Bdd {
        self.no.clone()
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.yes() } else { self.no() }
    }

    /// A variable.
    pub fn var(&self, var: Var) -> Limited<Bdd> {
        self.run(|| self.manager.with_manager_shared(|manager| BDDFunction::var(manager, var.0)))
    }

    /// A variable or its negation.
    pub fn literal(&self, var: Var, value: bool) -> Limited<Bdd> {
        match value {
            true => self.var(var),
            false => self.run(|| self.manager.with_manager_shared(|manager| BDDFunction::not_var(manager, var.0))),
        }
    }

    /// Not `f`.
    pub fn not(&self, f: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.not())
    }

    /// Both.
    pub fn and(&self, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.and(&g.0))
    }

    /// One or both.
    pub fn or(&self, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.or(&g.0))
    }

    /// Exactly one.
    pub fn xor(&self, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.xor(&g.0))
    }

    /// Equal.
    pub fn iff(&self, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.equiv(&g.0))
    }

    /// `f` without `g`.
    pub fn minus(&self, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| g.0.imp_strict(&f.0))
    }

    /// `c ? f : g`.
    pub(crate) fn ite(&self, c: &Bdd, f: &Bdd, g: &Bdd) -> Limited<Bdd> {
        self.run(|| c.0.ite(&f.0, &g.0))
    }

    /// The conjunction of all.
    pub fn all(&self, parts: impl IntoIterator<Item = Limited<Bdd>>) -> Limited<Bdd> {
        parts.into_iter().try_fold(self.yes(), |all, part| self.and(&all, &part?))
    }

    /// For each pair, the two variables are equal.
    pub fn equal(&self, pairs: impl IntoIterator<Item = (Var, Var)>) -> Limited<Bdd> {
        // From the bottom of the order up, so that every step is cheap.
        let mut pairs: Vec<(Var, Var)> = pairs.into_iter().collect();
        pairs.sort_by_key(|(a, b)| std::cmp::Reverse(*a.min(b)));
        self.all(pairs.into_iter().map(|(a, b)| self.iff(&self.var(a)?, &self.var(b)?)))
    }

    /// Each variable has its value.
    pub fn point(&self, values: impl IntoIterator<Item = (Var, bool)>) -> Limited<Bdd> {
        let mut values: Vec<(Var, bool)> = values.into_iter().collect();
        values.sort_by_key(|(var, _)| std::cmp::Reverse(*var));
        self.all(values.into_iter().map(|(var, value)| self.literal(var, value)))
    }

    /// A set of variables.
    pub fn cube(&self, vars: impl IntoIterator<Item = Var>) -> Limited<Cube> {
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort_unstable();
        vars.dedup();
        if let Some(known) = self.cubes.borrow().get(&vars) {
            return Ok(known.clone());
        }
        let product = self.all(vars.iter().rev().map(|var| self.var(*var)))?.0;
        let cube = Cube { product, empty: vars.is_empty() };
        self.cubes.borrow_mut().insert(vars, cube.clone());
        Ok(cube)
    }

    /// Some value of the cube's variables makes `f` true.
    pub fn exists(&self, f: &Bdd, cube: &Cube) -> Limited<Bdd> {
        if cube.empty { Ok(f.clone()) } else { self.run(|| f.0.exists(&cube.product)) }
    }

    /// Some value of the cube's variables makes both true.
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Cube) -> Limited<Bdd> {
        if cube.empty {
            return self.and(f, g);
        }
        self.run(|| f.0.apply_exists(BooleanOperator::And, &g.0, &cube.product))
    }

    /// Some values with which, for each pair, the two variables are equal make `f` true. Pair after pair, so that
    /// the relation of equality itself, which may be very large, is never built.
    pub fn diagonal(&self, f: &Bdd, pairs: impl IntoIterator<Item = (Var, Var)>) -> Limited<Bdd> {
        pairs.into_iter().try_fold(f.clone(), |f, (a, b)| {
            let both = self.restrict(&f, &self.point([(a, true), (b, true)])?)?;
            let neither = self.restrict(&f, &self.point([(a, false), (b, false)])?)?;
            self.or(&both, &neither)
        })
    }

    /// A renaming: each first variable becomes the second.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (Var, Var)>) -> Limited<Rc<Renaming>> {
        let pairs: Vec<(Var, Var)> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        if let Some(known) = self.renamings.borrow().get(&pairs) {
            return Ok(known.clone());
        }
        let from: Vec<u32> = pairs.iter().map(|(from, _)| from.0).collect();
        let to = pairs.iter().map(|(_, to)| Ok(self.var(*to)?.0)).collect::<Limited<Vec<_>>>()?;
        let renaming = Rc::new(Renaming { substitution: Subst::new(from, to), empty: pairs.is_empty() });
        self.renamings.borrow_mut().insert(pairs, renaming.clone());
        Ok(renaming)
    }

    /// Renames variables, all at once.
    pub fn rename(&self, f: &Bdd, renaming: &Rc<Renaming>) -> Limited<Bdd> {
        if renaming.empty { Ok(f.clone()) } else { self.run(|| f.0.substitute(&renaming.substitution)) }
    }

    /// One assignment that makes `f` true: values of the variables that matter, indexed by variable;
    /// `None` if there is no such assignment. Always the same one for the same function.
    pub fn pick(&self, f: &Bdd) -> Option<Vec<Option<bool>>> {
        let cube = f.0.pick_cube(|_, _, _| false)?;
        let value = |value| match value {
            OptBool::None => None,
            OptBool::False => Some(false),
            OptBool::True => Some(true),
        };
        Some(cube.into_iter().map(value).collect())
    }

    /// How many assignments of `vars` make `f` true; `f` must not depend on other variables.
    pub fn count(&self, f: &Bdd, vars: &[Var]) -> f64 {
        let mut vars = vars.to_vec();
        vars.sort_unstable();
        let mut known = FxHashMap::default();
        self.count_below(&f.0, 0, &vars, &mut known)
    }

    fn count_below(&self, f: &BDDFunction, at: usize, vars: &[Var], known: &mut FxHashMap<usize, f64>) -> f64 {
        let Some((yes, no)) = f.cofactors() else {
            return if f.satisfiable() { 2f64.powi((vars.len() - at) as i32) } else { 0.0 };
        };
        let (level, node) = place_of(f);
        let place = vars.partition_point(|var| var.0 < level);
        let below = match known.get(&node) {
            Some(below) => *below,
            None => {
                let below =
                    self.count_below(&yes, place + 1, vars, known) + self.count_below(&no, place + 1, vars, known);
                known.insert(node, below);
                below
            }
        };
        below * 2f64.powi((place - at) as i32)
    }

    /// Every assignment of `vars` that makes `f` true, in the order of counting with `vars[0]` the
    /// highest digit; at most `most` of them. `f` must not depend on other variables.
    pub fn assignments(&self, f: &Bdd, vars: &[Var], most: usize) -> Limited<Vec<Vec<bool>>> {
        let mut found = Vec::new();
        let mut pending = vec![(f.clone(), Vec::new())];
        while let Some((part, values)) = pending.pop() {
            if part.is_false() || found.len() >= most {
                continue;
            }
            if values.len() == vars.len() {
                found.push(values);
                continue;
            }
            let var = vars[values.len()];
            for value in [true, false] {
                let cube = self.literal(var, value)?;
                let mut more = values.clone();
                more.push(value);
                pending.push((self.restrict(&part, &cube)?, more));
            }
        }
        Ok(found)
    }

    /// `f` where the literals of the product `point` hold.
    pub fn restrict(&self, f: &Bdd, point: &Bdd) -> Limited<Bdd> {
        self.run(|| f.0.restrict(&point.0))
    }
}

/// The level of a function's top node, and a number that no other node has while this one exists.
fn place_of(f: &BDDFunction) -> (u32, usize) {
    f.with_manager_shared(|manager, edge| (manager.get_node(edge).unwrap_inner().level(), edge.node_id()))
}

#[cfg(test)]
mod tests;
