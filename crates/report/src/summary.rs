//! The answer in words: what was found, and in which scope that is true. A run that did not explore everything claims no
//! more than what it covered; a bound is always printed with its noun.

use selvedge_core::trace::TraceViolation;
use selvedge_core::{Bound, BoundKind, Layer, Stats, StopReason, Verdict};

use crate::json::Scope;
use crate::text::{count, one_line, thousands};

/// Rows of the table of bounds; of more, the middle is left out.
const SHOWN_LAYERS: usize = 20;
/// Unreachable assertions that are listed; more are counted.
const SHOWN_UNREACHED: usize = 5;

/// What a run found out, as data. [`Summary::head`] comes before the counterexample,
/// [`Summary::foot`] after it.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The answer.
    pub verdict: Verdict,
    /// The bound of the search (the last one, where it was iterated).
    pub bound: Bound,
    /// Whether everything within the bound was explored.
    pub complete: bool,
    /// The largest bound within which everything was explored without finding a violation.
    pub covered: Option<Bound>,
    /// Figures of each bound that was completed.
    pub layers: Vec<Layer>,
    /// Why the run stopped.
    pub stop: StopReason,
    /// Figures of the search.
    pub stats: Stats,
    /// Where states may have been missed (a lossy store): a sentence that says how likely.
    pub omission: Option<String>,
    /// What was checked and what was not.
    pub scope: Scope,
    /// What went wrong.
    pub violation: Option<TraceViolation>,
    /// The last lines: how to replay, how to continue. Printed unchanged.
    pub next_commands: Vec<String>,
}

impl Summary {
    /// The answer and its scope; the first line starts with the verdict. Ends with a line end.
    pub fn head(&self) -> String {
        match self.verdict {
            Verdict::Violated => self.violated(),
            Verdict::Holds => {
                format!("holds: no violation; every reachable state was explored ({})\n", self.figures())
                    + &self.bounds()
            }
            Verdict::HoldsWithinBound => self.within_bound() + &self.bounds(),
            Verdict::Inconclusive => self.inconclusive() + &self.bounds(),
        }
    }

    /// What each bound added, where there was more than one.
    fn bounds(&self) -> String {
        if self.layers.len() < 2 {
            return String::new();
        }
        let noun = match self.bound.kind {
            BoundKind::Switches => "switches",
            BoundKind::Rounds => "rounds",
            _ => "preemptions",
        };
        let mut out = String::from("bound by bound:\n");
        let mut row = |cells: [String; 5]| {
            let [bound, states, new, transitions, seconds] = cells;
            out.push_str(&format!("{bound:>13} {states:>14} {new:>14} {transitions:>15} {seconds:>9}\n"));
        };
        row([noun, "states", "new", "transitions", "seconds"].map(str::to_owned));
        let folded = if self.layers.len() > SHOWN_LAYERS {
            SHOWN_LAYERS / 2..self.layers.len() - SHOWN_LAYERS / 2
        } else {
            0..0
        };
        for (index, layer) in self.layers.iter().enumerate() {
            if index == folded.start && !folded.is_empty() {
                row(["…", "…", "…", "…", "…"].map(str::to_owned));
            }
            if !folded.contains(&index) {
                let [states, new, transitions] = [layer.states, layer.new_states, layer.transitions].map(thousands);
                row([layer.bound.to_string(), states, new, transitions, format!("{:.3}", layer.seconds)]);
            }
        }
        out
    }

    /// What was checked and what was not, and the commands to continue with. Ends with a line end
    /// unless it is empty.
    pub fn foot(&self) -> String {
        self.properties() + &self.commands()
    }

    /// What was checked and what was not.
    pub fn properties(&self) -> String {
        properties(self.verdict, &self.scope)
    }

    /// The commands to continue with, each on one line, however long; `wrap_commands` makes them fit.
    pub fn commands(&self) -> String {
        self.next_commands.iter().map(|command| format!("{command}\n")).collect()
    }

    /// Head and foot together, for runs without a counterexample to draw.
    pub fn text(&self) -> String {
        self.head() + &self.foot()
    }

    fn violated(&self) -> String {
        let Some(violation) = &self.violation else {
            return format!("violated ({})\n", self.figures());
        };
        let mut out = format!("violated: {}\n", one_line(&violation.message));
        out.push_str(&format!("explored: {} ({})", self.bound, self.figures()));
        if let Some(covered) = self.covered.filter(|covered| *covered != self.bound) {
            out.push_str(&format!("; no violation with {covered}"));
        }
        let place = violation.location.as_ref().map(|place| format!("at {place} — ")).unwrap_or_default();
        let steps = count(violation.length.into(), "step", "steps");
        match violation.preemptions {
            Some(preemptions) => {
                let preemptions = count(preemptions.into(), "preemption", "preemptions");
                let switches = count(violation.switches.into(), "switch", "switches");
                out.push_str(&format!("\n{place}{preemptions}, {switches}, {steps}\n"));
            }
            None => out.push_str(&format!("\n{place}{steps}\n")),
        }
        if let Some(preemptions) = violation.preemptions_per_cycle {
            let times =
                if preemptions == 1 { "once".to_owned() } else { format!("{} times", thousands(preemptions.into())) };
            out.push_str(&format!(
                "each iteration of the cycle preempts {times}, so no finite bound contains this run\n"
            ));
        }
        out
    }

