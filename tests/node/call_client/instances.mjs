// Clients find a process of the agent that can read their requests.
import assert from "node:assert/strict";
import { run } from "../call_server/fixture.mjs";
import { busy, createShopClient, failed, provider, response, scripted, capabilities, skewed, unreachable } from "./fixture.mjs";

const tests = {};
const part = `contract.${capabilities.read.hash.slice(0, 32)}`;
const other = { "capgen-contract": "0".repeat(64), "capgen-version": "9.0.0" };

tests["a refused request is sent to a process with the contract of the caller"] = async () => {
  const { client, requests } = scripted((request, send) => send(request.at === part ? response(request, 1) : skewed(request)));
  assert.equal((await client.read(null)).response, 1);
  assert.deepEqual(requests().map(({ at, headers }) => [at, headers["capgen-attempt"]]), [["", undefined], [part, "2"]]);
  // Providers before this change do not state that no handler started.
  const old = scripted((request, send) => send(request.at === part ? response(request, 1) : failed(request, { code: "EVERSION_SKEW", message: "m" })));
  assert.equal((await old.client.any(1, { timeoutMs: 500 })).status, "error");
  assert.equal((await old.client.read(null)).status, "ok");
};

tests["without such a process, any is asked four times"] = async () => {
  const react = (request, send) => {
    if (request.at !== "") throw unreachable();
    send(skewed(request, { retryAfterMs: 1 }));
  };
  for (const retry of [undefined, { attempts: 3, firstPauseMs: 1 }]) {
    const { client, requests } = scripted(react, { ...(retry && { retry }) });
    const { error, latencyMs } = await client.read(null, { timeoutMs: 3000 });
    assert.deepEqual([error.code, error.effect], ["EVERSION_SKEW", "none"]);
    assert.ok(latencyMs < 3000);
    const asked = requests().filter(({ at }) => at === "");
    assert.deepEqual(asked.map(({ headers }) => headers["capgen-attempt"]), [undefined, "2", "3", "4", "5"]);
  }
  const { client, requests } = scripted(react, { tryOtherInstances: false });
  assert.equal((await client.read(null)).error.code, "EVERSION_SKEW");
  assert.equal(requests().length, 1);
  // Requests that nothing receives are not a part of the budget: one for five calls, and a hundred.
  const many = scripted(react);
  await Promise.all(Array.from({ length: 25 }, () => many.client.read(null, { timeoutMs: 3000 })));
  assert.equal(many.requests().filter(({ at }) => at === "").length, 125);
  const { transport, requests: sent } = provider((request, send, count) => send(count === 3 ? response(request, 1) : skewed(request, { retryAfterMs: 1 })));
  const simple = createShopClient({ request: transport.request, publish: transport.publish }, { from: "console" });
  assert.equal((await simple.read(null)).status, "ok");
  assert.equal(sent().length, 3);
};

tests["while processes differ, many calls go first to those with the contract of the caller"] = async () => {
  let hasNew = true;
  const react = (request, send, count) => {
    if (request.at === part && !hasNew) throw unreachable();
    send(request.at === part || (!hasNew && count % 2) ? response(request, 1) : skewed(request, { retryAfterMs: 1 }));
  };
  for (const retry of [undefined, { attempts: 3, firstPauseMs: 1 }]) {
    hasNew = true;
    const { client, requests } = scripted(react, { ...(retry && { retry }) });
    // More than the budget of further attempts allows.
    for (let number = 0; number < 1000; number++) assert.equal((await client.read(null)).status, "ok", `${number}`);
    assert.deepEqual([requests().length, requests().filter(({ at }) => at === "").length], [1001, 1]);
    // Without these processes, a call goes to any, at once and under the first number.
    hasNew = false;
    assert.equal((await client.read(null, { timeoutMs: 3000 })).status, "ok");
    assert.deepEqual(requests().slice(1001, 1003).map(({ at, headers }) => [at, headers["capgen-attempt"]]), [[part, undefined], ["", undefined]]);
  }
};

