//! One comparison: a model, with or without one of its claims, in both tools.

use harness::figures::{Difference, ErrorKind};
use harness::models::Model;
use harness::scratch::Scratch;
use harness::selvedge::{Checked, Failure, Selvedge};
use harness::spin::claims::{self, Claim};
use harness::spin::{self, Compiler, Obstacle, Setup, Verified};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

type SpinResult = Result<Verified, Obstacle>;

/// Both tools, ready to run.
pub struct Bench {
    /// Ours, if it takes part.
    pub selvedge: Option<Selvedge>,
    /// For each stage.
    pub limit: Duration,
    /// How many claims of a model, at most.
    pub claims: usize,
    /// For pan.
    pub compiler: Compiler,
}

/// What came of a comparison.
#[derive(Debug)]
pub enum Verdict {
    /// Same states, transitions and kinds of errors.
    Equal,
    /// Both see an error at run time; beyond it, pan's figures mean nothing.
    EqualErrors,
    /// Same kinds of errors; the numbers mean nothing because the claim stutters (see [`spin::stutters`]).
    EqualButStuttering,
    /// They differ.
    Differs(Difference, String),
    /// Spin has nothing to compare with.
    NotComparable(String),
}

/// A comparison made.
#[derive(Debug)]
pub struct Case {
    /// The model, and which of its claims.
    pub name: String,
    /// What Spin found.
    pub spin: Option<Verified>,
    /// What Selvedge found.
    pub selvedge: Option<Checked>,
    /// Whether that is the same.
    pub verdict: Verdict,
}

impl Bench {
    /// All cases of a model.
    pub fn cases(&self, model: &Model) -> io::Result<Vec<Case>> {
        if model.embeds_c() {
            return Ok(vec![Case::without(model.name.clone(), "embedded C".to_owned())]);
        }
        if let Some(reason) = model.header("states").and_then(|s| s.strip_prefix("n/a")) {
            return Ok(vec![Case::without(model.name.clone(), reason.trim().to_owned())]);
        }
        let scratch = Scratch::new("conformance")?;
        let dir = scratch.path();
        let generated = match spin::generate(&model.path, dir, self.limit)? {
            Ok(generated) => generated,
            Err(obstacle) => return Ok(vec![Case::without(model.name.clone(), obstacle.to_string())]),
        };
        let claims = claims::written_by_spin(dir)?;
        let setup = Setup { no_claim: !claims.is_empty(), ..self.setup() };
        let verified = spin::verify_generated(dir, &setup, generated.seconds)?;
        let name = if claims.is_empty() { model.name.clone() } else { format!("{} (no claim)", model.name) };
        let mut cases = vec![self.compare(name, &model.path, dir, verified, setup.no_claim)?];
        for claim in claims.iter().take(self.claims) {
            cases.push(self.claim_case(model, claim)?);
        }
        Ok(cases)
    }

    fn setup(&self) -> Setup {
        Setup { compiler: self.compiler, ..Setup::thorough(self.limit) }
    }

    /// The model with one of Spin's claims in place of its ltl properties.
    fn claim_case(&self, model: &Model, claim: &Claim) -> io::Result<Case> {
        let scratch = Scratch::new("claim")?;
        let derived = derive(model, claim, scratch.path())?;
        let verified = spin::verify(&derived, scratch.path(), &self.setup())?;
        self.compare(format!("{} ({})", model.name, claim.name), &derived, scratch.path(), verified, false)
    }

    fn compare(&self, name: String, path: &Path, dir: &Path, spin: SpinResult, no_claim: bool) -> io::Result<Case> {
        let spin = match spin {
            Ok(verified) => verified,
            Err(obstacle) => return Ok(Case::without(name, obstacle.to_string())),
        };
        let Some(selvedge) = &self.selvedge else {
            let verdict = Verdict::NotComparable("spin only".to_owned());
            return Ok(Case { name, spin: Some(spin), selvedge: None, verdict });
        };
        let ours = selvedge.check(path, no_claim)?;
        let mut verdict = judge(&spin, &ours);
        if let (Verdict::Differs(..), Ok(ours)) = (&verdict, &ours) {
            let same_kinds = spin.report.figures().kinds == ours.figures.kinds;
            if same_kinds && spin::stutters(dir, &self.setup(), &spin.report)? {
                verdict = Verdict::EqualButStuttering;
            }
        }
        Ok(Case { name, spin: Some(spin), selvedge: ours.ok(), verdict })
    }
}

fn judge(spin: &Verified, ours: &Result<Checked, Failure>) -> Verdict {
    let theirs = spin.report.figures();
    match ours {
        Err(failure) => Verdict::Differs(failure.sort, failure.reason.clone()),
        Ok(ours) if theirs.kinds.contains(&ErrorKind::Runtime) => {
            if ours.figures.kinds.contains(&ErrorKind::Runtime) {
                Verdict::EqualErrors
            } else {
                Verdict::Differs(Difference::Kinds, "no run-time error found".to_owned())
            }
        }
        Ok(ours) => match theirs.difference(&ours.figures) {
            None => Verdict::Equal,
            Some(Difference::Kinds) => Verdict::Differs(Difference::Kinds, ours.figures.kinds_text()),
            Some(sort) => Verdict::Differs(sort, String::new()),
        },
    }
}

impl Case {
    fn without(name: String, why: String) -> Case {
        Case { name, spin: None, selvedge: None, verdict: Verdict::NotComparable(why) }
    }

    /// A difference that is a fault, which running out of time is not.
    pub fn fails(&self) -> bool {
        matches!(&self.verdict, Verdict::Differs(sort, _) if *sort != Difference::Limit)
    }

    /// The verdict in words.
    pub fn result(&self) -> String {
        match &self.verdict {
            Verdict::Equal => "equal".to_owned(),
            Verdict::EqualErrors => "equal (run-time error)".to_owned(),
            Verdict::EqualButStuttering => "equal (errors; the claim stutters)".to_owned(),
            Verdict::Differs(sort, detail) if detail.is_empty() => format!("DIFFERS: {sort}"),
            Verdict::Differs(sort, detail) => format!("DIFFERS: {sort}: {detail}"),
            Verdict::NotComparable(why) => why.clone(),
        }
    }

    /// One line for the impatient.
    pub fn line(&self) -> String {
        format!("{}: {}", self.name, self.result())
    }
}

/// Writes the derived model into `dir`, with the other files of its directory beside it for its `#include`s.
fn derive(model: &Model, claim: &Claim, dir: &Path) -> io::Result<PathBuf> {
    if let Some(home) = model.path.parent() {
        for entry in std::fs::read_dir(home)? {
            let path = entry?.path();
            if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                match std::fs::read_to_string(&path) {
                    Ok(text) => std::fs::write(dir.join(name), claims::without_ltl(&text))?,
                    Err(_) => drop(std::fs::copy(&path, dir.join(name))?),
                }
            }
        }
    }
    let name = model.path.file_name().unwrap_or("model.pml".as_ref());
    let derived = dir.join(name);
    std::fs::write(&derived, claims::with_claim(&model.source, claim))?;
    Ok(derived)
}
