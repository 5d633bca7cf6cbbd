//! Many mutants in one source text: each is a branch, and at run time one of them is active.
//!
//! A mutant replaces some text. The smallest expression around that text becomes
//! `(if crate::mutant::active(7) { mutated } else { original })`; a mutant that replaces the body of a function becomes
//! `if crate::mutant::active(7) { return value; }` in front of it. Only one mutant is active at a time, so the mutated
//! copy has no others inside, and all of this is insertions into the original text.
//!
//! Some mutants cannot be expressed so (a function that returns `impl Iterator`, a `const fn`): the compiler rejects
//! the branch, and [`blamed`] finds out which one it complains about.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprIf, File};

use super::sample::Mutant;

/// The module that says which mutant is active, for the root of a mutated crate. Where `SELVEDGE_REACHED` names a file, no
/// mutant is active, and the numbers of those that are asked for are written into it.
pub const SWITCH: &str = r#"
/// Which mutant is active.
pub mod mutant {
    use std::io::Write;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    const RECORD: u32 = u32::MAX - 1;
    static ACTIVE: LazyLock<u32> = LazyLock::new(|| {
        if std::env::var_os("SELVEDGE_REACHED").is_some() {
            return RECORD;
        }
        std::env::var("SELVEDGE_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
    });
    // More than any sample has; tests ask very often.
    static REACHED: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];
    /// Whether it is this one.
    #[inline]
    pub fn active(number: u32) -> bool {
        *ACTIVE == number || *ACTIVE == RECORD && reached(number)
    }
    #[cold]
    fn reached(number: u32) -> bool {
        let Some(known) = REACHED.get(number as usize) else { return false };
        if !known.load(Ordering::Relaxed)
            && !known.swap(true, Ordering::Relaxed)
            && let Some(path) = std::env::var_os("SELVEDGE_REACHED")
            && let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path)
        {
            let _ = file.write_all(format!("{number}\n").as_bytes());
        }
        false
    }
}
"#;

/// The text with the mutants as branches, and the mutants for which no expression was found.
pub fn with_branches(text: &str, mutants: &[(usize, &Mutant)]) -> syn::Result<(String, Vec<usize>)> {
    let expressions = Expressions::of(&syn::parse_file(text)?);
    let (mut insertions, mut refused) = (Vec::new(), Vec::new());
    for (number, mutant) in mutants {
        if mutant.body && mutant.opaque {
            refused.push(*number);
            continue;
        }
        if mutant.body {
            let opening = format!("if crate::mutant::active({number}) {{ return {}; }} ", mutant.replacement);
            insertions.push(Insertion { at: mutant.span.start, rank: (1, 0), text: opening });
            continue;
        }
        let Some(around) = expressions.smallest(&mutant.span).filter(|_| !expressions.or_in_chain(mutant)) else {
            refused.push(*number);
            continue;
        };
        let range = around.range.clone();
        let before = &text[range.start..mutant.span.start];
        let mutated = format!("{before}{}{}", mutant.replacement, &text[mutant.span.end..range.end]);
        // Not every replacement is an expression: in `a as u64 < b` a list of types begins.
        if syn::parse_str::<Expr>(&mutated).is_err() {
            refused.push(*number);
            continue;
        }
        // What begins with a block would end with it, as a statement.
        let alone = !around.block && begins_with_block(&text[range.clone()]);
        let [inner, closing] = if alone { ["(", ")"] } else { ["", ""] };
        let [left, right] = if around.block { ["{ ", " }"] } else { ["(", ")"] };
        // At one place: first what ends there, the shortest expression first; then what begins, the longest first.
        let length = range.len() as i64;
        let opening =
            format!("{left}if crate::mutant::active({number}) {{ {inner}{mutated}{closing} }} else {{ {inner}");
        insertions.push(Insertion { at: range.start, rank: (2, -length), text: opening });
        insertions.push(Insertion { at: range.end, rank: (0, length), text: format!("{closing} }}{right}") });
    }
    insertions.sort_by_key(|insertion| (insertion.at, insertion.rank));
    let (mut out, mut done) = (String::new(), 0);
    for insertion in insertions {
        out += &text[done..insertion.at];
        out += &insertion.text;
        done = insertion.at;
    }
    out += &text[done..];
    Ok((out, refused))
}

