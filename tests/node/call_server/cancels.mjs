// Servers cancel requests, and accept signed messages once.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, sign as signBytes, verify as verifyBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { atOneTime, cancel, code, createShopServer, fresh, later, replaysOf, request, run, serverOf, sign, signed, started, verify, waiting, within } from "./fixture.mjs";

const tests = {};

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
  // A thousand in a second are followed.
  for (const [index, sent] of requests.entries())
    await later(Math.floor(index / 400) * 1000, async () => {
      await server.control(cancel(sent));
      // A repeated one takes no room.
      await server.control(cancel(sent));
    });
  const counts = new Map();
  await later(15_000, async () => {
    for (const sent of requests)
      if (code(await server.handle(sent)) === "EAGENTRPC_ABANDONED") counts.set(sent.from, (counts.get(sent.from) ?? 0) + 1);
  });
  const all = [...counts.values()];
  assert.deepEqual([Math.max(...all), all.reduce((a, b) => a + b)], [205, 4096]);
  // They are forgotten, and there is room again.
  await later(60_000, async () => {
    const sent = request();
    await server.control(cancel(sent));
    assert.equal(code(await server.handle(sent)), "EAGENTRPC_ABANDONED");
  });
};

tests["with signatures, only signed cancels count, and each once"] = async () => {
  const settings = { sign, verify };
  const server = serverOf(waiting().handler, settings);
  const deadline = Date.now() + 120_000;
  const sent = request({ deadline });
  const handled = server.handle(signed(sent));
  await started(server);
  const old = { deadline: Date.now() - 400_000, headers: { "capgen-control": "cancel", "capgen-timeout-ms": "1000" } };
  for (const text of [JSON.stringify(cancel(sent)), signed(cancel(sent), "other"), signed(cancel(sent, old))]) await server.control(text);
  assert.equal(server.contexts[0].signal.aborted, false);
  await server.control(signed(cancel(sent, { deadline })));
  assert.equal(await within(50, handled), undefined);
  // The same before the requests.
  const early = serverOf((value) => value, settings);
  const [forged, kept] = [request({ deadline }), request({ deadline })];
  for (const text of [JSON.stringify(cancel(forged)), signed(cancel(forged), "other")]) await early.control(text);
  assert.equal((await early.handle(signed(forged))).payload, 1);
  const text = signed(cancel(kept, { deadline, causedBy: undefined }));
  await early.control(text);
  assert.equal(code(await early.handle(signed(kept))), "EAGENTRPC_ABANDONED");
  // A copy of a cancel changes nothing.
  await later(31_000, async () => {
    await early.control(text);
    assert.equal((await early.handle(signed({ ...kept, messageId: fresh() }))).payload, 1);
  });
  const broken = createShopServer({}, { verify: () => { throw new Error("on purpose"); } });
  await broken.control(text);
};

