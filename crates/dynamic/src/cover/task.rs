//! The net as the searches see it: one place to mark, and nothing that cannot matter.
//!
//! What is left out, each in a way that keeps the answer, the runs and the certificates:
//! - places that can never be marked, and transitions that need one (*unmarked*);
//! - places that hold as many tokens as anybody wants: any number at the start, or given for free as often as one
//!   likes (*plenty*); what is taken from them is not counted, and [`run`](super::run) works it out afterwards;
//! - conditions on places that never lose tokens and have enough at the start (*steady*);
//! - transitions that give nothing that leads to the goal, and places that only those need;
//! - transitions that take from two places that no run marks together (*apart*).

use std::collections::{BTreeMap, BTreeSet};

use selvedge_nets_syntax::net::{Net, TransitionId};

use super::marking::OMEGA;
use super::pairs::Pairs;

/// Where a transition of the task comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A transition of the net.
    Transition(TransitionId),
    /// The last step: a target, by position, is covered.
    Target(usize),
}

/// A transition of the task; places are those of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Tokens taken, sorted by place.
    pub take: Vec<(u32, u32)>,
    /// Tokens given, sorted by place.
    pub give: Vec<(u32, u32)>,
    /// Places whose other tokens all go elsewhere, or away.
    pub moves: Vec<(u32, Option<u32>)>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A net with one place to mark.
#[derive(Clone, Debug)]
pub struct Task {
    /// The place of the net that each place of the task is; the goal has none.
    pub places: Vec<Option<u32>>,
    /// Tokens at the start; [`OMEGA`] is any number.
    pub initial: Vec<u32>,
    /// The transitions.
    pub steps: Vec<Step>,
    /// The place to mark; `None` if it cannot be.
    pub goal: Option<u32>,
    /// Places of the net that no run marks.
    pub unmarked: Vec<u32>,
    /// Places of the net that a transition fills for free, in the order in which they were found: each
    /// transition needs only places that are plenty before it.
    pub pumps: Vec<(u32, TransitionId)>,
    /// Which places of the net may be marked together, where that says something.
    pub pairs: Option<Pairs>,
}

/// A step on the way from the net to the task: places are those of the net, the goal comes after them.
type Raw = Step;

impl Task {
    /// The task of a net. `prune`: whether to look for places that are apart.
    pub fn of(net: &Net, prune: bool) -> Task {
        let goal = net.places.len() as u32;
        let mut initial: Vec<u32> = net.initial.iter().map(|tokens| tokens.most.unwrap_or(OMEGA)).collect();
        initial.push(0);
        let mut steps = raw_steps(net, goal);
        let marked = markable(&initial, &steps);
        steps.retain(|step| step.take.iter().all(|(place, _)| marked[*place as usize]));
        let unmarked = (0..goal).filter(|place| !marked[*place as usize]).collect();
        for step in &mut steps {
            step.moves.retain(|(from, _)| marked[*from as usize]);
        }
        let mut pumps = Vec::new();
        forget_plenty(&initial, &mut steps, &mut pumps);
        let mut needed = relevant(goal, &mut steps);
        let pairs = prune.then(|| Pairs::of(&initial, &steps, &needed)).flatten();
        if let Some(pairs) = &pairs {
            let before = steps.len();
            steps.retain(|step| pairs.apart(&step.take).is_none());
            if steps.len() < before {
                needed = relevant(goal, &mut steps);
            }
        }
        Task { unmarked, pumps, pairs, ..renumber(&initial, steps, &needed, goal) }
    }

    /// How many places there are.
    pub fn width(&self) -> usize {
        self.places.len()
    }
}

fn raw_steps(net: &Net, goal: u32) -> Vec<Raw> {
    let plain = |bag: &[(selvedge_nets_syntax::net::PlaceId, u32)]| {
        bag.iter().map(|(place, count)| (place.0, *count)).collect()
    };
    let transitions = net.transitions.iter().enumerate().map(|(index, transition)| Step {
        take: plain(&transition.take),
        give: plain(&transition.give),
        moves: transition.moves.iter().map(|(from, to)| (from.0, to.map(|to| to.0))).collect(),
        origin: Origin::Transition(TransitionId(index as u32)),
    });
    let targets = net.targets.iter().enumerate().map(|(index, target)| Step {
        take: plain(&target.need),
        give: vec![(goal, 1)],
        moves: Vec::new(),
        origin: Origin::Target(index),
    });
    transitions.chain(targets).collect()
}

