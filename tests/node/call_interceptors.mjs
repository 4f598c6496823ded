// Interceptors around generated clients and servers of the module in the first argument: the agent `shop` of `typescript_calls.rs`.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

const { createShopClient, createShopServer, handleShop } = await import(pathToFileURL(process.argv[2]));
const tests = {};

/** A client and a server that are connected in memory. `messages` has the envelopes of the client. */
function connected(handlers, { client = {}, server = {} }) {
  const messages = [];
  const served = createShopServer(handlers, { receivesControl: true, ...server });
  const transport = {
    request: async ({ text, signal }) => {
      messages.push(JSON.parse(text));
      const aborted = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return Promise.race([served.handle(text), aborted]);
    },
    publish: async ({ text }) => {
      messages.push(JSON.parse(text));
      await (messages.at(-1).kind === "control" ? served.control(text) : served.handle(text));
    },
    at: () => transport,
  };
  return { client: createShopClient(transport, { from: "console", ...client }), served, messages };
}

/** The interceptors of the tests, of clients and of servers. */
const timeout = (ms) => (call, next) => next({ ...call, timeoutMs: Math.min(call.timeoutMs, ms) });
const givingUp = (ms) => (request, next) =>
  Promise.race([next(), sleep(ms).then(() => request.context.fail("TOO_SLOW", "the handler takes too long"))]);
function limited(most) {
  const waiting = [];
  const state = { most: 0, running: 0 };
  const around = async (call, next) => {
    if (state.running >= most) await new Promise((resolve) => waiting.push(resolve));
    state.most = Math.max(state.most, ++state.running);
    try {
      return await next(call);
    } finally {
      state.running--;
      waiting.shift()?.();
    }
  };
  return { around, state };
}
const retry = (attempts) => async (call, next) => {
  for (let count = 1; ; count++) {
    const result = await next(call);
    if (result.status === "ok" || !call.isRepeatable || !result.error.retryable || count === attempts) return result;
  }
};
function metrics() {
  const codes = [];
  return { codes, around: async (call, next) => {
    const result = await next(call);
    codes.push(result.error?.code ?? "ok");
    return result;
  } };
}
const bearing = (token) => (call, next) => {
  call.headers.authorization = `Bearer ${token}`;
  return next(call);
};
const requiring = (token) => (request, next) =>
  request.context.headers.authorization === `Bearer ${token}` ? next() : request.context.fail("DENIED", "the token is invalid");

tests["one stack is around a client and a server"] = async () => {
  const [inClient, inServer] = [metrics(), metrics()];
  const [ofClient, ofServer] = [limited(4), limited(2)];
  let runs = 0;
  const handlers = {
    echo: async ({ text }, { fail, signal }) => {
      await sleep(5, undefined, { signal });
      return text === "fail" ? fail("NO_ECHO", "m") : { text: `${text}!` };
    },
    read: async () => (++runs === 1 ? sleep(500, 1) : 1),
    slow: () => sleep(1000, 1),
    any: () => undefined,
    size: () => { throw new Error("internal"); },
  };
  const { client, messages } = connected(handlers, {
    client: { interceptors: [inClient.around, ofClient.around, retry(3), timeout(400), bearing("t")] },
    server: { interceptors: [inServer.around, requiring("t"), ofServer.around, givingUp(200)], onError: () => {} },
  });
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => client.echo({ text: `${index}` })));
  assert.deepEqual(results.map(({ response }) => response?.text), results.map((_, index) => `${index}!`));
  assert.deepEqual([ofClient.state.most, ofServer.state.most], [4, 2]);
  assert.ok(messages.every(({ headers }) => headers.authorization === "Bearer t"));
  assert.deepEqual([inClient.codes, inServer.codes].map((codes) => new Set(codes)), [new Set(["ok"]), new Set(["ok"])]);
  inClient.codes.length = inServer.codes.length = 0;
  assert.equal((await client.echo({ text: "fail" })).error.code, "NO_ECHO");
  assert.equal((await client.size({ size: 1 })).error.code, "EAGENTRPC_HANDLER_FAILED");
  const gaveUp = await client.read(null);
  assert.equal(gaveUp.error.code, "TOO_SLOW");
  assert.equal((await client.read(null)).response, 1);
  assert.deepEqual(inServer.codes, ["NO_ECHO", "EAGENTRPC_HANDLER_FAILED", "TOO_SLOW", "ok"]);
  assert.deepEqual(inClient.codes, inServer.codes);
};

