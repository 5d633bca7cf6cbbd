//! Networks, nets and thread transition systems: printing and parsing, damaged files, runs and changed runs.

use selvedge_core::trace::{TraceInput, TraceOptions};
use selvedge_core::{Bound, BoundKind, Chance, Trace};
use selvedge_machine::{Counting, Describe, Heading, Hints, Machine, Path, classify, narrate};
use selvedge_nets::dcps::{DcpsMachine, DcpsOptions};
use selvedge_nets::net::{NetMachine, NetOptions};
use selvedge_nets_judge as judge;
use selvedge_nets_syntax::dcps::{self, Action, Dcps, Move};
use selvedge_nets_syntax::net::{self, Net, PlaceId, TransitionId};
use selvedge_nets_syntax::tts;
use selvedge_source::{Diagnostics, FileId, SourceMap};

fn network_text(seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let mut text = "dcps\ninit q0 g0\ntarget q3 q2\n".to_owned();
    for _ in 0..3 + chance.remainder(6) {
        let (from, to, top) = (chance.remainder(4), chance.remainder(4), chance.remainder(3));
        let push: String = (0..chance.remainder(3)).map(|_| format!(" g{}", chance.remainder(3))).collect();
        let right = if push.is_empty() { String::new() } else { format!(",{push}") };
        match chance.remainder(4) {
            0 => text.push_str(&format!("yield (q{from}, g{top}) -> (q{to}{right})\n")),
            1 => text.push_str(&format!("rule (q{from}, g{top}) -> (q{to}{right}) spawn g{}\n", chance.remainder(3))),
            2 => text.push_str(&format!("rule (q{from}, g{top}) -> (q{to}{right})\n")),
            _ => text.push_str(&format!("resume q{from} -> q{to} on g{top}\n")),
        }
    }
    text
}

fn net_text(seed: u64) -> String {
    let mut chance = Chance::new(seed ^ 77);
    let mut text = "vars\n  a b c d\nrules\n".to_owned();
    for _ in 0..2 + chance.remainder(4) {
        let names = ["a", "b", "c", "d"];
        let guards: Vec<String> =
            names.iter().filter(|_| chance.remainder(3) == 0).map(|n| format!("{n} >= 2")).collect();
        let guards = if guards.is_empty() { "true".to_owned() } else { guards.join(", ") };
        let updates = match chance.remainder(4) {
            0 => "a' = a + b + 1, b' = 0".to_owned(),
            1 => "c' = 3".to_owned(),
            2 => format!("a' = a + {}, d' = d - 1", chance.remainder(4)),
            _ => format!("b' = b - {}, c' = c + 2", 1 + chance.remainder(2)),
        };
        text.push_str(&format!("  {guards} -> {updates};\n"));
    }
    text.push_str("init\n  a = 1, b >= 0, c in [0, 3], d = 0\ntarget\n  a >= 2, b >= 1\n  d >= 4\n");
    text
}

fn system_text(seed: u64) -> String {
    let mut chance = Chance::new(seed ^ 99);
    let mut text = "3 4\n".to_owned();
    for _ in 0..2 + chance.remainder(6) {
        let arrow = ["->", "+>", "~>"][chance.remainder(3) as usize];
        let (s, l, t, m) = (chance.remainder(3), chance.remainder(4), chance.remainder(3), chance.remainder(4));
        let passive = if arrow == "->" && chance.remainder(3) == 0 { " 1 ~> 2 3 ~> 2" } else { "" };
        text.push_str(&format!("{s} {l} {arrow} {t} {m}{passive}\n"));
    }
    text
}

fn network(text: &str) -> (Option<Dcps>, SourceMap, Diagnostics) {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = sources.add("m.dcps", text);
    let dcps = dcps::parse(file, text, &mut found);
    (dcps, sources, found)
}

fn read_net(text: &str) -> (Option<Net>, SourceMap, Diagnostics) {
    let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
    let file = sources.add("m.spec", text);
    let net = net::parse(file, text, &mut found);
    (net, sources, found)
}

