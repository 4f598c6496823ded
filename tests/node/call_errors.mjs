// Declared errors between clients and servers: the modules in the folder of the first argument, of `tests/cases/errors`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (path) => import(pathToFileURL(`${folder}/${path}`));
const [current, older, single] = await Promise.all(["current/errors.mjs", "older/errors.mjs", "single/errors.mjs"].map(load));
const common = createRequire(import.meta.url)(`${folder}/current/errors.cjs`);

/** The payload of the last answer, as it was sent. */
let sent;
/** The errors that the server reported. */
const reported = [];
/** A client of one module, and a server of another one whose handlers fail with these arguments. */
const clientOf = (caller, provider, ...failure) => {
  const fail = (_, context) => context.fail(...failure);
  const onError = (error) => reported.push(error);
  const server = provider.createErrorsServer({ bookTrip: fail, changeSeat: fail, ping: fail }, { onError });
  const request = async ({ text }) => {
    const answer = await server.handle(text);
    sent = JSON.parse(answer).payload;
    return answer;
  };
  return caller.createErrorsClient({ request, publish: async () => {} }, { from: "console" });
};
/** The error of a call. */
const failed = async (caller, provider, failure, method = "bookTrip", request = { from: "a", id: "a" }) => {
  const result = await clientOf(caller, provider, ...failure)[method](request);
  assert.equal(result.status, "error", JSON.stringify(result));
  return result.error;
};

for (const [caller, provider] of [[current, current], [single, single], [common, common], [current, single]]) {
  // A declared error has its details, and is worth a retry if the contract states it.
  const full = { code: "NO_SEATS", message: "full", retryable: false, details: { free: 0 } };
  assert.deepEqual(await failed(caller, provider, ["NO_SEATS", "full", { free: 0 }]), { ...full, declared: true });
  assert.deepEqual(sent, full);
  const again = { ...full, retryable: true };
  assert.deepEqual(await failed(caller, provider, ["NO_SEATS", "full", { free: 0 }], "changeSeat"), { ...again, declared: true });
  assert.deepEqual(sent, again);
  const down = { code: "PAYMENT_DOWN", message: "down", retryable: true };
  assert.deepEqual(await failed(caller, provider, ["PAYMENT_DOWN", "down", { secret: 1 }]), { ...down, declared: true });
  assert.deepEqual(sent, down);
  const other = { kind: "card", card: "1" };
  assert.deepEqual((await failed(caller, provider, ["OTHER", "no", other])).details, other);

  // Other codes have no details, also those that every object has, and those of capabilities without errors.
  for (const code of ["NOT_DECLARED", "constructor", "__proto__", "toString"]) {
    for (const method of ["bookTrip", "ping"]) {
      assert.deepEqual(await failed(caller, provider, [code, "m", { a: 1 }], method), { code, message: "m", retryable: false });
      assert.deepEqual(sent, { code, message: "m" });
    }
  }

  // Invalid details, and missing ones, are a mistake of the provider. Its report and its answer have no values.
  for (const details of [undefined, null, { free: "secret" }, { free: -1 }]) {
    reported.length = 0;
    const error = await failed(caller, provider, ["NO_SEATS", "full", details]);
    const message = "the details of the error `NO_SEATS` violate their schema";
    assert.deepEqual(error, { code: "EAGENTRPC_HANDLER_FAILED", message, retryable: false });
    assert.deepEqual(sent, { code: "EAGENTRPC_HANDLER_FAILED", message });
    assert.ok(reported.length === 1 && reported[0].message === message && reported[0].violations.length > 0);
    assert.ok(!JSON.stringify(reported[0].violations).includes("secret"));
  }
}

// A caller drops details that violate its own schema, and those of a code that it does not know.
const full = { code: "NO_SEATS", message: "full", retryable: false };
assert.deepEqual(await failed(older, current, ["NO_SEATS", "full", { free: 0 }]), full);
assert.deepEqual(sent.details, { free: 0 });
assert.deepEqual(await failed(current, older, ["NO_SEATS", "full", { free: "0" }]), full);
const soldOut = { code: "SOLD_OUT", message: "gone", retryable: false };
assert.deepEqual(await failed(older, current, ["SOLD_OUT", "gone"]), soldOut);
assert.deepEqual(await failed(current, current, ["SOLD_OUT", "gone"]), { ...soldOut, declared: true });
// Any provider may answer, so the caller checks details that no provider of capgen would send.
for (const [code, details] of [["SOLD_OUT", { free: 0 }], ["NOT_DECLARED", { free: 0 }], ["NO_SEATS", undefined], ["NO_SEATS", { free: -1 }]]) {
  const request = async ({ text }) => {
    const { to, from, capability, correlationId } = JSON.parse(text);
    const headers = { "capgen-status": "error" };
    const payload = { code, message: "m", retryable: true, details };
    return JSON.stringify({ version: 1, kind: "response", messageId: "r", correlationId, from: to, to: from, capability, headers, payload });
  };
  const { error } = await current.createErrorsClient({ request, publish: async () => {} }, { from: "console" }).bookTrip({ from: "a" });
  const declared = code === "SOLD_OUT" ? { declared: true } : {};
  assert.deepEqual(error, { code, message: "m", retryable: true, ...declared });
}