tests["a forged copy of a request does not use up its cancel"] = async () => {
  const slow = async (text, proof) => verify(text, proof) || sleep(100, false);
  const server = serverOf((value) => value, { verify: slow });
  const sent = request({ deadline: Date.now() + 10_000 });
  const forged = server.handle(signed(sent, "other"));
  await server.control(signed(cancel(sent, { deadline: sent.deadline })));
  assert.equal(await forged, undefined);
  assert.equal(code(await server.handle(signed(sent))), "EAGENTRPC_ABANDONED");
  assert.equal(server.contexts.length, 0);
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

tests["a thousand cancels of running calls in a second are followed"] = async () => {
  const server = serverOf(waiting().handler);
  const sent = request();
  const handled = server.handle(sent);
  await started(server);
  for (const [seconds, messages, isAborted] of [[0, 1000, false], [60, 999, true]])
    await later(seconds * 1000, () => atOneTime(async () => {
      for (let count = 0; count < messages; count++) await server.control(cancel(sent, { causedBy: "another attempt" }));
      // Those of calls that run elsewhere do not count.
      for (let count = 0; count < 1500; count++) await server.control(cancel(request()));
      await server.control(cancel(sent));
      assert.equal(server.contexts[0].signal.aborted, isAborted);
    }));
  assert.equal(await handled, undefined);
};

/** Keys of agents, whose names are the ids of the keys. */
const agentKeys = Object.fromEntries(["first", "second"].map((agent) => [agent, generateKeyPairSync("ed25519")]));

/** A message with the signature of the key of its sender. */
const signedByAgent = (message) => {
  const [text, keyId] = [JSON.stringify(message), message.from.slice("agent://".length)];
  const bytes = Buffer.from(`capgen-envelope-v1\n${text}`);
  const auth = { kind: "ed25519", keyId, signature: signBytes(null, bytes, agentKeys[keyId].privateKey).toString("base64url") };
  return `${text.slice(0, -1)},"auth":${JSON.stringify(auth)}}`;
};

/** Verifies shared keys and keys of agents. */
const verifyBoth = (text, proof) => {
  if (proof.kind === "hmac") return verify(text, proof);
  const { publicKey } = agentKeys[proof.keyId];
  return verifyBytes(null, Buffer.from(text), publicKey, Buffer.from(proof.signature, "base64url")) && { agent: proof.keyId };
};

tests["a message with the shared key does not make the one of the agent a replay"] = async () => {
  const server = serverOf((value) => value, { verify: verifyBoth });
  const sent = request({ from: "agent://first", deadline: Date.now() + 10_000 });
  // Anyone with the shared key can state the ids of another one.
  assert.equal((await server.handle(signed(sent))).payload, 1);
  assert.equal((await server.handle(signedByAgent(sent))).payload, 1);
  for (const text of [signed(sent), signedByAgent(sent)]) assert.equal(code(await server.handle(text)), "EAGENTRPC_AUTH_FAILED");
};

tests["cancels of one agent do not use up the room of another"] = async () => {
  const server = serverOf((value) => value, { verify: verifyBoth });
  const deadline = Date.now() + 60_000;
  const of = (from) => request({ from, deadline });
  const kept = of("agent://second");
  await atOneTime(async () => {
    for (let count = 0; count < 1001; count++) await server.control(signedByAgent(cancel(of("agent://first"), { deadline })));
    // These have no signature.
    for (let count = 0; count < 1001; count++) await server.control(JSON.stringify(cancel(of("agent://first"), { deadline })));
    await server.control(signedByAgent(cancel(kept, { deadline })));
  });
  assert.equal(code(await server.handle(signedByAgent(kept))), "EAGENTRPC_ABANDONED");
};

tests["with signatures, no caller can take the room of another one for cancels without a request"] = async () => {
  const server = serverOf((value) => value, { verify: verifyBoth });
  // All owners of the shared key are one caller, because each can state any sender.
  const deadline = Date.now() + 120_000;
  const sent = Array.from({ length: 300 }, (_, index) => request({ from: `agent://a${index}`, deadline }));
  for (const each of sent) await server.control(signed(cancel(each, { deadline })));
  const cancelled = async (all) => {
    let count = 0;
    for (const [each, text] of all) if (code(await server.handle(text(each))) === "EAGENTRPC_ABANDONED") count++;
    return count;
  };
  assert.equal(await cancelled(sent.map((each) => [each, signed])), 256);
  const own = request({ from: "agent://first", deadline });
  await server.control(signedByAgent(cancel(own, { deadline })));
  assert.equal(await cancelled([[own, signedByAgent]]), 1);
};

tests["no caller can take the room of another one for signed messages that are remembered"] = async () => {
  const remember = replaysOf({}, 100);
  const agent = { kind: "agent-key" };
  const refused = async (from, proof, messageId = fresh()) => (await remember({ from, messageId }, proof))?.error.code;
  let count = 0;
  while ((await refused(`agent://a${count}`, { kind: "shared-key" })) === undefined) count++;
  // Four times the number that is still free, by all owners of the shared key together.
  assert.equal(count, 80);
  assert.deepEqual([await refused("agent://a", agent, "m"), await refused("agent://a", agent, "m")], [undefined, "EAGENTRPC_AUTH_FAILED"]);
  assert.equal(await refused("agent://b", { kind: "shared-key" }), "EAGENTRPC_BUSY");
};

await run(tests);
