//! `#[selvedge::test]`: a test whose body is explored under every schedule, with its bounds and limits in the attribute.
//!
//! A function of tokens to tokens without a parser of Rust: the attribute is a list of names and literals, and of the function
//! only its name and body are looked at.
#![forbid(unsafe_code)]

use proc_macro::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// Options that are methods of `selvedge::Builder` of the same name, with one number or truth value.
const METHODS: [&str; 12] = [
    "preemptions",
    "deviations",
    "stale",
    "switches",
    "fair",
    "depth",
    "max_executions",
    "max_branches",
    "stack_size",
    "require_complete",
    "spurious_wakeups",
    "spurious_failures",
];

/// Runs the body under every schedule within the bounds, as `selvedge::model` does.
///
/// `#[selvedge::test(preemptions = 3, time_limit = 60)]` sets options of `selvedge::Builder`: `preemptions`, `deviations`,
/// `stale`, `switches`, `fair`, `depth`, `max_executions`, `max_branches`, `stack_size`, `require_complete`, `spurious_wakeups` and `spurious_failures` as there,
/// `time_limit` in seconds, and `unbounded` without a value.
#[proc_macro_attribute]
pub fn test(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match options(attribute).and_then(|options| expand(&options, item)) {
        Ok(test) => test,
        Err((span, message)) => compile_error(span, &message),
    }
}

/// A place and what is wrong there.
type Problem = (Span, String);

/// The calls of a builder that the attribute asks for.
fn options(attribute: TokenStream) -> Result<String, Problem> {
    let mut calls = String::new();
    let mut tokens = attribute.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let TokenTree::Ident(name) = &token else {
            return Err((token.span(), "expected the name of an option".into()));
        };
        let mut value = None;
        if tokens.next_if(|token| token.to_string() == "=").is_some() {
            value = tokens.next().map(|value| value.to_string());
        }
        calls.push_str(&call(name, value)?);
        if let Some(token) = tokens.next_if(|token| token.to_string() != ",") {
            return Err((token.span(), "expected a comma".into()));
        }
        tokens.next();
    }
    Ok(calls)
}

fn call(name: &Ident, value: Option<String>) -> Result<String, Problem> {
    let text = name.to_string();
    match (text.as_str(), value) {
        ("unbounded", None) => Ok(".unbounded()".into()),
        ("time_limit", Some(seconds)) if seconds.starts_with('"') => {
            Err((name.span(), "`time_limit` is a number of seconds: `time_limit = 60`".into()))
        }
        ("time_limit", Some(seconds)) => Ok(format!(".time_limit(::core::time::Duration::from_secs({seconds}))")),
        (method, Some(value)) if METHODS.contains(&method) => Ok(format!(".{method}({value})")),
        (method, None) if METHODS.contains(&method) || method == "time_limit" => {
            Err((name.span(), format!("`{method}` needs a value: `{method} = …`")))
        }
        ("unbounded", Some(_)) => Err((name.span(), "`unbounded` has no value".into())),
        _ => {
            let known = METHODS.join("`, `");
            Err((
                name.span(),
                format!("there is no option `{text}`; options are `{known}`, `time_limit` and `unbounded`"),
            ))
        }
    }
}

/// The test: the function with its attributes, whose body became a model.
fn expand(options: &str, item: TokenStream) -> Result<TokenStream, Problem> {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let end = tokens.last().map_or_else(Span::call_site, TokenTree::span);
    let body = match tokens.pop() {
        Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => body,
        _ => return Err((end, "`#[selvedge::test]` belongs to a function".into())),
    };
    let arguments = match tokens.last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => group,
        _ => return Err((end, "a `#[selvedge::test]` returns nothing".into())),
    };
    if !arguments.stream().is_empty() {
        return Err((arguments.span(), "a `#[selvedge::test]` has no arguments".into()));
    }
    if let Some(word) = tokens.iter().find(|token| token.to_string() == "async") {
        return Err((
            word.span(),
            "a `#[selvedge::test]` is not async: call `selvedge::future::block_on` in it".into(),
        ));
    }
    let call: TokenStream = format!("::selvedge::Builder::new(){options}.check").parse().expect("made of names");
    let mut model: TokenStream = "||".parse().expect("a closure");
    model.extend([TokenTree::Group(body)]);
    let mut block = call;
    block.extend([TokenTree::Group(proc_macro::Group::new(Delimiter::Parenthesis, model))]);
    block.extend(";".parse::<TokenStream>().expect("a semicolon"));
    let mut test: TokenStream = "#[::core::prelude::v1::test]".parse().expect("an attribute");
    test.extend(tokens);
    test.extend([TokenTree::Group(proc_macro::Group::new(Delimiter::Brace, block))]);
    Ok(test)
}

/// The message as an error of the compiler at this place.
fn compile_error(span: Span, message: &str) -> TokenStream {
    let error: TokenStream = format!("::core::compile_error!{{{message:?}}}").parse().expect("a macro call");
    error
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
