// Calls the generated clients and servers of the module in the first argument, over transports that are functions. The module has
// the agent `shop` of `typescript_calls.rs`.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { pathToFileURL } from "node:url";

const { createShopClient, handleShop, capabilities } = await import(pathToFileURL(process.argv[2]));
const hash = capabilities.echo.hash;

/** A transport whose requests a function answers, given the envelope; it counts its messages. */
function transport(answer) {
  const sent = { requests: [], events: [] };
  return {
    sent,
    request: async (message) => {
      sent.requests.push(message);
      return answer(JSON.parse(message.text), message);
    },
    publish: async (message) => void sent.events.push(message),
  };
}

/** The text of a response to a request. */
function response(request, payload, more = {}) {
  const { correlationId, messageId, from, to, capability } = request;
  const envelope = { version: 1, kind: "response", messageId: "m", correlationId, causedBy: messageId, from: to, to: from, capability };
  return JSON.stringify({ ...envelope, payload, ...more });
}

const echo = (answer, settings) => {
  const used = transport(answer);
  return [createShopClient(used, { from: "console", ...settings }), used.sent];
};
const error = (payload, headers = {}) => ({ headers: { "capgen-status": "error", ...headers }, payload });
const tests = {};

tests["a valid call returns the response"] = async () => {
  const [client, sent] = echo((request) => response(request, { text: request.payload.text + "!" }));
  const result = await client.echo({ text: "a" }, { tenantId: "acme", headers: { "x-a": "b", "capgen-contract": "x" }, idempotencyKey: "k" });
  assert.deepEqual([result.status, result.response], ["ok", { text: "a!" }]);
  assert.equal(typeof result.latencyMs, "number");
  const [{ to, capability, text, timeoutMs }] = sent.requests;
  const envelope = JSON.parse(text);
  assert.deepEqual([to, capability, timeoutMs <= 30_000 && timeoutMs > 29_000], ["agent://shop", "echo", true]);
  assert.equal(envelope.correlationId, result.correlationId);
  assert.deepEqual(Object.keys(envelope), [
    "version", "kind", "messageId", "correlationId", "from", "to", "capability", "deadline", "tenantId", "headers", "payload",
  ]);
  assert.deepEqual([envelope.version, envelope.kind, envelope.from, envelope.to], [1, "request", "agent://console", "agent://shop"]);
  const { "capgen-timeout-ms": remaining, ...headers } = envelope.headers;
  assert.deepEqual(headers, { "x-a": "b", "capgen-contract": hash, "capgen-version": "1.2.0", "idempotency-key": "k" });
  assert.ok(remaining > 29_000 && remaining <= 30_000, remaining);
  assert.ok(Math.abs(envelope.deadline - Date.now() - 30_000) < 1000);
};

tests["an invalid request is not sent"] = async () => {
  const [client, sent] = echo(() => assert.fail());
  for (const call of [client.echo, client.echo.publish]) {
    const result = await call({ text: 1 });
    assert.deepEqual([result.status, result.schemaSide, result.error.code], ["schema-violation", "request", "EAGENTRPC_SCHEMA_VIOLATION"]);
    assert.deepEqual(result.violations, [{ path: "/text", message: "expected string, got integer", keyword: "type" }]);
    assert.equal("response" in result, false);
  }
  assert.deepEqual(sent, { requests: [], events: [] });
};

tests["an invalid response is kept"] = async () => {
  const [client] = echo((request) => response(request, { text: 5, other: [1] }));
  const result = await client.echo({ text: "a" });
  assert.deepEqual([result.status, result.schemaSide, result.response], ["schema-violation", "response", { text: 5, other: [1] }]);
  assert.equal(result.violations[0].path, "/text");
};

tests["values are not quoted if the client redacts"] = async () => {
  const [client] = echo(() => assert.fail(), { redact: true });
  const result = await client.size({ size: "secret" });
  assert.equal(JSON.stringify(result).includes("secret"), false);
};

