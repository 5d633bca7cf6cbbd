//! States by number. A state is stored as the numbers of its parts (variables, each process, each channel), which are
//! kept once each; whole keys are compared, so two states are never taken for one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::rc::Rc;

use super::state::{Channel, Process, State, Turn};
use super::value::Value;

/// A state's number.
pub(crate) type StateNumber = u32;

/// A map that hashes fast. Keys are compared in full.
pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// The numbers of all states seen, and the states.
#[derive(Default)]
pub(crate) struct Store {
    variables: Parts<Vec<Value>>,
    processes: Parts<Process>,
    channels: Parts<Channel>,
    numbers: FastMap<Rc<[u32]>, StateNumber>,
    keys: Vec<Rc<[u32]>>,
}

/// Positions in a key.
const TURN: usize = 0;
const LAST: usize = 1;
const EVENT: usize = 2;
const CLAIM: usize = 3;
const GLOBALS: usize = 4;
const HIDDEN: usize = 5;
const PROCESS_COUNT: usize = 6;
const PROCESSES: usize = 7;

impl Store {
    /// The number of a state and whether it is new. `parent` is a state of this store from which most parts come.
    pub(crate) fn number(&mut self, s: &State, parent: Option<(&State, StateNumber)>) -> (StateNumber, bool) {
        debug_assert!(s.handshake.is_none());
        let old = parent.map(|(state, number)| (state, &*self.keys[number as usize]));
        let mut key = vec![turn_code(s.turn), s.last as u32, optional(s.event), optional(s.claim)];
        key.push(self.variables.number(&s.globals, old.map(|(state, key)| (&state.globals, key[GLOBALS]))));
        key.push(self.variables.number(&s.hidden, old.map(|(state, key)| (&state.hidden, key[HIDDEN]))));
        key.push(s.processes.len() as u32);
        for (index, process) in s.processes.iter().enumerate() {
            let old = old.and_then(|(state, key)| Some((state.processes.get(index)?, key[PROCESSES + index])));
            key.push(self.processes.number(process, old));
        }
        for (index, channel) in s.channels.iter().enumerate() {
            let old = old.and_then(|(state, key)| {
                Some((state.channels.get(index)?, key[PROCESSES + state.processes.len() + index]))
            });
            key.push(self.channels.number(channel, old));
        }
        if let Some(number) = self.numbers.get(key.as_slice()) {
            return (*number, false);
        }
        let (key, number): (Rc<[u32]>, _) = (key.into(), self.keys.len() as StateNumber);
        self.keys.push(Rc::clone(&key));
        self.numbers.insert(key, number);
        (number, true)
    }

    /// The state of a number.
    pub(crate) fn state(&self, number: StateNumber) -> State {
        let key = &self.keys[number as usize];
        let (processes, channels) = key[PROCESSES..].split_at(key[PROCESS_COUNT] as usize);
        State {
            globals: self.variables.part(key[GLOBALS]),
            hidden: self.variables.part(key[HIDDEN]),
            processes: processes.iter().map(|part| self.processes.part(*part)).collect(),
            channels: channels.iter().map(|part| self.channels.part(*part)).collect(),
            last: key[LAST] as usize,
            event: key[EVENT].checked_sub(1).map(|at| at as usize),
            claim: key[CLAIM].checked_sub(1).map(|at| at as usize),
            handshake: None,
            turn: decoded_turn(key[TURN]),
        }
    }

    /// Whose turn it is in a state.
    pub(crate) fn turn(&self, number: StateNumber) -> Turn {
        decoded_turn(self.keys[number as usize][TURN])
    }

    /// The key by which Spin distinguishes stored states: not whether the claim moves alone.
    pub(crate) fn counted_key(&self, number: StateNumber) -> Vec<u32> {
        let mut key = self.keys[number as usize].to_vec();
        key[TURN] = 0;
        key
    }
}

fn optional(at: Option<usize>) -> u32 {
    at.map_or(0, |at| at as u32 + 1)
}

fn turn_code(turn: Turn) -> u32 {
    match turn {
        Turn::Free => 0,
        Turn::Stutter { stored } => 1 + u32::from(stored),
        Turn::Only { pid, timeout } => 3 + 2 * pid as u32 + u32::from(timeout),
    }
}

fn decoded_turn(code: u32) -> Turn {
    match code {
        0 => Turn::Free,
        1 | 2 => Turn::Stutter { stored: code == 2 },
        _ => Turn::Only { pid: (code as usize - 3) / 2, timeout: (code - 3) % 2 == 1 },
    }
}

/// Parts of states, each kept once.
struct Parts<T> {
    numbers: FastMap<Rc<T>, u32>,
    parts: Vec<Rc<T>>,
}

impl<T> Default for Parts<T> {
    fn default() -> Self {
        Parts { numbers: FastMap::default(), parts: Vec::new() }
    }
}

impl<T: Hash + Eq> Parts<T> {
    /// The number of a part. If it is the same object as `old`, that one's.
    fn number(&mut self, part: &Rc<T>, old: Option<(&Rc<T>, u32)>) -> u32 {
        match old {
            Some((same, number)) if Rc::ptr_eq(part, same) => return number,
            _ => {}
        }
        if let Some(number) = self.numbers.get(part) {
            return *number;
        }
        let number = self.parts.len() as u32;
        self.parts.push(Rc::clone(part));
        self.numbers.insert(Rc::clone(part), number);
        number
    }

    fn part(&self, number: u32) -> Rc<T> {
        Rc::clone(&self.parts[number as usize])
    }
}

/// A multiplicative hash.
#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.mix(u64::from(word));
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}