#[test]
fn what_is_printed_is_read_as_it_was() {
    for seed in 0..300 {
        let printed = dcps::print(&network(&network_text(seed)).0.expect("it parses"));
        assert_eq!(dcps::print(&network(&printed).0.expect("it parses again")), printed);

        let net = read_net(&net_text(seed)).0.expect("it parses");
        let printed = net::print(&net);
        let again = read_net(&printed).0.unwrap_or_else(|| panic!("it parses again:\n{printed}"));
        assert_eq!(net::print(&again), printed);
        for (left, right) in net.transitions.iter().zip(&again.transitions) {
            assert_eq!((&left.take, &left.give, &left.moves), (&right.take, &right.give, &right.moves), "{printed}");
        }

        let text = system_text(seed);
        let system = tts::parse(FileId(0), &text, &mut Diagnostics::new()).expect("it parses");
        assert_eq!(tts::print(&system), text);
        let property = "2|1,1,3\n0|\n";
        let targets = tts::parse_property(FileId(0), property, &system, &mut Diagnostics::new()).expect("it parses");
        assert_eq!(tts::print_property(&system, &targets), property);
    }
}

#[test]
fn damaged_files_never_make_it_panic() {
    let mut chance = Chance::new(9);
    let mut damage = |text: &str| {
        let (from, length) = (chance.remainder(text.len() as u64) as usize, chance.remainder(8) as usize);
        let junk = ["", "(", "-", "9999999999", "é", ";", "'", "init"][chance.remainder(8) as usize];
        format!("{}{junk}{}", &text[..from], &text[(from + length).min(text.len())..])
    };
    for seed in 0..1_000 {
        let text = damage(&network_text(seed));
        let (dcps, _, found) = network(&text);
        assert_eq!(dcps.is_none(), found.has_errors(), "{text}");
        let text = damage(&net_text(seed));
        let (net, _, found) = read_net(&text);
        assert_eq!(net.is_none(), found.has_errors(), "{text}");
        let text = damage(&system_text(seed));
        let mut found = Diagnostics::new();
        let system = tts::parse(FileId(0), &text, &mut found);
        assert_eq!(system.is_none(), found.has_errors(), "{text}");
    }
}

fn trace_of<M: Describe + Hints>(machine: &M, sources: &SourceMap, path: &Path, bound: Bound) -> Trace {
    let last = path.steps.last().map_or(&path.initial, |step| &step.state);
    let fault = machine.state_fault(last).expect("the target");
    let input = TraceInput { path: "m".into(), language: "nets".into(), sha256: String::new() };
    let heading = Heading { input, options: TraceOptions::default(), bound };
    let switches = classify(machine, path, Counting { busy_waiting: true });
    narrate(machine, sources, path, &switches, Some(&fault), heading)
}

const FAMILY: &str = "\
dcps
init a main
target d
rule (a, main) -> (a, main) spawn kid
yield (a, main) -> (b)
resume b -> c on kid
rule (c, kid) -> (c, kid) spawn kid
yield (c, kid) -> (b, old)
resume b -> d on old
";

