//! Generated clients and servers in TypeScript and JavaScript.

use std::path::Path;

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::{Manifest, Source, load};
use capgen_testkit::node::{command, printed};
use capgen_tests::contract::{generated_with_calls, own_files, random_names};
use capgen_tests::folder;
use capgen_tests::node::{self, Program};

use crate::typescript_errors::errors_with;

/// An agent whose capabilities have two schemas, one or none, and names that are keywords or methods of every object.
pub(crate) fn shop() -> Manifest {
    let names =
        ["new", "delete", "then", "constructor", "to-string", "a-b", "a_b", "proto", "value-of", "1", "constructor2"];
    let others: String = names.iter().map(|name| format!(",{{\"name\": \"{name}\"}}")).collect();
    let text = r#"{"version": 1, "agent": "agent://shop",
        "transports": [{"kind": "memory", "topics": {"requests": "shop"}}],
        "capabilities": [
            {"name": "echo", "version": "1.2.0", "description": "Repeat a text.",
             "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
             "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
            {"name": "size", "inputSchema": {"type": "object", "properties": {"size": {"enum": [1, 2]}}}},
            {"name": "slow", "timeoutMs": 20, "inputSchema": {"type": "integer"}, "outputSchema": {"type": "integer"}},
            {"name": "closed", "inputSchema": {"type": "object", "additionalProperties": false}},
            {"name": "new-api", "version": "2.1.0", "minSchemaVersion": "1.2.0"},
            {"name": "some", "version": "2.1.0", "supportedVersions": ["1.0.0", ">=1.2.0 <1.5.0-rc.2"]},
            {"name": "read", "version": "1.0.0", "sideEffects": "pure", "outputSchema": {"type": "integer"}},
            {"name": "any"}OTHERS]}"#;
    load(&Source::new("capabilities.json", text.replace("OTHERS", &others))).unwrap().manifest
}

pub(crate) fn folder_of(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The tests of clients, and of servers with and without a memory.
const SCRIPTS: [&str; 8] = [
    "calls.mjs",
    "call_client/cancels.mjs",
    "call_client/instances.mjs",
    "call_client/retries.mjs",
    "call_server/cancels.mjs",
    "call_server/keys.mjs",
    "call_server/life.mjs",
    "call_interceptors.mjs",
];

#[test]
fn clients_and_servers_follow_the_protocol() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let (contract, options) = (shop(), Options { calls: true, ..Options::default() });
    let languages = [Language::JavaScriptModule, Language::CommonJs];
    let folder = folder_of("calls");
    for (name, text) in generate_with(&contract, &languages, &options, &Regenerate::anywhere(&contract.agent)) {
        std::fs::write(folder.join(name), text).unwrap();
    }
    for (file, script) in ["shop.mjs", "shop.cjs"].iter().flat_map(|file| SCRIPTS.map(|script| (file, script))) {
        let script = capgen_tests::folder().join("node").join(script);
        // One of the tests measures the memory that is in use.
        let printed = printed(command().arg("--expose-gc").arg(script).arg(folder.join(file)));
        assert!(printed.contains("tests"), "{file}: {printed}");
    }
}

#[test]
fn several_versions_of_a_capability_are_called_and_served() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let source = capgen_manifest::read_source(&folder().join("cases/versions/capabilities.yaml"), "capabilities.yaml");
    let contract = load(&source.unwrap()).unwrap().manifest;
    let (languages, options) = ([Language::JavaScriptModule], Options { calls: true, ..Options::default() });
    let target = folder_of("versions");
    for (name, text) in generate_with(&contract, &languages, &options, &Regenerate::anywhere(&contract.agent)) {
        std::fs::write(target.join(name), text).unwrap();
    }
    let script = folder().join("node/call_versions.mjs");
    assert_eq!(printed(command().arg(script).arg(target.join("versions.mjs"))).trim(), "tests passed");
}

#[test]
fn callers_are_identified_and_authorized() {
    if node::require_or_skip().unwrap().is_none() {
        return;
    }
    let text = r#"{"version": 1, "agent": "agent://vault",
        "transports": [{"kind": "memory", "topics": {"requests": "vault"}}],
        "capabilities": [
            {"name": "read", "version": "1.0.0"},
            {"name": "write", "requiredRoles": ["writer"]},
            {"name": "erase", "requiredRoles": ["writer"], "requiredScopes": ["erase"]}]}"#;
    let contract = load(&Source::new("capabilities.json", text)).unwrap().manifest;
    let (languages, options) = ([Language::JavaScriptModule], Options { calls: true, ..Options::default() });
    let target = folder_of("vault");
    for (name, text) in generate_with(&contract, &languages, &options, &Regenerate::anywhere(&contract.agent)) {
        std::fs::write(target.join(name), text).unwrap();
    }
    let script = folder().join("node/call_identity.mjs");
    assert_eq!(printed(command().arg(script).arg(target.join("vault.mjs"))).trim(), "tests passed");
}

