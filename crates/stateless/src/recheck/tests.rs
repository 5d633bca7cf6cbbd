//! The recheck notices what a defective search misses, and the digest what the order of operations decides.

use std::cell::Cell;
use std::panic::Location;
use std::rc::Rc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Instant;

use selvedge_core::Chance;

use super::*;
use crate::Mode;
use crate::ViolationKind;
use crate::explore::Explorer;
use crate::op::{Class, Kind, Other, Step};
use crate::outcome::Exploration;
use crate::recheck::record::Thread;
use crate::rt::{self, Access, ObjectKind};
use crate::strategy::happens_before::HappensBefore;
use crate::strategy::{Decision, Strategy, View};
use crate::{MAIN, ObjectId, ThreadId};

/// Two threads that add 1 without exclusion; the main thread may look at the sum.
fn lost_update(asserts: bool) -> impl Fn() {
    move || {
        let at = Location::caller();
        let object = rt::object(ObjectKind::Atomic, at);
        let value = Rc::new(Cell::new(0));
        let add = |value: Rc<Cell<u32>>| {
            move || {
                rt::access(object, Access::Load(SeqCst), "load", at);
                let old = value.get();
                rt::access(object, Access::Store(SeqCst), "store", at);
                value.set(old + 1);
            }
        };
        let threads = [(); 2].map(|()| rt::spawn(None, None, at, Box::new(add(value.clone()))));
        threads.into_iter().for_each(|thread| rt::join(thread, at));
        assert!(!asserts || value.get() == 2, "an update was lost");
    }
}

/// A search with a defect: it ends after some executions and claims to be complete.
struct Forgetful {
    inner: Box<dyn Strategy>,
    left: u64,
}

impl Strategy for Forgetful {
    fn next(&mut self) -> Next {
        let next = self.inner.next();
        if next == Next::Run {
            match self.left.checked_sub(1) {
                Some(left) => self.left = left,
                None => return Next::Done { every_bound: true },
            }
        }
        next
    }

    fn decide(&mut self, view: &View<'_>) -> Decision {
        self.inner.decide(view)
    }

    fn end(&mut self, state: &State, ended: Ended) {
        self.inner.end(state, ended);
    }
}

fn explore_with(strategy: Box<dyn Strategy>, config: &Config, body: &dyn Fn()) -> (Stop, SearchEvidence) {
    crate::hook::install();
    Explorer::new(config, body, None, &mut |_| {}).explore(strategy)
}

/// Executions of a defective search, and what its recheck finds.
fn defective(executions: u64, config: &Config, body: &dyn Fn()) -> Stop {
    let rules = rules(config, false);
    let inner: Box<dyn Strategy> = match config.reduction {
        Reduction::HappensBefore => HappensBefore::idle(rules, fairness(config), None),
        reduction => Box::new(Bounded::new(rules, reduction == Reduction::Bpor, true)),
    };
    explore_with(Box::new(Forgetful { inner, left: executions }), config, body).0
}

fn replay(schedule: &str, body: &dyn Fn()) -> Exploration {
    crate::explore(&Config { mode: Mode::Replay(schedule.to_owned()), ..Config::default() }, &mut |_| {}, body)
}

#[test]
fn a_class_that_the_search_dropped_is_found_with_its_schedule() {
    for recheck in [Recheck::Quick, Recheck::Full] {
        for reduction in [Reduction::HappensBefore, Reduction::None] {
            let config = Config { recheck, reduction, ..Config::default() };
            let body = lost_update(false);
            let Stop::Disagreement(found) = defective(3, &config, &body) else { panic!("{recheck:?} {reduction:?}") };
            assert!(
                found.search.contains("classes visited") && found.recheck.contains("of another class"),
                "{found:?}"
            );
            let schedule = found.schedule.expect("a class is shown by a schedule");
            assert!(matches!(replay(&schedule, &body).stop, Stop::Finished { .. }), "{schedule}");
        }
    }
}

#[test]
fn a_violation_that_the_search_missed_is_found_with_its_schedule() {
    for reduction in [Reduction::HappensBefore, Reduction::Bpor, Reduction::None] {
        let (config, body) = (Config { reduction, ..Config::default() }, lost_update(true));
        let Stop::Disagreement(found) = defective(1, &config, &body) else { panic!("{reduction:?}") };
        if found.recheck.starts_with("panic: an update was lost") {
            let shown = replay(&found.schedule.expect("a run is shown by its schedule"), &body).violation;
            assert_eq!(shown.map(|violation| violation.kind), Some(ViolationKind::Panic));
        } else {
            assert!(found.recheck.contains("of another class") && reduction != Reduction::Bpor, "{found:?}");
        }
    }
}

