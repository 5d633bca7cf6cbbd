//! From the options of `check` to the search they ask for; what does not go together is refused in one sentence.

use selvedge_core::{Bound, BoundKind};
use selvedge_explicit::{
    BitArray, Cost, Cycle, CycleOptions, LayeredOptions, Measure, Order, RankedOptions, Ranking, Remember,
    SearchOptions, SpinOptions, Wanted,
};
use selvedge_machine::Counting;

use crate::args::{CheckArgs, Minimize, Optimize, Reduction, Search, Store};
use crate::memory;

/// A search to run.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Layer by layer.
    Layered(LayeredOptions),
    /// In the order of rounds or steps.
    Ranked(RankedOptions),
    /// Everything, without a bound.
    Whole(SearchOptions),
    /// As Spin does it.
    Spin(SpinOptions),
    /// For cycles, one search after the other.
    Cycles(Vec<CycleOptions>),
}

/// What the options amount to.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The search.
    pub plan: Plan,
    /// What is bounded.
    pub kind: BoundKind,
    /// By how much; without a number the bound is raised step by step.
    pub most: Option<u32>,
    /// What the run that is shown has least of.
    pub minimize: Measure,
    /// How preemptions are counted.
    pub counting: Counting,
}

/// What the model asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Needs {
    /// A claim speaks of infinite runs.
    pub liveness: bool,
    /// The claim may count steps, so that no reduction is sound.
    pub counts_steps: bool,
}

impl Planned {
    /// The bound that the user asked for (or the one a run got to).
    pub fn bound(&self, reached: u32) -> Bound {
        let value = match self.kind {
            BoundKind::Unbounded => None,
            _ => Some(self.most.unwrap_or(reached)),
        };
        Bound { kind: self.kind, value }
    }
}

/// The search that the options ask for.
pub fn plan(args: &CheckArgs, needs: Needs) -> Result<Planned, String> {
    let (kind, most) = bound(args)?;
    let plan = match cycles(args, needs, kind)? {
        Some(list) => Plan::Cycles(with_bound(list, kind, most)),
        None => finite(args, needs, kind, most)?,
    };
    if args.seed.is_some() && !matches!(plan, Plan::Layered(_)) {
        return Err(
            "--seed needs `--search layered`, properties of finite runs, and no bound but one on preemptions or \
                    switches"
                .to_owned(),
        );
    }
    let minimize = match args.minimize {
        Minimize::Preemptions => Measure::Preemptions,
        Minimize::Switches => Measure::Switches,
        Minimize::Length => Measure::Length,
    };
    let other_measure =
        minimize == Measure::Length || (minimize == Measure::Switches && kind == BoundKind::Preemptions);
    if matches!(plan, Plan::Cycles(_)) && most.is_some() && other_measure {
        let option = option_of(kind);
        return Err(format!(
            "--minimize is not for infinite runs within a bound: of those, one with the fewest {option} is shown"
        ));
    }
    Ok(Planned { plan, kind, most, minimize, counting: Counting { busy_waiting: args.count_busy_wait } })
}

