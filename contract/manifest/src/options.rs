//! The options of generated code, which flags, build scripts and `fleet.yaml` set.

/// Choices about generated code. Each has a row in [`Options::TABLE`].
///
/// ```
/// use capgen_manifest::Options;
/// let options = Options::default();
/// assert!(!options.merge_nullable && !options.plain_arrays && !options.calls && options.standard_schema);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// An optional property that may be `null` has the type `Option<T>` in Rust instead of `Option<Option<T>>`. A property that
    /// is `null` and an absent one then read as the same value, `None`, which is written as an absent property. Objects whose
    /// type does not express every assertion keep `Option<Option<T>>`, because an assertion might distinguish the two.
    pub merge_nullable: bool,
    /// An array with a small `minItems` or `maxItems` has the type `T[]` in TypeScript instead of a tuple such as
    /// `[T, ...T[]]`. Validators still check its length.
    pub plain_arrays: bool,
    /// Each agent has a client that calls it, and a trait in Rust, or an interface in TypeScript, to implement its capabilities.
    /// The Rust code then needs the feature `call` of the crate `capgen`; TypeScript still imports nothing.
    pub calls: bool,
    /// Each side of a capability is also an object in TypeScript and JavaScript that libraries accept as a
    /// [Standard Schema](https://standardschema.dev). On by default.
    pub standard_schema: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { merge_nullable: false, plain_arrays: false, calls: false, standard_schema: true }
    }
}

/// The languages whose generated code an option changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Only the language with this name. The forms of JavaScript belong to `TypeScript`.
    Only(&'static str),
    /// Every language.
    All,
}

impl Scope {
    /// Whether it includes the language with this name, such as `Rust` or `TypeScript`.
    pub fn includes(self, language: &str) -> bool {
        match self {
            Self::Only(name) => name == language,
            Self::All => true,
        }
    }
}

/// One of the [`Options`]: its names, and access to its value.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The flag of the command line, without `--`; also in the `Regenerate` line of generated files.
    pub flag: &'static str,
    /// The key below `generate` in `fleet.yaml`.
    pub key: &'static str,
    /// The method of `Build`, the API for `build.rs`.
    pub method: &'static str,
    /// Its meaning, in one sentence.
    pub about: &'static str,
    /// The languages whose code it changes.
    pub scope: Scope,
    /// Reads the value.
    pub get: fn(&Options) -> bool,
    /// Sets the value.
    pub set: fn(&mut Options, bool),
}

impl Options {
    /// Every option.
    pub const TABLE: &'static [OptionRow] = &[
        OptionRow {
            flag: "merge-nullable",
            key: "mergeNullable",
            method: "merge_nullable",
            about: "In Rust, an optional property that may be `null` is an `Option<T>` instead of an `Option<Option<T>>`.",
            scope: Scope::Only("Rust"),
            get: |options| options.merge_nullable,
            set: |options, value| options.merge_nullable = value,
        },
        OptionRow {
            flag: "plain-arrays",
            key: "plainArrays",
            method: "plain_arrays",
            about: "In TypeScript, arrays with a small `minItems` or `maxItems` are `T[]` instead of tuples.",
            scope: Scope::Only("TypeScript"),
            get: |options| options.plain_arrays,
            set: |options, value| options.plain_arrays = value,
        },
        OptionRow {
            flag: "calls",
            key: "calls",
            method: "calls",
            about: "Each agent has a client that calls it, and a trait or an interface to implement it.",
            scope: Scope::All,
            get: |options| options.calls,
            set: |options, value| options.calls = value,
        },
        OptionRow {
            flag: "standard-schema",
            key: "standardSchema",
            method: "standard_schema",
            about: "In TypeScript and JavaScript, each side of a capability is also a Standard Schema.",
            scope: Scope::Only("TypeScript"),
            get: |options| options.standard_schema,
            set: |options, value| options.standard_schema = value,
        },
    ];

    /// The flags that give these options where `defaults` apply otherwise, each after a space. Only those that change the
    /// code of the language with this name, such as `Rust`.
    ///
    /// An option without its usual value, that of [`Options::default`], is always written, so that a reader sees it.
    ///
    /// ```
    /// use capgen_manifest::Options;
    /// let merged = Options { merge_nullable: true, ..Options::default() };
    /// assert_eq!(merged.flags(&Options::default(), "Rust"), " --merge-nullable");
    /// assert_eq!(merged.flags(&merged, "Rust"), " --merge-nullable");
    /// assert_eq!(Options::default().flags(&merged, "Rust"), " --merge-nullable=false");
    /// assert_eq!(merged.flags(&Options::default(), "TypeScript"), "");
    /// let bare = Options { standard_schema: false, ..Options::default() };
    /// assert_eq!(bare.flags(&bare, "TypeScript"), " --standard-schema=false");
    /// assert_eq!(Options::default().flags(&bare, "TypeScript"), " --standard-schema");
    /// ```
    pub fn flags(&self, defaults: &Options, language: &str) -> String {
        let usual = Options::default();
        let mut flags = String::new();
        for row in Self::TABLE.iter().filter(|row| row.scope.includes(language)) {
            let value = (row.get)(self);
            if value != (row.get)(defaults) || value != (row.get)(&usual) {
                flags.extend([" --", row.flag, if value { "" } else { "=false" }]);
            }
        }
        flags
    }
}
