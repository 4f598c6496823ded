//! The cost of a derive: 100 structs with serde's derives, then also with schemars' derive, then also with capgen's.
//!
//! `cargo run --release -p compile --bin derive` prints the number of instructions that rustc executes for `cargo
//! check`. They are counted by valgrind, which must be installed. The run takes some minutes.

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};

const STRUCTS: usize = 100;

/// The environment variable with the path of the file for the count.
const COUNT: &str = "CAPGEN_BENCH_COUNT";

/// The packages, with their derives and the attributes after them.
const PACKAGES: [(&str, &str, &str); 3] = [
    ("with_serde", "serde::Serialize, serde::Deserialize", ""),
    ("with_schemars", "serde::Serialize, serde::Deserialize, schemars::JsonSchema", ""),
    (
        "with_capgen",
        "serde::Serialize, serde::Deserialize, schemars::JsonSchema, capgen::Capability",
        "#[capability(response = Vec<String>, timeout_ms = 60_000, idempotent, since = \"1.1.0\")]\n",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Cargo runs this program instead of rustc, which it then runs.
    let result = match arguments.split_first() {
        Some((rustc, arguments)) => compile(rustc, arguments),
        None => measure(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> io::Result<()> {
    let folder = std::env::temp_dir().join("capgen-bench-derive");
    for (name, derives, attribute) in PACKAGES {
        package(&folder, name, &(0..STRUCTS).map(|i| structure(i, derives, attribute)).collect::<String>())?;
    }
    let members = PACKAGES.map(|(name, ..)| name);
    std::fs::write(folder.join("Cargo.toml"), format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n"))?;
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut counts = Vec::new();
    for (name, ..) in PACKAGES {
        let count = count(&folder, name)?;
        println!("{name}: {count} instructions");
        counts.push(count as f64);
    }
    if let [serde, schemars, capgen] = counts[..] {
        println!("capgen's derive / schemars' derive: {:.2}", (capgen - schemars) / (schemars - serde));
    }
    Ok(())
}

/// Checks a package after touching its sources, so that cargo does not skip it.
fn count(folder: &Path, name: &str) -> io::Result<u64> {
    let source = folder.join(name).join("src/lib.rs");
    std::fs::File::options().append(true).open(source)?.set_modified(std::time::SystemTime::now())?;
    let out = folder.join(format!("{name}.count"));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(folder).args(["check", "-q", "-p", name]).env("CARGO_INCREMENTAL", "0").env(COUNT, &out);
    cargo.env("RUSTC_WRAPPER", std::env::current_exe()?).env("CARGO_TARGET_DIR", folder.join("target"));
    if !cargo.status()?.success() {
        return Err(io::Error::other(format!("cargo check -p {name} failed")));
    }
    let text = std::fs::read_to_string(out)?;
    let count = text.lines().find_map(|line| line.split("refs:").nth(1)).map(|count| count.trim().replace(',', ""));
    count
        .and_then(|count| count.parse().ok())
        .ok_or_else(|| io::Error::other(format!("valgrind counted nothing: {text}")))
}

/// Runs rustc: under valgrind if it compiles one of the packages, otherwise directly.
fn compile(rustc: &str, arguments: &[String]) -> io::Result<()> {
    let is_counted = PACKAGES.iter().any(|(name, ..)| arguments.windows(2).any(|pair| pair == ["--crate-name", *name]));
    let mut command = match std::env::var_os(COUNT).filter(|_| is_counted) {
        Some(out) => {
            let printed = Command::new(rustc).args(["--print", "sysroot"]).output()?;
            let sysroot = String::from_utf8_lossy(&printed.stdout).trim().to_owned();
            let mut log = std::ffi::OsString::from("--log-file=");
            log.push(out);
            let mut command = Command::new("valgrind");
            command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).arg(log);
            // The compiler itself, not rustup's proxy, whose instructions would count too.
            command.arg(format!("{sysroot}/bin/rustc"));
            command
        }
        None => Command::new(rustc),
    };
    if command.args(arguments).status()?.success() { Ok(()) } else { Err(io::Error::other("rustc failed")) }
}

fn package(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let folder = folder.join(name);
    std::fs::create_dir_all(folder.join("src"))?;
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../runtime/capgen");
    let mut manifest =
        format!("[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n");
    let _ = write!(manifest, "capgen = {{ path = {runtime:?}, features = [\"derive\"] }}\nschemars = \"1\"\n");
    manifest.push_str("serde = { version = \"1\", features = [\"derive\"] }\n");
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::write(folder.join("src/lib.rs"), text)
}

/// A struct with eight fields, like a typical request.
fn structure(i: usize, derives: &str, attribute: &str) -> String {
    format!(
        r#"/// Payload {i} of the fleet.
#[derive(Debug, Clone, PartialEq, {derives})]
{attribute}pub struct Capability{i} {{
    /// The caller.
    pub id: String,
    pub subject: String,
    pub severity: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count{i}: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    pub owner: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}}

"#
    )
}