/// Whether an expression begins with another one that ends in a brace.
fn begins_with_block(text: &str) -> bool {
    text.starts_with('{')
        || ["if ", "match ", "unsafe ", "loop ", "while ", "for "].iter().any(|word| text.starts_with(word))
}

struct Insertion {
    at: usize,
    rank: (u8, i64),
    text: String,
}

/// Every expression of a file.
#[derive(Default)]
struct Expressions {
    all: Vec<Around>,
    /// Conditions with `let`, and the operands that bind.
    chains: Vec<Range<usize>>,
}

struct Around {
    range: Range<usize>,
    /// It ends in a brace, and a statement of it needs no semicolon.
    block: bool,
}

/// Whether a condition contains a `let`.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

impl Expressions {
    fn of(file: &File) -> Expressions {
        let mut expressions = Expressions::default();
        expressions.visit_file(file);
        expressions
    }

    fn smallest(&self, span: &Range<usize>) -> Option<&Around> {
        let around = |range: &Range<usize>| range.start <= span.start && span.end <= range.end;
        self.all.iter().filter(|one| around(&one.range)).min_by_key(|one| one.range.len())
    }

    /// Whether the mutant is an `||` beside a `let`, which no parser accepts.
    fn or_in_chain(&self, mutant: &Mutant) -> bool {
        let smallest = self.smallest(&mutant.span).map_or(usize::MAX, |around| around.range.len());
        let around = |chain: &&Range<usize>| chain.start <= mutant.span.start && mutant.span.end <= chain.end;
        mutant.replacement == "||" && self.chains.iter().filter(around).any(|chain| chain.len() < smallest)
    }
}

impl<'ast> Visit<'ast> for Expressions {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        let block = matches!(expression, Expr::Match(_) | Expr::If(_) | Expr::Block(_));
        // A condition with `let` cannot be anywhere else: the expression that it is a condition of becomes the branch.
        match binds(expression) {
            true => self.chains.push(expression.span().byte_range()),
            false => self.all.push(Around { range: expression.span().byte_range(), block }),
        }
        visit::visit_expr(self, expression);
    }
}

/// A mutant whose branch the compiler rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blamed {
    /// Its number.
    pub number: usize,
    /// The error is in the mutated code itself.
    pub mutated: bool,
}

/// The mutants in whose branches the byte offsets of a text are; of nested branches the innermost.
pub fn blamed(text: &str, offsets: &[usize]) -> Vec<Blamed> {
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut branches = Branches::default();
    branches.visit_file(&file);
    let innermost = |offset: &usize| {
        let around = branches.all.iter().filter(|branch| branch.whole.contains(offset));
        let branch = around.min_by_key(|branch| branch.whole.len())?;
        Some(Blamed { number: branch.number, mutated: branch.mutated.contains(offset) })
    };
    offsets.iter().filter_map(innermost).collect()
}

/// The branches of a text with their mutants.
#[derive(Default)]
struct Branches {
    all: Vec<Branch>,
}

struct Branch {
    whole: Range<usize>,
    mutated: Range<usize>,
    number: usize,
}

