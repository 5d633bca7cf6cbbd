//! Opening models that are not Promela: the file is read, parsed in its language and made executable; what is wrong with it
//! is shown.

use std::path::Path;

use selvedge_boolprog::machine::{BoolMachine, MachineOptions};
use selvedge_boolprog::{BuildOptions, LowerOptions, build};
use selvedge_nets::dcps::{DcpsMachine, DcpsOptions};
use selvedge_nets::net::{NetMachine, NetOptions};
use selvedge_nets::pds::{PdsMachine, PdsOptions};
use selvedge_nets_syntax::dcps;
use selvedge_nets_syntax::net::{self, Target};
use selvedge_nets_syntax::pds;
use selvedge_nets_syntax::tts::{self, Tts};
use selvedge_source::{Diagnostics, SourceMap, read_text, similar_file};

use super::{BoolModel, Model, NetModel, Opened, Options};
use crate::args::Language;
use crate::console::{Console, advise, complain};
use crate::load::{self, Request};

/// Opens a model and shows its diagnostics. `None` if it cannot be used: then everything was said.
pub fn open(request: &Request<'_>, options: &Options, console: &Console) -> Option<Opened> {
    let text = read(request.path)?;
    let language = load::language(request).unwrap_or(Language::Bp);
    if let Some(help) = options.reach.as_ref().and(instead_of_labels(language)) {
        complain(&format!("`{}`: --reach needs labels, and models in this language have none", request.shown));
        advise(help);
        return None;
    }
    let (sources, found) = (SourceMap::new(), Diagnostics::new());
    let mut opening = Opening { path: request.path, shown: &request.shown, text: &text, options, sources, found };
    let model = match language {
        Language::Pds => opening.pds(),
        Language::Dcps => opening.dcps(),
        Language::Spec => opening.spec(),
        Language::Tts => opening.tts(),
        Language::Bp | Language::Promela => opening.boolean_program(),
    };
    let Opening { sources, found, .. } = opening;
    load::show_diagnostics(&found, &sources, &request.shown, request.format, console);
    let sha256 = load::hash(&sources);
    Some(Opened { path: request.shown.clone(), sources, sha256, model: model? })
}

fn read(path: &Path) -> Option<String> {
    match read_text(path) {
        Ok(text) => Some(text),
        Err(error) => {
            complain(&format!("cannot read `{}`: {error}", path.display()));
            if let Some(name) = similar_file(path) {
                advise(&format!("did you mean `{name}`?"));
            }
            None
        }
    }
}

/// How files without labels say what is to be reached.
fn instead_of_labels(language: Language) -> Option<&'static str> {
    match language {
        Language::Bp | Language::Promela => None,
        Language::Pds | Language::Dcps => Some("write `target STATE` in the file"),
        Language::Spec => Some("write `target` and a marking in the file"),
        Language::Tts => Some("write the states to reach into a `.prop` file beside the `.tts` file"),
    }
}

/// A file that is being opened.
struct Opening<'a> {
    path: &'a Path,
    /// The path as shown to people.
    shown: &'a str,
    text: &'a str,
    options: &'a Options,
    /// Every file read so far.
    sources: SourceMap,
    /// What is wrong with them.
    found: Diagnostics,
}

impl Opening<'_> {
    fn boolean_program(&mut self) -> Option<Model> {
        let options = self.options;
        let lower = LowerOptions { assertions: !options.no_assert, reach: options.reach.clone() };
        let build_options = BuildOptions { dialect: options.run.dialect.map(Into::into), lower };
        let built = build(self.shown, self.text, &build_options, &mut self.sources, &mut self.found)?;
        let plain = MachineOptions::default();
        let stack_limit = options.run.stack_limit.unwrap_or(plain.stack_limit);
        let machine_options = MachineOptions { deadlock: options.deadlock, stack_limit };
        let machine = BoolMachine::new(built.program.clone(), &self.sources, machine_options);
        Some(Model::Bool(Box::new(BoolModel { built, machine })))
    }

    fn pds(&mut self) -> Option<Model> {
        let file = self.sources.add(self.shown, self.text);
        let pds = pds::parse(file, self.text, &mut self.found)?;
        let plain = PdsOptions::default();
        let stack_limit = self.options.run.stack_limit.unwrap_or(plain.stack_limit);
        let machine_options = PdsOptions { deadlock: self.options.deadlock, stack_limit };
        Some(Model::Pds(Box::new(PdsMachine::new(pds, &self.sources, machine_options))))
    }

    fn dcps(&mut self) -> Option<Model> {
        let file = self.sources.add(self.shown, self.text);
        let dcps = dcps::parse(file, self.text, &mut self.found)?;
        let (options, plain) = (self.options, DcpsOptions::default());
        let machine_options = DcpsOptions {
            deadlock: options.deadlock,
            fresh_switches: options.fresh_switches,
            stack_limit: options.run.stack_limit.unwrap_or(plain.stack_limit),
            thread_limit: options.run.nets.thread_limit.unwrap_or(plain.thread_limit),
            ..plain
        };
        Some(Model::Dcps(Box::new(DcpsMachine::new(dcps, &self.sources, machine_options))))
    }

    fn spec(&mut self) -> Option<Model> {
        let file = self.sources.add(self.shown, self.text);
        let net = net::parse(file, self.text, &mut self.found)?;
        let machine = NetMachine::new(net, &self.sources, self.net_options());
        Some(Model::Net(Box::new(NetModel { machine, tts: None })))
    }

    fn tts(&mut self) -> Option<Model> {
        let file = self.sources.add(self.shown, self.text);
        let tts = tts::parse(file, self.text, &mut self.found)?;
        let targets = match load::beside(self.path) {
            Some(path) => self.property(&path, &tts)?,
            None => Vec::new(),
        };
        let machine = NetMachine::new(tts.to_net(targets), &self.sources, self.net_options());
        Some(Model::Net(Box::new(NetModel { machine, tts: Some(tts) })))
    }

    fn net_options(&self) -> NetOptions {
        let token_limit = self.options.run.nets.token_limit.unwrap_or(selvedge_nets::net::TOKEN_LIMIT);
        NetOptions { token_limit, deadlock: self.options.deadlock }
    }

    fn property(&mut self, path: &Path, tts: &Tts) -> Option<Vec<Target>> {
        let text = read(path)?;
        let file = self.sources.add(path.display().to_string(), text.clone());
        tts::parse_property(file, &text, tts, &mut self.found)
    }
}
