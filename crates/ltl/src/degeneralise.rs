//! From many marks on moves to accepting states. Each component waits for its marks in turn, level by
//! level; the last level is accepting and starts again (\[GO\] Section 4). Components are treated one by
//! one, as in [BDL]: one without accepting cycle, or with accepting cycles only, needs no levels; a
//! mark that always comes with another is not waited for; an entering state may join a level that exists.
//!
//! Letters to be read infinitely often (`fair`) are waited for like marks; a move then leads to several
//! levels, one for each number of them that its letter has in a row.
//!
//! What must hold: a run stays in one component at last, and there passes the last level infinitely
//! often iff it has every mark infinitely often.

use std::collections::HashMap;

use super::TooLarge;
use super::cube::Cube;
use super::graph::{Components, Graph, Move};

const MAX_STATES: usize = 3_000;

/// Free choices of the construction; none changes the language.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// Marks, as bits, in the order they are waited for.
    pub(super) marks: Vec<u64>,
    /// Whether a component is entered at its accepting level.
    pub(super) enter_accepting: bool,
}

/// An automaton with marks on states, for the language of `graph`.
pub(super) fn degeneralise(graph: &Graph, order: &Order) -> Result<Graph, TooLarge> {
    let components = graph.components();
    let waits = waits(graph, &components, &order.marks);
    let mut levels = Levels { ids: HashMap::new(), states: Vec::new(), entered: vec![None; graph.moves.len()] };
    levels.enter(graph.initial, &components, &waits, order);
    let mut moves: Vec<Vec<Move>> = Vec::new();
    while moves.len() < levels.states.len() {
        if levels.states.len() > MAX_STATES {
            return Err(TooLarge { what: "states", limit: MAX_STATES });
        }
        let (state, level) = levels.states[moves.len()];
        let wait = &waits[components.of[state]];
        let marks = u64::from(wait.as_ref().is_some_and(|w| w.len() == level));
        let mut here = Vec::new();
        for m in &graph.moves[state] {
            let stays = components.of[m.target] == components.of[state];
            match wait {
                Some(wait) if stays => here.extend(advance(wait, level, m).into_iter().map(|(guard, level)| {
                    let target = levels.id(m.target, level);
                    Move { target, marks, guard }
                })),
                None if stays => here.push(Move { target: levels.id(m.target, 0), marks, guard: m.guard }),
                _ => {
                    let target = levels.enter(m.target, &components, &waits, order);
                    here.push(Move { target, marks, guard: m.guard });
                }
            }
        }
        moves.push(here);
    }
    Ok(Graph { moves, initial: 0, marks: 1, marks_on_states: true, fair: Vec::new() })
}

/// One thing a component waits for.
#[derive(Clone, Debug)]
enum Wait {
    Mark(u64),
    Letter(Cube),
}

/// The levels after the move `m`, with the letters that lead there.
fn advance(waits: &[Wait], level: usize, m: &Move) -> Vec<(Cube, usize)> {
    let mut level = if level == waits.len() { 0 } else { level };
    let mut guard = m.guard;
    let mut reached = Vec::new();
    for wait in &waits[level..] {
        match wait {
            Wait::Mark(bit) if m.marks & bit == 0 => break,
            Wait::Mark(_) => {}
            Wait::Letter(letters) => {
                let Some(both) = guard.and(*letters) else { break };
                if both != guard {
                    reached.push((guard, level));
                }
                guard = both;
            }
        }
        level += 1;
    }
    reached.push((guard, level));
    reached
}

/// The states of the result: pairs of a state and a level.
struct Levels {
    ids: HashMap<(usize, usize), usize>,
    states: Vec<(usize, usize)>,
    /// The least level at which each state exists.
    entered: Vec<Option<usize>>,
}

impl Levels {
    fn id(&mut self, state: usize, level: usize) -> usize {
        let fresh = self.states.len();
        let id = *self.ids.entry((state, level)).or_insert(fresh);
        if id == fresh {
            self.states.push((state, level));
            self.entered[state] = Some(self.entered[state].map_or(level, |l| l.min(level)));
        }
        id
    }

    fn enter(&mut self, state: usize, components: &Components, waits: &[Option<Vec<Wait>>], order: &Order) -> usize {
        let last = waits[components.of[state]].as_ref().map_or(0, Vec::len);
        let preferred = if order.enter_accepting { last } else { 0 };
        let level = self.entered[state].unwrap_or(preferred);
        self.id(state, level)
    }
}

/// For each component, what to wait for; `None` where no cycle is accepting.
fn waits(graph: &Graph, components: &Components, order: &[u64]) -> Vec<Option<Vec<Wait>>> {
    let inside = components.marks_inside(graph);
    let needed = |c: usize| {
        let moves: Vec<u64> = (0..graph.moves.len())
            .filter(|s| components.of[*s] == c)
            .flat_map(|s| graph.moves[s].iter().filter(|m| components.of[m.target] == c).map(|m| m.marks))
            .collect();
        let follows = |bit: u64, other: u64| moves.iter().all(|m| m & other == 0 || m & bit != 0);
        let mut needed: Vec<u64> = order.iter().copied().filter(|bit| moves.iter().any(|m| m & bit == 0)).collect();
        let mut i = 0;
        while i < needed.len() {
            if needed.iter().any(|other| *other != needed[i] && follows(needed[i], *other)) {
                needed.remove(i);
            } else {
                i += 1;
            }
        }
        let marks = needed.into_iter().map(Wait::Mark);
        marks.chain(graph.fair.iter().copied().map(Wait::Letter)).collect()
    };
    (0..components.count).map(|c| (inside[c] == Some(graph.marks)).then(|| needed(c))).collect()
}
