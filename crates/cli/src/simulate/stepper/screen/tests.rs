//! The stepper without a terminal: keys in, text out.

use selvedge_verify::simulate::{SimulateOptions, Simulation};
use selvedge_verify::{Language, load_text};

use super::super::model::{Effect, Key, Stepper};
use super::{Ink, Line, draw};

const RACE: &str = "\
byte x;
active [2] proctype inc() { byte t; t = x; x = t + 1 }
active proctype check() { x == 1; assert(x == 2) }
";

fn simulation() -> Simulation {
    let model = load_text("race.pml", Language::Promela, RACE).expect("it parses");
    Simulation::start(&model, &SimulateOptions::default()).expect("it builds")
}

/// Presses keys and gives the screen after each.
fn played(keys: &[Key], columns: usize, rows: usize) -> (Vec<Vec<Line>>, Vec<Effect>) {
    let mut run = simulation();
    let mut stepper = Stepper::new(&mut run);
    let mut screens = vec![draw(&stepper.snapshot(), columns, rows)];
    let mut effects = Vec::new();
    for key in keys {
        effects.push(stepper.press(*key));
        screens.push(draw(&stepper.snapshot(), columns, rows));
    }
    (screens, effects)
}

fn text(screen: &[Line]) -> String {
    screen.iter().map(|line| line.text().trim_end().to_owned() + "\n").collect()
}

fn row<'a>(screen: &'a [Line], words: &str) -> &'a Line {
    screen.iter().find(|line| line.text().contains(words)).unwrap_or_else(|| panic!("{words}:\n{}", text(screen)))
}

#[test]
fn every_screen_is_exactly_as_large_as_the_terminal() {
    let keys = [Key::Enter, Key::Enter, Key::Char('?'), Key::Char('x'), Key::Char('s'), Key::Home, Key::PageUp];
    for (columns, rows) in [(40, 10), (80, 24), (120, 40), (200, 12)] {
        for screen in played(&keys, columns, rows).0 {
            assert_eq!(screen.len(), rows);
            assert!(screen.iter().all(|line| line.text().chars().count() == columns), "{}", text(&screen));
        }
    }
}

#[test]
fn possible_steps_show_what_they_cost() {
    let (screens, _) = played(&[Key::Enter], 120, 30);
    assert!(text(&screens[0]).contains("possible now"), "{}", text(&screens[0]));
    assert!(!text(&screens[0]).contains("preemption  "), "the first step is no switch");
    // One `inc` has read x; going on is free, the other one would be a preemption.
    let preemption = row(&screens[1], "preemption  ");
    assert!(preemption.0.iter().any(|(ink, words)| *ink == Ink::Cost && words.starts_with("preemption")));
    let free = screens[1].iter().filter(|line| line.text().contains("2:44  x = t + 1")).count();
    assert_eq!(free, 1, "{}", text(&screens[1]));
    assert!(text(&screens[1]).contains("step 1, 0 preemptions, 0 switches"));
}

#[test]
fn back_and_forward_lead_to_the_same_place() {
    use Key::{Char, End, Enter, Home};
    let (screens, _) = played(&[Enter, Enter, Char('h'), Char('f'), Home, End], 120, 30);
    assert!(text(&screens[2]).contains("step 2, "));
    assert!(text(&screens[3]).contains("step 1 (1 ahead), "));
    assert_eq!(text(&screens[4]), text(&screens[2]));
    assert!(text(&screens[5]).contains("step 0 (2 ahead), "));
    assert_eq!(text(&screens[6]), text(&screens[2]));
}

#[test]
fn another_way_forgets_what_was_ahead() {
    use Key::{Char, Down, Enter};
    let (screens, _) = played(&[Enter, Enter, Char('h'), Char('h'), Down, Enter, Char('f')], 120, 30);
    assert!(text(&screens[4]).contains("(2 ahead)"));
    assert!(!text(&screens[6]).contains("ahead)"), "{}", text(&screens[6]));
    assert!(text(&screens[7]).contains("there is nothing to redo"));
}

#[test]
fn what_changed_is_marked_and_stands_first() {
    let (screens, _) = played(&[Key::Enter, Key::Enter], 120, 30);
    let line = row(&screens[2], "» x = 1");
    assert!(
        line.0.iter().any(|(ink, words)| *ink == Ink::Changed && words.contains("» x = 1")),
        "{}",
        text(&screens[2])
    );
}

