//! Three algorithms for mutual exclusion as the BEEM suite has them, one step for each of its
//! transitions. The suite's property is that two processes are never in their critical sections.

use super::words::{Assignment, Word, bits_for};

/// The threads of a model whose process number `i` has this body.
fn threads(n: u32, locals: &str, body: impl Fn(u32) -> String) -> String {
    let thread = |i: u32| format!("\nvoid thread{i}()\nbegin\n    decl {locals};\n{}end\n", body(i));
    (0..n).map(thread).collect()
}

/// A disjunction, or a conjunction.
fn joined(terms: impl Iterator<Item = String>, with: &str) -> String {
    format!("({})", terms.collect::<Vec<_>>().join(with))
}

/// Anderson's queue lock: each thread draws a place in the queue and waits for its slot.
pub fn anderson(n: u32, error: bool) -> String {
    let next = Word::new("next", bits_for(2 * n - 1));
    let place = Word::new("place", bits_for(2 * n - 1));
    let slots: Vec<String> = (0..n).map(|i| format!("slot{i} := {}", u32::from(i == 0))).collect();
    let mut text = format!("decl {};\ndecl {};\ndecl critical := 0;\n", slots.join(", "), next.declared(0));
    // next - n, and place modulo n, for the values that occur.
    let wrapped: Vec<String> = minus(&next, n);
    let modulo = remainder(&place, n);
    let draw = Assignment::new().word(&place, next.variables().to_vec()).word(&next, next.plus_one()).statement();
    let wrap = Assignment::new().word(&next, wrapped).statement();
    let reduce = Assignment::new().word(&place, modulo).statement();
    let my_slot = joined((0..n).map(|i| format!("({} & slot{i})", place.is(i))), " | ");
    // Setting a slot by its number sets every slot, most of them to what they hold.
    let set = |offset: u32, value: &str| {
        let mut assignment = Assignment::new();
        for i in 0..n {
            let owner = (i + n - offset % n) % n;
            assignment = assignment.bit(&format!("slot{i}"), &chosen(&place.is(owner), value, &format!("slot{i}")));
        }
        assignment
    };
    let taken = if error { n - 1 } else { 0 };
    let enter = set(taken, "F").statement();
    let leave = set(1, "T").bit("critical", "F").statement();
    text.push_str(&threads(n, &place.names(), |_| {
        format!(
            "NCS:
    {draw}
    if {} then
        {wrap}
    else
        {reduce}
    fi
    assume({my_slot});
    {enter}
    atomic_begin;
    assert(!critical);
    critical := T;
    atomic_end;
    {leave}
    goto NCS;
",
            place.is(n - 1)
        )
    }));
    text
}

/// `condition ? value : otherwise` for a constant value.
fn chosen(condition: &str, value: &str, otherwise: &str) -> String {
    match value {
        "T" => format!("{condition} | {otherwise}"),
        _ => format!("!{condition} & {otherwise}"),
    }
}

/// The bits of a word less a constant, by cases.
fn minus(word: &Word, subtracted: u32) -> Vec<String> {
    by_table(word, |value, wrap| value.wrapping_sub(subtracted) & (wrap - 1))
}

/// The bits of a word modulo a constant, by cases.
fn remainder(word: &Word, divisor: u32) -> Vec<String> {
    by_table(word, |value, _| value % divisor)
}

fn by_table(word: &Word, function: impl Fn(u32, u32) -> u32) -> Vec<String> {
    let bits = word.variables().len() as u32;
    let wrap = 1 << bits;
    let bit = |i: u32| {
        let ones: Vec<String> = (0..wrap).filter(|v| function(*v, wrap) >> i & 1 == 1).map(|v| word.is(v)).collect();
        if ones.is_empty() { "F".to_owned() } else { ones.join(" | ") }
    };
    (0..bits).map(bit).collect()
}

/// Lamport's bakery: each thread draws a number larger than all others' and waits for smaller ones.
pub fn bakery(n: u32, max: u32, error: bool) -> String {
    let bits = bits_for(max);
    let numbers: Vec<Word> = (0..n).map(|i| Word::new(&format!("number{i}_"), bits)).collect();
    let (index, largest) = bakery_locals(n, max);
    let mut text = String::new();
    for (i, number) in numbers.iter().enumerate() {
        text.push_str(&format!("decl choosing{i} := 0, {};\n", number.declared(0)));
    }
    text.push_str("decl critical := 0;\n");
    let locals = format!("{}, {}", index.names(), largest.names());
    text.push_str(&threads(n, &locals, |me| bakery_thread((n, max), error, me, &numbers)));
    text
}

/// The local variables of a thread: a process, and the largest number seen.
fn bakery_locals(n: u32, max: u32) -> (Word, Word) {
    (Word::new("j", bits_for(n)), Word::new("max", bits_for(max)))
}

