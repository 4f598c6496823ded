//! The packages for npm: `@capgen/cli` with the launcher and the Node API, a package for each platform with its
//! program, and `@capgen/unplugin`, `@capgen/nats` and `@capgen/otel`, which are the same for all.

use std::path::{Path, PathBuf};

/// A platform with a package.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Platform {
    /// The target of the Rust compiler.
    pub(crate) target: &'static str,
    /// `process.platform` of Node.
    os: &'static str,
    /// `process.arch` of Node.
    cpu: &'static str,
    /// The C library, on Linux.
    libc: Option<&'static str>,
}

const fn platform(target: &'static str, os: &'static str, cpu: &'static str, libc: Option<&'static str>) -> Platform {
    Platform { target, os, cpu, libc }
}

/// Every platform with a package, sorted by the name of the package.
pub(crate) const PLATFORMS: [Platform; 8] = [
    platform("aarch64-apple-darwin", "darwin", "arm64", None),
    platform("x86_64-apple-darwin", "darwin", "x64", None),
    platform("aarch64-unknown-linux-gnu", "linux", "arm64", Some("glibc")),
    platform("aarch64-unknown-linux-musl", "linux", "arm64", Some("musl")),
    platform("x86_64-unknown-linux-gnu", "linux", "x64", Some("glibc")),
    platform("x86_64-unknown-linux-musl", "linux", "x64", Some("musl")),
    platform("aarch64-pc-windows-msvc", "win32", "arm64", None),
    platform("x86_64-pc-windows-msvc", "win32", "x64", None),
];

/// The texts of the licences, in the root of the repository.
pub(crate) const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

impl Platform {
    /// The platform of a target.
    pub(crate) fn of(target: &str) -> Result<Platform, String> {
        let found = PLATFORMS.into_iter().find(|platform| platform.target == target);
        found.ok_or_else(|| {
            let known = PLATFORMS.map(|platform| platform.target).join(", ");
            format!("no package for the target {target}; there is one for {known}")
        })
    }

    /// The name in the names of packages, such as `linux-x64-musl`.
    pub(crate) fn name(&self) -> String {
        let suffix = if self.libc == Some("musl") { "-musl" } else { "" };
        format!("{}-{}{suffix}", self.os, self.cpu)
    }

    /// The name of the program in its package.
    fn program(&self) -> &'static str {
        if self.os == "win32" { "capgen.exe" } else { "capgen" }
    }

    /// A text of the template with the values of this platform.
    fn fill(&self, template: &str) -> String {
        let template = match self.libc {
            Some(libc) => template.replace("{libc}", libc),
            None => template.replace("  \"libc\": [\"{libc}\"],\n", ""),
        };
        template.replace("{platform}", &self.name()).replace("{os}", self.os).replace("{cpu}", self.cpu)
    }
}

/// Writes the folder of the package `@capgen/cli` and that of a platform into the folder `out`, and returns them. The
/// folders of `@capgen/unplugin`, `@capgen/nats` and `@capgen/otel` are beside them. Existing ones are replaced. `root`
/// is the repository, `program` the program capgen of this platform.
pub(crate) fn assemble(root: &Path, out: &Path, platform: &Platform, program: &Path) -> Result<[PathBuf; 2], String> {
    let templates = root.join("cli/npm");
    let (cli, unplugin) = (out.join("cli"), out.join("unplugin"));
    for (package, name, folders) in [(&cli, "cli", &["bin", "lib"][..]), (&unplugin, "unplugin", &["lib"])] {
        let template = templates.join(name);
        empty(package)?;
        for name in ["package.json", "README.md"] {
            write(&package.join(name), &read(&template.join(name))?)?;
        }
        for folder in folders {
            copy_files(&template.join(folder), &package.join(folder))?;
        }
    }
    let package = out.join(format!("cli-{}", platform.name()));
    empty(&package)?;
    for name in ["package.json", "README.md"] {
        write(&package.join(name), &platform.fill(&read(&templates.join("platform").join(name))?))?;
    }
    // A copy has the permissions of the file, so the program remains executable.
    copy(program, &package.join("bin").join(platform.program()))?;
    let libraries = [("nats", "runtime/nats/npm"), ("otel", "runtime/call/npm")];
    for (folder, sources) in libraries {
        empty(&out.join(folder))?;
        for name in ["package.json", "README.md", "index.js", "index.d.ts"] {
            copy(&root.join(sources).join(name), &out.join(folder).join(name))?;
        }
    }
    for licence in LICENCES {
        for folder in [&cli, &package, &unplugin, &out.join("nats"), &out.join("otel")] {
            copy(&root.join(licence), &folder.join(licence))?;
        }
    }
    Ok([cli, package])
}

/// The text of a file of the templates, with the version of the workspace.
fn read(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| problem(path, &error))?;
    Ok(text.replace("{version}", env!("CARGO_PKG_VERSION")))
}

/// Copies every file of a folder into another folder.
pub(crate) fn copy_files(from: &Path, to: &Path) -> Result<(), String> {
    let entries = std::fs::read_dir(from).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
    for entry in entries.map_err(|error| problem(from, &error))? {
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}

fn empty(folder: &Path) -> Result<(), String> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(problem(folder, &error)),
        _ => Ok(()),
    }
}

fn create_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(parent).map_err(|error| problem(parent, &error))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    create_parent(path)?;
    std::fs::write(path, text).map_err(|error| problem(path, &error))
}

/// Copies a file, with its permissions, and creates the folder that it is copied into.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    create_parent(to)?;
    std::fs::copy(from, to).map(drop).map_err(|error| problem(from, &error))
}

fn problem(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
