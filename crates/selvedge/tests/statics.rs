//! Statics of an execution and what outlives it.

use selvedge::sync::{Arc, LazyLock, OnceLock};
use selvedge::{Builder, thread};

static NAME: LazyLock<String> = LazyLock::new(|| "a name that is too long for anything but the heap".to_owned());
static SHARED: LazyLock<Arc<String>> = LazyLock::new(|| Arc::new("shared".to_owned()));
static ONCE: OnceLock<Vec<u8>> = OnceLock::new();

#[test]
fn a_reference_to_a_static_may_be_used_after_the_execution() {
    static KEPT: std::sync::OnceLock<&'static str> = std::sync::OnceLock::new();
    static BYTES: std::sync::OnceLock<&'static [u8]> = std::sync::OnceLock::new();
    let report = Builder::new().explore(|| {
        let other = thread::spawn(|| NAME.len());
        // Those of the first execution stay.
        let _ = KEPT.set(NAME.as_str());
        let _ = BYTES.set(ONCE.get_or_init(|| vec![7; 100]).as_slice());
        assert_eq!(other.join().unwrap(), NAME.len());
    });
    assert!(report.complete && report.violation.is_none(), "{report}");
    // Whatever takes the memory if it was freed.
    let other: Vec<String> = (0..100).map(|n| format!("{n:>60}")).collect();
    assert_eq!(*KEPT.get().unwrap(), "a name that is too long for anything but the heap");
    assert_eq!(*BYTES.get().unwrap(), [7; 100]);
    drop(other);
}

#[test]
fn what_a_static_owns_is_no_leak() {
    let report = Builder::new().explore(|| assert_eq!(SHARED.as_str(), "shared"));
    assert!(report.complete && report.violation.is_none(), "{report}");
}

selvedge::lazy_static! {
    static ref WORDS: Vec<&'static str> = vec!["warp", "weft"];
}

#[test]
fn a_lazy_static_must_be_used_before_the_end_of_the_closure() {
    let report = Builder::new().explore(|| {
        thread::spawn(|| assert_eq!(WORDS.len(), 2));
    });
    let violation = report.violation.expect("the thread may come after the end");
    assert!(violation.message.contains("attempted to access lazy_static during shutdown"), "{}", violation.message);
    assert!(violation.message.contains("statics.rs"), "{}", violation.message);
}

#[test]
fn a_lazy_static_may_be_used_by_a_thread_that_the_closure_waits_for() {
    let joined = || assert_eq!(thread::spawn(|| WORDS.len()).join().unwrap(), 2);
    let heard = || {
        let (sender, receiver) = selvedge::sync::mpsc::channel();
        thread::spawn(move || sender.send(WORDS.len()));
        assert_eq!(receiver.recv(), Ok(2));
    };
    for report in [Builder::new().explore(joined), Builder::new().explore(heard)] {
        assert!(report.complete && report.violation.is_none(), "{report}");
    }
}
