// Servers send heartbeats, have limits, and stop.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { cancel, code, createShopClient, createShopServer, keyed, never, request, run, serverOf, sign, signed, started, verify, waiting, within } from "./fixture.mjs";

const tests = {};

tests["a server answers like the function without a memory"] = async () => {
  const server = serverOf((value) => value);
  assert.deepEqual((await server.handle(request({ payload: [1] }))).payload, [1]);
  assert.equal(code(await server.handle(request({ capability: "echo", payload: {} }))), "EAGENTRPC_SCHEMA_VIOLATION");
  assert.equal(code(await server.handle(request({ to: "agent://other" }))), "EAGENTRPC_INVALID_ENVELOPE");
  assert.equal(code(await server.handle(request({ capability: "new-api", headers: { "capgen-version": "1.0.0" } }))), "EVERSION_SKEW");
  for (const text of ["", "null", "{", undefined]) assert.equal(await createShopServer({}).handle(text), undefined);
  assert.equal(await server.handle(request({ kind: "event" })), undefined);
  assert.equal(server.contexts.length, 2);
  for (const [option, value] of [["maxInFlight", 0], ["maxInFlight", NaN], ["idempotencyWindowMs", -1]])
    assert.throws(() => createShopServer({}, { [option]: value }), { name: "RangeError", message: `\`${option}\` must be a number of at least 1` });
};

tests["heartbeats are sent while a request runs, and announced"] = async () => {
  const { handler, end } = waiting();
  const server = serverOf(handler, { sign, receivesControl: true });
  const [frames, start] = [[], Date.now()];
  const sent = request({ tenantId: "t", headers: { "capgen-heartbeat-ms": "250" } });
  const send = (text) => {
    frames.push([JSON.parse(text), Date.now() - start]);
    if (frames.length === 3) end(2);
  };
  const answer = await server.handle(sent, { send });
  assert.equal(answer.headers["capgen-features"], "heartbeat cancel");
  assert.equal(answer.payload, 2);
  for (const [index, [{ messageId, auth, ...frame }, at]] of frames.entries()) {
    assert.deepEqual(frame, {
      version: 1, kind: "response", correlationId: sent.correlationId, causedBy: sent.messageId, from: "agent://shop", to: "agent://console",
      capability: "any", tenantId: "t", headers: { "capgen-frame": "working", "capgen-features": "heartbeat cancel" }, payload: null,
    });
    assert.equal(auth.keyId, "k");
    assert.ok(at >= 250 * (index + 1) - 5, `${at}`);
  }
  await sleep(300);
  assert.equal(frames.length, 3);
};

tests["a request without heartbeats has none"] = async () => {
  const server = serverOf(() => sleep(300, 1));
  const frames = [];
  const send = (text) => void frames.push(text);
  const headers = { "capgen-heartbeat-ms": "250" };
  const answers = await Promise.all([
    server.handle(request(), { send }),
    server.handle(request({ headers })),
    server.handle(request({ kind: "event", headers }), { send }),
    server.handle(request({ capability: "echo", payload: { text: "a" }, headers }), { send }),
    server.handle(request({ headers: { "capgen-heartbeat-ms": "249" } }), { send }),
  ]);
  assert.equal(frames.length, 0);
  assert.deepEqual(answers.map((answer) => answer?.headers["capgen-features"]), ["heartbeat", undefined, undefined, "heartbeat", "heartbeat"]);
};

tests["heartbeats that cannot be sent change nothing"] = async () => {
  const fail = () => { throw new Error("not connected"); };
  for (const send of [fail, async () => fail(), never]) {
    const server = serverOf(() => sleep(550, 1));
    assert.equal((await server.handle(request({ headers: { "capgen-heartbeat-ms": "250" } }), { send })).payload, 1);
  }
  // A cancelled request has no more of them.
  const [server, frames] = [serverOf(waiting().handler), []];
  const sent = request({ headers: { "capgen-heartbeat-ms": "250" } });
  const handled = server.handle(sent, { send: (text) => void frames.push(text) });
  await sleep(20);
  await server.control(cancel(sent));
  assert.equal(await handled, undefined);
  await sleep(300);
  assert.equal(frames.length, 0);
};

