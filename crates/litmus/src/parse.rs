//! The text format.
//!
//! ```text
//! test SB+rfis                       several tests may stand in one file; # starts a comment
//! init x=0 y=0                       optional, 0 is the default
//! thread store(x,1,rel); a = load(x,sc); b = load(y,sc)
//! thread {                           braces where a thread needs several lines
//!     store(y,1,rel); c = load(y,sc)
//!     if c == 1 { d = load(x,sc) } else { d = 7 }
//! }
//! weak a=1 b=0 c=1 d=0               the outcome that is asked about; [x]=1 is a final value
//! expect rc11=4 sc=3                 see corpus/README.md
//! ```
//!
//! Statements: `r = load(LOC, MODE)`, `store(LOC, E, MODE)`, `[r =] add(LOC, E, MODE)`, `[r =] swap(LOC, E, MODE)`,
//! `[r =] cas(LOC, E, E, MODE, FAILURE)`, `fence(MODE)`, `r = E`, `if E {..} [else {..}]`, `assume(E)`, `assert(E)`.
//! Modes: `na rlx acq rel ar sc`. Registers have different names in a test.

use crate::{Expression, Mode, Operator, Statement, Test};

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub line: usize,
    pub message: String,
}

/// Reads all tests of a text.
pub fn parse(text: &str) -> Result<Vec<Test>, Error> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, tests: Vec::new() };
    while parser.at < parser.tokens.len() {
        if parser.eat("\n") {
            continue;
        }
        parser.item()?;
    }
    for test in &mut parser.tests {
        test.initial.resize(test.locations.len(), 0);
    }
    Ok(parser.tests)
}

struct Token {
    text: String,
    line: usize,
}

