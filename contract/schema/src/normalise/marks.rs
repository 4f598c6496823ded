//! The problems of a schema, by their places.

use std::collections::BTreeMap;

use super::lossy::Record;
use crate::{Problem, pointer};

/// The problems of a schema, by their places.
#[derive(Clone, Default)]
pub(super) struct Marks<'p> {
    pub(super) here: Vec<&'p Problem>,
    pub(super) below: BTreeMap<String, Marks<'p>>,
}

impl<'p> Marks<'p> {
    pub(super) fn of(problems: &'p [Problem]) -> Self {
        let mut root = Self::default();
        for problem in problems {
            let mut marks = &mut root;
            for token in pointer::tokens(&problem.pointer) {
                marks = marks.below.entry(token).or_default();
            }
            marks.here.push(problem);
        }
        root
    }

    pub(super) fn at(&self, pointer: &str) -> Option<&Self> {
        pointer::tokens(pointer).try_fold(self, |marks, token| marks.below.get(&token))
    }

    /// Those that are left without some problems here; `None` if there are none.
    pub(super) fn without(&self, is_dropped: impl Fn(&Problem) -> bool) -> Option<Self> {
        let here: Vec<_> = self.here.iter().copied().filter(|problem| !is_dropped(problem)).collect();
        let is_empty = here.is_empty() && self.below.is_empty();
        (!is_empty).then(|| Self { here, below: self.below.clone() })
    }

    /// Records every problem here and below.
    pub(super) fn record(&self, at: &str, record: &mut Record) {
        if let Some(problem) = self.here.first() {
            record.lose(at, problem.message.clone());
        }
        for (token, marks) in &self.below {
            marks.record(&pointer::join(at, token), record);
        }
    }
}
