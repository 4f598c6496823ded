// Servers that know the older contracts of their callers. The modules are those of the server, of the same server whose comparison of one
// side did not end, and of clients with older contracts: one that can read every response, one that cannot, and one that the server does
// not know. Then a server with two versions of a capability, and a client of neither. The last one is the first server, whose findings a
// reviewer has accepted until the end of January 2027.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [provider, undecided, fits, unfit, stranger, several, other, accepted] = await Promise.all(process.argv.slice(2).map((path) => import(pathToFileURL(path))));

/** The result of a call of a client of one module by a server of another one, the headers of the response, and the number of runs. */
const called = async (server, callers, method, options = {}, payload = "a") => {
  let [runs, headers] = [0, undefined];
  const run = () => (runs++, 3);
  const { handle } = server.createTripsServer({ book: run, bookV1: () => (runs++, 4), hold: run, read: run });
  const transport = {
    request: async ({ text }) => {
      const answer = await handle(text);
      headers = JSON.parse(answer).headers;
      return answer;
    },
    publish: async ({ text }) => void (await handle(text)),
  };
  const client = callers.createTripsClient(transport, { from: "console", tryOtherInstances: false });
  return { ...(await client[method](payload, options)), runs, headers };
};

/** Of a refusal: the reason, the side and the code of the finding. */
const refusal = ({ status, error, runs }) => {
  assert.deepEqual([status, error.code, error.effect, runs], ["error", "EVERSION_SKEW", "none", 0], JSON.stringify(error));
  return [error.skew.reason, error.finding?.side, error.finding?.code];
};
const served = ({ status, response, error, runs }, expected = 3) =>
  assert.deepEqual([status, response, runs], ["ok", expected, 1], JSON.stringify(error));

// With the policy `refuse` of the provider, only responses count.
served(await called(provider, fits, "book"));
const refused = await called(provider, unfit, "book");
assert.deepEqual(refusal(refused), ["response", "response", "E0713"]);
assert.equal(refused.error.message, "response: `maximum` changed from 5 to 9 (E0713)");
assert.match(refused.error.finding.fingerprint, /^[0-9a-f]{20}$/);
assert.equal(refused.error.finding.pointer, "/outputSchema/maximum");
assert.deepEqual([refused.error.skew.callerVersion, refused.error.skew.providerVersion], ["1.1.0", "2.0.0"]);
assert.deepEqual(refusal(await called(provider, stranger, "book")), ["unknown-contract", undefined, undefined]);
assert.deepEqual(refusal(await called(undecided, fits, "book")), ["undecided", "response", undefined]);
// If the comparison found changes, reviewers can accept them by their fingerprints.
const open = await called(undecided, unfit, "book");
assert.deepEqual(refusal(open), ["undecided", "response", "E0713"]);
assert.deepEqual(open.error.finding, refused.error.finding);
assert.equal(open.error.message, "it is not known whether the caller accepts every response of the provider");
// A capability that may be repeated is exempt.
served(await called(provider, unfit, "read"));
served(await called(provider, stranger, "read"));

// With `strict`, requests count too, also of capabilities that may be repeated.
assert.deepEqual(refusal(await called(provider, fits, "book", { skew: "strict" })), ["payload", "request", "E0712"]);
assert.deepEqual(refusal(await called(provider, unfit, "read", { skew: "strict" })), ["response", "response", "E0713"]);
served(await called(provider, fits, "read", { skew: "strict" }));

// With `serve`, the response states that others may be invalid.
const fine = await called(provider, fits, "hold");
served(fine);
assert.equal(fine.headers["capgen-skew"], undefined);
const noted = await called(provider, unfit, "hold");
served(noted);
const skew = JSON.parse(noted.headers["capgen-skew"]);
assert.deepEqual([skew.reason, skew.callerVersion, skew.providerVersion, skew.served], ["response", "1.1.0", "2.0.0", ["2.0.0"]]);
assert.equal((await called(provider, stranger, "hold")).headers["capgen-skew"], undefined);

// The row of the version that runs counts: the highest that reads the payload, and with `strict` the highest that fits.
assert.deepEqual(refusal(await called(several, other, "book", { skew: "refuse" })), ["response", "response", "E0713"]);
served(await called(several, other, "book", { skew: "strict" }), 4);
const highest = await called(several, other, "book");
served(highest);
assert.equal(JSON.parse(highest.headers["capgen-skew"]).providerVersion, "2.0.0");

// Until the end of the last day of accepted findings, callers are served whose responses may fail because of them.
const RealDate = Date;
const at = async (now, run) => {
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length > 0 ? given : [now]));
    }
  };
  await run().finally(() => (globalThis.Date = RealDate));
};
await at("2027-01-31T23:59:59.999Z", async () => {
  served(await called(accepted, unfit, "book"));
  served(await called(accepted, unfit, "book", { skew: "strict" }));
  const silent = await called(accepted, unfit, "hold");
  served(silent);
  assert.equal(silent.headers["capgen-skew"], undefined);
  assert.deepEqual(refusal(await called(accepted, stranger, "book")), ["unknown-contract", undefined, undefined]);
  // A payload that the change breaks is refused nevertheless.
  const long = await called(accepted, unfit, "book", {}, "a".repeat(101));
  assert.deepEqual(refusal(long), ["payload", undefined, undefined]);
});
await at("2027-02-01T00:00:00.000Z", async () => {
  const expired = await called(accepted, unfit, "book");
  assert.deepEqual(expired.error.finding, refused.error.finding);
  assert.equal(expired.error.message, refused.error.message);
});
console.log("tests passed");
