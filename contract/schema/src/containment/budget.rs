//! The limit of the work of one comparison.

/// Counts steps down. A step takes well below a microsecond.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// The steps that are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Takes steps; `false` if too few are left. Once it is `false`, it stays so.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }
}
