//! The smallest target: an outline of the types, one line for each. It shows the work that a language takes: this file,
//! and its row in the table of [`Language`](crate::Language).

use std::fmt::Write as _;

use capgen_diagnostic::Code;
use capgen_schema::Schema;

use super::Target;
use crate::model::{Field, Model, Rest, Shape, SideModel, Type};
use crate::public_items::{Affected, Item, Items, Role, present};
use crate::samples::SampleNames;

/// The outline.
pub(crate) struct Outline;

/// A word that cannot be the name of a type.
const RESERVED: &str = "Any";

impl Target for Outline {
    fn name(&self) -> &'static str {
        "Outline"
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn header(&self, mark: &str, details: &str) -> String {
        format!("# {mark}. DO NOT EDIT.\n{details}\n")
    }

    fn settle(&self, model: &mut Model<'_>) {
        model.escape_types(|name| name == RESERVED);
    }

    fn may_widen(&self, _: &Schema) -> bool {
        false
    }

    fn sample_template(&self) -> &'static str {
        "{client} {method} {json}"
    }

    fn sample_names(&self, model: &Model<'_>) -> Vec<SampleNames> {
        let capabilities = model.capabilities.iter().map(|capability| capability.name.label.clone());
        let names = |method: String| SampleNames { client: "call".to_owned(), method, request: String::new() };
        capabilities.map(names).collect()
    }

    fn add_items<'m>(&self, items: &mut Items<'m>) {
        let model = items.model();
        items.each_type(RESERVED, |items, id, def| match &def.shape {
            Shape::Record(record) => {
                items.own(id, "record");
                for field in present(record) {
                    items.part(id, Role::Other, "field", &field.name, member(model, field));
                }
            }
            shape => items.own(id, &line(model, shape)),
        });
    }

    fn affected(&self, _: &Item, _: &Item) -> Affected {
        Affected::ALL
    }

    fn types_changed(&self) -> Code {
        Code::new("W0709")
    }
}

/// The file of an agent.
pub(crate) fn print(header: String, model: &Model<'_>) -> String {
    let mut text = header;
    for capability in &model.capabilities {
        for side in [&capability.request, &capability.response] {
            match side {
                SideModel::Loose(name) => _ = writeln!(text, "{name} = {RESERVED}"),
                SideModel::Typed(root) => {
                    for (_, def) in model.types_of(*root) {
                        _ = writeln!(text, "{} = {}", def.name, line(model, &def.shape));
                    }
                }
            }
        }
        for root in model.own_details(capability) {
            model.types_of(root).for_each(|(_, def)| _ = writeln!(text, "{} = {}", def.name, line(model, &def.shape)));
        }
    }
    text
}

fn line(model: &Model<'_>, shape: &Shape) -> String {
    match shape {
        Shape::Record(record) => {
            let mut parts: Vec<String> = present(record).map(|field| member(model, field)).collect();
            if let Rest::Kept(rest) = &record.rest {
                parts.push(format!("*: {}", ty(model, rest)));
            }
            format!("{{{}}}", parts.join(", "))
        }
        Shape::Enum(members) => members.iter().map(|member| member.value.canonical()).collect::<Vec<_>>().join(" | "),
        Shape::Union(union) => {
            union.variants.iter().map(|variant| ty(model, &variant.ty)).collect::<Vec<_>>().join(" | ")
        }
        Shape::Alias { target, .. } => ty(model, target),
    }
}

/// A property, with its name as a JSON text, so that no name of a peer ends the line.
fn member(model: &Model<'_>, field: &Field) -> String {
    let name = capgen_schema::Json::String(field.name.clone()).canonical();
    format!("{name}{}: {}", if field.required { "" } else { "?" }, ty(model, &field.ty))
}