/// Which places can be marked if numbers do not matter.
fn markable(initial: &[u32], steps: &[Raw]) -> Vec<bool> {
    let mut marked: Vec<bool> = initial.iter().map(|tokens| *tokens > 0).collect();
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); initial.len()];
    let mut missing: Vec<usize> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        step.take.iter().for_each(|(place, _)| takers[*place as usize].push(index));
        missing.push(step.take.iter().filter(|(place, _)| !marked[*place as usize]).count());
    }
    let mut ready: Vec<usize> = (0..steps.len()).filter(|index| missing[*index] == 0).collect();
    // Steps that were ready once, with moves that may become of use later.
    let mut moving: Vec<usize> = Vec::new();
    loop {
        while let Some(index) = ready.pop() {
            let step = &steps[index];
            if !step.moves.is_empty() {
                moving.push(index);
            }
            for (place, _) in &step.give {
                mark(*place, &mut marked, &takers, &mut missing, &mut ready);
            }
        }
        for index in moving.clone() {
            for (from, to) in &steps[index].moves {
                if let Some(to) = to.filter(|_| marked[*from as usize]) {
                    mark(to, &mut marked, &takers, &mut missing, &mut ready);
                }
            }
        }
        if ready.is_empty() {
            return marked;
        }
    }
}

fn mark(place: u32, marked: &mut [bool], takers: &[Vec<usize>], missing: &mut [usize], ready: &mut Vec<usize>) {
    if std::mem::replace(&mut marked[place as usize], true) {
        return;
    }
    for taker in &takers[place as usize] {
        missing[*taker] -= 1;
        if missing[*taker] == 0 {
            ready.push(*taker);
        }
    }
}

/// Drops what is taken from places that always have enough, and finds more such places.
fn forget_plenty(initial: &[u32], steps: &mut [Raw], pumps: &mut Vec<(u32, TransitionId)>) {
    let mut moved = vec![false; initial.len()];
    steps.iter().flat_map(|step| &step.moves).for_each(|(from, _)| moved[*from as usize] = true);
    forget_steady(initial, steps, &moved);
    let mut plenty: Vec<bool> = (0..initial.len()).map(|place| initial[place] == OMEGA && !moved[place]).collect();
    fill(steps, &moved, &mut plenty, pumps);
    for step in steps {
        step.take.retain(|(place, _)| !plenty[*place as usize]);
        step.give.retain(|(place, _)| !plenty[*place as usize]);
        step.moves.iter_mut().for_each(|(_, to)| *to = to.filter(|to| !plenty[*to as usize]));
    }
}

/// Finds the places that transitions fill for free, sweep after sweep in the order of the steps. A step is looked at
/// when the last place that it takes from has become plenty.
fn fill(steps: &[Raw], moved: &[bool], plenty: &mut [bool], pumps: &mut Vec<(u32, TransitionId)>) {
    let mut takers: Vec<Vec<usize>> = vec![Vec::new(); plenty.len()];
    let mut missing: Vec<usize> = vec![0; steps.len()];
    let (mut now, mut next) = (BTreeSet::new(), BTreeSet::new());
    for (index, step) in steps.iter().enumerate() {
        if !step.moves.is_empty() || matches!(step.origin, Origin::Target(_)) {
            continue;
        }
        for (place, _) in step.take.iter().filter(|(place, _)| !plenty[*place as usize]) {
            takers[*place as usize].push(index);
            missing[index] += 1;
        }
        if missing[index] == 0 {
            now.insert(index);
        }
    }
    while !now.is_empty() {
        while let Some(index) = now.pop_first() {
            let Origin::Transition(transition) = steps[index].origin else { continue };
            for (place, _) in &steps[index].give {
                if moved[*place as usize] || std::mem::replace(&mut plenty[*place as usize], true) {
                    continue;
                }
                pumps.push((*place, transition));
                for taker in &takers[*place as usize] {
                    missing[*taker] -= 1;
                    if missing[*taker] == 0 {
                        if *taker > index {
                            now.insert(*taker)
                        } else {
                            next.insert(*taker)
                        };
                    }
                }
            }
        }
        std::mem::swap(&mut now, &mut next);
    }
}

/// Drops conditions on places that never lose a token and have enough at the start.
fn forget_steady(initial: &[u32], steps: &mut [Raw], moved: &[bool]) {
    let mut steady: Vec<bool> = moved.iter().map(|moved| !moved).collect();
    let given =
        |step: &Raw, place: u32| step.give.iter().find(|(other, _)| *other == place).map_or(0, |(_, count)| *count);
    for step in steps.iter() {
        for (place, count) in &step.take {
            steady[*place as usize] &= given(step, *place) >= *count;
        }
    }
    for step in steps {
        let free = |place: u32, count: u32| steady[place as usize] && initial[place as usize] >= count;
        let dropped: BTreeMap<u32, u32> = step.take.iter().filter(|(p, c)| free(*p, *c)).copied().collect();
        step.take.retain(|(place, _)| !dropped.contains_key(place));
        for (place, count) in &mut step.give {
            *count -= dropped.get(place).copied().unwrap_or(0);
        }
        step.give.retain(|(_, count)| *count > 0);
    }
}