tests["an answer of the preferred process that it is busy counts as an attempt"] = async () => {
  const own = (answer) => async (settings) => {
    let isMixed = true;
    const react = (request, send) => {
      if (request.at === part) return send(isMixed ? response(request, 1) : answer(request));
      send(isMixed ? skewed(request) : answer(request));
    };
    const { client, requests } = scripted(react, settings);
    assert.equal((await client.read(null)).status, "ok");
    isMixed = false;
    const result = await client.read(null, { timeoutMs: 3000 });
    const sent = requests().slice(2).map(({ at, headers }) => [at, headers["capgen-attempt"]]);
    // The preference is forgotten.
    await client.read(null, { timeoutMs: 3000, retry: { attempts: 1 } });
    assert.equal(requests()[2 + sent.length].at, "");
    return [result.error.code, result.latencyMs, sent];
  };
  const asked = own((request) => busy(request, { retryAfterMs: 100 }));
  const [code, latency, sent] = await asked({ retry: { attempts: 3 } });
  assert.deepEqual([code, latency >= 190, sent], ["EAGENTRPC_BUSY", true, [[part, undefined], ["", "2"], ["", "3"]]]);
  const [plain, once, two] = await asked();
  assert.deepEqual([plain, once >= 90, two], ["EAGENTRPC_BUSY", true, [[part, undefined], ["", "2"]]]);
  // As other attempts, it is a part of the budget.
  let isBusy = false;
  const { client, requests } = scripted((request, send) => {
    send(isBusy ? busy(request, { retryAfterMs: 1 }) : request.at === part ? response(request, 1) : skewed(request));
  });
  await client.read(null);
  isBusy = true;
  await Promise.all(Array.from({ length: 300 }, () => client.read(null)));
  // One for five calls, and a hundred, of which the first call took one.
  assert.equal(requests().length, 2 + 300 + Math.floor(301 / 5) + 100 - 1);
};

tests["the deadline does not hide the answer of the first process"] = async () => {
  for (const retry of [undefined, { attempts: 3 }]) {
    const settings = { ...(retry && { retry }) };
    const invalid = scripted((request, send) => request.at === "" && send(response(request, "x", { headers: other })), settings);
    const { status, schemaSide, violations, response: kept, error } = await invalid.client.read(null, { timeoutMs: 100 });
    assert.deepEqual([status, schemaSide, violations.length, kept, error.skew.providerVersion], ["schema-violation", "response", 1, "x", "9.0.0"]);
    const refused = scripted((request, send) => request.at === "" && send(skewed(request)), settings);
    const result = await refused.client.any(null, { timeoutMs: 100 });
    // The handler of the other process may have started.
    assert.deepEqual([result.status, result.error.code, result.error.effect], ["error", "EVERSION_SKEW", undefined]);
    assert.equal(refused.requests().length, 2);
  }
};

tests["an invalid response of another contract is asked for once more"] = async () => {
  const react = (request, send) => send(request.at === part ? response(request, 1) : response(request, "x", { headers: other }));
  const { client } = scripted(react);
  assert.equal((await client.read(null)).response, 1);
  const alone = scripted((request, send) => {
    if (request.at !== "") throw unreachable();
    send(response(request, "x", { headers: other }));
  });
  const result = await alone.client.read(null);
  assert.deepEqual([result.status, result.schemaSide, result.response, result.error.skew.providerVersion], ["schema-violation", "response", "x", "9.0.0"]);
  assert.equal(alone.requests().length, 2);
  // A call that may have an effect is not repeated.
  const once = scripted((request, send) => send(response(request, 1, { headers: other })));
  assert.equal((await once.client.echo({ text: "a" })).error.skew.reason, "response");
  assert.equal(once.requests().length, 1);
};

tests["the policy of the caller is sent"] = async () => {
  const { client, requests } = scripted((request, send) => send(response(request, 1)), { skew: "strict" });
  await client.any(1);
  await client.any(1, { skew: "refuse" });
  await client.any(1, { skew: "serve" });
  assert.deepEqual(requests().map(({ headers }) => headers["capgen-policy"]), ["strict", "refuse", undefined]);
};

/** Asks for the contract, as a process with another one. */
const asking = (request, hash) => response(request, 1, { headers: { "capgen-contract": hash, "capgen-needs": "descriptor" } });
const described = (requests) => requests().map(({ headers }) => "capgen-descriptor" in headers);