/// A thread of the bakery.
fn bakery_thread((n, max): (u32, u32), error: bool, me: u32, numbers: &[Word]) -> String {
    let (index, largest) = bakery_locals(n, max);
    // Whatever process number j is, a term for each.
    let at_index = |term: &dyn Fn(usize) -> String| {
        joined((0..n as usize).map(|j| format!("({} & {})", index.is(j as u32), term(j))), " | ")
    };
    let mine = &numbers[me as usize];
    let cases: Vec<(String, &Word)> =
        numbers.iter().enumerate().map(|(j, number)| (index.is(j as u32), number)).collect();
    let start = Assignment::new()
        .bit(&format!("choosing{me}"), "T")
        .word(&index, index.constant(0))
        .word(&largest, largest.constant(0))
        .statement();
    let larger = at_index(&|j| largest.less(&numbers[j]));
    let advance = Assignment::new().word(&index, index.plus_one());
    let adopt = advance.clone().word(&largest, Word::of_cases(&cases)).when(&larger);
    let pass = advance.when(&format!("!{larger}"));
    let drawn = Assignment::new()
        .word(mine, largest.plus_one())
        .word(&index, index.constant(0))
        .bit(&format!("choosing{me}"), "F")
        .statement();
    let not_choosing = at_index(&|j| format!("!choosing{j}"));
    let behind = |j: usize| {
        let later = if error { numbers[j].less(mine) } else { mine.less(&numbers[j]) };
        let first = if me as usize <= j { "T" } else { "F" };
        format!("({} | {later} | ({} & {first}))", numbers[j].is(0), numbers[j].equals(mine))
    };
    let may_pass = advance_when(&index, &at_index(&behind));
    let critical = critical_section(mine);
    format!(
        "NCS:
    {start}
choose:
    if (!{done}) then
        goto adopt, pass;
        adopt: {adopt}
        goto choose;
        pass: {pass}
        goto choose;
    fi
    assume(!{full});
    {drawn}
for_loop:
    if (!{done}) then
        assume({not_choosing});
        {may_pass}
        goto for_loop;
    fi
{critical}",
        done = index.is(n),
        full = at_least(&largest, max),
    )
}

/// One thread at a time is here; then it gives its word back and starts again.
fn critical_section(mine: &Word) -> String {
    let release = Assignment::new().word(mine, mine.constant(0)).bit("critical", "F").statement();
    format!(
        "    atomic_begin;
    assert(!critical);
    critical := T;
    atomic_end;
    {release}
    goto NCS;
"
    )
}

fn advance_when(index: &Word, condition: &str) -> String {
    Assignment::new().word(index, index.plus_one()).when(condition)
}

/// Whether a word is at least a constant.
fn at_least(word: &Word, least: u32) -> String {
    let values = least..1 << word.variables().len();
    joined(values.map(|value| word.is(value)), " | ")
}

/// Peterson's algorithm for n processes: n - 1 rooms, in each of which one waits.
pub fn peterson(n: u32, error: bool) -> String {
    let bits = bits_for(n);
    let rooms: Vec<Word> = (0..n).map(|i| Word::new(&format!("pos{i}_"), bits)).collect();
    let last_in: Vec<Word> = (0..n - 1).map(|i| Word::new(&format!("step{i}_"), bits_for(n - 1))).collect();
    let (j, k) = (Word::new("j", bits), Word::new("k", bits));
    let mut text = String::new();
    for room in rooms.iter().chain(&last_in) {
        text.push_str(&format!("decl {};\n", room.declared(0)));
    }
    text.push_str("decl critical := 0;\n");
    let locals = format!("{}, {}", j.names(), k.names());
    text.push_str(&threads(n, &locals, |me| peterson_thread(n, error, me, &rooms, &last_in)));
    text
}

/// A thread of Peterson's algorithm.
fn peterson_thread(n: u32, error: bool, me: u32, rooms: &[Word], last_in: &[Word]) -> String {
    let (j, k) = (Word::new("j", bits_for(n)), Word::new("k", bits_for(n)));
    let mine = &rooms[me as usize];
    let begin = Assignment::new().word(&j, j.constant(1)).statement();
    let go_in = Assignment::new().word(mine, j.variables().to_vec()).statement();
    // step[j-1] := me, k := 0
    let mut sign = Assignment::new().word(&k, k.constant(0));
    for (room, word) in last_in.iter().enumerate() {
        let here = j.is(room as u32 + 1);
        let bits = word.variables().iter().enumerate();
        let value = bits.map(|(i, bit)| {
            let value = if me >> i & 1 == 1 { "T" } else { "F" };
            chosen(&here, value, bit)
        });
        sign = sign.word(word, value.collect());
    }
    let sign = sign.statement();
    let behind = |other: usize| {
        if other == me as usize {
            return "T".to_owned();
        }
        let room = &rooms[other];
        if error { format!("!{}", j.less(room)) } else { room.less(&j) }
    };
    let all = (0..n as usize).map(|other| format!("({} & {})", k.is(other as u32), behind(other)));
    let look_on = Assignment::new().word(&k, k.plus_one()).when(&joined(all, " | "));
    let mut others =
        last_in.iter().enumerate().map(|(room, word)| format!("({} & !{})", j.is(room as u32 + 1), word.is(me)));
    let overtaken = joined(others.by_ref().chain([k.is(n)]), " | ");
    let next_room = Assignment::new().word(&j, j.plus_one()).when(&overtaken);
    let critical = critical_section(mine);
    format!(
        "NCS:
    {begin}
wait_room:
    if (!{last}) then
        {go_in}
        {sign}
        look: goto on, forward;
        on: {look_on}
        goto look;
        forward: {next_room}
        goto wait_room;
    fi
{critical}",
        last = j.is(n),
    )
}