/// Which places lead to the goal; drops the steps that do not.
fn relevant(goal: u32, steps: &mut Vec<Raw>) -> Vec<bool> {
    let most = steps.iter().flat_map(|s| s.take.iter().chain(&s.give)).map(|(place, _)| *place).max().unwrap_or(0);
    let moved = steps.iter().flat_map(|s| &s.moves).flat_map(|(from, to)| std::iter::once(*from).chain(*to)).max();
    let width = most.max(goal).max(moved.unwrap_or(0)) as usize + 1;
    let mut givers: Vec<Vec<usize>> = vec![Vec::new(); width];
    for (index, step) in steps.iter().enumerate() {
        for (place, count) in &step.give {
            let taken = step.take.iter().find(|(other, _)| other == place).map_or(0, |(_, count)| *count);
            if count > &taken {
                givers[*place as usize].push(index);
            }
        }
        step.moves.iter().filter_map(|(_, to)| *to).for_each(|to| givers[to as usize].push(index));
    }
    let mut relevant = vec![false; width];
    let mut useful = vec![false; steps.len()];
    relevant[goal as usize] = true;
    let mut work = vec![goal];
    while let Some(place) = work.pop() {
        for giver in &givers[place as usize] {
            if std::mem::replace(&mut useful[*giver], true) && steps[*giver].moves.is_empty() {
                continue;
            }
            let step = &steps[*giver];
            let sources = step.moves.iter().filter(|(_, to)| *to == Some(place)).map(|(from, _)| *from);
            for needed in step.take.iter().map(|(place, _)| *place).chain(sources) {
                if !std::mem::replace(&mut relevant[needed as usize], true) {
                    work.push(needed);
                }
            }
        }
    }
    let mut index = 0;
    steps.retain(|_| {
        index += 1;
        useful[index - 1]
    });
    relevant
}

/// Numbers the places that are left, those that many steps take from first: searches tell markings apart by
/// them soonest.
fn renumber(initial: &[u32], steps: Vec<Raw>, relevant: &[bool], goal: u32) -> Task {
    let mut uses: BTreeMap<u32, u32> = BTreeMap::from([(goal, 0)]);
    let is_relevant = |place: u32| relevant.get(place as usize).copied().unwrap_or(false);
    for (place, _) in steps.iter().flat_map(|step| &step.take) {
        *uses.entry(*place).or_default() += 1;
    }
    for place in steps.iter().flat_map(|step| &step.moves).map(|(from, _)| *from).filter(|from| is_relevant(*from)) {
        uses.entry(place).or_default();
    }
    let mut order: Vec<u32> = uses.keys().copied().collect();
    order.sort_by_key(|place| (std::cmp::Reverse(uses[place]), *place));
    let numbers: BTreeMap<u32, u32> = order.iter().enumerate().map(|(new, old)| (*old, new as u32)).collect();
    let renamed = |bag: &[(u32, u32)]| {
        let mut list: Vec<(u32, u32)> = bag.iter().filter_map(|(place, n)| Some((*numbers.get(place)?, *n))).collect();
        list.sort_unstable();
        list
    };
    let mut kept: Vec<Step> = Vec::new();
    let mut known = BTreeSet::new();
    for step in steps {
        let moves = step
            .moves
            .iter()
            .filter_map(|(from, to)| Some((*numbers.get(from)?, to.and_then(|to| numbers.get(&to).copied()))));
        let step = Step { take: renamed(&step.take), give: renamed(&step.give), moves: moves.collect(), ..step };
        let idle = step.moves.is_empty()
            && step
                .give
                .iter()
                .all(|(place, count)| step.take.iter().any(|(other, taken)| other == place && taken >= count));
        if !idle && known.insert((step.take.clone(), step.give.clone(), step.moves.clone())) {
            kept.push(step);
        }
    }
    let reachable = kept.iter().any(|step| matches!(step.origin, Origin::Target(_)));
    Task {
        initial: order.iter().map(|place| initial[*place as usize]).collect(),
        goal: numbers.get(&goal).copied().filter(|_| reachable),
        places: order.iter().map(|place| (*place != goal).then_some(*place)).collect(),
        steps: kept,
        unmarked: Vec::new(),
        pumps: Vec::new(),
        pairs: None,
    }
}
