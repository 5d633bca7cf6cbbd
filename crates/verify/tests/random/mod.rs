//! Random small Promela programs as text, with a shrinker: pieces are taken out as long as the
//! program still shows what it showed.

use std::fmt::Write;

/// A small seeded generator of numbers (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len() as u64) as usize]
    }
}

/// A piece of a program.
#[derive(Clone, Debug)]
enum Piece {
    Line(String),
    /// `if`, `do`, `atomic`, …: what opens it, its parts (each opened by `::` or by nothing), what closes it.
    Block(&'static str, Vec<Vec<Piece>>, &'static str),
}

/// A program.
#[derive(Clone, Debug)]
pub struct Model {
    globals: Vec<String>,
    processes: Vec<(String, Vec<Piece>)>,
    end: Vec<String>,
}

impl Model {
    /// A random program.
    pub fn random(rng: &mut Rng) -> Self {
        let mut globals = vec!["byte g; byte h; bool flag;".to_owned()];
        for (index, name) in ["c", "d"].iter().enumerate() {
            let capacity = if rng.percent(15 + 10 * index as u64) { 0 } else { 1 + rng.below(2) };
            globals.push(format!("chan {name} = [{capacity}] of {{ byte }};"));
        }
        let count = 2 + rng.below(2);
        let spawns = rng.percent(15);
        let mut processes = Vec::new();
        for index in 0..count {
            let copies = if rng.percent(20) { "[2] " } else { "" };
            let passed = rng.percent(25);
            let head = if passed {
                format!("proctype p{index}(chan a)")
            } else {
                format!("active {copies}proctype p{index}()")
            };
            let mut body = vec![Piece::Line("byte x, y".to_owned())];
            let channels: &[&str] = if passed { &["c", "d", "a"] } else { &["c", "d"] };
            for channel in channels {
                if rng.percent(30) {
                    body.push(Piece::Line(format!("{} {channel}", rng.pick(&["xr", "xs"]))));
                }
            }
            let mut writer = Writer { rng, channels, depth: 0, inside: false, spawns: spawns && index == 0 };
            let length = 2 + writer.rng.below(3);
            body.extend((0..length).map(|_| writer.statement()));
            processes.push((head, body));
        }
        let started: Vec<String> = processes
            .iter()
            .filter(|(head, _)| head.starts_with("proctype"))
            .map(|(head, _)| format!("run {}({})", &head[9..11], rng.pick(&["c", "d"])))
            .collect();
        if !started.is_empty() {
            let together = rng.percent(70);
            let runs: Vec<Piece> = started.into_iter().map(Piece::Line).collect();
            let body = if together { vec![Piece::Block("atomic {", vec![runs], "}")] } else { runs };
            processes.push(("init".to_owned(), body));
        }
        if spawns {
            processes.push(("proctype child()".to_owned(), vec![Piece::Line("g = (g + 1) % 3".to_owned())]));
        }
        let end = if rng.percent(35) { vec![claim(rng)] } else { Vec::new() };
        Model { globals, processes, end }
    }

    /// The program as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.globals {
            let _ = writeln!(text, "{line}");
        }
        for (head, body) in &self.processes {
            let _ = writeln!(text, "{head} {{");
            write_body(body, 1, &mut text);
            let _ = writeln!(text, "}}");
        }
        for line in &self.end {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The smallest program found for which `shows` still holds.
    pub fn shrink(mut self, shows: &dyn Fn(&Model) -> bool) -> Self {
        'again: loop {
            for smaller in self.smaller() {
                if shows(&smaller) {
                    self = smaller;
                    continue 'again;
                }
            }
            return self;
        }
    }

    /// The program with one piece less, in every way.
    fn smaller(&self) -> Vec<Model> {
        let mut all = Vec::new();
        for index in 0..self.processes.len() {
            let mut model = self.clone();
            model.processes.remove(index);
            all.push(model);
            for body in smaller_bodies(&self.processes[index].1) {
                let mut model = self.clone();
                model.processes[index].1 = body;
                all.push(model);
            }
        }
        for index in 0..self.globals.len() {
            let mut model = self.clone();
            model.globals.remove(index);
            all.push(model);
        }
        if !self.end.is_empty() {
            all.push(Model { end: Vec::new(), ..self.clone() });
        }
        all
    }
}

fn smaller_bodies(body: &[Piece]) -> Vec<Vec<Piece>> {
    let mut all = Vec::new();
    for (index, piece) in body.iter().enumerate() {
        let replaced = |with: Vec<Piece>| [&body[..index], &with, &body[index + 1..]].concat();
        if body.len() > 1 {
            all.push(replaced(Vec::new()));
        }
        let Piece::Block(open, parts, close) = piece else { continue };
        for (part, inner) in parts.iter().enumerate() {
            all.push(replaced(inner.clone()));
            if parts.len() > 1 {
                let rest = [&parts[..part], &parts[part + 1..]].concat();
                all.push(replaced(vec![Piece::Block(open, rest, close)]));
            }
            for smaller in smaller_bodies(inner) {
                let mut parts = parts.clone();
                parts[part] = smaller;
                all.push(replaced(vec![Piece::Block(open, parts, close)]));
            }
        }
    }
    all
}

