//! The product against its definition, on random systems and claims: for every state of the product, the steps are listed
//! once more from the tables of both.

use super::*;

const THREADS: u8 = 3;
const PLACES: u8 = 4;
const VALUES: u8 = 3;

/// Threads with one shared value. `jumps` are (thread, place, value before, next place, value after); a jump that `waits`
/// needs a timeout. A state is: the value, the place of each thread, the claim's control.
struct Table {
    jumps: Vec<(u8, u8, u8, u8, u8, bool)>,
}

/// Moves are (control, value seen, next control); control 0 is gone, control 1 is the start.
struct Automaton {
    moves: Vec<(u8, u8, u8)>,
}

const CONTROL: usize = 1 + THREADS as usize;

/// A thread, its jump and the state after it; no thread for a stutter.
type Listed = (Option<u32>, u32, Vec<u8>);

impl Table {
    fn after(&self, state: &[u8], timeout: bool) -> Vec<(u32, Vec<u8>)> {
        let mut all = Vec::new();
        for (thread, place, before, next, value, waits) in &self.jumps {
            let at = 1 + usize::from(*thread);
            if state[at] == *place && state[0] == *before && (timeout || !waits) {
                let mut after = state.to_vec();
                (after[at], after[0]) = (*next, *value);
                all.push((u32::from(*thread), after));
            }
        }
        all
    }
}

impl Machine for Table {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend([0; CONTROL + 1]);
    }

    fn steps(&self, state: &[u8], _: Turn, (): &mut (), out: &mut Steps) {
        let timeout = self.after(state, false).is_empty();
        self.steps_given(state, timeout, &Threads::ALL, &mut (), out);
    }

    fn end_fault(&self, _: &[u8]) -> Option<Fault> {
        None
    }

    fn thread_count(&self, _: &[u8]) -> u32 {
        u32::from(THREADS)
    }
}

impl Timeouts for Table {
    fn uses_timeout(&self) -> bool {
        self.jumps.iter().any(|jump| jump.5)
    }

    fn steps_given(&self, state: &[u8], timeout: bool, threads: &Threads, (): &mut (), out: &mut Steps) {
        for (thread, after) in self.after(state, timeout) {
            let id = ThreadId(thread);
            if !threads.contains(id) {
                continue;
            }
            let from = out.bytes.len();
            out.bytes.extend(after);
            let state = from..out.bytes.len();
            let (thread, ran_last, turn) = (Some(id), Some(id), Turn::Any);
            out.list.push(Step { thread, ran_last, action: [0; 3], claim_move: 0, state, turn, faults: 0..0 });
        }
    }

    fn some_wait(&self, _: &[u8], _: &Threads, (): &mut ()) -> bool {
        true
    }
}

impl Automaton {
    fn next(&self, state: &[u8]) -> Vec<(u32, Vec<u8>)> {
        let mut all = Vec::new();
        for (number, (control, value, next)) in (1..).zip(&self.moves) {
            if state[CONTROL] == *control && state[0] == *value {
                let mut after = state.to_vec();
                after[CONTROL] = *next;
                all.push((number, after));
            }
        }
        all
    }
}

impl Claim<Table> for Automaton {
    fn start(&self, _: &Table, state: &mut [u8]) {
        state[CONTROL] = 1;
    }

    fn moves(&self, _: &Table, state: &[u8], _: bool, (): &mut (), moves: &mut Moves, _: &mut Steps) {
        for (number, after) in self.next(state) {
            moves.push(number, &after);
        }
    }

    fn has_left(&self, state: &[u8]) -> bool {
        state[CONTROL] == 0
    }

    fn is_accepting(&self, _: &[u8]) -> bool {
        false
    }

    fn only_observes(&self) -> bool {
        true
    }

    fn view(&self, _: &Table, _: u32) -> StepView {
        StepView::default()
    }
}