tests["the headers of a request are bounded"] = async () => {
  const server = serverOf((value) => value);
  const many = (count) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, ""]));
  const large = { h: "ü".repeat(8_191) };
  for (const [headers, expected] of [
    [many(64), undefined], [many(65), "EAGENTRPC_INVALID_ENVELOPE"],
    [{ ...large, i: "" }, undefined], [{ ...large, i: "", j: "" }, "EAGENTRPC_INVALID_ENVELOPE"],
    [{ ...large, i: "", "capgen-descriptor": "x".repeat(20_000) }, undefined],
  ])
    assert.equal(code(await server.handle(request({ headers }))), expected);
};

tests["the requests that are handled at the same time are bounded"] = async () => {
  const { handler, end } = waiting();
  const server = serverOf(handler, { maxInFlight: 2, sign });
  const first = [request(), request()].map((sent) => server.handle(sent));
  const busy = await server.handle(request());
  assert.deepEqual([code(busy), busy.payload.effect, busy.auth.keyId], ["EAGENTRPC_BUSY", "none", "k"]);
  end(1);
  await Promise.all(first);
  assert.equal((await server.handle(request())).payload, 1);
  // A handler that ignores the end of its call takes its place until it ends.
  let finish;
  const stubborn = serverOf(() => new Promise((resolve) => (finish = resolve)), { maxInFlight: 1 });
  const sent = request();
  const cancelled = stubborn.handle(sent);
  await sleep(5);
  await stubborn.control(cancel(sent));
  assert.equal(await cancelled, undefined);
  assert.equal(code(await stubborn.handle(request())), "EAGENTRPC_BUSY");
  finish();
  await sleep(5);
  const next = stubborn.handle(request());
  await sleep(5);
  finish(3);
  assert.equal((await next).payload, 3);
};

tests["a function that does not decide about a request takes its place until the deadline"] = async () => {
  for (const option of ["verify", "tokens", "authorize"]) {
    const decide = { verify, tokens: () => ({ issuer: "i", subject: "s" }), authorize: () => true };
    let [isStuck, settle] = [true];
    const hook = (...values) => (isStuck ? new Promise((resolve) => (settle = () => resolve(decide[option](...values)))) : decide[option](...values));
    const server = serverOf((value) => value, { maxInFlight: 1, ...decide, [option]: hook });
    const sent = (ms) => signed(request({ headers: { authorization: "Bearer t", "capgen-timeout-ms": `${ms}` } }));
    const refused = await server.handle(sent(30));
    assert.deepEqual([code(refused), refused.payload.effect], ["EAGENTRPC_DEADLINE_EXCEEDED", "none"], option);
    isStuck = false;
    assert.equal((await server.handle(sent(5000))).payload, 1, option);
    // A decision that comes later runs nothing.
    settle();
    await sleep(20);
    assert.equal(server.contexts.length, 1);
  }
};

tests["a token is not verified for longer than 10 s"] = async () => {
  const original = globalThis.setTimeout;
  globalThis.setTimeout = (run, ms, ...rest) => original(run, ms === 10_000 ? 1 : ms, ...rest);
  try {
    const errors = [];
    const onError = ({ message }) => errors.push(message);
    const server = serverOf((value) => value, { verify, tokens: never, onError });
    const answer = await server.handle(signed(request({ headers: { authorization: "Bearer t" } })));
    assert.deepEqual([code(answer), answer.payload.effect, errors], ["EAGENTRPC_BUSY", "none", ["no decision within 10000 ms"]]);
    // The signature of a request that is refused before is verified for the signature of the answer alone.
    const unsigned = serverOf((value) => value, { verify: never, sign });
    const { auth, payload } = await unsigned.handle(signed(request({ to: "agent://other" })));
    assert.deepEqual([payload.code, auth], ["EAGENTRPC_INVALID_ENVELOPE", undefined]);
  } finally {
    globalThis.setTimeout = original;
  }
};

tests["a server that stops waits for the requests that run"] = async () => {
  const { handler, end } = waiting();
  const server = serverOf(handler);
  const handled = server.handle(request());
  await sleep(5);
  const stopped = server.shutdown(5000);
  const refused = await server.handle(request());
  assert.deepEqual([code(refused), refused.payload.effect], ["EAGENTRPC_ABANDONED", "none"]);
  assert.equal(await within(30, stopped), "late");
  end(4);
  assert.deepEqual([(await handled).payload, await stopped, server.contexts.length], [4, true, 1]);
  assert.equal(await server.shutdown(), true);
  assert.equal(await serverOf(never).shutdown(Infinity), true);
};

