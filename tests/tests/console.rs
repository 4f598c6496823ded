//! The program in `examples/console` compiles and runs.

use std::path::Path;
use std::process::{Command, Output};

use capgen_tests::{Failure, folder, node};

fn run(script: &Path, arguments: &[&Path]) -> Result<Output, Failure> {
    Ok(Command::new("node").arg(script).args(arguments).output()?)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

#[test]
fn the_node_program_type_checks_and_runs_on_generated_types() -> Result<(), Failure> {
    let Some(_) = node::require_or_skip()? else { return Ok(()) };
    let out = tempfile::tempdir()?;
    let compiler = folder().join("node/node_modules/typescript/bin/tsc");
    let project = folder().join("../examples/console");
    let compiled = run(&compiler, &["-p".as_ref(), &project, "--outDir".as_ref(), out.path()])?;
    assert!(compiled.status.success(), "{}", text(&compiled.stdout));

    std::fs::copy(project.join("package.json"), out.path().join("package.json"))?;
    let ran = run(&out.path().join("examples/console/src/main.js"), &[])?;
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let printed = text(&ran.stdout);
    for line in [
        r#"where (price < 20 and not stock.warehouse in ["closed",null])"#,
        "=> p-17 (products), without a picture",
        "=> 1 of 1 are blue",
        "=> ada@example.com: queued",
        "=> +4915112345678: queued",
        "=> approve, 0 findings",
        r#"rejected: /findings: missing required property "findings""#,
    ] {
        assert!(printed.lines().any(|printed| printed == line), "no line `{line}` in\n{printed}");
    }
    Ok(())
}