// The details of the protocol's own errors stay.
const late = async ({ text }) => {
  const { to, from, capability, correlationId } = JSON.parse(text);
  const payload = { code: "EAGENTRPC_DEADLINE_EXCEEDED", message: "late", details: { lateMs: 3 } };
  const headers = { "capgen-status": "error" };
  return JSON.stringify({ version: 1, kind: "response", messageId: "r", correlationId, from: to, to: from, capability, headers, payload });
};
const { error } = await current.createErrorsClient({ request: late, publish: async () => {} }, { from: "console" }).bookTrip({ from: "a" });
assert.deepEqual(error.details, { lateMs: 3 });

// `orThrow` resolves to the response, and rejects with the class of the capability, or with the one for all.
for (const module of [current, single, common]) {
  const thrown = (client, method, request) => client[method].orThrow(request).then(() => assert.fail("it succeeded"), (error) => error);
  const client = clientOf(module, module, "NO_SEATS", "full", { free: 0 });
  const error = await thrown(client, "bookTrip", { from: "a" });
  assert.ok(error instanceof module.BookTripError && error instanceof module.FailedCallError && error instanceof Error);
  assert.ok(!(error instanceof module.ChangeSeatError));
  const { name, code, message, retryable, details, result } = error;
  assert.deepEqual([name, code, message, retryable, details], ["BookTripError", "NO_SEATS", "full", false, { free: 0 }]);
  assert.ok(result.status === "error" && result.error.declared && result.correlationId);
  const invalid = await thrown(client, "bookTrip", { from: 1 });
  assert.ok(invalid instanceof module.BookTripError);
  assert.deepEqual([invalid.code, invalid.result.status], ["EAGENTRPC_SCHEMA_VIOLATION", "schema-violation"]);
  const other = await thrown(client, "ping", 1);
  assert.ok(other instanceof module.FailedCallError && !(other instanceof module.BookTripError));
  assert.deepEqual([other.code, other.result.error.declared], ["NO_SEATS", undefined]);

  const server = module.createErrorsServer({ bookTrip: () => ({ id: "T" }), changeSeat: () => 1, ping: () => null });
  const calls = module.createErrorsClient({ request: ({ text }) => server.handle(text), publish: async () => {} }, { from: "console" });
  assert.deepEqual(await calls.bookTrip.orThrow({ from: "a" }), { id: "T" });
  assert.equal(await calls.ping.orThrow(1), null);
}

// With an idempotency key, an error that may pass is not the answer to repetitions; any other is.
for (const [method, runs] of [["bookTrip", 1], ["changeSeat", 2]]) {
  let count = 0;
  const fail = (_, context) => (count++, context.fail("NO_SEATS", "full", { free: 0 }));
  const server = current.createErrorsServer({ bookTrip: fail, changeSeat: fail, ping: fail });
  const client = current.createErrorsClient({ request: ({ text }) => server.handle(text), publish: async () => {} }, { from: "console" });
  for (const _ of [1, 2]) {
    const result = await client[method]({ from: "a", id: "a" }, { idempotencyKey: "k" });
    assert.deepEqual(result.error.details, { free: 0 });
  }
  assert.equal(count, runs, method);
}

// Halves of characters are no valid JSON in other languages. They are replaced in the messages of errors.
for (const [message, expected] of [["a\uD800", "a\uFFFD"], ["\uDE00\u{1F600}\uD83D", "\uFFFD\u{1F600}\uFFFD"], ["\\ud800", "\\ud800"]]) {
  assert.equal((await failed(current, current, ["PAYMENT_DOWN", message])).message, expected);
  assert.equal((await failed(current, current, ["NOT_DECLARED", message])).message, expected);
  assert.equal((await failed(current, current, ["EAGENTRPC_BUSY", message])).message, expected);
}
assert.equal((await failed(current, current, ["NOT_\uD800", "m"])).code, "NOT_\uFFFD");
// Details and responses have a meaning, so the call fails.
const unsent = { code: "EAGENTRPC_HANDLER_FAILED", message: "the response cannot be sent", retryable: false };
for (const [card, isSent] of [["\uD800", false], ["\\\uD800", false], ["\\ud800", true], ["\u{1F600}", true], ["\\\\ud800", true]]) {
  const details = { kind: "card", card };
  const error = await failed(current, current, ["OTHER", "no", details]);
  assert.deepEqual(error, isSent ? { code: "OTHER", message: "no", retryable: false, details, declared: true } : unsent, JSON.stringify(card));
  const server = current.createErrorsServer({ ping: () => ({ [card]: card }) });
  const client = current.createErrorsClient({ request: ({ text }) => server.handle(text), publish: async () => {} }, { from: "console" });
  const answered = await client.ping(1);
  assert.deepEqual(isSent ? answered.response : answered.error, isSent ? { [card]: card } : unsent);
}

