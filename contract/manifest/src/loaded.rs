//! A contract together with the text that it was read from.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use capgen_diagnostic::Label;

use crate::tree::{Node, Part, follow};
use crate::{AcceptedWarning, ContractPart, Diagnostic, Manifest, Source, accepted_warning, codes};

/// A contract together with the text that it was read from.
///
/// Findings that need more than one contract, such as an incompatible change, point into this text with
/// [`label`](Self::label).
///
/// ```
/// use capgen_manifest::{Side, Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities:
///   - name: find-product
///     inputSchema: { type: string, minLength: 3 }
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let pointer = contract.schema_pointer(0, Side::Request) + "/minLength";
/// assert_eq!(contract.span(&pointer).map(|span| &text[span]), Some("3"));
/// ```
#[derive(Clone, Debug)]
pub struct LoadedContract {
    /// The checked contents of the file.
    pub manifest: Manifest,
    /// The text and the path of the file.
    pub source: Source,
    /// The path of the file as a program opens it. The path of `source` may be shorter, for messages.
    pub file: PathBuf,
    /// The place of every value in `source`.
    pub spans: Spans,
    /// Findings that do not reject the file, in source order, without those that its author accepts.
    pub warnings: Vec<Diagnostic>,
    /// The warnings that its author accepts, in source order.
    pub accepted: Vec<AcceptedWarning>,
}

/// The spans of a document's keys and values, by JSON Pointer. Cheap to clone.
///
/// A value that a YAML alias copied has the span of its anchor.
#[derive(Clone)]
// The tree that the reader built, kept as a whole: a table of pointers would repeat every key for each value below it.
pub struct Spans(Arc<Node>);

impl fmt::Debug for Spans {
    /// Leaves out the tree, which contains the credentials of the transports.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spans").finish_non_exhaustive()
    }
}

impl Spans {
    pub(crate) fn new(root: Node) -> Self {
        Self(Arc::new(root))
    }

    /// The span of the value at `pointer`, in bytes; `None` if the document has no such value. Takes time linear in the
    /// number of members of the objects on the way.
    pub fn value(&self, pointer: &str) -> Option<Range<usize>> {
        let place = follow(&self.0, pointer, Node::member);
        place.is_complete.then(|| place.node.span.clone())
    }

    /// The span of the key of the member at `pointer`, in bytes; `None` if there is no such member, as for the root and
    /// the elements of a list.
    pub fn key(&self, pointer: &str) -> Option<Range<usize>> {
        let place = follow(&self.0, pointer, Node::member);
        place.key.filter(|_| place.is_complete).cloned()
    }
}

impl LoadedContract {
    /// The path of the file, as findings show it.
    pub fn path(&self) -> &str {
        self.source.path()
    }

    /// The span of the value at a JSON Pointer from the document's root; see [`Spans::value`].
    pub fn span(&self, pointer: &str) -> Option<Range<usize>> {
        self.spans.value(pointer)
    }

    /// The JSON Pointer of the capability `manifest.capabilities[index]`.
    pub fn capability_pointer(&self, index: usize) -> String {
        // A contract loads only if every element of the list is a capability, so the indexes are the same.
        format!("/capabilities/{index}")
    }

    /// The JSON Pointer of the schema of a part of `manifest.capabilities[index]`. The pointer of a
    /// [schema node](capgen_schema::Node::pointer) continues it.
    pub fn schema_pointer(&self, index: usize, part: impl Into<ContractPart>) -> String {
        self.capability_pointer(index) + &part.into().pointer()
    }

    /// Removes the warnings about this contract that its author accepts from those of later checks, and adds a warning
    /// for each entry that accepts none. If `all_agents` were not checked, that is not known of warnings about several
    /// agents.
    pub fn without_accepted(&self, findings: &mut Vec<Diagnostic>, all_agents: bool) {
        if self.accepted.is_empty() {
            return;
        }
        let mut accepted = self.accepted.clone();
        let is_own =
            |finding: &Diagnostic| finding.primary().is_some_and(|label| label.source.path() == self.source.path());
        let (mut own, others): (Vec<_>, Vec<_>) = findings.drain(..).partition(is_own);
        accepted_warning::remove(&mut accepted, &mut own);
        findings.extend(others.into_iter().chain(own));
        let is_known = |entry: &AcceptedWarning| all_agents || entry.code != codes::DERIVED_ADDRESS.as_str();
        let unused = accepted.iter().filter(|entry| !entry.is_used && is_known(entry));
        findings.extend(unused.map(|entry| {
            let message = format!("the accepted warning {} does not occur any more", entry.code);
            let finding = Diagnostic::new(codes::UNUSED_ACCEPTED, message).at(&self.source, entry.span.clone(), "");
            finding.help("remove the entry; if the place has moved, correct `capability` and `at`")
        }));
    }

    /// A label at the value at `pointer`, to be added to a [`Diagnostic`]. If the document has no such value, such as
    /// for a keyword that is absent, the label is at the nearest value around it. A value that takes several lines is
    /// labelled at its key.
    pub fn label(&self, pointer: &str, text: impl Into<String>) -> Label {
        let span = follow(&self.spans.0, pointer, Node::member).span(&self.source, Part::Value);
        Label { source: self.source.clone(), span, text: text.into() }
    }
}