/// A program that uses every exported type for calls.
const USES: &str = r#"
import * as shop from "./shop.ts";
const transport: shop.Transport = {
  async request({ to, capability, text, timeoutMs, signal }: shop.Message): Promise<string> {
    signal.addEventListener("abort", () => undefined);
    return `${to}${capability}${text}${timeoutMs}`;
  },
  async publish(): Promise<void> {},
};
const retry: shop.Retry = { attempts: 3, firstPauseMs: 1, hedgeAfterMs: 100 };
const policy: shop.SkewPolicy = "strict";
const { signal }: { signal: shop.Signal } = { signal: undefined as any };
const client: shop.ShopClient = shop.createShopClient(transport, { from: "console", retry, signal, skew: policy, tryOtherInstances: false });
const whole: shop.Transport = {
  ...transport,
  async *requestMany({ text }: shop.Message): AsyncGenerator<string> {
    yield text;
  },
  at: (...parts: string[]): shop.Transport => (parts.length > 1 ? transport : whole),
};
export const hedged = (context: shop.Context): Promise<shop.CallResult<shop.AnyResponse>> =>
  shop.createShopClient(whole, { from: "console" }).any(1, { retry, signal, session: "s", skew: "refuse", parent: context });
export async function call(): Promise<string> {
  const result: shop.CallResult<shop.EchoResponse> = await client.echo({ text: "a" }, { timeoutMs: 1, headers: { a: "b" } });
  switch (result.status) {
    case "ok":
      return result.response.text;
    case "schema-violation": {
      const kept: unknown = result.response;
      return `${result.schemaSide} ${result.violations[0]?.path} ${kept}`;
    }
    case "busy":
    case "error":
    case "timeout":
    case "abandoned":
      return `${result.error.code} ${result.error.retryable} ${result.error.retryAfterMs ?? 0} ${result.correlationId} ${result.latencyMs}`;
  }
}
export class Shop implements Pick<shop.ShopHandlers, "echo" | "any" | "slow"> {
  echo({ text }: shop.EchoRequest, context: shop.Context): shop.EchoResponse {
    return text === "" ? context.fail("EMPTY", context.caller) : { text };
  }
  async any(value: shop.AnyRequest): Promise<shop.AnyResponse> {
    return value;
  }
  async slow(ms: shop.SlowRequest, { signal }: shop.Context): Promise<shop.SlowResponse> {
    signal.addEventListener("abort", () => undefined);
    return ms;
  }
}
export async function serve(handlers: shop.ShopHandlers): Promise<boolean> {
  const options: shop.ServerOptions = { receivesControl: true, maxInFlight: 10, idempotencyWindowMs: 1000 };
  const server: shop.Server = shop.createShopServer(handlers, options);
  const sent: string[] = [];
  const heartbeats: shop.HandleOptions = { send: (text) => sent.push(text) };
  const { handle, control, shutdown } = server;
  const response: string | undefined = (await handle("")) ?? (await handle("", heartbeats));
  await control(response ?? "");
  return (await shutdown()) && shutdown(1000);
}
/** Repeats calls that may succeed later, and ends those that take too long. */
export const repeating: shop.Interceptor = async (call, next) => {
  call.headers["authorization"] = "Bearer token";
  for (let count = 1; ; count++) {
    const result = await next({ ...call, timeoutMs: Math.min(call.timeoutMs, 100) });
    if (result.status === "ok" || !call.isRepeatable || !result.error.retryable || count === 3) return result;
    if (call.signal.aborted) return call.fail("EAGENTRPC_BUSY", call.peer, { retryable: true });
  }
};
const cached: shop.Interceptor = ({ capability, kind, correlationId, request }: shop.OutgoingCall, next) =>
  capability === "any" && kind === "request" ? { status: "ok", response: request, correlationId, latencyMs: 0 } : next();
