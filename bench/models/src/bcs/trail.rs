//! Counting the switches of a run that Spin found, from what `spin -t -p` prints of it.
//!
//! By the rules Selvedge counts its own runs with, so that the numbers can stand in one table: the first step is no
//! switch, steps of a claim are none, and the hand-over of a rendezvous is none (sender and receiver together are one
//! step, after which the receiver is the one that ran last).

use std::collections::BTreeSet;

/// What there is to count in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Switches of process.
    pub switches: u64,
    /// Steps.
    pub length: u64,
}

/// One printed step.
struct Step<'a> {
    process: u32,
    /// Empty for the end of a process.
    statement: &'a str,
}

/// Counts the steps of a replay; `source` is the model's text, which says which channels have no room.
pub fn count(replay: &str, source: &str) -> Counted {
    let rendezvous = channels_without_room(source);
    let lines = replay.lines().take_while(|l| !l.starts_with("#processes:") && !l.starts_with("spin: trail ends"));
    let mut counted = Counted { switches: 0, length: 0 };
    let mut before: Option<Step<'_>> = None;
    for step in lines.filter_map(step) {
        let handed_over = before.as_ref().is_some_and(|b| meets(b, &step, &rendezvous));
        if !handed_over {
            counted.length += 1;
            counted.switches += u64::from(before.is_some_and(|b| b.process != step.process));
        }
        before = Some(step);
    }
    counted
}

/// The step of a line such as ` 12:    proc  6 (bus:1) m.pml:25 (state 4)    [q?x]` or ` 13: proc 1 terminates`.
fn step(line: &str) -> Option<Step<'_>> {
    let (number, rest) = line.trim_start().split_once(':')?;
    number.parse::<u64>().ok()?;
    let rest = rest.trim_start().strip_prefix("proc")?.trim_start();
    let (process, rest) = rest.split_once(' ')?;
    let process = process.parse().ok()?;
    if rest.trim() == "terminates" {
        return Some(Step { process, statement: "" });
    }
    let (_, statement) = rest.split_once("\t[")?;
    Some(Step { process, statement: statement.trim_end().strip_suffix(']')? })
}

/// Whether the two are the sides of one rendezvous.
fn meets(sender: &Step<'_>, receiver: &Step<'_>, rendezvous: &BTreeSet<String>) -> bool {
    let sent = sender.statement.split_once('!').map(|(channel, _)| name(channel));
    let received = receiver.statement.split_once('?').map(|(channel, _)| name(channel));
    sender.process != receiver.process
        && sent.is_some()
        && sent == received
        && sent.is_some_and(|c| rendezvous.contains(c))
}

/// The name of a channel without an index.
fn name(channel: &str) -> &str {
    channel.split('[').next().unwrap_or(channel).trim()
}

/// Names of the channels declared with `[0] of`.
fn channels_without_room(source: &str) -> BTreeSet<String> {
    let squeezed = source.split_whitespace().collect::<Vec<_>>().join(" ").replace("[ 0 ]", "[0]");
    let declared = squeezed.split("[0] of").map(|before| before.trim_end().trim_end_matches('='));
    let word = |text: &str| {
        let text = text.trim_end();
        let text = if text.ends_with(']') { text.rsplit_once('[').map_or(text, |(t, _)| t) } else { text };
        text.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
    };
    let mut names: BTreeSet<String> = declared.map(word).collect();
    names.remove("");
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLAY: &str = "\
Starting B with pid 1
  1:\tproc  0 (A:1) rv.pml:2 (state 1)\t[q!3]
  2:\tproc  1 (B:1) rv.pml:3 (state 1)\t[q?x]
  3: proc 1 terminates
spin: rv.pml:2, Error: assertion violated
  4:\tproc  0 (A:1) rv.pml:2 (state 2)\t[assert(0)]
spin: trail ends after 4 steps
#processes: 1
  4:\tproc  0 (A:1) rv.pml:2 (state 3) <valid end state>
";

    #[test]
    fn a_rendezvous_is_one_step_and_no_switch() {
        assert_eq!(count(REPLAY, "chan q = [0] of { byte };"), Counted { switches: 1, length: 3 });
        assert_eq!(count(REPLAY, "chan q = [1] of { byte };"), Counted { switches: 2, length: 4 });
    }

    #[test]
    fn moves_of_a_claim_do_not_count() {
        let replay = "  1:\tproc  - (c:1) m:1 (state 1)\t[(1)]\n  2:\tproc  1 (A:1) m:2 (state 1)\t[x = 1]\n";
        assert_eq!(count(replay, ""), Counted { switches: 0, length: 1 });
    }

    #[test]
    fn finds_channels_in_arrays() {
        let names = channels_without_room("chan a[2] = [ 0 ] of {int}, b=[0] of {bit}; chan c = [1] of {bit}");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }
}
