//! Fails the build if the checked-in code is out of date.

fn main() -> Result<(), capgen_codegen::BuildError> {
    let servers = ["everything", "filesystem", "memory"];
    let build = capgen_codegen::Build::new().root(".").out_dir("generated");
    servers.into_iter().fold(build, |build, server| build.peer(server)).verify()
}
