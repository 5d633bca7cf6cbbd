//! The MSMIE protocol of the BEEM suite: slaves write into buffers, masters read from them. The suite's
//! model tests buffer 0 where every buffer was surely meant, and buffer 0 alone is given back; that is
//! kept. Its property: the first slave never finds that it has no buffer.

use super::words::{Assignment, Word, bits_for};

const IDLE: u32 = 0;
const NEWEST: u32 = 1;
const SLAVE: u32 = 2;
const MASTER: u32 = 3;

struct Model {
    buffers: Vec<Word>,
    readers: Word,
    change: Word,
}

/// The protocol with so many masters, slaves and buffers.
pub fn msmie(masters: u32, slaves: u32, buffers: u32) -> String {
    let model = Model {
        buffers: (0..buffers).map(|i| Word::new(&format!("b{i}_"), 2)).collect(),
        readers: Word::new("readers", bits_for(masters)),
        change: Word::new("change", 2),
    };
    let last = buffers.saturating_sub(1) as usize;
    let mut text = String::new();
    for (i, buffer) in model.buffers.iter().enumerate() {
        text.push_str(&format!("decl {};\n", buffer.declared(if i == last { SLAVE } else { IDLE })));
    }
    text.push_str(&format!("decl {}, sem := 1, {};\n", model.readers.declared(0), model.change.declared(0)));
    text.push_str(&model.slave());
    text.push_str(&model.master());
    for number in 1..=slaves {
        text.push_str(&thread(&format!("slave{number}"), "slave", if number == 1 { "T" } else { "F" }));
    }
    for number in 1..=masters {
        text.push_str(&format!("\nvoid thread_master{number}()\nbegin\n    master();\nend\n"));
    }
    text
}

fn thread(name: &str, procedure: &str, argument: &str) -> String {
    format!("\nvoid thread_{name}()\nbegin\n    {procedure}({argument});\nend\n")
}

impl Model {
    /// Statements that change one buffer in state `from` to `to` and go to `next`, one for each buffer,
    /// and a last one for no buffer, which continues behind them.
    fn change_one(&self, from: u32, to: Option<u32>, label: &str, next: &str) -> String {
        let labels: Vec<String> = (0..=self.buffers.len()).map(|i| format!("{label}{i}")).collect();
        let mut text = format!("    goto {};\n", labels.join(", "));
        for (buffer, label) in self.buffers.iter().zip(&labels) {
            let change = match to {
                Some(to) => Assignment::new().word(buffer, buffer.constant(to)),
                None => Assignment::new(),
            };
            text.push_str(&format!("    {label}: {}\n    goto {next};\n", change.when(&buffer.is(from))));
        }
        let none: Vec<String> = self.buffers.iter().map(|buffer| format!("!{}", buffer.is(from))).collect();
        text.push_str(&format!("    {}: assume({});\n", labels[self.buffers.len()], none.join(" & ")));
        text
    }

    fn slave(&self) -> String {
        format!(
            "
void slave(first)
begin
idle:
    sem := F constrain sem;
{}q1:
{}    goto failed;
q2:
{}    goto failed;
q3:
    sem := T;
    goto idle;
failed:
    if (first) then
        ERROR: skip;
    fi
    assume(F);
end
",
            self.change_one(NEWEST, Some(IDLE), "newest", "q1"),
            self.change_one(SLAVE, Some(NEWEST), "written", "q2"),
            self.change_one(IDLE, Some(SLAVE), "taken", "q3"),
        )
    }

    fn master(&self) -> String {
        let acquire = Assignment::new().word(&self.readers, self.readers.plus_one()).bit("sem", "T").statement();
        let release = Assignment::new().word(&self.readers, self.readers.minus_one()).bit("sem", "F").when("sem");
        let first = &self.buffers[0];
        let to_idle = Assignment::new().word(&self.change, self.change.constant(IDLE)).statement();
        let to_newest = Assignment::new().word(&self.change, self.change.constant(NEWEST)).statement();
        let give_back = Assignment::new().word(first, self.change.variables().to_vec()).when(&first.is(MASTER));
        format!(
            "
void master()
begin
idle:
    sem := F constrain sem;
{}{}    sem := T;
    goto idle;
have:
    {acquire}
    {release}
    if {no_readers} then
        if {newest} then
            {to_idle}
        else
            {to_newest}
        fi
        {give_back}
    fi
    sem := T;
    goto idle;
end
",
            self.change_one(MASTER, None, "there", "have"),
            self.change_one(NEWEST, Some(MASTER), "free", "have"),
            no_readers = self.readers.is(0),
            newest = first.is(NEWEST),
        )
    }
}
