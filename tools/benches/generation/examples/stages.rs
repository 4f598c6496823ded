//! CPU time of each stage, for tuning.
use capgen_codegen::{Language, generate};
use capgen_manifest::{Source, load, parse_yaml};
use cpu_time::ProcessTime;

#[path = "../src/fleet.rs"]
#[allow(dead_code)]
mod fleet;

fn main() {
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let source = Source::new("capabilities.yaml", fleet::manifest_yaml(n));
    let stage = |name: &str, start: ProcessTime| println!("{name:>12} {:.1?}", start.elapsed());
    let start = ProcessTime::now();
    let _tree = parse_yaml(&source);
    stage("parse YAML", start);
    let start = ProcessTime::now();
    let loaded = load(&source).expect("loads");
    stage("load", start);
    let start = ProcessTime::now();
    let _hash = loaded.manifest.hash();
    stage("hash", start);
    for language in Language::DEFAULT {
        let start = ProcessTime::now();
        let files = generate(&loaded.manifest, &[language]);
        stage(language.name(), start);
        println!("{:>12} bytes", files.values().map(String::len).sum::<usize>());
    }
}