    fn within_bound(&self) -> String {
        let (bound, figures) = (self.bound, self.figures());
        if !self.complete {
            return format!(
                "no violation found with {bound}, but only a part of the states within it was explored ({figures})\n"
            );
        }
        let mut out = format!("holds within the bound: no violation with {bound}; ");
        out.push_str(&format!("every state within it was explored ({figures})\n"));
        if self.bound.kind != BoundKind::Unbounded {
            out.push_str("a violation beyond the bound is possible; a higher bound explores more\n");
        }
        out
    }

    fn inconclusive(&self) -> String {
        let mut out = format!("inconclusive: {}\n", self.why());
        match self.covered {
            Some(covered) if covered.kind != BoundKind::Unbounded => {
                out.push_str(&format!("no violation with {covered}: every state within that bound was explored\n"));
            }
            _ => out.push_str("no violation was found in what was explored\n"),
        }
        if self.covered != Some(self.bound) {
            let scope = match self.bound.kind {
                BoundKind::Unbounded => "a part of the reachable states".to_string(),
                _ => format!("a part of the states with {}", self.bound),
            };
            out.push_str(&format!("explored: {scope} ({})\n", self.figures()));
        }
        out
    }

    fn why(&self) -> String {
        let seconds = format!("{:.1} s", self.stats.seconds);
        let states = count(self.stats.states, "state", "states");
        match (self.stop, &self.omission) {
            (StopReason::Exhausted | StopReason::Bound | StopReason::Violation, Some(omission)) => one_line(omission),
            (StopReason::Exhausted | StopReason::Bound, None) => "the search could not decide".to_string(),
            (StopReason::Violation, None) => format!("another property is violated, ended after {states}"),
            (StopReason::Time, _) => format!("stopped by --time-limit after {seconds}"),
            (StopReason::Memory, _) => format!("stopped by --memory-limit after {states}"),
            (StopReason::States, _) => format!("stopped by --max-states after {states}"),
            (StopReason::Depth, _) => {
                format!("--max-depth cut off runs longer than {} transitions", thousands(self.stats.max_depth))
            }
            (StopReason::Stack, _) => format!("calls deeper than --stack-limit were not followed ({states})"),
            (StopReason::Threads, _) => format!("threads beyond --thread-limit were not created ({states})"),
            (StopReason::Tokens, _) => format!("tokens beyond --token-limit were not produced ({states})"),
            (StopReason::GaveUp, _) => format!("the search gave up after {seconds}"),
            (StopReason::Interrupted, _) => format!("interrupted after {seconds}"),
        }
    }

    fn figures(&self) -> String {
        let states = count(self.stats.states, "state", "states");
        format!("{states}, {}", count(self.stats.transitions, "transition", "transitions"))
    }
}

/// What was checked and what was not, one line each; unreachable assertions check nothing, and statements that are never
/// executed often mean that the model does not do what it should.
pub fn properties(verdict: Verdict, scope: &Scope) -> String {
    let mut out = String::new();
    if !scope.checked.is_empty() {
        out.push_str(&format!("checked: {}\n", scope.checked.join(", ")));
    }
    for property in &scope.not_checked {
        out.push_str(&format!("not checked: {property}\n"));
    }
    let always = verdict == Verdict::Holds;
    let words = |always_words, within_words| if always { always_words } else { within_words };
    list(
        &scope.never_reached,
        words("unreachable assertion", "assertion not reached within the bound"),
        words("unreachable assertions", "assertions not reached within the bound"),
        &mut out,
    );
    list(
        &scope.never_executed,
        words("unreachable statement", "statement not executed within the bound"),
        words("unreachable statements", "statements not executed within the bound"),
        &mut out,
    );
    out
}

