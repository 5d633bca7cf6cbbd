//! Random nets and networks, and limits that are none.

use selvedge_core::{Budget, Chance, Interrupt, Limits};
use selvedge_nets_syntax::dcps::{Dcps, Kind, Resume, Rule};
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens, Transition};
use selvedge_nets_syntax::pds::{StateId, SymbolId};
use selvedge_source::{FileId, Span};

/// No limits.
pub fn budget() -> Budget {
    Budget::start(Limits::default(), Interrupt::new())
}

/// A place in no file.
pub fn nowhere() -> Span {
    Span::new(FileId(0), 0, 0)
}

/// A random net; `moves`: with transfers and resets.
#[allow(dead_code, reason = "not every test file makes nets")]
pub fn random_net(seed: u64, moves: bool) -> Net {
    let mut chance = Chance::new(seed);
    let places = 2 + chance.remainder(4);
    let any = |chance: &mut Chance, most: u64, tokens: u64| {
        let mut bag: Vec<(PlaceId, u32)> = Vec::new();
        for place in 0..places {
            if chance.remainder(most) == 0 {
                bag.push((PlaceId(place as u32), 1 + chance.remainder(tokens) as u32));
            }
        }
        bag
    };
    let mut transitions = Vec::new();
    for _ in 0..2 + chance.remainder(5) {
        let (take, give) = (any(&mut chance, 3, 2), any(&mut chance, 3, 2));
        let mut moved = Vec::new();
        if moves && chance.remainder(3) == 0 {
            let from = chance.remainder(places);
            let to = chance.remainder(places + 1);
            if from != to {
                moved.push((PlaceId(from as u32), (to < places).then_some(PlaceId(to as u32))));
            }
        }
        transitions.push(Transition { take, give, moves: moved, span: nowhere() });
    }
    let tokens = |chance: &mut Chance| match chance.remainder(8) {
        0 => Tokens { least: 0, most: None, span: None },
        1 => Tokens { least: 1, most: Some(2), span: None },
        n => Tokens { least: n as u32 / 4, most: Some(n as u32 / 4), span: None },
    };
    let initial = (0..places).map(|_| tokens(&mut chance)).collect();
    let mut targets = Vec::new();
    for _ in 0..1 + chance.remainder(2) {
        let mut need = any(&mut chance, 3, 3);
        if need.is_empty() {
            need.push((PlaceId(chance.remainder(places) as u32), 2));
        }
        targets.push(Target { need, span: nowhere() });
    }
    Net { places: (0..places).map(|place| format!("x{place}")).collect(), transitions, initial, targets }
}

/// A random finite-state network.
#[allow(dead_code, reason = "not every test file makes networks")]
pub fn random_network(seed: u64) -> Dcps {
    let mut chance = Chance::new(seed ^ 0x5eed);
    let (states, symbols) = (4 + chance.remainder(3), 2 + chance.remainder(3));
    // The last state is the target, and one rule alone leads there.
    let state = |chance: &mut Chance| StateId(chance.remainder(states - 1) as u32);
    let symbol = |chance: &mut Chance| SymbolId(chance.remainder(symbols) as u32);
    let mut rules = Vec::new();
    let many = 5 + chance.remainder(8);
    for index in 0..many {
        let kind = if chance.remainder(5) < 2 { Kind::Yield } else { Kind::Step };
        let push = if chance.remainder(4) == 0 { Vec::new() } else { vec![symbol(&mut chance)] };
        let spawn = (kind == Kind::Step && chance.remainder(3) == 0).then(|| symbol(&mut chance));
        let (from, top, mut to) = (state(&mut chance), symbol(&mut chance), state(&mut chance));
        if index + 1 == many {
            to = StateId(states as u32 - 1);
        }
        rules.push(Rule { from, top, to, push, spawn, kind, span: nowhere() });
    }
    let mut resumes = Vec::new();
    for _ in 0..3 + chance.remainder(5) {
        let (from, to, top) = (state(&mut chance), state(&mut chance), symbol(&mut chance));
        resumes.push(Resume { from, to, top, span: nowhere() });
    }
    Dcps {
        states: (0..states).map(|number| format!("q{number}")).collect(),
        symbols: (0..symbols).map(|number| format!("g{number}")).collect(),
        initial: StateId(0),
        initial_symbol: SymbolId(0),
        targets: vec![(StateId(states as u32 - 1), nowhere())],
        rules,
        resumes,
    }
}

/// A random net of components: each has one token that goes from state to state, alone, together with another component, or
/// with a token of a buffer that both may fill.
#[allow(dead_code, reason = "not every test file makes nets")]
pub fn random_components(seed: u64) -> Net {
    let mut chance = Chance::new(seed ^ 0xc0de);
    let (components, states) = (2 + chance.remainder(2), 2 + chance.remainder(2));
    let buffers = 1 + chance.remainder(2);
    let place = |component: u64, state: u64| PlaceId((component * states + state) as u32);
    let buffer = |number: u64| PlaceId((components * states + number) as u32);
    let sorted = |mut bag: Vec<(PlaceId, u32)>| {
        bag.sort_unstable();
        bag
    };
    let mut transitions = Vec::new();
    for _ in 0..4 + chance.remainder(6) {
        let first = chance.remainder(components);
        let mut take = vec![(place(first, chance.remainder(states)), 1)];
        let mut give = vec![(place(first, chance.remainder(states)), 1)];
        match chance.remainder(4) {
            0 => {
                let second = (first + 1) % components;
                take.push((place(second, chance.remainder(states)), 1));
                give.push((place(second, chance.remainder(states)), 1));
            }
            1 => take.push((buffer(chance.remainder(buffers)), 1 + chance.remainder(2) as u32)),
            2 => give.push((buffer(chance.remainder(buffers)), 1)),
            _ => {}
        }
        transitions.push(Transition { take: sorted(take), give: sorted(give), moves: Vec::new(), span: nowhere() });
    }
    let width = components * states + buffers;
    let most = |at: u64| u32::from(at < components * states && at.is_multiple_of(states));
    let initial = (0..width).map(|at| Tokens { least: most(at), most: Some(most(at)), span: None }).collect();
    let need = (0..components).map(|component| (place(component, chance.remainder(states)), 1)).collect();
    let targets = vec![Target { need: sorted(need), span: nowhere() }];
    Net { places: (0..width).map(|place| format!("x{place}")).collect(), transitions, initial, targets }
}
