//! The cheapest schedule among those with the same partial order: what a report shows.

use super::Prefixes;
use crate::cost::Spent;
use crate::history::EventId;
use crate::{ThreadId, thread_ids};

impl Prefixes {
    /// The steps of the cheapest linear order of the run, by event; `last` must come last if given.
    pub(crate) fn cheapest(&self, last: Option<ThreadId>) -> Vec<EventId> {
        let mut order = Vec::new();
        let mut i = self.top();
        let mut must = last;
        // What may be spent up to the step after this prefix, and who makes that step.
        let mut target: Option<(Spent, ThreadId)> = None;
        while self.prefixes[i].size > 0 {
            let choices = thread_ids(self.width()).filter(|t| must.is_none_or(|m| m == *t));
            let choices =
                choices.filter_map(|t| Some((target.is_none_or(|x| x.1 != t), self.fitting(i, t, target)?, t)));
            let total = |spent: Spent| spent.switches + spent.stale;
            let best = if target.is_some() {
                choices.min_by_key(|&(other, spent, t)| (other, total(spent), t))
            } else {
                choices.min_by_key(|&(_, spent, _)| total(spent))
            };
            let Some((_, spent, thread)) = best else { break };
            let n = self.counts[i * self.stride + thread.index()] - 1;
            order.push(self.history.position(thread, n));
            target = Some((spent.less(self.price_of(i, thread)), thread));
            must = None;
            match self.predecessor(i, thread) {
                Some(p) => i = p,
                None => break,
            }
        }
        order.reverse();
        order
    }

    /// The least that is spent on prefix `i` with `thread` running last, if the next step is then within the target.
    fn fitting(&self, i: usize, thread: ThreadId, target: Option<(Spent, ThreadId)>) -> Option<Spent> {
        let points = self.prices.points(self.cell(i, thread).cost).into_iter();
        let fits = |point: &Spent| {
            target.is_none_or(|(most, next)| {
                let switch = if next == thread { 0 } else { self.switch_cost(i, thread) };
                point.switches + switch <= most.switches && point.stale <= most.stale
            })
        };
        points.filter(fits).min_by_key(|point| point.switches + point.stale)
    }

    /// What the last event of a thread in prefix `i` costs because it is stale.
    fn price_of(&self, i: usize, thread: ThreadId) -> Spent {
        if self.cell(i, thread).before.is_stale() { self.prices.stale_point() } else { Spent::default() }
    }
}

impl Prefixes {
    /// The events in another order as a schedule. Threads are numbered in the order of their births, so their numbers
    /// may change; nothing if outcomes, which depend on numbers, were chosen then.
    pub(crate) fn renumber(&self, order: &[EventId]) -> Option<Vec<(ThreadId, u32)>> {
        let mut numbers: Vec<Option<ThreadId>> = vec![None; self.width()];
        let mut next = 0;
        let mut made = vec![0; self.width()];
        let (mut schedule, mut chosen) = (Vec::new(), false);
        self.number_born(&mut numbers, &mut next, &made);
        for &event in order {
            let step = &self.history.at(event).step;
            let choice = self.history.outcome_of(self.history.at(event), &made)?;
            schedule.push((numbers[step.thread.index()]?, choice));
            chosen |= step.choice != 0 && !step.in_graph;
            made[step.thread.index()] += 1;
            self.number_born(&mut numbers, &mut next, &made);
        }
        let same = numbers.iter().enumerate().all(|(i, n)| n.is_none_or(|n| n.index() == i));
        (same || !chosen).then_some(schedule)
    }

    fn number_born(&self, numbers: &mut [Option<ThreadId>], next: &mut u32, made: &[u32]) {
        for t in thread_ids(numbers.len()) {
            let born = match self.history.birth(t) {
                Some((p, after)) => numbers[p.index()].is_some() && made[p.index()] >= after,
                None => true,
            };
            if born && numbers[t.index()].is_none() {
                numbers[t.index()] = Some(ThreadId(*next));
                *next += 1;
            }
        }
    }
}
