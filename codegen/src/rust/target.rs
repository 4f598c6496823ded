//! Rust as a target.

use capgen_diagnostic::Code;
use capgen_schema::Schema;

use super::{calls, public_items, settle};
use crate::model::Model;
use crate::public_items::{Affected, Item, Items};
use crate::samples::SampleNames;
use crate::target::Target;

/// Rust, editions 2021 and 2024.
pub(crate) struct Rust;

impl Target for Rust {
    fn name(&self) -> &'static str {
        "Rust"
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn header(&self, mark: &str, details: &str) -> String {
        format!("// {mark}. DO NOT EDIT.\n{details}\n")
    }

    fn settle(&self, model: &mut Model<'_>) {
        settle::settle(model);
    }

    fn may_widen(&self, schema: &Schema) -> bool {
        settle::may_widen(schema)
    }

    fn sample_template(&self) -> &'static str {
        include_str!("sample.txt")
    }

    fn sample_names(&self, model: &Model<'_>) -> Vec<SampleNames> {
        calls::names(model)
    }

    fn add_items<'m>(&self, items: &mut Items<'m>) {
        public_items::add(items);
    }

    fn affected(&self, _: &Item, _: &Item) -> Affected {
        // Types do not convert into each other.
        Affected::ALL
    }

    fn types_changed(&self) -> Code {
        Code::new("W0708")
    }
}
