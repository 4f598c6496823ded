//! The settings of each kind of transport. They may be credentials, so no message quotes one.

use capgen_schema::{Json, Object};

use crate::TransportSettings;

/// The settings of a kind of transport in addition to `kind`.
pub(crate) struct Shape {
    pub(crate) kind: &'static str,
    /// The key of the mapping that names the channels: `requests` and, optionally, `responses`.
    pub(crate) channels: &'static str,
    /// The required strings.
    pub(crate) texts: &'static [&'static str],
    /// The required lists of strings.
    pub(crate) lists: &'static [&'static str],
    pub(crate) optional: &'static [&'static str],
}

pub(crate) const SHAPES: [Shape; 7] = [
    Shape { kind: "memory", channels: "topics", texts: &[], lists: &[], optional: &[] },
    Shape { kind: "mqtt", channels: "topics", texts: &[], lists: &[], optional: &["url"] },
    Shape { kind: "kafka", channels: "topics", texts: &[], lists: &["brokers"], optional: &["ssl", "sasl"] },
    Shape { kind: "nats", channels: "subjects", texts: &[], lists: &["servers"], optional: &[] },
    Shape { kind: "sqs", channels: "queues", texts: &["region"], lists: &[], optional: &[] },
    Shape { kind: "amqp", channels: "queues", texts: &["url"], lists: &[], optional: &[] },
    Shape { kind: "mcp", channels: "topics", texts: &[], lists: &[], optional: &["url"] },
];

/// The keys of the mapping that names channels.
pub(crate) const CHANNEL_KEYS: [&str; 2] = ["requests", "responses"];

impl Shape {
    /// Every valid key.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        ["kind", self.channels].iter().chain(self.texts).chain(self.lists).chain(self.optional).copied().collect()
    }

    fn check(&self, settings: &Object) -> Result<(), String> {
        only(settings, &self.keys(), &format!("a `{}` transport", self.kind))?;
        for key in self.texts {
            filled(required(settings, key)?, key)?;
        }
        for key in self.lists {
            let items = required(settings, key)?.as_array().ok_or_else(|| format!("`{key}` must be a list"))?;
            if items.is_empty() {
                return Err(format!("`{key}` is an empty list"));
            }
            items.iter().try_for_each(|item| filled(item, &format!("{key}[]")))?;
        }
        for key in self.optional {
            match (*key, settings.get(key)) {
                (_, None) | ("ssl", Some(Json::Bool(_))) | ("sasl", Some(Json::Object(_))) => {}
                ("ssl", _) => return Err("`ssl` must be a boolean".to_owned()),
                ("sasl", _) => return Err("`sasl` must be a mapping".to_owned()),
                (_, Some(text)) => filled(text, key)?,
            }
        }
        let channels = required(settings, self.channels)?.as_object();
        let channels = channels.ok_or_else(|| format!("`{}` must be a mapping", self.channels))?;
        only(channels, &CHANNEL_KEYS, &format!("`{}`", self.channels))?;
        filled(required(channels, "requests")?, "requests")?;
        channels.get("responses").map_or(Ok(()), |text| filled(text, "responses"))
    }
}

impl TransportSettings {
    /// Checks settings that a program made. Valid ones load after [`to_yaml`](crate::Manifest::to_yaml) wrote them. They may leave
    /// out `kind`.
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
            let kinds = SHAPES.map(|shape| format!("`{}`", shape.kind)).join(", ");
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
    map.get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn filled(value: &Json, key: &str) -> Result<(), String> {
    match value.as_str() {
        Some("") => Err(format!("`{key}` is empty")),
        Some(_) => Ok(()),
        None => Err(format!("`{key}` must be a string")),
    }
}
