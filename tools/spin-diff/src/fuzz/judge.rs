//! One program, two tools: what each says of it, and whether that is the same.

use harness::figures::{Difference, ErrorKind, Figures};
use harness::scratch::Scratch;
use harness::selvedge::{Checked, Selvedge};
use harness::spin::claims;
use harness::spin::output::PanReport;
use harness::spin::references;
use harness::spin::{self, Compiler, Obstacle, Setup};
use selvedge_testgen::Program;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Larger state spaces take time without telling more.
const MOST_STATES: u64 = 200_000;
/// For each stage of Spin with gcc, in processor time.
const LIMIT: Duration = Duration::from_secs(10);
/// For Selvedge, which counts on the clock: far more than it takes on a quiet machine for models that Spin completes.
pub const OURS: Duration = Duration::from_secs(120);
/// For each stage of Spin with tcc. (What takes longer is nearly always an `atomic` sequence with many branches: states
/// within it are not stored, so pan walks through it again and again.)
const QUICK: Duration = Duration::from_secs(3);

/// What came of one program.
#[derive(Debug)]
pub enum Outcome {
    /// Spin refuses it.
    RefusedBySpin(String),
    /// Spin has no answer, or none that is defined.
    NotComparable(String),
    /// Both agree (or there is only one).
    Agreed(Box<PanReport>),
    /// They differ.
    Disagreed(Disagreement),
}

/// How two tools differ on a program.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// In what.
    pub sort: Difference,
    /// What Spin finds.
    pub spin: Figures,
    /// What Selvedge finds or says instead.
    pub selvedge: String,
}

/// The two tools.
pub struct Judge {
    /// Ours; without it, programs are only run through Spin, to see what the generator is worth.
    pub selvedge: Option<Selvedge>,
    /// Who compiles pan.
    pub compiler: Compiler,
}

impl Judge {
    /// Runs both tools on a program. A disagreement has been confirmed: by a verifier made with gcc, and by one that
    /// searches in another order, which tells faults of pan from faults of ours.
    pub fn judge(&self, program: &Program) -> io::Result<Outcome> {
        match self.judge_quickly(program)? {
            Outcome::Disagreed(_) => self.with(Compiler::GccPlain).judge_carefully(program),
            Outcome::Agreed(_) if self.selvedge.is_none() => self.judge_carefully(program),
            outcome => Ok(outcome),
        }
    }

    /// Runs both tools on a program.
    pub fn judge_quickly(&self, program: &Program) -> io::Result<Outcome> {
        self.compare(program, false)
    }

    /// The same, where Spin must agree with itself.
    fn judge_carefully(&self, program: &Program) -> io::Result<Outcome> {
        self.compare(program, true)
    }

    fn with(&self, compiler: Compiler) -> Judge {
        Judge { selvedge: self.selvedge.clone(), compiler }
    }

    fn compare(&self, program: &Program, carefully: bool) -> io::Result<Outcome> {
        let scratch = Scratch::new("fuzz")?;
        let model = scratch.path().join("model.pml");
        std::fs::write(&model, program.to_string())?;
        let report = match self.spin(&model, &scratch, false)? {
            Ok(report) => report,
            Err(outcome) => return Ok(outcome),
        };
        let figures = report.figures();
        if carefully {
            match self.spin(&model, &scratch, true)? {
                Ok(reverse) if reverse.figures() == figures => {}
                Ok(_) => {
                    let why = "pan's answer depends on the order of its search";
                    return Ok(Outcome::NotComparable(why.to_owned()));
                }
                Err(outcome) => return Ok(outcome),
            }
        }
        let Some(selvedge) = &self.selvedge else { return Ok(Outcome::Agreed(Box::new(report))) };
        let (sort, ours) = match selvedge.check(&model, false)? {
            Ok(checked) if checked.uses_dead_channel => {
                let why = "the channel of a process that has ended is used: pan reads what is left of it";
                return Ok(Outcome::NotComparable(why.to_owned()));
            }
            Ok(checked) => match figures.difference(&checked.figures) {
                None => return Ok(Outcome::Agreed(Box::new(report))),
                Some(_) if self.only_stuttering(&scratch, &report, &checked.figures)? => {
                    return Ok(Outcome::Agreed(Box::new(report)));
                }
                Some(_) if self.only_translated(&scratch, program, &report)? => {
                    return Ok(Outcome::Agreed(Box::new(report)));
                }
                Some(_) if overlooked_by_pan(program, &figures, &checked).is_some() => {
                    let why = overlooked_by_pan(program, &figures, &checked).unwrap_or_default();
                    return Ok(Outcome::NotComparable(why.to_owned()));
                }
                Some(_) if self.only_untyped(&scratch, program, &checked.figures)? => {
                    let why = "a label of a process of another type is named: pan compares the places of both types";
                    return Ok(Outcome::NotComparable(why.to_owned()));
                }
                Some(sort) => (sort, describe(&checked.figures)),
            },
            Err(failure) if failure.sort == Difference::Refused && is_deliberate(&failure.reason) => {
                let why = format!("selvedge refuses what spin accepts, as documented: {}", failure.reason);
                return Ok(Outcome::NotComparable(why));
            }
            Err(failure) => (failure.sort, failure.reason),
        };
        Ok(Outcome::Disagreed(Disagreement { sort, spin: figures, selvedge: ours }))
    }

