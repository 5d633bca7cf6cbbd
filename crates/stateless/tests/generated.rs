//! Thousands of generated programs: all reductions find the same outcomes at every bound as brute force does, and the
//! happens-before search runs each class once.

mod generated {
    pub mod brute;
    pub mod interpret;
    pub mod program;
    pub mod shrink;
}

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use generated::brute::{Truth, enumerate};
use generated::interpret::body;
use generated::program::{FLAVOURS, Flavour, Program, Random, generate};
use generated::shrink::shrink;
use selvedge_stateless::{
    Config, Exploration, Progress, Recheck, Reduction, SearchBound, SearchEvidence, ViolationKind, explore,
};

/// Programs with more interleavings are left out.
const LIMIT: u64 = 1500;

/// The bound at which each outcome was found first, and the figures.
fn run(program: &Program, config: &Config) -> (BTreeMap<String, u32>, Exploration) {
    let outcomes = Rc::new(RefCell::new(BTreeMap::new()));
    let bound = Rc::new(Cell::new(0));
    let observe = {
        let (outcomes, bound) = (outcomes.clone(), bound.clone());
        Rc::new(move |text| _ = outcomes.borrow_mut().entry(text).or_insert(bound.get())) as Rc<dyn Fn(String)>
    };
    let mut raise = |event: &Progress| {
        if let Progress::BoundComplete(stats) = event {
            bound.set(stats.bound + 1);
        }
    };
    let result = explore(config, &mut raise, &|| body(program, observe.clone()));
    let mut outcomes = outcomes.borrow().clone();
    for ((kind, message), bound) in &result.all_violations {
        let text = if *kind == ViolationKind::Deadlock { "deadlock" } else { message.as_str() };
        outcomes.insert(text.to_owned(), *bound as u32);
    }
    (outcomes, result)
}

/// What is wrong with the answers for a program, if anything.
fn disagreement(program: &Program, fair: Option<u32>) -> Option<String> {
    let truth = enumerate(program, fair, LIMIT)?;
    let all = [Reduction::None, Reduction::Bpor, Reduction::HappensBefore];
    let preemptions = SearchBound::Preemptions(Some(3));
    let wrong = all.iter().find_map(|&r| compare(program, r, preemptions, fair, &truth, &|cost| cost.0));
    let switches = SearchBound::Switches(Some(5));
    let wrong = wrong.or_else(|| {
        let mut some = [Reduction::None, Reduction::HappensBefore].iter();
        some.find_map(|&r| compare(program, r, switches, fair, &truth, &|cost| cost.1))
    });
    wrong.or_else(|| all.iter().find_map(|&r| compare(program, r, SearchBound::Fair(fair?), fair, &truth, &|_| 0)))
}

fn compare(
    program: &Program,
    reduction: Reduction,
    bound: SearchBound,
    fair: Option<u32>,
    truth: &Truth,
    cost: &dyn Fn((u32, u32)) -> u32,
) -> Option<String> {
    let config = Config { reduction, bound, fair_yields: fair, keep_going: true, ..Config::default() };
    let config = Config {
        recheck: if reduction == Reduction::HappensBefore { Recheck::Full } else { config.recheck },
        ..config
    };
    let (found, result) = run(program, &config);
    let wrong = |what: String| Some(format!("{reduction:?}, {bound:?}: {what}"));
    if !result.complete {
        return wrong(format!("ended with {:?}", result.stop));
    }
    let max = match bound {
        SearchBound::Preemptions(max) | SearchBound::Switches(max) => max.unwrap_or(0),
        _ => 0,
    };
    let expected = truth.outcomes.iter().map(|(o, c)| (o.clone(), cost(*c))).filter(|(_, c)| *c <= max);
    let expected: BTreeMap<String, u32> = expected.collect();
    if found != expected {
        return wrong(format!("outcomes {found:?}, expected {expected:?}"));
    }
    if reduction == Reduction::HappensBefore {
        for within in 0..=max {
            let classes = truth.classes.values().filter(|c| cost(**c) <= within).count() as u64;
            // A bound that refuses nothing is the answer for all higher ones.
            let stats = result.per_bound.get(within as usize).or(result.per_bound.last())?;
            if stats.executions != classes {
                return wrong(format!("{stats:?} for {classes} classes"));
            }
        }
        if result.per_bound.last().is_some_and(|last| last.executions != result.executions) {
            return wrong(format!("{} executions", result.executions));
        }
        // The digests of all schedules without reduction: as many as there are classes.
        let within = truth.classes.values().filter(|c| cost(**c) <= max).count() as u64;
        let evidence = result.evidence;
        let agrees = matches!(evidence, SearchEvidence::Reexplored { classes, .. } if classes == within);
        if !agrees && result.all_violations.is_empty() && result.executions > 0 {
            return wrong(format!("{evidence:?} for {within} classes"));
        }
    }
    None
}

fn check(flavour: Flavour, seeds: std::ops::Range<u64>, least: u64) {
    let mut checked = 0;
    for seed in seeds {
        let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ flavour as u64);
        let program = generate(&mut random, flavour);
        let fair = [None, Some(0), Some(1)][random.below(3) as usize];
        let Some(truth) = enumerate(&program, fair, LIMIT) else { continue };
        checked += u64::from(truth.classes.len() > 1);
        if disagreement(&program, fair).is_some() {
            let small = shrink(&program, &|p| disagreement(p, fair).is_some());
            let text = disagreement(&small, fair).unwrap_or_default();
            panic!("{flavour:?} seed {seed}, fair {fair:?}: {text}\n{small:#?}");
        }
    }
    assert!(checked >= least, "only {checked} programs had more than one class");
}

macro_rules! flavours {
    ($($name:ident $flavour:ident $seeds:expr, $least:expr;)*) => { $(
        #[test]
        fn $name() {
            assert!(FLAVOURS.contains(&Flavour::$flavour));
            check(Flavour::$flavour, 0..$seeds, $least);
        }
    )* };
}

flavours! {
    atomics Atomics 400, 100;
    locks Locks 400, 100;
    condvars Condvars 400, 100;
    channels Channels 400, 100;
    threads Threads 400, 100;
    yields Yields 400, 100;
    everything All 400, 100;
}