/// What is bounded and by how much.
fn bound(args: &CheckArgs) -> Result<(BoundKind, Option<u32>), String> {
    let bounds = &args.bounds;
    for (name, given) in [("thread-switches", bounds.thread_switches), ("strata", bounds.strata)] {
        if given.is_some() {
            return Err(format!("--{name} is for dynamic networks (.dcps) and the dynamic engine"));
        }
    }
    let given = [
        (bounds.preemptions, BoundKind::Preemptions),
        (bounds.switches, BoundKind::Switches),
        (bounds.rounds, BoundKind::Rounds),
        (bounds.depth, BoundKind::Depth),
    ];
    let given = given.into_iter().find(|(value, _)| value.is_some());
    match (args.search, given) {
        (Search::Dfs | Search::Bfs, Some((_, kind))) => {
            Err(format!("--{} needs `--search layered`: the other searches have no such bound", option_of(kind)))
        }
        (Search::Dfs | Search::Bfs, None) if bounds.max_bound.is_some() => {
            Err("--max-bound needs `--search layered`: the other searches have no bound".to_owned())
        }
        (Search::Dfs | Search::Bfs, None) => Ok((BoundKind::Unbounded, None)),
        (Search::Spin, Some((value, BoundKind::Preemptions))) => Ok((BoundKind::Preemptions, value)),
        (Search::Spin, _) => Err("--search spin needs a bound: --preemptions N (Spin's -LN)".to_owned()),
        (Search::Layered, Some((value, kind))) => Ok((kind, value)),
        (Search::Layered, None) if bounds.unbounded => Ok((BoundKind::Unbounded, None)),
        (Search::Layered, None) => Ok((BoundKind::Preemptions, bounds.max_bound)),
    }
}

fn option_of(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::Preemptions => "preemptions",
        BoundKind::Switches => "switches",
        BoundKind::Rounds => "rounds",
        BoundKind::ThreadSwitches => "thread-switches",
        BoundKind::Strata => "strata",
        BoundKind::Depth => "depth",
        BoundKind::Unbounded => "unbounded",
    }
}

/// The searches for cycles, if the properties ask for one.
fn cycles(args: &CheckArgs, needs: Needs, kind: BoundKind) -> Result<Option<Vec<CycleOptions>>, String> {
    let acceptance = (needs.liveness && !args.safety_only) || args.acceptance;
    if !acceptance && !args.non_progress {
        return Ok(None);
    }
    let why = "is about finite runs; infinite ones are searched with --preemptions, --switches or --unbounded";
    match kind {
        BoundKind::Rounds | BoundKind::Depth => return Err(format!("--{} {why}", option_of(kind))),
        _ if args.search == Search::Spin => return Err("--search spin looks only at finite runs".to_owned()),
        _ if args.search == Search::Bfs => return Err("--search bfs looks only at finite runs".to_owned()),
        _ if args.store != Store::Exact => {
            return Err("infinite runs are searched with `--store exact` only".to_owned());
        }
        _ => {}
    }
    if args.fair && args.reduction == Some(Reduction::Por) {
        return Err(
            "--reduction por is not sound with --fair: it leaves out schedules in which a thread goes on".to_owned()
        );
    }
    let options = CycleOptions {
        fair: args.fair,
        count_busy_wait: args.count_busy_wait,
        reduction: reduction(args, needs)? && !args.fair,
        wanted: wanted(args),
        ..CycleOptions::default()
    };
    let accepting = acceptance.then(|| CycleOptions { cycle: Cycle::Acceptance, ..options.clone() });
    let progress = args.non_progress.then(|| CycleOptions { cycle: Cycle::NonProgress, ..options.clone() });
    Ok(Some(accepting.into_iter().chain(progress).collect()))
}

fn with_bound(list: Vec<CycleOptions>, kind: BoundKind, most: Option<u32>) -> Vec<CycleOptions> {
    let cost = match kind {
        BoundKind::Preemptions => Some(Cost::Preemptions),
        BoundKind::Switches => Some(Cost::Switches),
        _ => None,
    };
    list.into_iter().map(|options| CycleOptions { cost, max_bound: most, ..options }).collect()
}

