//! `cargo xtask program-soundness`: random Boolean programs through every analysis and through the plain interpreter, which
//! finds the least number of rounds of a violation by brute force. Bounds on preemptions, switches and the switches of each
//! thread, and infinite runs, are compared with its exploration within the bound (`within`). Every answer is rechecked in full, so certificates are found
//! and checked as well. A disagreement is made as small as it gets and written to a file.
//!
//! Everything is limited by counts: states and calls of the brute force and of the searches, transitions of automata, nodes
//! of decision diagrams. What a limit cuts off is not compared.

#[path = "../../crates/verify/tests/within/mod.rs"]
mod within;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use crate::workers::in_parallel;
use selvedge_boolprog_judge::brute::reachable;
use selvedge_boolprog_syntax::ast::Program;
use selvedge_boolprog_syntax::check::check;
use selvedge_boolprog_syntax::print;
use selvedge_boolprog_syntax::random::{Shape, generate};
use selvedge_boolprog_syntax::shrink::shrink;
use selvedge_source::Diagnostics;
use selvedge_verify::request::{Analysis, Engine, Recheck, Request};
use selvedge_verify::{
    Budget, Emit, Evidence, Interrupt, Language, Limits, LoadedModel, Refusal, Silent, Verdict, load_text,
    sequentialized, verify,
};

/// Compare every analysis with the plain interpreter on random Boolean programs
#[derive(clap::Args)]
pub struct Options {
    /// How many programs
    #[arg(long, default_value_t = 10_000)]
    programs: u64,
    /// The seed of program 0; the next program has the next seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The index of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Print each program instead of checking it
    #[arg(long)]
    print: bool,
    /// How many at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where disagreements are written
    #[arg(long, default_value = "target/soundness")]
    out: PathBuf,
}

/// Rounds that are compared.
const ROUNDS: u32 = 3;
/// States and calls inside each other of the brute force.
const MOST_BRUTE: usize = 20_000;
const STACK: usize = 6;
/// States and transitions of an analysis.
const MOST_STATES: u64 = 200_000;

/// Begins the reason where a program is refused: a program that was shrunk too far.
const REFUSED: &str = "it is refused: ";

/// What came of the programs.
#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// Too large for the brute force.
    skipped: u64,
    violated: u64,
    holds: u64,
    certificates: u64,
    /// Bounds of other kinds that were compared.
    bounds: u64,
    disagreed: u64,
}

/// What came of one program.
struct Agreement {
    violated: bool,
    holds: bool,
    certified: bool,
    bounds: u64,
}

impl Tally {
    fn summary(&self) -> String {
        format!(
            "{} programs: {} compared ({} violated, {} hold for every bound, {} certificates accepted), {} bounds of \
             other kinds, {} too large, {} disagreements",
            self.programs,
            self.programs - self.skipped,
            self.violated,
            self.holds,
            self.certificates,
            self.bounds,
            self.skipped,
            self.disagreed
        )
    }
}

