//! The examples: the right versions hold, the wrong ones are caught for the reason they name.
//! `UPDATE=1 cargo test -p selvedge --test examples` writes the report that the book shows.

#[path = "../examples/arc.rs"]
mod arc;
#[path = "../examples/chase_lev_deque.rs"]
mod chase_lev_deque;
#[path = "../examples/mpmc_queue.rs"]
mod mpmc_queue;
#[path = "../examples/oneshot_signal.rs"]
mod oneshot_signal;
#[path = "../examples/seqlock.rs"]
mod seqlock;
#[path = "../examples/thread_pool.rs"]
mod thread_pool;
#[path = "../examples/treiber_stack.rs"]
mod treiber_stack;

use selvedge::{Report, ViolationKind};

fn check(right: Report, wrong: Report, kind: ViolationKind, message: &str) {
    assert!(right.violation.is_none() && right.complete && right.executions > 1, "{right}");
    let found = wrong.violation.expect("the wrong version has a violation");
    assert_eq!(found.kind, kind, "{}", found.text);
    assert!(found.text.contains(message), "{}", found.text);
    assert!(found.text.lines().count() <= 60, "{}", found.text);
    // A command is to be copied, and the message of a panic is the test's own.
    let own = |line: &str| line.starts_with("replay: ") || line.starts_with("selvedge: panic: ");
    let wide = |line: &&str| line.chars().count() > 80 && !own(line);
    assert_eq!(found.text.lines().find(wide), None, "{}", found.text);
}

#[test]
fn treiber_stack_reuses_a_node() {
    check(treiber_stack::right(), treiber_stack::wrong(), ViolationKind::Panic, "was handed out twice");
}

#[test]
fn chase_lev_deque_gives_an_item_twice() {
    check(chase_lev_deque::right(), chase_lev_deque::wrong(), ViolationKind::Panic, "every item is taken once");
}

#[test]
fn seqlock_reads_halves() {
    check(seqlock::right(), seqlock::wrong(), ViolationKind::Panic, "a torn read");
}

#[test]
fn mpmc_queue_reads_while_writing() {
    check(mpmc_queue::right(), mpmc_queue::wrong(), ViolationKind::DataRace, "mpmc_queue.rs");
}

#[test]
fn thread_pool_sleeps_for_ever() {
    check(thread_pool::right(), thread_pool::wrong(), ViolationKind::Deadlock, "notification");
}

#[test]
fn arc_frees_nothing() {
    check(arc::right(), arc::wrong(), ViolationKind::Leak, "arc.rs");
}

#[test]
fn oneshot_signal_is_freed_under_the_sender() {
    check(oneshot_signal::right(), oneshot_signal::wrong(), ViolationKind::DataRace, "use of a freed");
    // The book shows it; what cargo test is called with does not belong to the run.
    let text = oneshot_signal::wrong()
        .violation
        .expect("as above")
        .text
        .replace("crates/selvedge/", "")
        .replace("tests/../", "");
    let run: Vec<&str> = text.lines().take_while(|line| !line.starts_with("replay: ")).map(str::trim_end).collect();
    let (run, golden) = (run.join("\n") + "\n", concat!(env!("CARGO_MANIFEST_DIR"), "/docs/oneshot-report.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(golden, &run).unwrap();
    }
    assert_eq!(std::fs::read_to_string(golden).unwrap(), run);
}

/// As the book says: the example's `main`, called with `SELVEDGE_HTML`, which a process of its own has.
#[test]
fn oneshot_signal_writes_its_view() {
    const CHILD: &str = "SELVEDGE_TEST_VIEW";
    if std::env::var_os(CHILD).is_some() {
        return oneshot_signal::main();
    }
    let page = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("oneshot.html");
    let _ = std::fs::remove_file(&page);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["oneshot_signal_writes_its_view", "--exact"])
        .envs([(CHILD, "1"), ("SELVEDGE_HTML", page.to_str().unwrap())])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && text.contains("use of a freed atomic"), "{text}");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("state.swap") && page.contains("Leaves the channel to the sender"));
}
