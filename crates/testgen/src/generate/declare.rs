//! Random declarations: macros, `mtype`, structures, globals, parameters, locals.

use super::Gen;
use super::scope::{Binding, Signature};
use crate::ast::*;

impl Gen {
    /// Everything before the processes.
    pub(crate) fn declare_globals(&mut self) {
        if self.rng.percent(50) {
            let count = 2 + self.rng.below(2);
            self.program.mtypes = ["red", "green", "blue"][..count].iter().map(ToString::to_string).collect();
        }
        if self.features.macros {
            self.declare_macros();
        }
        if self.features.structs {
            self.declare_structs();
        }
        for _ in 0..1 + self.rng.below(4) {
            self.declare_global();
        }
        for typedef in self.program.typedefs.clone() {
            let name = self.fresh("s");
            let len = self.rng.percent(35).then_some(2);
            let var = Var { len, ..Var::plain(name, Type::Struct(typedef.name)) };
            self.globals.push(Binding::variable(var));
        }
        if self.features.channels {
            for _ in 0..1 + self.rng.below(3) {
                let name = self.fresh("q");
                let mut channel = self.new_channel(name);
                channel.var.len = self.rng.percent(15).then_some(2);
                self.globals.push(channel);
            }
        }
        self.program.globals = self.globals.iter().map(|b| b.var.clone()).collect();
    }

    fn declare_macros(&mut self) {
        let constant = Expr::Num(self.rng.between(1, 3));
        self.program.macros.push(Macro { name: "LIMIT".to_owned(), params: vec![], body: constant });
        let (a, b) = (Expr::word("a"), Expr::word("b"));
        let body = match self.rng.below(3) {
            0 => a.with("+", b),
            1 => Expr::Choose(Box::new(a.clone().with(">", b.clone())), Box::new(a), Box::new(b)),
            _ => a.with("==", b),
        };
        let params = vec!["a".to_owned(), "b".to_owned()];
        self.program.macros.push(Macro { name: "MIX".to_owned(), params, body });
    }

    fn declare_structs(&mut self) {
        let mut inner = Vec::new();
        for name in ["f", "g"] {
            inner.push(self.scalar(name.to_owned()));
        }
        if self.rng.percent(40) {
            inner.push(Var { len: Some(2), ..Var::plain("h", Type::Byte) });
        }
        self.program.typedefs.push(Typedef { name: "Inner".to_owned(), fields: inner });
        if self.rng.percent(40) {
            let len = self.rng.percent(40).then_some(2);
            let nested = Var { len, ..Var::plain("part", Type::Struct("Inner".to_owned())) };
            let fields = vec![self.scalar("k".to_owned()), nested];
            self.program.typedefs.push(Typedef { name: "Outer".to_owned(), fields });
        }
    }

    /// A scalar of a process. (Where there are priorities, pan leaves bits of processes out of the state.)
    pub(crate) fn local_scalar(&mut self, name: String) -> Var {
        let var = self.scalar(name);
        let bits = matches!(var.ty, Type::Bit | Type::Bool | Type::Unsigned(_));
        if bits && self.features.priority { Var { ty: Type::Byte, ..var } } else { var }
    }

    /// A variable of a scalar type, not initialised.
    pub(crate) fn scalar(&mut self, name: String) -> Var {
        let ty = match self.rng.weighted(&[12, 14, 34, 8, 10, 10, 8, 2]) {
            0 => Type::Bit,
            1 => Type::Bool,
            2 => Type::Byte,
            3 => Type::Short,
            4 => Type::Int,
            5 => Type::Unsigned(self.rng.between(1, 4) as u8),
            6 if !self.program.mtypes.is_empty() => Type::Mtype,
            7 => Type::Pid,
            _ => Type::Byte,
        };
        Var::plain(name, ty)
    }

