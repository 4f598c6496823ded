// Identities and permissions in generated clients and servers of the module in the first argument: the agent `vault` of `typescript_calls.rs`.
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign as signed, verify as isSigned } from "node:crypto";
import { pathToFileURL } from "node:url";

const { createVaultClient, createVaultServer, handleVault } = await import(pathToFileURL(process.argv[2]));
const tests = {};

/** The keys of agents, by their ids. */
const keys = Object.fromEntries(["console", "other", "vault"].map((agent) => [`${agent}-1`, { agent, ...generateKeyPairSync("ed25519") }]));
const signAs = (keyId) => ({
  kind: "ed25519",
  sign: (text) => ({ keyId, signature: signed(null, Buffer.from(text), keys[keyId].privateKey).toString("base64url") }),
});
const hmac = (text) => createHmac("sha256", "secret").update(text).digest("hex");
const signShared = (text) => ({ keyId: "shared", signature: hmac(text) });
const verify = (text, { kind, keyId, signature }) => {
  if (kind === "hmac") return hmac(text) === signature;
  const key = keys[keyId];
  return key !== undefined && isSigned(null, Buffer.from(text), key.publicKey, Buffer.from(signature, "base64url")) && { agent: key.agent };
};

function connected(handlers, { client = {}, server = {} }) {
  const texts = [];
  const served = createVaultServer(handlers, server);
  const transport = {
    request: async ({ text }) => {
      const answer = await served.handle(text);
      texts.push(text, answer);
      return answer;
    },
    publish: async ({ text }) => void (await served.handle(text)),
  };
  return { client: createVaultClient(transport, { from: "console", ...client }), texts };
}
const proofs = { read: (_, { proof }) => proof, write: () => 1, erase: () => 1 };
const open = { withoutAuthorization: true };

tests["the key of an agent proves who sent a message"] = async () => {
  const secured = { verify, sign: signAs("vault-1"), ...open };
  const { client, texts } = connected(proofs, { client: { sign: signAs("console-1"), verify }, server: secured });
  assert.deepEqual((await client.read(1)).response, { kind: "agent-key", keyId: "console-1" });
  for (const text of texts) {
    const { auth } = JSON.parse(text);
    assert.deepEqual([auth.kind, auth.signature.length], ["ed25519", 86]);
  }
  const shared = connected(proofs, { client: { sign: signShared, verify }, server: { verify, sign: signShared, ...open } });
  assert.deepEqual((await shared.client.read(1)).response, { kind: "shared-key", keyId: "shared" });
  const unsigned = connected(proofs, { server: open });
  assert.deepEqual((await unsigned.client.read(1)).response, { kind: "none" });
};

tests["a key of another agent is refused"] = async () => {
  const { client } = connected(proofs, { client: { sign: signAs("other-1") }, server: { verify, ...open } });
  assert.equal((await client.read(1)).error.code, "EAGENTRPC_AUTH_FAILED");
  const forged = connected(proofs, { client: { verify }, server: { sign: signAs("other-1"), ...open } });
  assert.equal((await forged.client.read(1)).error.code, "EAGENTRPC_AUTH_FAILED");
  // The owner of a shared key may state any id, so `true` proves no agent.
  const lax = connected(proofs, { client: { sign: signAs("console-1") }, server: { verify: () => true, ...open } });
  assert.equal((await lax.client.read(1)).error.code, "EAGENTRPC_AUTH_FAILED");
};

tests["a changed message is refused"] = async () => {
  let sent;
  const transport = { request: async ({ text }) => (sent = text), publish: async () => {} };
  await createVaultClient(transport, { from: "console", sign: signAs("console-1") }).read(1);
  const code = async (text) => JSON.parse(await handleVault(text, proofs, { verify, ...open })).payload.code;
  assert.equal(await code(sent.replace('"payload":1', '"payload":2')), "EAGENTRPC_AUTH_FAILED");
  assert.equal(await code(sent.replace("console-1", "none")), "EAGENTRPC_AUTH_FAILED");
  assert.equal(await code(sent.replace('"kind":"ed25519"', '"kind":"hmac"')), "EAGENTRPC_INVALID_ENVELOPE");
  assert.equal(JSON.parse(await handleVault(sent, proofs, { verify, ...open })).payload.kind, "agent-key");
};