/// The search for violations that finite runs show.
fn finite(args: &CheckArgs, needs: Needs, kind: BoundKind, most: Option<u32>) -> Result<Plan, String> {
    let reduction = reduction(args, needs)?;
    let wanted = wanted(args);
    let whole = |order| {
        let (keep_going, all_violations) = (args.keep_going, args.all_violations);
        Plan::Whole(SearchOptions { order, keep_going, all_violations, reduction })
    };
    let remember = remember(args)?;
    let exact_only = |plan| match remember {
        Remember::Exactly => Ok(plan),
        _ => Err("--store compact and --store bitstate need `--search layered` or `--search spin`, and a bound on \
                  preemptions or switches"
            .to_owned()),
    };
    match (args.search, kind) {
        (Search::Dfs, _) => exact_only(whole(Order::DepthFirst)),
        (Search::Bfs, _) => exact_only(whole(Order::BreadthFirst)),
        (Search::Spin, _) => spin(args, remember, most.unwrap_or(0)),
        (Search::Layered, BoundKind::Unbounded) if remember == Remember::Exactly => Ok(whole(Order::BreadthFirst)),
        (Search::Layered, BoundKind::Rounds | BoundKind::Depth) => {
            if args.reduction == Some(Reduction::Por) {
                let option = option_of(kind);
                return Err(format!(
                    "--reduction por is not for --{option}: leaving out schedules changes what it counts"
                ));
            }
            if kind == BoundKind::Rounds && args.minimize != Minimize::Preemptions {
                return Err("--minimize is not for --rounds: the run that is shown has the fewest rounds".to_owned());
            }
            let ranking = if kind == BoundKind::Rounds { Ranking::Rounds } else { Ranking::Depth };
            exact_only(Plan::Ranked(RankedOptions { ranking, max_bound: most, wanted }))
        }
        (Search::Layered, _) => Ok(Plan::Layered(LayeredOptions {
            cost: if kind == BoundKind::Switches { Cost::Switches } else { Cost::Preemptions },
            max_bound: most,
            count_busy_wait: args.count_busy_wait,
            reduction,
            remember,
            seed: args.seed.unwrap_or(0),
            shuffle: args.seed,
            wanted,
        })),
    }
}

/// Spin's own algorithm, as `pan` has it: for comparison, so nothing is done better than there.
fn spin(args: &CheckArgs, remember: Remember, bound: u32) -> Result<Plan, String> {
    let bits = match remember {
        Remember::Exactly => None,
        Remember::Bits { bytes, hashes } => Some(BitArray { bytes, hashes, seed: 0 }),
        Remember::Compactly => return Err("--search spin has `--store exact` and `--store bitstate`".to_owned()),
    };
    Ok(Plan::Spin(SpinOptions {
        bound,
        reduction: args.reduction == Some(Reduction::Por),
        as_pan: true,
        cycle_rule: !args.count_busy_wait,
        bits,
        keep_going: args.keep_going,
        all_violations: args.all_violations,
        ..SpinOptions::default()
    }))
}

fn wanted(args: &CheckArgs) -> Wanted {
    Wanted { keep_going: args.keep_going, all: args.all_violations }
}

/// Whether schedules are left out.
fn reduction(args: &CheckArgs, needs: Needs) -> Result<bool, String> {
    match args.reduction {
        Some(Reduction::None) => Ok(false),
        Some(Reduction::Por) if needs.counts_steps => {
            Err("--reduction por is not sound here: the claim may count steps (only an `ltl` formula without X cannot)"
                .to_owned())
        }
        Some(Reduction::Por) => Ok(true),
        // Who asks for the plain semantics or for exact counts wants every schedule.
        None => Ok(!needs.counts_steps && args.optimize == Optimize::Safe && !args.keep_going),
    }
}

fn remember(args: &CheckArgs) -> Result<Remember, String> {
    let bits_only = args.store != Store::Bitstate && (args.bitstate_bytes.is_some() || args.hashes.is_some());
    if bits_only {
        return Err("--bitstate-bytes and --hashes need `--store bitstate`".to_owned());
    }
    Ok(match args.store {
        Store::Exact => Remember::Exactly,
        Store::Compact => Remember::Compactly,
        Store::Bitstate => {
            let limit = args.memory_limit.or_else(memory::default_limit).unwrap_or(1 << 30);
            let bytes = args.bitstate_bytes.unwrap_or(limit / 4).max(8);
            Remember::Bits { bytes, hashes: args.hashes.unwrap_or(3) }
        }
    })
}
