//! The packages in an empty project: installed from their archives, without a network and without Rust.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{assemble, platform, root};
use crate::common::Fleet;
use crate::common::npm;

/// Commands in a project. Their `PATH` has Node, npm and a shell, and nothing else.
struct Project {
    fleet: Fleet,
}

impl Project {
    fn new() -> Self {
        let fleet = Fleet::new(&["pr-reviewer"]);
        fs::create_dir(fleet.path("path")).unwrap();
        for program in ["node", "npm", "npx", "sh"] {
            symlink(found(program), fleet.path(&format!("path/{program}"))).unwrap();
        }
        fleet.write("package.json", r#"{ "name": "project", "private": true }"#);
        fleet.write("npmrc", "");
        Self { fleet }
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.fleet.path("path").join(program));
        command.args(arguments).current_dir(self.fleet.path("")).env("PATH", self.fleet.path("path"));
        // An empty cache, without packages of earlier downloads.
        command
            .env("npm_config_cache", self.fleet.path("cache"))
            .env("npm_config_userconfig", self.fleet.path("npmrc"));
        command
            .env("npm_config_offline", "true")
            .env("npm_config_update_notifier", "false")
            .env_remove("CAPGEN_BINARY");
        command.output().unwrap()
    }

    /// The standard output of a command that succeeds.
    #[track_caller]
    fn output(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.run(program, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Packs a package; the result is the name of the archive.
    fn pack(&self, folder: &Path) -> String {
        self.output("npm", &["pack", "--silent", folder.to_str().unwrap()]).trim().to_owned()
    }
}

/// The path of a program in the `PATH` of the test.
fn found(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let mut folders = std::env::split_paths(&path).map(|folder| folder.join(program));
    folders.find(|path| path.exists()).unwrap_or_else(|| panic!("no {program}"))
}

/// The names of the files in an archive, sorted.
fn archived(project: &Project, archive: &str) -> Vec<String> {
    let output = Command::new("tar").arg("-tzf").arg(project.fleet.path(archive)).output().unwrap();
    let mut names: Vec<_> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn the_packages_work_offline_and_without_rust() {
    if !npm::is_available() {
        return;
    }
    let project = Project::new();
    let [cli, program] = assemble(&project.fleet.path("dist"), Path::new(env!("CARGO_BIN_EXE_capgen")));
    let archives = [project.pack(&cli), project.pack(&program)];
    the_archives_contain_nothing_else(&project, &archives);

    let [cli, program] = archives.map(|archive| format!("./{archive}"));
    project.output("npm", &["install", "--no-audit", "--no-fund", "--silent", &cli, &program]);
    let mut installed = project.fleet.names("node_modules/@capgen");
    installed.sort();
    assert_eq!(installed, ["cli".to_owned(), format!("cli-{}", platform().name())]);
    assert_eq!(project.run("sh", &["-c", "cargo --version || rustc --version"]).status.code(), Some(127));

    let version = project.output("npx", &["capgen", "--version"]);
    assert_eq!(version.trim(), concat!("capgen ", env!("CARGO_PKG_VERSION")));
    project.output("npx", &["capgen", "--peer", "pr-reviewer"]);
    assert_eq!(project.fleet.names("generated"), ["pr-reviewer.rs", "pr-reviewer.ts"]);

    for script in ["api.mjs", "api.cjs"] {
        let text = fs::read_to_string(root().join("cli/tests/it/npm").join(script)).unwrap();
        project.fleet.write(script, &text);
        assert_eq!(project.output("node", &[script]), "passed\n");
    }
    the_types_fit(&project);
}

fn the_archives_contain_nothing_else(project: &Project, [cli, program]: &[String; 2]) {
    let common = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"];
    let files = |others: &[&str]| {
        let mut names: Vec<_> = common.iter().chain(others).map(|name| format!("package/{name}")).collect();
        names.sort();
        names
    };
    let modules =
        ["bin/capgen.js", "lib/binary.js", "lib/index.d.mts", "lib/index.d.ts", "lib/index.js", "lib/index.mjs"];
    assert_eq!(archived(project, cli), files(&modules));
    assert_eq!(archived(project, program), files(&["bin/capgen"]));
}

/// Compiles programs that import the package, with no types of Node and of browsers.
fn the_types_fit(project: &Project) {
    npm::install(&root().join("tests/node")).unwrap();
    let options = r#"{ "compilerOptions": { "strict": true, "exactOptionalPropertyTypes": true, "module": "NodeNext", "target": "ES2022",
        "lib": ["ES2022"], "types": [], "noEmit": true }, "include": ["types.mts", "types.cts"] }"#;
    project.fleet.write("tsconfig.json", options);
    let program = r#"import { CapgenError, check, generate, type Diagnostic, type GenerateResult } from "@capgen/cli";
        export async function run(peer: string | undefined): Promise<string[]> {
            const { ok, diagnostics } = await check({ peer, strict: true });
            const generated: GenerateResult = await generate({ all: true, lang: ["typescript", "mjs"], calls: !ok });
            const place = ({ code, path, line, pointer }: Diagnostic): string => `${code} ${path} ${line ?? 1 + 1} ${pointer}`;
            return [...diagnostics.map(place), ...generated.peers.flatMap((peer) => peer.files.map((file) => file.status))];
        }
        export const code = (error: CapgenError): "CAPGEN_USAGE" | undefined => error.code === "CAPGEN_USAGE" ? error.code : undefined;
        // @ts-expect-error: not a language
        void generate({ lang: "python" });
        // @ts-expect-error: the option of the other function
        void check({ out: "generated" });
    "#;
    project.fleet.write("types.mts", program);
    project.fleet.write("types.cts", program);
    let compiler = root().join("tests/node/node_modules/typescript/bin/tsc");
    let output = project.run("node", &[compiler.to_str().unwrap(), "-p", "."]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