impl<'ast> Visit<'ast> for Branches {
    fn visit_expr_if(&mut self, branch: &'ast ExprIf) {
        if let Expr::Call(call) = &*branch.cond
            && let Expr::Path(path) = &*call.func
            && path.path.segments.iter().map(|segment| segment.ident.to_string()).eq(["crate", "mutant", "active"])
            && let Some(Expr::Lit(literal)) = call.args.first()
            && let syn::Lit::Int(number) = &literal.lit
            && let Ok(number) = number.base10_parse()
        {
            let (whole, mutated) = (branch.span().byte_range(), branch.then_branch.span().byte_range());
            self.all.push(Branch { whole, mutated, number });
        }
        visit::visit_expr_if(self, branch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mutant that replaces the first occurrence of a text.
    fn mutant(text: &str, old: &str, new: &str, body: bool) -> Mutant {
        let start = text.find(old).expect("it is there");
        let (name, file, package) = (String::new(), String::new(), String::new());
        Mutant { name, file, package, body, opaque: false, span: start..start + old.len(), replacement: new.to_owned() }
    }

    fn branches(text: &str, mutants: &[Mutant]) -> String {
        let numbered: Vec<(usize, &Mutant)> = mutants.iter().enumerate().collect();
        let (text, refused) = with_branches(text, &numbered).expect("it parses");
        assert!(refused.is_empty() && syn::parse_file(&text).is_ok(), "{text}");
        text
    }

    #[test]
    fn the_smallest_expression_becomes_a_branch() {
        let text = "fn f() -> bool { a + 1 < b }";
        let sum = mutant(text, "+", "-", false);
        let less = mutant(text, "<", "<=", false);
        let expected = "fn f() -> bool { (if crate::mutant::active(1) { a + 1 <= b } else { \
                        (if crate::mutant::active(0) { a - 1 } else { a + 1 }) < b }) }";
        assert_eq!(branches(text, &[sum, less]), expected);
    }

    #[test]
    fn a_body_is_left_in_front_of_its_first_statement() {
        let text = "fn f() -> bool { a < b }";
        let expected = "fn f() -> bool { if crate::mutant::active(0) { return true; } a < b }";
        assert_eq!(branches(text, &[mutant(text, "a < b", "true", true)]), expected);
    }

    #[test]
    fn an_arm_is_deleted_in_a_copy_of_its_match() {
        let text = "fn f() { match x { 1 => a(), _ => b() } }";
        let expected = "fn f() { { if crate::mutant::active(0) { match x {  _ => b() } } else { \
                        match x { 1 => a(), _ => b() } } } }";
        assert_eq!(branches(text, &[mutant(text, "1 => a(),", "", false)]), expected);
    }

    #[test]
    fn a_condition_that_binds_is_copied_with_its_if() {
        let text = "fn f() { if let Some(x) = y && z { a() } }";
        let expected = "fn f() { { if crate::mutant::active(0) { if let Some(x) = y  { a() } } else { \
                        if let Some(x) = y && z { a() } } } }";
        assert_eq!(branches(text, &[mutant(text, "&& z", "", false)]), expected);
    }

    #[test]
    fn an_or_beside_a_let_is_refused() {
        let text = "fn f() { if let Some(x) = y && z { a() } }";
        let and = mutant(text, "&&", "||", false);
        assert_eq!(with_branches(text, &[(7, &and)]).expect("it parses").1, [7]);
    }

    #[test]
    fn what_begins_with_a_block_stays_one_expression() {
        let text = "fn f() -> u8 { let x = if a { 1 } else { 0 } | b; x }";
        let expected = "fn f() -> u8 { let x = (if crate::mutant::active(0) { (if a { 1 } else { 0 } & b) } else { \
                        (if a { 1 } else { 0 } | b) }); x }";
        assert_eq!(branches(text, &[mutant(text, "|", "&", false)]), expected);
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let text = "fn f() -> bool { a as u64 > b }";
        let less = mutant(text, ">", "<", false);
        assert_eq!(with_branches(text, &[(7, &less)]).expect("it parses").1, [7]);
    }

    #[test]
    fn an_error_is_blamed_on_the_innermost_branch() {
        let text = "fn f() -> bool { a + 1 < b }";
        let text = branches(text, &[mutant(text, "+", "-", false), mutant(text, "<", "<=", false)]);
        let at = |part: &str| text.find(part).expect("it is there");
        let found = blamed(&text, &[at("a - 1"), at("a + 1 <= b"), at("a + 1 }"), at("fn")]);
        let expected = [(0, true), (1, true), (0, false)].map(|(number, mutated)| Blamed { number, mutated });
        assert_eq!(found, expected);
    }
}
