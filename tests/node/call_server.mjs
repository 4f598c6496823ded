// Tests the servers that remember requests, of the module in the first argument: the agent `shop` of `typescript_calls.rs`.
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const module = pathToFileURL(process.argv[2]);
const { createShopClient, createShopServer } = await import(module);
const { keyedAnswers } = await import(new URL(`_capgen${extname(process.argv[2])}`, module));

let ids = 0;
const fresh = () => `id-${ids++}`;
const never = () => new Promise(() => {});

/** A request, with changes. */
const request = (more) => ({
  version: 1, kind: "request", messageId: fresh(), correlationId: fresh(), from: "agent://console", to: "agent://shop", capability: "any",
  payload: 1, ...more,
});

/** A request with an idempotency key. */
const keyed = (key, more = {}) => request({ ...more, headers: { "idempotency-key": key, ...more.headers } });

/** The message that cancels a request, with changes. */
const cancel = ({ correlationId, messageId, from, to, capability, tenantId }, more) => ({
  version: 1, kind: "control", messageId: fresh(), correlationId, causedBy: messageId, from, to, capability, tenantId,
  headers: { "capgen-control": "cancel" }, payload: { reason: "abandoned" }, ...more,
});

/** A server whose handlers of `any` count their runs. Its functions take and give messages instead of texts. */
function serverOf(any, settings) {
  const contexts = [];
  const handlers = { any: (payload, context) => (contexts.push(context), any(payload, context)), echo: (payload) => payload };
  const server = createShopServer(handlers, settings);
  return {
    contexts,
    handle: async (message, options) => {
      const answer = await server.handle(typeof message === "string" ? message : JSON.stringify(message), options);
      return answer && JSON.parse(answer);
    },
    control: (message) => server.control(JSON.stringify(message)),
    shutdown: server.shutdown,
  };
}

/** A handler that ends when its call does, or when the test lets it. */
function waiting() {
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  const handler = (_, { signal }) =>
    Promise.race([ended, new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))]);
  return { handler, end };
}

/** Runs a test while the clock of the process is ahead by some ms. */
async function later(ms, test) {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    return await test();
  } finally {
    Date.now = now;
  }
}

/** Waits until the handler of a request has started. */
async function started({ contexts }, count = 1) {
  while (contexts.length < count) await sleep(1);
  // Others with the same key wait for it then.
  await sleep(50);
  return contexts.at(-1);
}

const signature = (text, secret = "secret") => createHmac("sha256", secret).update(text).digest("hex");
const verify = (text, proof) => signature(text) === proof.signature;
const sign = (text) => ({ keyId: "k", signature: signature(text) });
const signed = (message, secret) => {
  const text = JSON.stringify(message);
  return `${text.slice(0, -1)},"auth":${JSON.stringify({ kind: "hmac", keyId: "k", signature: signature(text, secret) })}}`;
};
const within = (ms, promise) => Promise.race([promise, sleep(ms, "late")]);
const code = (answer) => answer.payload?.code;
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

tests["a cancel ends the request, and has no answer"] = async () => {
  const seen = [];
  const server = serverOf(waiting().handler, { onError: (error) => seen.push(error) });
  for (const more of [{}, { causedBy: undefined }, { payload: { reason: "a later reason" } }]) {
    const sent = request({ tenantId: "t" });
    const handled = server.handle(sent);
    const { signal } = await started(server, server.contexts.length + 1);
    assert.equal(signal.aborted, false);
    await server.control(cancel(sent, more));
    assert.equal(signal.aborted, true);
    assert.equal(await within(50, handled), undefined);
    // Repeated and late ones change nothing.
    await server.control(cancel(sent, more));
  }
  assert.deepEqual(seen, []);
};

tests["a cancel after the handler changes nothing"] = async () => {
  const server = serverOf((value) => value);
  const sent = request();
  const handled = server.handle(sent);
  await sleep(1);
  await server.control(cancel(sent));
  assert.equal((await handled).payload, 1);
};

tests["only a cancel of the caller for this call counts"] = async () => {
  const { handler, end } = waiting();
  const server = serverOf(handler, { tenants: ["t", "u"] });
  const sent = request({ tenantId: "t" });
  const handled = server.handle(sent);
  await started(server);
  for (const more of [
    { from: "agent://other" }, { to: "agent://other" }, { tenantId: "u" }, { tenantId: "v" }, { tenantId: undefined }, { capability: "echo" },
    { correlationId: "x" }, { causedBy: "x" }, { headers: {} }, { headers: { "capgen-control": "credit" } }, { kind: "request" }, { kind: "event" },
    { version: 2 }, { extra: 1 },
  ])
    await server.control(cancel(sent, more));
  assert.equal(server.contexts[0].signal.aborted, false);
  // A message for control that arrives with the requests is dropped.
  assert.equal(await server.handle(cancel(sent)), undefined);
  end(2);
  assert.equal((await handled).payload, 2);
};

