//! The TypeScript compiler and other programs from npm, run by Node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use capgen_testkit::npm;

use crate::Failure;
use crate::contract::shared;

/// Node with the packages of `tests/node/package-lock.json` installed.
#[derive(Debug)]
pub struct Node {
    folder: PathBuf,
}

/// Files that are compiled together. Each of them must be a module.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Names, such as `a.ts`, and contents.
    pub files: Vec<(String, String)>,
    /// Compiler options, with the names of `tsconfig.json`.
    pub options: Value,
}

/// An error of the TypeScript compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TscError {
    /// The name of the file.
    pub file: String,
    /// The line, starting at 1.
    pub line: u64,
    /// The code of the error, such as 2322.
    pub code: u64,
    /// The message, which may have several lines.
    pub message: String,
}

/// A generated file, and JSON texts for each of its types.
#[derive(Clone, Debug, Default)]
pub struct GeneratedFile {
    /// The text of the file.
    pub file: String,
    /// Names of types and payloads.
    pub checks: Vec<(String, Vec<String>)>,
}

/// The answers of the functions for one type to one payload.
#[derive(Clone, Debug, Deserialize)]
pub struct Verdict {
    /// The result of `is`.
    #[serde(rename = "isValid")]
    pub is_valid: bool,
    /// Whether `parse` and `assert` agree with it, with and without redaction.
    pub agrees: bool,
    /// The path, keyword and message of each violation.
    pub violations: Vec<(String, String, String)>,
    /// Whether there are more violations.
    pub truncated: bool,
    /// The messages under `redact`.
    pub redacted: Vec<String>,
}

/// The top-level statements of a file: `type A`, `interface B`, `function c`, or another kind of statement.
pub type Outline = Vec<String>;

/// The options under which generated code must compile without errors.
pub fn strictest() -> Value {
    json!({
        "strict": true,
        "exactOptionalPropertyTypes": true,
        "noUncheckedIndexedAccess": true,
        "verbatimModuleSyntax": true,
        "isolatedModules": true,
        "erasableSyntaxOnly": true,
        "noPropertyAccessFromIndexSignature": true,
        "noUnusedLocals": true,
    })
}

/// `strict` and nothing else.
pub fn strict() -> Value {
    json!({ "strict": true })
}

/// Node, ready to compile. On the first use this installs the packages, one process at a time.
///
/// If Node or npm is missing, prints that the test is skipped and returns `None`.
///
/// # Errors
///
/// If the packages cannot be installed.
pub fn require_or_skip() -> Result<Option<Node>, Failure> {
    if !npm::is_installed() {
        return Ok(None);
    }
    let node = Node { folder: crate::folder().join("node") };
    npm::install(&node.folder)?;
    Ok(Some(node))
}

