//! From a parsed model and the user's choice of properties to a machine: which claim is in force,
//! what is checked, and what a later search has to know about it.

use selvedge_source::{Cancel, Diagnostic, Diagnostics, SourceMap, Span, nearest};

use crate::lower::{self, ClaimChoice, Faults, LowerOptions, codes};
use crate::machine::{self, PromelaMachine, Properties};
use selvedge_ltl as ltl;
use selvedge_promela_syntax::ast::{self, Item};

/// Which claim the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ClaimSelection {
    /// The first one of the file, if it has any.
    #[default]
    FromFile,
    /// None.
    None,
    /// The `ltl` formula or `never` claim of this name, or this formula.
    Chosen(String),
}

/// What to build.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// The claim.
    pub claim: ClaimSelection,
    /// What is reported.
    pub properties: Properties,
    /// Dead variables reset and statements merged; hidden variables that are read are part of the state.
    pub optimize: bool,
    /// Statements are not merged even so: runs are measured in steps.
    pub keep_steps: bool,
    /// Every violation is wanted, not the first one. A claim that completes ends the run, and it moves once for merged
    /// statements: beside a claim they are not merged, so that no violation is reported which comes after the claim's end.
    pub every_violation: bool,
    /// A search without the claim has shown that nothing in the model is ever at fault.
    pub faultless: bool,
}

/// A machine and what is known about its claim.
pub struct Built {
    /// The machine.
    pub machine: PromelaMachine,
    /// The claim in force, as replay needs it.
    pub claim: Option<ast::Claim>,
    /// Its name.
    pub claim_name: Option<String>,
    /// The formula, if it came from one.
    pub formula: Option<String>,
    /// Conditions without which a formula says nothing: those of its implications that must always hold.
    pub conditions: Vec<String>,
    /// The claim accepts some infinite runs: only a search for cycles answers it fully.
    pub liveness: bool,
    /// The claim may count steps.
    pub counts_steps: bool,
    /// Names of claims in the file that are not in force.
    pub other_claims: Vec<String>,
    /// Assertions in the model.
    pub assertions: usize,
    /// There is an event trace.
    pub has_events: bool,
    /// Hidden variables are no part of the state even if they are read.
    pub hide_as_spin: bool,
    /// Names of hidden variables that are read and are no part of the state: violations may be missed.
    pub read_hidden: Vec<String>,
}

/// The claim in force.
struct Chosen {
    claim: ast::Claim,
    name: String,
    formula: Option<String>,
    conditions: Vec<String>,
    liveness: bool,
    stutter_invariant: bool,
}

