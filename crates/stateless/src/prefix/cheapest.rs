//! The cheapest schedule among those with the same partial order: what a report shows.

use super::{FAR, Prefixes};
use crate::{ThreadId, thread_ids};

impl Prefixes {
    /// The steps of the cheapest linear order of the run, by event; `last` must come last if given.
    pub(crate) fn cheapest(&self, last: Option<ThreadId>) -> Vec<usize> {
        let mut order = Vec::new();
        let mut i = self.top();
        let mut must = last;
        // The cost with which the step after this prefix is made, and by whom.
        let mut target: Option<(u32, ThreadId)> = None;
        while self.prefixes[i].size > 0 {
            let fits = |t: &ThreadId| {
                let cost = self.cell(i, *t).cost;
                match target {
                    _ if cost == FAR => None,
                    Some((total, next)) => {
                        let here = cost + if next == *t { 0 } else { self.switch_cost(i, *t) };
                        (here <= total).then_some(cost)
                    }
                    None => Some(cost),
                }
            };
            let choices = thread_ids(self.width()).filter(|t| must.is_none_or(|m| m == *t));
            let best = choices.filter_map(|t| fits(&t).map(|cost| (target.is_none_or(|x| x.1 != t), cost, t)));
            let best = if target.is_some() { best.min() } else { best.min_by_key(|b| b.1) };
            let Some((_, cost, thread)) = best else { break };
            let n = self.counts[i * self.stride + thread.index()] - 1;
            order.push(self.history.position(thread, n));
            target = Some((cost - self.price_of(self.cell(i, thread).before), thread));
            must = None;
            match self.predecessor(i, thread) {
                Some(p) => i = p,
                None => break,
            }
        }
        order.reverse();
        order
    }
}

impl Prefixes {
    /// The events in another order as a schedule. Threads are numbered in the order of their births, so their numbers
    /// may change; nothing if outcomes, which depend on numbers, were chosen then.
    pub(crate) fn renumber(&self, order: &[usize]) -> Option<Vec<(ThreadId, u32)>> {
        let mut numbers: Vec<Option<ThreadId>> = vec![None; self.width()];
        let mut next = 0;
        let mut made = vec![0; self.width()];
        let (mut schedule, mut chosen) = (Vec::new(), false);
        self.number_born(&mut numbers, &mut next, &made);
        for &event in order {
            let step = &self.history.events[event].step;
            let choice = self.history.outcome_of(&self.history.events[event], &made)?;
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
