//! Serving the handlers of an agent as tools.

mod access;
mod authorize;
mod batch;
mod http;
#[cfg(feature = "otel")]
mod measure;
mod name_index;
mod plan;
mod run;
mod stdio;
mod tools;
mod weight;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use capgen_call::journal::Journal;
use capgen_call::{Audit, AuditWriter, Authorization, Handlers, Principal, TokenVerifier};
use capgen_manifest::Manifest;
use capgen_net::Budget;

use crate::meta::Implementation;
use access::Access;
use plan::Agent;
use run::Runner;
use tools::Tools;

pub use http::HttpOptions;
pub use tools::InvalidAgent;

/// The limits of a server, for all of its clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ServerLimits {
    /// The largest message of a client, in bytes.
    pub max_message: usize,
    /// The handlers that run at the same time for a sole client. Further calls wait. Over HTTP, each address has a
    /// share, or each principal if the server verifies tokens: all together run at most a quarter more, so that one
    /// with slow calls does not stop the calls of others.
    pub max_concurrent: usize,
    /// The time of a call, with the time that it waits. A capability with a shorter `timeoutMs` has that one.
    pub timeout: Duration,
}

impl Default for ServerLimits {
    /// 4 MiB, 64 handlers, 600 s.
    fn default() -> Self {
        Self { max_message: 4 << 20, max_concurrent: 64, timeout: Duration::from_secs(600) }
    }
}

/// An agent as an MCP server, of all revisions from 2024-11-05 to 2026-07-28. Clones share the limits.
///
/// The arguments of a call are validated before the handler runs, and its response before it leaves; both by the code
/// or the contract of the handler. A violation, or a failure of the handler, is a result with `isError`, whose text a
/// model can act on: it has the JSON Pointer and the rule of each violation, and no values. An unknown tool is an error
/// of the protocol.
///
/// ```
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use capgen_call::{Context, Handlers};
/// use capgen_mcp::McpServer;
/// use serde_json::{Value, json};
///
/// let handlers = Handlers::new("echo").with_loose("say", async |_: Context, payload: Value| Ok(json!({"said": payload})));
/// let server = McpServer::new(handlers)?;
/// // Nothing else may write to standard output.
/// server.serve(tokio::io::stdin(), tokio::io::stdout()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer(Arc<Shared>);

struct Shared {
    runner: Arc<Runner>,
    limits: ServerLimits,
    /// Verifies the tokens of requests over HTTP.
    tokens: Option<Arc<dyn TokenVerifier>>,
    /// The principal of requests over standard input.
    principal: Option<Arc<Principal>>,
}

/// Builds an [`McpServer`] with options.
#[must_use]
pub struct McpServerBuilder {
    handlers: Handlers,
    tools: Tools,
    implementation: Implementation,
    instructions: Option<String>,
    limits: ServerLimits,
    journal: Journal,
    access: Access,
}

impl McpServer {
    /// A server with a tool for each capability that has a handler. The schemas of the tools have the order and the
    /// descriptions of properties if the capabilities are derived or come from a manifest. Generated code has neither:
    /// [`builder`](Self::builder) takes them from the manifest.
    ///
    /// # Errors
    ///
    /// The contract of a handler is invalid, or has `requiredRoles` or `requiredScopes`: the builder of
    /// [`of_handlers`](Self::of_handlers) has the settings about who may call. Or there are no handlers.
    pub fn new(handlers: Handlers) -> Result<Self, InvalidAgent> {
        Self::of_handlers(handlers)?.build()
    }

    /// Builds the server of [`new`](Self::new) with options.
    ///
    /// # Errors
    ///
    /// The contract of a handler is invalid, or there are no handlers.
    ///
    /// ```
    /// use capgen_call::Handlers;
    /// use capgen_mcp::McpServer;
    /// let handlers = Handlers::new("echo").with_loose("say", async |_, payload| Ok(payload));
    /// let server = McpServer::of_handlers(handlers)?.instructions("Say something.").build()?;
    /// # Ok::<(), capgen_mcp::InvalidAgent>(())
    /// ```
    pub fn of_handlers(handlers: Handlers) -> Result<McpServerBuilder, InvalidAgent> {
        let tools = Tools::of(&handlers)?;
        Ok(McpServerBuilder::new(handlers, tools))
    }

