//! Files of a revision, read with the program `git`.
//!
//! The text of a revision is untrusted, such as a branch name in CI. It is never part of a shell command, and never
//! read as an option.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

use capgen_diagnostic::{Diagnostic, quoted, shortened};

use crate::codes;

/// A larger file cannot be a manifest; see `contract/manifest/src/findings.rs`.
const MAX_FILE: u64 = 32 << 20;

/// The longest answer of `git` in which names are listed. The names of hundreds of thousands of files fit.
const MAX_LIST: u64 = 64 << 20;

pub(super) type Result<T> = std::result::Result<T, Vec<Diagnostic>>;

/// A revision of a repository.
pub(crate) struct Revision {
    /// The text that names the revision.
    name: String,
    /// The id of its commit.
    commit: String,
    /// The root folder of the repository. Absolute.
    root: PathBuf,
    /// `git cat-file`, which answers one request after the other.
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Revision {
    /// Finds a revision of the repository around a folder.
    pub(crate) fn open(name: &str, folder: &Path) -> Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let root = repository(folder)?;
        let commit = commit(name, &root)?;
        let mut process = git(&root)
            .args(["cat-file", "--batch", "--follow-symlinks"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| not_started(&error))?;
        let requests = process.stdin.take();
        let answers = process.stdout.take().ok_or_else(|| failed("it has no output"))?;
        Ok(Self { name: name.to_owned(), commit, root, process, requests, answers: BufReader::new(answers) })
    }

    /// The path of a file relative to the root of the repository, with `/` between its parts. The file need not exist.
    pub(crate) fn relative(&self, path: &Path) -> Result<String> {
        let outside = || {
            let message = format!("{} is not in the repository {}", shown(path), shown(&self.root));
            let finding = Diagnostic::new(codes::NOT_IN_A_REPOSITORY, message).in_file(capgen_manifest::shown(path));
            vec![finding.help("pass the old version as a file or a folder: `--against <path>`")]
        };
        // The folder, not the file, which may be a symbolic link.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = parent.canonicalize().map_err(|_| outside())?;
        let whole = path.file_name().map_or(parent.clone(), |name| parent.join(name));
        let relative = whole.strip_prefix(&self.root).map_err(|_| outside())?;
        let parts: Option<Vec<&str>> = relative.components().map(|part| part.as_os_str().to_str()).collect();
        Ok(parts.ok_or_else(outside)?.join("/"))
    }

    /// A path of the revision in messages.
    pub(super) fn shown(&self, path: &str) -> String {
        format!("{}:{path}", self.name)
    }

    /// The content of a file, by its path relative to the root of the repository; `None` if the revision has no such
    /// file.
    pub(crate) fn read(&mut self, path: &str) -> Result<Option<Vec<u8>>> {
        // A request is a line.
        if path.contains('\n') {
            return Ok(None);
        }
        self.request(path).map_err(|error| failed(&error.to_string()))
    }

    /// The root folder of the repository, and the commit. For [`super::history`].
    pub(super) fn location(&self) -> (&Path, &str) {
        (&self.root, &self.commit)
    }

    /// Reads from another commit from now on: one that [`history`](super::history::of) returned.
    pub(crate) fn switch_to(&mut self, commit: &str) {
        commit.clone_into(&mut self.commit);
    }

    fn request(&mut self, path: &str) -> io::Result<Option<Vec<u8>>> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(requests, "{}:{path}", self.commit)?;
        requests.flush()?;
        let mut line = Vec::new();
        self.answers.by_ref().take(MAX_LIST).read_until(b'\n', &mut line)?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let line = line.trim_end_matches('\n');
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.ends_with(" missing") {
            return Ok(None);
        }
        let mut parts = line.rsplit(' ');
        let size = parts.next().and_then(|size| size.parse::<u64>().ok());
        let size = size.ok_or_else(|| io::Error::other(format!("unexpected answer {}", quoted(line))))?;
        let is_file = parts.next() == Some("blob");
        // One byte more than a manifest may have, so that the reader of manifests rejects it.
        let kept = size.min(if is_file { MAX_FILE + 1 } else { 0 });
        let mut content = Vec::new();
        self.answers.by_ref().take(kept).read_to_end(&mut content)?;
        // The rest of the content, and a line end.
        let rest = size - kept + 1;
        if io::copy(&mut self.answers.by_ref().take(rest), &mut io::sink())? != rest {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // The other answers are about links that lead nowhere or out of the repository, and about folders.
        Ok(is_file.then_some(content))
    }

    /// The names in a folder, by its path relative to the root of the repository; empty if the revision has no such
    /// folder.
    pub(super) fn names(&self, folder: &str) -> Result<Vec<String>> {
        let object = format!("{}:{folder}", self.commit);
        let output = run(git(&self.root).args(["ls-tree", "-z", "--name-only", &object]))?;
        if !output.status.success() {
            return Ok(Vec::new());
        }
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        // A manifest whose path is not UTF-8 cannot belong to an agent: ids are ASCII.
        Ok(names.filter_map(|name| String::from_utf8(name.to_vec()).ok()).collect())
    }
}

impl Drop for Revision {
    fn drop(&mut self) {
        // Without requests the process ends.
        self.requests = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `git`, run in a folder.
pub(super) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).arg("--literal-pathspecs");
    // Hooks of git set these variables for another working directory. The folder decides which repository is meant.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    // Messages in English, no questions, no locks for other processes to wait for.
    command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
    command.stdin(Stdio::null());
    command
}

pub(super) fn run(command: &mut Command) -> Result<Output> {
    command.output().map_err(|error| not_started(&error))
}

fn not_started(error: &io::Error) -> Vec<Diagnostic> {
    let finding = Diagnostic::new(codes::GIT_FAILED, format!("cannot run `git`: {error}"));
    vec![finding.help("install git, or pass the old version as a file or a folder: `--against <path>`")]
}

fn failed(reason: &str) -> Vec<Diagnostic> {
    let finding = Diagnostic::new(codes::GIT_FAILED, format!("`git cat-file` failed: {reason}"));
    vec![finding.help("check that the repository is complete: `git fsck`")]
}

/// The root folder of the repository around a folder.
fn repository(folder: &Path) -> Result<PathBuf> {
    let output = run(git(folder).args(["rev-parse", "--show-toplevel"]))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let root = Path::new(text.trim_end_matches(['\n', '\r']));
    match root.canonicalize() {
        Ok(root) if output.status.success() => Ok(root),
        _ => {
            let message = format!("{} is not in a git repository with a working tree", shown(folder));
            let finding = Diagnostic::new(codes::NOT_IN_A_REPOSITORY, message);
            let help = "pass the old version as a file or a folder: `--against <path>`";
            Err(vec![with_reason(finding, &output).help(help)])
        }
    }
}

/// The id of the commit that a text names.
fn commit(name: &str, root: &Path) -> Result<String> {
    let unknown = || Diagnostic::new(codes::UNKNOWN_REVISION, format!("there is no revision {}", quoted(name)));
    // Git accepts no such name, but old versions read it as an option.
    if name.starts_with('-') || name.is_empty() || name.contains('\0') {
        return Err(vec![unknown().help("write `git:` and a branch, a tag or a commit, such as `git:origin/main`")]);
    }
    let object = format!("{name}^{{commit}}");
    let output = run(git(root).args(["rev-parse", "--verify", "--end-of-options", &object]))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let id = text.lines().last().unwrap_or_default();
    let is_id = id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if output.status.success() && is_id {
        return Ok(id.to_owned());
    }
    let help = "`git log --oneline --all` lists revisions; a shallow clone, as CI makes it, has only a few: fetch the revision \
                first, such as with `git fetch origin main`";
    Err(vec![with_reason(unknown(), &output).help(help)])
}

/// Adds the first line that git printed about an error.
pub(super) fn with_reason(finding: Diagnostic, output: &Output) -> Diagnostic {
    // Errors of git are a sentence or two, and may quote a path.
    const MAX_REASON: usize = 300;
    let text = String::from_utf8_lossy(&output.stderr);
    match text.lines().find(|line| !line.trim().is_empty()) {
        Some(line) => finding.note(format!("git: {}", shortened(line, MAX_REASON))),
        None => finding,
    }
}

/// A folder or a file in messages.
fn shown(path: &Path) -> String {
    let shown = capgen_manifest::shown(path);
    if shown.is_empty() { "the current folder".to_owned() } else { format!("`{shown}`") }
}
