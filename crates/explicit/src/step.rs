//! By how much a table grows. Large steps are fast, but near the memory limit the next one does not fit, and a good part of
//! what is allowed would never be used. There a table grows by smaller and smaller steps, until the last ones are not
//! worth moving its entries.

/// The smallest step is this part of what a table usually grows by.
const SMALLEST: usize = 16;

/// The part of its usual growth by which a table grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    one_in: usize,
}

impl Default for Step {
    fn default() -> Self {
        Step { one_in: 1 }
    }
}

impl Step {
    /// By how many slots a table grows that usually gets a new one for every `usual` old ones.
    pub(crate) fn of(self, slots: usize, usual: usize) -> usize {
        (slots / usual / self.one_in).max(1)
    }

    /// Halves the step; whether that was possible.
    pub(crate) fn lessen(&mut self) -> bool {
        let can = self.one_in < SMALLEST;
        self.one_in *= if can { 2 } else { 1 };
        can
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_become_smaller_up_to_a_point() {
        let mut step = Step::default();
        let mut steps = vec![step.of(3_200, 2)];
        while step.lessen() {
            steps.push(step.of(3_200, 2));
        }
        assert_eq!(steps, [1_600, 800, 400, 200, 100]);
        assert_eq!((step.lessen(), step.of(1, 2)), (false, 1));
    }
}
