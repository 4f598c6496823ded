//! `transports`. Their values may be credentials, so no message quotes one.

use capgen_diagnostic::similar;

use super::advice;
use super::reader::{Map, Place, Reader, did_you_mean, listed};
use crate::keys::{CHANNELS, Key, Value, names};
use crate::transport::{SHAPES, Shape};
use crate::{Data, Node, TransportSettings, codes};

/// Reads one transport; `None` only if its kind is unknown.
pub(crate) fn read(reader: &mut Reader<'_>, node: &Node, place: Place) -> Option<TransportSettings> {
    let mut map = reader.map(node, Place { secret: true, ..place }, advice::TRANSPORT)?;
    if map.get("kind").is_none() {
        // The keys of a transport depend on its kind, so without it every key of some kind is accepted.
        let mut keys = Vec::new();
        for key in SHAPES.iter().flat_map(Shape::keys) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        reader.only(&mut map, &keys);
    }
    let member = reader.required(&map, "kind")?;
    let kind = reader.text(&map, "kind")?;
    let Some(shape) = SHAPES.iter().find(|shape| shape.kind == kind) else {
        let kinds = SHAPES.map(|shape| shape.kind);
        let at = (member.value.span.clone(), "");
        let message = "unknown `kind` of transport";
        let finding = reader.finding(codes::UNKNOWN_VALUE, message, at, &map.below("kind"));
        reader.report(match similar(kind, kinds) {
            Some((near, applicability)) => {
                let finding = reader.suggest_text(finding, &member.value.span, kind, near).help(did_you_mean(near));
                finding.with_applicability(applicability)
            }
            None => finding.help(format!("the kinds are {}", listed(&kinds))),
        });
        return None;
    };
    settings(reader, &mut map, shape);
    Some(TransportSettings { kind: shape.kind.to_owned(), settings: node.to_json() })
}

fn settings(reader: &mut Reader<'_>, map: &mut Map<'_>, shape: &Shape) {
    reader.only(map, &shape.keys());
    for key in shape.settings {
        if key.is_required {
            reader.required(map, key.name);
        }
        setting(reader, map, key);
    }
    channels(reader, map, shape);
}

fn setting(reader: &mut Reader<'_>, map: &Map<'_>, key: &Key) {
    match key.value {
        Value::FilledTexts => {
            reader.not_empty(map, key.name);
            reader.texts(map, key.name);
        }
        Value::Flag => drop(reader.boolean(map, key.name)),
        Value::Mapping => {
            let member = map.get(key.name).filter(|member| !matches!(member.value.data, Data::Object(_)));
            if let Some(member) = member {
                let subject = format!("`{}`", key.name);
                reader.wrong_type(&member.value, &map.below(key.name), &subject, "a mapping");
            }
        }
        _ => drop(reader.filled(map, key.name)),
    }
}

/// Reads the mapping that names the channels.
fn channels(reader: &mut Reader<'_>, map: &Map<'_>, shape: &Shape) {
    let Some(member) = reader.required(map, shape.channels.name) else { return };
    let place = map.below(shape.channels.name);
    let subject = match shape.channels.name {
        "topics" => "`topics`",
        "subjects" => "`subjects`",
        _ => "`queues`",
    };
    if !matches!(member.value.data, Data::Object(_)) {
        let help = format!("write `{}: {{ requests: <name> }}`, with an optional `responses`", shape.channels.name);
        return reader.wrong_type_with_help(&member.value, &place, subject, "a mapping", Some(help));
    }
    if let Some(mut channels) = reader.map(&member.value, place, subject) {
        reader.only(&mut channels, &names(&CHANNELS));
        for key in CHANNELS {
            if key.is_required {
                reader.required(&channels, key.name);
            }
            reader.filled(&channels, key.name);
        }
    }
}
