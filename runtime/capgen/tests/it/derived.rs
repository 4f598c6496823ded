//! Capabilities that are declared in Rust.

use capgen::{
    AgentManifest, Capability, Checked, Descriptor, ExportError, InvalidPayload, Loose, Options, Payload,
    TransportSettings, export,
};
use capgen_testkit::folder::Folder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Review a GitHub pull request.
#[derive(Serialize, Deserialize, JsonSchema, Capability, PartialEq, Debug)]
#[capability(response = Review, timeout_ms = 60_000, idempotent, since = "1.1.0", tags = ["code"])]
struct ReviewPr {
    /// GitHub PR URL.
    #[serde(rename = "prUrl")]
    pr_url: String,
    severity: Severity,
    limit: Option<u8>,
    weight: Option<f64>,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Low,
    High,
}

#[derive(Serialize, Deserialize, JsonSchema, PartialEq, Debug)]
struct Review {
    summary: String,
}

/// Report that the agent is alive.
#[derive(Capability)]
struct Ping;

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
struct Page<T: JsonSchema> {
    items: Vec<T>,
}

fn agent() -> AgentManifest {
    AgentManifest::new("pr-reviewer")
        .transport(TransportSettings::memory("reviews"))
        .capability::<ReviewPr>()
        .capability::<Ping>()
}

fn request() -> ReviewPr {
    ReviewPr { pr_url: "u".to_owned(), severity: Severity::High, limit: None, weight: None }
}

