//! Details of the view that a reader misses when they are wrong, in headless Chromium (skipped without one): the value
//! that a step changed is in sight, values are not cut off behind long names, and a deadlock shows its circle.

#[allow(dead_code, reason = "these tests do not do all that a browser can")]
mod browser;
mod support;

use browser::Browser;
use support::{Scratch, root};

const SMALL: (u32, u32) = (1280, 700);

/// Many variables, and long names with a value at their end.
const NESTED: &str = "\
typedef Inner { int payload[3] };
typedef Outer { Inner last_message; byte one; byte two; byte three; byte four; byte five };
Outer nodes_of_the_network[4];
byte filler_a, filler_b, filler_c, filler_d;
active proctype writer() {
    nodes_of_the_network[3].last_message.payload[2] = 4711;
    filler_a = nodes_of_the_network[3].five + filler_b + filler_c + filler_d;
    assert(nodes_of_the_network[3].last_message.payload[2] == 0)
}
";

fn browser(name: &str) -> Option<Browser> {
    let profile = std::env::temp_dir().join(format!("selvedge-browser-{name}-{}", std::process::id()));
    Browser::start(profile).map_err(|reason| println!("skipped: {reason}")).ok()
}

fn view(scratch: &Scratch, model: &str) -> String {
    let ran = scratch.run(&["check", model, "--html", "view.html", "--quiet"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    format!("file://{}", scratch.path("view.html").display())
}

#[test]
fn the_changed_value_is_in_sight_and_not_cut_off() {
    let Some(mut browser) = browser("details") else { return };
    let scratch = Scratch::new("viewer-details");
    scratch.write("nested.pml", NESTED);
    let url = view(&scratch, "nested.pml");
    let mut page = browser.open(&format!("{url}#step=1"), SMALL, false);
    let in_sight = "(() => { const box = document.querySelector('#state').getBoundingClientRect(); \
        return [...document.querySelectorAll('#state ins')].some((e) => { const at = e.getBoundingClientRect(); \
        return at.top >= box.top && at.bottom <= box.bottom; }); })() ? 'yes' : 'no'";
    assert_eq!(page.text(in_sight), "yes");
    let changes = page.text("document.querySelector('#step-1 .changes').textContent");
    assert_eq!(changes, "…payload[2] = 4711");
    let whole = page.text("document.querySelector('#step-1 .changes').title");
    assert_eq!(whole, "nodes_of_the_network[3].last_message.payload[2] = 4711");
    page.close();
}

#[test]
fn a_deadlock_shows_its_circle() {
    let Some(mut browser) = browser("circle") else { return };
    let scratch = Scratch::new("viewer-circle");
    let model = root().join("docs/book/models/locks.pml");
    std::fs::copy(model, scratch.path("locks.pml")).expect("a copy");
    let url = view(&scratch, "locks.pml");
    let mut page = browser.open(&url, SMALL, true);
    let rows =
        page.text("[...document.querySelectorAll('#steps .waiting .across')].map((e) => e.textContent).join('|')");
    assert!(rows.contains("knife set by right in step 2"), "{rows}");
    assert!(rows.ends_with("circular wait: left → right → left"), "{rows}");
    page.close();
}