tests["a call ends at its deadline"] = async () => {
  let signal;
  const [client, sent] = echo((_, message) => ((signal = message.signal), new Promise(() => {})));
  const start = Date.now();
  const result = await client.echo({ text: "a" }, { timeoutMs: 40 });
  assert.deepEqual([result.status, result.error.code, signal.aborted], ["timeout", "EAGENTRPC_TIMEOUT", true]);
  assert.ok(Date.now() - start < 2000 && result.latencyMs >= 35);
  // The timeout of the capability, and limits.
  assert.equal((await client.slow(1)).status, "timeout");
  const limits = [[0, 1], [-5, 1], [NaN, 1], [1e9, 600_000], [1.4, 1]];
  for (const [timeoutMs, expected] of limits) {
    const controller = new AbortController();
    const call = client.echo({ text: "a" }, { timeoutMs, signal: controller.signal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    await call;
    const { text } = sent.requests.at(-1);
    assert.ok(Math.abs(JSON.parse(text).deadline - Date.now() - expected) < 500, `${timeoutMs}`);
  }
  assert.equal((await echo(() => new Promise(() => {}), { timeoutMs: 10 })[0].echo({ text: "a" })).status, "timeout");
};

tests["a late response is ignored"] = async () => {
  const late = (request) => new Promise((resolve) => setTimeout(() => resolve(response(request, { text: "late" })), 50));
  const [client] = echo(late);
  assert.equal((await client.echo({ text: "a" }, { timeoutMs: 10 })).status, "timeout");
  const failing = () => new Promise((_, reject) => setTimeout(() => reject(new Error("late")), 30));
  assert.equal((await echo(failing)[0].echo({ text: "a" }, { timeoutMs: 10 })).status, "timeout");
  await new Promise((resolve) => setTimeout(resolve, 80));
};

tests["a signal abandons a call"] = async () => {
  const [client, sent] = echo(() => new Promise(() => {}));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 10);
  const result = await client.echo({ text: "a" }, { signal: controller.signal });
  assert.deepEqual([result.status, result.error.code], ["abandoned", "EAGENTRPC_ABANDONED"]);
  assert.equal((await client.echo({ text: "a" }, { signal: controller.signal })).status, "abandoned");
  assert.equal(sent.requests.length, 1);
};

tests["calls beyond the limit are not sent"] = async () => {
  let finish;
  const [client, sent] = echo((request) => new Promise((resolve) => (finish = () => resolve(response(request, { text: "a" })))), { maxInFlight: 1 });
  const first = client.echo({ text: "a" });
  const second = await client.echo({ text: "a" });
  assert.deepEqual([second.status, second.error.code, sent.requests.length], ["busy", "EAGENTRPC_BUSY", 1]);
  finish();
  assert.equal((await first).status, "ok");
  const third = client.echo({ text: "a" });
  await new Promise((resolve) => setTimeout(resolve, 1));
  finish();
  assert.equal((await third).status, "ok");
};

tests["only the response to the request is accepted"] = async () => {
  const valid = (request) => JSON.parse(response(request, { text: "a" }));
  const changed = (more) => (request) => JSON.stringify({ ...valid(request), ...more });
  const answers = {
    "not JSON": () => "{",
    "not text": () => undefined,
    "an array": () => "[]",
    "another call": changed({ correlationId: "x" }),
    "another agent": changed({ from: "agent://other" }),
    "another receiver": changed({ to: "agent://other" }),
    "another capability": changed({ capability: "size" }),
    "another kind": changed({ kind: "request" }),
    "another version": changed({ version: 2 }),
    "a version as text": changed({ version: "1" }),
    "an unknown key": changed({ extra: 1 }),
    "a signature outside of auth": changed({ signature: "0".repeat(64) }),
    "no payload": (request) => JSON.stringify({ ...valid(request), payload: undefined }),
    "no message id": changed({ messageId: "" }),
    "a long id": changed({ messageId: "x".repeat(129) }),
    "a fractional deadline": changed({ deadline: 1.5 }),
    "headers that are no texts": changed({ headers: { a: 1 } }),
    "an unknown auth": changed({ auth: { kind: "none" } }),
    "auth with more keys": changed({ auth: { kind: "internal", keyId: "a" } }),
    "a duplicate key": (request) => response(request, { text: "a" }).replace("{", '{"kind":"request",'),
    "an escaped duplicate key": (request) => response(request, { text: "a" }).replace("{", '{"\\u006bind":"request",'),
    "a duplicate key in the payload": (request) => response(request, { text: "a" }).replace('"text"', '"text":"b","text"'),
    "a duplicate key in a header": changed({ headers: { a: "1" } }),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const duplicate = name === "a duplicate key in a header";
    const [client] = echo((request) => (duplicate ? answer(request)?.replace('"a":"1"', '"a":"1","a":"1"') : answer(request)));
    const result = await client.echo({ text: "a" });
    assert.deepEqual([result.status, result.error?.code], ["error", "EAGENTRPC_INVALID_ENVELOPE"], name);
  }
  const accepted = [changed({ headers: { "capgen-status": "ok", a: '":{}[],\\' }, auth: { kind: "internal" }, tenantId: "t", replyTo: "nats://x" })];
  for (const answer of accepted) assert.equal((await echo(answer)[0].echo({ text: "a" })).status, "ok");
};

tests["the violations that an agent sends are cut like those of a report"] = async () => {
  const violations = Array.from({ length: 5000 }, (_, index) => ({ path: `/${"n".repeat(1000)}/${index}`, message: "m" }));
  const few = violations.slice(0, 3);
  for (const [more, count, truncated] of [[{ violations }, 65, true], [{ violations: few }, 3, false], [{ violations: few, truncated: true }, 3, true]]) {
    const payload = { code: "EAGENTRPC_SCHEMA_VIOLATION", message: "m", side: "request", ...more };
    const [client] = echo((request) => response(request, 0, error(payload)));
    const result = await client.echo({ text: "a" });
    assert.deepEqual([result.violations, result.truncated], [violations.slice(0, count), truncated]);
  }
};

tests["the code of an error decides the status"] = async () => {
  const violations = [{ path: "/text", message: "m" }];
  for (const [payload, expected] of [
    [{ code: "EAGENTRPC_BUSY", message: "m" }, "busy"],
    [{ code: "EAGENTRPC_TIMEOUT", message: "m" }, "timeout"],
    [{ code: "EAGENTRPC_ABANDONED", message: "m" }, "abandoned"],
    [{ code: "EAGENTRPC_SCHEMA_VIOLATION", message: "m", side: "request", violations }, "schema-violation"],
    [{ code: "EAGENTRPC_NO_CAPABILITY", message: "m" }, "error"],
    [{ code: "toString", message: "m" }, "error"],
    [{ code: "EVERSION_SKEW", message: "m", finding: { code: "E1" } }, "error"],
    [{ code: "PR_NOT_FOUND", message: "m", retryable: true }, "error"],
  ]) {
    const [client] = echo((request) => response(request, 0, error(payload)));
    const result = await client.echo({ text: "a" });
    assert.deepEqual([result.status, result.error.code, result.error.message], [expected, payload.code, "m"]);
    assert.deepEqual(result.error.finding, payload.finding);
    if (expected === "schema-violation") assert.deepEqual([result.schemaSide, result.violations], ["request", violations]);
  }
  for (const payload of [null, 1, [], {}, { code: 1, message: "m" }, { code: "EAGENTRPC_SCHEMA_VIOLATION", message: "m" }, { code: "A" }]) {
    const [client] = echo((request) => response(request, 0, error(payload)));
    assert.equal((await client.echo({ text: "a" })).error.code, "EAGENTRPC_INVALID_ENVELOPE", JSON.stringify(payload));
  }
};

tests["failures of the transport are results"] = async () => {
  for (const [thrown, code, message] of [
    [new Error("refused"), "EAGENTRPC_NO_TRANSPORT", "refused"],
    [Object.assign(new Error("no one"), { code: "EAGENTRPC_NO_PEER" }), "EAGENTRPC_NO_PEER", "no one"],
    [Object.assign(new Error("reset"), { code: "ECONNRESET" }), "EAGENTRPC_NO_TRANSPORT", "reset"],
    ["text", "EAGENTRPC_NO_TRANSPORT", "text"],
    [undefined, "EAGENTRPC_NO_TRANSPORT", "undefined"],
  ]) {
    const [client] = echo(() => { throw thrown; });
    const result = await client.echo({ text: "a" });
    assert.deepEqual([result.status, result.error.code, result.error.message], ["error", code, message]);
    assert.deepEqual([result.error.retryable, result.error.effect], [true, code === "EAGENTRPC_NO_PEER" ? "none" : undefined]);
  }
  const client = createShopClient({ request() { throw new Error("at once"); } }, { from: "console" });
  assert.equal((await client.echo({ text: "a" })).error.message, "at once");
};

tests["invalid options of a client are exceptions that name the option"] = async () => {
  for (const from of ["not an id", "", "../shop", "agent://console", "a".repeat(129), undefined, null])
    assert.throws(() => createShopClient(transport(assert.fail), { from }), { name: "TypeError", message: /`from` must be the id of an agent/ });
  for (const [option, value] of [["timeoutMs", 0], ["timeoutMs", NaN], ["timeoutMs", -1], ["maxInFlight", 0], ["maxInFlight", NaN], ["maxInFlight", "x"]]) {
    const expected = { name: "RangeError", message: `\`${option}\` must be a number of at least 1` };
    assert.throws(() => createShopClient(transport(assert.fail), { from: "console", [option]: value }), expected);
  }
  createShopClient(transport(assert.fail), { from: "a.B_2-c", timeoutMs: 1, maxInFlight: 1 });
};

tests["requests without a schema are sent as they are"] = async () => {
  const [client, sent] = echo((request) => response(request, request.payload));
  for (const value of [null, 0, "", [], { a: [{}] }]) assert.deepEqual((await client.any(value)).response, value);
  const cycle = {};
  cycle.cycle = cycle;
  for (const value of [undefined, cycle, 1n, () => 1]) {
    const { status, error } = await client.any(value);
    assert.deepEqual([status, error.code, error.retryable, sent.requests.length], ["error", "EAGENTRPC_INVALID_ENVELOPE", false, 5]);
  }
};

tests["an answer has no halves of characters"] = async () => {
  const request = {
    version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://console", to: "agent://shop", capability: "closed",
    payload: { "a\uD800": 1 },
  };
  const text = await handleShop(JSON.stringify(request), {});
  assert.doesNotMatch(text, /\\ud/);
  const { payload } = JSON.parse(text);
  assert.deepEqual([payload.code, payload.violations.map(({ path }) => path)], ["EAGENTRPC_SCHEMA_VIOLATION", ["/a\uFFFD"]]);
};

tests["an event is published without waiting"] = async () => {
  const [client, sent] = echo(() => assert.fail());
  const result = await client.echo.publish({ text: "a" });
  assert.deepEqual([result.status, result.response, sent.events.length], ["ok", undefined, 1]);
  assert.equal(JSON.parse(sent.events[0].text).kind, "event");
};

tests["a provider that asks for the contract gets it once"] = async () => {
  const needs = (request) => response(request, 0, error({ code: "EVERSION_SKEW", message: "m" }, { "capgen-needs": "descriptor" }));
  const [client, sent] = echo((request) => (request.headers["capgen-descriptor"] ? response(request, { text: "b" }) : needs(request)));
  assert.equal((await client.echo({ text: "a" })).status, "ok");
  const { name, version, hash: stated, inputSchema } = JSON.parse(JSON.parse(sent.requests[1].text).headers["capgen-descriptor"]);
  assert.deepEqual([name, version, stated, JSON.parse(inputSchema).type], ["echo", "1.2.0", hash, "object"]);
  const [refused, again] = echo(needs, { tryOtherInstances: false });
  assert.equal((await refused.echo({ text: "a" })).error.code, "EVERSION_SKEW");
  assert.equal(again.requests.length, 2);
};

const sign = (secret) => (text) => ({ keyId: "k1", signature: createHmac("sha256", secret).update(text).digest("hex") });
const verify = (secret) => async (text, { keyId, signature }) => keyId === "k1" && sign(secret)(text).signature === signature;
const handlers = {
  echo: ({ text }) => ({ text }),
  size: ({ size }) => size,
  slow: (ms) => new Promise((resolve) => setTimeout(() => resolve(ms), ms)),
  any: (value) => value,
};

/** A client of a server in the same program. */
const both = (settings, client, implementation = handlers) =>
  createShopClient(transport((_, { text }) => handleShop(text, implementation, settings)), { from: "console", ...client });

tests["client and server agree"] = async () => {
  const client = both();
  assert.deepEqual((await client.echo({ text: "é\u{1F600}" })).response, { text: "é\u{1F600}" });
  assert.equal((await client.any([1])).status, "ok");
};

tests["signatures cover the text as received"] = async () => {
  const keys = { sign: sign("secret"), verify: verify("secret") };
  assert.equal((await both(keys, keys).echo({ text: "a" })).status, "ok");
  assert.equal((await both(keys, {}).echo({ text: "a" })).error.code, "EAGENTRPC_AUTH_FAILED");
  assert.equal((await both({}, keys).echo({ text: "a" })).error.code, "EAGENTRPC_AUTH_FAILED");
  assert.equal((await both(keys, { ...keys, sign: sign("other") }).echo({ text: "a" })).error.code, "EAGENTRPC_AUTH_FAILED");
  const order = '"messageId":"m","correlationId":"c","from":"agent://console","to":"agent://shop","capability":"any"';
  const auth = (text) => `"auth":${JSON.stringify({ kind: "hmac", ...sign("secret")(text) })}`;
  const texts = [
    [`{"version":1,"kind":"request",${order},"payload":[":",{"auth":1}]}`, (text) => `${text.slice(0, -1)},${auth(text)}}`],
    [`{"version":1,"kind":"request",${order} , "payload":"a\\"b\\\\" }`, (text) => text.replace(" , ", `,${auth(text)} , `)],
    [`{"kind":"request",${order},"payload":{},"version":1}`, (text) => text.replace("{", `{${auth(text)},`)],
    [`{ "kind":"request",${order},"payload":{},"version":1}`, (text) => text.replace("{ ", `{ ${auth(text)},`).replace('"auth"', '"\\u0061uth"')],
  ];
  for (const [text, signed] of texts) {
    const answered = JSON.parse(await handleShop(signed(text), handlers, keys));
    assert.equal(answered.headers["capgen-status"], undefined, signed(text) + JSON.stringify(answered));
    const forged = JSON.parse(await handleShop(signed(text).replace("agent://console", "agent://konsole"), handlers, keys));
    assert.equal(forged.payload.code, "EAGENTRPC_AUTH_FAILED");
  }
};

/** A request as text, with changes. */
const request = (more) =>
  JSON.stringify({
    version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://console", to: "agent://shop", capability: "echo",
    payload: { text: "a" }, ...more,
  });

tests["a server rejects a request before it reaches a handler"] = async () => {
  let runs = 0;
  const counting = { ...handlers, echo: () => (runs++, { text: "" }) };
  const code = async (text, settings) => {
    const answer = await handleShop(text, counting, settings);
    return answer === undefined ? undefined : JSON.parse(answer).payload.code;
  };
  for (const [text, expected, settings] of [
    ["", undefined],
    ["[]", undefined],
    ["null", undefined],
    [undefined, undefined],
    [request({ kind: "response" }), undefined],
    [request({ from: "console" }), undefined],
    [request({ messageId: undefined }), undefined],
    [request({ version: 2 }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ extra: 1 }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({}).replace('"payload"', '"payload":{"text":"b"},"payload"'), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ payload: undefined }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ tenantId: "" }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ to: "agent://other" }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ deadline: Date.now() - 1 }), "EAGENTRPC_DEADLINE_EXCEEDED"],
    [request({ deadline: Date.now() + 700_000 }), "EAGENTRPC_INVALID_ENVELOPE"],
    [request({ capability: "valueOf" }), "EAGENTRPC_NO_CAPABILITY"],
    [request({ capability: "unknown" }), "EAGENTRPC_NO_CAPABILITY"],
    [request({ payload: {} }), "EAGENTRPC_SCHEMA_VIOLATION"],
    [request({}), "EAGENTRPC_TENANT_MISMATCH", { tenants: ["acme"] }],
    [request({ tenantId: "other" }), "EAGENTRPC_TENANT_MISMATCH", { tenants: ["acme"] }],
    [request({}), "EAGENTRPC_AUTH_FAILED", { verify: () => true }],
    [request({ auth: { kind: "internal" } }), "EAGENTRPC_AUTH_FAILED", { verify: () => true }],
    [request({ auth: { kind: "hmac", keyId: "k", signature: "0".repeat(64) } }), "EAGENTRPC_AUTH_FAILED", { verify: () => false }],
  ])
    assert.equal(await code(text, settings), expected, text);
  assert.equal(runs, 0);
  assert.equal(await code(request({ tenantId: "acme" }), { tenants: ["acme"] }), undefined);
  assert.equal(runs, 1);
  assert.equal(await handleShop(request({ kind: "event" }), counting), undefined);
  assert.equal(await handleShop(request({ kind: "event", payload: {} }), counting), undefined);
  assert.equal(runs, 2);
};

