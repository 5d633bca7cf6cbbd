//! A net as the text of a `.spec` file.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::model::{Net, PlaceId, Transition};

/// The text; parsing it gives the same net.
pub fn print(net: &Net) -> String {
    let mut out = format!("vars\n    {}\n\nrules\n", net.places.join(" "));
    for transition in &net.transitions {
        let _ = writeln!(out, "    {}", print_transition(net, transition));
    }
    out.push_str("\ninit\n");
    let mut lines = Vec::new();
    for (name, tokens) in net.places.iter().zip(&net.initial) {
        lines.push(match tokens.most {
            None => format!("{name} >= {}", tokens.least),
            Some(most) if most == tokens.least => format!("{name} = {most}"),
            Some(most) => format!("{name} in [{}, {most}]", tokens.least),
        });
    }
    let _ = writeln!(out, "    {}\n\ntarget", lines.join(", "));
    for target in &net.targets {
        let need = if target.need.is_empty() {
            // A marking that everything covers.
            net.places.first().map(|name| format!("{name} >= 0")).unwrap_or_default()
        } else {
            net.shown(&target.need)
        };
        let _ = writeln!(out, "    {need}");
    }
    out
}

/// A transition as a rule of the file.
pub fn print_transition(net: &Net, transition: &Transition) -> String {
    let guard = if transition.take.is_empty() { "true".to_owned() } else { net.shown(&transition.take) };
    // Where the tokens of each place come from, and what is added.
    let mut sums: BTreeMap<PlaceId, (Vec<PlaceId>, i64)> = BTreeMap::new();
    let touched = transition.take.iter().chain(&transition.give).map(|(place, _)| *place);
    let moved = transition.moves.iter().flat_map(|(from, to)| std::iter::once(*from).chain(*to));
    for place in touched.chain(moved) {
        let stays = !transition.moves.iter().any(|(from, _)| *from == place);
        sums.entry(place).or_insert_with(|| (if stays { vec![place] } else { Vec::new() }, 0));
    }
    let mut add = |place: PlaceId, count: i64| sums.entry(place).or_default().1 += count;
    for (place, count) in &transition.take {
        // Tokens that are taken count where the others of the place go.
        match transition.moves.iter().find(|(from, _)| from == place) {
            None => add(*place, -i64::from(*count)),
            Some((_, Some(to))) => add(*to, -i64::from(*count)),
            Some((_, None)) => {}
        }
    }
    transition.give.iter().for_each(|(place, count)| add(*place, i64::from(*count)));
    for (from, to) in &transition.moves {
        if let Some(to) = to {
            sums.entry(*to).or_default().0.push(*from);
        }
    }
    let mut updates = Vec::new();
    for (place, (terms, constant)) in sums {
        if terms == [place] && constant == 0 {
            continue;
        }
        let mut sum: Vec<String> = terms.iter().map(|term| format!("+ {}", net.place_name(*term))).collect();
        if constant != 0 || terms.is_empty() {
            sum.push(if constant < 0 { format!("- {}", -constant) } else { format!("+ {constant}") });
        }
        let sum = sum.join(" ");
        updates.push(format!("{}' = {}", net.place_name(place), sum.strip_prefix("+ ").unwrap_or(&sum)));
    }
    format!("{guard} -> {};", updates.join(", "))
}
