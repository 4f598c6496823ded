//! Small changes of a payload.

use capgen_schema::Json;

/// Values of all types, as texts.
const VALUES: [&str; 9] = ["null", "true", "0", "-1.5", "\"\"", "\"a b\"", "[]", "[1]", "{}"];

/// The payloads that differ from one in one place: another value, a member less or more, an item less or more.
pub(super) fn variants(payload: &Json) -> Vec<Json> {
    let mut variants: Vec<Json> =
        VALUES.iter().filter_map(|text| text.parse().ok()).filter(|value| value != payload).collect();
    match payload {
        Json::Object(members) => {
            for (name, value) in members {
                let mut without = members.clone();
                without.set(name, None);
                variants.push(Json::Object(without));
                for changed in self::variants(value) {
                    let mut with = members.clone();
                    with.set(name, Some(changed));
                    variants.push(Json::Object(with));
                }
            }
            let mut more = members.clone();
            more.set("another name", Some(Json::Bool(true)));
            variants.push(Json::Object(more));
        }
        Json::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let mut without = items.clone();
                without.remove(index);
                variants.push(Json::Array(without));
                for changed in self::variants(item) {
                    let with = items.iter().enumerate();
                    let with = with.map(|(other, item)| if other == index { &changed } else { item }.clone());
                    variants.push(Json::Array(with.collect()));
                }
            }
            let mut more = items.clone();
            more.extend(items.first().cloned());
            variants.push(Json::Array(more));
        }
        _ => {}
    }
    variants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_changed() {
        let payload: Json = r#"{"a":[1,{"b":"c"}]}"#.parse().unwrap();
        let variants: Vec<String> = variants(&payload).iter().map(Json::to_string).collect();
        for expected in [
            "null",
            "{}",
            r#"{"a":[]}"#,
            r#"{"a":[1]}"#,
            r#"{"a":[1,{"b":""}]}"#,
            r#"{"a":[1,{"b":"c"}],"another name":true}"#,
        ] {
            assert!(variants.iter().any(|variant| variant == expected), "{expected}");
        }
        assert!(!variants.contains(&payload.to_string()));
    }
}
