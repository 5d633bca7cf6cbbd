//! Values of options by the names that the command line has for them: one list for each option, from which parsing,
//! help texts and completions are made.

/// One of a fixed list of values.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// Every value with its name and, where the name does not say it all, a sentence for the help text.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// The name of a value.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, name, _)| name)
    }

    /// The value of a name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
    }
}