tests["next can be called again, within one deadline"] = async () => {
  const handlers = { read: (_, { signal }) => sleep(1000, 1, { signal }), slow: () => sleep(1000, 1) };
  const seen = metrics();
  const { client, messages } = connected(handlers, { client: { interceptors: [seen.around, retry(3), timeout(40)] } });
  const result = await client.read(null, { timeoutMs: 5000 });
  assert.deepEqual([result.status, result.error.code], ["timeout", "EAGENTRPC_TIMEOUT"]);
  assert.ok(result.latencyMs >= 110 && result.latencyMs < 4000, `${result.latencyMs}`);
  assert.equal(messages.length, 3);
  assert.deepEqual(new Set(messages.map(({ correlationId }) => correlationId)), new Set([result.correlationId]));
  assert.equal(new Set(messages.map(({ messageId }) => messageId)).size, 3);
  const whole = await client.read(null, { timeoutMs: 60 });
  assert.equal(whole.status, "timeout");
  assert.ok(whole.latencyMs < 1000, `${whole.latencyMs}`);
  // A request that cannot be repeated is not.
  messages.length = 0;
  assert.equal((await client.slow(1)).status, "timeout");
  assert.equal(messages.length, 1);
  await sleep(5);
  assert.deepEqual(seen.codes, Array(3).fill("EAGENTRPC_TIMEOUT"));
};

tests["a signal of an interceptor cancels what next sent, but not later calls"] = async () => {
  const handlers = { any: (value, { signal }) => (value === 1 && signals.push(signal) === 1 ? sleep(5000, 1, { signal }) : value) };
  const signals = [];
  const again = async (call, next) => {
    const first = await next({ ...call, signal: AbortSignal.timeout(30) });
    assert.equal(first.status, "abandoned");
    return next(call);
  };
  const { client, messages } = connected(handlers, { client: { interceptors: [again] } });
  const result = await client.any(1);
  assert.deepEqual([result.status, result.response], ["ok", 1]);
  assert.deepEqual(messages.map(({ kind }) => kind), ["request", "control", "request"]);
  assert.equal(messages[1].causedBy, messages[0].messageId);
  assert.ok(signals[0].aborted);
};

tests["the call ends with its signal, and its interceptors notice it"] = async () => {
  const handlers = { any: (_, { signal }) => sleep(5000, 1, { signal }) };
  const seen = metrics();
  let waited;
  const stuck = async (call, next) => {
    const result = await next();
    waited = call.signal.aborted;
    await new Promise(() => {});
    return result;
  };
  const { client, messages } = connected(handlers, { client: { interceptors: [stuck, seen.around] } });
  const result = await client.any(1, { signal: AbortSignal.timeout(30) });
  assert.deepEqual([result.status, result.error.retryable], ["abandoned", false]);
  await sleep(50);
  assert.deepEqual([waited, seen.codes], [true, ["EAGENTRPC_ABANDONED"]]);
  assert.deepEqual(messages.map(({ kind }) => kind), ["request", "control"]);
  const closing = new AbortController();
  const other = connected(handlers, { client: { interceptors: [seen.around], signal: closing.signal } });
  setTimeout(() => closing.abort(), 10);
  assert.equal((await other.client.any(1)).error.message, "the client is closed");
};

tests["a call ends with its own signal, also if an interceptor gives another one"] = async () => {
  const handlers = { any: (_, { signal }) => sleep(5000, 1, { signal }) };
  const again = async (call, next) => {
    for (;;) {
      const result = await next({ ...call, signal: new AbortController().signal });
      if (call.signal.aborted) return result;
    }
  };
  const { client, messages } = connected(handlers, { client: { interceptors: [again] } });
  const result = await client.any(1, { signal: AbortSignal.timeout(30) });
  assert.equal(result.status, "abandoned");
  await sleep(50);
  assert.deepEqual(messages.map(({ kind }) => kind), ["request", "control"]);
};

tests["at the deadline, no response passes an interceptor that has not ended"] = async () => {
  const checking = async (call, next) => {
    await next();
    await sleep(500);
    return call.fail("DENIED", "the response is secret");
  };
  const { client } = connected({ any: () => "secret" }, { client: { interceptors: [checking] } });
  const result = await client.any(1, { timeoutMs: 40 });
  assert.deepEqual([result.status, result.response], ["timeout", undefined]);
};

