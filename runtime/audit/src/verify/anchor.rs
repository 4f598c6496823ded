//! Anchors: the heads of chains, stored where no one who can write to the database can change them.

use std::fmt;

use serde::{Deserialize, Serialize};

use capgen_schema::Hash;

/// The last row of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    /// The tenant.
    pub tenant: String,
    /// The position of the row in the chain.
    pub seq: i64,
    /// The hash of the row.
    pub hash: Hash,
}

/// The heads of the chains of a database at some time.
///
/// ```
/// use capgen_audit::{Anchor, Head, Hash};
/// let anchor = Anchor { heads: vec![Head { tenant: "-".to_owned(), seq: 2, hash: Hash::ZERO }] };
/// assert_eq!(Anchor::from_json(&anchor.to_json()), Ok(anchor));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Anchor {
    /// The heads, sorted by tenant.
    pub heads: Vec<Head>,
}

/// An anchored row that a database does not contain.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct UnconfirmedHead {
    /// The row of the anchor.
    pub head: Head,
    /// The difference.
    pub problem: AnchorProblem,
}

/// Why an anchored row is not confirmed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AnchorProblem {
    /// The tenant has no rows.
    NoTenant,
    /// The chain ends before the row.
    TooShort,
    /// The row has another hash.
    Differs,
    /// The row is gone, with all rows before `before`. A checkpoint of the chain may state that they were pruned, but
    /// anyone who can write to the file can append one.
    Pruned {
        /// The sequence number of the first row of the chain.
        before: i64,
        /// The hash of the checkpoint.
        checkpoint: Option<Hash>,
    },
}

/// A text that is not an anchor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidAnchor(String);

/// The document, as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Document {
    capgen_audit_anchor: u64,
    heads: Vec<DocumentHead>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentHead {
    tenant: String,
    seq: i64,
    hash: String,
}

impl Anchor {
    /// The anchor as a JSON document on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let heads = self.heads.iter().map(|head| DocumentHead {
            tenant: head.tenant.clone(),
            seq: head.seq,
            hash: head.hash.to_string(),
        });
        let document = Document { capgen_audit_anchor: 1, heads: heads.collect() };
        // Strings and integers are always written.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// Reads a document that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    ///
    /// The text is not such a document.
    pub fn from_json(text: &str) -> Result<Self, InvalidAnchor> {
        let document: Document = serde_json::from_str(text).map_err(|error| InvalidAnchor(error.to_string()))?;
        if document.capgen_audit_anchor != 1 {
            return Err(InvalidAnchor("`capgenAuditAnchor` must be 1".to_owned()));
        }
        let heads = document.heads.into_iter().map(|head| {
            let hash = head.hash.parse().map_err(|error| InvalidAnchor(format!("`hash`: {error}")))?;
            Ok(Head { tenant: head.tenant, seq: head.seq, hash })
        });
        let heads: Vec<Head> = heads.collect::<Result<_, _>>()?;
        Ok(Self { heads })
    }
}

impl fmt::Display for AnchorProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pruned { before, checkpoint: Some(hash) } => {
                let last = before.saturating_sub(1);
                return write!(
                    f,
                    "the rows up to sequence number {last} are gone; the checkpoint with the hash {hash} replaces them"
                );
            }
            Self::Pruned { before, checkpoint: None } => {
                return write!(f, "the rows up to sequence number {} are gone", before.saturating_sub(1));
            }
            Self::NoTenant => "the tenant has no rows",
            Self::TooShort => "the chain ends before it",
            Self::Differs => "the row was replaced: it has another hash",
        })
    }
}

impl fmt::Display for InvalidAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidAnchor {}