tests["a server that stops ends the requests that take too long"] = async () => {
  const server = serverOf(never);
  const slow = serverOf(never, { sign, verify: never });
  const handled = [server.handle(request()), server.handle(keyed("k")), server.handle(keyed("k")), server.handle(request({ kind: "event" }))];
  const unproved = slow.handle(signed(request()));
  await started(server, 3);
  const start = Date.now();
  assert.deepEqual(await Promise.all([server.shutdown(30), slow.shutdown(30)]), [false, false]);
  assert.ok(Date.now() - start >= 25);
  const answers = await Promise.all(handled);
  assert.deepEqual(answers.map((answer) => answer && [code(answer), answer.payload.effect]), [
    ["EAGENTRPC_ABANDONED", undefined], ["EAGENTRPC_ABANDONED", undefined], ["EAGENTRPC_ABANDONED", undefined], undefined,
  ]);
  assert.ok(server.contexts.every(({ signal }) => signal.aborted));
  const { payload, auth } = await unproved;
  assert.deepEqual([payload.code, payload.effect, auth], ["EAGENTRPC_ABANDONED", "none", undefined]);
};

tests["calls of a handler end with it"] = async () => {
  let inner;
  const transport = { request: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))) };
  const client = createShopClient(transport, { from: "shop" });
  const server = serverOf(async (_, parent) => {
    inner = await client.any(1, { parent });
    await sleep(50);
  });
  const sent = request();
  const handled = server.handle(sent);
  await sleep(5);
  await server.control(cancel(sent));
  assert.equal(await handled, undefined);
  await sleep(20);
  assert.deepEqual([inner.status, inner.error.code], ["abandoned", "EAGENTRPC_ABANDONED"]);
  assert.equal((await client.any(1, { parent: server.contexts[0] })).status, "abandoned");
  // At the deadline that both share, the reason is the deadline.
  assert.equal(code(await server.handle(request({ headers: { "capgen-timeout-ms": "30" } }))), "EAGENTRPC_TIMEOUT");
  await sleep(20);
  assert.equal(inner.status, "timeout");
};

tests["each request ends, whatever the order of messages"] = async () => {
  const random = (most) => Math.floor(Math.random() * most);
  const count = 300;
  const running = new Set();
  const work = async (key, { signal }) => {
    assert.ok(!running.has(key), `two handlers run for ${key}`);
    running.add(key);
    for (let turn = random(10); turn > 0 && !signal.aborted; turn--) await sleep(random(4));
    running.delete(key);
    if (random(5) === 0) throw new Error("on purpose");
    return key;
  };
  const server = serverOf(work, { maxInFlight: count, onError: () => undefined });
  const all = Array.from({ length: count }, async (_, index) => {
    await sleep(random(20));
    // Each of some keys has one payload.
    const key = random(2) ? `key ${random(20)}` : `own ${index}`;
    const sent = keyed(key, { payload: key, headers: { "capgen-timeout-ms": `${5 + random(60)}`, "capgen-heartbeat-ms": "250" } });
    if (random(4) === 0) await server.control(cancel(sent));
    const handled = server.handle(sent, { send: () => undefined });
    for (let cancels = random(3); cancels > 0; cancels--) await sleep(random(20)).then(() => server.control(cancel(sent)));
    return handled;
  });
  for (const answer of await within(20_000, Promise.all(all))) {
    const isOk = answer?.headers["capgen-status"] === undefined;
    const codes = ["EAGENTRPC_TIMEOUT", "EAGENTRPC_DEADLINE_EXCEEDED", "EAGENTRPC_ABANDONED", "EAGENTRPC_HANDLER_FAILED"];
    assert.ok(answer === undefined || isOk || codes.includes(code(answer)), JSON.stringify(answer));
  }
  while (running.size > 0) await sleep(1);
  // All places are free again.
  const { contexts } = server;
  contexts.length = 0;
  const next = await Promise.all(Array.from({ length: count }, () => server.handle(request({ capability: "echo", payload: { text: "a" } }))));
  assert.ok(next.every(({ payload }) => payload.text === "a"));
};

tests["ended requests leave no memory"] = async () => {
  const server = serverOf((value) => value);
  const round = async () => {
    for (let index = 0; index < 5000; index++) {
      const sent = request({ headers: { "capgen-timeout-ms": "60000", "capgen-heartbeat-ms": "250" } });
      await server.handle(sent, { send: () => undefined });
      await server.control(cancel(sent));
    }
    server.contexts.length = 0;
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  await round();
  const before = await round();
  const grown = (await round()) - before;
  assert.ok(!globalThis.gc || grown < 1_000_000, `${grown} bytes`);
};

await run(tests);
