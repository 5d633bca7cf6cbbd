//! How wide the columns are. Natural widths come from what is shown; where they do not fit, values
//! are wrapped and the widest columns give way first, then paths lose their directories (and the middle of a long name), then threads that
//! never act lose their lanes, and where even narrow lanes do not fit, the threads share one column and each
//! row names its own (a list).

use selvedge_core::Trace;
use selvedge_core::trace::{TraceLocation, TracePartner, TraceStep};
use selvedge_source::Cancel;

use super::canvas::Canvas;
use super::rows::Row;
use super::{statement_text, thread_name, values};
use crate::style::{Line, Style};
use crate::text::{cut, cut_middle, one_line, width};

/// Lanes and values are not made narrower than this.
const NARROWEST_LANE: usize = 9;
const NARROWEST_VALUES: usize = 12;
/// Values are made narrower than this only when no lane can be.
const NARROW_VALUES: usize = 18;
const NARROWEST_NAME: usize = 10;
const NARROWEST_FILE: usize = 9;
/// `  → ` before the values.
const VALUES_MARK: usize = 4;
/// ` │ ` before a lane.
const SEPARATOR: usize = 3;

/// Columns between the place and the values.
pub(super) enum Columns {
    /// One for each thread; `idle` are the names of those left out.
    Lanes { lanes: Vec<Lane>, idle: Vec<String> },
    /// One for the threads' names, one for the statements.
    List { threads: Vec<(u32, String)>, name: usize, statement: usize },
}

/// One lane.
#[derive(Clone)]
pub(super) struct Lane {
    id: u32,
    name: String,
    width: usize,
}

/// How places are written.
#[derive(Clone, Copy)]
struct Places {
    /// Without directories.
    short: bool,
    /// Columns of a file's name at most.
    name: usize,
}

/// Widths of all columns.
pub(super) struct Layout {
    /// Of the step number.
    pub(super) number: usize,
    /// Whether atomic sequences are marked.
    pub(super) bars: bool,
    /// Of the place.
    pub(super) place: usize,
    /// How places are written.
    places: Places,
    pub(super) columns: Columns,
    /// Of the values; 0 where there is none.
    pub(super) values: usize,
    /// Columns from the bar before the first lane to the edge of the terminal.
    room: usize,
}

