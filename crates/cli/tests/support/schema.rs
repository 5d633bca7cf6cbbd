//! A validator for the JSON schemas of these tests: ours, and SARIF's. The crates that do this bring tables of Unicode and URLs
//! with them that double the time of building the tests. A keyword that it does not know is a panic, never ignored;
//! `format` is an annotation.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value};

use super::root;

/// Keywords that say nothing about a document.
const ANNOTATIONS: &[&str] =
    &["$schema", "$id", "id", "title", "description", "default", "format", "definitions", "$defs"];

/// A schema and those it refers to.
pub struct Validator {
    main: String,
    /// By their ids.
    schemas: BTreeMap<String, Value>,
}

impl Validator {
    /// The schema in this file of the repository; `others` are files that it refers to.
    pub fn new(file: &str, others: &[&str]) -> Self {
        let read = |path: &str| -> (String, Value) {
            let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            let schema: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            let id = schema["$id"].as_str().or(schema["id"].as_str()).expect("a schema has an id").to_owned();
            (id, schema)
        };
        let (main, schema) = read(file);
        let others = others.iter().map(|path| read(path));
        Validator { schemas: others.chain([(main.clone(), schema)]).collect(), main }
    }

    /// What does not fit, with its place.
    pub fn complaints(&self, document: &Value) -> Vec<String> {
        let mut complaints = Vec::new();
        self.validate(&self.main, &self.schemas[&self.main], document, "", &mut complaints);
        complaints
    }

    fn validate(&self, base: &str, schema: &Value, value: &Value, place: &str, out: &mut Vec<String>) {
        let Value::Object(keywords) = schema else { return };
        for (keyword, rule) in keywords {
            if !ANNOTATIONS.contains(&keyword.as_str()) {
                self.keyword(base, keywords, (keyword, rule), value, place, out);
            }
        }
    }

    fn keyword(
        &self,
        base: &str,
        siblings: &Map<String, Value>,
        (keyword, rule): (&String, &Value),
        value: &Value,
        place: &str,
        out: &mut Vec<String>,
    ) {
        let mut require = |fits: bool| {
            if !fits {
                out.push(format!("{place}: {keyword} {rule} does not fit {}", short(value)));
            }
        };
        match keyword.as_str() {
            "type" => require(has_type(rule, value)),
            "const" => require(rule == value),
            "enum" => require(rule.as_array().is_some_and(|values| values.contains(value))),
            "minimum" => require(value.as_f64().is_none_or(|number| Some(number) >= rule.as_f64())),
            "maximum" => require(value.as_f64().is_none_or(|number| Some(number) <= rule.as_f64())),
            "minLength" => require(value.as_str().is_none_or(|text| text.chars().count() as u64 >= number(rule))),
            "minItems" => require(value.as_array().is_none_or(|items| items.len() as u64 >= number(rule))),
            "uniqueItems" => require(value.as_array().is_none_or(|items| all_different(items))),
            "pattern" => require(value.as_str().is_none_or(|text| matches(rule.as_str().unwrap_or_default(), text))),
            "required" => missing(rule, value).for_each(|name| out.push(format!("{place}: {name} is missing"))),
            "properties" => {
                for (name, schema) in rule.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        self.validate(base, schema, value, &format!("{place}/{name}"), out);
                    }
                }
            }
            "additionalProperties" => {
                let known = |name: &str| siblings.get("properties").and_then(|known| known.get(name)).is_some();
                for (name, value) in value.as_object().into_iter().flatten().filter(|(name, _)| !known(name)) {
                    match rule {
                        Value::Bool(false) => out.push(format!("{place}: {name} is not allowed")),
                        schema => self.validate(base, schema, value, &format!("{place}/{name}"), out),
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    self.validate(base, rule, value, &format!("{place}/{index}"), out);
                }
            }
            "$ref" => {
                let (base, schema) = self.referred(base, rule.as_str().unwrap_or_default());
                self.validate(base, schema, value, place, out);
            }
            "anyOf" | "oneOf" => {
                let schemas = rule.as_array().into_iter().flatten();
                let fitting = schemas.filter(|schema| self.fits(base, schema, value, place)).count();
                require(if keyword == "anyOf" { fitting > 0 } else { fitting == 1 });
            }
            other => panic!("the schema at {place} has the keyword `{other}`, which this validator does not know"),
        }
    }

    fn fits(&self, base: &str, schema: &Value, value: &Value, place: &str) -> bool {
        let mut complaints = Vec::new();
        self.validate(base, schema, value, place, &mut complaints);
        complaints.is_empty()
    }

    fn referred<'a>(&'a self, base: &'a str, reference: &'a str) -> (&'a str, &'a Value) {
        let (id, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let id = if id.is_empty() { base } else { id };
        let schema = self.schemas.get(id).and_then(|schema| schema.pointer(pointer));
        (id, schema.unwrap_or_else(|| panic!("{reference} leads nowhere")))
    }
}

fn number(rule: &Value) -> u64 {
    rule.as_u64().expect("a number")
}

fn has_type(rule: &Value, value: &Value) -> bool {
    match rule {
        Value::Array(types) => types.iter().any(|rule| has_type(rule, value)),
        rule => match rule.as_str().expect("the name of a type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("there is no type {other}"),
        },
    }
}

fn all_different(items: &[Value]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}

/// The patterns that our documents meet.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        "^[0-9a-f]{64}$" => text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')),
        other => panic!("{text}: the pattern {other} is not known here"),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

/// The required names that an object lacks.
fn missing<'a>(names: &'a Value, value: &'a Value) -> impl Iterator<Item = &'a Value> {
    let names = names.as_array().into_iter().flatten();
    names.filter(|name| value.is_object() && value.get(name.as_str().unwrap_or_default()).is_none())
}
