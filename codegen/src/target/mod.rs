//! The languages that code is generated for.
//!
//! A language is one value of [`Target`] in a folder of its own, and rows in the table of [`Language`]. No other code
//! knows how many languages there are. The model has the same types for all, and each target adapts a copy of it: marks
//! that only some languages need, such as boxes, are unset until then.

#[cfg(test)]
pub(crate) mod outline;

use capgen_diagnostic::Code;
use capgen_schema::Schema;

use crate::model::Model;
use crate::public_items::{Affected, Item, Items};
use crate::samples::SampleNames;

/// The rules of a language. The forms of JavaScript share those of TypeScript.
pub(crate) trait Target: Sync {
    /// The name of the language, for texts, and in the scope of options.
    fn name(&self) -> &'static str;

    /// The beginning of a line that is a comment, without the space after it.
    fn comment(&self) -> &'static str;

    /// The comments at the beginning of a file: `mark` is in the first line, and `details` are lines with
    /// [`comment`](Self::comment). The text ends with an empty line.
    fn header(&self, mark: &str, details: &str) -> String;

    /// Whether files with calls have the table of the verdicts on callers with older contracts.
    fn has_verdicts(&self) -> bool {
        false
    }

    /// Adapts a copy of the model to the language: escapes the names of types that the language reserves, and marks or
    /// widens the types that it could not compile as they are. Names of types never change otherwise, so each language
    /// has the same names.
    fn settle(&self, model: &mut Model<'_>);

    /// Adds the parts of a settled model that only printing needs, such as validators. Comparing and checking do
    /// without them.
    fn prepare(&self, _: &mut Model<'_>) {}

    /// Whether [`settle`](Self::settle) may widen types of this schema. If not, checking a contract does not lower it
    /// for this target.
    fn may_widen(&self, schema: &Schema) -> bool;

    /// A call of a capability, with the places `{agent}` (the id), `{client}`, `{method}`, `{request}` and `{json}`.
    fn sample_template(&self) -> &'static str;

    /// The names in a call of each capability, in the order of the contract, in a settled model with
    /// [`calls`](crate::Options::calls).
    fn sample_names(&self, model: &Model<'_>) -> Vec<SampleNames>;

    /// Adds the public items of a settled model, in the order of the output. Programs depend on them, so `diff`
    /// compares them.
    fn add_items<'m>(&self, items: &mut Items<'m>);

    /// The programs whose source may not compile if an item has another signature.
    fn affected(&self, old: &Item, new: &Item) -> Affected;

    /// The code of the finding about changed types. The crate `capgen-evolve` has its page.
    fn types_changed(&self) -> Code;
}