// Codes and messages that are no texts, and a report that fails, lose no answer.
for (const onError of [() => { throw new Error("no log"); }, async () => { throw new Error("no log"); }, undefined]) {
  const thrown = [
    (context) => context.fail(Symbol("CODE"), "m"),
    (context) => context.fail("CODE", Symbol("m")),
    (context) => context.fail({ toString: () => assert.fail() }, { toString: () => assert.fail() }),
    (context) => context.fail("NO_SEATS", "full", { free: -1 }),
    () => { throw Symbol("m"); },
    () => { throw new Error("internal"); },
  ];
  const answers = [];
  for (const fail of thrown) {
    const server = current.createErrorsServer({ bookTrip: (_, context) => fail(context) }, { onError });
    const client = current.createErrorsClient({ request: ({ text }) => server.handle(text), publish: async () => {} }, { from: "console" });
    const { error } = await client.bookTrip({ from: "a" });
    answers.push(`${error.code}: ${error.message}`);
  }
  const failed = "EAGENTRPC_HANDLER_FAILED: the handler failed";
  const invalid = "EAGENTRPC_HANDLER_FAILED: the details of the error `NO_SEATS` violate their schema";
  assert.deepEqual(answers, ["EAGENTRPC_HANDLER_FAILED: m", "CODE: the handler failed", failed, invalid, failed, failed]);
}

// A handler that does not handle the error of a call that it made has its code, as with `?` in Rust. Those of the protocol are only for
// the call that it made, and details are sent if they are declared.
for (const [module, reports] of [[current, 1], [single, 1], [older, 1]]) {
  const inner = (failure) => clientOf(module, module, ...failure);
  const answer = async (method, run) => {
    const errors = [];
    const handlers = Object.fromEntries(["bookTrip", "changeSeat", "ping"].map((name) => [name, run]));
    const server = current.createErrorsServer(handlers, { onError: (error) => errors.push(error) });
    await current.createErrorsClient({ request: async ({ text }) => {
      const response = await server.handle(text);
      sent = JSON.parse(response).payload;
      return response;
    }, publish: async () => {} }, { from: "console" })[method]({ from: "a", id: "a" });
    assert.equal(errors.length, reports);
    return sent;
  };
  const gone = (method) => answer(method, () => inner(["GONE_AWAY", "away", { a: 1 }]).ping.orThrow(1));
  assert.deepEqual(await gone("bookTrip"), { code: "GONE_AWAY", message: "a call failed: away" });
  const down = (method) => answer(method, () => inner(["PAYMENT_DOWN", "down"]).bookTrip.orThrow({ from: "a" }));
  const message = "a call failed: down";
  assert.deepEqual(await down("bookTrip"), { code: "PAYMENT_DOWN", message, retryable: true });
  assert.deepEqual(await down("ping"), { code: "PAYMENT_DOWN", message, retryable: true });
  const lost = { request: async () => { throw new Error("no connection"); }, publish: async () => {} };
  const unreachable = () => module.createErrorsClient(lost, { from: "console" }).ping.orThrow(1);
  const failed = { code: "EAGENTRPC_HANDLER_FAILED", message: "a call failed: no connection", retryable: true };
  assert.deepEqual(await answer("ping", unreachable), failed);
}
const seats = () => clientOf(current, current, "NO_SEATS", "full", { free: 2 }).bookTrip.orThrow({ from: "a" });
const between = await failedBy(seats, "changeSeat");
assert.deepEqual(between, { code: "NO_SEATS", message: "a call failed: full", retryable: true, details: { free: 2 }, declared: true });
assert.deepEqual(await failedBy(seats, "ping"), { code: "NO_SEATS", message: "a call failed: full", retryable: false });
// Neither an error that has a code, nor the error of a result, is the error of a call.
for (const error of [Object.assign(new Error("m"), { code: "ENOENT" }), { code: "NO_SEATS", message: "m", details: { free: 2 } }]) {
  const { code, message } = await failedBy(() => { throw error; }, "bookTrip");
  assert.deepEqual([code, message], ["EAGENTRPC_HANDLER_FAILED", "the handler failed"]);
}

/** The error of a call of a capability with this handler. */
async function failedBy(run, method) {
  const server = current.createErrorsServer({ [method]: run });
  const client = current.createErrorsClient({ request: ({ text }) => server.handle(text), publish: async () => {} }, { from: "console" });
  return (await client[method]({ from: "a", id: "a" })).error;
}

// The table of capabilities has the validators of details.
const { NO_SEATS, SOLD_OUT, PAYMENT_DOWN } = current.capabilities["book-trip"].errors;
assert.deepEqual([NO_SEATS.status, NO_SEATS.details.is({ free: 0 }), NO_SEATS.details.parse({}).ok], [409, true, false]);
assert.deepEqual([SOLD_OUT.details, PAYMENT_DOWN.retryable, current.capabilities.ping.errors], [undefined, true, {}]);

console.log("tests passed");
