//! The parameters of an operation.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use capgen_diagnostic::quoted;
use capgen_schema::{Json, pointer};

use super::body::Body;
use super::http;
use super::media::Media;
use super::operation::Operation;
use super::schema::{Part, Payload};
use super::template;
use crate::codes;

/// The places of parameters, which are members of the request.
pub(crate) const GROUPS: [&str; 3] = ["path", "query", "header"];

/// Headers that HTTP sets by itself; OpenAPI ignores parameters with these names.
const IGNORED: [&str; 3] = ["accept", "content-type", "authorization"];

/// A parameter of an operation.
pub(super) struct Parameter<'d> {
    pub(super) name: &'d str,
    /// `path`, `query` or `header`.
    pub(super) group: &'static str,
    pub(super) is_required: bool,
    /// Without a schema, any value is valid.
    pub(super) schema: Body,
    /// The parameter as the key `http` has it.
    pub(super) http: Json,
}

impl<'d> Operation<'_, 'd> {
    /// The parameters of the path and the operation, which overrides those of the path; in the order of the document.
    pub(super) fn parameters(&mut self) -> Vec<Parameter<'d>> {
        let of_path = pointer::join(&self.place.item_at, "parameters");
        let of_operation = pointer::join(&self.place.at, "parameters");
        let lists = [(self.place.item.get("parameters"), of_path), (self.json.get("parameters"), of_operation)];
        let mut parameters: Vec<Parameter<'d>> = Vec::new();
        // The indexes of parameters, and the places where they are declared.
        let mut known: HashMap<(&str, String), (usize, String)> = HashMap::new();
        for (list, list_at) in lists {
            for (index, parameter) in list.and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
                let declared = pointer::join(&list_at, &index.to_string());
                let Some((parameter, at)) = self.resolve(parameter, declared.clone()) else { continue };
                let Some(parameter) = self.parameter(parameter, at) else { continue };
                match known.entry((parameter.group, key(&parameter))) {
                    Entry::Occupied(earlier) if earlier.get().1.starts_with(&list_at) => {
                        self.duplicate(&parameter, (earlier.get().1.clone(), declared));
                    }
                    Entry::Occupied(mut earlier) => {
                        earlier.get_mut().1 = declared;
                        if let Some(earlier) = parameters.get_mut(earlier.get().0) {
                            *earlier = parameter;
                        }
                    }
                    Entry::Vacant(place) => {
                        place.insert((parameters.len(), declared));
                        parameters.push(parameter);
                    }
                }
            }
        }
        let declared = |((group, name), (_, at)): ((&'d str, String), (usize, String))| (group, name, at);
        self.compare_with_template(known.into_iter().map(declared).collect());
        parameters
    }

    /// Compares the parameters, each with its group and its place, with those in braces in the path. A call could not
    /// fill in one that is missing.
    fn compare_with_template(&mut self, mut declared: Vec<(&'d str, String, String)>) {
        // A webhook has a name in place of a path.
        if self.place.is_webhook {
            return;
        }
        declared.sort();
        let item = self.place.item_at.clone();
        let path = self.place.path;
        let in_path: Vec<&str> = template::names(path).collect();
        for name in &in_path {
            let places = declared.iter().filter(|(_, other, _)| other == name);
            let places: Vec<_> = places.map(|(group, _, at)| (*group, at.clone())).collect();
            if places.iter().any(|(group, _)| *group == "path") {
                continue;
            }
            let message = format!("the path has `{{{name}}}`, but no parameter in the path has this name");
            let help = "declare a parameter with this name and `in: path`: no call can fill in the path without it";
            let first = places.into_iter().next().map(|(_, at)| at);
            self.path_parameter(item.clone(), first, message, help, name);
        }
        for (group, name, at) in declared {
            if group == "path" && !in_path.contains(&name.as_str()) {
                let message = format!("the parameter {} is in the path, but {} lacks it", quoted(&name), quoted(path));
                let help = "write it in braces in the path, or change the place of the parameter";
                self.path_parameter(at, Some(item.clone()), message, help, &name);
            }
        }
    }

    fn path_parameter(&mut self, at: String, first: Option<String>, message: String, help: &str, name: &str) {
        let subject = format!("{} {name}", self.place.path);
        let mut finding = Self::finding(codes::PATH_PARAMETERS, at, &message, "");
        (finding.first, finding.help) = (first, Some(help.to_owned()));
        self.importer.report_once(&mut self.entry, "", finding, subject);
    }

    fn duplicate(&mut self, parameter: &Parameter<'_>, places: (String, String)) {
        let Parameter { name, group, .. } = parameter;
        let message = format!("the {group} has two parameters {}", quoted(name));
        let help = "remove or rename one of them; the names of headers ignore case";
        self.importer.conflict(&mut self.entry, codes::MALFORMED_ENTRY, places, message, help);
    }

    fn parameter(&mut self, json: &'d Json, at: String) -> Option<Parameter<'d>> {
        let text = |key| json.get(key).and_then(Json::as_str);
        let (Some(name), Some(place)) = (text("name"), text("in")) else {
            self.malformed(at, "a parameter must have `name` and `in`", "add both members");
            return None;
        };
        let is_required = json.get("required") == Some(&Json::Bool(true));
        let Some(group) = GROUPS.into_iter().find(|group| *group == place) else {
            if is_required || place != "cookie" {
                let help =
                    "pass the value in the path, the query or a header, or leave the operation out with `--skip`";
                self.unsupported(
                    at,
                    format!("the parameter {} is not in the path, the query or a header", quoted(name)),
                    help,
                );
            }
            // An optional cookie is left out of every request.
            return None;
        };
        if group == "header" && IGNORED.contains(&name.to_ascii_lowercase().as_str()) {
            return None;
        }
        let schema = match json.get("content").and_then(Json::as_object) {
            Some(content) => self.content(content, &pointer::join(&at, "content")),
            None => json.get("schema").map(|schema| {
                let parts = vec![Part { prefix: String::new(), at: pointer::join(&at, "schema") }];
                Payload { json: schema.clone(), parts }
            }),
        };
        let content = json.get("content").and_then(Json::as_object);
        let media_type = content.and_then(|content| Media::most_useful(content).types.first().map(|(name, _)| *name));
        let http = http::parameter(json, name, group, media_type);
        Some(Parameter { name, group, is_required: is_required || group == "path", schema, http })
    }
}

/// The name under which no other parameter of the group can be declared: names of headers ignore case.
fn key(parameter: &Parameter<'_>) -> String {
    if parameter.group == "header" { parameter.name.to_ascii_lowercase() } else { parameter.name.to_owned() }
}
