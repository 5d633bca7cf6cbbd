//! Schedules as text, short enough to paste: `s1:` and the threads in the order of their steps, runs of one thread
//! as `thread*times`, outcomes chosen by the environment as `thread=outcome`, separated by dots:
//! `s1:0*3.1.2*2=1.0`. The number after `s` is the version of the format.

use crate::ThreadId;
/// The schedule as text.
pub(crate) fn to_text(schedule: &[(ThreadId, u32)]) -> String {
    let mut text = String::from("s1:");
    let mut rest = schedule;
    while let Some(&(thread, choice)) = rest.first() {
        let times = rest.iter().take_while(|&&step| step == (thread, choice)).count();
        if text.len() > 3 {
            text.push('.');
        }
        text.push_str(&thread.0.to_string());
        if times > 1 {
            text.push_str(&format!("*{times}"));
        }
        if choice > 0 {
            text.push_str(&format!("={choice}"));
        }
        rest = &rest[times..];
    }
    text
}

/// The longest schedule that is read: a damaged text must not exhaust memory.
const LONGEST: usize = 100_000_000;

/// Reads a schedule, or says what is wrong with the text.
pub(crate) fn parse(text: &str) -> Result<Vec<(ThreadId, u32)>, String> {
    let text = text.trim();
    let Some(body) = text.strip_prefix("s1:") else {
        let found: String = text.chars().take(8).collect();
        return Err(format!("a schedule of this version starts with `s1:`, this one with `{found}`"));
    };
    let mut schedule = Vec::new();
    for item in body.split('.').filter(|i| !i.is_empty()) {
        let number = |s: &str| {
            s.parse::<u32>().map_err(|_| format!("`{item}` is not `thread`, `thread*times` or `thread=outcome`"))
        };
        let (item_body, choice) = match item.split_once('=') {
            Some((body, choice)) => (body, number(choice)?),
            None => (item, 0),
        };
        let (thread, times) = match item_body.split_once('*') {
            Some((thread, times)) => (number(thread)?, number(times)? as usize),
            None => (number(item_body)?, 1),
        };
        if schedule.len() + times > LONGEST {
            return Err(format!("`{item}`: the schedule is longer than {LONGEST} steps"));
        }
        schedule.extend(std::iter::repeat_n((ThreadId(thread), choice), times));
    }
    Ok(schedule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_survives_its_text() {
        let schedule =
            [(0, 0), (0, 0), (0, 0), (1, 0), (12, 1), (12, 1), (0, 0)].map(|(t, outcome)| (ThreadId(t), outcome));
        let text = to_text(&schedule);
        assert_eq!(text, "s1:0*3.1.12*2=1.0");
        assert_eq!(parse(&text).as_deref(), Ok(&schedule[..]));
        assert_eq!(parse(" s1: "), Ok(vec![]));
    }

    #[test]
    fn damaged_text_is_refused() {
        for text in ["", "0.1", "s2:0", "s1:x", "s1:0*", "s1:0*-1", "s1:0=1=2", "s1:4294967296", "s1:0*4000000000"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