const codes: string[] = [];
export const counting: shop.ServerInterceptor = async ({ payload, context }: shop.ServedRequest, next) => {
  if (context.caller === "") return context.fail("NO_CALLER", `${payload}`);
  const answer: shop.ServedAnswer = await next();
  codes.push(answer.error?.code ?? "ok");
  return answer.error?.retryable ? { error: { code: "LATER", message: "m" } } : answer;
};
shop.createShopClient(transport, { from: "console", interceptors: [repeating, cached] });
export const counted = (text: string, all: shop.ShopHandlers): Promise<string | undefined> =>
  shop.handleShop(text, all, { interceptors: [counting] });
const signing: shop.AgentSign = { kind: "ed25519", sign: async (text) => ({ keyId: "k", signature: text }) };
const verifying: shop.Verify = async (text, { kind, keyId }: shop.Signature) =>
  kind === "ed25519" ? { agent: keyId } : text === "";
const rights: shop.Rights = { roles: ["reader"], scopes: [] };
shop.createShopClient(transport, { from: "console", sign: signing, verify: verifying });
export const secured = (all: shop.ShopHandlers): shop.Server =>
  shop.createShopServer(all, {
    sign: signing,
    verify: verifying,
    grants: { console: rights },
    withoutAuthorization: false,
    tokens: (token): shop.Principal | undefined => (token === "" ? undefined : { issuer: "i", subject: token, roles: [] }),
    authorize: async ({ proof, principal }, capability: shop.AuthorizedCapability | undefined) => {
      const given: shop.Proof = proof;
      if (principal?.subject === "alice") return true;
      return given.kind === "none" ? "no proof" : given.keyId === capability?.requiredRoles?.[0];
    },
  });
export const published: Promise<shop.CallResult<undefined>> = client.echo.publish({ text: "a" });
export const handled = (text: string, all: shop.ShopHandlers): Promise<string | undefined> =>
  shop.handleShop(text, all, { tenants: ["acme"], onError: (error: unknown) => void error, verify: () => true });
"#;

#[test]
fn clients_and_servers_are_typed() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let file = generated_with_calls(&shop(), Language::TypeScript);
    let errors = |usage: &str, options: &serde_json::Value| {
        let files = vec![("shop.ts".to_owned(), file.clone()), ("use.ts".to_owned(), usage.to_owned())];
        let program = Program { files, options: options.clone() };
        node.tsc_check_all(&[program]).unwrap().remove(0)
    };
    let mut browser = node::strictest();
    browser["lib"] = serde_json::json!(["es2022", "dom"]);
    browser["noImplicitReturns"] = true.into();
    browser["noUnusedParameters"] = true.into();
    browser["noImplicitOverride"] = true.into();
    for options in [&node::strict(), &node::strictest(), &browser] {
        assert_eq!(errors(USES, options), []);
    }
    // With the library, the signal has its type.
    let signal =
        "import type { Message } from './shop.ts';\nexport const f = (m: Message): number => m.signal.aborted;";
    assert_eq!(errors(signal, &browser).len(), 1);
    for wrong in [
        "await client.echo({ text: 1 });",
        "await client.ech({ text: 'a' });",
        "const text: string = (await client.echo({ text: 'a' })).response.text; void text;",
        "shop.createShopClient(client, { from: 'x' });",
        "shop.createShopClient({} as shop.Transport, {});",
        "await client.echo({ text: 'a' }, { retry: { hedgeAfterMs: 1 } });",
        "await client.echo({ text: 'a' }, { skew: 'lenient' });",
        "shop.createShopClient({} as shop.Transport, { from: 'x', interceptors: [async () => 1] });",
        "shop.createShopServer({} as shop.ShopHandlers, { interceptors: [async () => ({ error: 'a' })] });",
    ] {
        let usage = format!(
            "import * as shop from './shop.ts';\ndeclare const client: shop.ShopClient;\nexport const f = async () => {{ {wrong} }};\n"
        );
        assert!(!errors(&usage, &node::strictest()).is_empty(), "{wrong}");
    }
}

#[test]
fn types_of_contracts_do_not_shadow_those_of_the_language() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let names = [
        "Promise",
        "Error",
        "Array",
        "Map",
        "Set",
        "Date",
        "Request",
        "Response",
        "AbortSignal",
        "PClient",
        "PCall",
        "Symbol",
        "Function",
    ];
    let definitions: Vec<String> = names
        .iter()
        .map(|name| {
            format!("\"{name}\": {{\"type\": \"object\", \"properties\": {{\"a\": {{\"type\": \"string\"}}}}}}")
        })
        .collect();
    let properties: Vec<String> =
        names.iter().map(|name| format!("\"{name}\": {{\"$ref\": \"#/definitions/{name}\"}}")).collect();
    let text = format!(
        r#"{{"version": 1, "agent": "agent://p", "transports": [{{"kind": "memory", "topics": {{"requests": "p"}}}}],
        "capabilities": [{{"name": "ping", "inputSchema": {{"type": "object", "definitions": {{{}}}, "properties": {{{}}}}}}}]}}"#,
        definitions.join(","),
        properties.join(",")
    );
    let contract = load(&Source::new("capabilities.json", text)).unwrap().manifest;
    let files = vec![("p.ts".to_owned(), generated_with_calls(&contract, Language::TypeScript))];
    assert_eq!(node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap(), [vec![]]);
}