#[test]
fn requests_are_read_and_every_violation_is_reported() {
    assert_eq!(ReviewPr::from_json(br#"{"prUrl":"u","severity":"high"}"#).unwrap(), request());
    let error = ReviewPr::from_json(br#"{"severity":"urgent","limit":256}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/limit: must be at most 255, got 256\n/prUrl: missing required property \"prUrl\"\n/severity: value not in enum [\"low\",\"high\"]"
    );
    assert!(matches!(ReviewPr::from_json(br#"{"prUrl":"a","prUrl":"b"}"#), Err(InvalidPayload::Syntax(_))));
}

#[test]
fn integers_may_be_written_with_a_point() {
    let read = ReviewPr::from_json(br#"{"prUrl":"u","severity":"high","limit":2.0,"weight":3}"#).unwrap();
    assert_eq!((read.limit, read.weight), (Some(2), Some(3.0)));
}

#[test]
fn values_are_checked_before_they_are_sent() {
    assert_eq!(request().to_json().unwrap(), br#"{"prUrl":"u","severity":"high","limit":null,"weight":null}"#);
    let nan = ReviewPr { weight: Some(f64::NAN), ..request() };
    assert_eq!(nan.validate().unwrap_err().to_string(), "/weight: JSON cannot represent a number that is not finite");
}

#[test]
fn values_that_only_rust_rejects_are_violations_with_a_path() {
    #[derive(Serialize, Deserialize, JsonSchema, Capability, Debug)]
    struct Book {
        #[serde(with = "even")]
        #[schemars(with = "Vec<u32>")]
        pages: Vec<u32>,
    }
    mod even {
        use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

        pub(super) fn serialize<S: Serializer>(pages: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
            pages.serialize(serializer)
        }

        pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
            let pages = Vec::<u32>::deserialize(deserializer)?;
            if pages.iter().all(|page| page % 2 == 0) { Ok(pages) } else { Err(D::Error::custom("page 7 is odd")) }
        }
    }
    let error = Book::from_json(br#"{"pages":[2,7]}"#).unwrap_err();
    assert_eq!(error.to_string(), "/pages: does not fit the Rust type: page 7 is odd");
    let redacted = Book::from_json_with(br#"{"pages":[2,7]}"#, Options::new().redact(true)).unwrap_err();
    assert_eq!(redacted.to_string(), "/pages: does not fit the Rust type");
}

#[test]
fn responses_are_checked_by_their_wrapper() {
    let Checked(review) = <ReviewPr as Capability>::Response::from_json(br#"{"summary":"fine"}"#).unwrap();
    assert_eq!(review, Review { summary: "fine".to_owned() });
    assert_eq!(Checked(review).to_json().unwrap(), br#"{"summary":"fine"}"#);
    assert!(Checked::<Review>::from_json(b"{}").is_err());
}

#[test]
fn sides_without_a_type_accept_any_json() {
    fn is_loose<C: Capability<Request = Loose, Response = Loose>>() -> bool {
        C::descriptor().input_schema.is_none() && C::descriptor().output_schema.is_none()
    }
    assert!(is_loose::<Ping>());
}

#[test]
fn a_descriptor_has_the_hash_of_the_contract() {
    let descriptor = ReviewPr::descriptor();
    assert_eq!((descriptor.name, descriptor.timeout_ms, descriptor.tags), ("review-pr", Some(60_000), &["code"][..]));
    let manifest = agent().manifest().unwrap();
    assert_eq!(descriptor.hash, manifest.capabilities[0].hash().to_string());
    assert_eq!(descriptor.description, Some("Review a GitHub pull request."));
}

#[test]
fn type_parameters_have_their_own_schema() {
    assert!(Page::<u8>::from_json(br#"{"items":[255]}"#).is_ok());
    assert!(Page::<u8>::from_json(br#"{"items":[256]}"#).is_err());
    assert!(Page::<String>::from_json(br#"{"items":["a"]}"#).is_ok());
    assert_ne!(Page::<u8>::descriptor().hash, Page::<String>::descriptor().hash);
}

#[test]
fn an_agent_becomes_a_manifest() {
    let text = agent().to_manifest().unwrap();
    assert!(text.starts_with(
        "# @generated by capgen. DO NOT EDIT.\n# Source: it::derived::ReviewPr, it::derived::Ping\n# Regenerate: CAPGEN_UPDATE=1 cargo test\n"
    ), "{text}");
    assert_eq!(text, agent().to_manifest().unwrap());
    println!("{text}");
}

#[test]
fn all_problems_of_a_manifest_are_reported_at_once() {
    #[derive(Serialize, Deserialize, JsonSchema, Debug)]
    struct Deep {
        #[schemars(extend("$dynamicRef" = "#deep"))]
        at: u8,
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability, Debug)]
    #[capability(name = "ping")]
    struct Other {
        #[schemars(extend("$dynamicRef" = "#extra"))]
        extra: String,
        pair: (u8, String),
        deep: Vec<Deep>,
    }
    let agent = AgentManifest::new("-").capability::<Ping>().capability::<Other>();
    let problems = agent.to_manifest().unwrap_err().problems().to_vec();
    assert_eq!(problems.len(), 5, "{problems:#?}");
    for (problem, expected) in problems.iter().zip([
        "\"-\" is not a valid agent id: ",
        "missing transport",
        "two capabilities have the name `ping`: it::derived::Ping, it::derived::",
        "Deep.at: `$dynamicRef` is not part of the schema subset; write `\"$ref\": \"#/definitions/<name>\"`",
        "Other.extra: `$dynamicRef` is not part of the schema subset; write `\"$ref\": \"#/definitions/<name>\"`",
    ]) {
        assert!(problem.starts_with(expected), "{problem}");
    }
    // Every payload is rejected, with the reason.
    let error = Other::from_json(b"{}").unwrap_err();
    assert!(error.to_string().contains("Other.extra: `$dynamicRef`"), "{error}");
}

#[test]
fn types_of_the_same_name_get_names_that_do_not_depend_on_order() {
    mod other {
        use super::*;

        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Review {
            pub(super) stars: u8,
        }
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct One {
        a: Review,
        b: other::Review,
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Two {
        b: other::Review,
        a: Review,
    }
    let definitions = |descriptor: &Descriptor| {
        let schema: serde_json::Value = serde_json::from_str(descriptor.input_schema.unwrap()).unwrap();
        schema["definitions"].clone()
    };
    assert_eq!(definitions(One::descriptor()).as_object().unwrap().len(), 2);
    assert_eq!(definitions(One::descriptor()), definitions(Two::descriptor()));

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Review2 {
        stars: u8,
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Three {
        a: Review,
        b: Review2,
    }
    let schema = Three::descriptor().input_schema.unwrap();
    assert!(
        schema.contains(r##""#/definitions/Review""##) && schema.contains(r##""#/definitions/Review2""##),
        "{schema}"
    );
}

fn schema_of<C: Capability>() -> serde_json::Value {
    C::descriptor().input_schema.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[test]
fn fields_may_be_named_like_keywords_if_types_share_a_name() {
    mod other {
        use super::*;

        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Review {
            pub(super) stars: u8,
        }
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Keywords {
        definitions: Vec<Review>,
        properties: other::Review,
        default: Review,
    }
    let schema = schema_of::<Keywords>();
    let target = |place: &str| schema.pointer(place).and_then(|target| target.as_str()).unwrap_or_default().to_owned();
    let review = target("/properties/definitions/items/$ref");
    assert!(review.starts_with("#/definitions/Review_"), "{schema}");
    assert_eq!(target("/properties/default/$ref"), review);
    assert_ne!(target("/properties/properties/$ref"), review);
}

#[test]
fn types_that_differ_only_in_nested_types_get_stable_names() {
    mod one {
        use super::*;

        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Item {
            pub(super) a: u8,
        }
        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Wrap {
            pub(super) item: Item,
        }
    }
    mod two {
        use super::*;

        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Item {
            pub(super) b: String,
        }
        #[derive(Serialize, Deserialize, JsonSchema)]
        pub(super) struct Wrap {
            pub(super) item: Item,
        }
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct First {
        x: one::Wrap,
        y: two::Wrap,
    }
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Second {
        y: two::Wrap,
        x: one::Wrap,
    }
    let (first, second) = (schema_of::<First>(), schema_of::<Second>());
    assert_eq!(first["definitions"], second["definitions"]);
    assert_eq!(first["properties"]["x"], second["properties"]["x"]);
}

#[test]
fn thirteen_types_of_one_name_get_different_names() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "G")]
    struct Gen<T>(Option<T>);
    macro_rules! holds {
        ($name:ident: $($field:ident $ty:ty,)*) => {
            #[derive(Serialize, Deserialize, JsonSchema, Capability)]
            struct $name { $($field: Wrap<$ty>,)* }
        };
    }
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[schemars(rename = "G")]
    struct Wrap<T> {
        value: Gen<T>,
    }
    holds!(Up: a u8, b u16, c u32, d u64, e i8, f i16, g i32, h i64, i bool, j String, k char, l f64, m Vec<u8>,);
    holds!(Down: m Vec<u8>, l f64, k char, j String, i bool, h i64, g i32, f i16, e i8, d u64, c u32, b u16, a u8,);
    assert_eq!(schema_of::<Up>()["definitions"], schema_of::<Down>()["definitions"]);
}

#[test]
fn defaults_of_hash_collections_are_written_in_a_stable_order() {
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Defaults {
        #[serde(default = "map")]
        map: std::collections::HashMap<String, u8>,
        #[serde(default = "set")]
        set: std::collections::HashSet<u8>,
    }
    fn map() -> std::collections::HashMap<String, u8> {
        (0..9).map(|n| (format!("k{n}"), n)).collect()
    }
    fn set() -> std::collections::HashSet<u8> {
        (0..9).collect()
    }
    let agent = AgentManifest::new("a").transport(TransportSettings::memory("a")).capability::<Defaults>();
    let text = agent.to_manifest().unwrap();
    assert!(text.contains("default: [0, 1, 2, 3, 4, 5, 6, 7, 8]"), "{text}");
    let keys: Vec<&str> = text.lines().filter(|line| line.trim().starts_with('k')).collect();
    assert!(keys.len() == 9 && keys.is_sorted(), "{text}");
}

#[test]
fn recursive_types_keep_their_name() {
    #[derive(Serialize, Deserialize, JsonSchema, Capability)]
    struct Tree {
        children: Vec<Tree>,
    }
    assert!(schema_of::<Tree>()["definitions"]["Tree"].is_object(), "{}", schema_of::<Tree>());
}

#[test]
fn numbers_are_not_rounded_to_integers() {
    #[derive(Serialize, Deserialize, JsonSchema, Capability, Debug)]
    struct Numbers {
        #[serde(default)]
        integer: i64,
        #[serde(default)]
        small: f32,
    }
    for text in [r#"{"integer":9223372036854775808.0}"#, r#"{"integer":-9223372036854775809}"#, r#"{"small":1e300}"#] {
        let error = Numbers::from_json_str(text).unwrap_err();
        assert!(!error.violations().is_empty(), "{text}");
    }
    for (text, integer) in [
        ("-9223372036854775808", i64::MIN),
        ("9223372036854775807.0", i64::MAX),
        ("9007199254740993.0", 9_007_199_254_740_993),
        ("9.007199254740993e15", 9_007_199_254_740_993),
    ] {
        assert_eq!(Numbers::from_json_str(&format!(r#"{{"integer":{text}}}"#)).unwrap().integer, integer, "{text}");
    }
}

#[test]
fn many_numbers_that_are_not_finite_are_reported_in_order() {
    let error = Checked(vec![f64::NAN; 20_000]).to_json().unwrap_err();
    assert_eq!((error.violations().len(), error.is_truncated()), (100, true));
    assert_eq!(error.violations()[99].path, "/99");
}

#[test]
fn files_that_capgen_did_not_write_are_not_overwritten() {
    let folder = Folder::new();
    let path = folder.path("capabilities.yaml");
    std::fs::write(&path, "# By hand.\nversion: 1\n").unwrap();
    assert!(matches!(export(&agent(), &path, true), Err(ExportError::Foreign { .. })));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("# By hand."));
    for nothing in ["", " \n\n"] {
        std::fs::write(&path, nothing).unwrap();
        export(&agent(), &path, true).unwrap();
    }
}

#[test]
fn the_manifest_of_a_packaged_crate_is_compared_and_not_updated() {
    let folder = Folder::new();
    let update =
        || capgen::export_in(&agent(), folder.root().to_str().unwrap(), "capabilities.yaml", Some("1".as_ref()));
    std::fs::write(folder.path("Cargo.toml.orig"), "").unwrap();
    assert!(matches!(update(), Err(ExportError::Stale { .. })));
    assert!(!folder.path("capabilities.yaml").exists());
    std::fs::remove_file(folder.path("Cargo.toml.orig")).unwrap();
    update().unwrap();
    assert!(folder.path("capabilities.yaml").exists());
}

#[test]
fn the_diff_of_a_stale_export_masks_the_values_of_transports() {
    let folder = Folder::new();
    let path = folder.path("capabilities.yaml");
    export(&agent(), &path, true).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let edited =
        text.replace("\ncapabilities:", "\n    password: hunter2\n    url: nats://me:hunter2@host\ncapabilities:");
    assert_ne!(edited, text);
    std::fs::write(&path, edited).unwrap();
    let error = export(&agent(), &path, false).unwrap_err().to_string();
    assert!(
        error.contains("-    password: ***\n-    url: ***\n capabilities:\n") && !error.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn a_stale_export_is_reported_with_a_diff() {
    let folder = Folder::new();
    let path = folder.path("capabilities.yaml");
    let stale = export(&agent(), &path, false).unwrap_err();
    assert!(matches!(stale, ExportError::Stale { .. }));
    export(&agent(), &path, true).unwrap();
    export(&agent(), &path, false).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace('\n', "\r\n")).unwrap();
    export(&agent(), &path, false).unwrap();
    std::fs::write(&path, text.replace("60000", "6000")).unwrap();
    let error = export(&agent(), &path, false).unwrap_err().to_string();
    assert!(
        error.contains("-    timeoutMs: 6000\n+    timeoutMs: 60000\n") && error.contains("CAPGEN_UPDATE=1"),
        "{error}"
    );
    assert_eq!(folder.names(""), ["capabilities.yaml"]);
}