/** Errors whose members cannot be read. */
const hostile = (name) => Object.defineProperty(new Error("m"), name, { get: () => { throw hostileProxy(); } });
const hostileProxy = () => new Proxy({}, { get: () => { throw new Error("get"); }, getPrototypeOf: () => { throw new Error("prototype"); } });

tests["errors that cannot be read are failures of the handler"] = async () => {
  const thrown = [() => { throw hostile("code"); }, () => { throw hostile("message"); }, () => { throw hostileProxy(); }];
  for (const any of thrown) {
    for (const server of [{}, { interceptors: [(_, next) => next()] }, { interceptors: [any] }, { onError: (error) => error.code }]) {
      const { client } = connected({ any }, { server });
      const { error } = await client.any(1, { timeoutMs: 5000 });
      assert.deepEqual(error, { code: "EAGENTRPC_HANDLER_FAILED", message: error.message, retryable: false });
      assert.match(error.message, /^the (handler|interceptor) failed$/);
    }
  }
};

tests["an interceptor that throws ends the call as abandoned"] = async () => {
  const throwing = [
    async () => { throw new Error("no"); },
    () => { throw "no"; },
    () => { throw undefined; },
    () => undefined,
    () => ({}),
    () => ({ status: "error" }),
    () => ({ status: "schema-violation", error: { code: "EAGENTRPC_SCHEMA_VIOLATION", message: "m" } }),
    (call) => call.fail("EAGENTRPC_SCHEMA_VIOLATION", "m"),
    (_, next) => next(null),
    () => { throw hostile("code"); },
    () => { throw hostile("message"); },
    () => { throw hostileProxy(); },
    () => hostile("status"),
    (call) => call.fail("CODE", "m", { get details() { throw new Error("no"); } }),
  ];
  for (const interceptor of throwing) {
    const seen = metrics();
    const { client, messages } = connected({}, { client: { interceptors: [seen.around, interceptor] } });
    for (const result of [await client.echo({ text: "a" }), await client.echo.publish({ text: "a" })]) {
      assert.deepEqual([result.status, result.error.code, result.error.retryable], ["abandoned", "EAGENTRPC_ABANDONED", false]);
      assert.match(result.error.message, /^an interceptor (ended the call|did not return)/);
    }
    assert.deepEqual(seen.codes, ["EAGENTRPC_ABANDONED", "EAGENTRPC_ABANDONED"]);
    assert.equal(messages.length, 0);
  }
};

tests["an interceptor ends a call with an error"] = async () => {
  const failing = (call) => call.fail("EAGENTRPC_BUSY", "later", { retryAfterMs: 5 });
  const { client } = connected({}, { client: { interceptors: [failing] } });
  const { status, error, correlationId, latencyMs } = await client.any(1);
  assert.deepEqual([status, error], ["busy", { code: "EAGENTRPC_BUSY", message: "later", retryable: true, retryAfterMs: 5 }]);
  assert.ok(correlationId && latencyMs >= 0);
  await assert.rejects(client.any.orThrow(1), { code: "EAGENTRPC_BUSY" });
};

tests["what interceptors make is validated"] = async () => {
  const respond = (change) => async (call, next) => ({ ...(await next(call)), status: "ok", ...change });
  const handlers = { echo: ({ text }) => ({ text }) };
  const run = (interceptor) => connected(handlers, { client: { interceptors: [interceptor] } }).client.echo({ text: "a" });
  assert.deepEqual((await run(respond({ response: { text: "b" } }))).response, { text: "b" });
  const invalid = await run(respond({ response: { text: 1 } }));
  assert.deepEqual([invalid.status, invalid.schemaSide, invalid.violations[0].path], ["schema-violation", "response", "/text"]);
  const changed = await run(async (call, next) => {
    const result = await next(call);
    result.response.text = 1;
    return result;
  });
  assert.equal(changed.status, "schema-violation");
  const request = await run((call, next) => next({ ...call, request: { text: 1 } }));
  assert.deepEqual([request.status, request.schemaSide], ["schema-violation", "request"]);
  const kept = await run((call, next) => next({ ...call, request: { text: "c" } }));
  assert.deepEqual(kept.response, { text: "c" });
};