#[test]
fn a_search_that_finished_no_run_is_not_complete() {
    for recheck in [Recheck::Quick, Recheck::Full] {
        let (config, body) = (Config { recheck, max_steps: 3, ..Config::default() }, lost_update(false));
        let Stop::Disagreement(found) = defective(0, &config, &body) else { panic!("{recheck:?}") };
        assert!(found.search.contains("0 executions") && found.recheck.contains("cut off after"), "{found:?}");
    }
}

#[test]
fn a_program_that_is_not_deterministic_is_no_internal_error() {
    let (runs, body) = (Cell::new(0), lost_update(false));
    let body = || {
        runs.set(runs.get() + 1);
        body();
        let at = Location::caller();
        (0..runs.get()).for_each(|_| rt::yield_now("yield", at));
    };
    let stop = defective(1, &Config::default(), &body);
    assert!(matches!(stop, Stop::Nondeterminism(_)), "{stop:?}");
}

#[test]
fn the_recheck_is_not_counted_and_reports_its_extent() {
    let runs = Cell::new(0);
    let body = lost_update(false);
    let body = || {
        runs.set(runs.get() + 1);
        body();
    };
    let explore = |recheck, reduction| {
        runs.set(0);
        let result = crate::explore(&Config { recheck, reduction, ..Config::default() }, &mut |_| {}, &body);
        assert!(result.complete, "{:?}", result.stop);
        (result.executions, runs.get(), result.evidence)
    };
    assert_eq!(explore(Recheck::None, Reduction::HappensBefore), (4, 4, SearchEvidence::None));
    let all = SearchEvidence::Reexplored { schedules: 10, classes: 4 };
    assert_eq!(explore(Recheck::Quick, Reduction::HappensBefore), (4, 14, all));
    assert_eq!(explore(Recheck::Full, Reduction::HappensBefore), (4, 14, all));
    let some = SearchEvidence::Sampled { schedules: 64, classes: 4, seed: SEED };
    assert_eq!(explore(Recheck::Quick, Reduction::None), (10, 74, some));
}

#[test]
fn a_limit_of_time_leaves_no_evidence_and_no_error() {
    let (config, body, visited) = (Config::default(), lost_update(false), Visited::default());
    let execution_config = ExecutionConfig::new(&config, None, Some(Instant::now()));
    let searched = Searched {
        reduction: Reduction::HappensBefore,
        executions: 4,
        finished: 4,
        steps: 24,
        per_bound: &[],
        visited: &visited,
        length: 6,
    };
    let mut fibers = Fibers::new();
    let evidence = Rechecker::new(&config, &body, &mut fibers, execution_config, searched).evidence();
    assert_eq!(evidence, Ok(SearchEvidence::None));
}

#[test]
fn runs_that_are_cut_are_not_compared() {
    let body = lost_update(false);
    for bound in [SearchBound::Switches(Some(2)), SearchBound::Depth(3), SearchBound::Fair(0)] {
        for recheck in [Recheck::Quick, Recheck::Full] {
            let result = crate::explore(&Config { bound, recheck, ..Config::default() }, &mut |_| {}, &body);
            assert!(result.complete, "{bound:?} {:?}", result.stop);
        }
    }
}

#[test]
fn classes_and_their_costs_must_be_the_same() {
    let mut visited = Visited::default();
    (1..=3).for_each(|digest| visited.insert(digest));
    let least = |costs: &[(u128, u32)]| costs.iter().copied().collect::<BTreeMap<u128, u32>>();
    let per_bound = [BoundStats { bound: 0, executions: 1 }, BoundStats { bound: 1, executions: 3 }];
    let compare = |least: &BTreeMap<u128, u32>| {
        let (reduction, per_bound, visited) = (Reduction::HappensBefore, &per_bound, &visited);
        compare_classes(
            &Searched { reduction, executions: 3, finished: 3, steps: 9, per_bound, visited, length: 3 },
            least,
        )
    };
    assert_eq!(compare(&least(&[(1, 0), (2, 1), (3, 1)])), Ok(()));
    let beyond = compare(&least(&[(1, 0), (2, 1)])).expect_err("class 3 is not within the bound");
    assert!(beyond.search.contains(&format!("{:032x}", 3)), "{beyond:?}");
    let dearer = compare(&least(&[(1, 0), (2, 0), (3, 1)])).expect_err("two classes cost nothing");
    assert_eq!(dearer.search, "1 classes within bound 0");
    assert!(visited.forget_one().is_some() && visited.lacks(1));
}

