//! The validators that `#[jsonschema::validator]` generates at compile time. A separate package, because it takes long
//! to compile.

macro_rules! compiled {
    ($($name:ident, $path:literal;)*) => {$(
        #[jsonschema::validator(path = $path, draft = Draft7, validate_formats = true)]
        pub struct $name;
    )*};
}

compiled! {
    Flat, "../../payloads/flat/schema.json";
    Findings, "../../payloads/findings/schema.json";
    Union, "../../payloads/union/schema.json";
    Enums, "../../payloads/enums/schema.json";
    Tree, "../../payloads/tree/schema.json";
}
