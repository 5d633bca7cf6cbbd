//! Models with `ltl` properties, made comparable.
//!
//! How many states a property costs depends on the automaton it is translated to, and every translator has its own. So
//! we take Spin's: `spin -a` leaves its never claims in `_spin_nvr.tmp`; the model with its `ltl` blocks blanked out and
//! one of these claims appended means the same to every tool.

use std::io;
use std::path::Path;

/// One never claim as Spin wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The name of the `ltl` block.
    pub name: String,
    /// `never name { … }`.
    pub text: String,
}

/// The claims `spin -a` derived from the `ltl` blocks of a model, in the order of the model.
pub fn written_by_spin(dir: &Path) -> io::Result<Vec<Claim>> {
    match std::fs::read_to_string(dir.join("_spin_nvr.tmp")) {
        Ok(text) => Ok(split(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn split(text: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("never ") {
            let name = rest.split([' ', '{']).next().unwrap_or_default().to_owned();
            claims.push(Claim { name, text: String::new() });
        }
        if let Some(claim) = claims.last_mut() {
            claim.text.push_str(line);
            claim.text.push('\n');
        }
    }
    claims
}

/// The source with `claim` in place of all `ltl` blocks.
///
/// The claim loses its name: a nameless one is what every dialect of Promela knows.
pub fn with_claim(source: &str, claim: &Claim) -> String {
    let never = claim.text.replacen(&format!("never {}", claim.name), "never", 1);
    format!("{}\n{never}", without_ltl(source))
}

/// The source with its `ltl` blocks replaced by blanks, line by line in place.
pub fn without_ltl(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = skipped(rest);
        if length > 0 {
            at += length;
        } else if let Some(length) = word(rest) {
            let end = if &rest[..length] == b"ltl" { block(rest) } else { None };
            if let Some(end) = end {
                blank(&mut out[at..at + end]);
            }
            at += end.unwrap_or(length);
        } else {
            at += 1;
        }
    }
    String::from_utf8(out).expect("only whole blocks were blanked")
}

fn blank(text: &mut [u8]) {
    text.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

/// Length of the comment or string at the beginning of `rest`, or 0.
fn skipped(rest: &[u8]) -> usize {
    let find = |needle: &[u8], from: usize| {
        let tail = rest.get(from..).unwrap_or_default();
        tail.windows(needle.len()).position(|w| w == needle).map(|p| from + p + needle.len())
    };
    if rest.starts_with(b"/*") {
        find(b"*/", 2).unwrap_or(rest.len())
    } else if rest.starts_with(b"//") {
        rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
    } else if rest[0] == b'"' {
        find(b"\"", 1).unwrap_or(rest.len())
    } else {
        0
    }
}

/// Length of the word at the beginning of `rest`.
fn word(rest: &[u8]) -> Option<usize> {
    let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let length = rest.iter().position(|b| !part(b)).unwrap_or(rest.len());
    (length > 0).then_some(length)
}

/// Length of `ltl name { … }`, if that is what `rest` begins with.
fn block(rest: &[u8]) -> Option<usize> {
    let open = rest.iter().position(|b| *b == b'{')?;
    let between = rest["ltl".len()..open].iter();
    if !between.clone().all(|b| b.is_ascii_whitespace() || b.is_ascii_alphanumeric() || *b == b'_') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, b) in rest.iter().enumerate().skip(open) {
        match b {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at + 1),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_blocks_and_nothing_else() {
        let source = "byte x; // ltl a { x }\nltl p {\n [] (x) }\nint ltly; \"ltl { }\"\nltl { <> x }\n";
        let wanted = "byte x; // ltl a { x }\n       \n         \nint ltly; \"ltl { }\"\n            \n";
        assert_eq!(without_ltl(source), wanted);
    }

    #[test]
    fn splits_and_appends_claims() {
        let claims = split("never p1 {    /* !x */\nskip\n}\nnever p2 {\n}\n");
        assert_eq!(claims.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["p1", "p2"]);
        assert_eq!(with_claim("ltl p1 { x }", &claims[0]), format!("{:12}\nnever {{    /* !x */\nskip\n}}\n", ""));
    }
}
