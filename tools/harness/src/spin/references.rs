//! References to labels of other processes (`Q[1]@here`), made comparable.
//!
//! pan compares the number of the control state of whatever process has the number 1 with that of the label in `Q`, even if
//! the process is of another type. Then the answer depends on how pan numbers its states. [`check_types`] makes pan look
//! at the type first.

use std::io;
use std::path::Path;

/// Changes `pan.m` in `dir`; whether there was a reference to change.
pub fn check_types(dir: &Path) -> io::Result<bool> {
    let path = dir.join("pan.m");
    let text = std::fs::read_to_string(&path)?;
    let typed = typed(&text);
    if typed == text {
        return Ok(false);
    }
    std::fs::write(path, typed)?;
    Ok(true)
}

/// `((int)((P1 *)Pptr(n))->_p)`, with the type of the process looked at first.
fn typed(text: &str) -> String {
    const START: &str = "((int)((P";
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(START) {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        match parts(&reference[START.len()..]) {
            Some((number, pointer, length)) => {
                let process = format!("((P{number} *){pointer})");
                out.push_str(&format!("((int)({process}->_t == {number} ? {process}->_p : -1))"));
                rest = &reference[START.len() + length..];
            }
            None => {
                out.push_str(START);
                rest = &reference[START.len()..];
            }
        }
    }
    out + rest
}

/// Of `1 *)Pptr(n))->_p)…`: the number of the type, `Pptr(n)`, and the length up to the end of the reference.
fn parts(text: &str) -> Option<(&str, &str, usize)> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let pointer = text[digits..].strip_prefix(" *)").filter(|rest| rest.starts_with("Pptr("))?;
    let mut depth = 0_usize;
    let end = pointer.bytes().position(|byte| {
        depth = depth + usize::from(byte == b'(') - usize::from(byte == b')' && depth > 0);
        byte == b')' && depth == 0
    })? + 1;
    let tail = pointer[end..].strip_prefix(")->_p)")?;
    Some((&text[..digits], &pointer[..end], text.len() - tail.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_labels_look_at_the_type() {
        let text = "if (!(( !((((int)((P1 *)Pptr(f_pid(1)))->_p)==2)))) x = ((int)((P1 *)Pptr(BASE+0))->y);";
        let wanted = "if (!(( !((((int)(((P1 *)Pptr(f_pid(1)))->_t == 1 ? ((P1 *)Pptr(f_pid(1)))->_p : -1))==2)))) \
                      x = ((int)((P1 *)Pptr(BASE+0))->y);";
        assert_eq!(typed(text), wanted);
        assert_eq!(typed("((int)((P *)"), "((int)((P *)");
    }
}
