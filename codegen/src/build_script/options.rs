//! The options of generated code that a build script sets, instead of those in `fleet.yaml`.

use capgen_diagnostic::Diagnostic;

use super::Build;
use crate::{ImportExtension, Options, RuntimePath};

impl Build {
    /// Merges "optional and nullable" into one `Option<T>`; see [`Options::merge_nullable`]. The default is the option
    /// `generate.mergeNullable` in `fleet.yaml`, or `false`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").merge_nullable(true);
    /// ```
    pub fn merge_nullable(mut self, merge: bool) -> Self {
        self.merge_nullable = Some(merge);
        self
    }

    /// Writes arrays with bounds as plain arrays in TypeScript; see [`Options::plain_arrays`]. The default is the
    /// option `generate.plainArrays` in `fleet.yaml`, or `false`.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::TypeScript]).plain_arrays(true);
    /// ```
    pub fn plain_arrays(mut self, plain: bool) -> Self {
        self.plain_arrays = Some(plain);
        self
    }

    /// Adds a client for each agent, and a trait to implement it; see [`Options::calls`]. The default is the option
    /// `generate.calls` in `fleet.yaml`, or `false`.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").calls(true);
    /// ```
    pub fn calls(mut self, calls: bool) -> Self {
        self.calls = Some(calls);
        self
    }

    /// Makes each side of a capability an object in TypeScript and JavaScript that libraries accept as a Standard
    /// Schema; see [`Options::standard_schema`]. The default is the option `generate.standardSchema` in `fleet.yaml`,
    /// or `true`.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::TypeScript]).standard_schema(false);
    /// ```
    pub fn standard_schema(mut self, standard_schema: bool) -> Self {
        self.standard_schema = Some(standard_schema);
        self
    }

    /// Writes all code of an agent to its own file in TypeScript and JavaScript, instead of the code that the files of
    /// a folder share to `_capgen`; see [`Options::single_file`]. The default is the option `generate.singleFile` in
    /// `fleet.yaml`, or `false`.
    ///
    /// ```
    /// use capgen_codegen::{Build, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::TypeScript]).single_file(true);
    /// ```
    pub fn single_file(mut self, single_file: bool) -> Self {
        self.single_file = Some(single_file);
        self
    }

    /// Sets the extension with which TypeScript imports `_capgen`; see [`Options::import_extension`]. The default is
    /// the option `generate.importExtension` in `fleet.yaml`, or [`ImportExtension::Js`].
    ///
    /// ```
    /// use capgen_codegen::{Build, ImportExtension, Language};
    /// let build = Build::new().peer("pr-reviewer").languages([Language::TypeScript]);
    /// let build = build.import_extension(ImportExtension::Ts);
    /// ```
    pub fn import_extension(mut self, extension: ImportExtension) -> Self {
        self.import_extension = Some(extension);
        self
    }

    /// Sets the path of the crate `capgen` in generated Rust, for packages whose dependency has another name, or which
    /// use it through a module that re-exports it; see [`Options::runtime_path`]. The default is the option
    /// `generate.runtimePath` in `fleet.yaml`, or `::capgen`. A path that is not absolute, or not a path of Rust, is an
    /// error when the build script runs.
    ///
    /// ```
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").runtime_path("::my_capgen");
    /// let build = capgen_codegen::Build::new().peer("pr-reviewer").runtime_path("crate::contracts::capgen");
    /// ```
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.runtime_path = Some(path.into());
        self
    }

    /// The options of generated code: those of the fleet, unless a method sets them.
    pub(super) fn options(&self, fleet: Options) -> Result<Options, Vec<Diagnostic>> {
        let path = self.runtime_path.as_deref().map(RuntimePath::new).transpose().map_err(|error| {
            let message =
                format!("`runtime_path` of the build script is not an absolute path of Rust: {}", error.reason());
            vec![Diagnostic::new(capgen_manifest::codes::RUNTIME_PATH, message).help(error.help())]
        })?;
        Ok(Options {
            merge_nullable: self.merge_nullable.unwrap_or(fleet.merge_nullable),
            plain_arrays: self.plain_arrays.unwrap_or(fleet.plain_arrays),
            calls: self.calls.unwrap_or(fleet.calls),
            standard_schema: self.standard_schema.unwrap_or(fleet.standard_schema),
            single_file: self.single_file.unwrap_or(fleet.single_file),
            import_extension: self.import_extension.unwrap_or(fleet.import_extension),
            runtime_path: path.unwrap_or(fleet.runtime_path),
        })
    }
}