#[test]
fn any_names_of_agents_and_capabilities_compile() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let file = |(index, contract)| (format!("f{index}.ts"), generated_with_calls(contract, Language::TypeScript));
    let files = random_names(30).iter().enumerate().map(file).collect();
    assert_eq!(node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap(), [vec![]]);
}

#[test]
fn files_with_calls_have_no_findings_of_linters() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let mut contract = shop();
    contract.capabilities.truncate(4);
    let files = [("shop.ts", &contract), ("errors.ts", &errors_with(&[]))]
        .map(|(file, contract)| (file.to_owned(), generated_with_calls(contract, Language::TypeScript)));
    for (tool, findings) in node.lint(&files).unwrap() {
        assert!(findings.is_empty(), "{tool}: {}", findings.join("\n"));
    }
}

#[test]
fn bundles_contain_clients_and_servers_only_if_they_are_used() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let files = [("shop.ts".to_owned(), generated_with_calls(&shop(), Language::TypeScript))];
    let bundle = |entry: &str| node.bundle(&files, entry).unwrap();
    let validator = bundle("import { parseEchoRequest } from './shop.ts'; console.log(parseEchoRequest(1));");
    assert!(!validator.contains("membersOf") && !validator.contains("call_methods"), "{validator}");
    assert!(!validator.contains("function intercept"), "{validator}");
    let client = bundle("import { createShopClient } from './shop.ts'; console.log(createShopClient);");
    assert!(client.contains("function attemptsOf") && !client.contains("function serve"), "{client}");
    assert!(!client.contains("function interceptRequest"), "{client}");
    let server = bundle("import { handleShop } from './shop.ts'; console.log(handleShop);");
    assert!(!server.contains("function clientOf") && server.contains("function serve("), "{server}");
    assert!(!server.contains("function callOf") && !server.contains("function attemptsOf"), "{server}");
    assert!(!server.contains("function interceptCall"), "{server}");
    assert!(!server.contains("function serverOf") && !server.contains("function keyedAnswers"), "{server}");
    let server = bundle("import { createShopServer } from './shop.ts'; console.log(createShopServer);");
    assert!(!server.contains("function clientOf") && server.contains("function serverOf"), "{server}");
    assert_eq!(bundle("import './shop.ts';").lines().filter(|line| !line.starts_with("//")).count(), 0);
}

#[test]
fn javascript_with_calls_is_typescript_without_types() {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let cases = std::fs::read_dir(folder().join("cases")).unwrap();
    let read = |case: std::io::Result<std::fs::DirEntry>| {
        let source = capgen_manifest::read_source(&case.unwrap().path().join("capabilities.yaml"), "case").unwrap();
        load(&source).unwrap().manifest
    };
    let contracts: Vec<Manifest> = cases.map(read).chain([shop()]).collect();
    let options = Options { calls: true, ..Options::default() };
    let all = |language: Language| -> Vec<Vec<String>> {
        contracts.iter().map(|contract| own_files(contract, language, &options).into_values().collect()).collect()
    };
    let (typescript, javascript) = (all(Language::TypeScript), all(Language::JavaScript));
    let declarations: Vec<_> =
        javascript.iter().enumerate().map(|(i, files)| (format!("d{i}.d.ts"), files[0].clone())).collect();
    let sources = typescript.iter().enumerate().map(|(i, files)| (format!("t{i}.ts"), files[0].clone()));
    let files = declarations.into_iter().chain(sources).collect();
    assert_eq!(node.tsc_check_all(&[Program { files, options: node::strictest() }]).unwrap(), [vec![]]);
    let from_typescript = node.erase(&typescript.into_iter().flatten().collect::<Vec<_>>()).unwrap();
    let scripts: Vec<String> = javascript.into_iter().filter_map(|mut files| files.pop()).collect();
    for ((contract, expected), actual) in contracts.iter().zip(from_typescript).zip(node.erase(&scripts).unwrap()) {
        assert_eq!(actual, expected, "{}", contract.agent);
    }
}
