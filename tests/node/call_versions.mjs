// Clients and servers of an agent with several versions of a capability: the module in the first argument, of `tests/cases/versions`.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const versions = await import(pathToFileURL(process.argv[2]));

/** The method that each request reaches, and the messages that were sent. */
const runs = [];
const sent = [];
const named = (name, response) => (payload) => (runs.push(name), response);
const server = versions.createVersionsServer({
  bookTrip: named("bookTrip", { id: "T" }),
  bookTripV1_3: named("bookTripV1_3", { any: true }),
  bookTripV1_4: named("bookTripV1_4", { id: 1 }),
  bookTripV3: named("bookTripV3", null),
  cancelTrip: named("cancelTrip", null),
  cancelTripV1: named("cancelTripV1", null),
  cancelTripV2: named("cancelTripV2", null),
  ping: named("ping", "pong"),
});
const transport = {
  request: async ({ text }) => (sent.push(JSON.parse(text)), await server.handle(text)),
  publish: async () => {},
};
const client = versions.createVersionsClient(transport, { from: "console" });

const cents = { priceCents: 100 };
const dollars = { price: 1 };
for (const [method, request, response] of [
  ["bookTrip", cents, { id: "T" }],
  ["bookTripV1_4", dollars, { id: 1 }],
  ["bookTripV1_3", dollars, { any: true }],
  ["bookTripV3", { amount: "1 USD" }, null],
  ["cancelTrip", { id: "a" }, null],
  ["cancelTripV2", { trip: "a" }, null],
  ["cancelTripV1", 1, null],
  ["ping", 1, "pong"],
]) {
  const result = await client[method](request);
  assert.deepEqual([result.status, result.response], ["ok", response], `${method}: ${JSON.stringify(result)}`);
  assert.equal(runs.at(-1), method);
}
assert.deepEqual([...new Set(sent.map(({ capability }) => capability))], ["book-trip", "cancel-trip", "cancel-trip-v2", "ping"]);
assert.deepEqual(
  sent.map(({ headers }) => headers["capgen-version"]),
  ["2.1.0", "1.4.0", "1.3.0", "3.0.0-rc.1", "2.0.0", undefined, "1.0.0", undefined],
);
// The plain version has a second name, unless another capability has it.
await client.bookTripV2(cents);
assert.deepEqual([runs.at(-1), sent.at(-1).headers["capgen-version"]], ["bookTrip", "2.1.0"]);
for (const name of ["parseBookTripRequest", "isBookTripResponse", "bookTripRequest", "bookTripResponse", "bookTripRequestSeatKindValues"]) {
  assert.ok(versions[name], name);
  assert.equal(versions[name.replace(/(b)ookTrip/i, "$&V2")], versions[name], name);
}
assert.notEqual(versions.cancelTripV2Request, versions.cancelTripRequest);

/** The answer to a request of a caller with a version and another contract. */
const answered = async (version, payload) => {
  const headers = { "capgen-contract": "0".repeat(64), "capgen-version": version };
  const ids = { messageId: `m-${sent.length}-${runs.length}-${version}`, correlationId: "c" };
  const request = { version: 1, kind: "request", ...ids, from: "agent://console", to: "agent://versions", capability: "book-trip", headers, payload };
  return JSON.parse(await server.handle(JSON.stringify(request)));
};
// Those of the caller's line are tried, the highest first. Without one, all are.
assert.equal((await answered("1.9.0", dollars)).headers["capgen-version"], "1.4.0");
assert.equal(runs.at(-1), "bookTripV1_4");
assert.equal((await answered("9.0.0", dollars)).headers["capgen-version"], "1.4.0");
assert.equal((await answered("9.0.0", cents)).headers["capgen-version"], "2.1.0");
const count = runs.length;
const refused = await answered("1.9.0", cents);
assert.equal(refused.payload.code, "EVERSION_SKEW");
assert.deepEqual(refused.payload.skew.served, ["3.0.0-rc.1", "2.1.0", "1.4.0", "1.3.0"]);
assert.equal((await answered("1.9", dollars)).payload.code, "EAGENTRPC_INVALID_ENVELOPE");
assert.equal(runs.length, count);

// All answers to requests with one key have the contract of the version that ran, also for callers with other contracts.
const { versionsCapabilities: table } = versions;
const repeated = async (hash, version) => {
  const headers = { "capgen-contract": hash, "capgen-version": version, "idempotency-key": "k" };
  const ids = { messageId: `${Math.random()}`, correlationId: "c" };
  const request = { version: 1, kind: "request", ...ids, from: "agent://console", to: "agent://versions", capability: "book-trip", headers, payload: dollars };
  const answer = JSON.parse(await server.handle(JSON.stringify(request)));
  return [answer.payload, answer.headers["capgen-contract"], answer.headers["capgen-version"]];
};
const { hash, version } = table["book-trip@1.4.0"];
const equal = [{ id: 1 }, hash, undefined];
// The second one waits for the first.
assert.deepEqual(await Promise.all([repeated(hash, version), repeated(hash, version)]), [equal, equal]);
assert.deepEqual(await repeated(hash, version), equal);
assert.deepEqual(await repeated("0".repeat(64), "1.9.0"), [{ id: 1 }, hash, version]);
assert.equal(runs.length, count + 1);

// The table has each version by its label, and the plain one by its name too.
assert.equal(table["book-trip"].hash, table["book-trip@2.1.0"].hash);
assert.equal(table["book-trip@1.4.0"].version, "1.4.0");
console.log("tests passed");
