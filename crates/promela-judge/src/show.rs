//! Names and values of variables as text: what changed in a step.

use super::Interpreter;
use super::state::State;
use super::value::{Kind, Shape, Value};

impl Interpreter {
    /// The numbers of a state with their names: `x`, `a[2]`, `m.size` for globals, the process's
    /// type and number in front for locals, of the processes with the numbers that are wanted.
    pub(crate) fn variables_of(&self, s: &State, wanted: impl Fn(usize) -> bool) -> Vec<(String, i32)> {
        let mut all = Vec::new();
        for global in &self.globals.variables {
            let part = if global.hidden { &s.hidden } else { &s.globals };
            if let Some(value) = part.get(global.slot) {
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
        // Of many processes, few change in a step.
        let differs = |pid: usize| before.processes.get(pid) != after.processes.get(pid);
        let old: std::collections::BTreeMap<String, i32> = self.variables_of(before, differs).into_iter().collect();
        let after = self.variables_of(after, differs).into_iter();
        after
            .filter(|(name, number)| old.get(name).is_some_and(|old| old != number))
            .map(|(name, number)| (name, number.to_string()))
            .collect()
    }
}
