//! Which stronger ordering would have forbidden a failing run. The run is made again as if the ordering stood in the program:
//! every access does what it did, as long as it may. If it ends in the same violation, the change does not help.
//!
//! Tried are, in this order: one stronger ordering, weakest first; one fence; two stronger orderings; two fences. What is
//! found first is what is suggested. The changes forbid this run; that no other run fails is for the next search to say.

use std::sync::atomic::Ordering;

use crate::ViolationKind;
use crate::execution::{Ending, Execution, ExecutionConfig, Fibers};
use crate::explore::stamp;
use crate::orderings::{Change, Changed, Changes, Site, SiteKind};
use crate::strategy::retrace::{Retrace, Traced};

/// Runs that are made at the most, and how many steps count as one more: a run may be long.
const MOST: u32 = 600;
const STEPS: usize = 256;
/// Suggestions that are made at the most.
const SUGGESTED: usize = 3;

/// A failing run that is looked at.
pub(crate) struct Repair<'a> {
    body: &'a dyn Fn(),
    fibers: &'a mut Fibers,
    config: ExecutionConfig,
    steps: Vec<Traced>,
    kind: ViolationKind,
    left: u32,
}

impl<'a> Repair<'a> {
    /// For a run that ended with a violation of this kind.
    pub(crate) fn new(run: &Execution, kind: ViolationKind, fibers: &'a mut Fibers, body: &'a dyn Fn()) -> Repair<'a> {
        let config = ExecutionConfig { deadline: None, ..run.config.clone() };
        Repair { body, fibers, config, steps: Retrace::steps(&run.state), kind, left: MOST }
    }

    /// The changes to these places that forbid the run, each enough by itself.
    pub(crate) fn suggestions(&mut self, sites: &[Site]) -> Vec<Vec<Change>> {
        // A sequentially consistent run is allowed whatever the orderings are; they decide only what races in it.
        let stale = self.steps.iter().any(|&(_, choice, store)| store.is_some() && choice > 0);
        if !stale && self.kind != ViolationKind::DataRace {
            return Vec::new();
        }
        if self.forbids(&[]) {
            return Vec::new(); // it cannot be followed at all
        }
        let orders = stronger_orders(sites);
        let fences = fences(sites);
        let single = |changes: &[Change]| changes.iter().map(|&change| vec![change]).collect::<Vec<_>>();
        let pairs = |changes: &[Change]| {
            let mut pairs = Vec::new();
            for (i, &a) in changes.iter().enumerate() {
                pairs.extend(changes[..i].iter().filter(|b| b.at != a.at).map(|&b| vec![b, a]));
            }
            pairs
        };
        for candidates in [single(&orders), single(&fences), pairs(&orders), pairs(&fences)] {
            let found = self.weakest(candidates);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Of the candidates that forbid the run those that are as weak as the first one.
    fn weakest(&mut self, mut candidates: Vec<Vec<Change>>) -> Vec<Vec<Change>> {
        let mut found: Vec<Vec<Change>> = Vec::new();
        candidates.sort_by_key(|changes| changes.iter().map(strength).sum::<u32>());
        for changes in candidates {
            let strength = |changes: &[Change]| changes.iter().map(strength).sum::<u32>();
            let enough = found.first().is_some_and(|first| strength(first) < strength(&changes));
            if enough || found.len() == SUGGESTED || self.left == 0 {
                break;
            }
            if self.forbids(&changes) {
                found.push(changes);
            }
        }
        found
    }

    fn forbids(&mut self, changes: &[Change]) -> bool {
        self.left = self.left.saturating_sub(1 + (self.steps.len() / STEPS) as u32);
        let config = ExecutionConfig { changes: Changes(changes.to_vec()), ..self.config.clone() };
        let run = Execution::idle(config, Box::new(Retrace::new(self.steps.clone())));
        let mut run = self.fibers.execute(run, stamp(), false, self.body);
        let forbids = match run.ending.take() {
            Some(Ending::Failed(failure, _)) => failure.kind != self.kind,
            _ => true,
        };
        run.retire();
        forbids
    }
}

fn strength(change: &Change) -> u32 {
    let (Changed::Order(order) | Changed::Failure(order) | Changed::FenceBefore(order) | Changed::FenceAfter(order)) =
        change.what;
    match order {
        Ordering::SeqCst => 4,
        Ordering::AcqRel => 2,
        _ => 1,
    }
}

fn stronger_orders(sites: &[Site]) -> Vec<Change> {
    let changes = |site: &Site| {
        let failures = site.stronger_failures().map(Changed::Failure);
        let changes = site.stronger().map(Changed::Order).chain(failures);
        changes.map(|what| Change { at: site.at, what }).collect::<Vec<_>>()
    };
    sites.iter().flat_map(changes).collect()
}

fn fences(sites: &[Site]) -> Vec<Change> {
    let mut fences = Vec::new();
    for site in sites {
        let mut add = |what| fences.push(Change { at: site.at, what });
        match site.kind {
            SiteKind::Fence(_) => continue,
            SiteKind::Load(_) => add(Changed::FenceAfter(Ordering::Acquire)),
            SiteKind::Store(_) => add(Changed::FenceBefore(Ordering::Release)),
            SiteKind::Modify(_) | SiteKind::Exchange(..) => {
                add(Changed::FenceAfter(Ordering::Acquire));
                add(Changed::FenceBefore(Ordering::Release));
            }
        }
        add(Changed::FenceBefore(Ordering::SeqCst));
    }
    fences
}