    fn declare_global(&mut self) {
        let name = self.fresh("x");
        let mut var = self.scalar(name);
        if self.rng.percent(20) && !matches!(var.ty, Type::Unsigned(_)) {
            var.len = Some(self.rng.between(1, 3) as u8);
        }
        var.init = self.initial(&var);
        if self.features.prefixes && self.rng.percent(50) {
            let bits = matches!(var.ty, Type::Bit | Type::Bool | Type::Unsigned(_));
            var.prefix = self.operator(if bits { &["show ", "local "] } else { &["hidden ", "show ", "local "] });
        }
        self.globals.push(Binding::variable(var));
    }

    /// A constant initialiser, or none.
    fn initial(&mut self, var: &Var) -> Init {
        if self.rng.percent(60) || var.ty == Type::Pid {
            return Init::None;
        }
        // Lists take plain constants only, so there a number has no sign.
        let list = var.len.is_some() && self.rng.percent(40);
        let constant = |g: &mut Gen| match var.ty {
            Type::Mtype => g.element(),
            Type::Bit | Type::Bool => Expr::Num(g.rng.between(0, 1)),
            Type::Short | Type::Int if !list => Expr::Num(g.number(&[-1, 1, 2, 3])),
            Type::Unsigned(bits) => Expr::Num(g.rng.between(0, (1 << bits) - 1)),
            _ => Expr::Num(g.rng.between(0, 3)),
        };
        match var.len {
            Some(len) if list => Init::List((0..len).map(|_| constant(self)).collect()),
            _ => Init::Value(constant(self)),
        }
    }

    fn new_channel(&mut self, name: String) -> Binding {
        let signature = self.signature();
        let capacity = signature.capacity.unwrap_or(1);
        let init = Init::Channel(capacity, signature.fields.clone());
        Binding::channel(Var { init, ..Var::plain(name, Type::Chan) }, signature)
    }

    /// Parameters for a process that is started by `run`.
    pub(crate) fn params(&mut self) -> Vec<Var> {
        let mut params = Vec::new();
        for _ in 0..self.rng.weighted(&[35, 45, 20]) {
            let name = self.fresh("p");
            if self.features.mobile_channels
                && self.rng.percent(40)
                && let Some((_, signature)) = self.channel(|_| true)
            {
                let unknown = Signature { capacity: None, ..signature };
                self.param_signatures.push((name.clone(), unknown));
                params.push(Var::plain(name, Type::Chan));
                continue;
            }
            params.push(self.local_scalar(name));
        }
        params
    }

    /// How a parameter is seen inside its process.
    pub(crate) fn param_binding(&self, param: &Var) -> Binding {
        match param.ty {
            Type::Chan => Binding::channel(param.clone(), self.param_signature(&param.name)),
            _ => Binding::variable(param.clone()),
        }
    }

    /// Locals at the beginning of a process.
    pub(crate) fn declare_locals(&mut self) -> Body {
        let mut body = Vec::new();
        for _ in 0..self.rng.weighted(&[30, 45, 25]) {
            let name = self.fresh("l");
            let mut var = self.local_scalar(name);
            if self.rng.percent(12) && !matches!(var.ty, Type::Unsigned(_)) {
                var.len = Some(2);
            }
            var.init = self.initial(&var);
            self.locals.push(Binding::variable(var.clone()));
            body.push(Stmt::Declare(var));
        }
        if self.features.structs && !self.features.priority && self.rng.percent(20) {
            let name = self.fresh("t");
            let var = Var::plain(name, Type::Struct("Inner".to_owned()));
            self.locals.push(Binding::variable(var.clone()));
            body.push(Stmt::Declare(var));
        }
        if self.features.mobile_channels {
            body.extend(self.declare_channels());
        }
        body
    }

    /// A variable for channels to come, and perhaps a channel of one's own.
    fn declare_channels(&mut self) -> Body {
        let name = self.fresh("r");
        let mut variable = Binding::variable(Var::plain(name, Type::Chan));
        variable.readable = false;
        let mut body = vec![Stmt::Declare(variable.var.clone())];
        self.locals.push(variable);
        if self.rng.percent(50) {
            let name = self.fresh("c");
            let own = self.new_channel(name);
            body.push(Stmt::Declare(own.var.clone()));
            self.locals.push(own);
        }
        body
    }
}
