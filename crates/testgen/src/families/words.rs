//! Numbers as words of Boolean variables, and what can be done with them in one parallel assignment.

/// An unsigned number in several variables; `name0` is the lowest bit.
#[derive(Clone, Debug)]
pub(super) struct Word {
    bits: Vec<String>,
}

/// The bits that are needed for the numbers up to `most`.
pub(crate) fn bits_for(most: u32) -> u32 {
    (32 - most.leading_zeros()).max(1)
}

impl Word {
    /// A word of so many bits.
    pub(super) fn new(name: &str, bits: u32) -> Self {
        Word { bits: (0..bits).map(|bit| format!("{name}{bit}")).collect() }
    }

    /// The variables, lowest bit first.
    pub(super) fn variables(&self) -> &[String] {
        &self.bits
    }

    /// The declaration of its variables without `decl`, all holding the bits of `value`.
    pub(super) fn declared(&self, value: u32) -> String {
        let bits = self.bits.iter().enumerate().map(|(i, bit)| format!("{bit} := {}", value >> i & 1));
        bits.collect::<Vec<_>>().join(", ")
    }

    /// The names, as parameters or uninitialised declarations.
    pub(super) fn names(&self) -> String {
        self.bits.join(", ")
    }

    /// Whether it is a constant.
    pub(super) fn is(&self, value: u32) -> String {
        let bits = self.bits.iter().enumerate();
        let equal = bits.map(|(i, bit)| if value >> i & 1 == 1 { bit.clone() } else { format!("!{bit}") });
        format!("({})", equal.collect::<Vec<_>>().join(" & "))
    }

    /// Whether it equals another word.
    pub(super) fn equals(&self, other: &Word) -> String {
        let pairs = self.bits.iter().zip(&other.bits).map(|(a, b)| format!("({a} = {b})"));
        format!("({})", pairs.collect::<Vec<_>>().join(" & "))
    }

    /// Whether it is less than another word.
    pub(super) fn less(&self, other: &Word) -> String {
        let mut text = "F".to_owned();
        for (a, b) in self.bits.iter().zip(&other.bits) {
            text = format!("((!{a} & {b}) | (({a} = {b}) & {text}))");
        }
        text
    }

    /// One more; wraps around.
    pub(crate) fn plus_one(&self) -> Vec<String> {
        let carried = |i: usize| self.bits[..i].join(" & ");
        let sum = |i: usize, bit: &String| match i {
            0 => format!("!{bit}"),
            _ => format!("{bit} ^ ({})", carried(i)),
        };
        self.bits.iter().enumerate().map(|(i, bit)| sum(i, bit)).collect()
    }

    /// One less; wraps around.
    pub(crate) fn minus_one(&self) -> Vec<String> {
        let borrowed = |i: usize| self.bits[..i].iter().map(|bit| format!("!{bit}")).collect::<Vec<_>>().join(" & ");
        let difference = |i: usize, bit: &String| match i {
            0 => format!("!{bit}"),
            _ => format!("{bit} ^ ({})", borrowed(i)),
        };
        self.bits.iter().enumerate().map(|(i, bit)| difference(i, bit)).collect()
    }

    /// The bits of a constant.
    pub(super) fn constant(&self, value: u32) -> Vec<String> {
        (0..self.bits.len()).map(|i| if value >> i & 1 == 1 { "T" } else { "F" }.to_owned()).collect()
    }

    /// The bits of whichever word belongs to the case that holds; cases must exclude each other.
    pub(crate) fn of_cases(cases: &[(String, &Word)]) -> Vec<String> {
        let width = cases.iter().map(|(_, word)| word.bits.len()).max().unwrap_or(0);
        let bit = |i: usize| {
            let terms = cases.iter().map(|(case, word)| format!("({case} & {})", word.bits[i]));
            terms.collect::<Vec<_>>().join(" | ")
        };
        (0..width).map(bit).collect()
    }
}

/// A parallel assignment that is built up.
#[derive(Clone, Debug, Default)]
pub(super) struct Assignment {
    targets: Vec<String>,
    values: Vec<String>,
}

impl Assignment {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// And a variable.
    pub(super) fn bit(mut self, target: &str, value: &str) -> Self {
        self.targets.push(target.to_owned());
        self.values.push(value.to_owned());
        self
    }

    /// And a word.
    pub(super) fn word(mut self, target: &Word, values: Vec<String>) -> Self {
        self.targets.extend(target.bits.iter().cloned());
        self.values.extend(values);
        self
    }

    /// The statement.
    pub(super) fn statement(&self) -> String {
        format!("{} := {};", self.targets.join(", "), self.values.join(", "))
    }

    /// The statement, taken only if a condition over the values before holds.
    pub(super) fn when(&self, condition: &str) -> String {
        if self.targets.is_empty() {
            return format!("assume({condition});");
        }
        format!("{} := {} constrain {condition};", self.targets.join(", "), self.values.join(", "))
    }
}
