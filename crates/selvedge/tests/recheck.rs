//! Evidence for tests that pass: what the report and the line on the scope contain, and what a disagreement looks like.

use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64 as Plain, Ordering::Relaxed};

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::thread;
use selvedge::{Builder, Evidence, Recheck, Reduction, Stop};

/// Threads that add to one number `times` times, without exclusion.
fn additions(threads: usize, times: usize) -> impl Fn() + Send + Sync + 'static {
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let start = |_| {
            let x = x.clone();
            thread::spawn(move || (0..times).for_each(|_| x.store(x.load(SeqCst) + 1, SeqCst)))
        };
        let threads: Vec<_> = (0..threads).map(start).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

/// The default, whatever the environment.
fn quick() -> Builder {
    Builder::new().recheck(Recheck::Quick)
}

#[test]
fn the_line_of_a_pass_ends_with_its_evidence() {
    let line = |builder: Builder, threads| builder.explore(additions(threads, 1)).to_string();
    let small = line(quick(), 2);
    assert!(small.ends_with("; checked: all 10 schedules were run again without reduction"), "{small}");
    let large = line(quick(), 4);
    assert!(large.ends_with("; checked: 64 random schedules met no other class (seed 1)"), "{large}");
    let bpor = line(quick().reduction(Reduction::Bpor), 4);
    assert!(bpor.contains("; checked: ") && bpor.ends_with("random schedules met no violation (seed 1)"), "{bpor}");
    let single = quick().explore(|| {}).to_string();
    assert!(single.ends_with("; checked: the only schedule was run again"), "{single}");
    for unchecked in [
        Builder::new().recheck(Recheck::None),
        Builder::new().max_executions(2),
        Builder::new().random(1, 20),
        Builder::new().pct(1, 2, 20),
        Builder::new().replay("s1:"),
    ] {
        let report = unchecked.explore(additions(2, 1));
        assert!(report.evidence == Evidence::None && !report.to_string().contains("checked"), "{report}");
    }
}

#[test]
fn a_violation_was_replayed() {
    let report = Builder::new().explore(|| assert!(AtomicUsize::new(0).load(SeqCst) > 0));
    assert_eq!((report.violation.is_some(), report.evidence), (true, Evidence::Replayed));
}

#[test]
fn the_recheck_is_always_the_same_and_grows_with_the_search() {
    let evidence = || quick().preemptions(4).explore(additions(3, 2));
    let (one, other) = (evidence(), evidence());
    assert_eq!(one.evidence, other.evidence);
    let Evidence::Sampled { schedules, classes, seed: 1 } = one.evidence else { panic!("{one}") };
    assert!(schedules == one.executions / 16 && schedules > 64 && classes > 1, "{one}");
}

#[test]
fn a_full_recheck_takes_more_schedules() {
    let report = Builder::new().recheck(Recheck::Full).explore(additions(3, 1));
    assert!(matches!(report.evidence, Evidence::Reexplored { schedules: 36.., classes: 36 }), "{report}");
    assert_eq!(report.executions, 36);
}

#[test]
fn a_limit_of_time_does_not_change_the_verdict() {
    let limit = std::time::Duration::from_secs(1);
    let report = Builder::new().recheck(Recheck::Full).preemptions(3).time_limit(limit).explore(additions(4, 1));
    assert!(report.complete && report.violation.is_none(), "{report}");
    assert!(matches!(report.evidence, Evidence::Sampled { .. } | Evidence::Reexplored { .. }), "{report}");
}

/// Executions of the closure below.
static RUNS: Plain = Plain::new(0);

/// The first schedule of the recheck, which is its seventh execution, and the same schedule twice more do something else, as if
/// the search had missed a class. A program that did so from then on would be reported as one that depends on more than the
/// schedule.
fn is_another_program_for_a_while() {
    let times = if (6..9).contains(&RUNS.fetch_add(1, Relaxed)) { 2 } else { 1 };
    additions(2, times)();
}

#[test]
fn a_disagreement_fails_the_test_and_is_data() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recheck/kept.txt");
    let mut builder = quick();
    builder.checkpoint_file = Some(file.clone());
    let failed = catch_unwind(move || builder.check(is_another_program_for_a_while))
        .expect_err("the recheck runs another program");
    let text = failed.downcast::<String>().expect("a text");
    assert!(text.starts_with("internal error: the search and its recheck disagree\n  search:   4 classes"), "{text}");
    assert!(text.contains("replay: SELVEDGE_REPLAY=s1:") && text.contains("  recheck:  a schedule of cost"), "{text}");
    assert!(!file.exists(), "it is no failure of the test");

    RUNS.store(2, Relaxed);
    let report = quick().explore(is_another_program_for_a_while);
    let Stop::Disagreement(disagreement) = &report.stop else { panic!("{report}") };
    assert!(disagreement.schedule.is_some() && !report.complete && report.evidence == Evidence::None);
    assert!(report.to_string().starts_with("internal error: "), "{report}");
}

const CHILD: &str = "SELVEDGE_TEST_RECHECKS";

#[test]
fn the_environment_chooses_the_recheck() {
    if std::env::var_os(CHILD).is_some() {
        Builder::new().keep_failures(false).check(additions(2, 1));
        return;
    }
    let run = |value: &str| {
        let program = std::env::current_exe().expect("this test");
        let mut command = Command::new(program);
        command.args(["the_environment_chooses_the_recheck", "--exact", "--nocapture"]);
        let output = command.env(CHILD, "1").env("SELVEDGE_RECHECK", value).output().expect("it runs");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let [none, quick, other] = ["none", "quick", "fast"].map(run);
    assert!(none.contains("no violation") && !none.contains("checked:"), "{none}");
    assert!(quick.contains("checked: all 10 schedules"), "{quick}");
    assert!(other.contains("SELVEDGE_RECHECK is `fast`, but should be none, quick or full"), "{other}");
}
