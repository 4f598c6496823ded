//! The settings of each kind of transport. They may be credentials, so no message quotes one.

use capgen_schema::{Json, Object};

use crate::TransportSettings;
use crate::keys::{CHANNELS, Key, Value, names};

/// The settings of a kind of transport.
pub(crate) struct Shape {
    pub(crate) kind: &'static str,
    /// The use of this kind, in a few words.
    pub(crate) about: &'static str,
    /// The mapping that names the channels: `requests` and, optionally, `responses`.
    pub(crate) channels: Key,
    /// The settings in addition to `kind` and the channels.
    pub(crate) settings: &'static [Key],
}

const TOPICS: Key = Key::required("topics", Value::Mapping, "The names of the topics.");
const SUBJECTS: Key = Key::required("subjects", Value::Mapping, "The names of the subjects.");
const QUEUES: Key = Key::required("queues", Value::Mapping, "The names of the queues.");

pub(crate) const SHAPES: [Shape; 7] = [
    Shape { kind: "memory", about: "within one process", channels: TOPICS, settings: &[] },
    Shape {
        kind: "mqtt",
        about: "MQTT",
        channels: TOPICS,
        settings: &[Key::optional("url", Value::FilledText, "The URL of the broker.")],
    },
    Shape {
        kind: "kafka",
        about: "Kafka",
        channels: TOPICS,
        settings: &[
            Key::required("brokers", Value::FilledTexts, "The addresses of the brokers: `<host>:9092`."),
            Key::optional("ssl", Value::Flag, "Whether connections use TLS."),
            Key::optional("sasl", Value::Mapping, "The credentials, with the keys that the client library needs."),
        ],
    },
    Shape {
        kind: "nats",
        about: "NATS",
        channels: SUBJECTS,
        settings: &[Key::required("servers", Value::FilledTexts, "The URLs of the servers: `nats://<host>:4222`.")],
    },
    Shape {
        kind: "sqs",
        about: "Amazon SQS",
        channels: QUEUES,
        settings: &[Key::required("region", Value::FilledText, "The region of the queues.")],
    },
    Shape {
        kind: "amqp",
        about: "AMQP",
        channels: QUEUES,
        settings: &[Key::required("url", Value::FilledText, "The URL of the broker.")],
    },
    Shape {
        kind: "mcp",
        about: "an MCP server",
        channels: TOPICS,
        settings: &[Key::optional("url", Value::FilledText, "The endpoint of a server that uses HTTP.")],
    },
];

impl Shape {
    /// The name of every valid key.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        let settings = self.settings.iter().map(|key| key.name);
        ["kind", self.channels.name].into_iter().chain(settings).collect()
    }

    fn check(&self, settings: &Object) -> Result<(), String> {
        only(settings, &self.keys(), &format!("a `{}` transport", self.kind))?;
        for key in self.settings {
            match settings.get(key.name) {
                Some(value) => check_setting(value, key)?,
                None if key.is_required => return Err(is_missing(key.name)),
                None => {}
            }
        }
        let channels = required(settings, self.channels.name)?.as_object();
        let channels = channels.ok_or_else(|| format!("`{}` must be a mapping", self.channels.name))?;
        only(channels, &names(&CHANNELS), &format!("`{}`", self.channels.name))?;
        for key in CHANNELS {
            match channels.get(key.name) {
                Some(text) => filled(text, key.name)?,
                None if key.is_required => return Err(is_missing(key.name)),
                None => {}
            }
        }
        Ok(())
    }
}

fn check_setting(value: &Json, key: &Key) -> Result<(), String> {
    let name = key.name;
    match (key.value, value) {
        (Value::FilledTexts, Json::Array(items)) if items.is_empty() => Err(format!("`{name}` is an empty list")),
        (Value::FilledTexts, Json::Array(items)) => {
            items.iter().try_for_each(|item| filled(item, &format!("{name}[]")))
        }
        (Value::FilledTexts, _) => Err(format!("`{name}` must be a list")),
        (Value::Flag, Json::Bool(_)) | (Value::Mapping, Json::Object(_)) => Ok(()),
        (Value::Flag, _) => Err(format!("`{name}` must be a boolean")),
        (Value::Mapping, _) => Err(format!("`{name}` must be a mapping")),
        _ => filled(value, name),
    }
}

impl TransportSettings {
    /// Checks settings that a program made. Valid ones load after [`to_yaml`](crate::Manifest::to_yaml) wrote them.
    /// They may leave out `kind`.
    ///
    /// # Errors
    ///
    /// The first problem, without a full stop. The message never quotes a value of the settings.
    ///
    /// ```
    /// use capgen_manifest::TransportSettings;
    /// let settings = r#"{"topics": {"requests": "agents.reviewer.requests"}}"#.parse()?;
    /// let mut transport = TransportSettings { kind: "memory".to_owned(), settings };
    /// assert_eq!(transport.check(), Ok(()));
    /// transport.kind = "kafka".to_owned();
    /// assert_eq!(transport.check(), Err("`brokers` is missing".to_owned()));
    /// # Ok::<(), capgen_schema::JsonTextError>(())
    /// ```
    pub fn check(&self) -> Result<(), String> {
        let Some(shape) = SHAPES.iter().find(|shape| shape.kind == self.kind) else {
            let kinds = Self::kinds().map(|kind| format!("`{kind}`")).join(", ");
            return Err(format!("unknown `kind` of transport: the kinds are {kinds}"));
        };
        let settings = self.settings.as_object().ok_or("the settings must be a mapping")?;
        match settings.get("kind") {
            Some(kind) if kind.as_str() != Some(&self.kind) => Err("the settings have a different `kind`".to_owned()),
            _ => shape.check(settings),
        }
    }
}

fn only(map: &Object, keys: &[&str], what: &str) -> Result<(), String> {
    let listed = || keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    if map.iter().all(|(key, _)| keys.contains(&key.as_str())) {
        return Ok(());
    }
    Err(format!("unknown key in {what}: the keys there are {}", listed()))
}

fn required<'s>(map: &'s Object, key: &str) -> Result<&'s Json, String> {
    map.get(key).ok_or_else(|| is_missing(key))
}

fn is_missing(key: &str) -> String {
    format!("`{key}` is missing")
}

fn filled(value: &Json, key: &str) -> Result<(), String> {
    match value.as_str() {
        Some("") => Err(format!("`{key}` is empty")),
        Some(_) => Ok(()),
        None => Err(format!("`{key}` must be a string")),
    }
}
