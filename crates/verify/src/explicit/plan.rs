//! From a request to the search it asks for; what does not go together is refused in one sentence.

use selvedge_core::{Bound, BoundKind, SwitchCost};
use selvedge_explicit::{
    BitArray, Counted, Cycle, CycleOptions, ExhaustiveOptions, InterleavedOptions, LayeredOptions, Measure, Order,
    Packing, Remember, RoundsOrDepthOptions, SpinOptions, Wanted,
};
use selvedge_machine::Counting;

use crate::request::{Minimize, Optimize, Recheck, Reduction, Request, SearchKind, Store};

/// Expansions of a turn where two searches take turns.
const TURN: u64 = 10_000;

/// A search to run.
#[derive(Clone, Debug)]
pub(crate) enum Plan {
    /// Layer by layer.
    Layered(LayeredOptions),
    /// Layer by layer, in turns with a depth-first search without a bound.
    Interleaved(InterleavedOptions),
    /// In the order of rounds or steps.
    RoundsOrDepth(RoundsOrDepthOptions),
    /// Everything, without a bound.
    Exhaustive(ExhaustiveOptions),
    /// As Spin does it.
    Spin(SpinOptions),
    /// For cycles, one search after the other.
    Cycles(Vec<CycleOptions>),
}

/// What the options amount to.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    /// The search.
    pub plan: Plan,
    /// What is bounded.
    pub kind: BoundKind,
    /// By how much; without a number the bound is raised step by step.
    pub most: Option<u32>,
    /// What the run that is shown has least of; `None` if it is shown as it was found.
    pub minimize: Option<Measure>,
    /// How preemptions are counted.
    pub counting: Counting,
}

/// What the model asks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    /// A claim speaks of infinite runs.
    pub liveness: bool,
    /// The claim may count steps, so that no reduction is sound.
    pub counts_steps: bool,
}

impl Planned {
    /// The bound that the user asked for (or the one a run got to).
    pub(super) fn bound(&self, reached: u32) -> Bound {
        let value = match self.kind {
            BoundKind::Unbounded => None,
            _ => Some(self.most.unwrap_or(reached)),
        };
        Bound { kind: self.kind, value }
    }
}

/// The search that the options ask for.
pub(crate) fn plan(request: &Request, needs: Needs) -> Result<Planned, String> {
    let (kind, most) = bound(request)?;
    let plan = match cycles(request, needs, kind)? {
        Some(list) => Plan::Cycles(with_bound(list, kind, most)),
        None => finite(request, needs, kind, most)?,
    };
    if request.search.seed.is_some() && !matches!(plan, Plan::Layered(_) | Plan::Interleaved(_)) {
        return Err(
            "--seed needs `--search layered`, properties of finite runs, and no bound but one on preemptions or \
                    switches"
                .to_owned(),
        );
    }
    let minimize = match request.search.minimize {
        Minimize::Preemptions => Some(Measure::Preemptions),
        Minimize::Switches => Some(Measure::Switches),
        Minimize::Length => Some(Measure::Length),
        Minimize::None => None,
    };
    let other_measure =
        minimize == Some(Measure::Length) || (minimize == Some(Measure::Switches) && kind == BoundKind::Preemptions);
    if matches!(plan, Plan::Cycles(_)) && most.is_some() && other_measure {
        let option = option_of(kind);
        return Err(format!(
            "--minimize does not apply to infinite runs within a bound: of those, one with the fewest {option} is shown"
        ));
    }
    Ok(Planned { plan, kind, most, minimize, counting: Counting { busy_waiting: request.search.count_busy_wait } })
}

