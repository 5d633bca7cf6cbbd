//! Random expressions: values, conditions, and values that keep the state space small.

use super::Gen;
use super::scope::Access;
use crate::ast::*;

const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

impl Gen {
    /// A number.
    pub(crate) fn value(&mut self, depth: u32) -> Expr {
        if depth == 0 || self.rng.percent(35) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.rng.weighted(&[22, 10, 10, 8, 6, 8, 6, 5, 4]) {
            0 => {
                let op = self.operator(&["+", "-", "+", "-", "&", "|", "^"]);
                self.value(depth).with(op, self.value(depth))
            }
            1 => self.comparison(depth),
            2 => {
                let op = self.operator(&["/", "%", "%"]);
                let divisor = self.number(&[1, 2, 3, 4, 5, -2, -3]);
                self.value(depth).guarded(op, divisor)
            }
            3 => {
                let op = self.operator(&["<<", ">>"]);
                let by = self.rng.between(0, 3);
                self.value(depth).guarded(op, by)
            }
            4 => {
                let factor = self.number(&[2, 3, -1, 0]);
                self.value(depth).guarded("*", factor)
            }
            5 => {
                let op = self.operator(&["-", "~", "!"]);
                Expr::Unary(op, Box::new(self.value(depth)))
            }
            6 => Expr::Choose(Box::new(self.value(depth)), Box::new(self.value(depth)), Box::new(self.value(depth))),
            7 => {
                let op = self.operator(&["&&", "||"]);
                self.value(depth).with(op, self.value(depth))
            }
            _ => self.macro_call(depth).unwrap_or_else(|| self.leaf()),
        }
    }

    /// A number without operators.
    fn leaf(&mut self) -> Expr {
        match self.rng.weighted(&[30, 46, 4, 2, 4, 5, 2, 2]) {
            1 => match self.place(Access::Read, |t| t.is_scalar() && *t != Type::Mtype) {
                Some((place, _)) => Expr::Read(place),
                None => Expr::Num(1),
            },
            2 => Expr::word(if self.in_claim { "2" } else { "_pid" }),
            3 => self.process_count(),
            4 => self.constant_macro(),
            // Not of a rendezvous channel: within pan's handshake it is 1.
            5 => match self.channel(|s| s.capacity.is_some_and(|n| n > 0)) {
                Some((chan, _)) => Expr::Test("len", chan),
                None => Expr::Num(0),
            },
            6 => Expr::word(self.operator(&["true", "false"])),
            7 => self.special(),
            _ => Expr::Num(self.number(&[0, 0, 1, 1, 1, 2, 2, 3, 4, -1, -2, 7, 255, 256])),
        }
    }

    /// One of the words few programs use.
    fn special(&mut self) -> Expr {
        let pid = self.some_pid();
        if self.features.last && self.rng.percent(60) {
            Expr::word("_last")
        } else if self.features.priority && !self.in_claim {
            match self.rng.below(2) {
                0 => Expr::word("_priority"),
                _ => Expr::Call("get_priority".to_owned(), vec![Expr::word("_pid")]),
            }
        } else if self.features.enabled && self.in_claim {
            Expr::Call("enabled".to_owned(), vec![pid])
        } else {
            Expr::Num(1)
        }
    }

    /// `_nr_pr`, but not where there is a never claim, since pan counts that too.
    pub(crate) fn process_count(&mut self) -> Expr {
        if self.features.never { Expr::Num(2) } else { Expr::word("_nr_pr") }
    }

    /// The number of a process that exists from the start.
    pub(crate) fn some_pid(&mut self) -> Expr {
        Expr::Num(self.rng.between(0, self.pids_at_start.max(1) as i64 - 1))
    }

    /// `#define`d names of constants.
    fn constant_macro(&mut self) -> Expr {
        let names: Vec<String> = self.macro_names(0);
        self.rng.pick(&names).map_or(Expr::Num(2), Expr::word)
    }

    /// A macro with arguments.
    fn macro_call(&mut self, depth: u32) -> Option<Expr> {
        let names = self.macro_names(2);
        let name = self.rng.pick(&names)?.clone();
        Some(Expr::Call(name, vec![self.value(depth), self.value(depth)]))
    }

    fn macro_names(&self, params: usize) -> Vec<String> {
        let fitting = self.program.macros.iter().filter(|m| m.params.len() == params);
        fitting.map(|m| m.name.clone()).collect()
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let op = self.operator(&COMPARISONS);
        self.value(depth).with(op, self.value(depth))
    }

