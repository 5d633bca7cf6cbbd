//! The words of a thread as a grammar. A nonterminal is a head, how the symbol on top is left, and the number
//! of jumps until then; only nonterminals that derive a word are made. Heads and the ways to leave
//! them are found by tabulation: what is found of a callee is handed to all its callers.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_core::{Budget, StopReason};
use selvedge_nets_syntax::pds::SymbolId;

use super::behaviour::{End, Head, Letter, Next, Threads};

/// A nonterminal: index into [`Grammar`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NonterminalId(pub u32);

impl NonterminalId {
    /// As a position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of the right side of a production.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A letter.
    Letter(Letter),
    /// A nonterminal.
    Nonterminal(NonterminalId),
}

/// A grammar: productions by nonterminal.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    /// The right sides of each nonterminal.
    pub productions: Vec<Vec<Vec<Item>>>,
}

/// Who waits for how a head is left, with the jumps made before.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Waiting {
    /// The parent is left in the same way.
    Tail(Head, u32),
    /// The parent continues with the symbol below.
    Call(Head, u32, SymbolId),
}

/// How a head can be left, with the number of jumps until then.
type Exit = (End, u32);

/// The ways to leave heads.
pub(super) struct Exits {
    pub of: FxHashMap<Head, Vec<Exit>>,
    known: FxHashSet<(Head, Exit)>,
    waiting: FxHashMap<Head, Vec<Waiting>>,
    registered: FxHashSet<(Head, Waiting)>,
    work: Vec<(Head, Exit)>,
    fresh: Vec<Head>,
    /// Jumps in a word. `None`: they are not counted.
    most: Option<u32>,
}

impl Exits {
    /// All heads that threads meet, and how they are left.
    pub(super) fn find(threads: &Threads<'_>, most: Option<u32>, budget: &Budget) -> Result<Exits, StopReason> {
        let mut exits = Exits {
            of: FxHashMap::default(),
            known: FxHashSet::default(),
            waiting: FxHashMap::default(),
            registered: FxHashSet::default(),
            work: Vec::new(),
            fresh: Vec::new(),
            most,
        };
        threads.starts().for_each(|head| exits.meet(head));
        let mut turns = 0u64;
        loop {
            turns += 1;
            if turns.is_multiple_of(4096) {
                budget.go_on(exits.bytes())?;
            }
            if let Some(head) = exits.fresh.pop() {
                exits.expand(threads, head);
            } else if let Some((head, exit)) = exits.work.pop() {
                for waiting in exits.waiting.get(&head).cloned().unwrap_or_default() {
                    exits.hand(threads, waiting, exit);
                }
            } else {
                return Ok(exits);
            }
        }
    }

    /// What the tables take, about.
    fn bytes(&self) -> u64 {
        (self.known.len() * 64 + self.registered.len() * 96) as u64
    }

    pub(super) fn has(&self, head: Head, exit: Exit) -> bool {
        self.known.contains(&(head, exit))
    }

    fn meet(&mut self, head: Head) {
        if let std::collections::hash_map::Entry::Vacant(entry) = self.of.entry(head) {
            entry.insert(Vec::new());
            self.fresh.push(head);
        }
    }

    fn expand(&mut self, threads: &Threads<'_>, head: Head) {
        for body in threads.bodies(head) {
            let jumps = self.weight(body.letter);
            match body.next {
                Next::End(end) => self.add(head, (end, jumps)),
                Next::Go(next) => self.wait(threads, next, Waiting::Tail(head, jumps)),
                Next::Call(next, below) => self.wait(threads, next, Waiting::Call(head, jumps, below)),
            }
        }
    }

    fn weight(&self, letter: Option<Letter>) -> u32 {
        u32::from(self.most.is_some() && matches!(letter, Some(Letter::Jump(..))))
    }

    fn add(&mut self, head: Head, exit: Exit) {
        if self.most.is_none_or(|most| exit.1 <= most) && self.known.insert((head, exit)) {
            self.of.entry(head).or_default().push(exit);
            self.work.push((head, exit));
        }
    }

    fn wait(&mut self, threads: &Threads<'_>, head: Head, waiting: Waiting) {
        let (Waiting::Tail(_, jumps) | Waiting::Call(_, jumps, _)) = waiting;
        if self.most.is_some_and(|most| jumps > most) || !self.registered.insert((head, waiting)) {
            return;
        }
        self.meet(head);
        self.waiting.entry(head).or_default().push(waiting);
        for exit in self.of.get(&head).cloned().unwrap_or_default() {
            self.hand(threads, waiting, exit);
        }
    }