/// What is bounded and by how much.
fn bound(request: &Request) -> Result<(BoundKind, Option<u32>), String> {
    let bounds = &request.bounds;
    let given = [
        (bounds.preemptions, BoundKind::Preemptions),
        (bounds.switches, BoundKind::Switches),
        (bounds.rounds, BoundKind::Rounds),
        (bounds.depth, BoundKind::Depth),
    ];
    let given = given.into_iter().find(|(value, _)| value.is_some());
    match (request.search.kind, given) {
        (SearchKind::Dfs | SearchKind::Bfs, Some((_, kind))) => {
            Err(format!("--{} needs `--search layered`: the other searches have no such bound", option_of(kind)))
        }
        (SearchKind::Dfs | SearchKind::Bfs, None) if bounds.max_bound.is_some() => {
            Err("--max-bound needs `--search layered`: the other searches have no bound".to_owned())
        }
        (SearchKind::Dfs | SearchKind::Bfs, None) => Ok((BoundKind::Unbounded, None)),
        (SearchKind::Spin, Some((value, BoundKind::Preemptions))) => Ok((BoundKind::Preemptions, value)),
        (SearchKind::Spin, _) => Err("--search spin needs a bound: --preemptions N (Spin's -LN)".to_owned()),
        (SearchKind::Layered, Some((value, kind))) => Ok((kind, value)),
        (SearchKind::Layered, None) if bounds.unbounded => Ok((BoundKind::Unbounded, None)),
        (SearchKind::Layered, None) => Ok((BoundKind::Preemptions, bounds.max_bound)),
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
fn cycles(request: &Request, needs: Needs, kind: BoundKind) -> Result<Option<Vec<CycleOptions>>, String> {
    let acceptance = (needs.liveness && !request.properties.safety_only) || request.properties.acceptance;
    if !acceptance && !request.properties.non_progress {
        return Ok(None);
    }
    let why = "is about finite runs; infinite ones are searched with --preemptions, --switches or --unbounded";
    match kind {
        BoundKind::Rounds | BoundKind::Depth => return Err(format!("--{} {why}", option_of(kind))),
        _ if request.search.kind == SearchKind::Spin => {
            return Err("--search spin looks only at finite runs".to_owned());
        }
        _ if request.search.kind == SearchKind::Bfs => return Err("--search bfs looks only at finite runs".to_owned()),
        _ if request.search.store != Store::Exact => {
            return Err("infinite runs are searched with `--store exact` only".to_owned());
        }
        _ => {}
    }
    if request.properties.fair && request.search.reduction == Some(Reduction::Por) {
        return Err(
            "--reduction por is not sound with --fair: it skips schedules in which a thread continues".to_owned()
        );
    }
    let options = CycleOptions {
        fair: request.properties.fair,
        count_busy_wait: request.search.count_busy_wait,
        reduction: reduction(request, needs)? && !request.properties.fair,
        wanted: wanted(request),
        ..CycleOptions::default()
    };
    let accepting = acceptance.then(|| CycleOptions { cycle: Cycle::Acceptance, ..options.clone() });
    let progress =
        request.properties.non_progress.then(|| CycleOptions { cycle: Cycle::NonProgress, ..options.clone() });
    Ok(Some(accepting.into_iter().chain(progress).collect()))
}

fn with_bound(list: Vec<CycleOptions>, kind: BoundKind, most: Option<u32>) -> Vec<CycleOptions> {
    let cost = match kind {
        BoundKind::Preemptions => Some(SwitchCost::Preemptions),
        BoundKind::Switches => Some(SwitchCost::Switches),
        _ => None,
    };
    list.into_iter().map(|options| CycleOptions { cost, max_bound: most, ..options }).collect()
}

/// The search for violations that finite runs show.
fn finite(request: &Request, needs: Needs, kind: BoundKind, most: Option<u32>) -> Result<Plan, String> {
    let reduction = reduction(request, needs)?;
    let wanted = wanted(request);
    let keep_states = !reduction && request.search.optimize == Optimize::None && request.recheck != Recheck::None;
    let whole = |order| {
        let (keep_going, all_violations) = (request.search.keep_going, request.search.all_violations);
        let packing = Packing::default();
        Plan::Exhaustive(ExhaustiveOptions { order, keep_going, all_violations, reduction, keep_states, packing })
    };
    let remember = remember(request)?;
    let exact_only = |plan| match remember {
        Remember::Exactly => Ok(plan),
        _ => Err("--store compact and --store bitstate need `--search layered` or `--search spin`, and a bound on \
                  preemptions or switches"
            .to_owned()),
    };
    match (request.search.kind, kind) {
        (SearchKind::Dfs, _) => exact_only(whole(Order::DepthFirst)),
        (SearchKind::Bfs, _) => exact_only(whole(Order::BreadthFirst)),
        (SearchKind::Spin, _) => spin(request, remember, most.unwrap_or(0)),
        (SearchKind::Layered, BoundKind::Unbounded) if remember == Remember::Exactly => Ok(whole(Order::BreadthFirst)),
        (SearchKind::Layered, BoundKind::Rounds | BoundKind::Depth) => {
            if request.search.reduction == Some(Reduction::Por) {
                let option = option_of(kind);
                return Err(format!(
                    "--reduction por cannot be combined with --{option}: skipping schedules changes what it counts"
                ));
            }
            let other = !matches!(request.search.minimize, Minimize::Preemptions | Minimize::None);
            if kind == BoundKind::Rounds && other {
                return Err(
                    "--minimize does not apply to --rounds: the run that is shown has the fewest rounds".to_owned()
                );
            }
            let counted = if kind == BoundKind::Rounds { Counted::Rounds } else { Counted::Depth };
            exact_only(Plan::RoundsOrDepth(RoundsOrDepthOptions { counted, max_bound: most, wanted }))
        }
        (SearchKind::Layered, _) => {
            let options = LayeredOptions {
                cost: if kind == BoundKind::Switches { SwitchCost::Switches } else { SwitchCost::Preemptions },
                max_bound: most,
                count_busy_wait: request.search.count_busy_wait,
                reduction,
                remember,
                seed: request.search.seed.unwrap_or(0),
                shuffle: request.search.seed,
                wanted,
                keep_states,
                packing: Packing::default(),
            };
            let alone = most.is_some() || asks_for_layers(request) || remember != Remember::Exactly;
            Ok(if alone {
                Plan::Layered(options)
            } else {
                Plan::Interleaved(InterleavedOptions { layers: options, turn: TURN })
            })
        }
    }
}

/// Whether the options are about the layered search: exact counts, its order, the length of its runs.
fn asks_for_layers(request: &Request) -> bool {
    let search = &request.search;
    search.keep_going || search.all_violations || search.seed.is_some() || request.limits.depth.is_some()
}

/// Spin's own algorithm, as `pan` has it: for comparison, so nothing is done better than there.
fn spin(request: &Request, remember: Remember, bound: u32) -> Result<Plan, String> {
    let bits = match remember {
        Remember::Exactly => None,
        Remember::Bits { bytes, hashes } => Some(BitArray { bytes, hashes, seed: 0 }),
        Remember::Compactly => return Err("--search spin has `--store exact` and `--store bitstate`".to_owned()),
    };
    Ok(Plan::Spin(SpinOptions {
        bound,
        reduction: request.search.reduction == Some(Reduction::Por),
        as_pan: true,
        cycle_rule: !request.search.count_busy_wait,
        bits,
        keep_going: request.search.keep_going,
        all_violations: request.search.all_violations,
        ..SpinOptions::default()
    }))
}

fn wanted(request: &Request) -> Wanted {
    Wanted { keep_going: request.search.keep_going, all: request.search.all_violations }
}

/// Whether schedules are left out.
fn reduction(request: &Request, needs: Needs) -> Result<bool, String> {
    match request.search.reduction {
        Some(Reduction::None) => Ok(false),
        Some(Reduction::Por) if needs.counts_steps => {
            Err("--reduction por is not sound here: the claim may count steps (only an `ltl` formula without X cannot)"
                .to_owned())
        }
        Some(Reduction::Por) => Ok(true),
        // Who asks for the plain semantics or for exact counts wants every schedule.
        None => Ok(!needs.counts_steps && request.search.optimize == Optimize::Safe && !request.search.keep_going),
    }
}

fn remember(request: &Request) -> Result<Remember, String> {
    let bits_only = request.search.store != Store::Bitstate
        && (request.search.bitstate_bytes.is_some() || request.search.hashes.is_some());
    if bits_only {
        return Err("--bitstate-bytes and --hashes need `--store bitstate`".to_owned());
    }
    Ok(match request.search.store {
        Store::Exact => Remember::Exactly,
        Store::Compact => Remember::Compactly,
        Store::Bitstate => {
            let limit = request.limits.memory.unwrap_or(1 << 30);
            let bytes = request.search.bitstate_bytes.unwrap_or(limit / 4).max(8);
            Remember::Bits { bytes, hashes: request.search.hashes.unwrap_or(3) }
        }
    })
}
