//! The extension with which generated TypeScript imports a file of its folder.

capgen_descriptor::class! {
    /// The extension in the imports of generated TypeScript. JavaScript always has the extension of its own files.
    ///
    /// ```
    /// use capgen_manifest::ImportExtension;
    /// assert_eq!(ImportExtension::from_name("ts"), Some(ImportExtension::Ts));
    /// assert_eq!(ImportExtension::default().name(), "js");
    /// assert_eq!(ImportExtension::None.suffix(), "");
    /// ```
    #[derive(Default)]
    ImportExtension, 3 {
        /// `./_capgen.js`: the name after compilation. The compiler resolves it without an option, and bundlers do so
        /// too.
        #[default]
        Js = "js",
        /// `./_capgen.ts`: the name before compilation. Node and Deno, which run TypeScript as it is, need it, and the
        /// compiler needs the option `allowImportingTsExtensions` or `rewriteRelativeImportExtensions`.
        Ts = "ts",
        /// `./_capgen`: for bundlers that look for the file by its name alone.
        None = "none",
    }
}

impl ImportExtension {
    /// The end of the name of an imported file: the extension with its dot, or nothing.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Js => ".js",
            Self::Ts => ".ts",
            Self::None => "",
        }
    }
}
