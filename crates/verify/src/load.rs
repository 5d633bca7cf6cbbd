//! From a file or a text to a [`LoadedModel`]: which language it is, read, parse. What the names in it mean is decided
//! later, when it is known what is asked of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use selvedge_nets_syntax::net::{self, Target};
use selvedge_nets_syntax::tts::{self, Tts};
use selvedge_nets_syntax::{dcps, pds};
use selvedge_promela_syntax::Setup;
use selvedge_promela_syntax::parse::{parse_file_including, parse_text_with};
use selvedge_source::{Cancel, Diagnostics, SourceMap, read_text, similar_file};
use sha2::{Digest, Sha256};

use crate::includes::{Includes, without_foreign_text};
use crate::language::Language;
use crate::model::{LoadedModel, Syntax};
use crate::refusal::Refusal;
use crate::request::Dialect;
use crate::table;

/// How to load a model.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The language; by the file's ending if nothing is said.
    pub language: Option<Language>,
    /// How operators of a Boolean program bind; found out from the file if nothing is said.
    pub dialect: Option<Dialect>,
    /// What the model is called in messages and traces, if not by its path: a trace may be replayed whose model is
    /// elsewhere now.
    pub name: Option<String>,
    /// The model may include files from outside of its directory.
    pub include_anywhere: bool,
    /// Macros and directories for included files. Of these directories, files may be included.
    pub preprocessor: Setup,
    /// Directories for included files that somebody else names, in a trace: searched after the others, but a file outside of
    /// the model's directory is read only if the user permits it.
    pub foreign_directories: Vec<PathBuf>,
    /// When to give up, here and wherever the model is prepared.
    pub cancel: Cancel,
}

impl LoadOptions {
    /// What the preprocessor starts with.
    fn setup(&self) -> Setup {
        let mut setup = self.preprocessor.clone();
        let new = self.foreign_directories.iter().filter(|directory| !setup.directories.contains(directory));
        let new: Vec<PathBuf> = new.cloned().collect();
        setup.directories.extend(new);
        setup
    }
}

/// Loads the model in a file.
pub fn load_file(path: &Path, options: &LoadOptions) -> Result<LoadedModel, Refusal> {
    let name = options.name.clone().unwrap_or_else(|| path.display().to_string());
    let language = match options.language.or_else(|| Language::of_ending(path)) {
        Some(language) => language,
        None => return Err(unknown_language(path, &name)),
    };
    if let Some(message) = table::unfit_for_loading(options, language) {
        return Err(Refusal::request(message));
    }
    let mut loading = Loading::new(options);
    // A user who names a file by its path can read it.
    loading.named = options.name.is_none().then(|| path.to_path_buf());
    let syntax = match language {
        Language::Promela => loading.promela_file(path, &name, &Includes::of(path, options))?,
        _ => {
            let text = read(path)?;
            loading.text(language, &name, &text, Source::File(path))?
        }
    };
    loading.finish(name, language, syntax)
}

/// Loads a model from its text, which includes no other files.
pub fn load_text(name: &str, language: Language, text: &str) -> Result<LoadedModel, Refusal> {
    let mut loading = Loading::new(&LoadOptions::default());
    let syntax = loading.text(language, name, text, Source::Alone)?;
    loading.finish(name.to_owned(), language, syntax)
}

/// Loads a model from a text that is called `name` and includes files as one in the current directory would. It is
/// Promela if the options do not say otherwise.
pub fn load_input(name: &str, text: &str, options: &LoadOptions) -> Result<LoadedModel, Refusal> {
    let language = options.language.unwrap_or(Language::Promela);
    if let Some(message) = table::unfit_for_loading(options, language) {
        return Err(Refusal::request(message));
    }
    let mut loading = Loading::new(options);
    let includes = Includes::of(Path::new(name), options);
    let syntax = loading.text(language, name, text, Source::Input(&includes))?;
    loading.finish(name.to_owned(), language, syntax)
}