tests["a cancel before its request is remembered"] = async () => {
  const server = serverOf((value) => value);
  const answer = async (sent) => code(await server.handle(sent));
  const [one, all, kept] = [request(), request(), request()];
  await server.control(cancel(one));
  await server.control(cancel(all, { causedBy: undefined }));
  const { payload } = await server.handle(one);
  assert.deepEqual([payload.code, payload.effect], ["EAGENTRPC_ABANDONED", "none"]);
  assert.equal(await answer({ ...one, messageId: "another attempt" }), undefined);
  for (const messageId of ["1", "2"]) assert.equal(await answer({ ...all, messageId }), "EAGENTRPC_ABANDONED");
  assert.equal(server.contexts.length, 1);
  await server.control(cancel(kept));
  assert.equal(await later(31_000, () => answer(kept)), undefined);
  // It is not kept for longer than its call.
  const short = request();
  await server.control(cancel(short, { headers: { "capgen-control": "cancel", "capgen-timeout-ms": "1" } }));
  await sleep(5);
  assert.equal(await answer(short), undefined);
};

tests["the number of cancels without a request is bounded"] = async () => {
  const server = serverOf((value) => value);
  const requests = Array.from({ length: 20 * 300 }, (_, index) => request({ from: `agent://a${index % 20}` }));
  for (const sent of requests) {
    await server.control(cancel(sent));
    // A repeated one takes no room.
    await server.control(cancel(sent));
  }
  const counts = new Map();
  for (const sent of requests)
    if (code(await server.handle(sent)) === "EAGENTRPC_ABANDONED") counts.set(sent.from, (counts.get(sent.from) ?? 0) + 1);
  const all = [...counts.values()];
  assert.deepEqual([Math.max(...all), all.reduce((a, b) => a + b)], [205, 4096]);
  const one = serverOf((value) => value);
  const own = Array.from({ length: 300 }, () => request());
  for (const sent of own) await one.control(cancel(sent));
  let cancelled = 0;
  for (const sent of own) if (code(await one.handle(sent)) === "EAGENTRPC_ABANDONED") cancelled++;
  assert.equal(cancelled, 256);
  // They are forgotten, and there is room again.
  await later(32_000, async () => {
    const sent = request();
    await one.control(cancel(sent));
    assert.equal(code(await one.handle(sent)), "EAGENTRPC_ABANDONED");
  });
};

tests["with signatures, only signed cancels count, and each once"] = async () => {
  const settings = { sign, verify };
  const server = createShopServer({ any: never }, settings);
  const deadline = Date.now() + 10_000;
  const sent = request({ deadline });
  const handled = server.handle(signed(sent));
  await sleep(5);
  const old = { deadline: Date.now() - 400_000, headers: { "capgen-control": "cancel", "capgen-timeout-ms": "1000" } };
  for (const text of [JSON.stringify(cancel(sent)), signed(cancel(sent), "other"), signed(cancel(sent, old))]) await server.control(text);
  assert.equal(await within(20, handled), "late");
  const early = request({ deadline });
  const text = signed(cancel(early, { deadline }));
  await server.control(JSON.stringify(cancel(early)));
  const counting = serverOf((value) => value, settings);
  assert.equal((await counting.handle(signed(early))).payload, 1);
  await server.control(signed(cancel(sent, { deadline })));
  assert.equal(await within(50, handled), undefined);
  // A copy of a message has no effect.
  await server.control(text);
  assert.equal(code(JSON.parse(await server.handle(signed(early)))), "EAGENTRPC_ABANDONED");
  const broken = createShopServer({}, { verify: () => { throw new Error("on purpose"); } });
  await broken.control(text);
};

tests["a signed request is accepted once, and the answer to its copy is not signed"] = async () => {
  const server = serverOf((value) => value, { sign, verify });
  const sent = request({ deadline: Date.now() + 10_000 });
  const first = await server.handle(signed(sent));
  assert.equal(first.auth.keyId, "k");
  const copy = await server.handle(signed(sent));
  assert.deepEqual([code(copy), copy.auth], ["EAGENTRPC_AUTH_FAILED", undefined]);
  assert.equal((await server.handle(signed({ ...sent, messageId: "another" }))).payload, 1);
  assert.equal(code(await server.handle(signed({ ...sent, messageId: "forged" }, "other"))), "EAGENTRPC_AUTH_FAILED");
  // One that was not proved does not use up the id.
  assert.equal((await server.handle(signed({ ...sent, messageId: "forged" }))).payload, 1);
  assert.equal(server.contexts.length, 3);
};

