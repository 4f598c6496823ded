//! Runs the programs of probes (decisions 25 and 36).

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use capgen_time::Backoff;

use crate::inputs::{Probe, ProbeRunner, Skill};
use crate::{Warning, codes};

/// How long a program that was killed may take to end. The system cannot kill every program, and a run must not wait
/// for one.
const PATIENCE: Duration = Duration::from_secs(1);

/// The pauses between two looks at a program: most probes end within milliseconds, and a look costs a system call.
const POLL: Backoff = Backoff::new(Duration::from_millis(1), Duration::from_millis(10));
/// The variable with the id of the candidate.
const CANDIDATE: &str = "DCI_CANDIDATE";

/// Runs probes as programs, without a shell: in the folder of the skill, with its id in `DCI_CANDIDATE`, without input,
/// and with the rest of the environment of this process. Their output is discarded.
///
/// On Unix each program is in a process group of its own, which is killed when the program has ended or its time is
/// over. Processes that leave the group are not killed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Programs {
    /// The programs that could not be started.
    pub warnings: Vec<Warning>,
}

impl ProbeRunner for Programs {
    fn passes(&mut self, probe: &Probe, skill: &Skill) -> bool {
        match run(probe, skill) {
            Ok(status) => status.is_some_and(|status| status.success()),
            Err(error) => {
                let message = format!("a probe cannot be run: {error}");
                self.warnings.push(Warning { code: codes::PROBE_NOT_RUN, subject: skill.id(), message });
                false
            }
        }
    }
}

/// The status of the program; `None` if its time is over.
fn run(probe: &Probe, skill: &Skill) -> io::Result<Option<ExitStatus>> {
    let (program, arguments) = probe.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&skill.folder).env(CANDIDATE, skill.id());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let limit = Duration::from_millis(probe.timeout_ms);
    let ended = wait(start, limit, || has_ended(&mut child));
    // Before the program is waited for: until then no other process group can have its id.
    kill(&mut child);
    if !ended? {
        // Usually it ends at once. One that the system cannot kill is left alone.
        wait(Instant::now(), PATIENCE, || Ok(child.try_wait()?.is_some()))?;
        return Ok(None);
    }
    child.wait().map(Some)
}

/// Whether a condition becomes true within a time.
fn wait(start: Instant, limit: Duration, mut condition: impl FnMut() -> io::Result<bool>) -> io::Result<bool> {
    let mut looks = 0;
    loop {
        if condition()? {
            return Ok(true);
        }
        let left = limit.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Ok(false);
        }
        looks = u32::saturating_add(looks, 1);
        thread::sleep(POLL.pause(looks).min(left));
    }
}

/// Whether the program has ended. It keeps its id.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(group(child)?), options)?.is_some())
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> io::Result<bool> {
    child.try_wait().map(|status| status.is_some())
}

/// Kills the program and its group. Errors mean that nothing is left to kill, or that the system does not allow it.
#[cfg(unix)]
fn kill(child: &mut Child) {
    if let Ok(group) = group(child) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    let _ = child.kill();
}

/// The process group, whose id is that of its first process.
#[cfg(unix)]
fn group(child: &Child) -> io::Result<rustix::process::Pid> {
    let id = i32::try_from(child.id()).map_err(io::Error::other)?;
    rustix::process::Pid::from_raw(id).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