/// Words, numbers and signs; the ends of lines are tokens. What follows `test` and `expect` is one token.
fn tokens(text: &str) -> Result<Vec<Token>, Error> {
    let mut out = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or("").trim();
        let mut push = |text: &str| out.push(Token { text: text.to_owned(), line });
        let keyword = ["test ", "expect ", "weak ", "init "].iter().find(|k| content.starts_with(**k));
        if let Some(keyword) = keyword {
            push(keyword.trim());
            push(content[keyword.len()..].trim());
            push("\n");
            continue;
        }
        let mut rest = content;
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let length = match first {
                ' ' | '\t' => {
                    rest = rest.trim_start();
                    continue;
                }
                _ if word > 0 => word,
                '=' | '!' | '<' | '>' if rest[1..].starts_with('=') => 2,
                _ if "=<>+-(){},;".contains(first) => 1,
                _ => return Err(Error { line, message: format!("unexpected `{first}`") }),
            };
            push(&rest[..length]);
            rest = &rest[length..];
        }
        push("\n");
    }
    Ok(out)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    tests: Vec<Test>,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", |t| &t.text)
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |t| t.line);
        Err(Error { line, message: message.into() })
    }

    fn next(&mut self) -> String {
        let text = self.peek().to_owned();
        self.at += 1;
        text
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn want(&mut self, text: &str) -> Result<(), Error> {
        if self.eat(text) { Ok(()) } else { self.error(format!("`{text}` wanted, found `{}`", self.peek())) }
    }

    fn item(&mut self) -> Result<(), Error> {
        match self.next().as_str() {
            "test" => {
                let name = self.next();
                self.tests.push(Test { name, ..Test::default() });
            }
            "thread" => {
                let body = if self.eat("{") { self.block("}")? } else { self.block("\n")? };
                self.test()?.threads.push(body);
            }
            "init" => {
                for (name, value) in self.pairs()? {
                    let location = self.location(&name)?;
                    let test = self.test()?;
                    test.initial.resize(test.locations.len(), 0);
                    test.initial[location] = value;
                }
            }
            "weak" => self.test()?.weak = self.pairs()?,
            "expect" => {
                let line = self.next();
                let pairs = line.split_whitespace().filter_map(|item| item.split_once('='));
                self.test()?.expect = pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            }
            other => {
                self.at -= 1;
                return self.error(format!("test, init, thread, weak or expect wanted, found `{other}`"));
            }
        }
        Ok(())
    }

    fn test(&mut self) -> Result<&mut Test, Error> {
        if self.tests.is_empty() {
            return self.error("`test NAME` comes first");
        }
        Ok(self.tests.last_mut().expect("just seen"))
    }

    fn pairs(&mut self) -> Result<Vec<(String, i64)>, Error> {
        let line = self.next();
        let pair = |item: &str| {
            let (name, value) = item.split_once('=')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        let pairs: Option<Vec<_>> = line.split_whitespace().map(pair).collect();
        pairs.map_or_else(|| self.error(format!("`name=number` wanted in `{line}`")), Ok)
    }

    fn location(&mut self, name: &str) -> Result<usize, Error> {
        let test = self.test()?;
        if let Some(known) = test.locations.iter().position(|l| l == name) {
            return Ok(known);
        }
        test.locations.push(name.to_owned());
        Ok(test.locations.len() - 1)
    }

    fn block(&mut self, end: &str) -> Result<Vec<Statement>, Error> {
        let mut out = Vec::new();
        loop {
            if self.eat(end) {
                return Ok(out);
            }
            if self.eat(";") || self.eat("\n") {
                continue;
            }
            if self.at >= self.tokens.len() {
                return self.error(format!("`{}` is missing", end.escape_default()));
            }
            out.push(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Statement, Error> {
        if self.eat("if") {
            let condition = self.expression()?;
            self.want("{")?;
            let then = self.block("}")?;
            let otherwise = if self.eat("else") {
                self.want("{")?;
                self.block("}")?
            } else {
                Vec::new()
            };
            return Ok(Statement::If { condition, then, otherwise });
        }
        let word = self.next();
        if self.eat("=") {
            let operation = self.peek().to_owned();
            let called = self.tokens.get(self.at + 1).is_some_and(|t| t.text == "(");
            if called && ["load", "add", "swap", "cas"].contains(&operation.as_str()) {
                self.at += 1;
                return self.operation(&operation, Some(word));
            }
            return Ok(Statement::Let { register: word, value: self.expression()? });
        }
        self.operation(&word, None)
    }

    fn operation(&mut self, operation: &str, register: Option<String>) -> Result<Statement, Error> {
        self.want("(")?;
        let statement = match operation {
            "fence" => Statement::Fence(self.mode()?),
            "assume" => Statement::Assume(self.expression()?),
            "assert" => Statement::Assert(self.expression()?),
            "load" | "store" | "add" | "swap" | "cas" => {
                let name = self.next();
                let location = self.location(&name)?;
                self.want(",")?;
                self.access(operation, register, location)?
            }
            _ => return self.error(format!("no operation `{operation}`")),
        };
        self.want(")")?;
        Ok(statement)
    }

    fn access(&mut self, operation: &str, register: Option<String>, location: usize) -> Result<Statement, Error> {
        if operation == "load" {
            let Some(register) = register else { return self.error("a load without a register") };
            return Ok(Statement::Load { register, location, mode: self.mode()? });
        }
        let operand = self.expression()?;
        self.want(",")?;
        Ok(match operation {
            "store" => Statement::Store { location, value: operand, mode: self.mode()? },
            "cas" => {
                let new = self.expression()?;
                self.want(",")?;
                let success = self.mode()?;
                self.want(",")?;
                let failure = self.mode()?;
                Statement::CompareExchange { register, location, expected: operand, new, success, failure }
            }
            _ => Statement::Modify { register, location, adds: operation == "add", operand, mode: self.mode()? },
        })
    }

    fn mode(&mut self) -> Result<Mode, Error> {
        Ok(match self.next().as_str() {
            "na" => Mode::NotAtomic,
            "rlx" => Mode::Relaxed,
            "acq" => Mode::Acquire,
            "rel" => Mode::Release,
            "ar" => Mode::AcqRel,
            "sc" => Mode::SeqCst,
            other => {
                self.at -= 1;
                return self.error(format!("no mode `{other}`"));
            }
        })
    }

    fn expression(&mut self) -> Result<Expression, Error> {
        let left = self.sum()?;
        let operator = match self.peek() {
            "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            _ => return Ok(left),
        };
        self.at += 1;
        Ok(Expression::Binary(left.into(), operator, self.sum()?.into()))
    }

    fn sum(&mut self) -> Result<Expression, Error> {
        let mut left = self.term()?;
        loop {
            let operator = match self.peek() {
                "+" => Operator::Add,
                "-" => Operator::Subtract,
                _ => return Ok(left),
            };
            self.at += 1;
            left = Expression::Binary(left.into(), operator, self.term()?.into());
        }
    }

    fn term(&mut self) -> Result<Expression, Error> {
        if self.eat("-") {
            let zero = Expression::Number(0).into();
            return Ok(Expression::Binary(zero, Operator::Subtract, self.term()?.into()));
        }
        if self.eat("(") {
            let inner = self.expression()?;
            self.want(")")?;
            return Ok(inner);
        }
        let word = self.next();
        if let Ok(number) = word.parse() {
            return Ok(Expression::Number(number));
        }
        if word.starts_with(|c: char| c.is_alphabetic()) {
            return Ok(Expression::Register(word));
        }
        self.at -= 1;
        self.error(format!("a number or a register wanted, found `{}`", word.escape_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_read_with_all_its_parts() {
        let text = "test A b # note\ninit x=3\nthread { a = cas(x,3,a0-1,ar,rlx)\nif a == 3 { store(y,a+1,rel) } else { assume(a > 0) } }\n\
                    thread fence(sc); b = add(y,-1,sc)\nweak a=3 [y]=1\nexpect rc11=2 preemptions=1,2\n";
        let tests = parse(text).expect("well-formed");
        assert_eq!((tests.len(), tests[0].name.as_str()), (1, "A b"));
        let test = &tests[0];
        assert_eq!((test.threads.len(), test.threads[0].len(), test.threads[1].len()), (2, 2, 2));
        assert_eq!((&test.locations[..], &test.initial[..]), (&["x".to_owned(), "y".to_owned()][..], &[3, 0][..]));
        assert_eq!(test.weak, [("a".to_owned(), 3), ("[y]".to_owned(), 1)]);
        assert_eq!((test.expected_number("rc11"), test.expected_series("preemptions")), (2, vec![1, 2]));
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        for (text, line) in [
            ("thread store(x,1,sc)\n", 1),
            ("test A\nthread store(x,1,weak)\n", 2),
            ("test A\n\nthread load(x,sc)\n", 3),
            ("test A\nthread { store(x,1,sc)\n", 2),
            ("test A\nthread a = 1 @ 2\n", 2),
            ("test A\nweak a\n", 2),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.line >= line, "{text}: {error:?}");
        }
    }
}