    /// Builds a server with a tool for each capability of the manifest of its agent.
    ///
    /// # Errors
    ///
    /// A capability has no handler, or the handler has another contract; or there are no capabilities.
    pub fn builder(handlers: Handlers, manifest: &Manifest) -> Result<McpServerBuilder, InvalidAgent> {
        let tools = Tools::with_manifest(&handlers, manifest)?;
        let instructions = manifest.about.description.clone();
        Ok(McpServerBuilder { instructions, ..McpServerBuilder::new(handlers, tools) })
    }

    /// The number of records that the audit did not accept.
    #[must_use]
    pub fn lost_audit_records(&self) -> u64 {
        self.0.runner.journal.lost()
    }

    fn agent(&self) -> &Arc<Agent> {
        &self.0.runner.agent
    }

    fn runner(&self) -> Arc<Runner> {
        Arc::clone(&self.0.runner)
    }

    fn limits(&self) -> &ServerLimits {
        &self.0.limits
    }
}

impl McpServerBuilder {
    fn new(handlers: Handlers, tools: Tools) -> Self {
        let implementation = Implementation::new(handlers.agent(), env!("CARGO_PKG_VERSION"));
        Self {
            handlers,
            tools,
            implementation,
            instructions: None,
            limits: ServerLimits::default(),
            journal: Journal::new(AuditWriter::Provider),
            access: Access::default(),
        }
    }

    /// The name and version that clients see. The default is the id of the agent, and the version of this crate.
    pub fn implementation(self, implementation: Implementation) -> Self {
        Self { implementation, ..self }
    }

    /// A text for models about the agent and its tools. The default is the description of the agent in its manifest.
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// Adds a tool for each version of a capability that has none: without this option, a capability with several
    /// versions has one tool, for its highest version that is not a pre-release. The others are named `<name>_v1`, or
    /// with further parts of the version, as in [`tool_names`](capgen_interop::tool_names). A call of such a tool runs
    /// the handler of its version.
    ///
    /// # Errors
    ///
    /// The name of such a tool is that of another tool, or too long.
    pub fn all_versions(self) -> Result<Self, InvalidAgent> {
        Ok(Self { tools: self.tools.with_all_versions(&self.handlers)?, ..self })
    }

    /// The limits.
    pub fn limits(self, limits: ServerLimits) -> Self {
        Self { limits, ..self }
    }

    /// The store of records: every violation, every call that is denied, and with [`audit_calls`](Self::audit_calls)
    /// every call. The caller in the records is `agent://mcp`, because the protocol does not identify clients, and the
    /// id of the call is that of the request. An audit delays an answer by at most 5 s, and changes none.
    pub fn audit(self, audit: Arc<dyn Audit>) -> Self {
        Self { journal: self.journal.with_audit(Some(audit)), ..self }
    }

    /// Whether the audit records calls too. A call that its client cancels has the status `abandoned`.
    pub fn audit_calls(self, records_calls: bool) -> Self {
        Self { journal: self.journal.with_calls(records_calls), ..self }
    }

    /// The server.
    ///
    /// # Errors
    ///
    /// Tools require roles or scopes, and no setting decides who has them ([`InvalidAgent::NoAuthorization`]).
    pub fn build(self) -> Result<McpServer, InvalidAgent> {
        let Self { handlers, mut tools, implementation, instructions, limits, journal, access } = self;
        let Access { own, grants, tokens, principal } = access;
        let has_principals = tokens.is_some() || principal.is_some();
        let contracts: Vec<_> = tools.all().map(|(_, tool)| &*tool.described).collect();
        let authorization = Authorization::of_settings(own, grants, has_principals, &contracts)?;
        tools.require(&authorization);
        #[cfg(feature = "otel")]
        let requests = measure::requests(handlers.agent());
        let agent = Agent {
            tools,
            implementation,
            instructions,
            authorization,
            #[cfg(feature = "otel")]
            requests,
        };
        let agent = Arc::new(agent);
        let running = Budget::places(limits.max_concurrent);
        let journal = Arc::new(journal);
        let runner = Arc::new(Runner { agent, handlers, running, timeout: limits.timeout, journal });
        Ok(McpServer(Arc::new(Shared { runner, limits, tokens, principal })))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("handlers", &self.0.runner.handlers).finish_non_exhaustive()
    }
}

impl fmt::Debug for McpServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServerBuilder").field("handlers", &self.handlers).finish_non_exhaustive()
    }
}