#[test]
fn runs_of_networks_are_replayed_and_changed_runs_refused() {
    let (dcps, sources, _) = network(FAMILY);
    let dcps = dcps.expect("it parses");
    let machine = DcpsMachine::new(dcps.clone(), &sources, DcpsOptions::default());
    let (rule, resume) = (
        |thread, index| Move { thread, action: Action::Rule(index) },
        |thread, index| Move { thread, action: Action::Resume(index) },
    );
    let moves = [
        rule(0, 0),
        rule(0, 0),
        rule(0, 1),
        resume(2, 0),
        rule(2, 2),
        rule(2, 3),
        resume(3, 0),
        rule(3, 3),
        resume(2, 1),
    ];
    let path = machine.run(&moves).expect("a run");
    let bound = |value| Bound { kind: BoundKind::ThreadSwitches, value: Some(value) };
    let trace = trace_of(&machine, &sources, &path, bound(2));
    let names: Vec<&str> = trace.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", "main.1", "main.2", "main.2.1"]);
    let replay = |trace: &Trace| judge::dcps::replay(&dcps, &sources, trace).map_err(|error| error.step());
    assert_eq!(replay(&trace), Ok(()));
    // The second thread has switch number 2 when it runs again, and so has the child it created.
    assert_eq!(replay(&trace_of(&machine, &sources, &path, bound(1))), Err(Some(7)));
    let mut fresh = trace_of(&machine, &sources, &path, bound(1));
    fresh.options.fresh_switches = true;
    assert_eq!(replay(&fresh), Ok(()));
    for index in 0..trace.steps.len() {
        let mut changed = trace.clone();
        changed.steps.remove(index);
        let is_optional = index == 0 && replay(&changed).is_ok();
        assert!(is_optional || replay(&changed).is_err(), "without step {}", index + 1);
    }
}

#[test]
fn bounded_machines_activate_threads_only_within_the_bound() {
    let (dcps, sources, _) = network(FAMILY);
    let dcps = dcps.expect("it parses");
    for (bound, fresh_switches, reached) in [(0, false, false), (1, false, false), (2, false, true), (1, true, true)] {
        let options = DcpsOptions { thread_switches: Some(bound), fresh_switches, ..DcpsOptions::default() };
        let machine = DcpsMachine::new(dcps.clone(), &sources, options);
        let mut initial = Vec::new();
        machine.initial(&mut initial);
        let (mut seen, mut work) = (std::collections::HashSet::from([initial.clone()]), vec![initial]);
        let mut found = false;
        while let Some(state) = work.pop() {
            found |= machine.state_fault(&state).is_some();
            let mut steps = selvedge_machine::Steps::new();
            machine.steps(&state, selvedge_machine::Turn::Any, &mut (), &mut steps);
            for step in &steps.list {
                let next = steps.state(step).expect("complete").to_vec();
                if seen.insert(next.clone()) {
                    work.push(next);
                }
            }
        }
        assert_eq!(found, reached, "bound {bound}, fresh {fresh_switches}");
        assert!(!machine.was_cut() && (machine.reached_thread_limit() || bound == 0));
    }
}

#[test]
fn runs_of_nets_are_replayed_and_changed_runs_refused() {
    let text = "vars a b c rules a >= 1, c >= 1 -> a' = a - 1, b' = b + 2; b >= 3 -> c' = c + b, b' = 0; \
                init a >= 0, b = 0, c = 1 target c >= 5";
    let (net, sources, _) = read_net(text);
    let net = net.expect("it parses");
    let machine = NetMachine::new(net.clone(), &sources, NetOptions::default());
    let transitions = [TransitionId(0), TransitionId(0), TransitionId(1)];
    assert!(machine.run(&vec![(PlaceId(0), 1)], &transitions).is_none(), "one token is not enough");
    assert!(machine.run(&vec![(PlaceId(2), 3)], &[]).is_none(), "the tokens of c are fixed");
    let path = machine.run(&vec![(PlaceId(0), 2)], &transitions).expect("a run");
    let trace = trace_of(&machine, &sources, &path, Bound::UNBOUNDED);
    assert_eq!(trace.steps.len(), 4, "the first step chooses the tokens");
    let replay = |trace: &Trace| judge::net::replay(&net, &sources, trace).map_err(|error| error.step());
    assert_eq!(replay(&trace), Ok(()));
    for index in 0..trace.steps.len() {
        let mut changed = trace.clone();
        changed.steps.remove(index);
        assert!(replay(&changed).is_err(), "without step {}", index + 1);
        let mut changed = trace.clone();
        changed.steps[index].changes.0[0].1 = "7".to_owned();
        assert!(replay(&changed).is_err() || index == 0, "with other tokens in step {}", index + 1);
    }
}
