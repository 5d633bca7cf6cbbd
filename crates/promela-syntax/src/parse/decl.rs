//! Declarations: variables, channels, parameters, `typedef`, `mtype`.

use selvedge_source::{Span, misspelt};

use super::cursor::{Failed, Parsed, Parser};
use super::words::{BEFORE_NAME, BEGINS_ITEM};
use crate::ast::{ChanInit, Expr, Init, MtypeDecl, TypeName, Typedef, VarDecl};
use crate::codes;
use crate::lex::Kind;

const TYPES: &[&str] = &["bit", "bool", "byte", "chan", "int", "mtype", "pid", "short", "unsigned"];
const PREFIXES: &[&str] = &["hidden", "show", "local"];
/// Spin's limit on `unsigned name : width`.
const MAX_WIDTH: i32 = 31;

impl Parser<'_> {
    /// Whether a type comes next: a predefined one or a `typedef` above.
    pub(super) fn at_type(&self) -> bool {
        self.at_any(TYPES) || self.peek().word().is_some_and(|w| self.typedefs.contains(w))
    }

    /// Whether a declaration of variables comes next. Two names in a row on one line can be nothing
    /// else, even if the first is no type we know: that is for the checker to say.
    pub(super) fn at_declaration(&self) -> bool {
        self.at_any(PREFIXES)
            || self.at_type()
            || (self.at_name() && self.name_at(1) && !self.peek_at(1).newline_before)
    }

    /// Whether `mtype = {`, `mtype {` or `mtype:name = {` comes next.
    pub(super) fn at_mtype_names(&self) -> bool {
        let braces = |i: usize| self.peek_at(i).is("{") || (self.peek_at(i).is("=") && self.peek_at(i + 1).is("{"));
        self.at("mtype") && (braces(1) || (self.peek_at(1).is(":") && braces(3)))
    }

    pub(super) fn mtype_names(&mut self) -> Parsed<MtypeDecl> {
        self.bump();
        let set = if self.eat(":") { Some(self.name("a set of symbols")?) } else { None };
        self.eat("=");
        let open = self.expect("{")?;
        let mut names = vec![self.name("a symbol")?];
        while !self.at("}") && !self.at_eof() {
            if !self.eat(",") {
                names.push(self.name("a symbol")?);
            }
        }
        self.close(open.span, "}");
        Ok(MtypeDecl { set, names })
    }

    pub(super) fn typedef(&mut self) -> Parsed<Typedef> {
        self.bump();
        let name = self.name("a type")?;
        let open = self.expect("{")?;
        self.in_body = true;
        let mut fields = Vec::new();
        while !self.at("}") && !self.at_eof() {
            if !self.at_declaration() {
                return Err(self.unexpected("a field's type"));
            }
            fields.extend(self.declaration()?);
            if !self.separator() && !self.at("}") {
                return Err(self.unexpected("`;` or `}`"));
            }
        }
        self.close(open.span, "}");
        if fields.is_empty() {
            let error = self.error_at(&open, codes::EMPTY_SEQUENCE, format!("type `{}` has no fields", name.name));
            self.report(error.label("add a field"));
        }
        self.typedefs.insert(name.name.as_str().into());
        Ok(Typedef { name, fields })
    }

    /// `byte a, b; chan c`, without the parentheses.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<VarDecl>> {
        let mut params = Vec::new();
        if self.at(")") {
            return Ok(params);
        }
        loop {
            if !self.at_declaration() {
                return Err(self.unexpected("a parameter's type"));
            }
            let start = self.pos;
            params.extend(self.declaration()?);
            if let Some(token) = self.tokens[start..self.pos].iter().find(|t| t.is("=")).cloned() {
                let error = self
                    .error_at(&token, codes::INITIALISED_PARAMETER, "a parameter cannot have an initial value")
                    .label("initialised here")
                    .help("the value comes from `run`; instances started by `active` get 0");
                self.report(error);
            }
            let after_comma = self.prev.is(",");
            if !after_comma && !self.eat(";") {
                return Ok(params);
            }
        }
    }

    /// `hidden byte a = 1, b[3]`. Ends after a comma if a new type follows (which is reported).
    pub(super) fn declaration(&mut self) -> Parsed<Vec<VarDecl>> {
        let (mut hidden, mut show, mut local) = (false, false, false);
        while self.at_any(PREFIXES) {
            match self.bump().text().as_str() {
                "hidden" => hidden = true,
                "show" => show = true,
                _ => local = true,
            }
        }
        if !self.at_type() && !self.at_name() {
            return Err(self.unexpected("a type"));
        }
        if !self.at_type() {
            self.unknown_type()?;
        }
        let (ty, _) = self.type_name()?;
        let mut list = Vec::new();
        loop {
            let mut variable = self.declarator(&ty)?;
            (variable.hidden, variable.show, variable.local) = (hidden, show, local);
            list.push(variable);
            if !self.eat(",") {
                return Ok(list);
            }
            if self.at_type() {
                let error = self
                    .error_here(codes::PARAMETER_SEPARATOR, "a comma cannot separate declarations of different types")
                    .label("a new type begins here")
                    .help("write `;` in front of it");
                self.report(error);
                return Ok(list);
            }
        }
    }

    /// Reports a name where a type is expected. Fails where it was meant to begin something else than a declaration.
    fn unknown_type(&mut self) -> Parsed<()> {
        let name = self.peek().text();
        let error = self
            .error_here(codes::UNKNOWN_TYPE, format!("`{name}` is not a type declared above"))
            .label("taken for a type, because a name follows it");
        let other = if self.in_body { BEFORE_NAME } else { BEGINS_ITEM };
        let meant = misspelt(&name, other);
        let proposal = misspelt(&name, TYPES).or_else(|| misspelt(&name, PREFIXES)).or(meant);
        self.report(match proposal {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => {
                error.help("declare it above with `typedef`; or is an operator or `;` missing between the two names?")
            }
        });
        if proposal.is_some() && proposal == meant { Err(Failed) } else { Ok(()) }
    }

    /// A type; the width of `unsigned` comes with each variable and is 0 here.
    pub(super) fn type_name(&mut self) -> Parsed<(TypeName, Span)> {
        let start = self.pos;
        let token = self.bump();
        let ty = match token.word().map(|w| &**w) {
            Some("bit") => TypeName::Bit,
            Some("bool") => TypeName::Bool,
            Some("byte") => TypeName::Byte,
            Some("pid") => TypeName::Pid,
            Some("short") => TypeName::Short,
            Some("int") => TypeName::Int,
            Some("chan") => TypeName::Chan,
            Some("unsigned") => TypeName::Unsigned(0),
            Some("mtype") => {
                let set = if self.eat(":") { Some(self.name("a set of symbols")?.name) } else { None };
                TypeName::Mtype(set)
            }
            Some(name) => TypeName::Named(name.to_string()),
            None => return Err(self.unexpected("a type")),
        };
        Ok((ty, self.span_from(start)))
    }

    fn declarator(&mut self, ty: &TypeName) -> Parsed<VarDecl> {
        let name = self.name("a variable")?;
        let mut ty = ty.clone();
        let mut array = None;
        if self.at(":") {
            self.bump();
            let width = self.width()?;
            if let TypeName::Unsigned(w) = &mut ty {
                *w = width;
            } else {
                let error = self
                    .error_at(&self.prev, codes::BAD_WIDTH, "only `unsigned` variables have a width")
                    .label(format!("`{}` has a type of fixed width", name.name))
                    .help("declare it `unsigned`, or leave the width out");
                self.report(error);
            }
        } else if self.eat("[") {
            array = Some(self.expr()?);
            self.expect("]")?;
        }
        if ty == TypeName::Unsigned(0) {
            let error = self
                .error_at(&self.prev, codes::BAD_WIDTH, "an `unsigned` variable needs a width in bits")
                .label("no width given")
                .help(format!("write `unsigned {} : 8`", name.name));
            self.report(error);
        }
        let init = if self.eat("=") { Some(self.initialiser()?) } else { None };
        Ok(VarDecl { ty, name, array, init, hidden: false, show: false, local: false })
    }

    fn width(&mut self) -> Parsed<u8> {
        if !matches!(self.peek().kind, Kind::Number(_)) {
            return Err(self.unexpected("a width in bits"));
        }
        let token = self.peek().clone();
        match self.number()? {
            width @ 1..=MAX_WIDTH => Ok(width as u8),
            width => {
                let error = self
                    .error_at(&token, codes::BAD_WIDTH, format!("a variable cannot be {width} bits wide"))
                    .label(format!("1 to {MAX_WIDTH} are allowed"));
                self.report(error);
                Ok(1)
            }
        }
    }

    fn initialiser(&mut self) -> Parsed<Init> {
        if self.at("[") {
            return Ok(Init::Chan(self.channel()?));
        }
        if !self.at("{") {
            return Ok(Init::Expr(self.expr()?));
        }
        let open = self.bump();
        let mut list = vec![self.expr()?];
        while self.eat(",") {
            list.push(self.expr()?);
        }
        if !self.at("}") {
            return Err(self.unexpected("`,` or `}`"));
        }
        self.close(open.span, "}");
        Ok(Init::List(list))
    }

    /// `[capacity] of { types }`.
    fn channel(&mut self) -> Parsed<ChanInit> {
        let start = self.pos;
        self.expect("[")?;
        let capacity: Expr = self.expr()?;
        self.expect("]")?;
        self.expect("of")?;
        self.expect("{")?;
        let mut fields = Vec::new();
        loop {
            if !self.at_type() && !self.at_name() {
                return Err(self.unexpected("the type of a message field"));
            }
            let token = self.peek().clone();
            let (ty, span) = self.type_name()?;
            if ty == TypeName::Unsigned(0) {
                let error = self
                    .error_at(&token, codes::BAD_WIDTH, "`unsigned` cannot be a message field")
                    .label("not allowed here")
                    .help("use `byte`, `short` or `int`");
                self.report(error);
            }
            fields.push((ty, span));
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(ChanInit { capacity, fields, span: self.span_from(start) })
    }
}