tests["a server refuses callers whose version it does not serve"] = async () => {
  const implementation = { ...handlers, newApi: (value) => value, some: (value) => value };
  const answer = async (capability, headers) =>
    JSON.parse(await handleShop(request({ capability, payload: 1, headers }), implementation)).payload;
  for (const [capability, version, served] of [
    ["new-api", "1.1.9", false],
    ["new-api", "1.2.0-rc.1", false],
    ["new-api", "0.99999999999999999999.0", undefined],
    ["new-api", "0.18446744073709551615.0", false],
    ["new-api", "1.2.0", true],
    ["new-api", "1.2.0+build.1", true],
    ["new-api", "10.0.0", true],
    ["new-api", "1.2", undefined],
    ["new-api", "latest", undefined],
    ["new-api", "01.2.0", undefined],
    ["new-api", "", undefined],
    ["some", "1.0.0", true],
    ["some", "1.0.0-1", false],
    ["some", "1.0.1", false],
    ["some", "1.4.99", true],
    ["some", "1.5.0-rc.1", true],
    ["some", "1.5.0-9", true],
    ["some", "1.5.0-rc.1.1", true],
    ["some", "1.5.0-rc", true],
    ["some", "1.5.0-rc.10", false],
    ["some", "1.5.0-rc.2", false],
    ["some", "1.5.0-rd", false],
    ["some", "1.5.0", false],
    ["some", "2.1.0", true],
  ]) {
    const payload = await answer(capability, { "capgen-version": version });
    const code = served ? undefined : served === false ? "EVERSION_SKEW" : "EAGENTRPC_INVALID_ENVELOPE";
    assert.equal(payload.code, code, `${capability} ${version}: ${JSON.stringify(payload)}`);
    if (served === false) assert.match(payload.message, new RegExp(`1\\.2\\.0.*but the caller has version ${version.replace(/[+.]/g, "\\$&")}$`));
  }
  assert.equal(await answer("new-api", {}), 1);
  assert.equal(await answer("any", { "capgen-version": "latest" }), 1);
};