/// Where a text comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// A file, which has others beside it.
    File(&'a Path),
    /// A text that may include files.
    Input(&'a Includes),
    /// A text that has nothing but itself.
    Alone,
}

/// The property of a thread transition system, in `X.prop` or `X.tts.prop` in the same directory.
fn property_file(system: &Path) -> Option<PathBuf> {
    let mut longer = system.as_os_str().to_owned();
    longer.push(".prop");
    [system.with_extension("prop"), longer.into()].into_iter().find(|path| path.is_file())
}

/// The files that a model consists of, whether it can be parsed or not, and their SHA-256 as traces and certificates
/// have it. They are called as a model at `options.name` would call them; files that cannot be read are left out.
pub fn model_text(path: &Path, options: &LoadOptions) -> (SourceMap, String) {
    let mut loading = Loading::new(options);
    let name = options.name.clone().unwrap_or_else(|| path.display().to_string());
    if options.language == Some(Language::Promela) {
        let includes = Includes::of(path, options);
        // What cannot be read is not among the sources.
        let _ = loading.promela_file(path, &name, &includes);
    } else {
        let property = property_file(path).filter(|_| options.language == Some(Language::Tts));
        let property = property.map(|property| (property.display().to_string(), property));
        for (name, path) in std::iter::once((name, path.to_path_buf())).chain(property) {
            if let Ok(text) = read_text(&path) {
                loading.sources.add(name, text);
            }
        }
    }
    let hash = hash(&loading.sources);
    (loading.sources, hash)
}

/// Where an included file is now, given where the main file was and is.
fn relocated(include: &Path, was: &Path, is: &Path) -> PathBuf {
    let directory = |path: &Path| path.parent().map(Path::to_path_buf).unwrap_or_default();
    match include.strip_prefix(directory(was)) {
        Ok(rest) => directory(is).join(rest),
        Err(_) => include.to_path_buf(),
    }
}

/// SHA-256 of the texts one after the other; of a single file, what `sha256sum` prints.
fn hash(sources: &SourceMap) -> String {
    let mut hasher = Sha256::new();
    sources.files().for_each(|(_, file)| hasher.update(file.text.as_bytes()));
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unknown_language(path: &Path, name: &str) -> Refusal {
    if path.is_dir() {
        return Refusal::with_help(format!("`{name}` is a directory"), "name a model file");
    }
    if !path.exists() {
        let help = similar_file(path).map(|name| format!("did you mean `{name}`?"));
        return Refusal::Request { message: format!("there is no file `{name}`"), help };
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let why =
        if ending.is_empty() { "it has no extension".to_owned() } else { format!("its extension is `.{ending}`") };
    let message = format!("cannot determine the language of `{name}`: {why}");
    Refusal::with_help(message, "if it is Promela, use --language promela")
}

fn read(path: &Path) -> Result<String, Refusal> {
    read_text(path).map_err(|error| Refusal::Request {
        message: format!("cannot read `{}`: {error}", path.display()),
        help: similar_file(path).map(|name| format!("did you mean `{name}`?")),
    })
}

/// A model that is being loaded.
struct Loading {
    dialect: Option<Dialect>,
    setup: Setup,
    /// The file, if the user named it.
    named: Option<PathBuf>,
    /// Every file read so far.
    sources: SourceMap,
    /// What is wrong with them.
    found: Diagnostics,
}

impl Loading {
    fn new(options: &LoadOptions) -> Self {
        Loading {
            dialect: options.dialect,
            setup: options.setup(),
            named: None,
            sources: SourceMap::new(),
            found: Diagnostics::until(options.cancel.clone()),
        }
    }

    fn finish(self, path: String, language: Language, syntax: Option<Syntax>) -> Result<LoadedModel, Refusal> {
        let Loading { dialect, setup, named, sources, found } = self;
        if found.cancel().was_cancelled() {
            return Err(Refusal::Cancelled);
        }
        let diagnostics = without_foreign_text(found, &sources, named.as_deref());
        match syntax {
            Some(syntax) => {
                let sha256 = hash(&sources);
                Ok(LoadedModel { path, language, dialect, setup, sources, sha256, diagnostics, syntax })
            }
            None => Err(Refusal::Model { path, diagnostics, sources }),
        }
    }

    fn promela_file(&mut self, path: &Path, name: &str, includes: &Includes) -> Result<Option<Syntax>, Refusal> {
        let model = if Path::new(name) == path {
            let mut loader = |include: &Path| includes.read(include);
            parse_file_including(path, &self.setup, &mut loader, &mut self.sources, &mut self.found)
        } else {
            let text = read(path)?;
            let mut loader = |include: &Path| match includes.read(&relocated(include, Path::new(name), path)) {
                // In one of the directories for included files, which have not moved with the model.
                Err(error) if error.kind() == ErrorKind::NotFound => includes.read(include),
                result => result,
            };
            parse_text_with(name, &text, &self.setup, &mut loader, &mut self.sources, &mut self.found)
        };
        Ok(model.map(|model| Syntax::Promela(Box::new(model))))
    }

    fn text(
        &mut self,
        language: Language,
        name: &str,
        text: &str,
        source: Source<'_>,
    ) -> Result<Option<Syntax>, Refusal> {
        Ok(match language {
            Language::Promela => {
                let mut loader = |include: &Path| match source {
                    Source::Input(includes) => includes.read(include),
                    Source::File(_) | Source::Alone => Err(ErrorKind::NotFound.into()),
                };
                let (sources, found) = (&mut self.sources, &mut self.found);
                let model = parse_text_with(name, text, &self.setup, &mut loader, sources, found);
                model.map(|model| Syntax::Promela(Box::new(model)))
            }
            Language::Bp => {
                let file = self.sources.add(name, text);
                let program = selvedge_boolprog_syntax::parse::parse(file, text, self.dialect, &mut self.found);
                let program =
                    program.filter(|program| selvedge_boolprog_syntax::check::check(program, &mut self.found));
                program.map(|program| Syntax::Bool(Box::new(program)))
            }
            Language::Pds => {
                let file = self.sources.add(name, text);
                pds::parse(file, text, &mut self.found).map(|pds| Syntax::Pds(Box::new(pds)))
            }
            Language::Dcps => {
                let file = self.sources.add(name, text);
                dcps::parse(file, text, &mut self.found).map(|dcps| Syntax::Dcps(Box::new(dcps)))
            }
            Language::Spec => {
                let file = self.sources.add(name, text);
                let net = net::parse(file, text, &mut self.found);
                net.map(|net| Syntax::Net { net: Box::new(net), tts: None })
            }
            Language::Tts => {
                let path = if let Source::File(path) = source { Some(path) } else { None };
                self.transition_system(name, text, path)?
            }
        })
    }

    fn transition_system(&mut self, name: &str, text: &str, path: Option<&Path>) -> Result<Option<Syntax>, Refusal> {
        let file = self.sources.add(name, text);
        let Some(system) = tts::parse(file, text, &mut self.found) else { return Ok(None) };
        let targets = match path.and_then(property_file) {
            Some(path) => self.property(&path, &system)?,
            None => Some(Vec::new()),
        };
        Ok(targets.map(|targets| Syntax::Net { net: Box::new(system.to_net(targets)), tts: Some(Box::new(system)) }))
    }

    fn property(&mut self, path: &Path, system: &Tts) -> Result<Option<Vec<Target>>, Refusal> {
        let text = read(path)?;
        let file = self.sources.add(path.display().to_string(), text.clone());
        Ok(tts::parse_property(file, &text, system, &mut self.found))
    }
}
