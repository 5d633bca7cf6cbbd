//! What a long search shows on stderr: on a terminal one line that updates itself, elsewhere plain
//! lines, after 10 seconds and then ever less often. Nothing with `--quiet`.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use selvedge_verify::{Event, Observer, Silent};

use crate::console::{Console, to_stderr};

const FIRST_LINE_SECONDS: f64 = 10.0;
const LONGEST_PAUSE_SECONDS: f64 = 300.0;

/// Whether a line is on the terminal, and whether it may come back.
static SHOWN: AtomicBool = AtomicBool::new(false);
static OVER: AtomicBool = AtomicBool::new(false);

/// Takes the line off the terminal, for an answer that is given while the search still runs.
pub fn clear() {
    OVER.store(true, Ordering::SeqCst);
    if SHOWN.swap(false, Ordering::SeqCst) {
        to_stderr("\r\x1b[2K");
    }
}

/// The observer for this run; dropping it takes its line off the terminal.
pub fn observer(console: &Console) -> Box<dyn Observer> {
    match (console.quiet || console.is_buffered(), io::stderr().is_terminal()) {
        (true, _) => Box::new(Silent),
        (false, true) => Box::new(Terminal::new()),
        (false, false) => Box::new(Lines::new(|line| to_stderr(&format!("{line}\n")))),
    }
}

/// How far the search within bounds is. A search without a bound may take turns with it.
#[derive(Default)]
struct Bounds {
    /// The bound being explored, and the states of its search.
    current: Option<(u32, u64)>,
    /// The last bound that was completed.
    complete: Option<u32>,
}

impl Bounds {
    fn note(&mut self, event: &Event) {
        match event {
            Event::Progress { bound: Some(bound), states, .. } => self.current = Some((*bound, *states)),
            Event::Progress { .. } => {}
            Event::Layer(layer) => {
                self.complete = Some(layer.bound);
                if let Some(current) = &mut self.current {
                    *current = (layer.bound.saturating_add(1), layer.states);
                }
            }
        }
    }

    /// `bound 2 (1 complete); 120,000 states …`, or what a search without a bound does beside that.
    fn line(&self, event: &Event) -> String {
        let bounded = matches!(event, Event::Progress { bound: Some(_), .. });
        let after_complete = self.complete.map(|bound| (bound.saturating_add(1), 0));
        let Some((bound, states)) = self.current.or(after_complete) else { return line(event) };
        let complete = self.complete.map(|bound| format!(" ({bound} complete)")).unwrap_or_default();
        match bounded || states == 0 {
            true => format!("bound {bound}{complete}; {}", line(event)),
            false => {
                format!("bound {bound}{complete}, {} states; without a bound {}", HumanCount(states), line(event))
            }
        }
    }
}

/// `120,000 states (40,000 per second), frontier 31,000, depth 57, 12.00 MiB, 3 s`
fn line(event: &Event) -> String {
    let (states, frontier, depth, memory, seconds) = match event {
        Event::Progress { states, frontier, depth, memory, seconds, .. } => (states, frontier, depth, memory, seconds),
        Event::Layer(layer) => {
            return format!("bound {} complete: {} states", layer.bound, HumanCount(layer.states));
        }
    };
    let rate = if *seconds > 0.0 { (*states as f64 / seconds) as u64 } else { 0 };
    let depth = if *depth > 0 { format!(", depth {}", HumanCount(*depth)) } else { String::new() };
    format!(
        "{} states ({} per second), frontier {}{depth}, {}, {:.0} s",
        HumanCount(*states),
        HumanCount(rate),
        HumanCount(*frontier),
        HumanBytes(*memory),
        seconds
    )
}

struct Terminal {
    bar: ProgressBar,
    bounds: Bounds,
}

impl Terminal {
    fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("searching: {wide_msg}") {
            bar.set_style(style);
        }
        Terminal { bar, bounds: Bounds::default() }
    }
}

impl Observer for Terminal {
    fn event(&mut self, event: &Event) {
        if OVER.load(Ordering::SeqCst) {
            return;
        }
        self.bounds.note(event);
        match event {
            Event::Progress { .. } => {
                SHOWN.store(true, Ordering::SeqCst);
                self.bar.set_message(self.bounds.line(event));
                self.bar.tick();
            }
            Event::Layer(layer) => {
                // Bounds that were completed quickly are listed with the answer.
                if layer.seconds >= 1.0 {
                    self.bar.println(line(event));
                }
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        SHOWN.store(false, Ordering::SeqCst);
        self.bar.finish_and_clear();
    }
}

struct Lines<W: FnMut(&str)> {
    write: W,
    next: f64,
    pause: f64,
    bounds: Bounds,
}

impl<W: FnMut(&str)> Lines<W> {
    fn new(write: W) -> Self {
        Lines { write, next: FIRST_LINE_SECONDS, pause: FIRST_LINE_SECONDS, bounds: Bounds::default() }
    }
}

impl<W: FnMut(&str)> Observer for Lines<W> {
    fn event(&mut self, event: &Event) {
        self.bounds.note(event);
        let Event::Progress { seconds, .. } = event else { return };
        if *seconds >= self.next {
            (self.write)(&format!("searching: {}", self.bounds.line(event)));
            self.pause = (self.pause * 2.0).min(LONGEST_PAUSE_SECONDS);
            self.next = seconds + self.pause;
        }
    }
}

#[cfg(test)]
mod tests {
    use selvedge_verify::Layer;

    use super::*;

    fn progress(bound: Option<u32>, states: u64, frontier: u64, depth: u64, seconds: f64) -> Event {
        Event::Progress { bound, states, transitions: 0, frontier, depth, memory: 1 << 20, seconds }
    }

    #[test]
    fn lines_come_ever_less_often_and_without_escapes() {
        let mut lines = Vec::new();
        let mut observer = Lines::new(|line: &str| lines.push(line.to_owned()));
        for second in 0..2000 {
            observer.event(&progress(None, 40_000 * second, 1000, 7, second as f64));
        }
        let at: Vec<&str> = lines.iter().filter_map(|line| line.rsplit(", ").next()).collect();
        assert_eq!(at, ["10 s", "30 s", "70 s", "150 s", "310 s", "610 s", "910 s", "1210 s", "1510 s", "1810 s"]);
        let first = "searching: 400,000 states (40,000 per second), frontier 1,000, depth 7, 1.00 MiB, 10 s";
        assert_eq!(lines[0], first);
    }

    #[test]
    fn the_line_names_the_bound_and_the_search_without_one() {
        let mut bounds = Bounds::default();
        let mut line_after = |event: Event| {
            bounds.note(&event);
            bounds.line(&event)
        };
        assert_eq!(
            line_after(progress(Some(0), 24, 1, 0, 12.0)),
            "bound 0; 24 states (2 per second), frontier 1, 1.00 MiB, 12 s"
        );
        line_after(Event::Layer(Layer { bound: 0, states: 30, new_states: 30, transitions: 9, seconds: 13.0 }));
        assert_eq!(
            line_after(progress(Some(1), 48, 1, 0, 12.0)),
            "bound 1 (0 complete); 48 states (4 per second), frontier 1, 1.00 MiB, 12 s"
        );
        assert_eq!(
            line_after(progress(None, 120, 1, 5, 12.0)),
            "bound 1 (0 complete), 48 states; without a bound 120 states (10 per second), frontier 1, depth 5, 1.00 MiB, 12 s"
        );
    }
}
