// Clients send requests again.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../call_server/fixture.mjs";
import { busy, createShopClient, createShopServer, failed, provider, response, scripted, unreachable, until, working } from "./fixture.mjs";

const tests = {};
const quick = { attempts: 3, firstPauseMs: 1 };

tests["a lost attempt is repeated as the same call"] = async () => {
  const { client, requests } = scripted((request, send, count) => send(count < 3 ? busy(request) : response(request, 1)), { retry: quick });
  const result = await client.read(null, { timeoutMs: 5000 });
  assert.deepEqual([result.status, result.response], ["ok", 1]);
  const sent = requests();
  assert.deepEqual(sent.map(({ headers }) => headers["capgen-attempt"]), [undefined, "2", "3"]);
  for (const name of ["correlationId", "deadline", "from"]) assert.equal(new Set(sent.map((one) => one[name])).size, 1, name);
  assert.equal(new Set(sent.map(({ messageId }) => messageId)).size, 3);
  assert.deepEqual(sent.map(({ headers }) => headers["idempotency-key"]), Array(3).fill(result.correlationId));
  assert.deepEqual(sent.map(({ headers }) => headers["capgen-heartbeat-ms"]), Array(3).fill("1000"));
  assert.ok(+sent[2].headers["capgen-timeout-ms"] <= +sent[0].headers["capgen-timeout-ms"]);
  // The caller's own key is kept.
  for (const options of [{ idempotencyKey: "k" }, { headers: { "idempotency-key": "k" } }]) {
    await client.read(null, options);
    assert.equal(requests().at(-1).headers["idempotency-key"], "k");
  }
};

tests["the last error is the result if all attempts fail"] = async () => {
  const { client, requests } = scripted((request, send) => send(busy(request)), { retry: quick });
  const { status, error } = await client.read(null);
  assert.deepEqual([status, error.code, error.retryable, error.effect, requests().length], ["busy", "EAGENTRPC_BUSY", true, "none", 3]);
  // A policy of the call replaces that of the client.
  assert.equal((await client.read(null, { retry: { attempts: 1 } })).status, "busy");
  assert.equal(requests().length, 4);
  // An answer is preferred to the lack of one.
  const gone = scripted((request, send, count) => {
    if (count > 1) throw unreachable();
    send(busy(request));
  }, { retry: quick });
  assert.deepEqual([(await gone.client.read(null)).status, gone.requests().length], ["busy", 3]);
  const without = scripted((request, send) => send(busy(request)));
  assert.equal((await without.client.read(null)).status, "busy");
  assert.deepEqual([without.requests().length, without.requests()[0].headers["capgen-heartbeat-ms"]], [1, undefined]);
  assert.equal((await without.client.read(null, { retry: quick })).status, "busy");
  assert.equal(without.requests().length, 4);
};

tests["a slow provider is not asked again"] = async () => {
  const react = (request, send) => {
    const timer = setInterval(() => send(working(request)), 250);
    setTimeout(() => (clearInterval(timer), send(response(request, 1))), 1500);
  };
  const { client, requests } = scripted(react, { retry: { ...quick, heartbeatMs: 250 } });
  assert.equal((await client.read(null)).status, "ok");
  assert.equal(requests().length, 1);
};

tests["a late answer to the first attempt ends the call"] = async () => {
  let first;
  const react = (request, send, count) => {
    if (count === 1) first = () => send(response(request, 1));
    else first();
  };
  const { client, requests, cancels } = scripted(react, { retry: { ...quick, attemptTimeoutMs: 20 } });
  assert.equal((await client.read(null)).response, 1);
  assert.equal(requests().length, 2);
  await until(() => cancels().length > 0);
  assert.deepEqual([cancels()[0].causedBy, cancels()[0].payload], [requests()[1].messageId, { reason: "superseded" }]);
};

tests["an error of one attempt does not end another"] = async () => {
  const react = (request, send, count) => {
    if (count === 1) setTimeout(() => send(response(request, 1)), 100);
    else send(busy(request));
  };
  const { client, requests } = scripted(react, { retry: { attempts: 2, firstPauseMs: 1, attemptTimeoutMs: 20 } });
  assert.equal((await client.read(null)).response, 1);
  assert.equal(requests().length, 2);
  // It is the result at the deadline, because an answer is preferred to silence.
  const silent = scripted((request, send, count) => count > 1 && send(busy(request)), { retry: { attempts: 2, firstPauseMs: 1, attemptTimeoutMs: 20 } });
  assert.equal((await silent.client.read(null, { timeoutMs: 100 })).status, "busy");
};

