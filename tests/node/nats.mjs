// The package `@capgen/nats` connects generated clients and servers over the server of NATS at the address in the second argument. The
// module in the first one has the agent `shop` of `typescript_calls.rs`.
import assert from "node:assert/strict";
import { connect as connectTcp, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { connect } from "@nats-io/transport-node";
import { natsTransport, serveNats } from "../../runtime/nats/npm/index.js";
import { run, sign, verify } from "./call_server/fixture.mjs";

const { createShopClient, createShopServer, capabilities } = await import(pathToFileURL(process.argv[2]));
const url = process.argv[3];

let subjects = 0;
const fresh = () => `test.shop${subjects++}`;
const connected = (servers = url, user = "all") => connect({ servers, user, pass: "secret", maxReconnectAttempts: -1, reconnectTimeWait: 20 });

/** A server with handlers of `any` and `read`, over a connection of its own. */
async function serving(subject, handler, settings, options, servers = url) {
  const connection = await connected(servers);
  const server = createShopServer({ any: handler, read: handler }, { receivesControl: true, ...settings });
  const service = await serveNats(connection, server, { subject, queue: "shop", capabilities: capabilities, ...options });
  return { connection, ...service };
}

const clientOf = (connection, at, settings) => createShopClient(natsTransport(connection, at), { from: "console", ...settings });
const tests = {};

tests["calls and events arrive, also of several agents"] = async () => {
  const [subject, events] = [fresh(), []];
  await serving(subject, (value, { capability }) => (events.push(capability), value), { sign, verify });
  const connection = await connected();
  const client = clientOf(connection, { "agent://shop": subject }, { sign, verify });
  const results = await Promise.all(Array.from({ length: 200 }, (_, index) => client.any(index)));
  assert.deepEqual(results.map(({ response }) => response), Array.from({ length: 200 }, (_, index) => index));
  assert.equal((await client.any.publish(1)).status, "ok");
  while (events.length < 201) await sleep(1);
  const other = await clientOf(connection, { "agent://other": subject }).any(1);
  assert.deepEqual([other.error.code, other.error.retryable], ["EAGENTRPC_NO_PEER", false]);
};

tests["a call that nothing receives ends at once"] = async () => {
  const client = clientOf(await connected(), fresh());
  const { error, latencyMs } = await client.any(1);
  assert.deepEqual([error.code, error.effect, latencyMs < 2000], ["EAGENTRPC_NO_PEER", "none", true]);
};

tests["a cancel reaches the handler"] = async () => {
  const subject = fresh();
  let signal;
  await serving(subject, (_, context) => new Promise((_, reject) => ((signal = context.signal), signal.addEventListener("abort", () => reject(signal.reason)))));
  const client = clientOf(await connected(), subject);
  const controller = new AbortController();
  const call = client.any(1, { signal: controller.signal });
  while (!signal) await sleep(1);
  controller.abort();
  assert.equal((await call).status, "abandoned");
  const start = performance.now();
  while (!signal.aborted) await sleep(1);
  assert.ok(performance.now() - start < 500);
};

tests["a request whose process ended is sent to another one"] = async () => {
  const [subject, runs] = [fresh(), []];
  const slow = (name) => async () => (runs.push(name), await sleep(runs.length === 1 ? 60_000 : 400), 1);
  const processes = { a: await serving(subject, slow("a")), b: await serving(subject, slow("b")) };
  const client = clientOf(await connected(), subject, { retry: { attempts: 3, firstPauseMs: 1, heartbeatMs: 250 } });
  const call = client.read(null);
  while (runs.length === 0) await sleep(1);
  await sleep(400);
  await processes[runs[0]].connection.close();
  assert.equal((await call).response, 1);
  assert.deepEqual(runs, runs[0] === "a" ? ["a", "b"] : ["b", "a"]);
  // A handler that is slower than three heartbeats runs once.
  runs.push("x");
  assert.equal((await client.read(null)).status, "ok");
  assert.equal(runs.length, 4);
};

tests["a process is found by its contract"] = async () => {
  const subject = fresh();
  const old = await connected();
  let refused = 0;
  const callback = (_, message) => {
    const { correlationId, messageId, from, to, capability } = JSON.parse(message.string());
    const payload = { code: "EVERSION_SKEW", message: "m", retryable: true, effect: "none" };
    const headers = { "capgen-status": "error" };
    refused++;
    message.respond(JSON.stringify({ version: 1, kind: "response", messageId: "m", correlationId, causedBy: messageId, from: to, to: from, capability, headers, payload }));
  };
  // So many that the other one is not found by chance.
  for (let count = 0; count < 20; count++) old.subscribe(subject, { queue: "shop", callback });
  await old.flush();
  await serving(subject, () => 1);
  const client = clientOf(await connected(), subject);
  for (let count = 0; count < 20; count++) assert.equal((await client.read(null)).status, "ok");
  assert.ok(refused > 0);
};

tests["a server that stops answers the requests that it has"] = async () => {
  const subject = fresh();
  const service = await serving(subject, async (value) => (await sleep(200), value));
  const connection = await connected();
  const client = clientOf(connection, subject);
  const calls = Array.from({ length: 200 }, (_, index) => client.any(index));
  // All are sent, and some of the requests are on their way from the broker.
  await sleep(0);
  await connection.flush();
  const stopped = service.stop();
  for (const { status, error } of await Promise.all(calls)) assert.equal(status, "ok", error?.code);
  assert.equal(await stopped, true);
  assert.equal((await client.any(1)).error.code, "EAGENTRPC_NO_PEER");
  const stuck = await serving(subject, () => new Promise(() => {}));
  const call = client.any(1);
  await sleep(100);
  assert.equal(await stuck.stop(50), false);
  assert.equal((await call).status, "abandoned");
};

/** A relay to the server of NATS whose connections can be cut. */
async function relay() {
  const open = new Set();
  let isDown = false;
  const server = createServer((socket) => {
    if (isDown) return socket.destroy();
    const { hostname, port } = new URL(url);
    const other = connectTcp(Number(port), hostname);
    for (const [from, to] of [[socket, other], [other, socket]]) {
      open.add(from);
      from.pipe(to);
      for (const event of ["error", "close"]) from.on(event, () => (open.delete(from), to.destroy()));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `nats://127.0.0.1:${server.address().port}`,
    cut: () => {
      isDown = true;
      for (const socket of open) socket.destroy();
    },
    repair: () => (isDown = false),
  };
}

tests["a lost connection fails calls at once, and is made again"] = async () => {
  const [subject, path] = [fresh(), await relay()];
  await serving(subject, () => 1);
  const connection = await connected(path.url);
  const client = clientOf(connection, subject);
  assert.equal((await client.any(1)).status, "ok");
  path.cut();
  let result;
  do result = await client.any(1, { timeoutMs: 200 });
  while (result.error.code !== "EAGENTRPC_NO_TRANSPORT");
  assert.deepEqual([result.error.effect, result.error.retryable, result.latencyMs < 100], ["none", true, true]);
  const retrying = client.any(1, { timeoutMs: 20_000, retry: { attempts: 64, longestPauseMs: 200 } });
  await sleep(100);
  path.repair();
  assert.equal((await retrying).status, "ok");
  assert.equal((await client.any(1)).status, "ok");
};

tests["a server receives requests again after a lost connection"] = async () => {
  const [subject, path] = [fresh(), await relay()];
  await serving(subject, () => 1, {}, {}, path.url);
  const client = clientOf(await connected(), subject, { retry: { attempts: 64, longestPauseMs: 200 } });
  assert.equal((await client.any(1)).status, "ok");
  path.cut();
  const gone = Date.now() + 10_000;
  while ((await client.any(1, { timeoutMs: 500, retry: { attempts: 1 } })).error?.code !== "EAGENTRPC_NO_PEER") assert.ok(Date.now() < gone);
  const waiting = client.any(1, { timeoutMs: 20_000 });
  await sleep(50);
  path.repair();
  assert.equal((await waiting).response, 1);
};

tests["messages above the limit of the server are not sent"] = async () => {
  const subject = fresh();
  await serving(subject, () => 1);
  const client = clientOf(await connected(), subject);
  const { error } = await client.any("é".repeat(600_000), { retry: { attempts: 3 } });
  assert.deepEqual([error.code, error.effect], ["EAGENTRPC_INVALID_ENVELOPE", "none"]);
  assert.match(error.message, /^the message has 1200\d\d\d bytes; the server accepts 1048576$/);
  assert.equal((await client.any("é".repeat(500_000))).status, "ok");
};

tests["subjects of the server and wildcards are refused"] = async () => {
  const connection = await connected();
  for (const subject of ["$JS.API.STREAM.DELETE.A", "a.*", "a.>", ">", "", "a..b", "a b", "a.", ".a"]) {
    const { error } = await clientOf(connection, subject).any(1);
    assert.deepEqual([error.code, error.retryable], ["EAGENTRPC_NO_TRANSPORT", false], subject);
    await assert.rejects(serveNats(connection, createShopServer({}), { subject, queue: "shop" }), /is not allowed/);
  }
  // A request cannot make a server publish there.
  const [subject, seen] = [fresh(), []];
  await serving(subject, (value) => (seen.push(value), value));
  connection.subscribe("$probe.a", { callback: (_, message) => seen.push(message.string()) });
  const request = { version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://console", to: "agent://shop", capability: "any", payload: 1 };
  connection.publish(subject, JSON.stringify(request), { reply: "$probe.a" });
  while (seen.length === 0) await sleep(1);
  await sleep(100);
  assert.deepEqual(seen, [1]);
};

tests["a server without the right to its requests does not start, and one without others warns"] = async () => {
  const connection = await connected(url, "limited");
  const server = createShopServer({ any: (value) => value });
  await assert.rejects(serveNats(connection, server, { subject: "denied", queue: "shop" }), /denied/i);
  const warnings = [];
  await serveNats(connection, server, { subject: "limited", queue: "shop", onError: (error) => warnings.push(error.message) });
  assert.deepEqual([warnings.length, warnings[0].startsWith("there is no subscription to `limited.control`: ")], [1, true]);
  assert.equal((await clientOf(connection, "limited").any(1)).status, "ok");
  // Without the right to its inbox, a client gets no answers.
  const client = createShopClient(natsTransport(connection, "limited", { inboxPrefix: "_OTHER" }), { from: "console" });
  const { error } = await client.any(1);
  assert.equal(error.code, "EAGENTRPC_NO_TRANSPORT");
  // Later calls fail at once, and send nothing.
  const received = [];
  const observer = await connected();
  observer.subscribe("limited", { callback: (_, message) => received.push(message) });
  await observer.flush();
  const later = await client.any(1, { retry: { attempts: 3 } });
  assert.match(later.error.message, /^the answers cannot be received: .*_OTHER/);
  assert.deepEqual([later.error.code, later.error.effect, later.error.retryable, later.latencyMs < 100], ["EAGENTRPC_NO_TRANSPORT", "none", false, true]);
  await connection.flush();
  await observer.flush();
  assert.deepEqual(received, []);
  // A connection that is made again may have other rights.
  const path = await relay();
  let user = "limited";
  const changed = await connect({ servers: path.url, authenticator: () => ({ user, pass: "secret" }), maxReconnectAttempts: -1, reconnectTimeWait: 20 });
  const promoted = createShopClient(natsTransport(changed, "limited", { inboxPrefix: "_OTHER" }), { from: "console" });
  await changed.flush();
  assert.equal((await promoted.any(1)).error.effect, "none");
  user = "all";
  path.cut();
  path.repair();
  const end = Date.now() + 10_000;
  while ((await promoted.any(1)).status !== "ok") {
    assert.ok(Date.now() < end);
    await sleep(20);
  }
};

tests["an aborted call leaves nothing behind"] = async () => {
  const [subject, connection] = [fresh(), await connected()];
  await serving(subject, () => new Promise(() => {}));
  const transport = natsTransport(connection, subject);
  const [controller, message] = [new AbortController(), { to: "agent://shop", text: "{}", timeoutMs: 1000 }];
  const request = transport.request({ ...message, signal: controller.signal });
  const failed = assert.rejects(request, { code: "EAGENTRPC_ABANDONED" });
  await sleep(20);
  controller.abort();
  await failed;
};

await run(tests);
