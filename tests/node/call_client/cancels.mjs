// Clients cancel calls.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { run, sign, verify, within } from "../call_server/fixture.mjs";
import { createShopClient, createShopServer, provider, response, scripted, until } from "./fixture.mjs";

const tests = {};

tests["an aborted call ends at once, and is cancelled"] = async () => {
  const { client, requests, cancels } = scripted();
  const controller = new AbortController();
  const call = client.any(1, { signal: controller.signal, tenantId: "acme" });
  await until(() => requests().length > 0);
  controller.abort();
  const { status, error } = await within(20, call);
  assert.deepEqual([status, error.code, error.retryable], ["abandoned", "EAGENTRPC_ABANDONED", false]);
  await until(() => cancels().length > 0);
  const [request] = requests();
  const [{ messageId, headers, ...cancel }] = cancels();
  const { "capgen-timeout-ms": rest, ...others } = headers;
  const { correlationId, deadline } = request;
  assert.deepEqual(cancel, {
    version: 1, kind: "control", correlationId, from: "agent://console", to: "agent://shop", capability: "any", deadline, tenantId: "acme",
    payload: { reason: "abandoned" }, at: "control",
  });
  assert.deepEqual(others, { "capgen-control": "cancel" });
  assert.ok(messageId !== request.messageId && rest > 29_000 && rest <= 30_000);
};

tests["a cancel without a signature has the token of its request"] = async () => {
  const replacing = (call, next) => next({ ...call, headers: { ...call.headers, authorization: "Bearer other" } });
  for (const [settings, expected] of [
    [{}, "Bearer own"],
    [{ interceptors: [replacing] }, "Bearer other"],
    [{ sign }, undefined],
  ]) {
    const { client, requests, cancels } = scripted(undefined, settings);
    const controller = new AbortController();
    const headers = { authorization: "Bearer own", other: "o" };
    const call = client.any(1, { signal: controller.signal, headers });
    await until(() => requests().length > 0);
    controller.abort();
    assert.equal((await call).status, "abandoned");
    await until(() => cancels().length > 0);
    const [{ headers: sent }] = cancels();
    assert.deepEqual([sent.authorization, sent.other], [expected, undefined]);
  }
};

/** A transport to a server in the same program. */
function connected(server) {
  const to = (part) => ({
    request: async ({ text }) => (await server.handle(text)) ?? new Promise(() => {}),
    publish: async ({ text }) => void (await (part === "control" ? server.control(text) : server.handle(text))),
    at: to,
  });
  return to();
}

tests["a signal reaches the handler within 50 ms"] = async () => {
  for (const keys of [{}, { sign, verify }]) {
    let handled;
    const handler = (_, { signal }) => new Promise((_, reject) => ((handled = signal), signal.addEventListener("abort", () => reject(signal.reason))));
    const client = createShopClient(connected(createShopServer({ any: handler }, { receivesControl: true, ...keys })), { from: "console", ...keys });
    const controller = new AbortController();
    const call = client.any(1, { signal: controller.signal });
    await until(() => handled);
    const start = performance.now();
    controller.abort();
    await until(() => handled.aborted);
    assert.ok(performance.now() - start < 50);
    assert.equal((await call).status, "abandoned");
  }
};

tests["the calls of a handler end with it, and belong to its call"] = async () => {
  const inner = scripted();
  let started;
  const outer = { any: (_, context) => ((started = true), inner.client.read(null, { parent: context })) };
  const server = createShopServer(outer, { receivesControl: true });
  const client = createShopClient(connected(server), { from: "console" });
  const controller = new AbortController();
  const options = { signal: controller.signal, tenantId: "acme", session: "s", headers: { traceparent: "00-a" }, timeoutMs: 5000 };
  const call = client.any(1, options);
  await until(() => started && inner.requests().length > 0);
  controller.abort();
  assert.equal((await call).status, "abandoned");
  await until(() => inner.cancels().length > 0);
  const [{ tenantId, headers }] = inner.requests();
  assert.deepEqual([tenantId, headers["capgen-session"], headers.traceparent], ["acme", "s", "00-a"]);
  assert.ok(headers["capgen-timeout-ms"] <= 5000);
  assert.deepEqual([inner.cancels()[0].payload.reason, inner.cancels()[0].tenantId], ["abandoned", "acme"]);
};