tests["an invalid response does not end an attempt that may succeed"] = async () => {
  const react = (request, send, count) => (count === 1 ? setTimeout(() => send(response(request, 1)), 100) : send(response(request, "x")));
  const { client } = scripted(react, { retry: { attempts: 2, firstPauseMs: 1, attemptTimeoutMs: 20 } });
  assert.equal((await client.read(null)).response, 1);
  const only = scripted((request, send) => send(response(request, "x")), { retry: quick });
  assert.equal((await only.client.read(null)).status, "schema-violation");
  assert.equal(only.requests().length, 1);
};

tests["a provider that stops to send heartbeats is asked again"] = async () => {
  const react = (request, send, count) => send(count === 1 ? working(request) : response(request, 1));
  const { client, requests } = scripted(react, { retry: { ...quick, heartbeatMs: 250 } });
  const start = performance.now();
  assert.equal((await client.read(null)).response, 1);
  const passed = performance.now() - start;
  assert.ok(passed > 700 && passed < 1500, `${passed}`);
  assert.equal(requests()[0].headers["idempotency-key"], requests()[1].headers["idempotency-key"]);
};

tests["a silent provider is only asked again if it announced heartbeats"] = async () => {
  let features;
  const react = (request, send, count) => count !== 2 && send(response(request, 1, features && { headers: { "capgen-features": features } }));
  for (const [announced, expected, sent] of [[undefined, "timeout", 2], ["cancel heartbeat", "ok", 3], ["cancel", "timeout", 2]]) {
    features = announced;
    const { client, requests } = scripted(react, { retry: { ...quick, heartbeatMs: 250 } });
    await client.read(null);
    assert.equal((await client.read(null, { timeoutMs: 1500 })).status, expected, announced);
    assert.equal(requests().length, sent);
  }
};

tests["a transport for one answer asks for no heartbeats"] = async () => {
  const { transport, requests } = provider((request, send, count) => send(count === 1 ? busy(request) : response(request, 1)));
  const client = createShopClient({ request: transport.request, publish: transport.publish }, { from: "console", retry: quick });
  assert.equal((await client.read(null)).status, "ok");
  assert.deepEqual(requests().map(({ headers }) => headers["capgen-heartbeat-ms"]), [undefined, undefined]);
};

tests["other messages do not end a call whose transport yields all"] = async () => {
  const react = (request, send) => {
    for (const text of ["{", response({ ...request, correlationId: "x" }, 2), response(request, null, { headers: { "capgen-frame": "x" } })]) send(text);
    if (request.payload) send(response(request, 1));
  };
  const { client } = scripted(react, { retry: quick });
  assert.equal((await client.read(true)).status, "ok");
  const { status, error } = await client.read(null, { timeoutMs: 30 });
  assert.deepEqual([status, error.code], ["error", "EAGENTRPC_INVALID_ENVELOPE"]);
};

tests["a call that may have an effect is only repeated if no handler started"] = async () => {
  for (const [code, more, count] of [
    ["EAGENTRPC_BUSY", {}, 3],
    ["EAGENTRPC_TIMEOUT", { retryable: true, effect: undefined }, 1],
    ["OWN", { retryable: true, effect: "none" }, 3],
    ["OWN", { retryable: true, effect: undefined }, 1],
  ]) {
    const { client, requests } = scripted((request, send) => send(failed(request, { code, message: "m", ...more })), { retry: quick });
    assert.equal((await client.any(1)).error.code, code);
    assert.equal(requests().length, count, code);
    assert.equal(requests()[0].headers["idempotency-key"], undefined);
    assert.equal(requests()[0].headers["capgen-heartbeat-ms"], undefined);
  }
};

tests["a message that was not sent is sent again"] = async () => {
  let thrown;
  const react = (request, send, count) => {
    if (count < 3) throw thrown;
    send(response(request, 1));
  };
  for (const [error, capability, expected] of [
    [unreachable(), "any", "ok"],
    [new Error("reset"), "read", "ok"],
    [new Error("reset"), "any", "error"],
    [Object.assign(new Error("too large"), { code: "EAGENTRPC_INVALID_ENVELOPE" }), "read", "error"],
    [Object.assign(new Error("not sent"), { effect: "none" }), "any", "ok"],
  ]) {
    thrown = error;
    const { client, requests } = scripted(react, { retry: quick });
    assert.equal((await client[capability](null)).status, expected, error.message);
    assert.equal(requests().length, expected === "ok" ? 3 : 1);
  }
};

tests["attempts are bounded by the budget"] = async () => {
  const { client, requests } = scripted((request, send) => send(busy(request)), { retry: { attempts: 4, firstPauseMs: 1, longestPauseMs: 1 } });
  const results = await Promise.all(Array.from({ length: 200 }, () => client.read(null)));
  assert.ok(results.every(({ status }) => status === "busy"));
  assert.equal(requests().length, 200 + 200 / 5 + 100);
  // Messages that reach no process need none.
  const none = scripted(() => { throw unreachable(); }, { retry: { attempts: 3, firstPauseMs: 1, longestPauseMs: 1 } });
  await Promise.all(Array.from({ length: 200 }, () => none.client.read(null)));
  assert.equal(none.requests().length, 600);
};