/// The steps by definition: a move of the claim, then a step of the system; with a timeout only if no pair goes without;
/// and if the system has no step after a move, the claim moves on alone.
fn by_definition(system: &Table, claim: &Automaton, state: &[u8], turn: Turn) -> Vec<Listed> {
    let moves = claim.next(state);
    if turn == Turn::Stutter {
        return moves.into_iter().map(|(number, after)| (None, number, after)).collect();
    }
    let staying = || moves.iter().filter(|(_, after)| after[CONTROL] != 0);
    let timeout = staying().all(|(_, after)| system.after(after, false).is_empty());
    let mut all = Vec::new();
    for (number, middle) in staying() {
        let steps = system.after(middle, timeout);
        let alone = if steps.is_empty() && timeout { claim.next(middle) } else { Vec::new() };
        all.extend(steps.into_iter().map(|(thread, after)| (Some(thread), *number, after)));
        all.extend(alone.into_iter().map(|(number, after)| (None, number, after)));
    }
    all
}

fn listed(out: &Steps) -> Vec<Listed> {
    let state = |step| out.state(step).expect("a target").to_vec();
    out.list.iter().map(|step| (step.thread.map(|thread| thread.0), step.claim_move, state(step))).collect()
}

fn sorted(mut list: Vec<Listed>) -> Vec<Listed> {
    list.sort();
    list
}

/// Every state that can be reached, with its turn.
fn compare_all(product: &Product<Table, Automaton>) -> (usize, usize) {
    let claim = product.claim.as_ref().expect("a claim");
    let mut first = Vec::new();
    product.initial(&mut first);
    let (mut seen, mut queue, mut scratch) = (Vec::new(), vec![(first, Turn::Any)], ProductScratch::default());
    let mut stutters = 0;
    while let Some((state, turn)) = queue.pop() {
        if seen.contains(&(state.clone(), turn)) {
            continue;
        }
        let expected = by_definition(&product.system, claim, &state, turn);
        let mut out = Steps::new();
        product.steps(&state, turn, &mut scratch, &mut out);
        assert_eq!(sorted(listed(&out)), sorted(expected.clone()), "{state:?} {turn:?}");
        queue.extend(out.list.iter().map(|step| (out.state(step).expect("a target").to_vec(), step.turn)));
        stutters += usize::from(turn == Turn::Stutter);
        if turn == Turn::Any {
            compare_some(product, &state, &expected, &mut scratch);
        }
        seen.push((state, turn));
    }
    (seen.len(), stutters)
}

/// The steps of each set of threads, with and without those of no thread.
fn compare_some(product: &Product<Table, Automaton>, state: &[u8], all: &[Listed], scratch: &mut ProductScratch<()>) {
    for bits in 1..1 << THREADS {
        let threads = Threads::of_bits(bits);
        let has = |thread: &Option<u32>| thread.is_none_or(|thread| threads.contains(ThreadId(thread)));
        let expected: Vec<Listed> = all.iter().filter(|(thread, ..)| has(thread)).cloned().collect();
        let (mut some, mut own) = (Steps::new(), Steps::new());
        product.thread_steps(state, &threads, scratch, &mut some);
        product.own_steps(state, &threads, scratch, &mut own);
        assert_eq!(sorted(listed(&some)), sorted(expected.clone()), "{state:?} {threads:?}");
        let of_threads: Vec<Listed> = expected.into_iter().filter(|(thread, ..)| thread.is_some()).collect();
        assert_eq!(sorted(listed(&own)), sorted(of_threads), "{state:?} {threads:?}");
    }
}

#[test]
fn the_product_agrees_with_its_definition() {
    let mut chance = selvedge_core::Chance::new(7);
    let (mut states, mut stutters) = (0, 0);
    for _ in 0..1_500 {
        let mut below = |most: u8| chance.below(usize::from(most)) as u8;
        let jump = |below: &mut dyn FnMut(u8) -> u8| {
            (below(THREADS), below(PLACES), below(VALUES), below(PLACES), below(VALUES), below(6) == 0)
        };
        let jumps = (0..14).map(|_| jump(&mut below)).collect();
        let moves = (0..9).map(|_| (1 + below(3), below(VALUES), below(4))).collect();
        let (some_states, some_stutters) =
            compare_all(&Product { system: Table { jumps }, claim: Some(Automaton { moves }) });
        states += some_states;
        stutters += some_stutters;
    }
    assert!(states > 2_000 && stutters > 400, "{states} states, {stutters} of them stuttering");
}
