//! Fails the build if the checked-in code is out of date.

fn main() -> Result<(), capgen_codegen::BuildError> {
    capgen_codegen::Build::new()
        .root("../fleet")
        .peer("pr-reviewer")
        .peer("payments")
        .peer("reviewer")
        .out_dir("../../generated")
        .verify()
}
