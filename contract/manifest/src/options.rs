//! The options of generated code, which flags, build scripts and `fleet.yaml` set.

use crate::{ImportExtension, RuntimePath};

/// Choices about generated code. Each has a row in [`Options::TABLE`].
///
/// ```
/// use capgen_manifest::Options;
/// let options = Options::default();
/// assert!(!options.merge_nullable && !options.plain_arrays && !options.calls && options.standard_schema);
/// assert!(!options.single_file && options.import_extension.name() == "js");
/// assert_eq!(options.runtime_path.as_str(), "::capgen");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// An optional property that may be `null` has the type `Option<T>` in Rust instead of `Option<Option<T>>`. A
    /// property that is `null` and an absent one then read as the same value, `None`, which is written as an absent
    /// property. Objects whose type does not express every assertion keep `Option<Option<T>>`, because an assertion
    /// might distinguish the two.
    pub merge_nullable: bool,
    /// An array with a small `minItems` or `maxItems` has the type `T[]` in TypeScript instead of a tuple such as
    /// `[T, ...T[]]`. Validators still check its length.
    pub plain_arrays: bool,
    /// Each agent has a client that calls it, and a trait in Rust, or an interface in TypeScript, to implement its
    /// capabilities. The Rust code then needs the feature `call` of the crate `capgen`; TypeScript needs nothing more.
    pub calls: bool,
    /// Each side of a capability is also an object in TypeScript and JavaScript that libraries accept as a
    /// [Standard Schema](https://standardschema.dev). On by default.
    pub standard_schema: bool,
    /// Each file of TypeScript and JavaScript contains all of its code, and imports nothing. Otherwise, the files of a
    /// folder import the code that they share from one file of that folder, `_capgen`.
    pub single_file: bool,
    /// The extension in the imports of TypeScript.
    pub import_extension: ImportExtension,
    /// The path at which Rust code finds the crate `capgen`: another one than `::capgen` if the dependency has another
    /// name, or if a module re-exports the crate.
    pub runtime_path: RuntimePath,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            merge_nullable: false,
            plain_arrays: false,
            calls: false,
            standard_schema: true,
            single_file: false,
            import_extension: ImportExtension::Js,
            runtime_path: RuntimePath::default(),
        }
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
    /// The kind of the value, and access to it.
    pub value: OptionValue,
}