    fn hand(&mut self, threads: &Threads<'_>, waiting: Waiting, (end, jumps): Exit) {
        match waiting {
            Waiting::Tail(parent, before) => self.add(parent, (end, before + jumps)),
            Waiting::Call(parent, before, below) => {
                for (letter, next) in threads.after(end, below) {
                    let so_far = before + jumps + self.weight(letter);
                    match next {
                        Next::Go(next) => self.wait(threads, next, Waiting::Tail(parent, so_far)),
                        _ => self.add(parent, (End::Last, so_far)),
                    }
                }
            }
        }
    }
}

/// The heads that threads meet.
pub(super) fn heads(threads: &Threads<'_>, budget: &Budget) -> Result<Vec<Head>, StopReason> {
    Ok(Exits::find(threads, None, budget)?.of.into_keys().collect())
}

/// Makes productions for the nonterminals that are asked for and those they lead to.
pub(super) struct Maker<'a, 'b> {
    threads: &'b Threads<'a>,
    exits: &'b Exits,
    ids: FxHashMap<(Head, Exit), NonterminalId>,
    keys: Vec<(Head, Exit)>,
    /// What the productions take, about.
    bytes: u64,
    /// What was made.
    pub grammar: Grammar,
}

impl<'a, 'b> Maker<'a, 'b> {
    pub(super) fn new(threads: &'b Threads<'a>, exits: &'b Exits) -> Self {
        Maker { threads, exits, ids: FxHashMap::default(), keys: Vec::new(), bytes: 0, grammar: Grammar::default() }
    }

    /// The nonterminal of the words of a thread that starts at the head, with this many jumps; `None` if there
    /// are none.
    pub(super) fn words(&mut self, head: Head, jumps: u32) -> Option<NonterminalId> {
        let wanted = (End::Last, jumps);
        self.exits.has(head, wanted).then(|| self.id(head, wanted))
    }

    /// Makes the productions of all nonterminals so far.
    pub(super) fn complete(&mut self, budget: &Budget) -> Result<(), StopReason> {
        while self.grammar.productions.len() < self.keys.len() {
            let at = self.grammar.productions.len();
            if at.is_multiple_of(1024)
                && let Some(reason) = budget.check(at as u64, self.bytes)
            {
                return Err(reason);
            }
            let (head, exit) = self.keys[at];
            let mut productions = self.productions(head, exit);
            productions.sort_unstable();
            productions.dedup();
            let items: usize = productions.iter().map(|production| 24 + production.len() * 20).sum();
            self.bytes += items as u64 + 64;
            self.grammar.productions.push(productions);
        }
        Ok(())
    }

    fn id(&mut self, head: Head, exit: Exit) -> NonterminalId {
        let keys = &mut self.keys;
        *self.ids.entry((head, exit)).or_insert_with(|| {
            keys.push((head, exit));
            NonterminalId(keys.len() as u32 - 1)
        })
    }

    fn productions(&mut self, head: Head, (end, jumps): Exit) -> Vec<Vec<Item>> {
        let mut productions = Vec::new();
        for body in self.threads.bodies(head) {
            let mut items: Vec<Item> =
                body.spawn.map(|symbol| Item::Letter(Letter::Spawn(symbol))).into_iter().collect();
            items.extend(body.letter.map(Item::Letter));
            let Some(left) = jumps.checked_sub(self.exits.weight(body.letter)) else { continue };
            match body.next {
                Next::End(reached) if reached == end && left == 0 => productions.push(items),
                Next::End(_) => {}
                Next::Go(next) => productions.extend(self.tail(items, next, (end, left))),
                Next::Call(next, below) => self.call(&items, (next, below), (end, left), &mut productions),
            }
        }
        productions
    }

    fn tail(&mut self, mut items: Vec<Item>, next: Head, exit: Exit) -> Option<Vec<Item>> {
        self.exits.has(next, exit).then(|| {
            items.push(Item::Nonterminal(self.id(next, exit)));
            items
        })
    }

    fn call(&mut self, items: &[Item], (callee, below): (Head, SymbolId), exit: Exit, out: &mut Vec<Vec<Item>>) {
        let (end, jumps) = exit;
        for left in self.exits.of.get(&callee).cloned().unwrap_or_default() {
            let Some(rest) = jumps.checked_sub(left.1) else { continue };
            for (letter, next) in self.threads.after(left.0, below) {
                let Some(rest) = rest.checked_sub(self.exits.weight(letter)) else { continue };
                let possible = match next {
                    Next::Go(next) => self.exits.has(next, (end, rest)),
                    _ => end == End::Last && rest == 0,
                };
                if !possible {
                    continue;
                }
                let mut items = items.to_vec();
                items.push(Item::Nonterminal(self.id(callee, left)));
                items.extend(letter.map(Item::Letter));
                match next {
                    Next::Go(next) => out.extend(self.tail(items, next, (end, rest))),
                    _ => out.push(items),
                }
            }
        }
    }
}
