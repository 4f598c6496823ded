//! TypeScript as a target, in all its forms.

use capgen_diagnostic::Code;
use capgen_schema::Schema;

use super::public_items;
use crate::lower;
use crate::model::Model;
use crate::public_items::{Affected, Item, Items};
use crate::samples::SampleNames;
use crate::target::Target;

/// TypeScript, JavaScript with declarations, and the kinds of modules of JavaScript.
pub(crate) struct TypeScript;

/// The global types that generated code uses without a path. Names of functions and constants never meet those of
/// types.
const GLOBAL: &[&str] = &["Object", "ReadonlySet", "Record", "RegExp"];

/// The global classes that generated code throws. The class of the errors of a capability, such as `type`, could hide
/// them.
const ERRORS: &[&str] = &["RangeError", "TypeError"];

/// The comments that silence linters and formatters of JavaScript, which may have any rules.
///
/// Prettier reads its pragma, `@noformat`, only in the first comment of a file, and only with its option
/// `checkIgnorePragma`.
const SILENCED: &str = "/* eslint-disable */
// biome-ignore-all lint: generated
// biome-ignore-all format: generated
// biome-ignore-all assist: generated
";

impl Target for TypeScript {
    fn name(&self) -> &'static str {
        "TypeScript"
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn header(&self, mark: &str, details: &str) -> String {
        format!("/* {mark}. DO NOT EDIT.\n * @noformat\n */\n{details}{SILENCED}\n")
    }

    fn has_verdicts(&self) -> bool {
        true
    }

    fn settle(&self, model: &mut Model<'_>) {
        model.escape_types(|name| GLOBAL.contains(&name));
        let names = model.capabilities.iter_mut().filter_map(|capability| capability.error_names.as_mut());
        names.filter(|names| ERRORS.contains(&names.error.as_str())).for_each(|names| names.error.push('_'));
    }

    fn prepare(&self, model: &mut Model<'_>) {
        lower::add_validators(model);
    }

    fn may_widen(&self, _: &Schema) -> bool {
        // Interfaces and aliases may be nested as deeply as schemas.
        false
    }

    fn sample_template(&self) -> &'static str {
        include_str!("sample.txt")
    }

    fn sample_names(&self, model: &Model<'_>) -> Vec<SampleNames> {
        super::sample_names(model)
    }

    fn add_items<'m>(&self, items: &mut Items<'m>) {
        public_items::add(items);
    }

    fn affected(&self, old: &Item, new: &Item) -> Affected {
        let (before, after) = (public_items::alternatives(&old.signature), public_items::alternatives(&new.signature));
        // A wider type accepts the old values, and a narrower one has no value that is not known.
        if before.is_subset(&after) {
            return old.usage.receivers();
        }
        if after.is_subset(&before) {
            return old.usage.senders();
        }
        Affected::ALL
    }

    fn types_changed(&self) -> Code {
        Code::new("W0709")
    }
}
