//! Building transport settings in a program.

use capgen_schema::{Json, Object};

use crate::TransportSettings;
use crate::transport::SHAPES;

fn texts(texts: &[&str]) -> Json {
    Json::Array(texts.iter().map(|text| Json::String((*text).to_owned())).collect())
}

impl TransportSettings {
    /// The address of requests: the topic, subject or queue. `None` for kinds without one.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::memory("reviews");
    /// assert_eq!(transport.requests(), Some("reviews"));
    /// ```
    pub fn requests(&self) -> Option<&str> {
        let channels = ["topics", "subjects", "queues"].iter().find_map(|key| self.settings.get(key));
        channels?.get("requests")?.as_str()
    }

    fn of(kind: &str, channels: &str, requests: &str) -> Self {
        let requests = [("requests".to_owned(), Json::String(requests.to_owned()))].into_iter().collect();
        let settings = [(channels.to_owned(), Json::Object(requests))].into_iter().collect();
        Self { kind: kind.to_owned(), settings: Json::Object(settings) }
    }

    /// A transport within one process, with a topic for requests.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::memory("reviews").responses("reviews.done");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn memory(requests: &str) -> Self {
        Self::of("memory", "topics", requests)
    }

    /// MQTT, with a topic for requests. The broker is the optional setting `url`.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::mqtt("reviews").set("url", "mqtt://broker:1883");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn mqtt(requests: &str) -> Self {
        Self::of("mqtt", "topics", requests)
    }

    /// Kafka, with its brokers and a topic for requests. `ssl` and `sasl` are optional settings.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::kafka(&["broker:9092"], "reviews").set("ssl", true);
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn kafka(brokers: &[&str], requests: &str) -> Self {
        Self::of("kafka", "topics", requests).set("brokers", texts(brokers))
    }

    /// NATS, with its servers and a subject for requests.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::nats(&["nats://nats:4222"], "reviews");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn nats(servers: &[&str], requests: &str) -> Self {
        Self::of("nats", "subjects", requests).set("servers", texts(servers))
    }

    /// Amazon SQS, with a region and a queue for requests.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::sqs("eu-central-1", "reviews");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn sqs(region: &str, requests: &str) -> Self {
        Self::of("sqs", "queues", requests).set("region", region)
    }

    /// AMQP, with a URL and a queue for requests.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::amqp("amqps://rabbit/desk", "reviews");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn amqp(url: &str, requests: &str) -> Self {
        Self::of("amqp", "queues", requests).set("url", url)
    }

    /// An MCP server, with a name for it within the program that calls it. The endpoint of a server that uses HTTP is
    /// the optional setting `url`. There is no setting for the command of a server: a peer's manifest must not start
    /// programs.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::mcp("filesystem").set("url", "https://tools.example.com/mcp");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    pub fn mcp(requests: &str) -> Self {
        Self::of("mcp", "topics", requests)
    }

    /// Every kind of transport.
    ///
    /// ```
    /// assert!(capgen_manifest::TransportSettings::kinds().contains(&"nats"));
    /// ```
    pub fn kinds() -> [&'static str; SHAPES.len()] {
        SHAPES.map(|shape| shape.kind)
    }

    /// A transport of a kind to start with: a broker on this machine where the kind needs an address. `None` for
    /// other words.
    ///
    /// ```
    /// use capgen_manifest::TransportSettings;
    /// for kind in TransportSettings::kinds() {
    ///     assert_eq!(TransportSettings::local(kind, "reviews").map(|transport| transport.check()), Some(Ok(())));
    /// }
    /// ```
    pub fn local(kind: &str, requests: &str) -> Option<Self> {
        Some(match kind {
            "memory" => Self::memory(requests),
            "mqtt" => Self::mqtt(requests).set("url", "mqtt://localhost:1883"),
            "kafka" => Self::kafka(&["localhost:9092"], requests),
            "nats" => Self::nats(&["nats://localhost:4222"], requests),
            "sqs" => Self::sqs("us-east-1", requests),
            "amqp" => Self::amqp("amqp://localhost:5672", requests),
            "mcp" => Self::mcp(requests),
            _ => return None,
        })
    }

    /// Sets the topic, subject or queue for responses.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::memory("reviews").responses("reviews.done");
    /// assert_eq!(transport.check(), Ok(()));
    /// ```
    #[must_use]
    pub fn responses(mut self, name: &str) -> Self {
        if let Json::Object(settings) = self.settings {
            let member = |(key, value): &(String, Json)| match value {
                Json::Object(channels) if ["topics", "subjects", "queues"].contains(&key.as_str()) => {
                    (key.clone(), Json::Object(with(channels, "responses", Json::String(name.to_owned()))))
                }
                value => (key.clone(), value.clone()),
            };
            self.settings = Json::Object(settings.iter().map(member).collect());
        }
        self
    }

    /// Sets or replaces a setting. [`check`](Self::check) reports settings that the kind does not have.
    ///
    /// ```
    /// let transport = capgen_manifest::TransportSettings::memory("reviews").set("ssl", true);
    /// assert!(transport.check().is_err());
    /// ```
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Into<Json>) -> Self {
        if let Json::Object(settings) = &self.settings {
            self.settings = Json::Object(with(settings, key, value.into()));
        }
        self
    }
}

fn with(members: &Object, key: &str, value: Json) -> Object {
    let kept = members.iter().filter(|(name, _)| name != key).cloned();
    kept.chain([(key.to_owned(), value)]).collect()
}