tests["messages for control may be anything"] = async () => {
  const server = createShopServer({});
  for (const text of [undefined, null, 1, {}, "", "null", "[]", "1", '"a"', "{", "x".repeat(2_000_000), `${"[".repeat(100_000)}`])
    await server.control(text);
  const valid = JSON.stringify(cancel(request(), { deadline: 1 }));
  for (let round = 0; round < 2000; round++) {
    await server.control(randomBytes(round % 200).toString("latin1"));
    const bytes = Buffer.from(valid);
    for (let change = 0; change <= round % 4; change++) bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256);
    await server.control(bytes.toString());
    await server.control(valid.slice(0, Math.floor(Math.random() * valid.length)));
  }
  for (const value of [undefined, null, 1, -1, 1.5, "", "x", [], {}, true, "0", "1e3", "-1"])
    for (const name of Object.keys(JSON.parse(valid))) {
      await server.control(JSON.stringify({ ...JSON.parse(valid), [name]: value }));
      await server.control(JSON.stringify({ ...JSON.parse(valid), headers: { "capgen-control": "cancel", "capgen-timeout-ms": value } }));
    }
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

tests["requests with a key run once"] = async () => {
  let runs = 0;
  const server = serverOf(async () => (await sleep(20), { run: ++runs }));
  const [one, two] = [keyed("k"), keyed("k")];
  const answers = await Promise.all([server.handle(one), server.handle(two)]);
  answers.push(await server.handle(keyed("k")));
  assert.deepEqual(answers.map(({ payload }) => payload), [{ run: 1 }, { run: 1 }, { run: 1 }]);
  // Each has its own ids.
  assert.deepEqual(answers.slice(0, 2).map(({ causedBy }) => causedBy), [one.messageId, two.messageId]);
  assert.equal(new Set(answers.map(({ messageId }) => messageId)).size, 3);
  // The caller, the tenant and the capability belong to the key.
  for (const more of [{ from: "agent://other" }, { tenantId: "t" }, { tenantId: "null" }]) await server.handle(keyed("k", more));
  assert.equal(runs, 4);
  assert.deepEqual((await server.handle(keyed("k", { capability: "echo", payload: { text: "a" } }))).payload, { text: "a" });
  assert.equal(await server.handle(keyed("k", { kind: "event" })), undefined);
  assert.equal(runs, 4);
};

tests["a key with another payload is refused"] = async () => {
  const server = serverOf((value) => value);
  assert.equal((await server.handle(keyed("k", { payload: { a: 1, b: "" } }))).headers["capgen-status"], undefined);
  for (const payload of [{ a: 1 }, { a: 2, b: "" }, null, [1], "\u{1F600}"]) {
    const refused = await server.handle(keyed("k", { payload }));
    assert.deepEqual([code(refused), refused.payload.effect], ["EAGENTRPC_KEY_REUSED", "none"]);
  }
  assert.equal(server.contexts.length, 1);
};

tests["only final answers are kept"] = async () => {
  const kept = async (any, expected) => {
    const server = serverOf(any);
    const codes = [];
    for (let round = 0; round < 2; round++) codes.push(code(await server.handle(keyed("k"))));
    return [server.contexts.length, codes];
  };
  const twice = (code) => [code, code];
  assert.deepEqual(await kept((_, context) => context.fail("NOT_FOUND", "m")), [1, twice("NOT_FOUND")]);
  assert.deepEqual(await kept(() => undefined), [1, twice(undefined)]);
  assert.deepEqual(await kept(() => { throw new Error("broken"); }), [2, twice("EAGENTRPC_HANDLER_FAILED")]);
  assert.deepEqual(await kept(() => 1n), [2, twice("EAGENTRPC_HANDLER_FAILED")]);
  assert.deepEqual(await kept(() => () => 1), [2, twice("EAGENTRPC_HANDLER_FAILED")]);
  // A refused request does not use up its key.
  const server = serverOf((value) => value);
  assert.equal(code(await server.handle(keyed("e", { capability: "echo", payload: {} }))), "EAGENTRPC_SCHEMA_VIOLATION");
  assert.deepEqual((await server.handle(keyed("e", { capability: "echo", payload: { text: "a" } }))).payload, { text: "a" });
};

tests["an answer is kept for the window, or until the deadline of its call"] = async () => {
  const server = serverOf((value) => value, { idempotencyWindowMs: 60_000 });
  const own = keyed("call", { correlationId: "call", headers: { "capgen-timeout-ms": "5000" } });
  const runs = async (sent) => (await server.handle({ ...sent, messageId: fresh() }), server.contexts.length);
  assert.deepEqual([await runs(keyed("k")), await runs(own)], [1, 2]);
  await later(3000, async () => assert.deepEqual([await runs(keyed("k")), await runs(own)], [2, 2]));
  await later(9000, async () => assert.deepEqual([await runs(keyed("k")), await runs(own)], [2, 3]));
  await later(90_000, async () => assert.deepEqual([await runs(keyed("k")), await runs(keyed("k"))], [4, 4]));
};

