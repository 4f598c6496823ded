//! Edits of YAML values that aliases copy.

use std::collections::HashMap;
use std::ops::Range;

use crate::{Data, Diagnostic, Node, Source};

/// Marks edits that would also change other values as needing review. A copy that an alias makes has the span of its
/// original, so an edit is certain only if every copy asks for it.
///
/// Takes time linear in the tree and, for each edit, in the values that aliases copy.
pub(super) fn review_shared(source: &Source, root: &Node, findings: &mut [Diagnostic]) {
    // Most texts have no alias.
    if !source.text().contains('*') || findings.iter().all(|finding| finding.suggestions.is_empty()) {
        return;
    }
    let shared = shared_spans(root);
    let mut asked: HashMap<(Range<usize>, String), usize> = HashMap::new();
    for edit in findings.iter().flat_map(|finding| &finding.suggestions) {
        *asked.entry((edit.span.clone(), edit.replacement.clone())).or_default() += 1;
    }
    for edit in findings.iter_mut().flat_map(|finding| &mut finding.suggestions) {
        let contains = |span: &Range<usize>| span.start <= edit.span.start && edit.span.end <= span.end;
        let copies = shared.iter().filter(|(span, _)| contains(span)).map(|(_, copies)| *copies).max();
        let all = asked.get(&(edit.span.clone(), edit.replacement.clone())).copied().unwrap_or_default();
        if copies.is_some_and(|copies| copies > all) {
            edit.applicability = capgen_diagnostic::Applicability::NeedsReview;
        }
    }
}

/// The spans of the keys and values that are in the tree several times, and how often.
fn shared_spans(root: &Node) -> Vec<(Range<usize>, usize)> {
    let mut counts: HashMap<Range<usize>, usize> = HashMap::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        let mut count = |span: &Range<usize>| *counts.entry(span.clone()).or_default() += usize::from(!span.is_empty());
        count(&node.span);
        match &node.data {
            Data::Array(items) => open.extend(items),
            Data::Object(members) => {
                members.iter().for_each(|member| count(&member.key_span));
                open.extend(members.iter().map(|member| &member.value));
            }
            _ => {}
        }
    }
    counts.into_iter().filter(|(_, count)| *count > 1).collect()
}
