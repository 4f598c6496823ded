// Servers run requests with equal idempotency keys once.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { cancel, code, fresh, keyed, keyedAnswers, later, never, request, run, serverOf, started, waiting, within } from "./fixture.mjs";

const tests = {};

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

tests["a payload that is nested too deeply is refused"] = async () => {
  const server = serverOf((value) => value);
  const deep = JSON.stringify(keyed("k", { payload: 0 })).replace('"payload":0', `"payload":${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  assert.equal(code(await server.handle(deep)), "EAGENTRPC_INVALID_ENVELOPE");
  assert.equal((await server.handle(keyed("k"))).payload, 1);
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
  const handled = [server.handle(first)];
  const { signal } = await started(server);
  handled.push(server.handle(second), server.handle(third));
  await sleep(50);
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
  const first = server.handle(keyed("k", { headers: { "capgen-timeout-ms": "500" } }));
  await started(server);
  const second = server.handle(keyed("k", { headers: { "capgen-timeout-ms": "5000" } }));
  assert.equal(code(await first), "EAGENTRPC_TIMEOUT");
  assert.equal((await second).payload, 2);
  // A handler that goes on after its deadline still has the key.
  const slow = serverOf(() => sleep(1000, "done"));
  const late = keyed("k", { headers: { "capgen-timeout-ms": "300" } });
  assert.equal(code(await slow.handle(late)), "EAGENTRPC_TIMEOUT");
  const waits = await slow.handle(keyed("k", { headers: { "capgen-timeout-ms": "300" } }));
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

await run(tests);
