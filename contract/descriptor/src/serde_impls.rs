//! Serde's traits, written by hand: deriving them would make every user of generated code compile serde's derive.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{OwnedDescriptor, OwnedErrorDescriptor, VersionRange, capability_keys};

impl Serialize for VersionRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for VersionRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A value that is left out of the map if there is nothing in it.
trait Member {
    fn write<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error>;
}

impl<T: Serialize> Member for Option<T> {
    fn write<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error> {
        self.as_ref().map_or(Ok(()), |value| map.serialize_entry(key, value))
    }
}

impl<T: Serialize> Member for Vec<T> {
    fn write<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error> {
        if self.is_empty() { Ok(()) } else { map.serialize_entry(key, self) }
    }
}

impl Member for String {
    fn write<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error> {
        if self.is_empty() { Ok(()) } else { map.serialize_entry(key, self) }
    }
}

impl Member for bool {
    fn write<M: SerializeMap>(&self, key: &'static str, map: &mut M) -> Result<(), M::Error> {
        if *self { map.serialize_entry(key, self) } else { Ok(()) }
    }
}

impl Serialize for OwnedErrorDescriptor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        self.description.write("description", &mut map)?;
        self.status.write("status", &mut map)?;
        self.retryable.write("retryable", &mut map)?;
        self.details_schema.write("detailsSchema", &mut map)?;
        map.end()
    }
}

struct ErrorVisitor;

impl<'de> Visitor<'de> for ErrorVisitor {
    type Value = OwnedErrorDescriptor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a declared error")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<OwnedErrorDescriptor, M::Error> {
        let mut error = OwnedErrorDescriptor::default();
        let mut seen = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                return Err(M::Error::custom(format!("duplicate key `{key}`")));
            }
            match key.as_str() {
                "code" => error.code = map.next_value()?,
                "description" => error.description = map.next_value()?,
                "status" => error.status = map.next_value()?,
                "retryable" => error.retryable = map.next_value()?,
                "detailsSchema" => error.details_schema = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            // Bounded: only known keys get here, each once.
            seen.push(key);
        }
        if error.code.is_empty() { Err(M::Error::missing_field("code")) } else { Ok(error) }
    }
}

impl<'de> Deserialize<'de> for OwnedErrorDescriptor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ErrorVisitor)
    }
}

macro_rules! serde_impls {
    ($($(#[$doc:meta])* $field:ident ($with:ident): $type:ident = $name:literal, $example:literal;)*) => {
        impl Serialize for OwnedDescriptor {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                self.agent.write("agent", &mut map)?;
                // Reading requires the name, so it is written even if it is empty.
                map.serialize_entry("name", &self.name)?;
                $(self.$field.write($name, &mut map)?;)*
                self.hash.write("hash", &mut map)?;
                self.input_schema.write("inputSchema", &mut map)?;
                self.output_schema.write("outputSchema", &mut map)?;
                self.errors.write("errors", &mut map)?;
                map.end()
            }
        }

        impl<'de> Visitor<'de> for DescriptorVisitor {
            type Value = OwnedDescriptor;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a descriptor of a capability")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<OwnedDescriptor, M::Error> {
                let mut descriptor = OwnedDescriptor::default();
                let mut has_name = false;
                let mut seen = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    if seen.contains(&key) {
                        return Err(M::Error::custom(format!("duplicate key `{key}`")));
                    }
                    match key.as_str() {
                        "agent" => descriptor.agent = map.next_value()?,
                        "name" => {
                            descriptor.name = map.next_value()?;
                            has_name = true;
                        }
                        $($name => descriptor.$field = map.next_value()?,)*
                        "hash" => descriptor.hash = map.next_value()?,
                        "inputSchema" => descriptor.input_schema = map.next_value()?,
                        "outputSchema" => descriptor.output_schema = map.next_value()?,
                        "errors" => descriptor.errors = map.next_value()?,
                        // AMP ignores unknown keys, so that descriptors can get new ones.
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    }
                    // Bounded: only known keys get here, each once.
                    seen.push(key);
                }
                if has_name { Ok(descriptor) } else { Err(M::Error::missing_field("name")) }
            }
        }
    };
}

struct DescriptorVisitor;

capability_keys!(serde_impls);

impl<'de> Deserialize<'de> for OwnedDescriptor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DescriptorVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Descriptor, ErrorDescriptor};

    #[test]
    fn descriptors_have_the_keys_of_the_manifest() -> Result<(), serde_json::Error> {
        const ECHO: Descriptor = Descriptor::new("echo", "say", "6f1d")
            .with_timeout_ms(500)
            .with_idempotent(false)
            .with_min_schema_version("1.0.0")
            .with_supported_versions(&[">=1.0.0 <2.0.0"])
            .with_input_schema(r#"{"minimum":123456789012345678901}"#)
            .with_errors(&[
                ErrorDescriptor::new("BUSY").with_retryable(true).with_status(503),
                ErrorDescriptor::new("LATE").with_description("Too late").with_details_schema("true"),
            ]);
        let echo = OwnedDescriptor::from(&ECHO);
        let text = serde_json::to_string(&echo)?;
        assert_eq!(
            text,
            r#"{"agent":"echo","name":"say","timeoutMs":500,"idempotent":false,"supportedVersions":[">=1.0.0 <2.0.0"],"minSchemaVersion":"1.0.0","hash":"6f1d","inputSchema":"{\"minimum\":123456789012345678901}","errors":[{"code":"BUSY","status":503,"retryable":true},{"code":"LATE","description":"Too late","detailsSchema":"true"}]}"#
        );
        assert_eq!(serde_json::from_str::<OwnedDescriptor>(&text)?, echo);
        let empty = OwnedDescriptor::default();
        assert_eq!(serde_json::from_str::<OwnedDescriptor>(&serde_json::to_string(&empty)?)?, empty);
        Ok(())
    }

    #[test]
    fn unknown_keys_are_ignored_and_duplicate_and_missing_ones_rejected() -> Result<(), serde_json::Error> {
        let read = |text: &str| serde_json::from_str::<OwnedDescriptor>(text);
        assert_eq!(read(r#"{"x": [1], "name": "say", "x": {}}"#)?, OwnedDescriptor::new("say"));
        for (text, message) in [
            (r#"{"name": "say", "tags": [], "tags": []}"#, "duplicate key `tags`"),
            (r#"{"tags": []}"#, "missing field `name`"),
            (r#"{"name": "say", "errors": [{}]}"#, "missing field `code`"),
            (r#"{"name": "say", "errors": [{"code": "A", "code": "B"}]}"#, "duplicate key `code`"),
            ("[]", "expected a descriptor of a capability"),
        ] {
            let error = read(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(message), "{text}: {error}");
        }
        Ok(())
    }

    #[test]
    fn ranges_are_strings() -> Result<(), serde_json::Error> {
        let range: VersionRange = serde_json::from_str(r#"">=1.0.0  <2.0.0""#)?;
        assert_eq!(serde_json::to_string(&range)?, r#"">=1.0.0 <2.0.0""#);
        assert!(serde_json::from_str::<VersionRange>("1").is_err());
        Ok(())
    }
}
