//! The commands and programs of the documentation run as written and print the output that the pages show.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use capgen_testkit::{node, npm};

use crate::common::Fleet;

/// A page of the documentation.
fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

/// The code blocks of a page with this language; an empty language selects blocks without one.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let blocks = page.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.filter(|(found, _)| *found == language).map(|(_, text)| text).collect()
}

/// The command lines `capgen ...` of a page, without redirections and the explanations beside them.
fn commands(page: &str) -> Vec<String> {
    let lines = blocks(page, "").into_iter().flat_map(str::lines);
    let commands = lines.filter_map(|line| line.strip_prefix("capgen "));
    commands.map(|line| line.split("  ").next().unwrap().split(" > ").next().unwrap().to_owned()).collect()
}

/// The words of a command line, as a POSIX shell splits them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match c {
            '\'' | '"' if quote.is_none_or(|open| open == c) => {
                quote = if quote.is_some() { None } else { Some(c) };
                word.get_or_insert_default();
            }
            ' ' if quote.is_none() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The command lines in the blocks of the pages, with the page. Those with placeholders are left out.
fn command_lines() -> Vec<(String, String)> {
    let names = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")).unwrap();
    let names = names.map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
    let mut lines = Vec::new();
    for name in names.chain(["README.md".to_owned()]).filter(|name| name != "docs/codes.md") {
        let text = page(&name);
        for block in ["", "sh", "text", "console"].iter().flat_map(|language| blocks(&text, language)) {
            for line in block.replace("\\\n", " ").lines() {
                let line = line.trim_start().trim_start_matches("$ ");
                let start = "cargo run -q -p capgen-cli --bin capgen -- ";
                let Some(command) = line.strip_prefix("capgen ").or_else(|| line.strip_prefix(start)) else { continue };
                let command = command
                    .split([';', '&', '#'])
                    .next()
                    .unwrap()
                    .split(" > ")
                    .next()
                    .unwrap()
                    .split(" | ")
                    .next()
                    .unwrap();
                // The explanation beside a command is separated by two spaces.
                let is_explained = command.split("  ").nth(1).is_some_and(|rest| !rest.trim_start().starts_with('-'));
                let command = if is_explained { command.split("  ").next().unwrap() } else { command };
                let has_placeholder = command.contains(['<', '[', '|', '(', '$']) || command.contains("...");
                if !has_placeholder {
                    lines.push((name.clone(), command.to_owned()));
                }
            }
        }
    }
    lines
}

/// With `--help` at the end, a command does nothing, but its arguments are parsed.
#[test]
fn every_command_on_the_pages_has_valid_arguments() {
    let mut count = 0;
    for (page, command) in command_lines() {
        // The rest is the command of a server.
        let command = command.split(" --stdio ").next().unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_capgen"));
        let output = program.args(words(command)).arg("--help").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{page}: capgen {command}: {stderr}");
        count += 1;
    }
    assert!(count >= 60, "{count} commands");
}

fn contract(agent: &str) -> String {
    page(&format!("examples/fleet/agents/{agent}/capabilities.yaml"))
}

#[test]
fn the_commands_of_the_ci_page_pass_on_a_clean_fleet() {
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.run("gen --all").ended(0);
    fleet.run("gen --all --lang typescript --out web/src/contracts").ended(0);
    fleet.init();
    let commands = commands(&page("docs/ci.md"));
    assert!(commands.len() >= 6, "{commands:?}");
    for command in commands {
        fleet.run(&command).ended(0);
    }
}

/// A document for the import in README.md.
const OPENAPI: &str = r#"openapi: 3.1.0
info: { title: Shop, version: 1.0.0 }
paths:
  /orders:
    post:
      operationId: createOrder
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { sku: { type: string } } } } }
      responses: { "204": { description: done } }
"#;

#[test]
fn the_commands_of_the_readme_run() {
    let fleet = Fleet::new(&[]);
    fleet.write("agents/payments/capabilities.yaml", &contract("payments"));
    fleet.write("payload.json", "{}");
    fleet.write("openapi.yaml", OPENAPI);
    fleet.init();
    let commands = commands(&page("README.md"));
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        // An empty payload lacks required properties, so `validate` reports violations.
        fleet.run(&command).ended(i32::from(command.starts_with("validate")));
    }
}

