//! Pairs of schemas whose relation is known.

use std::path::{Path, PathBuf};

use capgen_tests::Failure;
use capgen_tests::agreement::tree::Tree;
use capgen_tests::corpus::{Document, elements, member, string};

use super::Question;

/// Two versions of a schema.
#[derive(Clone, Debug)]
pub struct SchemaPair {
    /// The name of the pair.
    pub id: String,
    /// The first version, as a JSON text on one line.
    pub old: String,
    /// The second version.
    pub new: String,
    /// Whether the new schema contains the old one, and whether the old schema contains the new one; `None` if the file
    /// does not state it.
    pub truth: Option<[bool; 2]>,
}

impl SchemaPair {
    /// Both questions: whether `new` contains `old`, and whether `old` contains `new`.
    pub fn questions(&self) -> [Question; 2] {
        let question =
            |smaller: &str, larger: &str| Question { smaller: smaller.to_owned(), larger: larger.to_owned() };
        [question(&self.old, &self.new), question(&self.new, &self.old)]
    }
}

/// The file with the pairs of the corpus: `schema-pairs.json` in the folder that `CAPGEN_CORPUS` names or, without this
/// variable, in `../shared/data`. `None` if there is no such file.
pub fn file() -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("CAPGEN_CORPUS").map_or_else(default, PathBuf::from);
    Some(folder.join("schema-pairs.json")).filter(|path| path.exists())
}

/// Reads a file of pairs: an array of objects with `id`, `old`, `new` and, optionally, `truth`. This is `eq`, `sub`
/// (the new schema accepts less), `sup` (it accepts more) or `inc` (both accept values that the other one rejects).
///
/// # Errors
///
/// If the file cannot be read or has another form.
pub fn read(path: &Path) -> Result<Vec<SchemaPair>, Failure> {
    let document = Document::read(path)?;
    let pair = |(index, node)| {
        let id = string(node, "id").map_or_else(|| format!("pair {index}"), str::to_owned);
        let schema = |name: &str| -> Result<String, Failure> {
            let schema = member(node, name).ok_or_else(|| format!("{id} has no member {name}"))?;
            Ok(Tree::parse(document.text(schema))?.to_string())
        };
        let (old, new) = (schema("old")?, schema("new")?);
        let truth = match string(node, "truth") {
            None => None,
            Some("eq") => Some([true, true]),
            Some("sup") => Some([true, false]),
            Some("sub") => Some([false, true]),
            Some("inc") => Some([false, false]),
            Some(other) => return Err(format!("{id}: {other} is not a relation").into()),
        };
        Ok(SchemaPair { id, old, new, truth })
    };
    elements(Some(document.root())).iter().enumerate().map(pair).collect()
}