fn write_body(body: &[Piece], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for (index, piece) in body.iter().enumerate() {
        let end = if index + 1 == body.len() { "" } else { ";" };
        match piece {
            Piece::Line(line) => {
                let _ = writeln!(text, "{indent}{line}{end}");
            }
            Piece::Block(open, parts, close) => {
                let _ = writeln!(text, "{indent}{open}");
                for part in parts {
                    if matches!(*open, "if" | "do") {
                        let _ = writeln!(text, "{indent}::");
                    }
                    write_body(part, depth + 1, text);
                }
                let _ = writeln!(text, "{indent}{close}{end}");
            }
        }
    }
}

fn claim(rng: &mut Rng) -> String {
    let atom = |rng: &mut Rng| {
        rng.pick(&[
            "(g < 2)",
            "(h == 0)",
            "(flag)",
            "(len(c) == 0)",
            "(empty(d))",
            "(g != h)",
            "(_nr_pr < 3)",
            "(p0[0]@here)",
        ])
    };
    let (a, b) = (atom(rng), atom(rng));
    match rng.below(5) {
        0 => format!("ltl {{ [] {a} }}"),
        1 => format!("ltl {{ {a} U {b} }}"),
        2 => format!("ltl {{ ({a} W {b}) && [] ({b} -> {a}) }}"),
        3 => format!("ltl {{ [] ({a} -> X {b}) }}"),
        _ => format!("never {{ do :: {a} :: {b} -> break od }}").replace("p0[0]@here", "g == 1"),
    }
}

/// Writes statements.
struct Writer<'r> {
    rng: &'r mut Rng,
    channels: &'r [&'static str],
    depth: u32,
    /// Inside an atomic sequence or a `d_step`.
    inside: bool,
    spawns: bool,
}

impl Writer<'_> {
    fn statement(&mut self) -> Piece {
        if self.depth < 2 && self.rng.percent(35) {
            self.depth += 1;
            let block = self.block();
            self.depth -= 1;
            return block;
        }
        Piece::Line(self.line())
    }

    fn block(&mut self) -> Piece {
        let kind = self.rng.below(if self.inside { 2 } else { 5 });
        match kind {
            0 => {
                let parts = (0..1 + self.rng.below(2)).map(|_| self.body()).collect();
                Piece::Block("if", self.with_else(parts), "fi")
            }
            1 => {
                let mut parts: Vec<Vec<Piece>> = (0..1 + self.rng.below(2)).map(|_| self.body()).collect();
                if self.rng.percent(70) {
                    parts.push(vec![Piece::Line("break".to_owned())]);
                }
                Piece::Block("do", self.with_else(parts), "od")
            }
            2 => {
                self.inside = true;
                let body = self.body();
                self.inside = false;
                Piece::Block("atomic {", vec![body], "}")
            }
            // Without loops: a `d_step` that does not end takes very long to say so.
            3 => {
                let body = (0..1 + self.rng.below(3)).map(|_| Piece::Line(self.line())).collect();
                Piece::Block("d_step {", vec![body], "}")
            }
            _ => {
                let (body, guard) =
                    (self.body(), self.rng.pick(&["} unless { g == 2 }", "} unless { x == 1 }", "} unless { c?x }"]));
                Piece::Block("{", vec![body], guard)
            }
        }
    }

    fn with_else(&mut self, mut parts: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
        if self.rng.percent(25) {
            parts.push(vec![Piece::Line("else".to_owned()), Piece::Line(self.line())]);
        }
        parts
    }

    fn body(&mut self) -> Vec<Piece> {
        (0..1 + self.rng.below(2)).map(|_| self.statement()).collect()
    }

    fn line(&mut self) -> String {
        let channel = self.rng.pick(self.channels);
        let local = self.rng.pick(&["x", "y"]);
        let number = self.rng.below(3);
        match self.rng.below(30) {
            0..=5 => format!("{local} = ({local} + 1) % 3"),
            6 => "x = y".to_owned(),
            7 | 8 => format!("{local} == {number}"),
            9 => format!("{local} < 2"),
            10 | 11 => format!("g = (g + {number}) % 3"),
            12 => format!("h = {local}"),
            13 => format!("{local} = g"),
            14 => "flag = !flag".to_owned(),
            15 => self.rng.pick(&["g == 1", "flag", "h != 2"]).to_owned(),
            16..=19 => format!("{channel}!{}", self.rng.pick(&["x", "y", "1", "g"])),
            20..=22 => format!("{channel}?{}", self.rng.pick(&["x", "y", "1", "eval(x)", "g"])),
            23 => format!("assert({local} != {number})"),
            24 => self.rng.pick(&["assert(g != 2)", "assert(g < 2 || h == 0)"]).to_owned(),
            25 => self.rng.pick(&["len(c) < 2", "nempty(d)", "nfull(c)", "c??[1]", "_nr_pr < 3"]).to_owned(),
            26 => self.rng.pick(&["skip", "printf(\"x\")", "timeout", "x = 2 / y"]).to_owned(),
            27 => format!("{channel}{}", self.rng.pick(&["??1", "!!x", "?<x>"])),
            28 if self.spawns && !self.inside => "run child()".to_owned(),
            _ if self.depth == 0 => {
                "here: y = 1".to_owned().replace("here", self.rng.pick(&["here", "end_a", "progress_a", "accept_a"]))
            }
            _ => "y = 0".to_owned(),
        }
    }
}
