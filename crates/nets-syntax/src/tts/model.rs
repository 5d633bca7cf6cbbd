//! What a thread transition system is: one shared state, and any number of threads, each with a local state.
//! At the start the shared state is 0 and any number of threads are in the local state 0.

use selvedge_source::Span;

use crate::net::{Net, PlaceId, Target, Tokens, Transition};

/// How threads take part in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `->`: one thread moves.
    Move,
    /// `+>`: the thread stays, and a new one starts in the local state on the right.
    Spawn,
    /// `~>`: every thread in the local state moves, also if there is none.
    Broadcast,
}

/// `shared local -> shared local`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Shared and local state before.
    pub from: (u32, u32),
    /// Shared and local state after.
    pub to: (u32, u32),
    /// Who moves.
    pub kind: Kind,
    /// With `->`: other threads move too, all from one local state to another (`l ~> l'` behind the rule).
    pub passive: Vec<(u32, u32)>,
    /// Where the rule stands.
    pub span: Span,
}

/// A thread transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tts {
    /// How many shared states there are.
    pub shared: u32,
    /// How many local states there are.
    pub local: u32,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// Where the first line stands.
    pub span: Span,
}

impl Tts {
    /// The place of a shared state in the net of the system.
    pub(crate) fn shared_place(&self, shared: u32) -> PlaceId {
        PlaceId(shared)
    }

    /// The place of a local state in the net of the system.
    pub(crate) fn local_place(&self, local: u32) -> PlaceId {
        PlaceId(self.shared + local)
    }

    /// The system as a net that counts the threads in each local state.
    pub fn to_net(&self, targets: Vec<Target>) -> Net {
        let names = |letter: char, count: u32| (0..count).map(move |number| format!("{letter}{number}"));
        let fixed = |number| Tokens { least: number, most: Some(number), span: None };
        let mut initial = vec![fixed(0); (self.shared + self.local) as usize];
        initial[self.shared_place(0).0 as usize] = fixed(1);
        initial[self.local_place(0).0 as usize] = Tokens { least: 1, most: None, span: Some(self.span) };
        Net {
            places: names('s', self.shared).chain(names('l', self.local)).collect(),
            transitions: self.rules.iter().map(|rule| self.transition(rule)).collect(),
            initial,
            targets,
        }
    }

    fn transition(&self, rule: &Rule) -> Transition {
        let (shared, local) = (self.shared_place(rule.from.0), self.local_place(rule.from.1));
        let (next_shared, next_local) = (self.shared_place(rule.to.0), self.local_place(rule.to.1));
        let (take, give) = match rule.kind {
            Kind::Move => (vec![shared, local], vec![next_shared, next_local]),
            Kind::Spawn => (vec![shared, local], vec![next_shared, next_local, local]),
            Kind::Broadcast => (vec![shared], vec![next_shared]),
        };
        let passive = rule.passive.iter().map(|(from, to)| (self.local_place(*from), self.local_place(*to)));
        let all = (rule.kind == Kind::Broadcast).then_some((local, next_local));
        let moved = passive.chain(all).filter(|(from, to)| from != to);
        let mut moves: Vec<(PlaceId, Option<PlaceId>)> = moved.map(|(from, to)| (from, Some(to))).collect();
        moves.sort_unstable();
        let ones = |places: Vec<PlaceId>| crate::net::bag(places.into_iter().map(|place| (place, 1)));
        Transition { take: ones(take), give: ones(give), moves, span: rule.span }
    }
}