tests["a response names its request"] = async () => {
  const answer = JSON.parse(await handleShop(request({ tenantId: "t", headers: { traceparent: "x" } }), handlers));
  const { messageId, ...rest } = answer;
  assert.match(messageId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(rest, {
    version: 1, kind: "response", correlationId: "c", causedBy: "m", from: "agent://shop", to: "agent://console", capability: "echo",
    tenantId: "t", headers: { "capgen-contract": hash, "capgen-version": "1.2.0" }, payload: { text: "a" },
  });
};

tests["failures of handlers are errors"] = async () => {
  const seen = [];
  const settings = { onError: (error, { capability }) => seen.push([error.message, capability]) };
  const result = async (echo) => (await both(settings, {}, { ...handlers, echo }).echo({ text: "a" })).error;
  assert.deepEqual(await result(() => { throw new Error("secret"); }), { code: "EAGENTRPC_HANDLER_FAILED", message: "the handler failed", retryable: false });
  assert.equal((await result(async () => { throw new Error("later"); })).code, "EAGENTRPC_HANDLER_FAILED");
  assert.equal((await result(undefined)).code, "EAGENTRPC_HANDLER_FAILED");
  assert.deepEqual(await result((_, context) => context.fail("NOT_FOUND", "no a")), { code: "NOT_FOUND", message: "no a", retryable: false });
  assert.equal((await result((_, context) => context.fail("", "no a"))).code, "EAGENTRPC_HANDLER_FAILED");
  assert.deepEqual(seen.map(([, capability]) => capability), ["echo", "echo", "echo"]);
  const invalid = await both({}, {}, { ...handlers, echo: () => ({ text: { secret: 1 } }) }).echo({ text: "a" });
  assert.deepEqual([invalid.status, invalid.schemaSide, "response" in invalid], ["schema-violation", "response", false]);
  assert.equal(JSON.stringify(invalid).includes("secret"), false);
  const circular = [];
  circular.push(circular);
  const failed = await both({}, {}, { ...handlers, any: () => circular }).any(1);
  assert.equal(failed.error.code, "EAGENTRPC_HANDLER_FAILED");
};

tests["a handler has the properties of the call"] = async () => {
  let context;
  class Shop {
    text = "this";
    echo(_, given) {
      context = given;
      return { text: this.text };
    }
  }
  const client = both({}, { tenantId: "t" }, new Shop());
  const result = await client.echo({ text: "a" }, { headers: { "x-a": "1" } });
  assert.equal(result.response.text, "this");
  assert.deepEqual([context.caller, context.capability, context.tenantId, context.headers["x-a"]], ["console", "echo", "t", "1"]);
  assert.equal(context.correlationId, result.correlationId);
};

tests["a handler that takes too long is a timeout"] = async () => {
  const answer = JSON.parse(await handleShop(request({ capability: "slow", payload: 60, deadline: Date.now() + 20 }), handlers));
  assert.equal(answer.payload.code, "EAGENTRPC_TIMEOUT");
};

/** A request that states the time that remains, by a caller whose clock differs by some minutes. */
const within = (timeout, minutes = 0, more = {}) =>
  request({ deadline: Date.now() + minutes * 60_000 + Number(timeout), headers: { "capgen-timeout-ms": timeout }, ...more });

tests["the time that remains does not depend on clocks"] = async () => {
  for (const minutes of [-10, 10]) assert.equal(JSON.parse(await handleShop(within("5000", minutes), handlers)).headers["capgen-status"], undefined);
  const slow = JSON.parse(await handleShop(within("20", 60, { capability: "slow", payload: 60 }), handlers));
  assert.equal(slow.payload.code, "EAGENTRPC_TIMEOUT");
  for (const timeout of ["", "0", "600001", "-1", "+5", "05", "1.5", "1e3", " 5", "soon"]) {
    const { payload } = JSON.parse(await handleShop(request({ headers: { "capgen-timeout-ms": timeout } }), handlers));
    assert.deepEqual([payload.code, payload.effect], ["EAGENTRPC_INVALID_ENVELOPE", "none"], timeout);
    assert.ok(payload.message.includes("`capgen-timeout-ms`"), payload.message);
  }
};

tests["signed requests are refused from five minutes of difference"] = async () => {
  const auth = { kind: "hmac", keyId: "k", signature: "0".repeat(64) };
  for (const [minutes, code, message, settings] of [
    [4, undefined],
    [-4, undefined],
    [6, "EAGENTRPC_INVALID_ENVELOPE", /^the clock of the caller is 3[56]\d{4} ms ahead of the provider's/],
    [-6, "EAGENTRPC_DEADLINE_EXCEEDED", /^the deadline passed 35\d{4} ms ago by the provider's clock/],
    [6, undefined, undefined, { clockDifferenceMs: 600_000 }],
  ]) {
    const answer = JSON.parse(await handleShop(within("5000", minutes, { auth }), handlers, { verify: () => true, ...settings }));
    assert.equal(answer.headers["capgen-status"] && answer.payload.code, code, `${minutes} minutes`);
    if (message) assert.match(answer.payload.message, message);
    if (minutes === -6) assert.equal(answer.payload.details.timeoutMs, 5000);
  }
};

tests["a request that only its caller can read names the side that does not know a property"] = async () => {
  const other = { "capgen-contract": "0".repeat(64), "capgen-version": "1.1.0" };
  const answer = JSON.parse(await handleShop(request({ payload: {}, headers: other }), handlers));
  const { code, message, retryable, effect, side, violations, skew } = answer.payload;
  assert.deepEqual([code, retryable, effect, side, violations.length], ["EVERSION_SKEW", true, "none", "request", 1]);
  assert.equal(message, "the provider (1.2.0) requires `text`, which your contract (1.1.0) may leave out");
  assert.deepEqual(skew, {
    callerVersion: "1.1.0", callerContract: "0".repeat(64), providerVersion: "1.2.0", providerContract: hash, served: ["1.2.0"],
    reason: "payload",
  });
  assert.equal(answer.headers["capgen-version"], "1.2.0");
  const [client] = echo((request) => response(request, answer.payload, { headers: answer.headers }));
  const result = await client.echo({ text: "a" });
  assert.deepEqual([result.status, result.error.code, result.error.skew, result.error.effect], ["error", code, skew, "none"]);
  assert.equal(result.error.violations[0].path, "/text");
  const closed = JSON.parse(await handleShop(request({ capability: "closed", payload: { "a/b c": 1 }, headers: other }), handlers));
  assert.equal(closed.payload.message, 'the provider does not know "a/b c", which your contract (1.1.0) may send');
};

tests["an invalid response of another version shows both versions"] = async () => {
  const headers = { "capgen-contract": "0".repeat(64), "capgen-version": "2.0.0" };
  const [client] = echo((request) => response(request, { text: 1 }, { headers }));
  const { status, schemaSide, error } = await client.echo({ text: "a" });
  assert.deepEqual([status, schemaSide, error.code], ["schema-violation", "response", "EAGENTRPC_SCHEMA_VIOLATION"]);
  assert.equal(error.message, "the provider has version 2.0.0, your contract is 1.2.0: the response violates its schema");
  assert.deepEqual([error.skew.providerVersion, error.skew.callerVersion, error.skew.reason], ["2.0.0", "1.2.0", "response"]);
};

tests["headers of the protocol are checked and not passed on"] = async () => {
  for (const headers of [{ "capgen-attempt": "1" }, { "capgen-attempt": "x" }, { "capgen-heartbeat-ms": "249" }, { "capgen-heartbeat-ms": "30001" }, { "capgen-policy": "serve" }]) {
    const { payload } = JSON.parse(await handleShop(request({ headers }), handlers));
    assert.equal(payload.code, "EAGENTRPC_INVALID_ENVELOPE");
    assert.ok(payload.message.includes(Object.keys(headers)[0]), payload.message);
  }
  const [client, sent] = echo((request) => response(request, { text: "a" }));
  await client.echo({ text: "a" }, { headers: { "capgen-heartbeat-ms": "1000", "capgen-policy": "strict", "x-a": "b" } });
  const { headers } = JSON.parse(sent.requests[0].text);
  assert.deepEqual([headers["capgen-heartbeat-ms"], headers["capgen-policy"], headers["x-a"]], [undefined, undefined, "b"]);
  const [waiting] = echo((request) => response(request, null, { headers: { "capgen-frame": "working" } }));
  assert.equal((await waiting.any(1)).error.code, "EAGENTRPC_INVALID_ENVELOPE");
};

tests["a stricter policy of the caller is followed without a comparison"] = async () => {
  const other = "0".repeat(64);
  for (const [policy, contract, expected] of [
    ["refuse", other, "EVERSION_SKEW"],
    ["strict", other, "EVERSION_SKEW"],
    ["strict", hash, undefined],
    [undefined, other, undefined],
  ]) {
    let runs = 0;
    const headers = { "capgen-contract": contract, ...(policy && { "capgen-policy": policy }) };
    const answer = JSON.parse(await handleShop(request({ headers }), { ...handlers, echo: () => (runs++, { text: "" }) }));
    assert.equal(answer.payload.code, expected, `${policy}`);
    assert.equal(runs, expected ? 0 : 1);
    if (expected) assert.deepEqual([answer.payload.skew.reason, answer.payload.effect], ["unknown-contract", "none"]);
  }
};

tests["handlers cannot fail with codes of the protocol"] = async () => {
  for (const code of ["EVERSION_SKEW", "EAGENTRPC_BUSY", "EAGENTRPC_X", "a\u0000b", "", "x".repeat(129)]) {
    const failing = { ...handlers, echo: (_, context) => context.fail(code, "m") };
    const { payload } = JSON.parse(await handleShop(request({}), failing));
    assert.deepEqual([payload.code, payload.effect], ["EAGENTRPC_HANDLER_FAILED", undefined], code);
  }
};

tests["answers to requests that prove nothing are not signed"] = async () => {
  const settings = { sign: () => ({ keyId: "k", signature: "0".repeat(64) }), verify: (_, { keyId }) => keyId === "k" };
  const auth = { kind: "hmac", keyId: "k", signature: "0".repeat(64) };
  for (const [more, isSigned] of [
    [{}, false],
    [{ deadline: 1 }, false],
    [{ auth: { ...auth, keyId: "other" } }, false],
    [{ auth, extra: 1 }, false],
    [{ auth, deadline: 1 }, true],
    [{ auth }, true],
  ]) {
    const answer = JSON.parse(await handleShop(request(more), handlers, settings));
    assert.equal(answer.auth !== undefined, isSigned, JSON.stringify(more));
  }
};

tests["control messages are dropped"] = async () => {
  assert.equal(await handleShop(request({ kind: "control", headers: { "capgen-control": "cancel" } }), handlers), undefined);
};

tests["a call that serves another one does not wait longer"] = async () => {
  const inner = transport(() => new Promise(() => {}));
  const implementation = {
    ...handlers,
    echo: async (_, parent) => ({ text: (await createShopClient(inner, { from: "shop" }).echo({ text: "b" }, { parent })).status }),
  };
  const text = request({ deadline: Date.now() + 60, tenantId: "t", headers: { traceparent: "00-a" } });
  await handleShop(text, implementation);
  const child = JSON.parse(inner.sent.requests[0].text);
  assert.deepEqual([child.causedBy, child.tenantId], ["m", "t"]);
  assert.ok(child.deadline <= JSON.parse(text).deadline && child.headers["capgen-timeout-ms"] <= 60, child.deadline);
  assert.equal(child.headers.traceparent, "00-a");
  const [late, sent] = echo(() => assert.fail());
  assert.equal((await late.echo({ text: "a" }, { parent: { deadline: Date.now() - 1, headers: {} } })).status, "timeout");
  assert.equal(sent.requests.length, 0);
};

tests["every capability has a method"] = async () => {
  const client = both();
  const names = Object.keys(client).sort();
  assert.equal(names.length, Object.keys(capabilities).length);
  assert.ok(names.every((name) => /^[a-z][A-Za-z0-9]*$/.test(name)), names.join());
  assert.ok(names.includes("new") && names.includes("delete") && !names.includes("then") && !names.includes("constructor"), names.join());
  assert.equal(await client, client);
};

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
console.log(`${Object.keys(tests).length} tests`);
