//! One statement of each kind, in one of several ways to write it.

use super::Plant;
use crate::ast::*;

/// Variables that can be assigned in a process.
const TARGETS: &[&str] = &[
    "x",
    "y",
    "g",
    "h",
    "arr[x % 2]",
    "arr[1]",
    "s.a",
    "s.h[1]",
    "t.a",
    "o.part[0].a",
    "ss[x & 1].h[0]",
    "u",
    "b",
    "k0",
];

/// Statements that neither block nor contain others.
const SIMPLE: &[&str] = &["assignment", "increment", "assert", "printf", "skip", "select", "decrement"];

/// Statements that may block.
const BLOCKING: &[&str] = &["condition", "send", "receive", "rendezvous send", "rendezvous receive", "random receive"];

/// Everything else that fits in anywhere.
const RARE: &[&str] = &[
    "timeout",
    "run",
    "assignment of run",
    "sorted send",
    "copy receive",
    "random copy receive",
    "printm",
    "if",
    "do",
    "goto",
    "atomic",
    "d_step",
    "block",
    "unless",
    "for range",
    "for array",
    "for channel",
    "inline",
    "inline with result",
    "declaration",
];

impl Plant {
    /// Any statement, mostly a simple one.
    pub(super) fn filler(&mut self) -> Stmt {
        if self.place.claim {
            let condition = self.pick(&["h < 2", "flag || h == 0", "skip", "true", "arr[0] != 3", "!flag"]);
            return Stmt::Text(condition.to_owned());
        }
        let rows = match self.rng.below(10) {
            _ if self.place.d_step => SIMPLE,
            0..5 => SIMPLE,
            5..8 => BLOCKING,
            _ => RARE,
        };
        match self.pick(rows) {
            "run" | "assignment of run" if self.place.in_loop => self.assignment(),
            row => self.statement(row),
        }
    }

    /// Any statement that can follow a label: no declaration.
    pub(super) fn labelled_filler(&mut self) -> Stmt {
        match self.filler() {
            Stmt::Text(text) if is_declaration(&text) => Stmt::Word("skip"),
            stmt => stmt,
        }
    }

    /// The first statement of an option or escape.
    pub(super) fn guard(&mut self) -> Stmt {
        if self.place.claim || self.place.d_step || self.rng.percent(60) {
            let condition = self.condition();
            return Stmt::Text(condition);
        }
        let row = self.pick(&["receive", "send", "rendezvous receive", "rendezvous send", "skip", "assignment"]);
        self.statement(row)
    }

    fn condition(&mut self) -> String {
        let conditions = ["h < 2", "flag", "!flag", "h == 0", "arr[0] == arr[1]", "s.a != 1"];
        let local = ["x == 0", "x != 1", "y < 1", "x > y", "g == 1", "nempty(c)", "len(c) < 1", "c?[1]", "_nr_pr < 3"];
        if self.place.claim || self.rng.percent(40) { self.pick(&conditions) } else { self.pick(&local) }.to_owned()
    }

    pub(super) fn assignment(&mut self) -> Stmt {
        let target = self.pick(TARGETS);
        let value = self.pick(&["0", "1", "2", "x", "h", "(x + 1) % 3", "1 - h % 2", "y + 1 & 1", "len(c)", "_pid"]);
        Stmt::Text(match self.rng.below(8) {
            0 => format!("flag = {}", self.pick(&["!flag", "x == 1", "true", "false"])),
            1 => format!("m = {}", self.pick(&["red", "green"])),
            2 => "who = _pid".to_owned(),
            _ => format!("{target} = {value}"),
        })
    }

    /// A statement of this kind; where that is impossible here, another one.
    pub(super) fn statement(&mut self, row: &str) -> Stmt {
        if self.place.claim && !matches!(row, "condition" | "assert" | "skip") {
            return self.claim_statement(row);
        }
        match row {
            "if" | "do" | "atomic" | "d_step" | "block" | "unless" | "for range" | "for array" | "for channel" => {
                if self.nesting == 0 {
                    return self.assignment();
                }
                self.nesting -= 1;
                self.compound(row)
            }
            "inline" | "inline with result" => self.inline(row),
            "assignment" => self.assignment(),
            "goto" if self.place.d_step => {
                let label = self.fresh("D");
                let landing = Stmt::Labelled(label.clone(), Box::new(self.assignment()));
                Stmt::Choice(
                    false,
                    vec![vec![Stmt::Text("x == 0".to_owned()), Stmt::Goto(label)], vec![Stmt::Word("else"), landing]],
                )
            }
            "goto" => {
                self.jumps = true;
                Stmt::Goto("stop".to_owned())
            }
            "else" | "break" | "skip" => Stmt::Word(match row {
                "else" => "else",
                "break" => "break",
                _ => "skip",
            }),
            _ => Stmt::Text(self.text_of(row)),
        }
    }

