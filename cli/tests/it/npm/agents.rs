//! Agents that a program declares, with the schemas of libraries.

use std::fs;
use std::os::unix::fs::symlink;

use super::installed::compiles;
use super::project::Project;
use super::root;
use capgen_testkit::npm;

/// The libraries of `tests/node`.
const LIBRARIES: [&str; 6] = ["@sinclair/typebox", "@valibot/to-json-schema", "arktype", "typebox", "valibot", "zod"];

/// A project with the package and the libraries. `None` without npm.
fn project() -> Option<Project> {
    let project = Project::assembled()?;
    let packages = root().join("tests/node");
    npm::install(&packages).unwrap();
    for library in LIBRARIES {
        let path = project.fleet.path("node_modules").join(library);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(packages.join("node_modules").join(library), path).unwrap();
    }
    // The program declares an agent with this name.
    fs::remove_dir_all(project.fleet.path("agents/pr-reviewer")).unwrap();
    Some(project)
}

#[test]
fn every_library_gives_the_same_manifest_and_a_change_of_a_schema_fails_the_check() {
    let Some(project) = project() else { return };
    let expected = fs::read_to_string(root().join("cli/tests/it/npm/agents.yaml")).unwrap();
    project.fleet.write("expected.yaml", &expected);
    project.passes("agents.mjs");
    let program = fs::read_to_string(root().join("cli/tests/it/npm/agents.mts")).unwrap();
    project.fleet.write("agents.mts", &program);
    // The declarations of the libraries are not written for these options.
    compiles(&project, r#""lib": ["ES2022", "DOM"], "skipLibCheck": true"#, &["agents.mts"]);
}
