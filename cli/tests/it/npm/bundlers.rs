//! The package `@capgen/unplugin` with each bundler, and with Vite's server in a browser.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::json;

use super::installed::compiles;
use super::project::Project;
use super::root;
use crate::site::chromium;
use capgen_testkit::{node, npm};

/// A project with the packages `@capgen/cli` and `@capgen/unplugin`, and the library that the latter needs. `None`
/// without npm.
fn project() -> Option<Project> {
    let project = Project::assembled()?;
    let path = |name: &str| project.fleet.path("node_modules").join(name);
    npm::install(&bundlers()).unwrap();
    for library in ["@rspack", "esbuild", "rollup", "unplugin", "vite"] {
        symlink(bundlers().join("node_modules").join(library), path(library)).unwrap();
    }
    Some(project)
}

fn bundlers() -> PathBuf {
    root().join("tests/node/bundlers")
}

/// Runs a script with the modules of the package.
#[track_caller]
fn runs(project: &Project, script: &str, chromium: Option<&str>) {
    let plugins = project.fleet.path("node_modules/@capgen/unplugin/lib");
    let job = json!({ "chromium": chromium, "folder": project.fleet.path(""), "plugins": plugins });
    let result = node::run_script(&bundlers(), script, &job).unwrap();
    assert_eq!(result, json!({ "problems": [] }));
}

#[test]
fn every_bundler_generates_before_builds_and_on_save_and_fails_because_of_errors() {
    let Some(project) = project() else { return };
    runs(&project, "build.mjs", None);
}

#[test]
fn the_server_of_vite_generates_on_save_and_shows_findings_in_the_overlay() {
    let Some(chromium) = chromium() else {
        eprintln!("skipped: Chromium is not installed");
        return;
    };
    let Some(project) = project() else { return };
    runs(&project, "vite.mjs", Some(chromium));
}

#[test]
fn the_types_of_the_plugins_fit() {
    let Some(project) = project() else { return };
    let program = r#"import capgen from "@capgen/unplugin/vite";
        import esbuild from "@capgen/unplugin/esbuild";
        import rollup from "@capgen/unplugin/rollup";
        import rspack from "@capgen/unplugin/rspack";
        import { capgen as all, type CapgenOptions } from "@capgen/unplugin";
        import type { UserConfig } from "vite";
        const options: CapgenOptions = { peer: "pr-reviewer", lang: "typescript", out: "src/generated" };
        export default { plugins: [capgen(), capgen(options), capgen({ check: true }), all.vite({ all: true })] } satisfies UserConfig;
        export const others: unknown[] = [esbuild(), rollup({ mcp: "tools.json" }), rspack({ capabilities: ["a.yaml"] }).apply, all.webpack()];
        // @ts-expect-error: outputs have their own folders
        capgen({ out: "src" });
        // @ts-expect-error: the run of a plugin is not ended
        capgen({ all: true, signal: AbortSignal.abort() });
    "#;
    project.fleet.write("vite.config.mts", program);
    // The declarations of the bundlers are not written for these options.
    compiles(&project, r#""lib": ["ES2022", "DOM"], "skipLibCheck": true"#, &["vite.config.mts"]);
}
