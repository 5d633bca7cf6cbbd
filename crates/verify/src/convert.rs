//! A network or a net in another format, by the reductions between them.

use std::collections::BTreeSet;

use selvedge_core::{Budget, Interrupt, Limits};
use selvedge_dynamic::closure::{NotReduced, Reduction};
use selvedge_dynamic::network::{Question, encode, network_of_net};
use selvedge_nets_syntax::dcps::Dcps;
use selvedge_nets_syntax::net::{Net, PlaceId, Target, Tokens};
use selvedge_nets_syntax::{dcps, net, tts};

use crate::choice::Choice;
use crate::language::Language;
use crate::model::{LoadedModel, Syntax};
use crate::refusal::Refusal;

/// How to convert.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConvertOptions {
    /// Only runs in which each thread is activated with a switch number of at most this.
    pub thread_switches: Option<u32>,
    /// A new thread has the switch number 0.
    pub fresh_switches: bool,
}

/// A model in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertedModel {
    /// The text of the file.
    pub text: String,
    /// The extension and the text of the property file that belongs to it, if there is one.
    pub property_file: Option<(&'static str, String)>,
}

/// Converts a model.
pub fn convert(model: &LoadedModel, wanted: Language, options: ConvertOptions) -> Result<ConvertedModel, Refusal> {
    let alone = |text: String| Ok(ConvertedModel { text, property_file: None });
    let path = &model.path;
    match (&model.syntax, wanted) {
        (Syntax::Promela(_), _) => {
            Err(Refusal::request(format!("`{path}`: only .dcps, .spec and .tts can be converted")))
        }
        (Syntax::Dcps(network), Language::Dcps | Language::Spec) if !network.is_finite_state() => {
            alone(of_recursive(options, path, network, wanted).map_err(Refusal::request)?)
        }
        (Syntax::Dcps(network), Language::Spec) => alone(of_network(options, network, network)),
        _ if options.thread_switches.is_some() => {
            Err(Refusal::request("--thread-switches is only for .dcps to .spec, and for recursive threads"))
        }
        (Syntax::Dcps(network), Language::Dcps) => alone(dcps::print(network)),
        (Syntax::Net { net, .. }, Language::Spec) => alone(net::print(net)),
        (Syntax::Net { net, .. }, Language::Dcps) => match network_of_net(net) {
            Ok(network) => alone(dcps::print(&network)),
            Err(why) => Err(Refusal::request(format!("`{path}`: {}", why.0))),
        },
        (Syntax::Net { net, tts: Some(system) }, Language::Tts) => {
            let property = tts::print_property(system, &net.targets);
            Ok(ConvertedModel { text: tts::print(system), property_file: Some(("prop", property)) })
        }
        _ => Err(Refusal::request(format!(
            "cannot convert .{} to .{}: there is .dcps to .spec, .spec to .dcps, .tts to .spec and .dcps, and each to \
             itself",
            model.language.name(),
            wanted.name()
        ))),
    }
}

/// The net of a network, which is made finite-state first if it is recursive.
fn of_network(options: ConvertOptions, network: &Dcps, read: &Dcps) -> String {
    let ConvertOptions { thread_switches, fresh_switches } = options;
    let mut net = encode(network, Question { thread_switches, fresh_switches }).net;
    keep_a_target(read, &mut net);
    net::print(&net)
}

/// A network with recursive threads: as it was read, or within a bound what its downward closures make of it.
fn of_recursive(options: ConvertOptions, path: &str, network: &Dcps, wanted: Language) -> Result<String, String> {
    let Some(bound) = options.thread_switches else {
        return match wanted {
            Language::Dcps => Ok(dcps::print(network)),
            _ => Err(format!(
                "`{path}`: a recursive network cannot be converted to a net; use --thread-switches K to convert its runs within a bound"
            )),
        };
    };
    let budget = Budget::start(Limits::default(), Interrupt::default());
    let reduced = Reduction::build(network, bound, options.fresh_switches, &budget).map_err(|why| match why {
        NotReduced::Stopped(_) => format!("`{path}`: the conversion was interrupted"),
        NotReduced::Automaton(most) => {
            format!("`{path}`: the automaton of a thread's behaviour has more than {most} states")
        }
    })?;
    let reduced = printable(reduced.network);
    Ok(if wanted == Language::Dcps { dcps::print(&reduced) } else { of_network(options, &reduced, network) })
}

/// A network with names that a file can have, each once.
fn printable(mut network: Dcps) -> Dcps {
    for names in [&mut network.states, &mut network.symbols] {
        let mut known = BTreeSet::new();
        for name in names {
            *name = name.replace('#', "running");
            while !known.insert(name.clone()) {
                name.push('\'');
            }
        }
    }
    network
}

/// The net of a network has the places that steps may lead to. If none of them belongs to a target, one that is never
/// marked keeps the question.
fn keep_a_target(network: &Dcps, net: &mut Net) {
    let Some((_, span)) = network.targets.first().filter(|_| net.targets.is_empty()) else { return };
    let place = PlaceId(net.places.len() as u32);
    let mut name = "unreached".to_owned();
    while net.places.contains(&name) {
        name.push('_');
    }
    net.places.push(name);
    net.initial.push(Tokens { least: 0, most: Some(0), span: None });
    net.targets.push(Target { need: vec![(place, 1)], span: *span });
}
