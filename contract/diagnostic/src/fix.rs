//! Applies the suggestions of findings to a text.

use std::collections::BTreeMap;

use crate::{Diagnostic, Source};

/// The result of [`apply`].
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The new text.
    pub text: String,
    /// The indexes of the findings whose suggestions are applied, in their order.
    pub applied: Vec<usize>,
}

/// Applies the suggestions of the findings that `allowed` accepts to the text of `source`. The suggestions of a finding
/// are applied together or not at all. Those that overlap the edits of an earlier finding are left out; equal edits,
/// such as those of a YAML value that several aliases copy, are applied once. Findings with suggestions in another
/// source are left out.
///
/// Takes time linear in the text, and `n log n` in the edits.
pub fn apply(source: &Source, findings: &[Diagnostic], allowed: impl Fn(&Diagnostic) -> bool) -> Fixed {
    let mut edits = Edits::default();
    let mut applied = Vec::new();
    for (index, finding) in findings.iter().enumerate() {
        let is_here = finding.suggestions.iter().all(|edit| edit.source.is_same(source));
        if !finding.suggestions.is_empty() && is_here && allowed(finding) && edits.add(source.text(), finding) {
            applied.push(index);
        }
    }
    Fixed { text: edits.applied_to(source.text()), applied }
}

/// Edits without overlaps, by their starts: the ends, and the replacements.
#[derive(Default)]
struct Edits<'f>(BTreeMap<usize, (usize, &'f str)>);

impl<'f> Edits<'f> {
    /// Adds all suggestions of a finding, unless one of them overlaps another edit.
    fn add(&mut self, text: &str, finding: &'f Diagnostic) -> bool {
        let mut added = Vec::new();
        for edit in &finding.suggestions {
            let (start, end) = (edit.span.start, edit.span.end);
            let new = (end, edit.replacement.as_str());
            if self.0.get(&start) == Some(&new) {
                continue;
            }
            if text.get(start..end).is_none() || !self.is_free(start, end) {
                self.0.retain(|start, _| !added.contains(start));
                return false;
            }
            self.0.insert(start, new);
            added.push(start);
        }
        true
    }

    /// Whether no edit overlaps or touches the span. Two edits that touch have no order if one of them inserts.
    fn is_free(&self, start: usize, end: usize) -> bool {
        let before = self.0.range(..=start).next_back();
        let after = self.0.range(start..).next();
        before
            .is_none_or(|(&at, &(other_end, _))| at < start && other_end <= start && (end > start || other_end < start))
            && after.is_none_or(|(&at, &(other_end, _))| at > start && end <= at && (other_end > at || end < at))
    }

    fn applied_to(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (&start, &(end, replacement)) in &self.0 {
            out.push_str(text.get(at..start).unwrap_or_default());
            out.push_str(replacement);
            at = end;
        }
        out + text.get(at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn finding(source: &Source, edits: &[(usize, usize, &str)]) -> Diagnostic {
        let finding = Diagnostic::new(Code::new("E0999"), "a mistake");
        edits.iter().fold(finding, |finding, (start, end, new)| finding.suggest(source, *start..*end, *new))
    }

    fn applied(text: &str, findings: &[&[(usize, usize, &str)]]) -> (String, Vec<usize>) {
        let source = Source::new("f", text);
        let findings: Vec<_> = findings.iter().map(|edits| finding(&source, edits)).collect();
        let fixed = apply(&source, &findings, |_| true);
        (fixed.text, fixed.applied)
    }

    #[test]
    fn edits_are_applied_by_their_places_and_equal_ones_once() {
        let (text, all) = applied("\u{feff}é: a, b\r\n", &[&[(10, 11, "Z")], &[(7, 8, "Y")], &[(10, 11, "Z")]]);
        assert_eq!((text.as_str(), all), ("\u{feff}é: Y, Z\r\n", vec![0, 1, 2]));
    }

    #[test]
    fn overlapping_edits_wait_and_edits_of_a_finding_stay_together() {
        let (text, all) = applied("abcdef", &[&[(1, 3, "X")], &[(0, 1, "Y"), (2, 4, "Y")], &[(4, 5, "Z")]]);
        assert_eq!((text.as_str(), all), ("aXdZf", vec![0, 2]));
        assert_eq!(applied("ab", &[&[(1, 1, "X")], &[(1, 1, "Y")], &[(1, 2, "Z")]]).1, [0]);
        assert_eq!(applied("ab", &[&[(0, 2, "X")], &[(1, 1, "Y")]]).1, [0]);
        assert_eq!(applied("abc", &[&[(0, 1, "X")], &[(1, 2, "Y")]]), ("XYc".to_owned(), vec![0, 1]));
    }

    #[test]
    fn edits_outside_of_the_text_are_left_out() {
        assert_eq!(applied("é", &[&[(1, 2, "X")], &[(2, 9, "X")]]), ("é".to_owned(), vec![]));
    }
}
