//! `transports`. Their values may be credentials, so no message quotes one.

use capgen_diagnostic::nearest;

use super::advice;
use super::reader::{Map, Place, Reader, did_you_mean, listed};
use crate::transport::{CHANNEL_KEYS, SHAPES, Shape};
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
        reader.report(match nearest(kind, kinds) {
            Some(near) => finding.help(did_you_mean(near)),
            None => finding.help(format!("the kinds are {}", listed(&kinds))),
        });
        return None;
    };
    settings(reader, &mut map, shape);
    Some(TransportSettings { kind: shape.kind.to_owned(), settings: node.to_json() })
}

fn settings(reader: &mut Reader<'_>, map: &mut Map<'_>, shape: &Shape) {
    reader.only(map, &shape.keys());
    for key in shape.texts {
        reader.required(map, key);
        reader.filled(map, key);
    }
    for key in shape.lists {
        reader.required(map, key);
        reader.not_empty(map, key);
        reader.texts(map, key);
    }
    if shape.optional.contains(&"url") {
        reader.filled(map, "url");
    }
    if shape.optional.contains(&"ssl") {
        reader.boolean(map, "ssl");
    }
    if let Some(sasl) =
        map.get("sasl").filter(|m| shape.optional.contains(&"sasl") && !matches!(m.value.data, Data::Object(_)))
    {
        reader.wrong_type(&sasl.value, &map.below("sasl"), "`sasl`", "a mapping");
    }
    channels(reader, map, shape);
}

/// Reads the mapping that names the channels.
fn channels(reader: &mut Reader<'_>, map: &Map<'_>, shape: &Shape) {
    let Some(member) = reader.required(map, shape.channels) else { return };
    let place = map.below(shape.channels);
    let subject = match shape.channels {
        "topics" => "`topics`",
        "subjects" => "`subjects`",
        _ => "`queues`",
    };
    if !matches!(member.value.data, Data::Object(_)) {
        let help = format!("write `{}: {{ requests: <name> }}`, with an optional `responses`", shape.channels);
        return reader.wrong_type_with_help(&member.value, &place, subject, "a mapping", Some(help));
    }
    if let Some(mut channels) = reader.map(&member.value, place, subject) {
        reader.only(&mut channels, &CHANNEL_KEYS);
        reader.required(&channels, "requests");
        reader.filled(&channels, "requests");
        reader.filled(&channels, "responses");
    }
}