    /// Claims act on nothing: names of processes' variables are not known there.
    fn claim_statement(&mut self, row: &str) -> Stmt {
        let text = |text: &str| Stmt::Text(text.to_owned());
        match row {
            "else" => Stmt::Word("else"),
            "break" => Stmt::Word("break"),
            "goto" => text("goto accept_here"),
            "if" => Stmt::Choice(false, vec![vec![text("h > 1")], vec![Stmt::Word("else")]]),
            "do" => Stmt::Choice(true, vec![vec![text("h > 1"), Stmt::Word("break")], vec![Stmt::Word("else")]]),
            "atomic" => Stmt::Block(Bracket::Atomic, vec![text("h < 3"), text("assert(h < 2)")]),
            "d_step" => Stmt::Block(Bracket::DStep, vec![text("h < 3"), text("assert(h < 2)")]),
            "block" => Stmt::Block(Bracket::Plain, vec![text("h < 3"), text("true")]),
            "unless" => Stmt::Unless(vec![text("h < 3"), text("true")], vec![text("flag")]),
            "timeout" => text("timeout"),
            "printf" => text("printf(\"%d\", h)"),
            "printm" => text("printm(red)"),
            "assignment" => text("h = h"),
            "increment" => text("k0++"),
            "decrement" => text("k0--"),
            "declaration" => text("byte z"),
            "inline" => {
                let name = self.fresh("inl");
                let body = vec![text("h < 3"), text("true")];
                self.program.inlines.push(Inline { name: name.clone(), params: vec![], body });
                Stmt::Inline(name, vec![])
            }
            "select" => text("select (k0 : 0 .. 1)"),
            "for range" => Stmt::For(Place::plain("k0"), Expr::Num(0), Expr::Num(1), vec![text("h < 3")]),
            "for array" => Stmt::ForIn(Place::plain("k0"), "arr".to_owned(), vec![text("h < 3")]),
            _ => text("true"),
        }
    }

    fn text_of(&mut self, row: &str) -> String {
        let target = self.pick(TARGETS);
        let (fresh, into) =
            (self.serial + 1, self.pick(&["x", "y", "_", "1", "0", "eval(x)", "eval(h + 1)", "g", "arr[y & 1]"]));
        let value = self.pick(&["0", "1", "x", "y", "h", "g & 1"]);
        match row {
            "declaration" => self.declaration(fresh),
            "condition" => self.condition(),
            "run" => self.run(),
            "assignment of run" => format!("who = {}", self.run()),
            "timeout" => "timeout".to_owned(),
            "increment" => format!("{target}++"),
            "decrement" => format!("{target}--"),
            "send" => match self.rng.below(8) {
                0 => format!("e!red, {value}"),
                1 => format!("e!green({value})"),
                2 => "r!s".to_owned(),
                3 => format!("cc[x & 1]!{value}"),
                4 => format!("o.w!{value}"),
                5 => "mob!c".to_owned(),
                _ => format!("c!{value}"),
            },
            "rendezvous send" => format!("d!{value}"),
            "sorted send" => format!("c!!{value}"),
            "receive" => match self.rng.below(8) {
                0 => format!("e?{}, {into}", self.pick(&["m", "red", "_", "eval(m)"])),
                1 => format!("e?red({into})"),
                2 => "r?t".to_owned(),
                3 => format!("cc[0]?{into}"),
                4 => format!("o.w?{into}"),
                _ => format!("c?{into}"),
            },
            "rendezvous receive" => format!("d?{into}"),
            "random receive" => format!("c??{into}"),
            "copy receive" => format!("c?<{into}>"),
            "random copy receive" => format!("c??<{into}>"),
            "assert" => {
                let likely = ["h < 2 || flag", "true", "h != 2", "!(flag && h == 1)"];
                let local = ["x < 2", "x != 1 || y == 0", "g != 2", "len(c) < 2", "_nr_pr > 0"];
                let condition =
                    if self.place.claim || self.rng.percent(50) { self.pick(&likely) } else { self.pick(&local) };
                format!("assert({condition})")
            }
            "printf" => format!("printf(\"%d\\n\", {value})"),
            "printm" => "printm(m)".to_owned(),
            "select" => format!("select ({} : 0 .. 1)", self.pick(&["x", "y"])),
            "xr" => "xr o.w".replace("o.w", self.pick(&["c", "e"])),
            "xs" => format!("xs {}", self.pick(&["c", "e", "c, e"])),
            "return" => format!("return {}", self.pick(&["a", "a + 1", "1", "x"])),
            _ => "skip".to_owned(),
        }
    }

    fn declaration(&mut self, fresh: u32) -> String {
        self.serial = fresh;
        match self.rng.below(8) {
            0 => format!("byte z{fresh} = x + 1"),
            1 => format!("short z{fresh} = -1"),
            2 => format!("bit z{fresh}[2] = 1"),
            3 => format!("chan z{fresh} = [1] of {{ byte }}"),
            4 => format!("In z{fresh}"),
            5 => format!("mtype z{fresh} = green"),
            6 => format!("unsigned z{fresh} : 2 = 3"),
            _ => format!("int z{fresh}, zz{fresh} = h"),
        }
    }