impl Node {
    /// Compiles one program under `options`; the list is empty if there are no errors.
    ///
    /// # Errors
    ///
    /// If the compiler cannot be run.
    pub fn tsc_check(&self, files: &[(&str, String)], options: Value) -> Result<Vec<TscError>, Failure> {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.clone())).collect();
        let programs = self.tsc_check_all(&[Program { files, options }])?;
        Ok(programs.into_iter().flatten().collect())
    }

    /// Compiles programs in one process, each with the files that its generated files import. The first takes about a
    /// second, each other one a tenth of that.
    ///
    /// # Errors
    ///
    /// If the compiler cannot be run.
    pub fn tsc_check_all(&self, programs: &[Program]) -> Result<Vec<Vec<TscError>>, Failure> {
        let job = |program: &Program| json!({ "files": with_shared(&program.files), "options": program.options });
        let results = self.run(&json!({ "check": programs.iter().map(job).collect::<Vec<_>>() }))?;
        let error = |value: &Value| TscError {
            file: value["file"].as_str().unwrap_or_default().to_owned(),
            line: value["line"].as_u64().unwrap_or_default(),
            code: value["code"].as_u64().unwrap_or_default(),
            message: value["message"].as_str().unwrap_or_default().to_owned(),
        };
        let results = results.as_array().ok_or("no list of programs")?;
        Ok(results.iter().map(|program| program.as_array().into_iter().flatten().map(error).collect()).collect())
    }

    /// The top-level statements of files, as the compiler parses them.
    ///
    /// # Errors
    ///
    /// If the compiler cannot be run.
    pub fn outlines(&self, texts: &[&str]) -> Result<Vec<Outline>, Failure> {
        Ok(serde_json::from_value(self.run(&json!({ "outlines": texts }))?)?)
    }

    /// Runs the validators of generated files.
    ///
    /// # Errors
    ///
    /// If a file cannot be loaded, or throws an error.
    pub fn validate(&self, files: &[GeneratedFile]) -> Result<Vec<Vec<Vec<Verdict>>>, Failure> {
        let check = |(ty, payloads): &(String, Vec<String>)| json!({ "type": ty, "payloads": payloads });
        let job = |generated: &GeneratedFile| json!({ "file": generated.file, "checks": generated.checks.iter().map(check).collect::<Vec<_>>() });
        let job = files.iter().map(job).collect();
        Ok(serde_json::from_value(self.run_generated("validate.mjs", &Value::Array(job))?)?)
    }

    /// The findings of each linter and formatter about files.
    ///
    /// # Errors
    ///
    /// If a tool cannot be run.
    pub fn lint(&self, files: &[(String, String)]) -> Result<BTreeMap<String, Vec<String>>, Failure> {
        Ok(serde_json::from_value(self.run_script("lint.mjs", &json!(with_shared(files)))?)?)
    }

    /// The bundle of a program that imports some files, without the code that it does not use.
    ///
    /// # Errors
    ///
    /// If it cannot be bundled.
    pub fn bundle(&self, files: &[(String, String)], entry: &str) -> Result<String, Failure> {
        self.bundle_with(files, entry, false)
    }

    /// The same bundle, minified.
    ///
    /// # Errors
    ///
    /// If it cannot be bundled.
    pub fn minified(&self, files: &[(String, String)], entry: &str) -> Result<String, Failure> {
        self.bundle_with(files, entry, true)
    }

    fn bundle_with(&self, files: &[(String, String)], entry: &str, minify: bool) -> Result<String, Failure> {
        let job = json!([{ "files": with_shared(files), "entry": entry, "minify": minify }]);
        let bundles = self.run_script("bundle.mjs", &job)?;
        Ok(bundles[0].as_str().ok_or("no bundle")?.to_owned())
    }

    /// The folder with the installed packages.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The answers of libraries that use a side of a capability as a Standard Schema; see `standard.mjs`.
    ///
    /// # Errors
    ///
    /// If a file cannot be loaded, or a library does something else than to accept or reject the value.
    pub fn standard(&self, job: &Value) -> Result<Value, Failure> {
        self.run_generated("standard.mjs", job)
    }

    /// The verdicts of Ajv by the JSON Schemas of generated objects; see `json_schema.mjs`.
    ///
    /// # Errors
    ///
    /// If a file cannot be loaded, or Ajv rejects a schema.
    pub fn json_schema(&self, jobs: &Value) -> Result<Value, Failure> {
        self.run_generated("json_schema.mjs", jobs)
    }

    /// The verdicts of Ajv about files by schemas for editors: `true`, or the error; see `editor_schemas.mjs`.
    ///
    /// # Errors
    ///
    /// If a file cannot be read, or Ajv rejects a schema in its strict mode.
    pub fn editor_schemas(&self, job: &Value) -> Result<Vec<Value>, Failure> {
        Ok(serde_json::from_value(self.run_script("editor_schemas.mjs", job)?)?)
    }

    /// The errors of independent validators about exported documents; see `exports.mjs`.
    ///
    /// # Errors
    ///
    /// If a validator cannot be run.
    pub fn exports(&self, job: &Value) -> Result<Value, Failure> {
        self.run_script("exports.mjs", job)
    }

    /// The tokens of texts in TypeScript or JavaScript, without types.
    pub fn erase(&self, texts: &[String]) -> Result<Vec<Vec<String>>, Failure> {
        Ok(serde_json::from_value(self.run_script("erase.mjs", &json!(texts))?)?)
    }

    /// The values that npm's `yaml` reads, first as YAML 1.2 with its core schema, then as YAML 1.1.
    ///
    /// # Errors
    ///
    /// If one cannot be read without a warning.
    pub fn yaml(&self, texts: &[String]) -> Result<Vec<[Value; 2]>, Failure> {
        Ok(serde_json::from_value(self.run_script("yaml.mjs", &json!(texts))?)?)
    }

    fn run(&self, job: &Value) -> Result<Value, Failure> {
        self.run_script("check.mjs", job)
    }

    /// Runs a script that loads generated TypeScript; see `generated.mjs`.
    fn run_generated(&self, script: &str, job: &Value) -> Result<Value, Failure> {
        self.run_script(script, &json!({ "shared": shared("ts"), "job": job }))
    }

    fn run_script(&self, script: &str, job: &Value) -> Result<Value, Failure> {
        capgen_testkit::node::run_script(&self.folder, script, job)
    }
}

/// Files, with those that generated ones among them import, unless they are there.
fn with_shared(files: &[(String, String)]) -> Vec<(String, String)> {
    let mut all = files.to_vec();
    for (name, _) in files.iter().filter(|(_, text)| text.contains("\"./_capgen")) {
        let (folder, file) = name.rsplit_once('/').map_or(("", name.as_str()), |(folder, file)| (folder, file));
        // An id may contain points, and the declarations of a module have two extensions.
        let extensions = ["d.ts", "d.mts", "d.cts", "ts"];
        let Some(extension) = extensions.into_iter().find(|extension| file.ends_with(&format!(".{extension}"))) else {
            continue;
        };
        let separator = if folder.is_empty() { "" } else { "/" };
        let imported = format!("{folder}{separator}_capgen.{extension}");
        if all.iter().all(|(name, _)| *name != imported) {
            all.push((imported, shared(extension)));
        }
    }
    all
}