const request = (capability, more) => JSON.stringify({
  version: 1, kind: "request", messageId: "m", correlationId: "c", from: "agent://console", to: "agent://vault", capability, payload: 1, ...more,
});

tests["a server decides who may call"] = async () => {
  const asked = [];
  const authorize = ({ caller }, capability) => (asked.push([caller, capability?.name]), capability?.name === "read");
  const settings = { authorize };
  for (const handle of [(text) => handleVault(text, proofs, settings), createVaultServer(proofs, settings).handle]) {
    asked.length = 0;
    const answers = [];
    for (const capability of ["read", "write", "none"]) answers.push(JSON.parse(await handle(request(capability))));
    assert.equal(answers[0].headers["capgen-status"], undefined);
    const [denied, unknown] = answers.slice(1).map(({ messageId: _, capability: __, ...answer }) => answer);
    assert.deepEqual(denied, unknown);
    const message = "the caller may not call this capability";
    assert.deepEqual(denied.payload, { code: "EAGENTRPC_FORBIDDEN", message, effect: "none" });
    assert.deepEqual(asked, [["console", "read"], ["console", "write"], ["console", undefined]]);
  }
  const allowing = await handleVault(request("none"), proofs, { authorize: () => true });
  assert.equal(JSON.parse(allowing).payload.code, "EAGENTRPC_NO_CAPABILITY");
};

tests["no answer before the decision shows which capabilities exist"] = async () => {
  const invalid = [{ headers: { "capgen-policy": "x" } }, { unknown: 1 }, { headers: { "capgen-timeout-ms": "0" } }];
  const rights = { console: { roles: ["writer"], scopes: ["erase"] } };
  const ways = [{ authorize: () => false }, { authorize: () => true, verify: () => false }, { grants: rights }, { principals: { i: rights } }];
  ways.push({ verify: () => false, tokens: () => undefined }, { authorize: () => false, ...open });
  for (const settings of ways) {
    for (const more of invalid) {
      const answers = [];
      for (const capability of ["write", "none"]) {
        const { messageId: _, capability: __, ...answer } = JSON.parse(await handleVault(request(capability, more), proofs, settings));
        answers.push(answer);
      }
      assert.deepEqual(answers[0], answers[1], JSON.stringify(more));
      assert.equal(answers[0].headers?.["capgen-contract"], undefined);
    }
  }
};

tests["an answer that cannot be signed does not show which capabilities exist"] = async () => {
  const settings = { authorize: () => false, sign: () => { throw new Error("no key"); } };
  for (const more of [{}, { tenantId: "" }]) {
    const answers = [];
    for (const capability of ["write", "none"]) {
      const { messageId: _, capability: __, ...answer } = JSON.parse(await handleVault(request(capability, more), proofs, settings));
      answers.push(answer);
    }
    assert.equal(answers[0].payload.code, "EAGENTRPC_HANDLER_FAILED");
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(answers[0].headers["capgen-contract"], undefined);
  }
};

tests["without an authorization, grants and tokens decide nothing"] = async () => {
  for (const settings of [{ grants: {} }, { principals: {} }, { verify, tokens: () => undefined }]) {
    const sign = settings.verify && signAs("console-1");
    const { client, texts } = connected(proofs, { client: { sign }, server: { ...settings, ...open } });
    assert.equal((await client.write(1)).response, 1);
    // Everyone may learn the contract, also from an answer before the call runs.
    assert.equal((await client.read(1, { headers: { a: "x".repeat(20_000) } })).error.code, "EAGENTRPC_INVALID_ENVELOPE");
    assert.match(JSON.parse(texts.at(-1)).headers["capgen-contract"], /^[0-9a-f]{64}$/);
  }
};

