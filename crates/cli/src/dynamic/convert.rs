//! `selvedge convert`: writes a network or a net in another format, by the reductions between them.

use std::collections::BTreeSet;
use std::path::Path;

use clap::ValueEnum;
use selvedge_core::{Budget, Interrupt, Limits};
use selvedge_dynamic::closure::{Reduction, Unfinished};
use selvedge_dynamic::network::{Question, encode, network_of_net};
use selvedge_nets_syntax::dcps::Dcps;
use selvedge_nets_syntax::{dcps, net, tts};

use crate::args::{ConvertArgs, Language};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::load::Request;
use crate::recursive::{Model, Opened, Options, open, reads};

/// Runs the command.
pub fn run(args: &ConvertArgs, console: &Console) -> Exit {
    let request = Request::new(&args.from, args.language, args.format);
    let wanted = args.emit.or_else(|| {
        let ending = args.to.extension().unwrap_or_default().to_string_lossy().into_owned();
        Language::from_str(&ending, false).ok()
    });
    let Some(wanted) = wanted else {
        complain(&format!("cannot tell the language of `{}`: say --emit dcps, spec or tts", args.to.display()));
        return Exit::Input;
    };
    if !reads(&request) {
        complain(&format!("`{}`: only .dcps, .spec and .tts can be converted", request.shown));
        return Exit::Input;
    }
    let Some(opened) = open(&request, &Options::default(), console) else { return Exit::Input };
    match converted(args, &opened, wanted) {
        Ok(files) => write(args, &files, console),
        Err(message) => {
            complain(&message);
            Exit::Input
        }
    }
}

/// The text of the file, and of the one beside it with its ending.
struct Files {
    text: String,
    beside: Option<(&'static str, String)>,
}

fn converted(args: &ConvertArgs, opened: &Opened, wanted: Language) -> Result<Files, String> {
    let alone = |text: String| Ok(Files { text, beside: None });
    match (&opened.model, wanted) {
        (Model::Dcps(machine), Language::Dcps | Language::Spec) if !machine.dcps().is_finite_state() => {
            alone(of_recursive(args, opened, machine.dcps(), wanted)?)
        }
        (Model::Dcps(machine), Language::Spec) => alone(of_network(args, machine.dcps(), machine.dcps())),
        _ if args.thread_switches.is_some() => {
            Err("--thread-switches is for the way from .dcps to .spec, and for recursive threads".to_owned())
        }
        (Model::Dcps(machine), Language::Dcps) => alone(dcps::print(machine.dcps())),
        (Model::Net(model), Language::Spec) => alone(net::print(model.machine.net())),
        (Model::Net(model), Language::Dcps) => match network_of_net(model.machine.net()) {
            Ok(network) => alone(dcps::print(&network)),
            Err(why) => Err(format!("`{}`: {}", opened.path, why.0)),
        },
        (Model::Net(model), Language::Tts) if model.tts.is_some() => {
            let Some(system) = &model.tts else { return Err(String::new()) };
            let property = tts::print_property(system, &model.machine.net().targets);
            Ok(Files { text: tts::print(system), beside: Some(("prop", property)) })
        }
        _ => Err(format!(
            "cannot convert .{} to .{}: there is .dcps to .spec, .spec to .dcps, .tts to .spec and .dcps, and each to itself",
            opened.language(),
            wanted.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
        )),
    }
}

/// The net of a finite-state network that stands for the one that was read.
fn of_network(args: &ConvertArgs, network: &Dcps, read: &Dcps) -> String {
    let (thread_switches, fresh_switches) = (args.thread_switches, args.fresh_switches);
    let mut net = encode(network, Question { thread_switches, fresh_switches }).net;
    keep_a_target(read, &mut net);
    net::print(&net)
}

/// A network with recursive threads: as it was read, or within a bound what its downward closures make of it.
fn of_recursive(args: &ConvertArgs, opened: &Opened, network: &Dcps, wanted: Language) -> Result<String, String> {
    let path = &opened.path;
    let Some(bound) = args.thread_switches else {
        return match wanted {
            Language::Dcps => Ok(dcps::print(network)),
            _ => Err(format!(
                "`{path}`: a network whose stacks grow is no net; with --thread-switches K, its runs within a bound are one"
            )),
        };
    };
    let budget = Budget::start(Limits::default(), Interrupt::default());
    let reduced = Reduction::build(network, bound, args.fresh_switches, &budget).map_err(|why| match why {
        Unfinished::Stopped(_) => format!("`{path}`: the conversion was interrupted"),
        Unfinished::Automaton(most) => {
            format!("`{path}`: the words of a thread need an automaton of more than {most} states")
        }
    })?;
    let reduced = printable(reduced.network);
    Ok(if wanted == Language::Dcps { dcps::print(&reduced) } else { of_network(args, &reduced, network) })
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
fn keep_a_target(network: &dcps::Dcps, net: &mut net::Net) {
    let Some((_, span)) = network.targets.first().filter(|_| net.targets.is_empty()) else { return };
    let place = net::PlaceId(net.places.len() as u32);
    let mut name = "unreached".to_owned();
    while net.places.contains(&name) {
        name.push('_');
    }
    net.places.push(name);
    net.initial.push(net::Tokens { least: 0, most: Some(0), span: None });
    net.targets.push(net::Target { need: vec![(place, 1)], span: *span });
}

fn write(args: &ConvertArgs, files: &Files, console: &Console) -> Exit {
    if args.to == Path::new("-") {
        console.answer(&files.text);
        return Exit::NoViolation;
    }
    let beside = files.beside.as_ref().map(|(ending, text)| (args.to.with_extension(ending), text));
    for (path, text) in std::iter::once((args.to.clone(), &files.text)).chain(beside) {
        if let Err(error) = std::fs::write(&path, text) {
            complain(&format!("cannot write `{}`: {error}", path.display()));
            return Exit::Input;
        }
    }
    Exit::NoViolation
}
