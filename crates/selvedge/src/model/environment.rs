//! What the environment asks for: the limits and bounds that [`Builder::new`](super::Builder::new) starts from, and
//! what [`check`](super::Builder::check) looks up when it runs. loom's variables count where ours are unset.
//! A variable that cannot be understood is an error that names it: a typing mistake must not pass for "no limit".

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use selvedge_stateless::{Mode, Recheck, SearchBound};

/// `SELVEDGE_PREEMPTIONS`, else `LOOM_MAX_PREEMPTIONS`.
pub(crate) fn preemptions() -> Option<usize> {
    number("SELVEDGE_PREEMPTIONS").or_else(|| number("LOOM_MAX_PREEMPTIONS"))
}

/// `SELVEDGE_STALE`: the most stale accesses of a run.
pub(crate) fn stale() -> Option<u32> {
    number("SELVEDGE_STALE").map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// `SELVEDGE_TIME_LIMIT` (`30s`, `5m`, `2h`, `250ms`; a bare number is seconds), else `LOOM_MAX_DURATION` in seconds.
pub(crate) fn time_limit() -> Option<Duration> {
    let ours = text("SELVEDGE_TIME_LIMIT").map(|value| {
        duration(&value).unwrap_or_else(|| wrong("SELVEDGE_TIME_LIMIT", &value, "a time such as 250ms, 30s, 5m or 2h"))
    });
    ours.or_else(|| number("LOOM_MAX_DURATION").map(|seconds| Duration::from_secs(seconds as u64)))
}

/// `SELVEDGE_MAX_EXECUTIONS`, else `LOOM_MAX_PERMUTATIONS`.
pub(crate) fn max_executions() -> Option<usize> {
    number("SELVEDGE_MAX_EXECUTIONS").or_else(|| number("LOOM_MAX_PERMUTATIONS"))
}

/// `SELVEDGE_MAX_BRANCHES`, else `LOOM_MAX_BRANCHES`: operations of one run.
pub(crate) fn max_branches() -> Option<usize> {
    number("SELVEDGE_MAX_BRANCHES").or_else(|| number("LOOM_MAX_BRANCHES"))
}

/// `SELVEDGE_RECHECK`: `none`, `quick` or `full`.
pub(crate) fn recheck() -> Option<Recheck> {
    text("SELVEDGE_RECHECK").map(|value| match value.trim() {
        "none" => Recheck::None,
        "quick" => Recheck::Quick,
        "full" => Recheck::Full,
        _ => wrong("SELVEDGE_RECHECK", &value, "none, quick or full"),
    })
}

/// `SELVEDGE_STRATEGY`: `exhaustive`, `random`, `walk` or `pct`; the latter three with `SELVEDGE_SEED` and
/// `SELVEDGE_MAX_EXECUTIONS` (10,000).
pub(crate) fn mode() -> Option<Mode> {
    let value = text("SELVEDGE_STRATEGY")?;
    let seed = number("SELVEDGE_SEED").unwrap_or(1) as u64;
    let executions = max_executions().unwrap_or(10_000) as u64;
    Some(match value.trim() {
        "exhaustive" => Mode::Exhaustive,
        "random" => Mode::Random { seed, executions },
        "walk" => Mode::UniformWalk { seed, executions },
        "pct" => Mode::Pct { seed, depth: 3, executions },
        _ => wrong("SELVEDGE_STRATEGY", &value, "exhaustive, random, walk or pct"),
    })
}

/// `SELVEDGE_JOBS`: OS threads for schedules that are chosen at random.
pub(crate) fn jobs() -> Option<usize> {
    let jobs = number("SELVEDGE_JOBS");
    if jobs == Some(0) {
        wrong("SELVEDGE_JOBS", "0", "at least 1");
    }
    jobs
}

/// `SELVEDGE_BOUND`: `deviations:2`, `preemptions:2`, `switches:4`, `fair:2`, `depth:100` or `none`.
pub(crate) fn bound() -> Option<SearchBound> {
    let value = text("SELVEDGE_BOUND")?;
    parse_bound(&value)
        .or_else(|| wrong("SELVEDGE_BOUND", &value, "deviations:N, preemptions:N, switches:N, fair:N, depth:N or none"))
}

fn parse_bound(text: &str) -> Option<SearchBound> {
    if text.trim() == "none" {
        return Some(SearchBound::Preemptions(None));
    }
    let (kind, value) = text.trim().split_once(':')?;
    let value: u32 = value.parse().ok()?;
    match kind {
        "deviations" => Some(SearchBound::Deviations(Some(value))),
        "preemptions" => Some(SearchBound::Preemptions(Some(value))),
        "switches" => Some(SearchBound::Switches(Some(value))),
        "fair" => Some(SearchBound::Fair(value)),
        "depth" => Some(SearchBound::Depth(value)),
        _ => None,
    }
}

/// `SELVEDGE_REPLAY`: run this one schedule and nothing else.
pub(crate) fn replay() -> Option<String> {
    text("SELVEDGE_REPLAY")
}

/// `SELVEDGE_TRACE_OUT`: where the failing run is written as a trace file; a directory gets one file for each test.
pub(crate) fn trace_out(name: &str) -> Option<PathBuf> {
    output("SELVEDGE_TRACE_OUT", name, "json")
}

/// `SELVEDGE_HTML`: where the failing run is written as a page for the browser; a directory gets one file for each test.
pub(crate) fn html_out(name: &str) -> Option<PathBuf> {
    output("SELVEDGE_HTML", name, "html")
}

/// A file, or one named by the test in a directory that exists or whose name ends with a slash.
fn output(variable: &str, name: &str, extension: &str) -> Option<PathBuf> {
    let value = text(variable)?;
    let path = PathBuf::from(&value);
    if path.is_dir() || value.ends_with(std::path::MAIN_SEPARATOR) {
        return Some(super::regressions::file(&path, name).with_extension(extension));
    }
    Some(path)
}

/// `SELVEDGE_REGRESSIONS`: another directory for failing schedules; `off` keeps none.
pub(crate) fn regressions() -> Option<String> {
    text("SELVEDGE_REGRESSIONS")
}

/// The package under test, as `cargo test` tells it; else the current directory.
pub(crate) fn package_directory() -> PathBuf {
    text("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default()
}

/// A variable that is set and not empty.
fn text(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

fn number(name: &str) -> Option<usize> {
    text(name).map(|value| value.trim().parse().unwrap_or_else(|_| wrong(name, &value, "a whole number")))
}

fn wrong(name: &str, value: &str, expected: &str) -> ! {
    panic!("selvedge: the environment variable {name} is `{value}`, but should be {expected}")
}

fn duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(digits);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_have_a_kind() {
        assert_eq!(parse_bound("preemptions:3"), Some(SearchBound::Preemptions(Some(3))));
        assert_eq!(parse_bound("deviations:3"), Some(SearchBound::Deviations(Some(3))));
        assert_eq!(parse_bound("switches:0"), Some(SearchBound::Switches(Some(0))));
        assert_eq!(parse_bound("fair:1"), Some(SearchBound::Fair(1)));
        assert_eq!(parse_bound(" depth:10 "), Some(SearchBound::Depth(10)));
        assert_eq!(parse_bound("none"), Some(SearchBound::Preemptions(None)));
        for wrong in ["", "3", "preemptions", "preemptions:", "steps:3", "depth:-1"] {
            assert_eq!(parse_bound(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("30s"), Some(Duration::from_secs(30)));
        assert_eq!(duration("30"), Some(Duration::from_secs(30)));
        assert_eq!(duration("5m"), Some(Duration::from_secs(300)));
        assert_eq!(duration("0.5h"), Some(Duration::from_secs(1800)));
        assert_eq!(duration("250ms"), Some(Duration::from_millis(250)));
        for wrong in ["", "s", "5 weeks", "-3s", "1..2s", "99999999999999999999h"] {
            assert_eq!(duration(wrong), None, "{wrong}");
        }
    }
}