tests["an interceptor cannot pass on a request that is not JSON"] = async () => {
  const cycle = {};
  cycle.cycle = cycle;
  for (const request of [1n, cycle, [() => 1n, 2n], () => 1]) {
    for (const more of [{}, { retry: { attempts: 3 } }]) {
      const passing = (call, next) => next({ ...call, request });
      const { client, messages } = connected({ any: () => 1, read: () => 1 }, { client: { interceptors: [passing], ...more } });
      for (const call of [client.any, client.read, client.any.publish]) {
        const { status, error } = await call(1);
        assert.deepEqual([status, error.code, error.retryable], ["error", "EAGENTRPC_INVALID_ENVELOPE", false]);
        assert.match(error.message, /^a (value of the message is not JSON|property of the message is invalid)$/);
      }
      assert.equal(messages.length, 0);
    }
  }
};

tests["call.retries counts the messages that repeat a request"] = async () => {
  const run = async (method, around, settings) => {
    let runs = 0;
    const counts = [];
    const counting = (call, next) => around(call, async (...values) => {
      const result = await next(...values);
      counts.push(call.retries());
      return result;
    });
    const read = (_, { fail }) => (runs++, fail("EAGENTRPC_BUSY", "m"));
    const { client } = connected({ read, any: (value) => value }, { client: { interceptors: [counting], ...settings } });
    await client[method](1);
    return counts;
  };
  const thrice = async (call, next) => (await next(call), await next(), next(call));
  assert.deepEqual(await run("any", thrice), [0, 1, 2]);
  const others = async (call, next) => (await next(call), await next({ ...call, request: 2 }), await next(call), next({ ...call, request: 2 }));
  assert.deepEqual(await run("any", others), [0, 0, 1, 2]);
  const together = async (call, next) => (await Promise.all([next(call), next(call), next(call)]))[0];
  assert.deepEqual((await run("any", together)).at(-1), 2);
};

tests["a message that was not sent counts as no repetition"] = async () => {
  const unreachable = Object.assign(new Error("no program receives the requests"), { code: "EAGENTRPC_NO_PEER" });
  let [sent, retries] = [0];
  const transport = { request: async () => { sent++; throw unreachable; }, publish: async () => {} };
  const thrice = async (call, next) => (await next(call), await next(call), retries = call.retries(), next(call));
  await createShopClient(transport, { from: "console", interceptors: [thrice] }).any(1);
  assert.deepEqual([sent, retries], [3, 0]);
};

tests["each request that an interceptor passes on has a key of its own"] = async () => {
  const other = (call, next) => next({ ...call, request: call.request + 1 });
  const several = async (call, next) => {
    const results = [];
    for (const request of [7, 8, 7]) results.push(await next({ ...call, request }));
    assert.deepEqual(results.map(({ status }) => status), ["ok", "ok", "ok"], JSON.stringify(results));
    return results[0];
  };
  const retrying = { retry: { attempts: 2 } };
  const keys = (messages) => messages.map(({ headers }) => headers["idempotency-key"]);
  const { client, messages } = connected({ read: () => 1 }, { client: { interceptors: [several], ...retrying } });
  const result = await client.read(7);
  assert.equal(result.status, "ok", JSON.stringify(result));
  const [first, second, third] = keys(messages);
  assert.deepEqual([first, third], [result.correlationId, result.correlationId]);
  assert.ok(second && second !== first);
  // A single request that an interceptor changed has the id of the call, and a key of the caller stays.
  const changed = connected({ read: () => 1 }, { client: { interceptors: [other], ...retrying } });
  const { correlationId } = await changed.client.read(1);
  await changed.client.read(1, { idempotencyKey: "k" });
  assert.deepEqual(keys(changed.messages), [correlationId, "k"]);
};

tests["an invalid option is an exception"] = () => {
  const error = { name: "TypeError", message: "`interceptors` must be functions" };
  assert.throws(() => createShopClient({}, { from: "a", interceptors: [1] }), error);
  assert.throws(() => createShopServer({}, { interceptors: [undefined] }), error);
};