tests["a contract that a response asks for is sent once to each contract of the agent"] = async () => {
  for (const retry of [undefined, { attempts: 3 }]) {
    let hash = "a".repeat(64);
    const { client, requests } = scripted((request, send) => send(asking(request, hash)), { ...(retry && { retry }) });
    for (let count = 0; count < 3; count++) assert.equal((await client.read(null)).status, "ok");
    const { name, hash: own } = JSON.parse(requests()[1].headers["capgen-descriptor"]);
    assert.deepEqual([name, own], ["read", capabilities.read.hash]);
    hash = "b".repeat(64);
    // Each capability has a contract of its own, and events have no answer.
    for (const call of [client.read, client.read.publish, client.read, client.any, client.any]) assert.equal((await call(null)).status, "ok");
    assert.deepEqual(described(requests), [false, true, false, false, true, false, true]);
  }
  // A process with an equal contract does not need it, and one without a hash cannot be remembered.
  for (const contract of [capabilities.read.hash, "c"]) {
    const { client, requests } = scripted((request, send) => send(asking(request, contract)));
    for (let count = 0; count < 2; count++) await client.read(null);
    assert.deepEqual(described(requests), [false, false], contract);
  }
  // The processes with the caller's contract do not need it. When they are gone, the request to any has it.
  let hasNew = true;
  const { client, requests } = scripted((request, send) => {
    if (request.at === part && !hasNew) throw unreachable();
    if (request.at === part) return send(response(request, 1));
    send(hasNew ? skewed(request, { retryAfterMs: 1 }) : asking(request, "d".repeat(64)));
  });
  for (let count = 0; count < 2; count++) assert.equal((await client.read(null)).status, "ok");
  hasNew = false;
  for (let count = 0; count < 2; count++) assert.equal((await client.read(null, { timeoutMs: 3000 })).status, "ok");
  assert.deepEqual(requests().map(({ at }) => at), ["", part, part, part, "", ""]);
  assert.deepEqual(described(requests), [false, false, false, false, false, true]);
  // An agent cannot ask without end.
  let count = 0;
  const hostile = scripted((request, send) => send(asking(request, `${count++}`.padStart(64, "0"))));
  for (let call = 0; call < 1100; call++) await hostile.client.read(null);
  assert.equal(described(hostile.requests).filter(Boolean).length, 1024);
};

tests["a request without room for a contract leaves it to the next one"] = async () => {
  const { transport, requests } = provider((request, send) => send(asking(request, "a".repeat(64))));
  const limited = (maxMessage) => createShopClient(Object.assign(Object.create(transport), { maxMessage }), { from: "console" });
  const clients = [createShopClient(transport, { from: "console" }), limited(1_000_000), limited(40_000)];
  const sizes = [0, 500_000, 20_000, 0, 0];
  const expected = [[false, false, true, false, false], [false, false, true, false, false], [false, false, false, true, false]];
  for (const [index, client] of clients.entries()) {
    const before = requests().length;
    for (const size of sizes) assert.equal((await client.any("x".repeat(size))).status, "ok");
    assert.deepEqual(described(requests).slice(before), expected[index], `${index}`);
  }
};

tests["a contract is sent with the next request if the first one with it was not sent"] = async () => {
  let isDown = false;
  const { client, requests } = scripted((request, send) => {
    if (isDown) throw unreachable();
    send(asking(request, "a".repeat(64)));
  });
  const statuses = [];
  for (const down of [false, true, true, false, false]) {
    isDown = down;
    statuses.push((await client.any(1)).status);
  }
  assert.deepEqual(statuses, ["ok", "error", "error", "ok", "ok"]);
  assert.deepEqual(described(requests), [false, true, true, true, false]);
  // Nor is it lost if the message could not be signed.
  let failing = false;
  const sign = () => {
    if (failing) throw new Error("no key");
    return { keyId: "k", signature: "0".repeat(64) };
  };
  const signed = scripted((request, send) => send(asking(request, "a".repeat(64))), { sign });
  for (const fails of [false, true, false]) {
    failing = fails;
    await signed.client.any(1);
  }
  assert.deepEqual(described(signed.requests), [false, true]);
};

tests["a caller learns that other responses may be invalid"] = async () => {
  const skew = { callerVersion: "1.0.0", providerVersion: "9.0.0", reason: "response" };
  for (const [text, expected] of [[JSON.stringify(skew), skew], ["{", undefined], ["1", undefined], [undefined, undefined]]) {
    const { client } = scripted((request, send) => send(response(request, 1, { headers: { ...other, ...(text && { "capgen-skew": text }) } })));
    const result = await client.read(null);
    assert.deepEqual([result.status, result.skew, "skew" in result], ["ok", expected, expected !== undefined]);
  }
};

await run(tests);
