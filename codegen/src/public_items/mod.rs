//! The public items of generated code, to find the changes of a contract after which the source of a caller or a
//! provider no longer compiles.

mod items;
mod usage;

use std::collections::{BTreeMap, BTreeSet};

use capgen_diagnostic::Code;
use capgen_manifest::{Manifest, Side};

use crate::lower::lower;
use crate::target::Target;
use crate::{Language, Options};
pub(crate) use items::{Item, Items, Role, present};
pub(crate) use usage::Affected;

/// A change of the generated types that the source of a caller or a provider may notice.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ItemChange {
    /// The name of the language: `Rust`, or `TypeScript` also for the forms of JavaScript.
    pub language: &'static str,
    /// The code of the finding that reports the change, such as W0708. The crate `capgen-evolve` has its page.
    pub code: Code,
    /// The capability, in the old contract if the item was removed or changed. A definition that several capabilities
    /// share belongs to the first of them.
    pub capability: String,
    /// The side; `None` for the details of an error.
    pub side: Option<Side>,
    /// The code of the error whose details it is in.
    pub error: Option<String>,
    /// One clause, such as "field `limit` of `SearchRequest` changed from `i64` to `Option<i64>`". It ends with
    /// "(affects callers)" or "(affects providers)" if it does not affect both.
    pub text: String,
    /// The text with the old and the new type: another one for another change of the same item.
    pub identity: String,
}

/// The changes of the generated types between two versions of a contract after which the source of a caller or a
/// provider may not compile:
///
/// - for both, a type, a field or a variant was removed or renamed, or a field or a whole side has another type, such
///   as one that had no schema;
/// - for programs that send a value, a constructor has other parameters, or a TypeScript type requires one more
///   property;
/// - for programs that receive a value, a type has one more variant, so that an exhaustive `match` or `switch` is
///   incomplete.
///
/// Also reported is one change after which it compiles, but may behave differently: the values of an `enum` have
/// another order, by which Rust compares them.
///
/// Callers send requests and receive responses; for providers, it is the other way round.
///
/// Not reported are new types and new optional fields. A struct expression that lists all fields fails to compile after
/// a new field; `new` and setters do not. Takes time linear in the size of the contracts.
///
/// ```
/// # use capgen_codegen::{Options, public_items};
/// # use capgen_manifest::{AgentId, Capability, Manifest, TransportSettings};
/// # use capgen_schema::Schema;
/// # let contract = |schema: &str| -> Result<Manifest, Box<dyn std::error::Error>> {
/// #     let output = Some(Schema::parse_text(schema)?);
/// #     let agent = AgentId::new("x").ok_or("an invalid id")?;
/// #     let capabilities = vec![Capability { output, ..Capability::new("count") }];
/// #     Ok(Manifest::new(agent, vec![TransportSettings::memory("x")], capabilities))
/// # };
/// let old = contract(r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#)?;
/// let new = contract(r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#)?;
/// let changes = public_items::changes(&old, &new, &Options::default());
/// assert_eq!((changes[0].language, changes[0].code.as_str()), ("Rust", "W0708"));
/// assert_eq!(changes[0].text, "field `n` of `CountResponse` changed from `i64` to `Option<i64>`");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn changes(old: &Manifest, new: &Manifest, options: &Options) -> Vec<ItemChange> {
    let (mut old, mut new) = (lower(old), lower(new));
    old.options = options.clone();
    new.options = options.clone();
    let mut changes = Vec::new();
    // Each form of JavaScript has the types of TypeScript.
    for target in Language::targets(Language::ALL) {
        let [before, after] = [&old, &new].map(|model| {
            let mut settled = model.clone();
            target.settle(&mut settled);
            items::of(&settled, target)
        });
        compare(target, &before, &after, &mut changes);
    }
    changes
}

/// The first two values whose order changed: the one that came first, and the one that comes first now.
fn reordered<'v>(old: &'v [String], new: &'v [String]) -> Option<(&'v str, &'v str)> {
    let common = |values: &'v [String], others: &[String]| -> Vec<&'v str> {
        let others: BTreeSet<&str> = others.iter().map(String::as_str).collect();
        values.iter().map(String::as_str).filter(|value| others.contains(value)).collect()
    };
    common(old, new).into_iter().zip(common(new, old)).find(|(before, after)| before != after)
}

/// The items of one version, by key.
struct Index<'i>(BTreeMap<String, &'i Item>);

impl<'i> Index<'i> {
    fn of(items: &'i [Item]) -> Self {
        Self(items.iter().map(|item| (item.key(), item)).collect())
    }

    fn get(&self, item: &Item) -> Option<&'i Item> {
        self.0.get(&item.key()).copied()
    }

    fn owner(&self, item: &Item) -> Option<&'i Item> {
        self.0.get(item.owner.as_ref()?).copied()
    }
}

fn compare(target: &dyn Target, old: &[Item], new: &[Item], changes: &mut Vec<ItemChange>) {
    let (before, after) = (Index::of(old), Index::of(new));
    let mut push = |item: &Item, text: String, affected: Affected| {
        let (capability, error) = (item.capability.clone(), item.error.clone());
        // A text about a type that changed has both types, other texts have none.
        let identity = format!("{text}: {}", item.signature);
        changes.push(ItemChange {
            language: target.name(),
            code: target.types_changed(),
            capability,
            side: item.side,
            error,
            text: text + &affected.to_string(),
            identity,
        });
    };
    // If its type was removed, or is of another kind, an item is not worth a line of its own.
    let is_part_of_change = |item: &Item| {
        item.owner.is_some()
            && match (before.owner(item), after.owner(item)) {
                (Some(before), Some(after)) => before.signature != after.signature,
                _ => true,
            }
    };
    for item in old.iter().filter(|item| !is_part_of_change(item)) {
        match after.get(item) {
            None => push(item, format!("{} removed", item.described()), Affected::ALL),
            Some(other) if other.signature == item.signature => {
                if let Some((later, earlier)) = reordered(&item.values, &other.values) {
                    let text = format!("value `{earlier}` of {} now comes before `{later}`", item.described());
                    push(item, text, Affected::ALL);
                }
            }
            Some(other) => {
                let text = format!("{} changed from `{}` to `{}`", item.described(), item.signature, other.signature);
                let affected = match item.role {
                    Role::Constructor => item.usage.senders(),
                    _ => target.affected(item, other),
                };
                push(item, text, affected);
            }
        }
    }
    for item in new.iter().filter(|item| !is_part_of_change(item) && before.get(item).is_none()) {
        match item.role {
            Role::Variant => push(item, format!("{} added", item.described()), item.usage.receivers()),
            Role::Required => push(item, format!("required {} added", item.described()), item.usage.senders()),
            Role::Constructor | Role::Other => {}
        }
    }
}