fn ty(model: &Model<'_>, of: &Type) -> String {
    match of {
        Type::Unknown => RESERVED.to_owned(),
        Type::Never => "never".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer { .. } => "integer".to_owned(),
        Type::Number => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Array { item, .. } => format!("[{}]", ty(model, item)),
        Type::Tuple(tuple) => {
            let mark = |at: usize| if tuple.is_optional(at) { "?" } else { "" };
            let items = tuple.items.iter().enumerate().map(|(at, item)| format!("{}{}", ty(model, item), mark(at)));
            let rest = tuple.rest.iter().map(|rest| format!("...{}", ty(model, rest)));
            format!("[{}]", items.chain(rest).collect::<Vec<_>>().join(", "))
        }
        Type::Map(value) => format!("{{*: {}}}", ty(model, value)),
        Type::Nullable(inner) => format!("{}?", ty(model, inner)),
        Type::Named { id, .. } => model[*id].name.clone(),
    }
}

mod tests {
    use capgen_manifest::{Manifest, Options, Source, load};

    use crate::{Language, generate, public_items};

    fn contract(schema: &str) -> Manifest {
        let text = format!(
            r#"{{"version": 1, "agent": "agent://zoo", "transports": [{{"kind": "memory", "topics": {{"requests": "r"}}}}],
            "capabilities": [{{"name": "feed", "inputSchema": {schema}}}]}}"#
        );
        load(&Source::new("a.json", text)).unwrap().manifest
    }

    const SCHEMA: &str = r##"{"type": "object", "required": ["animal"], "properties": {
        "animal": {"$ref": "#/definitions/Any"}, "meals": {"type": "array", "items": {"$ref": "#/definitions/Option"}}},
        "definitions": {"Any": {"type": "object", "properties": {"name": {"type": "string"}}},
            "Option": {"type": "object", "properties": {"kilograms": {"type": "number"}}}}}"##;

    #[test]
    fn a_language_needs_a_target_and_a_row() {
        let files = generate(&contract(SCHEMA), &[Language::Outline]);
        let text = &files["zoo.txt"];
        assert!(text.starts_with("# @generated by capgen. DO NOT EDIT.\n# Source: agent://zoo\n"), "{text}");
        assert!(text.contains("\n# Regenerate: capgen --peer zoo --lang outline # "), "{text}");
        let types: Vec<&str> = text.lines().skip_while(|line| !line.is_empty()).skip(1).collect();
        assert_eq!(
            types,
            [
                r#"FeedRequest = {"animal": Any_, "meals"?: [Option]}"#,
                r#"Any_ = {"name"?: string}"#,
                r#"Option = {"kilograms"?: number}"#,
                "FeedResponse = Any",
            ]
        );
        assert_eq!(Language::from_name("outline"), Some(Language::Outline));
    }

    #[test]
    fn a_name_is_escaped_only_in_the_language_that_reserves_it() {
        let files = generate(&contract(SCHEMA), Language::ALL);
        assert!(files["zoo.rs"].contains("pub struct Option_ {") && files["zoo.rs"].contains("pub struct Any {"));
        assert!(files["zoo.ts"].contains("export type Option = {") && files["zoo.ts"].contains("export type Any = {"));
    }

    #[test]
    fn a_language_does_not_change_the_files_of_others() {
        let contract = contract(SCHEMA);
        let all = generate(&contract, Language::ALL);
        for language in Language::ALL {
            for (name, text) in generate(&contract, &[*language]) {
                assert_eq!(all.get(&name), Some(&text), "{name}");
            }
        }
    }

    #[test]
    fn changes_of_types_are_reported_for_each_language() {
        let new = SCHEMA.replace("number", "integer");
        let changes = public_items::changes(&contract(SCHEMA), &contract(&new), &Options::default());
        let found: Vec<(&str, &str)> = changes.iter().map(|change| (change.language, change.text.as_str())).collect();
        assert_eq!(
            found,
            [
                ("Rust", "field `kilograms` of `Option_` changed from `Option<f64>` to `Option<i64>`"),
                (
                    "Outline",
                    r#"field `kilograms` of `Option` changed from `"kilograms"?: number` to `"kilograms"?: integer`"#
                ),
            ]
        );
    }
}
