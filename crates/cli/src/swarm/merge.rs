//! `selvedge swarm merge`: puts together results of searches that ran elsewhere.

use std::fs;
use std::path::Path;

use super::args::MergeArgs;
use super::read_trace;
use super::result::Found;
use super::tell::{Member, Told, with_trace};
use crate::console::{Console, advise, complain};
use crate::exit::Exit;

/// Runs the command.
pub fn run(args: &MergeArgs, console: &Console) -> Exit {
    let members = match read_all(args, console) {
        Ok(members) => members,
        Err((message, help)) => {
            complain(&message);
            help.iter().for_each(|help| advise(help));
            return Exit::Input;
        }
    };
    let told = Told::new(members, args.max_bound, false);
    let saved = told.decider().and_then(|member| {
        let trace = member.found.as_ref()?.violation.as_ref()?.trace.clone()?;
        let beside = Path::new(&member.label).with_file_name(Path::new(&trace).file_name()?);
        [trace, beside.display().to_string()].into_iter().find(|path| read_trace(Some(path)).is_some())
    });
    let trace = read_trace(saved.as_deref());
    if told.violation().is_some() && trace.is_none() {
        console.warn("the run that leads to the violation was not saved, or is neither here nor beside its result");
    }
    let next = saved.map(|path| with_trace(&path)).unwrap_or_default();
    told.tell(trace.as_ref(), next, console)
}

type Refused = (String, Option<String>);

fn read_all(args: &MergeArgs, console: &Console) -> Result<Vec<Member>, Refused> {
    let members = args.results.iter().map(|path| read(path, console)).collect::<Result<Vec<Member>, Refused>>()?;
    let found = || members.iter().filter_map(|member| Some((&member.label, member.found.as_ref()?)));
    let Some((first, one)) = found().next() else {
        return Err(("none of the files has a result in it: every search ended before its answer".to_owned(), None));
    };
    match found().find_map(|(label, other)| Some((label, one.differs_from(other)?))) {
        Some((other, why)) => Err((
            format!("`{first}` and `{other}` cannot be put together: {why}"),
            Some("merge the results of one model and one set of property options at a time".to_owned()),
        )),
        None => Ok(members),
    }
}

fn read(path: &Path, console: &Console) -> Result<Member, Refused> {
    let label = path.display().to_string();
    let refused = |why: String| (format!("cannot use the result `{label}`: {why}"), None);
    let text = fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    if text.trim().is_empty() {
        console.warn(&format!("`{label}` is empty: that search ended before its answer"));
        return Ok(Member { note: "left no result".to_owned(), ..Member::not_run(label) });
    }
    let found = Found::read(&text).map_err(refused)?;
    Ok(Member { found: Some(found), ..Member::not_run(label) })
}
