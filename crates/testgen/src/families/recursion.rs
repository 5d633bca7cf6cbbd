//! A bug that is there only where the stack is deep enough: a procedure calls itself as often as it
//! likes, every return counts, and one count is an error.

use super::words::{Assignment, Word, bits_for};

/// The bug needs a stack of `n` calls inside each other, `main` not counted.
pub fn depth(n: u32) -> String {
    let count = Word::new("count", bits_for(n + 1));
    let up = Assignment::new().word(&count, count.plus_one()).statement();
    format!(
        "decl {declared};

void down()
begin
    if (*) then
        down();
    fi
    // Counting stops beyond the number that is looked for.
    if (!{beyond}) then
        {up}
    fi
end

void main()
begin
    down();
    assert(!{wanted});
end
",
        declared = count.declared(0),
        beyond = count.is(n + 1),
        wanted = count.is(n),
    )
}