/// The first places, and how many more there are.
fn list(places: &[String], one: &str, many: &str, out: &mut String) {
    for place in places.iter().take(SHOWN_UNREACHED) {
        out.push_str(&format!("{one}: {place}\n"));
    }
    if let Some(more @ 1..) = places.len().checked_sub(SHOWN_UNREACHED) {
        out.push_str(&format!("{many}: {more} more\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_core::ViolationKind;
    use selvedge_core::trace::TraceLocation;

    fn bound(value: u32) -> Bound {
        Bound { kind: BoundKind::Preemptions, value: Some(value) }
    }

    fn checked(not_checked: Vec<String>) -> Scope {
        Scope { checked: vec!["assertions".into(), "invalid end states".into()], not_checked, ..Scope::default() }
    }

    fn summary(verdict: Verdict) -> Summary {
        Summary {
            verdict,
            bound: bound(2),
            complete: true,
            covered: Some(bound(2)),
            layers: Vec::new(),
            stop: StopReason::Exhausted,
            stats: Stats { states: 1204, transitions: 3010, max_depth: 21, seconds: 30.04, ..Stats::default() },
            omission: None,
            scope: checked(Vec::new()),
            violation: None,
            next_commands: Vec::new(),
        }
    }

    #[test]
    fn a_violation_has_its_place_and_its_cost() {
        let summary = Summary {
            covered: Some(bound(0)),
            bound: bound(1),
            stop: StopReason::Violation,
            violation: Some(TraceViolation {
                kind: ViolationKind::Assertion,
                message: "assertion violated: ncrit == 1".into(),
                location: Some(TraceLocation { file: "peterson.pml".into(), line: 31, column: 5 }),
                preemptions: Some(1),
                preemptions_per_cycle: None,
                switches: 3,
                length: 14,
                explanation: None,
                avoided_by_swapping: None,
            }),
            scope: checked(vec!["invalid end states, because a never claim is in force".into()]),
            next_commands: vec!["replay: selvedge replay peterson.trace.json".into()],
            ..summary(Verdict::Violated)
        };
        assert_eq!(
            summary.text(),
            "\
violated: assertion violated: ncrit == 1
explored: at most 1 preemption (1,204 states, 3,010 transitions); no violation with at most 0 preemptions
at peterson.pml:31:5 — 1 preemption, 3 switches, 14 steps
checked: assertions, invalid end states
not checked: invalid end states, because a never claim is in force
replay: selvedge replay peterson.trace.json
"
        );
    }

    #[test]
    fn a_lasso_that_preempts_in_its_cycle_has_no_total() {
        let summary = Summary {
            covered: Some(bound(2)),
            bound: Bound::UNBOUNDED,
            stop: StopReason::Violation,
            violation: Some(TraceViolation {
                kind: ViolationKind::AcceptanceCycle,
                message: "acceptance cycle".into(),
                location: None,
                preemptions: None,
                preemptions_per_cycle: Some(2),
                switches: 4,
                length: 7,
                explanation: None,
                avoided_by_swapping: None,
            }),
            ..summary(Verdict::Violated)
        };
        assert_eq!(
            summary.head(),
            "\
violated: acceptance cycle
explored: any number of switches (1,204 states, 3,010 transitions); no violation with at most 2 preemptions
7 steps
each iteration of the cycle preempts 2 times, so no finite bound contains this run
"
        );
    }

    #[test]
    fn answers_without_a_violation_state_their_scope() {
        assert_eq!(
            summary(Verdict::Holds).head(),
            "holds: no violation; every reachable state was explored (1,204 states, 3,010 transitions)\n"
        );
        assert_eq!(
            summary(Verdict::HoldsWithinBound).head(),
            "\
holds within the bound: no violation with at most 2 preemptions; every state within it was explored \
(1,204 states, 3,010 transitions)
a violation beyond the bound is possible; a higher bound explores more
"
        );
    }

    #[test]
    fn an_inconclusive_run_states_what_it_covered() {
        let stopped = Summary {
            stop: StopReason::Time,
            complete: false,
            covered: Some(bound(1)),
            ..summary(Verdict::Inconclusive)
        };
        assert_eq!(
            stopped.head(),
            "\
inconclusive: stopped by --time-limit after 30.0 s
no violation with at most 1 preemption: every state within that bound was explored
explored: a part of the states with at most 2 preemptions (1,204 states, 3,010 transitions)
"
        );
        let lossy = Summary {
            bound: Bound::UNBOUNDED,
            covered: None,
            omission: Some("the bitstate store may have missed states (about 1 in 1,000)".into()),
            ..summary(Verdict::Inconclusive)
        };
        assert_eq!(
            lossy.head(),
            "\
inconclusive: the bitstate store may have missed states (about 1 in 1,000)
no violation was found in what was explored
explored: a part of the reachable states (1,204 states, 3,010 transitions)
"
        );
    }

    #[test]
    fn what_is_incomplete_claims_no_proof() {
        use StopReason::{Depth, Exhausted, Interrupted, Memory, States, Time};
        for verdict in [Verdict::HoldsWithinBound, Verdict::Inconclusive] {
            for stop in [Exhausted, Time, Memory, States, Depth, Interrupted] {
                let text = Summary { stop, complete: false, covered: None, ..summary(verdict) }.text().to_lowercase();
                assert!(
                    ["verified", "proved", "proven", "holds", "every state"].iter().all(|word| !text.contains(word)),
                    "{text}"
                );
            }
        }
    }
}
