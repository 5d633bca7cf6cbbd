//! Whether two steps commute, by executing them in both orders: what partial-order reduction takes for granted of the
//! steps that it calls safe.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::reads::zeroed;
use super::spin::clear;
use super::state::{State, Turn};
use super::value::{Kind, Shape, Value};
use super::{Interpreter, PlainStep};

/// What makes a step the same step in another state: process, place, and the receiver of a rendezvous.
fn same(a: &PlainStep, b: &PlainStep) -> bool {
    a.thread == b.thread && a.span == b.span && a.partner == b.partner
}

impl Interpreter {
    /// Whether a step of one process and a step of another commute in a state: each is enabled after the other, and
    /// both orders lead to the same state, apart from variables that decide nothing. `None` where that cannot be asked: a step fails, begins an atomic sequence,
    /// or a claim watches.
    pub fn commute(&self, first: &PlainStep, second: &PlainStep) -> Option<bool> {
        if self.claim.is_some() || first.thread == second.thread {
            return None;
        }
        let one = self.after(first, second)?;
        let other = self.after(second, first)?;
        // Options of one statement, as of a `select`, look the same: both orders have one of their states in common.
        Some(!one.is_disjoint(&other))
    }

    /// The states after two steps in this order. `None` where others may not run in between.
    fn after(&self, first: &PlainStep, second: &PlainStep) -> Option<BTreeSet<State>> {
        let between = first.next.as_ref().filter(|_| first.faults.is_empty()).map(|next| self.settle(next.clone()))?;
        if between.turn != Turn::Free {
            return None;
        }
        let steps = self.steps(&between).into_iter().filter(|step| same(step, second));
        let mut after = BTreeSet::new();
        for step in steps {
            let state = step.next.filter(|_| step.faults.is_empty())?;
            // Who ran last is part of the state only where the model asks for it.
            let mut key = self.settle(state).key();
            clear(&mut key.globals, |slot| self.reads.global_decides(slot));
            self.clear_unread_fields(&mut key.globals);
            after.insert(key);
        }
        Some(after)
    }

    /// Sets fields of global structures to 0 that nothing reads.
    fn clear_unread_fields(&self, values: &mut Rc<Vec<Value>>) {
        let structures = self.globals.variables.iter().filter(|variable| !variable.hidden);
        for variable in structures.filter(|variable| matches!(variable.shape.kind, Kind::Struct(_))) {
            let read = self.read_parts(&values[variable.slot], &variable.shape, &mut vec![variable.name.as_str()]);
            Rc::make_mut(values)[variable.slot] = read;
        }
    }

    /// A value of this type, with 0 in place of what nothing reads.
    fn read_parts<'a>(&'a self, value: &Value, shape: &'a Shape, path: &mut Vec<&'a str>) -> Value {
        match value {
            Value::Many(elements) if shape.length.is_some() => {
                Value::Many(elements.iter().map(|element| self.read_element(element, &shape.kind, path)).collect())
            }
            single => self.read_element(single, &shape.kind, path),
        }
    }

    fn read_element<'a>(&'a self, value: &Value, kind: &'a Kind, path: &mut Vec<&'a str>) -> Value {
        let (Value::Many(parts), Kind::Struct(index)) = (value, kind) else {
            return if self.reads.reads_part(path) { value.clone() } else { zeroed(value) };
        };
        let fields = self.globals.structs[*index].fields.iter();
        let read = parts.iter().zip(fields).map(|(part, field)| {
            path.push(&field.name);
            let read = self.read_parts(part, &field.shape, path);
            path.pop();
            read
        });
        Value::Many(read.collect())
    }
}
