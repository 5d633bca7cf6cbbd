//! `selvedge sequentialize`: prints the sequential program of the reduction, as a Boolean program or as C.

use selvedge_boolprog_syntax::print;
use selvedge_symbolic::emit_c;
use selvedge_symbolic::sequentialize::sequentialize;

use crate::args::{Emit, SequentializeArgs};
use crate::console::{Console, complain};
use crate::exit::Exit;
use crate::load::Request;
use crate::recursive::{Model, Options, open, reads};

/// Runs the command.
pub fn run(args: &SequentializeArgs, console: &Console) -> Exit {
    let request = Request::new(&args.file, args.language, args.format);
    if !reads(&request) {
        complain(&format!(
            "`{}`: only Boolean programs (.bp) and pushdown systems (.pds) can be sequentialized",
            request.shown
        ));
        return Exit::Input;
    }
    let options = Options { run: args.run, reach: args.reach.clone(), ..Options::default() };
    let Some(opened) = open(&request, &options, console) else { return Exit::Input };
    if let Some(message) = super::cannot(&opened) {
        complain(&message);
        return Exit::Input;
    }
    let sequential = match &opened.model {
        Model::Bool(model) => sequentialize(&model.built.program, args.rounds as usize),
        Model::Dcps(_) | Model::Net(_) => return Exit::Defect,
        Model::Pds(machine) => {
            sequentialize(&selvedge_symbolic::from_pds::convert(machine.pds()).program, args.rounds as usize)
        }
    };
    let text = match args.emit {
        Emit::Bp => print::program(&sequential),
        Emit::C => emit_c::program(&sequential),
    };
    match &args.out {
        None => console.answer(&text),
        Some(path) => {
            if let Err(error) = std::fs::write(path, text) {
                complain(&format!("cannot write `{}`: {error}", path.display()));
                return Exit::Input;
            }
        }
    }
    Exit::NoViolation
}
