//! Scripts that run the searches of a swarm elsewhere. A script is POSIX shell; called with a number it runs that search,
//! so that GNU parallel and Slurm's array jobs have something to call. In the end the results are merged.

use std::path::Path;
use std::time::Duration;

use selvedge_verify::Refusal;

use super::plan::Swarm;
use crate::args::swarm::{Emit, LocalArgs};
use crate::console::Console;
use crate::exit::Exit;
use crate::output_file;
use crate::shell::{joined, quote};

/// Writes the script.
pub fn run(kind: Emit, swarm: &Swarm, args: &LocalArgs, console: &mut Console) -> Result<Exit, Refusal> {
    let text = script(kind, swarm, args.max_bound);
    let Some(path) = &args.script else {
        console.document(&text);
        return Ok(Exit::NoViolation);
    };
    output_file::write(path, text)
        .map_err(|error| Refusal::request(format!("cannot write the script to `{}`: {error}", path.display())))?;
    if !console.quiet {
        console.answer(&format!(
            "{} searches; to run them: sh {}\n",
            swarm.searches.len(),
            quote(&path.display().to_string())
        ));
    }
    Ok(Exit::NoViolation)
}

/// Memory of a job in addition to that of the search itself.
const OVERHEAD_BYTES: u64 = 256 << 20;

/// The script.
pub fn script(kind: Emit, swarm: &Swarm, max_bound: Option<u32>) -> String {
    let directives = if kind == Emit::Slurm { directives(swarm) } else { String::new() };
    format!("#!/bin/sh\n{directives}{}{}{}", head(kind, swarm), search(swarm, max_bound), ending(kind, swarm))
}

fn head(kind: Emit, swarm: &Swarm) -> String {
    let how = match kind {
        Emit::Shell => "runs them in parallel batches",
        Emit::Parallel => "lets GNU parallel run them; the first violation ends it",
        Emit::Slurm => "submits them to Slurm as an array job, and a second job that merges the results",
    };
    let stem = Path::new(&swarm.file).file_stem().unwrap_or_default().to_string_lossy();
    format!(
        "\
# A swarm of {} searches. `sh SCRIPT` {how};
# `sh SCRIPT NUMBER` runs one of them. Run it in the directory it was written for: file names are relative to it.
# SELVEDGE is the program, SWARM_OUT the directory for the results.
SELVEDGE=${{SELVEDGE:-selvedge}}
SWARM_OUT=${{SWARM_OUT:-{}}}
export SELVEDGE SWARM_OUT

",
        swarm.searches.len(),
        quote(&format!("{stem}.swarm"))
    )
}

/// The function that runs one search: 1 if it found a violation.
fn search(swarm: &Swarm, max_bound: Option<u32>) -> String {
    let common: Vec<String> = std::iter::once(swarm.file.clone()).chain(swarm.common.iter().cloned()).collect();
    let memory = swarm.memory.map(|bytes| format!(" --memory-limit {bytes}")).unwrap_or_default();
    let time = slice(swarm).map(|time| format!(" --time-limit {}ms", time.as_millis().max(1))).unwrap_or_default();
    let asked = max_bound.map(|bound| format!(" --max-bound {bound}")).unwrap_or_default();
    let mut out = String::from("search() {\n    number=$1\n    case $number in\n");
    for (index, search) in swarm.searches.iter().enumerate() {
        out.push_str(&format!("    {}) set -- {} ;;\n", index + 1, joined(&search.0)));
    }
    out.push_str(&format!(
        "    *) echo \"there is no search $number\" >&2; return 2 ;;
    esac
    \"$SELVEDGE\" check {} \"$@\"{memory}{time} --no-config --json --quiet \\
        --trace-out \"$SWARM_OUT/trace-$number.json\" >\"$SWARM_OUT/search-$number.json\"
    code=$?
    case $code in
    0 | 3 | 4) return 0 ;;
    1) : >\"$SWARM_OUT/violated\"; return 1 ;;
    *) echo \"search $number failed with exit code $code\" >&2; return 0 ;;
    esac
}}

merge() {{
    \"$SELVEDGE\" swarm merge{asked} \"$SWARM_OUT\"/search-*.json
}}

begin() {{
    mkdir -p \"$SWARM_OUT\" || exit 2
    rm -f \"$SWARM_OUT\"/search-*.json \"$SWARM_OUT\"/trace-*.json \"$SWARM_OUT/violated\"
}}

",
        joined(&common)
    ));
    out
}

/// The time of one search, such that all together take no longer than they may.
fn slice(swarm: &Swarm) -> Option<Duration> {
    let waves = swarm.searches.len().div_ceil(swarm.workers.max(1)).max(1);
    Some(swarm.time? / u32::try_from(waves).unwrap_or(u32::MAX))
}

fn ending(kind: Emit, swarm: &Swarm) -> String {
    let (jobs, workers) = (swarm.searches.len(), swarm.workers);
    let numbers = (1..=jobs).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let one = "if [ $# -gt 0 ]; then\n    mkdir -p \"$SWARM_OUT\" || exit 2\n    search \"$1\"\n    exit\nfi\n";
    match kind {
        Emit::Shell => format!(
            "\
{one}begin
running=0
for number in {numbers}; do
    [ -e \"$SWARM_OUT/violated\" ] && break
    search \"$number\" &
    running=$((running + 1))
    if [ $running -eq {workers} ]; then
        wait
        running=0
    fi
done
wait
merge
"
        ),
        Emit::Parallel => format!(
            "\
{one}begin
parallel --jobs {workers} --halt now,fail=1 --quote sh \"$0\" {{}} ::: {numbers}
merge
"
        ),
        Emit::Slurm => format!(
            "\
if [ \"$1\" = merge ]; then
    merge
    exit
elif [ \"$SLURM_ARRAY_TASK_ID\" ]; then
    set -- \"$SLURM_ARRAY_TASK_ID\"
fi
{one}begin
job=$(sbatch --parsable \"$0\") || exit 2
sbatch --dependency=\"afterany:${{job%%;*}}\" --array=1 --output=\"$SWARM_OUT/answer.txt\" \"$0\" merge
echo \"the answer will be in $SWARM_OUT/answer.txt\"
"
        ),
    }
}

fn directives(swarm: &Swarm) -> String {
    let mut out = format!(
        "#SBATCH --job-name=selvedge-swarm\n#SBATCH --array=1-{}%{}\n#SBATCH --cpus-per-task=1\n\
         #SBATCH --output=%x-%A_%a.log\n",
        swarm.searches.len(),
        swarm.workers
    );
    if let Some(bytes) = swarm.memory {
        out.push_str(&format!("#SBATCH --mem={}M\n", bytes.saturating_add(OVERHEAD_BYTES).div_ceil(1 << 20)));
    }
    if let Some(time) = slice(swarm) {
        // Slurm counts minutes; one more, so that the search ends by itself.
        out.push_str(&format!("#SBATCH --time={}\n", time.as_secs() / 60 + 2));
    }
    out
}
