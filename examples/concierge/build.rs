//! Fails the build where the checked-in code is not what the contracts give.

fn main() -> Result<(), capgen_codegen::BuildError> {
    capgen_codegen::Build::new()
        .root("../fleet")
        .peer("pr-reviewer")
        .peer("payments")
        .peer("reviewer")
        .out_dir("../../generated")
        .verify()
}
