//! A toy machine whose source is `ABC…`: thread `i` runs the statements of `PROGRAMS[i]`.

use selvedge_source::FileId;

use super::*;
use crate::{Counting, Hints, Machine, StepView, classify};

/// Statements of the toy: plain, the start of an atomic pair, blocked forever, an assertion that
/// fails, a jump to the start of the program, a jump to itself.
#[derive(Clone, Copy, PartialEq)]
enum Op {
    Plain,
    Atomic,
    Block,
    Fail,
    Loop,
    Again,
}
use Op::*;

/// A state is one program counter for each thread.
struct Toy(Vec<(&'static str, Vec<Op>)>);

impl Toy {
    fn path(&self, choices: &[u32]) -> Path {
        let mut path = Path::default();
        self.initial(&mut path.initial);
        let mut turn = Turn::Any;
        for choice in choices {
            let mut steps = Steps::new();
            let before = last_state(&path).unwrap().to_vec();
            self.steps(&before, turn, &mut (), &mut steps);
            if steps.list.is_empty() {
                self.steps(&before, Turn::Any, &mut (), &mut steps);
            }
            let step = steps.list.iter().find(|step| step.thread == Some(ThreadId(*choice))).expect("enabled").clone();
            let state = steps.state(&step).unwrap_or(&[]).to_vec();
            turn = step.turn;
            path.steps.push(PathStep { step, state, faults: Vec::new() });
        }
        path
    }

    fn narrate(&self, choices: &[u32], fault: Option<(ViolationKind, &str)>) -> Trace {
        let mut sources = SourceMap::new();
        let file = sources.add("toy.pml", "abcdef\n");
        let fault = fault.map(|(kind, message)| Fault {
            kind,
            message: message.into(),
            span: Some(Span::new(file, 2, 3)),
            thread: None,
        });
        let input = TraceInput { path: "toy.pml".into(), language: "toy".into(), sha256: String::new() };
        let heading = Heading { input, options: TraceOptions::default(), bound: Bound::UNBOUNDED };
        let path = self.path(choices);
        let switches = classify(self, &path, Counting::default());
        narrate(self, &sources, &path, &switches, fault.as_ref(), heading)
    }
}

impl Machine for Toy {
    type Scratch = ();

    fn initial(&self, out: &mut Vec<u8>) {
        out.extend(self.0.iter().map(|_| 0));
    }

    fn steps(&self, state: &[u8], turn: Turn, _: &mut (), out: &mut Steps) {
        for (index, (_, program)) in self.0.iter().enumerate() {
            let thread = ThreadId(index as u32);
            let op = program.get(state[index] as usize).copied().unwrap_or(Block);
            if op == Block || matches!(turn, Turn::Only(only) if only != thread) {
                continue;
            }
            let start = out.bytes.len();
            if op != Fail {
                out.bytes.extend(state);
                out.bytes[start + index] = match op {
                    Loop => 0,
                    Again => state[index],
                    _ => state[index] + 1,
                };
            }
            let turn = if op == Atomic { Turn::Only(thread) } else { Turn::Any };
            let (state, faults) = (start..out.bytes.len(), 0..0);
            out.list.push(Step {
                thread: Some(thread),
                ran_last: Some(thread),
                action: [0; 3],
                claim_move: 0,
                state,
                turn,
                faults,
            });
        }
    }

    fn has_finished(&self, state: &[u8], ThreadId(thread): ThreadId) -> bool {
        usize::from(state[thread as usize]) == self.0[thread as usize].1.len()
    }

    fn end_fault(&self, _: &[u8]) -> Option<Fault> {
        None
    }

    fn thread_count(&self, _: &[u8]) -> u32 {
        self.0.len() as u32
    }
}

impl Hints for Toy {
    fn may_spin(&self, _: &[u8], _: ThreadId) -> bool {
        true
    }

    /// Nobody looks at the program counter of another.
    fn same_shared(&self, one: &[u8], other: &[u8], thread: ThreadId) -> bool {
        one.iter().zip(other).enumerate().all(|(index, (a, b))| a == b || index == thread.0 as usize)
    }
}

impl Describe for Toy {
    fn thread_name(&self, _: &[u8], thread: ThreadId) -> String {
        self.0[thread.0 as usize].0.to_string()
    }

    fn view(&self, before: &[u8], step: &Step, _: Option<&[u8]>) -> StepView {
        let at = before[step.thread.unwrap().0 as usize] as usize;
        StepView { span: Some(Span::new(FileId(0), at, at + 1)), text: format!("op {at}"), ..StepView::default() }
    }

    fn waiting(&self, state: &[u8], thread: ThreadId) -> Option<(Span, String)> {
        let at = state[thread.0 as usize] as usize;
        let blocked = self.0[thread.0 as usize].1.get(at) == Some(&Block);
        blocked.then(|| (Span::new(FileId(0), at, at + 1), "waits forever".to_string()))
    }

    fn variables(&self, _: &[u8]) -> Vec<(String, String)> {
        Vec::new()
    }
}

fn switches(trace: &Trace) -> Vec<Switch> {
    trace.steps.iter().map(|step| step.switch).collect()
}

#[test]
fn switches_are_forced_where_the_last_thread_is_blocked_or_done() {
    let toy = Toy(vec![("main", vec![Plain, Plain]), ("inc", vec![Plain, Fail]), ("inc", vec![Plain, Plain])]);
    let trace = toy.narrate(&[0, 0, 1, 2, 1], Some((ViolationKind::Assertion, "assertion violated")));
    use Switch::{Forced, Preemptive};
    assert_eq!(switches(&trace), [Switch::None, Switch::None, Forced, Preemptive, Preemptive]);
    let violation = trace.violation.unwrap();
    assert_eq!((violation.preemptions, violation.switches, violation.length), (Some(2), 3, 5));
    assert_eq!(violation.location.unwrap().to_string(), "toy.pml:1:3");
    let names: Vec<&str> = trace.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", "inc(1)", "inc(2)"]);
    assert_eq!(trace.waiting, [], "the run did not get stuck: its last step was not completed");
}

#[test]
fn an_atomic_sequence_switches_only_where_it_is_blocked() {
    let toy = Toy(vec![("a", vec![Atomic, Plain, Plain]), ("b", vec![Atomic, Block])]);
    let trace = toy.narrate(&[0, 0, 1, 0], None);
    use Switch::{Forced, Preemptive};
    assert_eq!(switches(&trace), [Switch::None, Switch::None, Preemptive, Forced]);
    assert_eq!(trace.steps.iter().map(|step| step.atomic).collect::<Vec<_>>(), [true, false, true, false]);
}

#[test]
fn a_deadlock_names_who_waits_where() {
    let toy = Toy(vec![("a", vec![Plain, Block]), ("b", vec![Block]), ("c", vec![])]);
    let trace = toy.narrate(&[0], Some((ViolationKind::InvalidEndState, "nobody can continue")));
    let waiting: Vec<String> = trace.waiting.iter().map(|w| format!("{} {}", w.thread, w.location)).collect();
    assert_eq!(waiting, ["0 toy.pml:1:2", "1 toy.pml:1:1"]);
    assert_eq!(trace.threads.len(), 3, "a thread that never ran is listed while it is alive");
}

#[test]
fn every_switch_has_its_reason() {
    use SwitchReason::{Blocked, Finished, Preempted, Spinning, WouldOnlySpin};
    let reasons = |toy: &Toy, choices: &[u32], busy_waiting| {
        classify(toy, &toy.path(choices), Counting { busy_waiting }).into_iter().flatten().collect::<Vec<_>>()
    };
    let toy = Toy(vec![("a", vec![Plain, Loop]), ("b", vec![Plain, Plain]), ("c", vec![Plain, Block])]);
    assert_eq!(reasons(&toy, &[0, 1, 2, 1, 0], false), [Spinning, Preempted, Blocked, Finished]);
    assert_eq!(reasons(&toy, &[0, 1, 2, 1, 0], true), [Preempted, Preempted, Blocked, Finished]);
    // The first step of `a` is not part of its loop.
    let toy = Toy(vec![("a", vec![Plain, Again]), ("b", vec![Plain])]);
    assert_eq!(reasons(&toy, &[0, 1], false), [WouldOnlySpin]);
    assert_eq!(reasons(&toy, &[0, 0, 1], false), [Spinning]);
}

#[test]
fn the_first_step_of_a_cycle_is_marked() {
    let toy = Toy(vec![("a", vec![Plain, Loop])]);
    let mut path = toy.path(&[0, 0, 0]);
    path.cycle = Some(1);
    let heading = Heading {
        input: TraceInput { path: "toy".into(), language: "toy".into(), sha256: String::new() },
        options: TraceOptions::default(),
        bound: Bound::UNBOUNDED,
    };
    let mut sources = SourceMap::new();
    sources.add("toy", "abc\n");
    let trace = narrate(&toy, &sources, &path, &[None; 3], None, heading);
    assert_eq!(trace.steps.iter().map(|s| s.cycle_start).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn a_fault_of_the_initial_state_has_no_steps() {
    let trace = Toy(vec![("a", vec![Block])]).narrate(&[], Some((ViolationKind::InvalidEndState, "stuck")));
    assert_eq!((trace.steps.len(), trace.waiting.len(), trace.threads.len()), (0, 1, 1));
}

#[test]
fn a_number_used_again_by_a_thread_of_another_name_gets_an_id_of_its_own() {
    let mut roster = Roster::above(2);
    let ids =
        [(0, "init"), (1, "a"), (2, "b"), (1, "b"), (1, "a"), (1, "b")].map(|(n, name)| roster.id(n, name.into()));
    assert_eq!(ids, [0, 1, 2, 3, 1, 3]);
    let names: Vec<String> = roster.threads().into_iter().map(|thread| thread.name).collect();
    assert_eq!(names, ["init", "a", "b(2)", "b(1)"]);
}