tests["only lists are roles and scopes"] = async () => {
  for (const roles of ["a list of all roles: writer, eraser, reader, admin", undefined, null, { includes: () => true, length: 1 }]) {
    const secured = { verify, grants: { console: { roles, scopes: roles } } };
    const { client } = connected(proofs, { client: { sign: signAs("console-1") }, server: { sign: signAs("vault-1"), ...secured } });
    assert.equal((await client.erase(1)).error?.code, "EAGENTRPC_FORBIDDEN");
  }
};

tests["only `true` allows a call"] = async () => {
  const errors = [];
  const failing = () => { throw new Error("no"); };
  for (const authorize of [() => false, () => "no role", async () => false, () => undefined, () => 1, failing]) {
    const answer = await handleVault(request("read"), proofs, { authorize, onError: ({ message }) => errors.push(message) });
    assert.equal(JSON.parse(answer).payload.code, "EAGENTRPC_FORBIDDEN");
  }
  assert.deepEqual(errors, ["no"]);
  const { client } = connected(proofs, { server: { authorize: async () => true } });
  assert.equal((await client.write(1)).status, "ok");
};

tests["the work for a refused request does not depend on its capability"] = async () => {
  const counted = [[Set.prototype, "has"], [Map.prototype, "get"], [Array.prototype, "includes"], [Array.prototype, "find"]];
  const settings = { verify, sign: signAs("vault-1"), grants: { console: { roles: ["reader", "guest"] } } };
  const work = async (handle, capability) => {
    let count = 0;
    const originals = counted.map(([owner, name]) => owner[name]);
    for (const [index, [owner, name]] of counted.entries()) {
      // The elements that a search passes to its function count too.
      owner[name] = function (...values) {
        count++;
        const [test] = values;
        if (name === "find") values[0] = (...element) => (count++, test(...element));
        return originals[index].apply(this, values);
      };
    }
    try {
      const answer = await handle(signedBy(signAs("console-1"), "console", capability));
      assert.equal(JSON.parse(answer).payload.code, "EAGENTRPC_FORBIDDEN");
    } finally {
      for (const [index, [owner, name]] of counted.entries()) owner[name] = originals[index];
    }
    return count;
  };
  const handle = (text) => handleVault(text, proofs, settings);
  await work(handle, "write");
  const counts = [];
  for (const capability of ["write", "erase", "none"]) counts.push(await work(handle, capability));
  assert.equal(new Set(counts).size, 1, `${counts}`);
};

/** A signed request for a capability, or else one that the agent does not have. */
function signedBy(sign, from, capability = "none") {
  const text = request(capability, { from: `agent://${from}`, deadline: Date.now() + 5000 });
  const auth = sign.kind ? { kind: "ed25519", ...sign.sign(`capgen-envelope-v1\n${text}`) } : { kind: "hmac", ...sign(text) };
  return `${text.slice(0, -1)},"auth":${JSON.stringify(auth)}}`;
}

