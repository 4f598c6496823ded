//! The public items of generated code, to find the changes of a contract after which the source of a caller no longer compiles.

mod items;

use std::collections::BTreeMap;

use capgen_manifest::{Manifest, Side};

use crate::lower::lower;
use crate::{Language, Options};
use items::Item;

/// A change of the generated types that the source of a caller may notice.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SurfaceChange {
    /// The language: [`Language::Rust`] or [`Language::TypeScript`], also for the forms of JavaScript.
    pub language: Language,
    /// The capability, in the old contract if the item was removed or changed. A definition that several capabilities share belongs to
    /// the first of them.
    pub capability: String,
    /// The side.
    pub side: Side,
    /// One clause, such as "field `limit` of `SearchRequest` changed from `i64` to `Option<i64>`".
    pub text: String,
}

/// The changes of the generated types between two versions of a contract after which the source of a caller may not compile: a type, a
/// field or a variant was removed or renamed, a field has another type, a constructor of a request has other parameters, or a type of
/// a response has one more variant, so that an exhaustive `match` or `switch` is incomplete.
///
/// Not reported are new types, new optional fields, and changes that only the provider notices. A struct expression that lists all
/// fields fails to compile after a new field; `new` and setters do not. Takes time linear in the size of the contracts.
///
/// ```
/// # use capgen_codegen::{Language, Options, surface};
/// # use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
/// # use capgen_schema::Schema;
/// # let contract = |schema: &str| -> Result<Manifest, Box<dyn std::error::Error>> {
/// #     let output = Some(Schema::parse_text(schema)?);
/// #     let agent = AgentId::new("x").ok_or("an invalid id")?;
/// #     let capabilities = vec![Capability { output, ..Capability::new("count") }];
/// #     Ok(Manifest { agent, transports: vec![TransportSettings::memory("x")], capabilities })
/// # };
/// let old = contract(r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#)?;
/// let new = contract(r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#)?;
/// let changes = surface::changes(&old, &new, &Options::default());
/// assert_eq!(changes[0].language, Language::Rust);
/// assert_eq!(changes[0].text, "field `n` of `CountResponse` changed from `i64` to `Option<i64>`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn changes(old: &Manifest, new: &Manifest, options: &Options) -> Vec<SurfaceChange> {
    let (mut old, mut new) = (lower(old), lower(new));
    old.options = *options;
    new.options = *options;
    let mut changes = Vec::new();
    for language in [Language::Rust, Language::TypeScript] {
        let (before, after) = (items::of(&old, language), items::of(&new, language));
        compare(language, &before, &after, &mut changes);
    }
    changes
}

/// The sides of callers on which an item matters: a definition may be part of both.
#[derive(Clone, Copy)]
struct Use {
    is_sent: bool,
    is_received: bool,
}

/// Whether a TypeScript type has one more alternative, such as `undefined`: callers that send the old type still compile.
fn is_widened(language: Language, old: &Item, new: &Item) -> bool {
    let has = |alternative: &str| new.signature.split(" | ").any(|other| other == alternative);
    language == Language::TypeScript && old.signature.split(" | ").all(has)
}

fn compare(language: Language, old: &[Item], new: &[Item], changes: &mut Vec<SurfaceChange>) {
    let by_name = |items: &'_ [Item]| -> BTreeMap<String, usize> {
        items.iter().enumerate().map(|(index, item)| (item.key(), index)).collect()
    };
    let (old_names, new_names) = (by_name(old), by_name(new));
    let mut push = |item: &Item, text: String| {
        changes.push(SurfaceChange { language, capability: item.capability.clone(), side: item.side, text });
    };
    for item in old {
        let after = new_names.get(&item.key()).and_then(|index| new.get(*index));
        match after {
            // Without its type, an item is not worth a line of its own.
            None if item.owner.as_ref().is_some_and(|owner| !new_names.contains_key(owner)) => {}
            None => push(item, format!("{} removed", item.described())),
            Some(after) if after.signature == item.signature => {}
            Some(_) if item.is_constructor && !item.usage.is_sent => {}
            Some(after) if !item.usage.is_received && is_widened(language, item, after) => {}
            Some(after) => {
                push(item, format!("{} changed from `{}` to `{}`", item.described(), item.signature, after.signature))
            }
        }
    }
    for item in new {
        let is_new = !old_names.contains_key(&item.key());
        let is_known = item.owner.as_ref().is_some_and(|owner| old_names.contains_key(owner));
        if is_new && is_known && item.is_variant && item.usage.is_received {
            push(item, format!("{} added", item.described()));
        }
    }
}
