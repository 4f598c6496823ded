//! `jsonsubschema` from PyPI.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use capgen_tests::Failure;
use capgen_tests::rust_package::succeed;
use serde_json::Value;

use crate::containment::{Decision, Peer, Question};

/// `jsonsubschema.isSubschema`, in Python.
#[derive(Clone, Debug)]
pub struct JsonSubschema {
    python: PathBuf,
}

impl JsonSubschema {
    /// Python with the packages of `tools/agreement/python/requirements.txt`, which are installed in the target folder
    /// if necessary.
    ///
    /// # Errors
    ///
    /// If Python 3 with `venv` and pip is missing, or if the packages cannot be installed.
    pub fn install() -> Result<Self, Failure> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target");
        let venv = target.join("python");
        let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let requirements = folder().join("requirements.txt");
        let stamp = venv.join("installed.txt");
        let wanted = std::fs::read(&requirements)?;
        if !std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            std::fs::create_dir_all(&target)?;
            succeed(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
            let mut pip = Command::new(&python);
            succeed(pip.args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(&requirements))?;
            std::fs::write(&stamp, wanted)?;
        }
        Ok(Self { python })
    }
}

impl Peer for JsonSubschema {
    fn name(&self) -> &'static str {
        "jsonsubschema 0.0.8"
    }

    fn decide(&self, questions: &[Question]) -> Result<Vec<Decision>, Failure> {
        let job: Value =
            questions.iter().map(|question| Value::from(vec![&*question.smaller, &*question.larger])).collect();
        let mut command = Command::new(&self.python);
        let command = command.arg(folder().join("subschema.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        // The script reads all of its input before it writes.
        child.stdin.take().ok_or("no stdin")?.write_all(job.to_string().as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err("subschema.py failed".into());
        }
        let answers: Vec<Value> = serde_json::from_slice(&output.stdout)?;
        Ok(answers.iter().map(decision).collect())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python")
}

fn decision(answer: &Value) -> Decision {
    match answer {
        Value::Bool(true) => Decision::Yes,
        Value::Bool(false) => Decision::No(None),
        reason => Decision::Undecided(reason.as_str().unwrap_or_default().to_owned()),
    }
}
