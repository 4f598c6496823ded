//! Asking an MCP server for its tools.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use capgen_diagnostic::Diagnostic;
use capgen_files::{open_input, read_input};
use capgen_manifest::shown;
use capgen_mcp::{ClientOptions, ClientTls, HttpServer, McpClient, McpError, ServerCommand, ToolList};
use clap::Args;
use tokio::runtime::Builder;

use crate::codes;
use crate::console::Console;
use crate::failure::Failure;
use crate::secret;

/// The last lines of standard error that are printed if the server fails. The trace of a stack fits, and its last lines
/// contain the reason.
const LINES: usize = 20;

/// The options that a user may put after the command of a server by mistake.
const OWN_OPTIONS: [&str; 9] =
    ["--agent", "--check", "--diff", "--force", "--format", "--json", "--lossy", "--out", "--skip"];

/// The largest file of certificates, in bytes. The usual collections of all public authorities have less than 1 MB.
const MAX_CERTIFICATES: u64 = 4 << 20;

/// The server that is asked, instead of a file.
#[derive(Args, Debug)]
pub(crate) struct Server {
    /// Start a server that uses standard input and output, and ask it; all arguments after this option belong to its
    /// command
    #[arg(long, value_name = "COMMAND", num_args = 1.., allow_hyphen_values = true, conflicts_with_all = ["file", "http"])]
    stdio: Vec<OsString>,
    /// Ask the server at a URL; its transport in the manifest has the URL
    #[arg(long, value_name = "URL", conflicts_with = "file")]
    pub(super) http: Option<String>,
    /// File with the token for `Authorization: Bearer`
    #[arg(long, value_name = "FILE", requires = "http", conflicts_with_all = ["file", "stdio"])]
    token_file: Option<PathBuf>,
    /// File with the certificates, as PEM, that an `https://` URL trusts instead of those of the operating system
    #[arg(long, value_name = "FILE", requires = "http", conflicts_with_all = ["file", "stdio"])]
    ca: Option<PathBuf>,
    /// The time for each answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
}

impl Server {
    /// The tools of the server.
    pub(super) fn tools(&self, console: &Console) -> Result<Arc<ToolList>, Failure> {
        self.note_own_options(console);
        let mut options = ClientOptions::default();
        options.timeout = Duration::from_secs(self.timeout);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listed = runtime.block_on(async {
            let client = match &self.http {
                Some(url) => McpClient::connect(self.endpoint(url, console)?, options).await,
                None => McpClient::spawn(self.command(&stderr), options).await,
            };
            let client = client.map_err(|error| failed(&error, self.http.is_some()))?;
            let listed = client.list_tools().await.map_err(|error| failed(&error, self.http.is_some()));
            client.close().await;
            listed
        });
        // A thread of the runtime may still read the input of this process.
        runtime.shutdown_background();
        if listed.is_err() {
            for line in stderr.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                console.line(&format!("server: {line}"));
            }
        }
        listed
    }

    /// Mentions options of this command that the server gets, because they are after its command. Without `--check`, a
    /// file is replaced.
    fn note_own_options(&self, console: &Console) {
        let words = self.stdio.iter().skip(1).filter_map(|word| word.to_str());
        for word in words.filter(|word| OWN_OPTIONS.contains(word)) {
            console.line(&format!("note: `{word}` is passed to the server; options of capgen come before `--stdio`"));
        }
    }

    fn command(&self, stderr: &Arc<Mutex<VecDeque<String>>>) -> ServerCommand {
        let (program, arguments) = self.stdio.split_first().map_or_else(Default::default, |(a, b)| (a.clone(), b));
        let (lines, earlier) = (Arc::clone(stderr), Arc::clone(stderr));
        // A server that was started again has printed the lines of its first start again.
        let restart = move || earlier.lock().unwrap_or_else(PoisonError::into_inner).clear();
        ServerCommand::new(program).args(arguments).on_start(restart).on_stderr(move |line| {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() == LINES {
                lines.pop_front();
            }
            lines.push_back(line.to_owned());
        })
    }

    fn endpoint(&self, url: &str, console: &Console) -> Result<HttpServer, Failure> {
        let mut server = HttpServer::new(url).map_err(|error| failed(&error, true))?;
        if let Some(file) = &self.token_file {
            let parse = |text: &str| match text.trim() {
                "" => Err("it is empty".to_owned()),
                token => Ok(format!("Bearer {token}")),
            };
            let token = secret::read(file, "a token", parse, console)?;
            server = server.header("Authorization", &token).map_err(|error| failed(&error, true))?;
        }
        if let Some(file) = &self.ca {
            server = server.tls(certificates(file)?);
        }
        Ok(server)
    }
}

fn certificates(file: &Path) -> Result<ClientTls, Failure> {
    let fail = |reason: String| {
        let message = format!("cannot use the certificates in `{}`: {reason}", shown(file));
        Failure::Findings(vec![Diagnostic::new(codes::MCP_SERVER, message).in_file(shown(file))])
    };
    let opened = open_input(file).map_err(|error| fail(error.to_string()))?;
    let pem = read_input(opened, MAX_CERTIFICATES).map_err(|error| fail(error.to_string()))?;
    ClientTls::from_pem(&pem).map_err(|error| fail(error.to_string()))
}

fn failed(error: &McpError, is_url: bool) -> Failure {
    let help = match error {
        McpError::Connect(_) => {
            "check the command or the URL; pass certificates with `--ca` if the operating system does not trust those of an `https://` URL"
        }
        McpError::Timeout(_) => "allow more time with `--timeout`",
        McpError::Http(401 | 403) => "pass a token with `--token-file`",
        McpError::Redirect(..) => "pass the URL of the endpoint itself, if it is trusted",
        _ if is_url => {
            "check that the URL is that of an MCP endpoint, such as `http://localhost:3000/mcp`, or import the result of `tools/list` from a file"
        }
        _ => "check that the program is an MCP server, or import the result of `tools/list` from a file",
    };
    Failure::Findings(vec![Diagnostic::new(codes::MCP_SERVER, error.to_string()).help(help)])
}
