// Clients find a process of the agent that can read their requests.
import assert from "node:assert/strict";
import { run } from "../call_server/fixture.mjs";
import { busy, createShopClient, failed, provider, response, scripted, shopCapabilities, skewed, unreachable } from "./fixture.mjs";

const tests = {};
const part = `contract.${shopCapabilities.read.hash.slice(0, 32)}`;
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

await run(tests);
