//! Larger programs, written after those that GenMC is tested with (docs/bibliography.md), with the numbers of executions that
//! it publishes: all that RC11 allows, the sequentially consistent ones, and these within each bound of preemptions.
//!
//! The totals take minutes: `LITMUS_LARGE=1 cargo test --release -p selvedge-litmus --test larger`.

use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;

use selvedge::sync::Arc;
use selvedge::sync::atomic::AtomicUsize;
use selvedge::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use selvedge::thread;
use selvedge_litmus::{Model, Test, executions};
use selvedge_stateless::{Config, Memory, Progress, Recheck, Reduction, SearchBound, explore};

/// Executions that came to their end, within each bound.
fn series(config: &Config, body: impl Fn() -> bool) -> Vec<u64> {
    let ended = Rc::new(Cell::new(0));
    let mut series = Vec::new();
    let mut note = |event: &Progress| {
        if let Progress::BoundComplete(_) = event {
            series.push(ended.get());
        }
    };
    let result = explore(config, &mut note, &|| {
        ended.set(ended.get() + u64::from(body()));
    });
    assert!(result.complete, "{:?}", result.stop);
    series
}

fn config(bound: Option<u32>, stale: Option<u32>) -> Config {
    Config {
        memory: Memory::Rc11,
        bound: SearchBound::Deviations(bound),
        max_stale: stale,
        reduction: Reduction::HappensBefore,
        recheck: Recheck::None,
        fair_yields: None,
        ..Config::default()
    }
}

fn is_large() -> bool {
    std::env::var_os("LITMUS_LARGE").is_some()
}

/// A queue of Herlihy and Wing over an array: an enqueuer takes a slot and fills it, a dequeuer empties the first full one and
/// gives up when there is none.
struct Queue {
    slots: [AtomicUsize; 4],
    back: AtomicUsize,
}

impl Queue {
    fn enqueue(&self, item: usize) {
        let slot = self.back.fetch_add(1, AcqRel);
        self.slots[slot].store(item, Release);
    }

    fn dequeue(&self) -> Option<usize> {
        let back = self.back.load(Acquire);
        self.slots[..back].iter().map(|slot| slot.swap(0, AcqRel)).find(|&item| item != 0)
    }
}

/// Whether every dequeuer came to its end.
fn queue() -> bool {
    let queue = Arc::new(Queue { slots: [0; 4].map(AtomicUsize::new), back: AtomicUsize::new(0) });
    let threads: [fn(&Queue) -> Option<()>; 4] = [
        |queue| {
            queue.enqueue(1);
            queue.dequeue().map(drop)
        },
        |queue| {
            queue.enqueue(2);
            queue.enqueue(3);
            Some(())
        },
        |queue| {
            queue.dequeue()?;
            queue.enqueue(4);
            Some(())
        },
        |queue| {
            queue.dequeue()?;
            queue.dequeue().map(drop)
        },
    ];
    let threads = threads.map(|body| {
        let queue = queue.clone();
        thread::spawn(move || body(&queue).is_none())
    });
    let gave_up = threads.map(|thread| thread.join().unwrap());
    !gave_up.contains(&true)
}

#[test]
fn the_queue_has_the_published_executions_within_each_bound() {
    let published = [4, 45, 254, 919, 2120, 3511, 4585, 5034, 5145, 5155];
    let last = if is_large() { None } else { Some(3) };
    let sequential = series(&config(last, Some(0)), queue);
    let known = sequential.len().min(published.len());
    assert!(known > 3);
    assert_eq!(sequential[..known], published[..known]);
    assert!(sequential[known..].iter().all(|&n| n == 5155), "{sequential:?}");
    if is_large() {
        assert_eq!(series(&config(None, None), queue).last(), Some(&5483));
    }
}

fn parse(text: &str) -> Test {
    selvedge_litmus::parse(text).unwrap().remove(0)
}

/// A test whose threads only load, add and store, as a body.
fn run(test: &Arc<Test>) -> bool {
    use selvedge_litmus::{Mode, Statement};
    let memory: Vec<AtomicUsize> = test.initial.iter().map(|&value| AtomicUsize::new(value as usize)).collect();
    let memory = Arc::new(memory);
    let thread = |index: usize| {
        let (test, memory) = (test.clone(), memory.clone());
        thread::spawn(move || {
            let mut registers = std::collections::BTreeMap::new();
            for statement in &test.threads[index] {
                match statement {
                    Statement::Load { register, location, mode: Mode::Acquire } => {
                        registers.insert(register.clone(), memory[*location].load(Acquire) as i64);
                    }
                    Statement::Store { location, value, mode: Mode::Release } => {
                        memory[*location].store(value.value(&registers) as usize, Release);
                    }
                    other => panic!("{other:?}"),
                }
            }
        })
    };
    let threads: Vec<_> = (0..test.threads.len()).map(thread).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    true
}

/// Two threads read four locations, which two others write three times each.
#[test]
fn readers_and_writers_have_the_published_executions() {
    let writes = |a: &str, b: &str| {
        (1..=3).map(|n| format!("store({a},{n},rel); store({b},{n},rel)")).collect::<Vec<_>>().join("; ")
    };
    let reads = |first: u32, of: &str| {
        let loads = of.chars().zip(first..).map(|(location, n)| format!("r{n} = load({location},acq)"));
        loads.collect::<Vec<_>>().join("; ")
    };
    let threads = [reads(1, "xyzwxyz"), reads(8, "xyz"), writes("x", "y"), writes("z", "w")];
    let text = threads.iter().fold("test readers and writers".to_owned(), |text, thread| text + "\n thread " + thread);
    let test = Arc::new(parse(&text));
    let published = [14, 206, 1561, 7410, 21891, 42700, 59856, 67435, 69009, 69112];
    let last = if is_large() { None } else { Some(2) };
    let sequential = series(&config(last, Some(0)), || run(&test));
    let known = sequential.len().min(published.len());
    assert!(known > 2);
    assert_eq!(sequential[..known], published[..known]);
    if is_large() {
        assert_eq!(series(&config(None, None), || run(&test)).last(), Some(&82472));
    }
}

/// Two threads each add the two numbers into one of them, so many times; a third one looks at both.
fn sums(times: usize) -> Test {
    let mut text = "test sums\n init x=1 y=1".to_owned();
    for (thread, target) in ["x", "y"].iter().enumerate() {
        text.push_str("\n thread ");
        for n in 0..times {
            let (a, b) = (format!("a{thread}{n}"), format!("b{thread}{n}"));
            let end = if n + 1 < times { "; " } else { "" };
            let _ = write!(text, "{a} = load(x,acq); {b} = load(y,acq); store({target},{a} + {b},rel){end}");
        }
    }
    parse(&(text + "\n thread c = load(x,acq); d = load(y,acq)"))
}

#[test]
fn sums_have_the_executions_that_the_axioms_allow() {
    for times in 1..=2 {
        let test = sums(times);
        let expected = executions(&test, Model::Rc11).len() as u64;
        let test = Arc::new(test);
        assert_eq!(series(&config(None, None), || run(&test)).last(), Some(&expected), "{times}");
    }
    if is_large() {
        let test = Arc::new(sums(5));
        assert_eq!(series(&config(None, Some(0)), || run(&test)).last(), Some(&218_243));
        assert_eq!(series(&config(None, None), || run(&test)).last(), Some(&525_630));
    }
}