tests["pauses fit into the time that remains"] = async () => {
  const react = (request, send, count) => send(count === 1 ? busy(request, { retryAfterMs: 60_000 }) : response(request, 1));
  const { client } = scripted(react, { retry: quick });
  const start = performance.now();
  const { status } = await client.read(null, { timeoutMs: 400 });
  const passed = performance.now() - start;
  assert.ok(status === "ok" && passed > 180 && passed < 390, `${status} after ${passed} ms`);
  const asked = scripted((request, send, count) => send(count === 1 ? busy(request, { retryAfterMs: 150 }) : response(request, 1)), { retry: quick });
  const again = performance.now();
  assert.equal((await asked.client.read(null)).status, "ok");
  assert.ok(performance.now() - again >= 145);
};

tests["an answer that is read after the deadline is a timeout"] = async () => {
  const { now } = performance;
  const { client } = scripted((request, send) => {
    // The process is busy until then.
    performance.now = () => now.call(performance) + 2000;
    send(failed(request, { code: "EAGENTRPC_DEADLINE_EXCEEDED", message: "m", effect: "none" }));
  });
  const { status, error } = await client.read(null, { timeoutMs: 1000 });
  performance.now = now;
  assert.deepEqual([status, error.code], ["timeout", "EAGENTRPC_TIMEOUT"]);
};

tests["a hedged call takes the first answer, and cancels the others"] = async () => {
  const react = (request, send, count) => void (count === 2 && send(response(request, 1)));
  const { client, requests, cancels, signals } = scripted(react, { retry: { attempts: 3, hedgeAfterMs: 30 } });
  assert.equal((await client.read(null)).response, 1);
  await until(() => cancels().length > 0);
  const [{ causedBy, correlationId, payload, at }] = cancels();
  assert.deepEqual([cancels().length, causedBy, payload, at], [1, requests()[0].messageId, { reason: "superseded" }, "control"]);
  assert.deepEqual([correlationId, signals[0].aborted], [requests()[0].correlationId, true]);
  // Not if the capability may have an effect.
  const other = scripted((request, send) => setTimeout(() => send(response(request, 1)), 60), { retry: { attempts: 3, hedgeAfterMs: 10 } });
  assert.equal((await other.client.any(1)).status, "ok");
  assert.equal(other.requests().length, 1);
};

tests["a server runs the attempts of a call once"] = async () => {
  let runs = 0;
  const server = createShopServer({ read: async () => (runs++, await sleep(100), runs) });
  const react = (request, send) => {
    const { at: _, ...envelope } = request;
    void server.handle(JSON.stringify(envelope), { send }).then(send);
  };
  const { client, requests } = scripted(react, { retry: { attempts: 4, firstPauseMs: 1, attemptTimeoutMs: 20 } });
  assert.equal((await client.read(null)).response, 1);
  assert.ok(requests().length > 1 && runs === 1, `${requests().length} requests, ${runs} runs`);
};

tests["mistakes in the policy are shown"] = async () => {
  const { transport } = provider();
  for (const [retry, message] of [
    ...[0, 2.5, 65, NaN, Infinity].map((attempts) => [{ attempts }, "`retry.attempts` must be an integer from 1 to 64"]),
    [{ attempts: 2, firstPauseMs: "x" }, "`retry.firstPauseMs` must be a number from 1 to 2147483647"],
    ...["firstPauseMs", "longestPauseMs", "attemptTimeoutMs", "hedgeAfterMs", "heartbeatMs"].flatMap((name) =>
      [0, 2 ** 31, Infinity].map((ms) => [{ attempts: 2, [name]: ms }, `\`retry.${name}\` must be a number from 1 to 2147483647`]),
    ),
    [{ attempts: 2, attemptTimeoutMs: 1, hedgeAfterMs: 1 }, "`retry.attemptTimeoutMs` and `retry.hedgeAfterMs` exclude each other"],
  ]) {
    assert.throws(() => createShopClient(transport, { from: "console", retry }), { name: "RangeError", message });
    const { client, requests } = scripted();
    const { error } = await client.read(null, { retry });
    assert.deepEqual([error.code, error.message, requests().length], ["EAGENTRPC_INVALID_ENVELOPE", message, 0]);
  }
  // The longest timer does not end at once.
  const { client, requests } = scripted(undefined, { retry: { attempts: 64, attemptTimeoutMs: 2 ** 31 - 1 } });
  assert.equal((await client.read(null, { timeoutMs: 50 })).status, "timeout");
  assert.equal(requests().length, 1);
};

await run(tests);