/// The kind of the value of one of the [`Options`], with the functions that read and set it.
#[derive(Clone, Copy, Debug)]
pub enum OptionValue {
    /// On or off. A flag without a value turns it on.
    Switch {
        /// Reads the value.
        get: fn(&Options) -> bool,
        /// Sets the value.
        set: fn(&mut Options, bool),
    },
    /// An extension of imported files.
    Extension {
        /// Reads the value.
        get: fn(&Options) -> ImportExtension,
        /// Sets the value.
        set: fn(&mut Options, ImportExtension),
    },
    /// The path of the runtime.
    Path {
        /// Reads the value.
        get: fn(&Options) -> &RuntimePath,
        /// Sets the value.
        set: fn(&mut Options, RuntimePath),
    },
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
            value: OptionValue::Switch {
                get: |options| options.merge_nullable,
                set: |options, value| options.merge_nullable = value,
            },
        },
        OptionRow {
            flag: "plain-arrays",
            key: "plainArrays",
            method: "plain_arrays",
            about: "In TypeScript, arrays with a small `minItems` or `maxItems` are `T[]` instead of tuples.",
            scope: Scope::Only("TypeScript"),
            value: OptionValue::Switch {
                get: |options| options.plain_arrays,
                set: |options, value| options.plain_arrays = value,
            },
        },
        OptionRow {
            flag: "calls",
            key: "calls",
            method: "calls",
            about: "Each agent has a client that calls it, and a trait or an interface to implement it.",
            scope: Scope::All,
            value: OptionValue::Switch { get: |options| options.calls, set: |options, value| options.calls = value },
        },
        OptionRow {
            flag: "standard-schema",
            key: "standardSchema",
            method: "standard_schema",
            about: "In TypeScript and JavaScript, each side of a capability is also a Standard Schema.",
            scope: Scope::Only("TypeScript"),
            value: OptionValue::Switch {
                get: |options| options.standard_schema,
                set: |options, value| options.standard_schema = value,
            },
        },
        OptionRow {
            flag: "single-file",
            key: "singleFile",
            method: "single_file",
            about: "In TypeScript and JavaScript, each file contains all of its code, instead of importing `_capgen`.",
            scope: Scope::Only("TypeScript"),
            value: OptionValue::Switch {
                get: |options| options.single_file,
                set: |options, value| options.single_file = value,
            },
        },
        OptionRow {
            flag: "import-extension",
            key: "importExtension",
            method: "import_extension",
            about: "In TypeScript, the extension of the imported file `_capgen`: `js`, `ts` or `none`.",
            scope: Scope::Only("TypeScript"),
            value: OptionValue::Extension {
                get: |options| options.import_extension,
                set: |options, value| options.import_extension = value,
            },
        },
        OptionRow {
            flag: "runtime-path",
            key: "runtimePath",
            method: "runtime_path",
            about: "In Rust, the path of the crate `capgen`, such as `::my_capgen` or `crate::contracts::capgen`.",
            scope: Scope::Only("Rust"),
            value: OptionValue::Path {
                get: |options| &options.runtime_path,
                set: |options, value| options.runtime_path = value,
            },
        },
    ];

    /// The flags that give these options where `defaults` apply otherwise, each after a space. Only those that change
    /// the code of the language with this name, such as `Rust`.
    ///
    /// An option without its usual value, that of [`Options::default`], is always written, so that a reader sees it.
    ///
    /// ```
    /// use capgen_manifest::{ImportExtension, Options, RuntimePath};
    /// let merged = Options { merge_nullable: true, ..Options::default() };
    /// assert_eq!(merged.flags(&Options::default(), "Rust"), " --merge-nullable");
    /// assert_eq!(merged.flags(&merged, "Rust"), " --merge-nullable");
    /// assert_eq!(Options::default().flags(&merged, "Rust"), " --merge-nullable=false");
    /// assert_eq!(merged.flags(&Options::default(), "TypeScript"), "");
    /// let bare = Options { standard_schema: false, ..Options::default() };
    /// assert_eq!(bare.flags(&bare, "TypeScript"), " --standard-schema=false");
    /// assert_eq!(Options::default().flags(&bare, "TypeScript"), " --standard-schema");
    /// let native = Options { import_extension: ImportExtension::Ts, ..Options::default() };
    /// assert_eq!(native.flags(&Options::default(), "TypeScript"), " --import-extension ts");
    /// let renamed = Options { runtime_path: RuntimePath::new("::contracts").unwrap(), ..Options::default() };
    /// assert_eq!(renamed.flags(&Options::default(), "Rust"), " --runtime-path ::contracts");
    /// ```
    pub fn flags(&self, defaults: &Options, language: &str) -> String {
        let usual = Options::default();
        let mut flags = String::new();
        for row in Self::TABLE.iter().filter(|row| row.scope.includes(language)) {
            match row.value {
                OptionValue::Switch { get, .. } if is_shown(get, [self, defaults, &usual]) => {
                    flags.extend([" --", row.flag, if get(self) { "" } else { "=false" }]);
                }
                OptionValue::Extension { get, .. } if is_shown(get, [self, defaults, &usual]) => {
                    flags.extend([" --", row.flag, " ", get(self).name()]);
                }
                OptionValue::Path { get, .. } if is_shown(get, [self, defaults, &usual]) => {
                    flags.extend([" --", row.flag, " ", get(self).as_str()]);
                }
                _ => {}
            }
        }
        flags
    }
}

/// Whether the value of the first options differs from the value of one of the others.
fn is_shown<'o, V: PartialEq>(get: impl Fn(&'o Options) -> V, [own, others @ ..]: [&'o Options; 3]) -> bool {
    let value = get(own);
    others.into_iter().any(|other| get(other) != value)
}