    /// Something worth waiting for: true in some reachable states and false in others, with luck.
    pub(crate) fn condition(&mut self, depth: u32) -> Expr {
        let rare = self.features.last || (self.in_claim && (self.features.enabled || self.features.pc_value));
        match self.rng.weighted(&[30, 12, 10, 10, 8, 8, 4, if rare { 30 } else { 2 }]) {
            0 => self.simple_comparison(),
            1 if depth > 0 => self.comparison(depth - 1),
            2 if depth > 0 => {
                let op = self.operator(&["&&", "||"]);
                self.condition(depth - 1).with(op, self.condition(depth - 1))
            }
            // Tests such as `full(c)` are no expressions: they stand alone, or under `&&` and `||`.
            3 => self.channel_test().unwrap_or_else(|| self.simple_comparison()),
            4 => self.poll().unwrap_or_else(|| self.simple_comparison()),
            5 => Expr::Unary("!", Box::new(self.simple_comparison())),
            6 => self.value(depth),
            7 => self.special_condition(),
            _ => self.simple_comparison(),
        }
    }

    fn special_condition(&mut self) -> Expr {
        let pid = self.some_pid();
        if self.features.last && self.rng.percent(50) {
            Expr::word("_last").with("==", pid)
        } else if self.features.enabled && self.in_claim {
            Expr::Call("enabled".to_owned(), vec![pid])
        } else if self.features.pc_value && self.in_claim {
            let other = self.some_pid();
            let call = |pid| Expr::Call("pc_value".to_owned(), vec![pid]);
            call(pid).with("==", call(other))
        } else if self.rng.percent(40) {
            let count = self.rng.between(1, 4);
            self.process_count().with("<=", Expr::Num(count))
        } else {
            Expr::word("true")
        }
    }

    /// A variable against a value it may well have.
    pub(crate) fn simple_comparison(&mut self) -> Expr {
        let Some((place, ty)) = self.place(Access::Read, Type::is_scalar) else {
            return Expr::word("true");
        };
        let op = self.operator(&COMPARISONS);
        let read = Expr::Read(place);
        match ty {
            Type::Mtype => {
                let element = self.element();
                read.with(self.operator(&["==", "!="]), element)
            }
            Type::Bit | Type::Bool if self.rng.percent(50) => read,
            Type::Bit | Type::Bool => Expr::Unary("!", Box::new(read)),
            _ if self.rng.percent(20) => {
                let other = self.plain_value();
                read.with(op, other)
            }
            _ => {
                let n = self.number(&[0, 0, 1, 1, 2, 2, 3, -1]);
                read.with(op, Expr::Num(n))
            }
        }
    }

    /// A random element of `mtype`.
    pub(crate) fn element(&mut self) -> Expr {
        self.rng.pick(&self.program.mtypes).map_or(Expr::Num(1), Expr::word)
    }

    /// A value for a variable of this type, mostly from a small set.
    pub(crate) fn value_for(&mut self, ty: &Type, target: &Place) -> Expr {
        match ty {
            Type::Mtype => match self.place(Access::Read, |t| *t == Type::Mtype) {
                Some((place, _)) if self.rng.percent(30) => Expr::Read(place),
                _ => self.element(),
            },
            Type::Pid if !self.in_claim => Expr::word("_pid"),
            Type::Bit | Type::Bool if self.rng.percent(40) => Expr::Num(1).with("-", Expr::Read(target.clone())),
            Type::Bit | Type::Bool | Type::Unsigned(_) => self.value(2),
            _ => self.small_value(ty, target),
        }
    }

    /// A value for a wide variable.
    fn small_value(&mut self, ty: &Type, target: &Place) -> Expr {
        match self.rng.weighted(&[30, 14, 14, 10, 8, 6, 2]) {
            0 => Expr::Num(self.number(&[0, 0, 1, 1, 2, 3, -1])),
            1 => {
                let modulus = self.number(&[2, 3, 4]);
                self.value(2).guarded("%", modulus)
            }
            2 => {
                let mask = self.number(&[1, 3, 2]);
                self.value(2).guarded("&", mask)
            }
            3 => {
                let modulus = self.rng.between(2, 4);
                Expr::Read(target.clone()).with("+", Expr::Num(1)).guarded("%", modulus)
            }
            4 => self.comparison(1),
            5 => {
                let odd: &[i64] = match ty {
                    Type::Byte => &[255, 256, 257, 511, -1],
                    Type::Short => &[32767, 32768, 65535, 65536, -32768, -32769],
                    _ => &[70000, -70000, 2_147_483_647, -2_147_483_647],
                };
                Expr::Num(self.number(odd))
            }
            _ => self.value(2),
        }
    }

    /// One of these words.
    pub(crate) fn operator(&mut self, words: &[&'static str]) -> &'static str {
        words[self.rng.below(words.len())]
    }

    /// One of these numbers.
    pub(crate) fn number(&mut self, numbers: &[i64]) -> i64 {
        numbers[self.rng.below(numbers.len())]
    }
}
