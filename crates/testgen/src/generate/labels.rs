//! Labels, and gotos to them.
//!
//! Statements are generated with gotos that lead nowhere; then labels are put in random places and the gotos are tied
//! to them. Nothing jumps into or out of a `d_step`, which Spin does not allow.

use crate::ast::*;
use crate::rng::Rng;

/// Labels some statements of a process and completes its gotos; the labels.
pub(crate) fn tie(body: &mut Body, rng: &mut Rng) -> Vec<String> {
    let mut labels = Vec::new();
    let mut outermost = true;
    each_body(body, &mut |body| label_some(body, rng, &mut labels, std::mem::take(&mut outermost)));
    let mut targets = labels.clone();
    if targets.is_empty() {
        targets.extend(label_first(body));
        labels.clone_from(&targets);
    }
    each_body(body, &mut |body| {
        for stmt in body.iter_mut() {
            let stmt = match stmt {
                Stmt::Labelled(_, inner) => &mut **inner,
                stmt => stmt,
            };
            if let Stmt::Goto(label) = stmt {
                match rng.pick(&targets) {
                    Some(target) => label.clone_from(target),
                    None => *stmt = Stmt::Word("skip"),
                }
            }
        }
    });
    labels
}

/// Spin wants no label on the first statement of a nested sequence.
fn label_some(body: &mut Body, rng: &mut Rng, labels: &mut Vec<String>, outermost: bool) {
    let mut first = !outermost;
    for stmt in body.iter_mut() {
        let unfit = first;
        first = first && matches!(stmt, Stmt::Declare(_));
        if !unfit && can_be_labelled(stmt) && rng.percent(12) {
            let kind = ["L", "L", "end", "end", "progress", "accept"][rng.below(6)];
            let label = format!("{kind}{}", labels.len());
            labels.push(label.clone());
            put_label(stmt, label);
        }
    }
}

/// A label for the first statement that can have one.
fn label_first(body: &mut Body) -> Option<String> {
    let stmt = body.iter_mut().find(|s| can_be_labelled(s))?;
    put_label(stmt, "L0".to_owned());
    Some("L0".to_owned())
}

fn can_be_labelled(stmt: &Stmt) -> bool {
    !matches!(stmt, Stmt::Declare(_) | Stmt::Word("else") | Stmt::Labelled(..) | Stmt::Goto(_))
}

fn put_label(stmt: &mut Stmt, label: String) {
    let inner = std::mem::replace(stmt, Stmt::Word("skip"));
    *stmt = Stmt::Labelled(label, Box::new(inner));
}

/// Calls `act` on every sequence outside of `d_step`, outermost first.
fn each_body(body: &mut Body, act: &mut impl FnMut(&mut Body)) {
    act(body);
    for stmt in body.iter_mut() {
        inside(stmt, act);
    }
}

fn inside(stmt: &mut Stmt, act: &mut impl FnMut(&mut Body)) {
    match stmt {
        Stmt::Labelled(_, stmt) => inside(stmt, act),
        Stmt::Choice(_, options) => options.iter_mut().for_each(|o| each_body(o, act)),
        Stmt::Block(Bracket::DStep, _) => {}
        Stmt::Block(_, body) | Stmt::For(_, _, _, body) | Stmt::ForIn(_, _, body) => {
            each_body(body, act);
        }
        Stmt::Unless(main, escape) => {
            each_body(main, act);
            each_body(escape, act);
        }
        _ => {}
    }
}
