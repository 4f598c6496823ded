//! The options of generated code, which flags, build scripts and `fleet.yaml` set.

/// Choices about generated code. Each has a row in [`Options::TABLE`].
///
/// ```
/// use capgen_manifest::Options;
/// assert_eq!(Options::default(), Options { merge_nullable: false, plain_arrays: false });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// An optional property that may be `null` has the type `Option<T>` in Rust instead of `Option<Option<T>>`. A property that
    /// is `null` and an absent one then read as the same value, `None`, which is written as an absent property. Objects whose
    /// type does not express every assertion keep `Option<Option<T>>`, because an assertion might distinguish the two.
    pub merge_nullable: bool,
    /// An array with a small `minItems` or `maxItems` has the type `T[]` in TypeScript instead of a tuple such as
    /// `[T, ...T[]]`. Validators still check its length.
    pub plain_arrays: bool,
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
    /// Whether it changes generated Rust. Otherwise it changes generated TypeScript, and the types of JavaScript.
    pub is_for_rust: bool,
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
            is_for_rust: true,
            get: |options| options.merge_nullable,
            set: |options, value| options.merge_nullable = value,
        },
        OptionRow {
            flag: "plain-arrays",
            key: "plainArrays",
            method: "plain_arrays",
            is_for_rust: false,
            get: |options| options.plain_arrays,
            set: |options, value| options.plain_arrays = value,
        },
    ];

    /// The flags that give these options where `defaults` apply otherwise, each after a space. Only those that change Rust, or
    /// only those that change the other languages.
    ///
    /// An option that is on is always written, so that a reader sees it.
    ///
    /// ```
    /// use capgen_manifest::Options;
    /// let merged = Options { merge_nullable: true, ..Options::default() };
    /// assert_eq!(merged.flags(&Options::default(), true), " --merge-nullable");
    /// assert_eq!(merged.flags(&merged, true), " --merge-nullable");
    /// assert_eq!(Options::default().flags(&merged, true), " --merge-nullable=false");
    /// assert_eq!(merged.flags(&Options::default(), false), "");
    /// ```
    pub fn flags(&self, defaults: &Options, for_rust: bool) -> String {
        let mut flags = String::new();
        for row in Self::TABLE.iter().filter(|row| row.is_for_rust == for_rust) {
            match ((row.get)(self), (row.get)(defaults)) {
                (true, _) => flags.extend([" --", row.flag]),
                (false, true) => flags.extend([" --", row.flag, "=false"]),
                (false, false) => {}
            }
        }
        flags
    }
}
