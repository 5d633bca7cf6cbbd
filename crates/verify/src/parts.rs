//! Which searches answer a request. A claim observes the runs of its model and leaves out those that it cannot follow,
//! and with a claim in force no end state is invalid. So each claim that a Promela file states is a property of its own,
//! searched alone, and everything else is searched without a claim. A claim that is chosen (`--ltl`) is in force in the one
//! search that there is, beside the assertions, as in Spin.

use selvedge_core::{Bound, Evidence, Stats, StopReason, Verdict, ViolationKind};
use selvedge_promela::build::{StatedClaim, stated_claims};

use crate::answer::Answer;
use crate::model::{LoadedModel, Syntax};
use crate::request::{Claims, Minimize, Properties, Request};

/// What a search decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The name of a claim, the text of a formula that was chosen, or `safety` or `cycles`.
    pub name: String,
    /// What kind.
    pub kind: PropertyKind,
}

/// What kind of property a search decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Assertions, end states, labels, targets, runtime errors: what finite runs show.
    Safety,
    /// The same, and cycles that labels mark.
    Cycles,
    /// An `ltl` formula.
    Ltl,
    /// A `never` claim.
    Never,
}

impl PropertyKind {
    /// As scripts read it.
    pub fn code(self) -> &'static str {
        match self {
            PropertyKind::Safety => "safety",
            PropertyKind::Cycles => "cycles",
            PropertyKind::Ltl => "ltl",
            PropertyKind::Never => "never",
        }
    }
}

impl Property {
    /// Everything but the claims.
    fn without_claims(asked: &Properties) -> Self {
        let cycles = asked.acceptance || asked.non_progress;
        let kind = if cycles { PropertyKind::Cycles } else { PropertyKind::Safety };
        Property { name: kind.code().to_owned(), kind }
    }

    /// What finite runs show.
    pub(crate) fn safety() -> Self {
        Property::without_claims(&Properties::default())
    }

    fn stated(claim: &StatedClaim) -> Self {
        let kind = if claim.is_formula { PropertyKind::Ltl } else { PropertyKind::Never };
        Property { name: claim.name.clone(), kind }
    }
}

/// What a part of the request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of it.
    Whole,
    /// Everything but the claims, which are searched alone.
    WithoutClaims,
    /// One claim.
    Claim,
}

/// A part of a request.
pub(crate) struct Part {
    /// What it decides.
    pub property: Property,
    /// What is asked.
    pub request: Request,
    /// What that is about.
    pub scope: Scope,
}

/// The parts of a request, at least one. What is not about a claim comes first.
pub(crate) fn parts(model: &LoadedModel, request: &Request) -> Vec<Part> {
    let stated = match &model.syntax {
        Syntax::Promela(syntax) => stated_claims(syntax),
        _ => Vec::new(),
    };
    let asked = &request.properties;
    let in_one = |property| vec![Part { property, request: request.clone(), scope: Scope::Whole }];
    let in_force = match &asked.claims {
        Claims::Each if !stated.is_empty() => return each_alone(&stated, request),
        Claims::Each | Claims::None => None,
        Claims::First => stated.first().map(Property::stated),
        Claims::Chosen(text) => {
            let claim = stated.iter().find(|claim| claim.name == *text).map(Property::stated);
            Some(claim.unwrap_or_else(|| Property { name: text.clone(), kind: PropertyKind::Ltl }))
        }
    };
    in_one(in_force.unwrap_or_else(|| Property::without_claims(asked)))
}

fn each_alone(stated: &[StatedClaim], request: &Request) -> Vec<Part> {
    let with = |properties| Request { properties, ..request.clone() };
    let asked = &request.properties;
    let without_claims = Part {
        property: Property::without_claims(asked),
        request: with(Properties { claims: Claims::None, ..asked.clone() }),
        scope: Scope::WithoutClaims,
    };
    let alone = stated.iter().map(|claim| {
        let properties = Properties {
            claims: Claims::Chosen(claim.name.clone()),
            no_assert: asked.no_assert || !claim.asserts,
            fair: asked.fair,
            safety_only: asked.safety_only,
            ..Properties::default()
        };
        Part { property: Property::stated(claim), request: with(properties), scope: Scope::Claim }
    });
    std::iter::once(without_claims).chain(alone).collect()
}

/// The question whether a condition is ever true, asked as the rest of a request is: it is not if `[] !condition` holds.
pub(crate) fn is_never_true(condition: &str, request: &Request) -> Part {
    let properties =
        Properties { claims: Claims::Chosen(format!("[] !({condition})")), no_assert: true, ..Properties::default() };
    let mut request = Request { properties, ..request.clone() };
    (request.search.keep_going, request.search.all_violations) = (false, false);
    // The run that makes it true is not shown.
    request.search.minimize = Minimize::None;
    let property = Property { name: condition.to_owned(), kind: PropertyKind::Ltl };
    Part { property, request, scope: Scope::Claim }
}

/// What a search found out about a property.
#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    /// The property.
    pub property: Property,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Its first violation: the place in the answer's list.
    pub violation: Option<usize>,
    /// Of the violation: whether its run is proven to be the simplest.
    pub minimal: Option<bool>,
    /// The bound that the verdict speaks of.
    pub bound: Bound,
    /// Whether everything within it was explored.
    pub complete: bool,
    /// Why the search ended.
    pub stop: StopReason,
    /// Figures of the search.
    pub stats: Stats,
    /// How the verdict was checked independently.
    pub evidence: Evidence,
    /// Of a formula that holds: conditions of its implications that are never true within the bound, so that it says less
    /// than it seems to.
    pub vacuous: Vec<String>,
}

impl PropertyAnswer {
    /// Of the only property of a search.
    pub(crate) fn of_search(property: Property, answer: &Answer) -> Self {
        PropertyAnswer {
            property,
            verdict: answer.verdict,
            violation: (!answer.violations.is_empty()).then_some(0),
            minimal: answer.minimal,
            bound: answer.bound,
            complete: answer.complete,
            stop: answer.stop,
            stats: answer.stats,
            evidence: answer.evidence.clone(),
            vacuous: Vec::new(),
        }
    }

    /// Of one of the properties of a search, whose violations are of these kinds. Where the search ended at a violation of
    /// another one, it is undecided.
    pub(crate) fn among_others(property: Property, answer: &Answer, is_mine: impl Fn(ViolationKind) -> bool) -> Self {
        let violation = answer.violations.iter().position(|violation| is_mine(violation.kind));
        let verdict = match (answer.verdict, violation) {
            (_, Some(_)) => Verdict::Violated,
            (Verdict::Violated, None) => Verdict::Inconclusive,
            (verdict, None) => verdict,
        };
        let minimal = answer.minimal.filter(|_| violation == Some(0));
        PropertyAnswer { verdict, violation, minimal, ..PropertyAnswer::of_search(property, answer) }
    }

    /// Of a property whose search has not begun.
    pub(crate) fn open(property: Property) -> Self {
        PropertyAnswer {
            property,
            verdict: Verdict::Inconclusive,
            violation: None,
            minimal: None,
            bound: Bound::UNBOUNDED,
            complete: false,
            stop: StopReason::Interrupted,
            stats: Stats::default(),
            evidence: Evidence::None { reason: "it was not searched".to_owned() },
            vacuous: Vec::new(),
        }
    }
}
