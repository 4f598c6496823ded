//! Generates the code of the peers from `proto/reviewer.proto`, without `protoc`.

use std::error::Error;
use std::path::PathBuf;

use prost::Message as _;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/reviewer.proto");
    let descriptors = protox::compile(["reviewer.proto"], ["proto"])?.encode_to_vec();
    let path = PathBuf::from(std::env::var("OUT_DIR")?).join("reviewer.bin");
    std::fs::write(&path, &descriptors)?;
    tonic_prost_build::compile_fds(prost_types::FileDescriptorSet::decode(&*descriptors)?)?;
    connectrpc_build::Config::new()
        .descriptor_set(&path)
        .files(&["reviewer.proto"])
        .include_file("_connectrpc.rs")
        .compile()?;
    Ok(())
}