impl Layout {
    /// The first of the arrangements above that fits into `columns`.
    pub(super) fn fit(trace: &Trace, rows: &[Row<'_>], columns: usize, cancel: &Cancel) -> Layout {
        // Each of the widths below is one pass over what is shown.
        let shown: Vec<&TraceStep> = rows.iter().filter(|_| !cancel.was_cancelled()).filter_map(step_of).collect();
        let natural = Layout::natural(trace, rows, &shown, columns);
        let can_shorten = base_names_differ(trace);
        let full = if natural.place > columns / 3 && can_shorten { None } else { natural.shrunk(&shown) };
        let mut layout = full.unwrap_or_else(|| {
            let short = natural.with_short_places(can_shorten, &shown, columns / 3);
            let lanes = short.shrunk(&shown).or_else(|| short.without_idle(&shown).shrunk(&shown));
            lanes.unwrap_or_else(|| short.list(trace, &shown))
        });
        layout.room = columns.saturating_sub(layout.before_place() + layout.place);
        layout
    }

    fn natural(trace: &Trace, rows: &[Row<'_>], shown: &[&TraceStep], columns: usize) -> Layout {
        let lane = |id: u32| {
            let name = thread_name(trace, id);
            let texts = shown.iter().map(|step| needed(step, id));
            Lane { id, width: texts.chain([width(&name)]).max().unwrap_or(1), name }
        };
        Layout {
            number: trace.steps.len().to_string().len(),
            bars: rows.iter().any(|row| matches!(row, Row::Step { bar, .. } if *bar != ' ')),
            place: longest(shown.iter().map(|step| place(step, Places::FULL))).max(width("where")),
            places: Places::FULL,
            columns: Columns::Lanes {
                lanes: trace.threads.iter().map(|thread| lane(thread.id)).collect(),
                idle: Vec::new(),
            },
            values: longest(shown.iter().map(|step| values(step).join("; "))),
            room: columns,
        }
    }

    /// The same with places of limited width. Names are all cut alike.
    fn with_short_places(mut self, short: bool, shown: &[&TraceStep], most: usize) -> Layout {
        let locations = shown.iter().filter_map(|step| step.location.as_ref());
        let numbers = longest(locations.map(|TraceLocation { line, column, .. }| format!(":{line}:{column}")));
        self.places = Places { short, name: most.saturating_sub(numbers).max(NARROWEST_FILE) };
        self.place = longest(shown.iter().map(|step| place(step, self.places))).max(width("where"));
        self
    }

    /// The same with only the lanes of threads that act.
    fn without_idle(&self, shown: &[&TraceStep]) -> Layout {
        let Columns::Lanes { lanes, .. } = &self.columns else { return self.with(Columns::none(), self.values) };
        let acts = |lane: &Lane| shown.iter().any(|step| needed(step, lane.id) > 0);
        let (acting, idle): (Vec<Lane>, Vec<Lane>) = lanes.iter().cloned().partition(acts);
        let idle = idle.into_iter().map(|lane| lane.name).collect();
        self.with(Columns::Lanes { lanes: acting, idle }, self.values)
    }

    /// Wraps the values and narrows the widest columns until everything fits; `None` if it cannot.
    fn shrunk(&self, shown: &[&TraceStep]) -> Option<Layout> {
        let Columns::Lanes { lanes, idle } = &self.columns else { return None };
        let mut layout = self.with(Columns::Lanes { lanes: lanes.clone(), idle: idle.clone() }, self.values);
        let (wrapped, narrowest) = value_widths(shown);
        while layout.total() > self.room {
            let Columns::Lanes { lanes, .. } = &mut layout.columns else { return None };
            let floor = |lane: &Lane| width(&lane.name).clamp(NARROWEST_LANE, NARROWEST_LANE + 3);
            // Statements run on over the lanes to their right; the last lane has none.
            let last = lanes.last().map(|lane| lane.id);
            let weight = |lane: &&mut Lane| lane.width + if Some(lane.id) == last { 0 } else { NARROWEST_LANE };
            let widest = lanes.iter_mut().filter(|lane| lane.width > floor(lane)).max_by_key(weight);
            match widest {
                _ if layout.values > wrapped => layout.values -= 1,
                Some(lane) if layout.values <= NARROW_VALUES.max(lane.width) => lane.width -= 1,
                _ if layout.values > narrowest => layout.values -= 1,
                Some(lane) => lane.width -= 1,
                None => return None,
            }
        }
        Some(layout)
    }

    fn list(&self, trace: &Trace, shown: &[&TraceStep]) -> Layout {
        let threads: Vec<(u32, String)> = trace.threads.iter().map(|t| (t.id, thread_name(trace, t.id))).collect();
        let name = longest(threads.iter().map(|(_, name)| name.clone())).clamp(width("thread"), 16);
        let statement = longest(shown.iter().map(|step| statement(step, &threads))).max(width("statement"));
        let mut layout = self.with(Columns::List { threads, name, statement }, self.values);
        let (wrapped, narrowest) = value_widths(shown);
        while layout.total() > self.room {
            let Columns::List { statement, name, .. } = &mut layout.columns else { break };
            if layout.values > wrapped || (layout.values > narrowest && layout.values > *statement) {
                layout.values -= 1;
            } else if *statement > NARROWEST_LANE {
                *statement -= 1;
            } else if *name > NARROWEST_NAME {
                *name -= 1;
            } else {
                break;
            }
        }
        layout
    }

    fn with(&self, columns: Columns, values: usize) -> Layout {
        let Layout { number, bars, place, places, room, .. } = *self;
        Layout { number, bars, place, places, columns, values, room }
    }

    /// Columns before the place: the mark of the failing step, the number, the bar.
    pub(super) fn before_place(&self) -> usize {
        2 + self.number + 1 + if self.bars { 2 } else { 0 }
    }

    /// Columns of a whole row.
    pub(super) fn total(&self) -> usize {
        let lanes: usize = self.headings().iter().map(|(.., columns)| SEPARATOR + columns).sum();
        let values = if self.values > 0 { VALUES_MARK + self.values } else { 0 };
        self.before_place() + self.place + lanes + values
    }

    /// Text, style and width of the columns between place and values.
    pub(super) fn headings(&self) -> Vec<(&str, Style, usize)> {
        match &self.columns {
            Columns::Lanes { lanes, .. } => {
                let heading = |(index, lane)| -> (&str, Style, usize) {
                    let Lane { name, width, .. }: &Lane = lane;
                    (name, Style::Lane(index), *width)
                };
                lanes.iter().enumerate().map(heading).collect()
            }
            Columns::List { name, statement, .. } => {
                vec![("thread", Style::Dim, *name), ("statement", Style::Dim, *statement)]
            }
        }
    }

    /// The place of a step as this layout shows it.
    pub(super) fn place_of(&self, step: &TraceStep) -> String {
        place(step, self.places)
    }

    /// Draws the cells of a step and what it changed.
    pub(super) fn cells(&self, step: &TraceStep, fails: bool, line: &mut Line) {
        let style = |lane: usize| if fails { Style::Fault } else { Style::Lane(lane) };
        let mut canvas = Canvas::new(self.starts());
        let pieces = values(step);
        let end = if pieces.is_empty() { self.room } else { canvas.width() };
        match &self.columns {
            Columns::List { threads, name, .. } => {
                let index = threads.iter().position(|(id, _)| Some(*id) == step.thread);
                let (shown, style) = index.map_or(("", Style::Dim), |index| (threads[index].1.as_str(), style(index)));
                canvas.put(0, style, &cut(shown, *name), end);
                canvas.put(1, style, &statement(step, threads), end);
            }
            Columns::Lanes { lanes, .. } => {
                let lane_of = |id: u32| lanes.iter().position(|lane| lane.id == id);
                let partner = step.partner.as_ref().and_then(|partner| Some((lane_of(partner.thread)?, partner)));
                match (step.thread.and_then(lane_of), partner) {
                    (Some(from), Some((to, partner))) if from != to => {
                        canvas.arrow((from, &statement_text(step)), (to, &one_line(&partner.text)), end);
                    }
                    (Some(lane), _) => canvas.put(lane, style(lane), &statement_text(step), end),
                    (None, _) => canvas.put(0, Style::Dim, &statement(step, &[]), end),
                }
            }
        }
        canvas.write(line);
    }

    /// The cells of a line that shows which step of another thread is not seen.
    pub(super) fn missing(&self, from: (u32, u32), step: &TraceStep, line: &mut Line) {
        let (from, number) = (from.0, format!("step {}", from.1));
        let mut canvas = Canvas::new(self.starts());
        match &self.columns {
            Columns::List { .. } => canvas.put(1, Style::Fault, &format!("✗ {number} is not seen"), self.room),
            Columns::Lanes { lanes, .. } => {
                let lane_of = |id: u32| lanes.iter().position(|lane| lane.id == id);
                match (lane_of(from), step.thread.and_then(lane_of)) {
                    (Some(from), Some(to)) if from != to => {
                        canvas.missing((from, &number), (to, "not seen"), self.room);
                    }
                    (_, to) => {
                        canvas.put(to.unwrap_or(0), Style::Fault, &format!("✗ {number} is not seen"), self.room);
                    }
                }
            }
        }
        canvas.write(line);
    }

    /// The cells of a line on which nothing happens.
    pub(super) fn no_cells(&self, line: &mut Line) {
        Canvas::new(self.starts()).write(line);
    }

    /// Where the columns between place and values start, counted from the bar before the first of
    /// them, and where the last one ends.
    fn starts(&self) -> Vec<usize> {
        let widths = self.headings().into_iter().map(|(.., columns)| columns);
        let ends = widths.scan(0, |end, columns| {
            *end += SEPARATOR + columns;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }
}

impl Places {
    const FULL: Places = Places { short: false, name: usize::MAX };
}

impl Columns {
    fn none() -> Columns {
        Columns::Lanes { lanes: Vec::new(), idle: Vec::new() }
    }
}

/// Columns that a step needs in a thread's lane.
fn needed(step: &TraceStep, thread: u32) -> usize {
    let arrow = if step.partner.is_some() { 2 } else { 0 };
    match &step.partner {
        _ if step.thread == Some(thread) => width(&statement_text(step)) + arrow,
        Some(partner) if partner.thread == thread => width(&one_line(&partner.text)) + arrow,
        _ => 0,
    }
}

/// Widths of the values where each has a line of its own: in full, and at the least.
fn value_widths(shown: &[&TraceStep]) -> (usize, usize) {
    let wrapped = longest(shown.iter().flat_map(|step| values(step)));
    (wrapped, wrapped.min(NARROWEST_VALUES))
}

/// The statement where it is shown alone: with its partner, or as the claim's.
fn statement(step: &TraceStep, threads: &[(u32, String)]) -> String {
    let text = statement_text(step);
    match &step.partner {
        _ if step.thread.is_none() => format!("(claim) {text}"),
        Some(TracePartner { thread, text: partner, .. }) => {
            let name = threads.iter().find(|(id, _)| id == thread).map_or("", |(_, name)| name);
            format!("{text} ─▶ {name}: {}", one_line(partner))
        }
        None => text,
    }
}

fn step_of<'a>(row: &Row<'a>) -> Option<&'a TraceStep> {
    match row {
        Row::Step { step, .. } => Some(step),
        _ => None,
    }
}

fn place(step: &TraceStep, places: Places) -> String {
    let Some(TraceLocation { file, line, column }) = &step.location else { return "-".to_string() };
    let file = one_line(if places.short { base_name(file) } else { file });
    format!("{}:{line}:{column}", cut_middle(&file, places.name))
}

/// A place without directories.
pub(super) fn short_place(location: &TraceLocation) -> String {
    let TraceLocation { file, line, column } = location;
    one_line(&format!("{}:{line}:{column}", base_name(file)))
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether files are distinguishable without their directories.
fn base_names_differ(trace: &Trace) -> bool {
    let files = trace.steps.iter().filter_map(|step| step.location.as_ref()).map(|location| location.file.as_str());
    let files: std::collections::BTreeSet<&str> = files.collect();
    files.iter().map(|file| base_name(file)).collect::<std::collections::BTreeSet<_>>().len() == files.len()
}

fn longest(texts: impl Iterator<Item = String>) -> usize {
    texts.map(|text| width(&text)).max().unwrap_or(0)
}