tests["interceptors of a server see the failures after the verification of the sender"] = async () => {
  const seen = metrics();
  const { client } = connected({ echo: () => ({}), any: () => 1 }, { server: { interceptors: [seen.around] }, client: {} });
  const answers = [await client.echo({ text: "a" }), await client.any(1), await client.slow(1)];
  assert.deepEqual(answers.map(({ status }) => status), ["schema-violation", "ok", "error"]);
  assert.deepEqual(seen.codes, ["EAGENTRPC_SCHEMA_VIOLATION", "ok", "EAGENTRPC_HANDLER_FAILED"]);
  const request = (more) => ({
    version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://a", to: "agent://shop", capability: "echo", payload: 1, ...more,
  });
  const handle = async (more) => JSON.parse(await handleShop(JSON.stringify(request(more)), {}, { interceptors: [seen.around] })).payload.code;
  seen.codes.length = 0;
  assert.equal(await handle({}), "EAGENTRPC_SCHEMA_VIOLATION");
  assert.equal(await handle({ capability: "new-api", headers: { "capgen-version": "1.0.0" } }), "EVERSION_SKEW");
  assert.equal(await handle({ capability: "none" }), "EAGENTRPC_NO_CAPABILITY");
  assert.deepEqual(seen.codes, ["EAGENTRPC_SCHEMA_VIOLATION", "EVERSION_SKEW"]);
};

tests["interceptors of a server see calls that end before their handlers"] = async () => {
  const seen = metrics();
  const handlers = { any: () => sleep(200, 1) };
  const { client, served } = connected(handlers, { server: { interceptors: [seen.around] } });
  await client.any(1, { timeoutMs: 20 });
  await sleep(50);
  assert.deepEqual(seen.codes, ["EAGENTRPC_TIMEOUT"]);
  await client.any(1, { signal: AbortSignal.timeout(20) });
  await sleep(50);
  assert.deepEqual(seen.codes, ["EAGENTRPC_TIMEOUT", "EAGENTRPC_ABANDONED"]);
  const stopped = client.any(1);
  await sleep(5);
  assert.equal(await served.shutdown(1), false);
  assert.equal((await stopped).error.code, "EAGENTRPC_ABANDONED");
};

tests["interceptors of a server answer by themselves, and fail"] = async () => {
  const errors = [];
  const run = async (interceptor) => {
    const seen = metrics();
    const server = { interceptors: [seen.around, interceptor], onError: (error, { capability }) => errors.push([error?.message, capability]) };
    const result = await connected({ echo: () => assert.fail() }, { server }).client.echo({ text: "a" });
    if (result.error) assert.equal(seen.codes[0], result.error.code);
    return [result.status, result.error ? `${result.error.code}: ${result.error.message}` : result.response];
  };
  assert.deepEqual(await run(() => ({ response: { text: "b" } })), ["ok", { text: "b" }]);
  const invalid = "EAGENTRPC_SCHEMA_VIOLATION: the response violates its schema";
  assert.deepEqual(await run(() => ({ response: { text: 1 } })), ["schema-violation", invalid]);
  assert.deepEqual(await run(({ context }) => context.fail("DENIED", "m")), ["error", "DENIED: m"]);
  assert.deepEqual(await run(() => ({ error: { code: "DENIED", message: "m" } })), ["error", "DENIED: m"]);
  const reserved = ({ context }) => context.fail("EAGENTRPC_BUSY", "m");
  assert.deepEqual(await run(reserved), ["error", "EAGENTRPC_HANDLER_FAILED: m"]);
  assert.deepEqual(errors, []);
  const failed = ["error", "EAGENTRPC_HANDLER_FAILED: the interceptor failed"];
  assert.deepEqual(await run(() => { throw new Error("secret"); }), failed);
  assert.deepEqual(errors.splice(0), [["secret", "echo"]]);
  for (const wrong of [() => undefined, () => ({ error: "no" }), () => { throw undefined; }]) assert.deepEqual(await run(wrong), failed);
  assert.equal((await run(async (_, next) => { throw (await next()).error; }))[1], "EAGENTRPC_HANDLER_FAILED: the handler failed");
};

tests["a handler that goes on keeps its key after an interceptor gave up"] = async () => {
  let runs = 0;
  const signals = [];
  const handlers = { any: (_, { signal }) => (runs++, signals.push(signal), sleep(200, 7)) };
  const { client } = connected(handlers, { server: { interceptors: [givingUp(100)] } });
  const call = () => client.any(1, { idempotencyKey: "k" });
  assert.equal((await call()).error.code, "TOO_SLOW");
  assert.equal(signals[0].aborted, true);
  await sleep(200);
  assert.equal((await call()).response, 7);
  assert.equal(runs, 1);
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
process.exit();
