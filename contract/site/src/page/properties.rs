//! The properties of a capability apart from its schemas.

use capgen_manifest::{Capability, Determinism, SideEffects, Skew, VersionRange, capability_keys};

use crate::html::Attribute::{Fixed, Href};
use crate::html::{Html, class};
use crate::place::Link;

/// The longest value, in characters. Usual values fit on a line; the manifest contains the rest.
const MAX_VALUE: usize = 400;

/// A value of a property as texts; empty if the property is absent.
trait Shown {
    fn shown(&self) -> Vec<String>;
}

macro_rules! shown {
    ($($type:ty: $text:expr;)*) => {
        $(impl Shown for $type {
            fn shown(&self) -> Vec<String> {
                let text: fn(&$type) -> String = $text;
                vec![text(self)]
            }
        })*
    };
}

shown! {
    String: String::clone;
    bool: ToString::to_string;
    u64: ToString::to_string;
    semver::Version: ToString::to_string;
    VersionRange: ToString::to_string;
    SideEffects: |effects| effects.name().to_owned();
    Determinism: |determinism| determinism.name().to_owned();
    Skew: |policy| policy.name().to_owned();
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> Vec<String> {
        self.as_ref().map(Shown::shown).unwrap_or_default()
    }
}

impl<T: Shown> Shown for Vec<T> {
    fn shown(&self) -> Vec<String> {
        self.iter().flat_map(Shown::shown).collect()
    }
}

/// The properties that are present, each with its name in the manifest.
fn present(capability: &Capability) -> Vec<(&'static str, Vec<String>)> {
    let mut all = Vec::new();
    macro_rules! add {
        ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
            $(all.push((stringify!($field), $name, capability.$field.shown()));)*
        };
    }
    capability_keys!(add);
    // The page starts with the description.
    let present = all.into_iter().filter(|(field, _, values)| *field != "description" && !values.is_empty());
    present.map(|(_, name, values)| (name, values)).collect()
}

/// Writes the properties that are present as a list.
pub(super) fn list(html: &mut Html, capability: &Capability) {
    html.element("dl", &[class("properties")], |html| {
        for (name, values) in present(capability) {
            pair(html, name, &values);
        }
        wide_pair(html, "hash", &format!("sha256:{}", capability.hash()));
    });
}

/// A name and its values.
pub(super) fn pair(html: &mut Html, name: &str, values: &[String]) {
    html.element("div", &[], |html| entry(html, name, values));
}

/// A name and a long value, which takes a whole line.
pub(super) fn wide_pair(html: &mut Html, name: &str, value: &str) {
    html.element("div", &[class("wide")], |html| entry(html, name, &[value.to_owned()]));
}

/// A name and an address that links to a place outside of the site.
pub(super) fn linked_pair(html: &mut Html, name: &str, value: &str, link: &Link) {
    html.element("div", &[], |html| {
        html.leaf("dt", &[], name);
        html.element("dd", &[], |html| {
            // The other site does not learn which page links to it, and gets no access to that page.
            html.leaf("a", &[Href(link), Fixed("rel", "noreferrer")], capgen_diagnostic::cut(value, MAX_VALUE).0);
        });
    });
}

fn entry(html: &mut Html, name: &str, values: &[String]) {
    html.leaf("dt", &[], name);
    html.element("dd", &[], |html| {
        for (index, value) in values.iter().enumerate() {
            html.text(if index > 0 { ", " } else { "" });
            html.leaf("code", &[], capgen_diagnostic::cut(value, MAX_VALUE).0);
        }
    });
}
