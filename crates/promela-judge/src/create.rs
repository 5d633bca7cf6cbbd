//! Initial values: of the whole model, of a process that is created, of variables and channels.

use std::iter;
use std::rc::Rc;

use super::eval::{Here, error};
use super::flow::Scope;
use super::state::{Channel, Process, State};
use super::value::{Global, Kind, Shape, Value};
use super::{Interpreter, PlainFault};
use selvedge_promela_syntax::ast::{ChanInit, Init};

/// Most processes there can be, a claim included.
const MOST_PROCESSES: usize = 255;

impl Interpreter {
    /// Creates a process and gives its number. `args` are the numbers of its parameters, structures taken apart; those
    /// that are missing are 0.
    pub(crate) fn create(&self, s: &mut State, proto: usize, args: &[i32], priority: i32) -> Result<i32, PlainFault> {
        let pid = s.processes.len();
        if pid + usize::from(self.claim.is_some()) >= MOST_PROCESSES {
            return Err(error("too many processes"));
        }
        let flow = &self.protos[proto].flow;
        s.processes.push(Rc::new(Process { proto, at: flow.start, locals: Vec::new(), priority }));
        let mut scope = Scope::new();
        let mut args = args.iter().copied();
        for (index, slot) in flow.slots.iter().enumerate() {
            let here = Here { process: Some(pid), scope: &scope, timeout: false, stutter: false, violated: None };
            let value = match index < self.protos[proto].params {
                true => self.given(&slot.shape, &mut args),
                false => self.fresh(s, here, &slot.shape, slot.init.as_ref())?,
            };
            s.process_mut(pid).locals.push(value);
            scope.insert(slot.name.clone(), index);
        }
        Ok(pid as i32)
    }

    /// The value of a parameter, put together from the next numbers. Initialisers of its fields do not count.
    fn given(&self, shape: &Shape, numbers: &mut dyn Iterator<Item = i32>) -> Value {
        let mut one = || match &shape.kind {
            Kind::Struct(structure) => {
                let fields = &self.globals.structs[*structure].fields;
                Value::Many(fields.iter().map(|field| self.given(&field.shape, numbers)).collect())
            }
            kind => Value::Int(kind.cut(numbers.next().unwrap_or(0))),
        };
        match shape.length {
            Some(length) => Value::Many((0..length).map(|_| one()).collect()),
            None => one(),
        }
    }

    /// The initial value of a variable; makes its channels.
    pub(crate) fn fresh(
        &self,
        s: &mut State,
        here: Here<'_>,
        shape: &Shape,
        init: Option<&Init>,
    ) -> Result<Value, PlainFault> {
        let Some(length) = shape.length else { return self.fresh_one(s, here, &shape.kind, init) };
        let elements = (0..length).map(|index| match init {
            Some(Init::List(list)) => match list.get(index).or(list.last()) {
                Some(element) => Ok(Value::Int(shape.kind.cut(self.eval(s, here, element)?))),
                None => Ok(Value::Int(0)),
            },
            init => self.fresh_one(s, here, &shape.kind, init),
        });
        Ok(Value::Many(elements.collect::<Result<_, _>>()?))
    }

    fn fresh_one(&self, s: &mut State, here: Here<'_>, kind: &Kind, init: Option<&Init>) -> Result<Value, PlainFault> {
        if let Kind::Struct(structure) = kind {
            let fields = &self.globals.structs[*structure].fields;
            let values = fields.iter().map(|field| self.fresh(s, here, &field.shape, field.init.as_ref()));
            return Ok(Value::Many(values.collect::<Result<_, _>>()?));
        }
        Ok(Value::Int(match init {
            Some(Init::Expr(e)) => kind.cut(self.eval(s, here, e)?),
            Some(Init::Chan(init)) => self.new_channel(s, here.process, init)?,
            Some(Init::List(_)) | None => 0,
        }))
    }

    fn new_channel(&self, s: &mut State, owner: Option<usize>, init: &ChanInit) -> Result<i32, PlainFault> {
        let capacity = self.globals.constant(&init.capacity).map_err(error)?;
        let mut fields = Vec::new();
        for (ty, _) in &init.fields {
            let kind = self.globals.kind(ty).map_err(error)?;
            fields.extend(self.globals.leaves(&kind));
        }
        // Spin keeps a message that is a single bit in a whole byte.
        if fields == [Kind::Bit] {
            fields = vec![Kind::Byte];
        }
        if s.channels.len() >= 255 {
            return Err(error("too many channels"));
        }
        let capacity = capacity.max(0) as usize;
        s.channels.push(Rc::new(Channel { capacity, fields, owner, messages: Vec::new() }));
        Ok(s.channels.len() as i32)
    }

    /// The state before anything happened.
    pub(crate) fn make_initial(&self) -> Result<State, PlainFault> {
        let mut s = State::empty();
        s.event = self.event.as_ref().map(|event| event.flow.start);
        s.claim = self.claim.as_ref().map(|claim| claim.start);
        let here = Here { process: None, scope: &Scope::new(), timeout: false, stutter: false, violated: None };
        fn part<'a>(s: &'a mut State, global: &Global) -> &'a mut Vec<Value> {
            Rc::make_mut(if global.hidden { &mut s.hidden } else { &mut s.globals })
        }
        for global in &self.globals.variables {
            let zero = self.given(&global.shape, &mut iter::empty());
            part(&mut s, global).push(zero);
        }
        // As in Spin, type by type: an initialiser that reads a variable of a later type reads 0.
        let mut by_type: Vec<&Global> = self.globals.variables.iter().collect();
        by_type.sort_by_key(|global| global.rank);
        for global in by_type {
            let value = self.fresh(&mut s, here, &global.shape, global.init.as_ref())?;
            part(&mut s, global)[global.slot] = value;
        }
        for (proto, definition) in self.protos.iter().enumerate() {
            for _ in 0..definition.instances {
                self.create(&mut s, proto, &[], definition.priority)?;
            }
        }
        Ok(s)
    }
}