/// The invariant of absence of this module.
#[test]
fn digest_and_cost_use_nothing_of_the_search() {
    let sources = [include_str!("digest.rs"), include_str!("cost.rs"), include_str!("record.rs")];
    for line in sources.iter().flat_map(|source| source.lines()).filter(|line| line.contains("use ")) {
        for of_the_search in ["strategy", "history", "prefix", "hash", "object::", "conflicts"] {
            assert!(!line.contains(of_the_search), "{line}");
        }
    }
}

/// Reads and writes of three threads, in any order: a schedule of a program without branches.
fn random_record(chance: &mut Chance) -> Record {
    let birth = |parent| Thread { birth: parent, pending: None };
    let steps = (0..12).map(|_| {
        let writes = chance.below(2) == 0;
        let (kind, class) = if writes { (Kind::Store, Class::Write) } else { (Kind::Load, Class::Read) };
        let (thread, object) = (ThreadId(chance.below(3) as u32), ObjectId(chance.below(2) as u32));
        Step {
            thread,
            choice: 0,
            kind,
            class,
            object,
            other: Other::NONE,
            in_graph: false,
            yielded: false,
            finished: false,
        }
    });
    Record {
        steps: steps.collect(),
        threads: vec![birth(None), birth(Some((MAIN, 0))), birth(Some((MAIN, 0)))],
        objects: vec![ObjectKind::Atomic; 2],
        clones: Vec::new(),
        accesses: Vec::new(),
        places: Vec::new(),
    }
}

#[test]
fn swapping_neighbours_keeps_the_digest_if_and_only_if_they_are_independent() {
    let (mut chance, mut digester) = (Chance::new(7), Digester::default());
    let mut swapped = [0, 0];
    for _ in 0..2000 {
        let mut record = random_record(&mut chance);
        let before = digester.digest(&record);
        let i = chance.below(11);
        let (a, b) = (record.steps[i], record.steps[i + 1]);
        if a.thread == b.thread {
            continue;
        }
        let dependent = a.object == b.object && (a.kind == Kind::Store || b.kind == Kind::Store);
        record.steps.swap(i, i + 1);
        assert_eq!(digester.digest(&record) != before, dependent, "{a:?} {b:?}");
        swapped[usize::from(dependent)] += 1;
    }
    assert!(swapped[0] > 300 && swapped[1] > 300, "{swapped:?}");
}

/// A step that writes the first object.
fn write(thread: ThreadId, kind: Kind) -> Step {
    Step {
        thread,
        choice: 0,
        kind,
        class: Class::Write,
        object: ObjectId(0),
        other: Other::NONE,
        in_graph: false,
        yielded: false,
        finished: false,
    }
}

#[test]
fn renaming_threads_that_different_parents_started_keeps_the_digest() {
    let birth = |parent| Thread { birth: Some((parent, 0)), pending: None };
    let step = |thread| write(thread, Kind::Store);
    let main = Thread { birth: None, pending: None };
    let record = |threads: [Thread; 2], order: [u32; 2]| Record {
        steps: order.map(|t| step(ThreadId(t))).to_vec(),
        threads: [vec![main, birth(ThreadId(0)), birth(ThreadId(0))], threads.to_vec()].concat(),
        objects: vec![ObjectKind::Atomic],
        clones: Vec::new(),
        accesses: Vec::new(),
        places: Vec::new(),
    };
    let mut digester = Digester::default();
    let [one, other, swapped] = [
        record([birth(ThreadId(1)), birth(ThreadId(2))], [3, 4]),
        record([birth(ThreadId(2)), birth(ThreadId(1))], [4, 3]),
        record([birth(ThreadId(2)), birth(ThreadId(1))], [3, 4]),
    ]
    .map(|record| digester.digest(&record));
    assert!(one == other && one != swapped);
}

#[test]
fn a_step_that_could_not_be_made_is_no_cost() {
    let lock = |thread| write(thread, Kind::Lock);
    let threads = vec![Thread::default(), Thread { birth: Some((MAIN, 0)), pending: None }];
    let record = Record {
        steps: vec![lock(MAIN), lock(ThreadId(1))],
        threads,
        objects: vec![ObjectKind::Mutex],
        clones: vec![],
        accesses: Vec::new(),
        places: Vec::new(),
    };
    assert_eq!(cost::costs(&record, None), Err(1));
}
