//! CPU time from manifest text to formatted bytes in both languages, compared with `typify` + `prettyplease` (Rust) and
//! `json-schema-to-typescript` without formatting (TypeScript), for the same schemas in the same run.
//!
//! `cargo run --release -p generation [capabilities]`; the TypeScript peer requires `npm ci` in `generation/node`
//! first.

mod fleet;

use std::time::Duration;

use capgen_codegen::{Language, generate};
use capgen_manifest::{Source, load};
use cpu_time::ProcessTime;

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let ours = (0..3).map(|_| capgen(&fleet::manifest_yaml(n))).min().unwrap_or_default();
    println!("capgen, {n} capabilities, YAML to Rust and TypeScript: {ours:.1?}");
    let typify = (0..3).map(|_| typify(n)).min().unwrap_or_default();
    println!("typify + prettyplease, Rust alone: {typify:.1?}");
    match json_schema_to_typescript(n) {
        Some(peer) => {
            println!("json-schema-to-typescript, unformatted TypeScript alone: {peer:.1?}");
            println!("capgen / sum of the two: {:.3}", ours.as_secs_f64() / (typify + peer).as_secs_f64());
        }
        None => println!("json-schema-to-typescript did not run: `npm ci` in tools/benches/generation/node"),
    }
    println!("\ncapabilities    CPU time  per capability");
    for n in [10, 100, 1000, 10_000] {
        let text = fleet::manifest_yaml(n);
        let time = (0..3).map(|_| capgen(&text)).min().unwrap_or_default();
        println!("{n:>12}  {:>10}  {:.1?}", format!("{time:.1?}"), time / u32::try_from(n).unwrap_or(1));
    }
}

/// From the manifest's text to the bytes of both files.
fn capgen(text: &str) -> Duration {
    let start = ProcessTime::now();
    let loaded = load(&Source::new("capabilities.yaml", text)).expect("the bench's manifest loads");
    let files = generate(&loaded.manifest, &Language::DEFAULT);
    let time = start.elapsed();
    assert!(files.values().all(|text| text.len() > 100));
    time
}

/// One type space for all schemas, as in `import_types!` and in build scripts.
fn typify(n: usize) -> Duration {
    let schemas: Vec<String> = (0..n).map(fleet::schema).collect();
    let start = ProcessTime::now();
    let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
    for (i, schema) in schemas.iter().enumerate() {
        let mut root: schemars::schema::RootSchema = serde_json::from_str(schema).expect("a schema");
        root.schema.metadata().title = Some(format!("Capability{i}Request"));
        space.add_root_schema(root).expect("typify takes the schema");
    }
    let file = syn::parse2(space.to_stream()).expect("typify emits Rust");
    let text = prettyplease::unparse(&file);
    let time = start.elapsed();
    assert!(text.len() > 100);
    time
}

/// The time that the Node script reports.
fn json_schema_to_typescript(n: usize) -> Option<Duration> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/node");
    let path = std::env::temp_dir().join(format!("capgen-bench-{}.json", std::process::id()));
    std::fs::write(&path, fleet::manifest_json(n)).ok()?;
    let output = capgen_testkit::node::command().arg("bench.mjs").arg(&path).current_dir(folder).output().ok()?;
    let _ = std::fs::remove_file(&path);
    let micros: u64 = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_micros(micros))
}
