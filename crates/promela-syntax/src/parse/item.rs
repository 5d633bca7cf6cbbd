//! The top level: process types, claims, and the declarations between them.

use super::cursor::{Failed, Parsed, Parser};
use crate::ast::{Claim, EventTrace, Expr, Ident, Item, LtlClaim, Model, Process, Sequence};
use crate::codes;

impl Parser<'_> {
    /// All items; those that could not be read are left out.
    pub(super) fn model(&mut self) -> Model {
        let mut items = Vec::new();
        while !self.at_eof() {
            if self.at(";") || self.at("->") {
                self.bump();
                continue;
            }
            if self.unclosed_bodies > 0 && self.eat("}") {
                self.unclosed_bodies -= 1;
                continue;
            }
            let start = self.pos;
            self.in_body = false;
            self.parens = 0;
            self.options_open = 0;
            match self.item() {
                Ok(item) => items.extend(item),
                Err(_) => {
                    self.ltl = false;
                    self.skip_item(start);
                }
            }
        }
        Model { items }
    }

    fn item(&mut self) -> Parsed<Option<Item>> {
        let word = self.peek().word().cloned();
        Ok(Some(match word.as_deref() {
            Some("proctype" | "D_proctype" | "active") => Item::Process(self.proctype()?),
            Some("init") => Item::Process(self.init()?),
            Some("never") => {
                let start = self.pos;
                self.bump();
                let name = if self.at_name() { Some(self.name("a claim")?) } else { None };
                let body = self.body()?;
                Item::Never(Claim { name, body, span: self.span_from(start) })
            }
            Some("trace" | "notrace") => {
                let start = self.pos;
                let negated = self.bump().is("notrace");
                let body = self.body()?;
                Item::Trace(EventTrace { negated, body, span: self.span_from(start) })
            }
            Some("ltl") => Item::Ltl(self.ltl_claim()?),
            Some("typedef") => Item::Typedef(self.typedef()?),
            Some("inline") => {
                self.inline_definition()?;
                return Ok(None);
            }
            Some(_) if self.at_embedded_c() => {
                self.embedded_c();
                return Ok(None);
            }
            Some(_) if self.at_mtype_names() => Item::Mtype(self.mtype_names()?),
            Some(_) if self.at_declaration() => Item::Vars(self.declaration()?),
            // The rest of a body that an item interrupted, which is reported already.
            _ if self.unclosed_bodies > 0 => return Err(Failed),
            _ if self.at("}") => {
                let error = self.extra_closer();
                self.report(error);
                self.bump();
                return Ok(None);
            }
            _ => return Err(self.unexpected("a declaration, a proctype or a claim")),
        }))
    }

    fn ltl_claim(&mut self) -> Parsed<LtlClaim> {
        let start = self.pos;
        self.bump();
        let name = if self.at_name() { Some(self.name("a formula")?) } else { None };
        let open = self.expect("{")?;
        // After an error the caller leaves the formula.
        self.ltl = true;
        let formula = self.formula()?;
        while self.at(";") || self.at("->") {
            self.bump();
        }
        if !self.at("}") && !self.at_eof() {
            return Err(self.unexpected("an operator or `}`"));
        }
        self.ltl = false;
        self.close(open.span, "}");
        Ok(LtlClaim { name, formula, span: self.span_from(start) })
    }

    fn proctype(&mut self) -> Parsed<Process> {
        let start = self.pos;
        let mut active = None;
        if self.eat("active") {
            active = Some(None);
            if self.eat("[") {
                active = Some(Some(self.expr()?));
                self.expect("]")?;
            }
        }
        if !self.at_any(&["proctype", "D_proctype"]) {
            return Err(self.unexpected("`proctype`"));
        }
        let deterministic = self.bump().is("D_proctype");
        let name = self.name("a process type")?;
        self.processes.insert(name.name.as_str().into());
        self.expect("(")?;
        let params = self.parameters()?;
        self.expect(")")?;
        let (priority, provided) = self.clauses()?;
        let body = self.body()?;
        let span = self.span_from(start);
        Ok(Process { name, is_init: false, active, deterministic, params, priority, provided, body, span })
    }

    fn init(&mut self) -> Parsed<Process> {
        let start = self.pos;
        let name = Ident { name: "init".to_string(), span: self.bump().span };
        if self.at("(") {
            let error = self
                .error_here(codes::UNEXPECTED, "`init` has no parameters")
                .label("remove this list")
                .help("write `init { … }`");
            return Err(self.fail(error));
        }
        let priority = self.priority()?;
        let body = self.body()?;
        let span = self.span_from(start);
        let (active, params, provided) = (None, Vec::new(), None);
        Ok(Process { name, is_init: true, active, deterministic: false, params, priority, provided, body, span })
    }

    /// `priority n`, then `provided (e)`, both optional.
    fn clauses(&mut self) -> Parsed<(Option<Expr>, Option<Expr>)> {
        let mut priority = self.priority()?;
        let mut provided = None;
        if self.eat("provided") {
            self.expect("(")?;
            provided = Some(self.expr()?);
            self.expect(")")?;
        }
        if self.at("priority") {
            let error = self
                .error_here(codes::CLAUSE_ORDER, "`priority` comes before `provided`")
                .label("too late")
                .help("write `proctype P() priority 1 provided (e) { … }`");
            self.report(error);
            priority = self.priority()?;
        }
        Ok((priority, provided))
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<Expr>> {
        if !self.eat("priority") {
            return Ok(None);
        }
        self.nested(|p| Ok(Some(p.primary()?.into_expr(p)?)))
    }

    /// `{ … }` of a process or claim: here line ends separate.
    fn body(&mut self) -> Parsed<Sequence> {
        let open = self.expect("{")?;
        self.in_body = true;
        let sequence = self.sequence();
        self.in_body = false;
        self.close(open.span, "}");
        Ok(sequence)
    }
}