    /// Whether the tools differ only in numbers that mean nothing (see [`spin::stutters`]).
    fn only_stuttering(&self, scratch: &Scratch, report: &PanReport, ours: &Figures) -> io::Result<bool> {
        Ok(report.figures().kinds == ours.kinds && spin::stutters(scratch.path(), &self.setup(false), report)?)
    }

    /// Whether the tools differ only in how they translate a formula: with Spin's automaton both have the same figures. With
    /// its own, each may find a formula violated in another state, and by another kind of error: Spin's automata for some
    /// formulas contain an assertion, ours end.
    fn only_translated(&self, scratch: &Scratch, program: &Program, report: &PanReport) -> io::Result<bool> {
        let written = claims::written_by_spin(scratch.path())?;
        let (Some(claim), Some(selvedge)) = (written.first(), &self.selvedge) else { return Ok(false) };
        let model = scratch.path().join("with_claim.pml");
        std::fs::write(&model, claims::with_claim(&program.to_string(), claim))?;
        let Ok(checked) = selvedge.check(&model, false)? else { return Ok(false) };
        Ok(report.figures().difference(&checked.figures).is_none()
            || self.only_stuttering(scratch, report, &checked.figures)?)
    }

    /// Whether the tools differ only in references to labels of processes of another type (see [`references`]), or pan has
    /// no answer any more once it looks at types.
    fn only_untyped(&self, scratch: &Scratch, program: &Program, ours: &Figures) -> io::Result<bool> {
        if !references::check_types(scratch.path())? {
            return Ok(false);
        }
        let Ok(verified) = spin::verify_generated(scratch.path(), &self.setup(false), 0.0)? else { return Ok(true) };
        let report = &verified.report;
        Ok(report.figures().difference(ours).is_none()
            || self.only_stuttering(scratch, report, ours)?
            || self.only_translated(scratch, program, report)?)
    }

    fn setup(&self, reverse: bool) -> Setup {
        Setup {
            compiler: self.compiler,
            no_claim: false,
            reverse,
            no_stutter: false,
            claim: None,
            depth: 100_000,
            deeper: 0,
            hash_bits: 16,
            megabytes: 40,
            state_bytes: 1024,
            limit: if self.compiler == Compiler::Tcc { QUICK } else { LIMIT },
        }
    }

    /// Spin's report, or why the program is out of the question.
    fn spin(&self, model: &Path, scratch: &Scratch, reverse: bool) -> io::Result<Result<PanReport, Outcome>> {
        let setup = self.setup(reverse);
        let report = match spin::verify(model, scratch.path(), &setup)? {
            Ok(verified) => verified.report,
            Err(Obstacle::Refused(why) | Obstacle::BadC(why)) => {
                return Ok(Err(Outcome::RefusedBySpin(why)));
            }
            Err(obstacle) => return Ok(Err(Outcome::NotComparable(obstacle.to_string()))),
        };
        let kinds = report.figures().kinds;
        if report.states > MOST_STATES {
            Ok(Err(Outcome::NotComparable("too many states".to_owned())))
        } else if kinds.contains(&ErrorKind::Runtime) {
            Ok(Err(Outcome::NotComparable("run-time error: pan's behaviour is undefined".to_owned())))
        } else {
            Ok(Ok(report))
        }
    }
}

/// What pan does not see by the way it is written, although the language defines it.
fn overlooked_by_pan(program: &Program, spin: &Figures, ours: &Checked) -> Option<&'static str> {
    let mut without = ours.figures.clone();
    without.kinds.remove(&ErrorKind::Runtime);
    if ours.chooses_in_d_proctype && spin.difference(&without).is_none() {
        return Some("a D_proctype chooses between two `skip`s, which pan takes for one statement");
    }
    let text = program.to_string();
    let (processes, claim) = text.split_once("never {")?;
    let only_in_claim = claim.contains("timeout") && !processes.contains("timeout");
    only_in_claim.then_some("only the claim asks for `timeout`, which pan then never makes true")
}

/// Errors for constructs that Spin accepts and that are refused on purpose, because what they mean depends on how Spin's
/// verifier is written (see `docs/codes`).
const DELIBERATE: [&str; 12] =
    ["P1012", "P1037", "P1042", "P1044", "P1045", "P1047", "P1048", "P1049", "P1050", "P1051", "P1052", "P1053"];

fn is_deliberate(complaint: &str) -> bool {
    DELIBERATE.iter().any(|code| complaint.contains(code))
}

fn describe(figures: &Figures) -> String {
    let Figures { states, transitions, .. } = figures;
    format!("{states} states, {transitions} transitions, errors: {}", figures.kinds_text())
}

impl Disagreement {
    /// Both sides in one line.
    pub fn describe(&self) -> String {
        format!("{}: spin: {}; selvedge: {}", self.sort, describe(&self.spin), self.selvedge)
    }
}
