//! Random litmus tests: plain ones, and rings of accesses, the shapes that SC is about.

use selvedge_core::Chance;

use crate::{Expression, Mode, Statement, Test};

/// Random choices.
pub struct Random(Chance);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Chance::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1)))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.remainder(n as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What a random test is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Threads that each access one location and then the next of a ring.
    Cycle,
    /// Mostly SC accesses.
    Sc,
    /// Everything.
    Mixed,
    /// Read-modify-writes and exchanges.
    Updates,
    /// Relaxed accesses and fences.
    Fences,
}

/// All flavours, rings twice.
pub const FLAVOURS: [Flavour; 6] =
    [Flavour::Cycle, Flavour::Cycle, Flavour::Sc, Flavour::Mixed, Flavour::Updates, Flavour::Fences];

/// A random test, named after its flavour.
pub fn test(random: &mut Random, flavour: Flavour) -> Test {
    let mut maker = Maker { random, flavour, count: 0 };
    let threads = if flavour == Flavour::Cycle { maker.cycle() } else { maker.program() };
    let locations: Vec<String> = ["x", "y", "z"].map(str::to_owned).to_vec();
    Test { name: format!("{flavour:?}"), initial: vec![0; locations.len()], locations, threads, ..Test::default() }
}

struct Maker<'a> {
    random: &'a mut Random,
    flavour: Flavour,
    count: i64,
}

impl Maker<'_> {
    fn cycle(&mut self) -> Vec<Vec<Statement>> {
        let ring = self.random.pick(&[2, 2, 3]);
        let mut threads = Vec::new();
        for i in 0..ring {
            let mut body = vec![self.ring_access(i)];
            if self.random.chance(20) {
                let location = self.random.below(ring);
                body.push(self.ring_access(location));
            }
            if self.random.chance(40) {
                body.push(self.fence());
            }
            body.push(self.ring_access((i + 1) % ring));
            threads.push(body);
        }
        let more = if ring == 2 { self.random.pick(&[0, 0, 1, 2]) } else { self.random.pick(&[0, 0, 1]) };
        for _ in 0..more {
            let location = self.random.below(ring);
            threads.push(vec![self.ring_access(location)]);
        }
        threads
    }

    fn ring_access(&mut self, location: usize) -> Statement {
        let sc = self.random.chance(55);
        let mode = |weak: Mode| if sc { Mode::SeqCst } else { weak };
        match self.random.below(11) {
            0..5 => {
                let weak = self.random.pick(&[Mode::Acquire, Mode::Relaxed]);
                self.load(location, mode(weak))
            }
            5..10 => {
                let weak = self.random.pick(&[Mode::Release, Mode::Relaxed]);
                self.store(location, mode(weak))
            }
            _ => {
                let weak = self.random.pick(&[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcqRel]);
                self.add(location, mode(weak))
            }
        }
    }

    fn program(&mut self) -> Vec<Vec<Statement>> {
        let locations = self.random.pick(&[1, 2, 2, 2, 2, 3, 3]);
        let threads = self.random.pick(&[2, 2, 2, 3, 3, 4]);
        // Mostly small ones: their number counts more than their size.
        let most: usize = if self.random.chance(80) { [0, 0, 3, 2, 1][threads] } else { [0, 0, 4, 3, 2][threads] };
        (0..threads)
            .map(|_| {
                let length = most.div_ceil(2) + self.random.below(most / 2 + 1);
                (0..length).map(|_| self.statement(locations)).collect()
            })
            .collect()
    }

    fn statement(&mut self, locations: usize) -> Statement {
        let location = self.random.below(locations);
        // Loads, stores, additions, fences, exchanges.
        let weights = match self.flavour {
            Flavour::Cycle | Flavour::Mixed => [8, 8, 2, 2, 1],
            Flavour::Sc => [4, 4, 1, 1, 0],
            Flavour::Updates => [4, 4, 8, 1, 4],
            Flavour::Fences => [8, 8, 1, 10, 0],
        };
        let mut draw = self.random.below(weights.iter().sum());
        let kind = weights.iter().position(|&w| {
            let here = draw < w;
            draw = draw.saturating_sub(w);
            here
        });
        let (load, store) = self.modes();
        match kind {
            Some(0) => self.load(location, load),
            Some(1) => self.store(location, store),
            Some(2) => {
                let mode = self.update_mode();
                self.add(location, mode)
            }
            Some(4) => {
                let (success, failure) =
                    (self.update_mode(), self.random.pick(&[Mode::Relaxed, Mode::Acquire, Mode::SeqCst]));
                let register = Some(self.register());
                let (expected, new) = (Expression::Number(0), Expression::Number(self.count));
                Statement::CompareExchange { register, location, expected, new, success, failure }
            }
            _ => self.fence(),
        }
    }

    fn modes(&mut self) -> (Mode, Mode) {
        let strength = match self.flavour {
            Flavour::Sc => self.random.pick(&[2, 2, 2, 2, 2, 2, 1, 1, 0]),
            Flavour::Cycle | Flavour::Mixed => self.random.pick(&[2, 2, 1, 0]),
            Flavour::Updates => self.random.pick(&[2, 1, 0]),
            Flavour::Fences => self.random.pick(&[0, 0, 0, 1, 1, 2]),
        };
        [(Mode::Relaxed, Mode::Relaxed), (Mode::Acquire, Mode::Release), (Mode::SeqCst, Mode::SeqCst)][strength]
    }

    fn update_mode(&mut self) -> Mode {
        self.random.pick(&[Mode::Relaxed, Mode::Acquire, Mode::Release, Mode::AcqRel, Mode::SeqCst, Mode::SeqCst])
    }

    fn register(&mut self) -> String {
        self.count += 1;
        format!("r{}", self.count)
    }

    fn load(&mut self, location: usize, mode: Mode) -> Statement {
        Statement::Load { register: self.register(), location, mode }
    }

    fn store(&mut self, location: usize, mode: Mode) -> Statement {
        self.count += 1;
        Statement::Store { location, value: Expression::Number(self.count), mode }
    }

    fn add(&mut self, location: usize, mode: Mode) -> Statement {
        let register = Some(self.register());
        let operand = Expression::Number(10 * self.count);
        Statement::Modify { register, location, adds: true, operand, mode }
    }

    fn fence(&mut self) -> Statement {
        let modes = [Mode::SeqCst, Mode::SeqCst, Mode::SeqCst, Mode::Acquire, Mode::Release, Mode::AcqRel];
        Statement::Fence(self.random.pick(&modes))
    }
}