tests["grants are for agents that prove who they are"] = async () => {
  const grants = { console: { roles: ["writer", "reader"] }, other: { scopes: ["erase"], roles: ["writer"] } };
  const codes = async (from, sign) => {
    const { client } = connected(proofs, { client: { from, sign }, server: { grants, verify } });
    const results = [await client.read(1), await client.write(1), await client.erase(1)];
    const unknown = await handleVault(signedBy(sign, from), proofs, { grants, verify });
    results.push({ error: JSON.parse(unknown).payload });
    return results.map(({ error }) => error?.code.slice(10) ?? "ok");
  };
  assert.deepEqual(await codes("console", signAs("console-1")), ["ok", "ok", "FORBIDDEN", "FORBIDDEN"]);
  assert.deepEqual(await codes("other", signAs("other-1")), ["ok", "ok", "ok", "NO_CAPABILITY"]);
  assert.deepEqual(await codes("console", signShared), ["ok", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"]);
  assert.deepEqual(await codes("constructor", signShared), ["ok", "FORBIDDEN", "FORBIDDEN", "FORBIDDEN"]);
};

tests["the rights of a principal count instead of those of the agent"] = async () => {
  const principals = {
    writing: { issuer: "i", subject: "alice", roles: ["writer"] },
    erasing: { issuer: "i", subject: "bob", roles: ["writer"], scopes: ["erase"], tenant: "acme" },
    none: undefined,
  };
  const tokens = async (token) => (token === "later" ? Promise.reject(new Error("no keys")) : principals[token]);
  const handlers = { ...proofs, read: (_, { principal }) => principal?.subject ?? "none", erase: () => 1 };
  const server = { verify, tokens, grants: { console: { roles: ["writer"], scopes: ["erase"] } } };
  const { client } = connected(handlers, { client: { sign: signAs("console-1"), verify }, server: { ...server, sign: signAs("vault-1") } });
  const bearing = (token, more) => ({ headers: { authorization: `bearer ${token}` }, ...more });
  assert.equal((await client.read(1)).response, "none");
  assert.equal((await client.read(1, bearing("writing"))).response, "alice");
  assert.deepEqual([(await client.write(1, bearing("writing"))).status, (await client.erase(1)).status], ["ok", "ok"]);
  assert.equal((await client.erase(1, bearing("writing"))).error.code, "EAGENTRPC_FORBIDDEN");
  assert.equal((await client.erase(1, bearing("erasing", { tenantId: "acme" }))).status, "ok");
  assert.equal((await client.erase(1, bearing("erasing"))).error.code, "EAGENTRPC_TENANT_MISMATCH");
  for (const token of ["none", "a b", ""]) assert.equal((await client.read(1, bearing(token))).error.code, "EAGENTRPC_AUTH_FAILED");
  assert.equal((await client.read(1, { headers: { authorization: "Basic a" } })).error.code, "EAGENTRPC_AUTH_FAILED");
  assert.equal((await client.read(1, bearing("later"))).status, "busy");
  assert.throws(() => createVaultServer(proofs, { tokens }), { name: "TypeError", message: /^`tokens` needs `verify`/ });
};

tests["a principal has the rights that it is given, in addition to those of its token"] = async () => {
  const tokens = (token) => ({ issuer: "i", subject: token, roles: token === "alice" ? ["writer"] : [] });
  const principals = { i: { alice: { scopes: ["erase"] }, bob: { roles: ["writer"] } }, other: { carol: { roles: ["writer"] } } };
  const grants = { console: { roles: ["writer"], scopes: ["erase"] } };
  const server = { verify, tokens, principals, grants, sign: signAs("vault-1") };
  const { client } = connected(proofs, { client: { sign: signAs("console-1"), verify }, server });
  const codes = async (token) => {
    const options = { headers: { authorization: `Bearer ${token}` } };
    return [(await client.write(1, options)).error?.code, (await client.erase(1, options)).error?.code];
  };
  const forbidden = "EAGENTRPC_FORBIDDEN";
  assert.deepEqual(await codes("alice"), [undefined, undefined]);
  assert.deepEqual(await codes("bob"), [undefined, forbidden]);
  for (const token of ["carol", "constructor", "console"]) assert.deepEqual(await codes(token), [forbidden, forbidden]);
};

tests["an idempotency key of one principal is not that of another"] = async () => {
  const tokens = (token) => ({ issuer: token === "carol" ? "j" : "i", subject: token === "carol" ? "alice" : token, roles: ["writer"] });
  const ran = [];
  const write = (_, { principal }) => (ran.push(principal), `${principal?.issuer} ${principal?.subject}`);
  const server = { verify, tokens, grants: { console: { roles: ["writer"] } }, sign: signAs("vault-1") };
  const { client } = connected({ ...proofs, write }, { client: { sign: signAs("console-1"), verify }, server });
  const call = (payload, token) => {
    const headers = token && { authorization: `Bearer ${token}` };
    return client.write(payload, { idempotencyKey: "k", headers });
  };
  for (const _ of [1, 2]) {
    assert.equal((await call(1, "alice")).response, "i alice");
    assert.equal((await call(2, "bob")).response, "i bob");
    assert.equal((await call(1, "carol")).response, "j alice");
    assert.equal((await call(3)).response, "undefined undefined");
  }
  assert.equal(ran.length, 4);
  assert.equal((await call(2, "alice")).error.code, "EAGENTRPC_KEY_REUSED");
};

tests["a request whose token could not be verified can be sent again"] = async () => {
  let isReachable = false;
  const tokens = async () => {
    if (!isReachable) throw new Error("no keys");
    return { issuer: "i", subject: "alice", roles: ["writer"] };
  };
  const texts = [];
  const transport = { request: async ({ text }) => texts.push(text), publish: async () => {} };
  await createVaultClient(transport, { from: "console", sign: signAs("console-1") }).write(1, { headers: { authorization: "Bearer a" } });
  const served = createVaultServer(proofs, { verify, tokens, sign: signAs("vault-1") });
  const answer = async () => JSON.parse(await served.handle(texts[0]));
  for (const _ of [1, 2]) {
    const { payload, auth } = await answer();
    assert.deepEqual([payload.code, auth.keyId], ["EAGENTRPC_BUSY", "vault-1"]);
  }
  isReachable = true;
  assert.equal((await answer()).payload, 1);
  assert.equal((await answer()).payload.message, "the request was received before");
};

tests["functions of the program that throw lose no answer"] = async () => {
  const errors = [];
  const failing = (name) => () => { throw new Error(name); };
  const onError = (error) => {
    errors.push(error.message);
    throw new Error("no log");
  };
  const code = async (server, options) => {
    const { client } = connected(proofs, { client: { sign: signAs("console-1") }, server: { ...open, onError, ...server } });
    return (await client.read(1, options)).error?.code;
  };
  assert.equal(await code({ verify: failing("verify") }), "EAGENTRPC_BUSY");
  assert.equal(await code({ verify: async () => failing("later")() }), "EAGENTRPC_BUSY");
  const authorization = { headers: { authorization: "Bearer a" } };
  assert.equal(await code({ verify, tokens: failing("tokens") }, authorization), "EAGENTRPC_BUSY");
  assert.equal(await code({ authorize: failing("authorize") }), "EAGENTRPC_FORBIDDEN");
  assert.equal(await code({ verify, sign: { kind: "ed25519", sign: failing("sign") } }), "EAGENTRPC_HANDLER_FAILED");
  assert.deepEqual(errors, ["verify", "later", "tokens", "authorize", "sign"]);
  const signing = connected(proofs, { client: { sign: failing("sign") }, server: open });
  assert.equal((await signing.client.read(1)).error.code, "EAGENTRPC_NO_TRANSPORT");
};

tests["a server that does not know who has roles is an error"] = async () => {
  const message = /^`write`, `erase` declare .* decide with `authorize`, give `grants`, verify tokens with `tokens`, or let everyone call with `withoutAuthorization: true`$/;
  assert.throws(() => createVaultServer(proofs), { message });
  await assert.rejects(handleVault(request("write"), proofs), { message: /^`write` declare / });
  assert.equal(JSON.parse(await handleVault(request("read"), proofs)).payload.kind, "none");
  // Lists without a grant give no one a role.
  for (const empty of [{ grants: {} }, { principals: {} }, { grants: {}, principals: { issuer: {} } }]) {
    assert.throws(() => createVaultServer(proofs, empty), { message });
    await assert.rejects(handleVault(request("write"), proofs, empty), { message: /^`write` declare / });
  }
  for (const some of [{ grants: { console: {} } }, { principals: { issuer: { alice: {} } } }]) {
    assert.equal(JSON.parse(await createVaultServer(proofs, some).handle(request("write"))).payload.code, "EAGENTRPC_FORBIDDEN");
  }
  assert.equal(JSON.parse(await handleVault(request("write"), proofs, { grants: {}, ...open })).payload, 1);
};

for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
console.log(process.exitCode ? "tests failed" : "tests passed");