/// Runs the comparison.
pub fn run(options: &Options) -> io::Result<ExitCode> {
    let indices = options.first..options.first + options.programs;
    if options.print {
        indices.map(|index| options.seed + index).for_each(|seed| println!("{}", text_of(seed)));
        return Ok(ExitCode::SUCCESS);
    }
    let tally = Mutex::new(Tally::default());
    let summary = || tally.lock().expect("no worker panicked").summary();
    let compare = |index| {
        one(options, options.seed + index, &tally);
        Ok(true)
    };
    in_parallel(indices, options.jobs, compare, summary)?;
    println!("{}", summary());
    let disagreed = tally.into_inner().expect("no worker panicked").disagreed;
    Ok(if disagreed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn text_of(seed: u64) -> String {
    print::program(&generate(seed, &shape(seed)))
}

fn one(options: &Options, seed: u64, tally: &Mutex<Tally>) {
    let program = generate(seed, &shape(seed));
    let outcome = compare(&program);
    let mut tally = tally.lock().expect("no worker panicked");
    tally.programs += 1;
    match outcome {
        Ok(None) => tally.skipped += 1,
        Ok(Some(agreement)) => {
            tally.violated += u64::from(agreement.violated);
            tally.holds += u64::from(agreement.holds);
            tally.certificates += u64::from(agreement.certified);
            tally.bounds += agreement.bounds;
        }
        Err(why) => {
            tally.disagreed += 1;
            drop(tally);
            report(options, seed, &program, &why);
        }
    }
}

fn report(options: &Options, seed: u64, program: &Program, why: &str) {
    println!("seed {seed}: {why}");
    let is_program = |program: &Program| !program.functions.is_empty() && check(program, &mut Diagnostics::new());
    let small = shrink(program, &mut |program| {
        is_program(program) && compare(program).is_err_and(|why| !why.contains(REFUSED))
    });
    let why = compare(&small).err().unwrap_or_else(|| why.to_owned());
    let path = options.out.join(format!("program_{seed}.bp"));
    let text = format!("// {}\n{}", why.replace('\n', "\n// "), print::program(&small));
    let written = std::fs::create_dir_all(&options.out).and_then(|()| std::fs::write(&path, text));
    match written {
        Ok(()) => println!("seed {seed}: {why}\n  {}", path.display()),
        Err(error) => println!("seed {seed}: {why}\n  not written: {error}"),
    }
}

/// The shapes take turns, so that everything the generator knows is reached.
fn shape(seed: u64) -> Shape {
    let plain = Shape { errors: true, ..Shape::default() };
    match seed % 10 {
        8 => Shape { creates: true, least_threads: 1, most_threads: 1, globals: 2, recursion: true, ..plain },
        9 => Shape { creates: true, least_threads: 1, most_threads: 1, globals: 2, nesting: 1, locals: 0, ..plain },
        0 if (seed / 10).is_multiple_of(2) => plain,
        // Values that threads wait for decide what a preemption is.
        0 | 5 => Shape { waits: true, most_threads: 2, globals: 2, ..plain },
        6 => Shape { everything: true, ..plain },
        7 => Shape { everything: true, recursion: true, atomic_variable: true, locals: 2, most_threads: 2, ..plain },
        1 => Shape { recursion: true, ..plain },
        2 => Shape { atomic_variable: true, ..plain },
        3 => Shape { least_threads: 1, most_threads: 1, locals: 2, recursion: true, statements: 4, ..plain },
        4 => Shape { most_threads: 2, locals: 2, statements: 4, ..plain },
        _ => Shape { errors: true, extras: false, most_threads: 2, globals: 2, nesting: 3, ..Shape::default() },
    }
}

/// `None` if the program is too large for the brute force; the error says who disagrees.
fn compare(program: &Program) -> Result<Option<Agreement>, String> {
    let model = within::load(program).map_err(|refusal| format!("{REFUSED}{refusal}"))?;
    let bounds = within::compare(program, &model)?;
    if within::creates_threads(program) {
        // Brute force knows only the threads of the start.
        return Ok(Some(Agreement { violated: false, holds: false, certified: false, bounds }));
    }
    let Some(reached) = reachable(program, ROUNDS, STACK, MOST_BRUTE) else { return Ok(None) };
    let expected = |rounds: u32| reached.violated[rounds as usize - 1];
    for (name, request) in ways() {
        for rounds in 1..=ROUNDS {
            let mut request = request.clone();
            request.bounds.rounds = Some(rounds);
            let verdict = answer(&model, &request).map_err(|why| format!("{name}, {rounds} rounds: {why}"))?;
            disagreement(&name, rounds, verdict.0, expected(rounds), reached.cut)?;
        }
    }
    for rounds in 1..=2 {
        let sequential = match sequentialized(&model, None, rounds, Emit::Bp) {
            Ok(sequential) => sequential,
            // Not for the symbolic engine.
            Err(Refusal::Request { .. }) => break,
            Err(refusal) => return Err(refusal.to_string()),
        };
        let model = load_text("sequential.bp", Language::Bp, &sequential).map_err(|refusal| refusal.to_string())?;
        let request = Request { engine: Some(Engine::Symbolic), recheck: Recheck::None, ..Request::default() };
        let verdict = answer(&model, &request).map_err(|why| format!("sequentialised, {rounds} rounds: {why}"))?;
        disagreement("sequentialised", rounds, verdict.0, expected(rounds), reached.cut)?;
    }
    let mut request = Request { engine: Some(Engine::Symbolic), recheck: Recheck::Quick, ..Request::default() };
    request.dynamic.certificate = true;
    let (verdict, evidence) = answer(&model, &request).map_err(|why| format!("every bound: {why}"))?;
    let violated = expected(ROUNDS);
    if verdict == Verdict::Holds && violated {
        return Err("every bound: it holds, and the interpreter finds a violation".to_owned());
    }
    let (holds, certified) = (verdict == Verdict::Holds, evidence == Evidence::Certificate);
    if holds && !certified {
        return Err("every bound: it holds, and there is no certificate".to_owned());
    }
    Ok(Some(Agreement { violated, holds, certified, bounds }))
}

/// Every analysis within a number of rounds.
fn ways() -> Vec<(String, Request)> {
    let analyses = [Analysis::Lazy, Analysis::Eager, Analysis::Pds, Analysis::Spds];
    let symbolic = analyses.into_iter().map(|analysis| {
        let mut request = Request { engine: Some(Engine::Symbolic), recheck: Recheck::Quick, ..Request::default() };
        request.symbolic.analysis = Some(analysis);
        (format!("{analysis:?}").to_lowercase(), request)
    });
    let mut explicit = Request { engine: Some(Engine::Explicit), recheck: Recheck::Quick, ..Request::default() };
    explicit.machine.stack = Some(within::STACK);
    symbolic.chain([("explicit".to_owned(), explicit)]).collect()
}

fn answer(model: &LoadedModel, request: &Request) -> Result<(Verdict, Evidence), String> {
    // Small tables of diagrams are made faster than large ones. States are also the transitions of automata.
    let limits = Limits { memory: Some(32 << 20), states: Some(MOST_STATES), ..Limits::default() };
    let budget = Budget::start(limits, Interrupt::new());
    match verify(model, request, &budget, &mut Silent) {
        Ok(answer) => Ok((answer.verdict, answer.evidence)),
        // Too large for this analysis: no answer.
        Err(Refusal::Request { .. }) => Ok((Verdict::Inconclusive, Evidence::None { reason: String::new() })),
        Err(refusal @ Refusal::Model { .. }) => Err(format!("{REFUSED}{refusal}")),
        Err(refusal) => Err(refusal.to_string()),
    }
}

/// Where the brute force met its stack limit, more may be reachable than it found.
fn disagreement(name: &str, rounds: u32, verdict: Verdict, expected: bool, cut: bool) -> Result<(), String> {
    let wrong = match verdict {
        Verdict::Violated => !expected && !cut,
        Verdict::Holds | Verdict::HoldsWithinBound => expected,
        Verdict::Inconclusive => false,
    };
    match wrong {
        true => Err(format!("{name}, {rounds} rounds: {verdict:?}, the interpreter finds a violation: {expected}")),
        false => Ok(()),
    }
}
