//! `transports`. Their values may be credentials, so no message quotes one.

use capgen_diagnostic::nearest;

use super::reader::{Map, Place, Reader, did_you_mean, listed};
use crate::transport::{CHANNEL_KEYS, SHAPES, Shape};
use crate::{Data, Node, TransportSettings, codes};

/// Reads one transport; `None` only if its kind is unknown.
pub(crate) fn read(reader: &mut Reader<'_>, node: &Node, place: Place) -> Option<TransportSettings> {
    let map = reader.map(node, Place { secret: true, ..place }, "a transport")?;
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
    settings(reader, &map, shape);
    Some(TransportSettings { kind: shape.kind.to_owned(), settings: node.to_json() })
}

fn settings(reader: &mut Reader<'_>, map: &Map<'_>, shape: &Shape) {
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
    let Some(channels) = reader.required(map, shape.channels) else { return };
    let subject = match shape.channels {
        "topics" => "`topics`",
        "subjects" => "`subjects`",
        _ => "`queues`",
    };
    if let Some(channels) = reader.map(&channels.value, map.below(shape.channels), subject) {
        reader.only(&channels, &CHANNEL_KEYS);
        reader.required(&channels, "requests");
        reader.filled(&channels, "requests");
        reader.filled(&channels, "responses");
    }
}
