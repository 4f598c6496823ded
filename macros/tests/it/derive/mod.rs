//! Derives that compile, and their results.

#![allow(unreachable_pub)]

use capgen::{Capability, Checked, Loose, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod elsewhere {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub struct Review {
        pub summary: String,
    }

    pub mod framework {
        pub use capgen;
    }
}

/// Review a GitHub pull request.
///
///   - all of it
#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = elsewhere::Review, timeout_ms = 60_000, idempotent, since = "1.1.0")]
struct ReviewPr {
    #[serde(rename = "prUrl")]
    pr_url: String,
}

#[test]
fn the_struct_is_the_request_and_the_response_is_checked() {
    let request = ReviewPr::from_json(br#"{"prUrl": "x"}"#).unwrap();
    assert_eq!(request.pr_url, "x");
    let error = ReviewPr::from_json(br#"{"prUrl": 7}"#).err().unwrap();
    assert_eq!(error.to_string(), "/prUrl: expected string, got integer");
    assert_eq!(request.to_json().unwrap(), br#"{"prUrl":"x"}"#);

    fn answer<C: Capability<Request = C, Response = Checked<elsewhere::Review>>>(text: &str) -> Option<String> {
        C::Response::from_json_str(text).ok().map(|review| review.0.summary)
    }
    assert_eq!(answer::<ReviewPr>(r#"{"summary": "fine"}"#).as_deref(), Some("fine"));
    assert_eq!(answer::<ReviewPr>("{}"), None);
}

#[test]
fn descriptors_have_the_values_of_the_attributes() {
    let descriptor = ReviewPr::descriptor();
    assert_eq!((descriptor.name, ReviewPr::NAME), ("review-pr", "review-pr"));
    assert_eq!(descriptor.description, Some("Review a GitHub pull request.\n\n  - all of it"));
    assert_eq!((descriptor.timeout_ms, descriptor.idempotent), (Some(60_000), Some(true)));
    assert_eq!((descriptor.since, descriptor.agent), (Some("1.1.0"), None));
    assert_eq!(descriptor.hash.len(), 64);
    assert!(descriptor.input_schema.unwrap().contains("prUrl"));
    assert!(descriptor.output_schema.unwrap().contains("summary"));
    assert!(std::ptr::eq(descriptor, ReviewPr::descriptor()));
}

#[derive(Capability)]
#[capability(name = "merge_PR", id = "org.example.merge", version = "1.2.0", description = "Merge.")]
#[capability(skill = "merger", supported_versions = [">=1.0.0 <2.0.0", "0.9.0"], deprecated_versions = ["0.9.0"])]
#[capability(min_schema_version = "1.0.0", tags = ["code", "merge"], side_effects = "external", idempotent = false)]
#[capability(determinism = "nondeterministic", latency = "batch", required_roles = ["owner"], required_scopes = ["repo"])]
#[capability()]
struct Merge;

#[test]
fn every_key_reaches_the_descriptor() {
    let merge = Merge::descriptor();
    assert_eq!((merge.name, merge.id, merge.version), ("merge_PR", Some("org.example.merge"), Some("1.2.0")));
    assert_eq!((merge.description, merge.skill, merge.idempotent), (Some("Merge."), Some("merger"), Some(false)));
    assert_eq!(
        (merge.supported_versions, merge.deprecated_versions),
        (&[">=1.0.0 <2.0.0", "0.9.0"][..], &["0.9.0"][..])
    );
    assert_eq!((merge.min_schema_version, merge.tags), (Some("1.0.0"), &["code", "merge"][..]));
    assert_eq!((merge.side_effects, merge.determinism), (Some("external"), Some("nondeterministic")));
    assert_eq!(
        (merge.latency, merge.required_roles, merge.required_scopes),
        (Some("batch"), &["owner"][..], &["repo"][..])
    );
}

#[test]
fn unit_structs_are_capabilities_with_two_loose_sides() {
    #[derive(Capability)]
    struct Ping;

    #[derive(Capability)]
    #[capability(response = Loose)]
    struct Pong;

    fn is_loose<C: Capability<Request = Loose, Response = Loose>>() -> bool {
        C::descriptor().input_schema.is_none() && C::descriptor().output_schema.is_none()
    }
    assert!(is_loose::<Ping>() && is_loose::<Pong>());
    assert_eq!(Ping::descriptor().description, None);
}

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = Page<T>)]
struct Search<T: JsonSchema, const MAX: usize = 10>
where
    T: Clone,
{
    like: T,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page<T> {
    items: Vec<T>,
}

#[derive(Serialize, Deserialize, JsonSchema, Capability)]
#[capability(response = u8)]
struct Both<A, B>(A, Vec<B>)
where
    A: schemars::JsonSchema,
    B: JsonSchema;

#[test]
fn each_instance_of_a_generic_struct_is_its_own_capability() {
    let (texts, numbers) = (Search::<String>::descriptor(), Search::<bool, 20>::descriptor());
    assert_eq!((texts.name, numbers.name), ("search", "search"));
    assert_ne!(texts.hash, numbers.hash);
    assert!(texts.output_schema.unwrap().contains("string"));
    assert!(std::ptr::eq(texts, Search::<String>::descriptor()));
    assert!(Search::<String>::from_json(br#"{"like": 1}"#).is_err());
    assert_eq!(Search::<bool>::from_json(br#"{"like": true}"#).map(|search| search.like).ok(), Some(true));
    assert_eq!(<Search<bool> as Capability>::Response::from_json(br#"{"items": [true]}"#).unwrap().items, [true]);
    assert_eq!(Both::<u8, u8>::NAME, "both");
}

#[test]
fn capgen_may_be_at_another_path() {
    #[derive(elsewhere::framework::capgen::Capability)]
    #[capability(crate = elsewhere::framework::capgen, response = elsewhere::framework::capgen::Loose)]
    struct ByPath;

    #[derive(Serialize, Deserialize, JsonSchema, capgen::Capability)]
    #[capability(crate = "self::elsewhere::framework::capgen")]
    struct ByString {}

    assert_eq!((ByPath::NAME, ByString::NAME), ("by-path", "by-string"));
    assert_eq!(ByPath::descriptor().output_schema, None);
}

#[test]
fn names_and_descriptions_come_from_the_source() {
    #[derive(Capability)]
    struct HTTPCheck;

    /** Checks it
     * twice.
     */
    #[derive(Capability)]
    #[doc(alias = "twice")]
    #[allow(non_camel_case_types)]
    struct r#try;

    #[derive(Capability)]
    #[doc = concat!("Made ", "by")]
    /// a macro.
    struct Made;

    /// For readers.
    #[derive(Capability)]
    #[capability(description = "")]
    struct Silent;

    assert_eq!((HTTPCheck::NAME, r#try::NAME), ("http-check", "try"));
    assert_eq!(r#try::descriptor().description, Some("Checks it\ntwice."));
    assert_eq!(Made::descriptor().description, Some("Made by\na macro."));
    assert_eq!(Silent::descriptor().description, None);
}

#[test]
fn attributes_may_come_from_macros() {
    macro_rules! capability {
        ($name:ident, $text:literal, $timeout:expr, $response:ty, $path:path) => {
            #[doc = $text]
            #[derive(Capability)]
            #[capability(name = $text, timeout_ms = $timeout, response = $response, crate = $path, tags = [$text])]
            struct $name;
        };
    }
    capability!(Made, "made", 5, Vec<u8>, capgen);
    assert_eq!((Made::NAME, Made::descriptor().timeout_ms, Made::descriptor().tags), ("made", Some(5), &["made"][..]));
    assert_eq!(Made::descriptor().description, Some("made"));
}

/// Names of the prelude and of the expansion, with other meanings.
#[allow(dead_code, non_upper_case_globals, non_camel_case_types, unused_macros)]
mod noisy {
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Result;
    pub struct String;
    pub struct Vec;
    pub struct Box;
    pub struct Capability;
    pub struct Payload;
    pub struct Loose;
    pub const text: u8 = 0;
    pub mod capgen {}
    pub mod core {}
    pub mod std {}
    macro_rules! concat {
        () => {};
    }
    macro_rules! module_path {
        () => {};
    }

    #[derive(::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema, ::capgen::Capability)]
    #[capability(response = Answer, tags = ["noise"], timeout_ms = 5)]
    pub struct Request {
        pub flag: bool,
    }

    #[derive(::serde::Serialize, ::serde::Deserialize, ::schemars::JsonSchema)]
    pub struct Answer {
        pub flag: bool,
    }

    pub mod noisier {
        pub struct str;

        #[derive(::capgen::Capability)]
        #[capability(response = ::capgen::Loose)]
        pub struct Unit;
    }
}

#[test]
fn names_in_the_users_scope_do_not_matter() {
    assert_eq!(noisy::Request::from_json(br#"{"flag": true}"#).map(|request| request.flag).ok(), Some(true));
    assert_eq!(noisy::Request::descriptor().timeout_ms, Some(5));
    assert_eq!(noisy::noisier::Unit::descriptor().output_schema, None);
}

/// Lints that a user may have chosen.
#[deny(warnings, unused, nonstandard_style, rust_2018_idioms, missing_docs, unreachable_pub)]
#[deny(unused_qualifications, unused_lifetimes, single_use_lifetimes, trivial_casts, unused_results)]
#[deny(missing_debug_implementations, elided_lifetimes_in_paths, explicit_outlives_requirements)]
#[deny(clippy::all, clippy::pedantic, clippy::nursery)]
#[allow(clippy::trait_duplication_in_bounds, reason = "schemars' derive")]
mod strict {
    use capgen::Capability;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// A request.
    #[derive(Debug, Serialize, Deserialize, JsonSchema, Capability)]
    #[capability(response = Self)]
    pub(super) struct Echo<T: JsonSchema> {
        /// The response.
        pub(super) what: T,
    }

    /// A deprecated request.
    #[derive(Debug, Capability)]
    #[deprecated]
    #[capability(response = Vec<u8>)]
    pub(super) struct Old;
}

#[test]
fn the_expansion_passes_strict_lints() {
    #[allow(deprecated)]
    let names = (strict::Echo::<u8>::NAME, strict::Old::NAME);
    assert_eq!(names, ("echo", "old"));
}
