//! Names and values of variables as text: what changed in a step.

use super::Interpreter;
use super::state::State;
use super::value::{Global, Kind, Shape, Value};

impl Interpreter {
    /// The numbers of a state with their names: `x`, `a[2]`, `m.size` for globals, the process's
    /// type and number in front for locals, of the processes with the numbers that are wanted.
    pub(crate) fn variables_of(&self, s: &State, wanted: impl Fn(usize) -> bool) -> Vec<(String, i32)> {
        self.variables(s, wanted, |_, _| true)
    }

    /// The same with the globals that are wanted, each asked for by where it is and its value.
    fn variables(
        &self,
        s: &State,
        wanted: impl Fn(usize) -> bool,
        wanted_global: impl Fn(&Global, &Value) -> bool,
    ) -> Vec<(String, i32)> {
        let mut all = Vec::new();
        for global in &self.globals.variables {
            if let Some(value) = part(s, global).filter(|value| wanted_global(global, value)) {
                self.list(&global.name, &global.shape, value, &mut all);
            }
        }
        for (pid, process) in s.processes.iter().enumerate().filter(|(pid, _)| wanted(*pid)) {
            let proto = &self.protos[process.proto];
            for (slot, value) in proto.flow.slots.iter().zip(&process.locals) {
                let name = format!("{}[{pid}].{}", proto.name, slot.name);
                self.list(&name, &slot.shape, value, &mut all);
            }
        }
        all
    }

    fn list(&self, name: &str, shape: &Shape, value: &Value, all: &mut Vec<(String, i32)>) {
        match (shape.length, value) {
            (Some(_), Value::Many(elements)) => {
                let element = Shape { kind: shape.kind.clone(), length: None };
                for (index, value) in elements.iter().enumerate() {
                    self.list(&format!("{name}[{index}]"), &element, value, all);
                }
            }
            (None, Value::Many(values)) => {
                let Kind::Struct(structure) = &shape.kind else { return };
                for (field, value) in self.globals.structs[*structure].fields.iter().zip(values) {
                    self.list(&format!("{name}.{}", field.name), &field.shape, value, all);
                }
            }
            (_, Value::Int(number)) => all.push((name.to_string(), *number)),
        }
    }

    /// Variables whose values differ, with those they have in `after`.
    pub(crate) fn changes(&self, before: &State, after: &State) -> Vec<(String, String)> {
        // Of many processes and variables, few change in a step.
        let differs = |pid: usize| before.processes.get(pid) != after.processes.get(pid);
        let changed = |of: &State, global: &Global, value: &Value| part(of, global) != Some(value);
        let old = self.variables(before, differs, |global, value| changed(after, global, value));
        let old: std::collections::BTreeMap<String, i32> = old.into_iter().collect();
        self.variables(after, differs, |global, value| changed(before, global, value))
            .into_iter()
            .filter(|(name, number)| old.get(name).is_some_and(|old| old != number))
            .map(|(name, number)| (name, number.to_string()))
            .collect()
    }
}

/// The value of a global variable.
fn part<'s>(s: &'s State, global: &Global) -> Option<&'s Value> {
    let part = if global.hidden { &s.hidden } else { &s.globals };
    part.get(global.slot)
}
