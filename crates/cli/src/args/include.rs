//! The options of every command that reads a model with its includes.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use selvedge_verify::{Definition, LoadOptions, Setup};

/// Where included files may be.
#[derive(Clone, Debug, Default, Args)]
pub struct IncludeArgs {
    /// Search DIR for files that `#include` names, after the directory of the including file; a model may include files
    /// of its own directory and of these (may be repeated)
    #[arg(id = "include_dir", long = "include-dir", short = 'I', value_name = "DIR", help_heading = "Input")]
    pub directories: Vec<PathBuf>,
    /// Allow `#include` to read files outside of the model's directory
    #[arg(id = "allow_include_anywhere", long = "allow-include-anywhere", help_heading = "Input")]
    pub anywhere: bool,
}

impl IncludeArgs {
    /// Options for loading a model with these.
    pub fn load_options(&self, definitions: &DefinitionArgs) -> LoadOptions {
        let preprocessor = Setup { definitions: definitions.0.clone(), directories: self.directories.clone() };
        LoadOptions { include_anywhere: self.anywhere, preprocessor, ..LoadOptions::default() }
    }
}

/// Macros that are defined and undefined before the model is read, in the order in which they are typed.
#[derive(Clone, Debug, Default)]
pub struct DefinitionArgs(pub Vec<Definition>);

const DEFINE: &str = "define";
const UNDEFINE: &str = "undefine";

// By hand: the order of two different options is needed, which derived code does not keep.
impl Args for DefinitionArgs {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str, short: char| {
            Arg::new(name).long(name).short(short).action(ArgAction::Append).help_heading("Input")
        };
        command
            .arg(option(DEFINE, 'D').value_name("NAME[=VALUE]").help(
                "Define a macro of a Promela model before it is read, as `spin -D` does; without a value it stands for 1 \
                 (may be repeated)",
            ))
            .arg(
                option(UNDEFINE, 'U')
                    .value_name("NAME")
                    .help("Remove the macro that an earlier -D defines, as `spin -U` does (may be repeated)"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DefinitionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let of = |name: &str, make: fn(String) -> Definition| {
            let values = matches.get_many::<String>(name).into_iter().flatten().cloned().map(make);
            matches.indices_of(name).into_iter().flatten().zip(values).collect::<Vec<_>>()
        };
        let mut all = of(DEFINE, Definition::Define);
        all.extend(of(UNDEFINE, Definition::Undefine));
        all.sort_by_key(|(position, _)| *position);
        Ok(DefinitionArgs(all.into_iter().map(|(_, definition)| definition).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