/// Builds the machine. `None` when there were errors.
pub fn build(
    model: &ast::Model,
    options: &BuildOptions,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Built> {
    let names = claim_names(model);
    let chosen = match &options.claim {
        ClaimSelection::None => None,
        ClaimSelection::FromFile => match claim_items(model).next().zip(names.first()) {
            Some((item, name)) => Some(claim_of(item, name, sources, diagnostics)?),
            None => None,
        },
        ClaimSelection::Chosen(text) => Some(choose(model, text, &names, sources, diagnostics)?),
    };
    let in_force = chosen.as_ref().map(|chosen| &chosen.claim);
    lower::restrict::check(model, in_force, options.properties.acceptance, diagnostics);
    let claim = chosen.as_ref().map_or(ClaimChoice::None, |c| ClaimChoice::Claim(&c.claim));
    // A claim may count steps; only a formula without `X` cannot.
    let counts_steps = chosen.as_ref().is_some_and(|c| !c.stutter_invariant);
    let exact = options.every_violation && chosen.is_some();
    let keep_steps = options.keep_steps || options.properties.reach.is_some() || exact;
    let hide_as_spin = !options.optimize;
    let (optimize, faults) = (options.optimize, possible_faults(options));
    let lower_options = LowerOptions { claim, optimize, keep_steps, counts_steps, hide_as_spin, faults };
    let lowered = lower::lower(model, &lower_options, sources, diagnostics)?;
    let read_hidden = lowered.read_hidden.into_iter().map(|hidden| hidden.name).collect();
    let machine = machine::machine(lowered.program, options.properties.clone());
    if let (Some(label), false) = (&options.properties.reach, machine.system.reach_label_exists()) {
        diagnostics.push(
            Diagnostic::error_without_place(codes::NO_SUCH_LABEL, format!("no process has a label `{label}`"))
                .help("name a label as in the source, or `process@label`"),
        );
        return None;
    }
    let (claim, claim_name, formula, conditions, liveness) = match chosen {
        Some(c) => (Some(c.claim), Some(c.name), c.formula, c.conditions, c.liveness),
        None => (None, None, None, Vec::new(), false),
    };
    let other_claims = names.into_iter().filter(|n| Some(n) != claim_name.as_ref()).collect();
    let has_events = machine.system.program().events.is_some();
    let assertions = machine.system.program().assertions.count();
    Some(Built {
        machine,
        claim,
        claim_name,
        formula,
        conditions,
        liveness,
        counts_steps,
        other_claims,
        assertions,
        has_events,
        hide_as_spin,
        read_hidden,
    })
}

/// What statements may be at fault for, as far as the caller knows and asks.
fn possible_faults(options: &BuildOptions) -> Faults {
    match (options.faultless, options.properties.assertions) {
        (true, _) => Faults::None,
        (false, true) => Faults::All,
        (false, false) => Faults::ButAssertions,
    }
}

/// The machine of the plain semantics for a model that was built before, with the same claim: it
/// tells a run that the optimised machine found with every value at every step.
pub fn plain_machine(
    model: &ast::Model,
    built: &Built,
    properties: &Properties,
    sources: &SourceMap,
    cancel: &Cancel,
) -> Option<PromelaMachine> {
    machine_again(model, built, properties, (sources, cancel), false)
}

/// The machine that merges no statements, for a model that was built before: it measures runs in
/// steps. Dead variables are reset as before, so that the same states count as the same.
pub fn stepping_machine(
    model: &ast::Model,
    built: &Built,
    properties: &Properties,
    sources: &SourceMap,
    cancel: &Cancel,
) -> Option<PromelaMachine> {
    machine_again(model, built, properties, (sources, cancel), true)
}

fn machine_again(
    model: &ast::Model,
    built: &Built,
    properties: &Properties,
    (sources, cancel): (&SourceMap, &Cancel),
    optimize: bool,
) -> Option<PromelaMachine> {
    let claim = built.claim.as_ref().map_or(ClaimChoice::None, ClaimChoice::Claim);
    let hide_as_spin = built.hide_as_spin;
    let faults = Faults::default();
    let options = LowerOptions { claim, optimize, keep_steps: true, counts_steps: true, hide_as_spin, faults };
    let lowered = lower::lower(model, &options, sources, &mut Diagnostics::until(cancel.clone()))?;
    Some(machine::machine(lowered.program, properties.clone()))
}

fn claim_items(model: &ast::Model) -> impl Iterator<Item = &Item> {
    model.items.iter().filter(|item| matches!(item, Item::Never(_) | Item::Ltl(_)))
}

/// A claim that the file states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedClaim {
    /// Its name; one without is numbered by kind, as Spin does.
    pub name: String,
    /// It is an `ltl` block.
    pub is_formula: bool,
    /// It has an assertion of its own.
    pub asserts: bool,
}

/// The claims that the file states, in its order.
pub fn stated_claims(model: &ast::Model) -> Vec<StatedClaim> {
    let stated = |(item, name): (&Item, String)| {
        let asserts = matches!(item, Item::Never(claim) if has_assertion(&claim.body));
        StatedClaim { name, is_formula: matches!(item, Item::Ltl(_)), asserts }
    };
    claim_items(model).zip(claim_names(model)).map(stated).collect()
}

fn name_of(item: &Item, index: usize) -> String {
    let name = match item {
        Item::Never(claim) => claim.name.as_ref(),
        Item::Ltl(claim) => claim.name.as_ref(),
        _ => None,
    };
    match (name, item) {
        (Some(name), _) => name.name.clone(),
        (None, Item::Ltl(_)) => format!("ltl_{index}"),
        (None, _) => format!("never_{index}"),
    }
}

/// Names of the file's claims; those without one are numbered by kind, as Spin does.
pub(crate) fn claim_names(model: &ast::Model) -> Vec<String> {
    let (mut never, mut ltl) = (0, 0);
    let mut names = Vec::new();
    for item in claim_items(model) {
        let index = if matches!(item, Item::Never(_)) { &mut never } else { &mut ltl };
        names.push(name_of(item, *index));
        *index += 1;
    }
    names
}

