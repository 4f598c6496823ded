//! `nats-server`, on a free port and with its own folder.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a server may take to start or to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A `nats-server` with JetStream. Dropping it ends the server and removes its folder.
///
/// ```no_run
/// use capgen_testkit::brokers::NatsServer;
///
/// let Some(mut server) = NatsServer::start() else { return };
/// println!("{}", server.url());
/// server.kill();
/// server.restart();
/// ```
#[derive(Debug)]
pub struct NatsServer {
    program: PathBuf,
    folder: TempDir,
    port: u16,
    process: Option<Child>,
}

impl NatsServer {
    /// Starts a server with JetStream. `None` if `nats-server` is not installed: the test then passes as skipped.
    ///
    /// # Panics
    ///
    /// The server does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        Self::start_with("")
    }

    /// The same with more lines for the configuration file, such as `max_payload: 1024`. `{dir}` in them is the folder
    /// of the server.
    ///
    /// # Panics
    ///
    /// Those of [`start`](Self::start).
    #[must_use]
    pub fn start_with(configuration: &str) -> Option<Self> {
        Self::start_in(tempfile::tempdir().expect("a temporary folder"), configuration)
    }

    /// The same in a folder that already has the files that the configuration names.
    ///
    /// # Panics
    ///
    /// Those of [`start`](Self::start).
    #[must_use]
    pub fn start_in(folder: TempDir, configuration: &str) -> Option<Self> {
        let Some(program) = nats_server() else {
            static ONCE: Once = Once::new();
            ONCE.call_once(|| eprintln!("skipped: nats-server is not installed"));
            return None;
        };
        let mut server = Self { program, folder, port: 0, process: None };
        // Another process may take the port between its choice and the start of the server.
        for _ in 0..5 {
            server.port = free_port();
            server.configure(configuration);
            if server.launch() {
                return Some(server);
            }
        }
        panic!("nats-server does not start: {}", server.log());
    }

    fn configure(&self, more: &str) {
        let dir = self.folder.path().display().to_string();
        let text = format!(
            "listen: \"127.0.0.1:{}\"\njetstream {{ store_dir: \"{dir}/store\" }}\n{}\n",
            self.port,
            more.replace("{dir}", &dir)
        );
        std::fs::write(self.folder.path().join("server.conf"), text).expect("writing the configuration");
    }

    /// `false` if the server ended instead of accepting connections.
    fn launch(&mut self) -> bool {
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.folder.path().join("server.log"))
            .expect("opening the log");
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(self.folder.path().join("server.conf"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.process = Some(command.spawn().expect("starting nats-server"));
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.process.as_mut().is_none_or(|process| !matches!(process.try_wait(), Ok(None))) {
                self.process = None;
                return false;
            }
            if self.answers() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("nats-server does not answer: {}", self.log());
    }

    /// Whether the server greets a connection. With `tls { handshake_first }` it does not, so a connection is enough.
    fn answers(&self) -> bool {
        let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)) else { return false };
        let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
        let mut greeting = String::new();
        match BufReader::new(stream).read_line(&mut greeting) {
            Ok(_) => greeting.starts_with("INFO "),
            Err(error) => matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut),
        }
    }

    /// The address, such as `nats://127.0.0.1:4222`. It remains the same after a restart.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The id of the process; `None` if the server does not run.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Child::id)
    }

    /// The folder with the configuration, the log and the stored messages.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The text that the server has logged.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("server.log")).unwrap_or_default()
    }

    /// Ends the server as `kill -9` does.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Ends the server with SIGTERM, which closes its connections and its files first.
    ///
    /// # Panics
    ///
    /// The server does not end.
    pub fn terminate(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        if !signal(&process, "-TERM") {
            let _ = process.kill();
        }
        let start = Instant::now();
        while matches!(process.try_wait(), Ok(None)) {
            assert!(start.elapsed() < PATIENCE, "nats-server does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the server from running, without closing its connections, until [`resume`](Self::resume). Only on Unix.
    ///
    /// # Panics
    ///
    /// The server is not running.
    pub fn pause(&self) {
        assert!(self.process.as_ref().is_some_and(|process| signal(process, "-STOP")), "nats-server is not running");
    }

    /// Continues after [`pause`](Self::pause).
    ///
    /// # Panics
    ///
    /// The server does not exist any more.
    pub fn resume(&self) {
        assert!(self.process.as_ref().is_some_and(|process| signal(process, "-CONT")), "nats-server does not exist");
    }

    /// Starts the server again, with the same address and the same folder. Ends it first if it is running.
    ///
    /// # Panics
    ///
    /// The server does not start.
    pub fn restart(&mut self) {
        self.kill();
        let start = Instant::now();
        while !self.launch() {
            assert!(start.elapsed() < PATIENCE, "nats-server does not start again: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Replaces the lines that [`start_with`](Self::start_with) added; they apply after the next
    /// [`restart`](Self::restart).
    pub fn reconfigure(&self, configuration: &str) {
        self.configure(configuration);
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn signal(process: &Child, signal: &str) -> bool {
    Command::new("kill").args([signal, &process.id().to_string()]).status().is_ok_and(|status| status.success())
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("a local address").port()
}

/// The program `nats-server`: in the search path, in the folders of administrators, or in the folder into which
/// `.ci/run` installs it.
#[must_use]
pub fn nats_server() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nats-server/bin");
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.push(installed);
    let name = format!("nats-server{}", std::env::consts::EXE_SUFFIX);
    folders.into_iter().map(|folder| folder.join(&name)).find(|program| program.is_file())
}