#[test]
fn a_violation_ends_the_run_and_back_goes_on() {
    // One update is made, and the check is too early.
    let mut keys = vec![Key::Enter, Key::Enter];
    keys.extend([Key::Char('9'); 1]);
    let (screens, _) = played(&keys, 120, 30);
    assert!(text(&screens[3]).contains("there is no step 9"), "{}", text(&screens[3]));
    let mut run = simulation();
    let mut stepper = Stepper::new(&mut run);
    for _ in 0..30 {
        let snapshot = stepper.snapshot();
        let Some(check) = snapshot.choices.iter().position(|choice| choice.step.thread.starts_with("check")) else {
            stepper.press(Key::Enter);
            continue;
        };
        stepper.press(Key::Char(char::from(b'1' + check as u8)));
        if stepper.snapshot().ended.is_some() {
            break;
        }
    }
    let screen = draw(&stepper.snapshot(), 120, 30);
    assert!(text(&screen).contains("violation: assertion violated"), "{}", text(&screen));
    stepper.press(Key::Enter);
    assert!(stepper.snapshot().message.contains("the run is over"));
    stepper.press(Key::Left);
    assert!(stepper.snapshot().ended.is_none());
}

#[test]
fn a_name_is_typed_to_save() {
    use Key::{Backspace, Char, Enter, Escape};
    let keys = [Char('s'), Backspace, Char('2'), Enter, Char('s'), Escape, Char('q')];
    let (screens, effects) = played(&keys, 120, 30);
    assert!(text(&screens[1]).contains("save the run as: race.trace.json"), "{}", text(&screens[1]));
    assert_eq!(effects[3], Effect::Save("race.trace.jso2".to_owned()));
    assert!(!text(&screens[6]).contains("save the run as"));
    assert_eq!(effects.last(), Some(&Effect::Quit));
    let (_, effects) = played(&[Char('s'), Key::Interrupt], 120, 30);
    assert_eq!(effects.last(), Some(&Effect::Quit));
}

#[test]
fn control_characters_of_a_model_do_not_reach_the_terminal() {
    let line = Line::of(Ink::Plain, "a\x1b[2Jb").fit(10);
    assert_eq!(line.text(), "a\u{fffd}[2Jb    ");
}

#[test]
fn enter_takes_the_step_that_costs_nothing() {
    // The other `inc` is listed first, and taking it would be a preemption.
    let (screens, _) = played(&[Key::Down, Key::Enter, Key::Enter], 120, 40);
    assert!(row(&screens[2], "preemption  ").text().contains("  1  "), "{}", text(&screens[2]));
    assert!(text(&screens[3]).contains("step 2, 0 preemptions, 0 switches"), "{}", text(&screens[3]));
}

#[test]
fn blocked_threads_and_the_source_are_shown() {
    let (screens, _) = played(&[Key::Enter], 140, 40);
    let screen = text(&screens[1]);
    assert!(screen.contains("blocked"), "{screen}");
    assert!(row(&screens[1], "check 3:27").text().contains("waits for `x == 1` to become true"), "{screen}");
    let marked = row(&screens[1], "▸ 2 active [2] proctype inc()");
    assert!(marked.0.iter().any(|(ink, words)| *ink == Ink::Bold && words.contains("proctype inc")), "{screen}");
    assert!(text(&played(&[], 80, 40).0[0]).contains("▸ 2 "), "a high screen has room for it, too");
}

#[test]
fn a_process_beside_an_atomic_sequence_waits_for_its_end() {
    let text_of = "bool a, b; active proctype p() { a = true } active proctype q() { atomic { !b -> b = true } }";
    let model = load_text("atomic.pml", Language::Promela, text_of).expect("it parses");
    let mut run = Simulation::start(&model, &SimulateOptions::default()).expect("it builds");
    let mut stepper = Stepper::new(&mut run);
    let first = draw(&stepper.snapshot(), 140, 30);
    let of_q = row(&first, "q  1:").text().trim_start().chars().find(char::is_ascii_digit).expect("a number");
    stepper.press(Key::Char(of_q));
    let inside = draw(&stepper.snapshot(), 140, 30);
    assert!(text(&inside).contains("waits for the end of an atomic sequence"), "{}", text(&inside));
    assert!(!text(&inside).contains("to become true"), "{}", text(&inside));
}