/// `npx` would fetch the server, so the package that the tests install replaces it.
#[test]
fn the_commands_of_the_page_about_mcp_import_a_server() {
    if !npm::is_installed() {
        return;
    }
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mcp/node");
    npm::install(&packages).unwrap();
    let server = packages.join("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    let fleet = Fleet::new(&[]);
    // The path of the package may have spaces, at which commands are split.
    let path = serde_json::Value::from(server.to_str().unwrap());
    fleet.write(
        "server.mjs",
        &format!("import {{ pathToFileURL }} from \"node:url\";\nimport(pathToFileURL({path}));\n"),
    );
    let text = page("docs/mcp.md");
    let section = text.split("\n## ").find(|section| section.starts_with("From a server on npm")).unwrap();
    let commands = commands(section);
    assert_eq!(commands.len(), 2, "{commands:?}");
    for command in commands {
        let local = command.replace("npx -y @modelcontextprotocol/server-memory", "node server.mjs");
        fleet.run(&local).ended(0);
    }
    assert_eq!(fleet.names("src"), ["_capgen.ts", "index.ts", "memory.rs", "memory.ts"]);
}

/// In a block of the language `console`, each line after `$ ` is a command, which prints the lines after it. The line
/// `...` replaces omitted lines.
#[test]
fn the_commands_of_the_page_about_evolution_print_the_output_that_it_shows() {
    let text = page("docs/evolution.md");
    let mut runs = 0;
    for (command, expected) in blocks(&text, "console")
        .iter()
        .flat_map(|block| block.split("$ capgen "))
        .filter_map(|run| run.split_once('\n'))
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_capgen"));
        program.args(command.split_whitespace()).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
        let output = program.output().unwrap();
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap().replace('\\', "/");
        let is_whole = !expected.split('\n').any(|line| line == "...");
        assert!(!is_whole || printed.trim_end() == expected.trim_end().replace('\\', "/"), "{command}: {printed}");
        for part in expected.replace('\\', "/").split("...\n").map(str::trim_end) {
            assert!(printed.contains(part.trim_end_matches("\n...")), "{command}: {part:?} is not in {printed}");
        }
        runs += 1;
    }
    assert_eq!(runs, 5);
}

/// The first program in TypeScript has no types, so it runs as JavaScript with every version of Node.
#[test]
fn the_typescript_of_the_readme_prints_the_output_that_it_shows() {
    let text = page("README.md");
    let fleet = Fleet::new(&["pr-reviewer"]);
    fleet.run("gen --peer pr-reviewer --lang mjs").ended(0);
    let program = blocks(&text, "ts").into_iter().find(|block| block.starts_with("import ")).unwrap();
    fleet.write("main.mjs", &program.replace("pr-reviewer.ts", "pr-reviewer.mjs"));
    if !node::is_installed() {
        return;
    }
    let printed = node::printed(node::command().arg("main.mjs").current_dir(fleet.path("")));
    assert!(text.contains(&format!("```\n{printed}```\n")), "README.md does not show the output:\n{printed}");
}

#[test]
fn the_node_quick_start_prints_the_output_that_it_shows() {
    let text = page("docs/node.md");
    let fleet = Fleet::new(&[]);
    fleet.write("agents/pr-reviewer/capabilities.yaml", &contract("pr-reviewer"));
    for command in commands(&text) {
        fleet.run(&command).ended(0);
    }
    // The last command is for TypeScript.
    let names = ["_capgen", "index", "pr-reviewer"];
    let files = ["d.ts", "js", "ts"].map(|extension| names.map(|name| format!("{name}.{extension}")));
    let mut files = files.concat();
    files.sort();
    assert_eq!(fleet.names("src/generated"), files);
    let program = *blocks(&text, "js").first().unwrap();
    let package = *blocks(&text, "json").first().unwrap();
    fleet.write("src/main.js", program);
    fleet.write("package.json", package);
    if !node::is_installed() {
        return;
    }
    let printed = node::printed(node::command().arg("src/main.js").current_dir(fleet.path("")));
    assert!(text.contains(&format!("```\n{printed}```\n")), "docs/node.md does not show the output:\n{printed}");
}
