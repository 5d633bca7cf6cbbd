//! `selvedge swarm merge`: puts together results of searches that ran elsewhere.

use std::path::Path;

use crate::args::swarm::MergeArgs;
use selvedge_source::{Size, read_utf8};
use selvedge_verify::Refusal;

use super::read_trace;
use super::render::{Member, SwarmAnswer, with_trace};
use super::result::Found;
use crate::console::Console;
use crate::exit::Exit;

/// Runs the command.
pub fn run(args: &MergeArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let members = read_all(args, console)?;
    let answer = SwarmAnswer::new(members, args.max_bound, false);
    let saved = answer.decider().and_then(|member| {
        let trace = member.found.as_ref()?.violation.as_ref()?.trace.clone()?;
        let next_to_result = Path::new(&member.label).with_file_name(Path::new(&trace).file_name()?);
        [trace, next_to_result.display().to_string()].into_iter().find(|path| read_trace(Some(path)).is_some())
    });
    let trace = read_trace(saved.as_deref());
    if answer.violation().is_some() && trace.is_none() {
        console.warn("the trace of the violation was not saved, or is neither here nor next to its result");
    }
    let next = saved.map(|path| with_trace(&path)).unwrap_or_default();
    Ok(answer.print(trace.as_ref(), next, console))
}

fn read_all(args: &MergeArgs, console: &mut Console) -> Result<Vec<Member>, Refusal> {
    let members = args.results.iter().map(|path| read(path, console)).collect::<Result<Vec<Member>, Refusal>>()?;
    let found = || members.iter().filter_map(|member| Some((&member.label, member.found.as_ref()?)));
    let Some((first, one)) = found().next() else {
        return Err(Refusal::request("none of the files contains a result: every search ended without an answer"));
    };
    match found().find_map(|(label, other)| Some((label, one.differs_from(other)?))) {
        Some((other, why)) => Err(Refusal::with_help(
            format!("`{first}` and `{other}` cannot be merged: {why}"),
            "merge the results of one model and one set of property options at a time",
        )),
        None => Ok(members),
    }
}

fn read(path: &Path, console: &mut Console) -> Result<Member, Refusal> {
    let label = path.display().to_string();
    let refused = |why: String| Refusal::request(format!("cannot read the result `{label}`: {why}"));
    let text = read_utf8(path, Size::Document).map_err(|error| refused(error.to_string()))?;
    if text.trim().is_empty() {
        console.warn(&format!("`{label}` is empty: that search ended without an answer"));
        return Ok(Member { note: "left no result".to_owned(), ..Member::not_run(label) });
    }
    let found = Found::read(&text).map_err(refused)?;
    Ok(Member { found: Some(found), ..Member::not_run(label) })
}