tests["a closed client cancels its calls, and makes no more"] = async () => {
  const controller = new AbortController();
  const { client, requests, cancels } = scripted(undefined, { signal: controller.signal });
  const calls = Array.from({ length: 20 }, () => client.any(1));
  await until(() => requests().length === 20);
  controller.abort();
  for (const { status, error } of await within(50, Promise.all(calls))) assert.deepEqual([status, error.message], ["abandoned", "the client is closed"]);
  await until(() => cancels().length === 20);
  assert.ok(cancels().every(({ payload }) => payload.reason === "closed"));
  assert.equal((await client.any(1)).status, "abandoned");
  assert.equal(requests().length, 20);
};

tests["many calls with one signal have one listener, and leave none"] = async () => {
  const warnings = [];
  process.on("warning", ({ name }) => warnings.push(name));
  const controller = new AbortController();
  const { client, requests, cancels } = scripted((request, send) => request.payload && send(response(request, 1)));
  const { signal } = controller;
  const listeners = () => getEventListeners(signal, "abort").length;
  const parent = { signal, headers: {} };
  await Promise.all(Array.from({ length: 20 }, () => client.any(1, { signal, parent })));
  assert.equal(listeners(), 0);
  const calls = Array.from({ length: 20 }, (_, index) => client.any(0, index % 2 ? { signal } : { parent }));
  await until(() => requests().length === 40);
  assert.equal((await client.any(1, { signal, parent })).status, "ok");
  assert.equal(listeners(), 1);
  controller.abort();
  for (const { status } of await within(50, Promise.all(calls))) assert.equal(status, "abandoned");
  await until(() => cancels().length === 20);
  assert.deepEqual([listeners(), warnings], [0, []]);
};

tests["a call with many attempts warns about no listeners, and leaves none"] = async () => {
  const warnings = [];
  process.on("warning", ({ name }) => warnings.push(name));
  const controller = new AbortController();
  const { signal } = controller;
  const react = (request, send, count) => count === 15 && send(response(request, 1));
  // Each attempt adds a listener to the signal that it gets.
  const { client, requests, signals } = scripted(react, { signal, retry: { attempts: 20, firstPauseMs: 1, longestPauseMs: 1, attemptTimeoutMs: 5 } });
  assert.equal((await client.read(null, { signal })).status, "ok");
  assert.deepEqual([requests().length, getEventListeners(signal, "abort").length], [15, 0]);
  // Those that did not decide the call end with it.
  assert.deepEqual([new Set(signals).size, signals.filter(({ aborted }) => aborted).length], [15, 14]);
  // Clients that only wait need none.
  for (let count = 0; count < 20; count++) scripted(undefined, { signal });
  await sleep(10);
  assert.deepEqual([getEventListeners(signal, "abort").length, warnings], [0, []]);
};

tests["calls that ended are not cancelled"] = async () => {
  const controller = new AbortController();
  let late;
  const { client, cancels } = scripted((request, send) => request.payload && send(response(request, 1)));
  assert.equal((await client.any(1, { signal: controller.signal })).status, "ok");
  controller.abort();
  assert.equal((await client.any(0, { timeoutMs: 20 })).status, "timeout");
  assert.equal((await client.any(1, { signal: controller.signal })).status, "abandoned");
  await client.any.publish(1, { signal: controller.signal });
  // The deadline passes at the same time.
  const { now } = performance;
  const last = client.any(0, { timeoutMs: 1000, signal: (late = new AbortController()).signal });
  performance.now = () => now.call(performance) + 999;
  late.abort();
  performance.now = now;
  assert.equal((await last).status, "timeout");
  // Nothing was sent yet.
  const early = new AbortController();
  const slow = scripted(undefined, { sign: async (text) => (await sleep(30), sign(text)) });
  const call = slow.client.any(1, { signal: early.signal });
  early.abort();
  assert.equal((await call).status, "abandoned");
  await sleep(60);
  assert.deepEqual([cancels(), slow.messages], [[], []]);
};

tests["a cancel that cannot be sent changes nothing"] = async () => {
  const { transport, requests } = provider();
  for (const at of [undefined, () => { throw new Error("no"); }, () => ({ publish: async () => { throw new Error("no"); } })]) {
    const client = createShopClient({ request: transport.request, publish: transport.publish, ...(at && { at }) }, { from: "console" });
    const controller = new AbortController();
    const [call, count] = [client.any(1, { signal: controller.signal }), requests().length];
    await until(() => requests().length > count);
    controller.abort();
    assert.equal((await call).status, "abandoned");
  }
};

await run(tests);