tests["a request that others wait for goes on until none waits"] = async () => {
  const { handler, end } = waiting();
  const server = serverOf(handler);
  const [first, second, third] = [keyed("k"), keyed("k"), keyed("k")];
  const handled = [first, second, third].map((sent) => server.handle(sent));
  const { signal } = await started(server);
  await server.control(cancel(first));
  await server.control(cancel(second));
  assert.equal(await within(50, handled[1]), undefined);
  assert.equal(signal.aborted, false);
  end(5);
  assert.deepEqual([(await handled[0]).payload, (await handled[2]).payload, server.contexts.length], [5, 5, 1]);
  const other = serverOf(waiting().handler);
  const both = [keyed("k"), keyed("k")];
  const answers = both.map((sent) => other.handle(sent));
  await started(other);
  for (const sent of both) await other.control(cancel(sent));
  assert.deepEqual(await within(50, Promise.all(answers)), [undefined, undefined]);
  assert.equal(other.contexts[0].signal.aborted, true);
};

tests["the next request with a key runs if the first one ended without an answer"] = async () => {
  let runs = 0;
  const { handler } = waiting();
  const server = serverOf((payload, context) => (++runs === 1 ? handler(payload, context) : runs));
  const first = server.handle(keyed("k", { headers: { "capgen-timeout-ms": "200" } }));
  const second = server.handle(keyed("k", { headers: { "capgen-timeout-ms": "5000" } }));
  assert.equal(code(await first), "EAGENTRPC_TIMEOUT");
  assert.equal((await second).payload, 2);
  // A handler that goes on after its deadline still has the key.
  const slow = serverOf(() => sleep(800, "done"));
  const late = keyed("k", { headers: { "capgen-timeout-ms": "150" } });
  assert.equal(code(await slow.handle(late)), "EAGENTRPC_TIMEOUT");
  const waits = await slow.handle(keyed("k", { headers: { "capgen-timeout-ms": "150" } }));
  assert.deepEqual([code(waits), waits.payload.effect], ["EAGENTRPC_TIMEOUT", undefined]);
  assert.equal((await slow.handle(keyed("k"))).payload, "done");
  assert.equal(slow.contexts.length, 1);
};

tests["the answers that are kept are bounded"] = async () => {
  const large = "x".repeat(8 * 1024 * 1024);
  const server = serverOf((value) => (value === "large" ? large : value));
  const codes = [];
  for (let key = 0; key < 10; key++) codes.push(code(await server.handle(keyed(`${key}`, { payload: "large" }))));
  assert.deepEqual(codes, [...Array(8).fill(undefined), "EAGENTRPC_BUSY", "EAGENTRPC_BUSY"]);
  const { effect } = (await server.handle(keyed("other"))).payload;
  assert.equal(effect, "none");
  // Known keys, and requests without one, are served.
  assert.equal((await server.handle(keyed("0", { payload: "large" }))).payload, large);
  assert.equal((await server.handle(request())).payload, 1);
  assert.equal((await later(400_000, () => server.handle(keyed("other")))).payload, 1);
  // The same for their number, with a smaller limit than that of servers: 100,000.
  const once = keyedAnswers(60_000, 100, 1_000_000);
  const call = (key) => ({
    parts: keyed(key), capability: {}, describe: () => ({}), method: "any", handlers: { any: (value) => value }, settings: {},
    signal: new AbortController().signal, interrupted: never(), now: Date.now(), rest: 60_000,
  });
  let accepted = 0;
  for (let key = 0; key < 300; key++) if ((await once(call(`${key % 150}`))).error === undefined) accepted++;
  assert.equal(accepted, 200);
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
  const server = serverOf(async (_, parent) => (inner = await client.any(1, { parent })));
  const sent = request();
  const handled = server.handle(sent);
  await sleep(5);
  await server.control(cancel(sent));
  assert.equal(await handled, undefined);
  await sleep(5);
  assert.deepEqual([inner.status, inner.error.code], ["abandoned", "EAGENTRPC_ABANDONED"]);
  assert.equal((await client.any(1, { parent: server.contexts[0] })).status, "abandoned");
  // At the deadline that both share, the reason is the deadline.
  assert.equal(code(await server.handle(request({ headers: { "capgen-timeout-ms": "30" } }))), "EAGENTRPC_TIMEOUT");
  await sleep(20);
  assert.equal(inner.status, "timeout");
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

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
console.log(`${Object.keys(tests).length} tests`);
// Some handlers never end.
process.exit();
