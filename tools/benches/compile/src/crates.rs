//! A workspace with one package for each contender and number of capabilities, in a folder outside the checkout.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::contender::Contender;

pub(crate) struct Crates {
    folder: PathBuf,
}

impl Crates {
    /// Writes the packages. The folder is the same in every run, so that dependencies are built only once.
    pub(crate) fn write(sizes: &[usize]) -> io::Result<Self> {
        let folder = std::env::temp_dir().join("capgen-bench-compile");
        std::fs::create_dir_all(&folder)?;
        let mut members = Vec::new();
        for contender in Contender::ALL {
            for &n in sizes {
                package(&folder, contender, n)?;
                members.push(contender.package(n));
            }
        }
        let workspace = format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n");
        std::fs::write(folder.join("Cargo.toml"), workspace)?;
        // The same versions as in this workspace.
        std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"), folder.join("Cargo.lock"))?;
        Ok(Self { folder })
    }

    /// CPU time, user and system, of `cargo <arguments>` for one package whose sources have just changed.
    pub(crate) fn cargo(&self, arguments: &[&str], package: &str) -> io::Result<Duration> {
        for file in ["lib.rs", "main.rs"] {
            let file = std::fs::File::options().append(true).open(self.folder.join(package).join("src").join(file))?;
            file.set_modified(std::time::SystemTime::now())?;
        }
        let before = children()?;
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.folder).args(arguments).args(["-q", "-p", package]);
        // Unchanged sources would be found in the incremental cache.
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", self.folder.join("target"));
        let status = cargo.stdout(Stdio::null()).status()?;
        if !status.success() {
            return Err(io::Error::other(format!("cargo {} -p {package}: {status}", arguments.join(" "))));
        }
        Ok(children()? - before)
    }

    /// Bytes of machine code in the program of a package, as `size` reports them.
    pub(crate) fn text_size(&self, package: &str) -> io::Result<u64> {
        let program = self.folder.join("target/release").join(package);
        let output = Command::new("size").arg("-A").arg(&program).output()?;
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = table.lines().find_map(|line| line.strip_prefix(".text")?.split_whitespace().next()?.parse().ok());
        text.ok_or_else(|| io::Error::other(format!("`size` does not report {}", program.display())))
    }
}

fn package(folder: &Path, contender: Contender, n: usize) -> io::Result<()> {
    let name = contender.package(n);
    let folder = folder.join(&name);
    std::fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}",
        contender.dependencies()
    );
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/lib.rs"), contender.types(n))?;
    std::fs::write(folder.join("src/main.rs"), contender.program(n))
}

/// CPU time of all child processes that have ended: `cutime` and `cstime` of proc(5), in ticks of 10 ms.
fn children() -> io::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, can contain spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = fields.split_whitespace().skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Ok(Duration::from_millis(10 * ticks))
}