    fn run(&mut self) -> String {
        let value = self.pick(&["0", "1", "x", "h"]);
        match self.rng.below(6) {
            0 => "run S(lf)".to_owned(),
            1 => "run S(fl)".to_owned(),
            2 => {
                let channels = ["c", "c", "cc[0]", "cc[h & 1]", "d"];
                format!("run W({}, {})", self.pick(&channels), self.pick(&channels))
            }
            _ => format!("run R({value}, {})", self.pick(&["c", "d", "cc[1]", "o.w"])),
        }
    }

    fn compound(&mut self, row: &str) -> Stmt {
        let outer = self.place;
        let stmt = match row {
            "if" => Stmt::Choice(false, self.options()),
            "do" => {
                self.place.in_loop = true;
                let mut options = self.options();
                let leaves = if self.place.d_step { "x > 0" } else { "true" };
                options.push(vec![Stmt::Text(leaves.to_owned()), Stmt::Word("break")]);
                if self.place.d_step {
                    // A `d_step` that does not end takes very long to find out.
                    options = vec![
                        vec![Stmt::Text("x < 1".to_owned()), Stmt::Text("x++".to_owned())],
                        vec![Stmt::Word("else"), Stmt::Word("break")],
                    ];
                }
                Stmt::Choice(true, options)
            }
            "atomic" => Stmt::Block(Bracket::Atomic, self.block()),
            "d_step" => {
                self.place = super::Place { d_step: true, ..outer };
                // A sequence that chooses the channel that it uses.
                let body = match self.rng.below(10) {
                    0 if !outer.d_step => {
                        ["nempty(cc[1])", "x = 1", "cc[x]?y"].map(|text| Stmt::Text(text.to_owned())).into()
                    }
                    1 if !outer.d_step => {
                        ["nfull(cc[1])", "x = 1", "cc[x]!x"].map(|text| Stmt::Text(text.to_owned())).into()
                    }
                    _ => self.block(),
                };
                Stmt::Block(Bracket::DStep, body)
            }
            "block" => Stmt::Block(Bracket::Plain, self.block()),
            "unless" => {
                let main = self.block();
                let mut escape = vec![self.guard()];
                if self.rng.percent(50) {
                    escape.push(self.filler());
                }
                Stmt::Unless(main, escape)
            }
            "for range" => {
                self.place.in_loop = true;
                let to = Expr::word(self.pick(&["1", "1", "h & 1", "0"]));
                Stmt::For(Place::plain("y"), Expr::Num(0), to, self.block())
            }
            "for array" => Stmt::ForIn(Place::plain("y"), "arr".to_owned(), self.block()),
            _ => Stmt::ForIn(Place::plain("t"), "r".to_owned(), self.block()),
        };
        self.place = outer;
        stmt
    }

    fn block(&mut self) -> Body {
        (0..1 + self.rng.below(3)).map(|_| self.filler()).collect()
    }

    fn options(&mut self) -> Vec<Body> {
        let mut options: Vec<Body> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            options.push(vec![self.guard(), self.filler()]);
        }
        if self.rng.percent(35) || self.place.d_step {
            let mut option = vec![Stmt::Word("else")];
            if self.rng.percent(50) {
                option.push(self.filler());
            }
            options.push(option);
        }
        options
    }

    fn inline(&mut self, row: &str) -> Stmt {
        let name = self.fresh("call");
        let jumps = self.jumps;
        let nesting = std::mem::replace(&mut self.nesting, 0);
        let mut body = vec![self.filler()];
        self.nesting = nesting;
        self.jumps |= jumps;
        if row == "inline" {
            body.push(Stmt::Text(format!("w = {}", self.pick(&["a", "a + 1", "1 - a"]))));
            self.program.inlines.push(Inline {
                name: name.clone(),
                params: vec!["a".to_owned(), "w".to_owned()],
                body,
            });
            let (value, target) = (self.pick(&["1", "h", "x"]), self.pick(&["x", "y", "arr[0]"]));
            return Stmt::Text(format!("{name}({value}, {target})"));
        }
        body.push(Stmt::Text(format!("return {}", self.pick(&["a", "a + 1"]))));
        self.program.inlines.push(Inline { name: name.clone(), params: vec!["a".to_owned()], body });
        Stmt::Text(format!("{} = {name}({})", self.pick(&["x", "y", "g"]), self.pick(&["1", "h"])))
    }
}

/// Whether a text declares variables.
pub(super) fn is_declaration(text: &str) -> bool {
    let types = ["byte ", "short ", "bit ", "chan ", "In ", "mtype ", "unsigned ", "int "];
    types.iter().any(|name| text.starts_with(name))
}