fn choose(
    model: &ast::Model,
    text: &str,
    names: &[String],
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Chosen> {
    if let Some((item, name)) = claim_items(model).zip(names).find(|(_, name)| *name == text) {
        return claim_of(item, name, sources, diagnostics);
    }
    let plain_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain_name && (!names.is_empty() || !is_proposition(model, text)) {
        diagnostics.push(no_such_claim(text, names));
        return None;
    }
    let formula = selvedge_promela_syntax::parse::parse_ltl(text, sources, diagnostics)?;
    let span = formula_span(&formula);
    from_formula(&formula, "ltl", span, Some(text.to_owned()), diagnostics)
}

/// Whether a word alone can be a formula: a constant or something that the model declares.
fn is_proposition(model: &ast::Model, word: &str) -> bool {
    let declared = model.items.iter().any(|item| match item {
        Item::Vars(vars) => vars.iter().any(|var| var.name.name == word),
        Item::Mtype(symbols) => symbols.names.iter().any(|symbol| symbol.name == word),
        _ => false,
    });
    declared || word.starts_with(|c: char| c.is_ascii_digit() || c == '_') || matches!(word, "true" | "false" | "np_")
}

fn no_such_claim(name: &str, names: &[String]) -> Diagnostic {
    let error = Diagnostic::error_without_place(codes::NO_SUCH_CLAIM, format!("the model has no claim `{name}`"));
    let error = match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error,
    };
    error.help(match names {
        [] => "it has no `ltl` block and no `never` claim; give a formula, as in --ltl '[] (x < 2)'".to_owned(),
        names => format!("its claims are: {}", names.join(", ")),
    })
}

fn claim_of(item: &Item, name: &str, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Chosen> {
    match item {
        Item::Never(claim) => Some(Chosen {
            claim: claim.clone(),
            name: name.to_owned(),
            formula: None,
            conditions: Vec::new(),
            liveness: has_accept_label(&claim.body),
            stutter_invariant: false,
        }),
        Item::Ltl(claim) => {
            let text = sources.text(claim.span).split_whitespace().collect::<Vec<_>>().join(" ");
            from_formula(&claim.formula, name, claim.span, Some(text), diagnostics)
        }
        _ => None,
    }
}

fn from_formula(
    formula: &ast::Ltl,
    name: &str,
    span: Span,
    text: Option<String>,
    diagnostics: &mut Diagnostics,
) -> Option<Chosen> {
    lower::restrict::check_formula(formula, diagnostics);
    match ltl::translate_negation(formula) {
        Ok(translation) => {
            let liveness = !translation.automaton.is_safety_violation_only();
            let claim = ltl::to_claim(&translation, Some(ast::Ident { name: name.to_owned(), span }), span);
            Some(Chosen {
                claim,
                name: name.to_owned(),
                formula: text,
                conditions: ltl::conditions(formula),
                liveness,
                stutter_invariant: !has_next(formula),
            })
        }
        Err(error) => {
            diagnostics.push(
                Diagnostic::error(
                    codes::FORMULA_TOO_LARGE,
                    span,
                    format!("the formula's automaton is too large: {error}"),
                )
                .help("split the property into several formulas"),
            );
            None
        }
    }
}

fn has_next(formula: &ast::Ltl) -> bool {
    use ast::Ltl::{Always, And, Atom, Eventually, Iff, Implies, Next, Not, Or, Release, Until, WeakUntil};
    match formula {
        Atom(_) => false,
        Next(_) => true,
        Not(f) | Always(f) | Eventually(f) => has_next(f),
        And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
            has_next(a) || has_next(b)
        }
    }
}

fn formula_span(formula: &ast::Ltl) -> Span {
    use ast::Ltl::{Always, And, Atom, Eventually, Iff, Implies, Next, Not, Or, Release, Until, WeakUntil};
    match formula {
        Atom(expr) => expr.span,
        Not(f) | Next(f) | Always(f) | Eventually(f) => formula_span(f),
        And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
            formula_span(a).to(formula_span(b))
        }
    }
}

/// Whether a claim has an acceptance label, so that infinite runs can violate it.
fn has_accept_label(body: &ast::Sequence) -> bool {
    has_statement(body, &|stmt| stmt.labels.iter().any(|label| label.name.starts_with("accept")))
}

/// Whether a claim asserts something.
fn has_assertion(body: &ast::Sequence) -> bool {
    has_statement(body, &|stmt| matches!(stmt.kind, ast::StmtKind::Assert(_)))
}

fn has_statement(body: &ast::Sequence, wanted: &dyn Fn(&ast::Stmt) -> bool) -> bool {
    body.stmts.iter().any(|stmt| is_or_has(stmt, wanted))
}

fn is_or_has(stmt: &ast::Stmt, wanted: &dyn Fn(&ast::Stmt) -> bool) -> bool {
    use ast::StmtKind;
    wanted(stmt)
        || match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => options.iter().any(|option| has_statement(option, wanted)),
            StmtKind::Atomic(body)
            | StmtKind::DStep(body)
            | StmtKind::Block(body)
            | StmtKind::InlineCall { body, .. }
            | StmtKind::ForRange { body, .. }
            | StmtKind::ForIn { body, .. } => has_statement(body, wanted),
            StmtKind::Unless(main, escape) => is_or_has(main, wanted) || is_or_has(escape, wanted),
            _ => false,
        }
}
