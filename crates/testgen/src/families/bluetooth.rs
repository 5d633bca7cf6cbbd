//! The Bluetooth driver of KISS (version 1), its first repair (2), a second one (3), and one that
//! holds (4: a stopper that comes late gives up).

use super::words::{Assignment, Word, bits_for};

/// The driver with so many threads that add and stop.
pub fn bluetooth(version: u32, adders: u32, stoppers: u32) -> String {
    // From 1 + adders down to 1 - stoppers - adders: a version may decrement twice for one adder.
    let pending = Word::new("pending", bits_for(2 * adders + stoppers + 1));
    let mut text = format!("decl {};\ndecl stopping := 0, event := 0, stopped := 0;\n", pending.declared(1));
    text.push_str(&release(&pending));
    text.push_str(&adder(version, &pending));
    text.push_str(&stopper(version));
    for number in 1..=adders {
        text.push_str(&format!("\nvoid thread_adder{number}()\nbegin\n    add();\nend\n"));
    }
    for number in 1..=stoppers {
        text.push_str(&format!("\nvoid thread_stopper{number}()\nbegin\n    stop();\nend\n"));
    }
    text
}

/// Decrements the number of pending requests; the last one signals the event.
fn release(pending: &Word) -> String {
    let decrement = Assignment::new().word(pending, pending.minus_one()).bit("last", &pending.is(1)).statement();
    format!(
        "
void release()
begin
    decl last;
    {decrement}
    if (last) then
        event := T;
    fi
end
"
    )
}

fn adder(version: u32, pending: &Word) -> String {
    let increment = Assignment::new().word(pending, pending.plus_one()).statement();
    let acquire = match version {
        1 => format!(
            "    if (stopping) then
        ok := F;
    else
        {increment}
        ok := T;
    fi"
        ),
        _ => format!(
            "    {increment}
    if (!stopping) then
        ok := T;
    else
        release();
        ok := F;
    fi"
        ),
    };
    let work = match version {
        1 | 2 => {
            "    if (ok) then
        assert(!stopped);
    fi
    release();"
        }
        _ => {
            "    if (ok) then
        assert(!stopped);
        release();
    fi"
        }
    };
    format!("\nvoid add()\nbegin\n    decl ok;\n{acquire}\n{work}\nend\n")
}

fn stopper(version: u32) -> String {
    let announce = match version {
        4 => {
            "    late, stopping := stopping, T;
    if (late) then
        return;
    fi"
        }
        _ => "    stopping := T;",
    };
    let local = if version == 4 { "    decl late;\n" } else { "" };
    format!(
        "
void stop()
begin
{local}{announce}
    release();
    assume(event);
    stopped := T;
end
"
    )
}
