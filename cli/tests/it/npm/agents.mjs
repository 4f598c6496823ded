// Declares one agent with the schemas of each library, in a project in which they are installed.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

import { Type } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import NewType from "typebox";
import * as v from "valibot";
import { z } from "zod";

import { AgentError, CapgenError, check, defineAgent, generate } from "@capgen/cli";

const closed = { additionalProperties: false };

/** The request, the response and the details of an error, by library. Properties and values are sorted, as ArkType sorts them. */
const LIBRARIES = {
  zod: (values) => ({
    request: z.strictObject({
      labels: z.array(z.string()).max(5),
      severity: z.enum(values),
      url: z.url().describe("GitHub PR URL."),
      line: z.int().min(1).max(9).optional(),
    }),
    response: z.strictObject({ note: z.string().nullable(), ok: z.boolean() }),
    details: z.strictObject({ left: z.number() }),
  }),
  valibot: (values) => {
    const line = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9)));
    const url = v.pipe(v.string(), v.url(), v.description("GitHub PR URL."));
    const labels = v.pipe(v.array(v.string()), v.maxLength(5));
    return {
      request: toStandardJsonSchema(v.strictObject({ labels, severity: v.picklist(values), url, line })),
      response: toStandardJsonSchema(v.strictObject({ note: v.nullable(v.string()), ok: v.boolean() })),
      details: toStandardJsonSchema(v.strictObject({ left: v.number() })),
    };
  },
  arktype: (values) => {
    const url = type("string.url").describe("GitHub PR URL.");
    return {
      request: type({ "+": "reject", "line?": "1<=number.integer<=9", labels: "string[]<=5", severity: type.enumerated(...values), url }),
      response: type({ "+": "reject", note: "string|null", ok: "boolean" }),
      details: type({ "+": "reject", left: "number" }),
    };
  },
  typebox: (values) => {
    const severity = Type.Union(values.map((value) => Type.Literal(value)));
    const line = Type.Optional(Type.Integer({ minimum: 1, maximum: 9 }));
    const url = Type.String({ format: "uri", description: "GitHub PR URL." });
    return {
      request: Type.Object({ labels: Type.Array(Type.String(), { maxItems: 5 }), severity, url, line }, closed),
      response: Type.Object({ note: Type.Union([Type.String(), Type.Null()]), ok: Type.Boolean() }, closed),
      details: Type.Object({ left: Type.Number() }, closed),
    };
  },
  "typebox 1": (values) => {
    const line = NewType.Optional(NewType.Integer({ minimum: 1, maximum: 9 }));
    const url = NewType.String({ format: "uri", description: "GitHub PR URL." });
    return {
      request: NewType.Object({ labels: NewType.Array(NewType.String(), { maxItems: 5 }), severity: NewType.Enum(values), url, line }, closed),
      response: NewType.Object({ note: NewType.Union([NewType.String(), NewType.Null()]), ok: NewType.Boolean() }, closed),
      details: NewType.Object({ left: NewType.Number() }, closed),
    };
  },
  "JSON Schema": (values) => ({
    request: {
      ...closed,
      type: "object",
      required: ["url", "severity", "labels"],
      properties: {
        labels: { type: "array", items: { type: "string" }, maxItems: 5 },
        severity: { oneOf: values.map((value) => ({ const: value })) },
        url: { type: "string", format: "uri", description: "GitHub PR URL." },
        line: { type: "integer", maximum: 9, minimum: 1 },
      },
    },
    response: { type: "object", properties: { note: { type: ["null", "string"] }, ok: { type: "boolean" } }, required: ["note", "ok"], ...closed },
    details: { type: "object", properties: { left: { type: "number" } }, required: ["left"], ...closed },
  }),
};

/** Sorts the properties as ArkType does: the optional ones last. */
const agent = (library, values) => {
  const { request, response, details } = LIBRARIES[library](values);
  return defineAgent({
    id: "pr-reviewer",
    description: "Reviews pull requests.",
    owner: "Team Review",
    contact: "review@example.com",
    documentation: "https://example.com/review",
    transports: [{ kind: "nats", servers: ["nats://localhost:4222"], subjects: { requests: "agents.pr-reviewer" } }],
    capabilities: {
      "review-pr": {
        description: "Review a pull request.",
        request,
        response,
        errors: { QUOTA_USED: { description: "No reviews are left.", status: 429, retryable: true, details } },
        timeoutMs: 60_000,
        idempotent: true,
        version: "1.2.0",
        tags: ["review"],
        sideEffects: "pure",
        supportedVersions: [">=1.0.0 <2.0.0"],
      },
      // The order is that of the definition.
      "a-loose-one": { requiredRoles: ["admin"], determinism: "nondeterministic", latency: "batch", skew: "strict" },
    },
  });
};

const VALUES = ["high", "low", "med"];
const file = "agents/pr-reviewer/capabilities.yaml";
const source = pathToFileURL("src/agent.mjs");
const expected = await readFile("expected.yaml", "utf8");

// Each library gives the same manifest, and a change of a schema fails the check with a diff.
for (const library of Object.keys(LIBRARIES)) {
  const declared = agent(library, VALUES);
  const { manifest, diagnostics } = await declared.manifest({ source });
  assert.deepEqual([manifest, diagnostics], [expected.replace("../../src", "src"), []], library);
  const changed = await agent(library, ["high", "low"]).check(file, { source });
  if (library === "zod") {
    assert.deepEqual([changed.ok, changed.status, changed.diagnostics.map(({ code }) => code)], [false, "missing", ["E0405"]]);
    assert.equal((await declared.write(file, { source })).status, "written");
  } else {
    assert.deepEqual([changed.ok, changed.status, changed.diagnostics.map(({ code }) => code)], [false, "stale", ["E0405"]], library);
    assert.match(changed.diff, /^-.*enum: \[high, low, med\]\n\+.*enum: \[high, low\]$/m);
    assert.ok(changed.message.includes(changed.diff) && changed.message.startsWith("error[E0405]: "), changed.message);
    assert.equal((await declared.write(file, { source })).status, "unchanged");
  }
  const { ok, status, diff, message } = await declared.check(pathToFileURL(file), { source: "src/agent.mjs" });
  assert.deepEqual([ok, status, diff, message], [true, "unchanged", "", ""], library);
}
assert.equal(await readFile(file, "utf8"), expected);
assert.deepEqual(await check({ strict: true }), { ok: true, diagnostics: [] });
assert.equal((await generate({ all: true, lang: "typescript", out: "generated" })).ok, true);

// A file that someone wrote is kept.
await writeFile("own.yaml", "# my notes\nversion: 1\n");
const declared = agent("zod", VALUES);
const foreign = await declared.write("own.yaml").catch((error) => error);
assert.ok(foreign instanceof AgentError && foreign instanceof CapgenError);
assert.deepEqual([foreign.code, foreign.diagnostics.map(({ code, path }) => [code, path])], ["CAPGEN_INVALID_AGENT", [["E0403", "own.yaml"]]]);
assert.equal((await declared.check("own.yaml")).ok, false);
assert.equal(await readFile("own.yaml", "utf8"), "# my notes\nversion: 1\n");
assert.equal((await declared.write("own.yaml", { force: true })).status, "written");

// The directions of a schema that transforms values: callers send its input, and get its output.
const text = z.strictObject({ count: z.string().transform(Number).pipe(z.number()), page: z.number().default(1) });
const directions = await defineAgent({ id: "x", capabilities: { a: { request: text, response: text } } }).manifest();
assert.match(directions.manifest, /inputSchema:[^]*count:\n {10}type: string[^]*required: \[count\][^]*outputSchema:[^]*count:\n {10}type: number[^]*required: \[count, page\]/);

// All errors at once, each with its place in the definition.
const hopeless = defineAgent({
  id: "x",
  colour: "red",
  capabilities: {
    dates: { request: z.date(), response: v.string(), timeoutMs: 0.5, errors: { NO: { details: { type: "strin" } } } },
    "a/b": {},
    versions: [{ version: "1.0.0", response: { properties: { "a/b": { $dynamicRef: "#x" } } } }, { version: "2" }],
  },
});
const found = await hopeless.write("never.yaml").catch((error) => error);
const places = found.diagnostics.map(({ code, capability, side, error, pointer }) => [code, capability, side, error, pointer]);
assert.deepEqual(new Set(places), new Set([
  ["CAPGEN_SCHEMA", "dates", "request", undefined, "/capabilities/dates/request"],
  ["CAPGEN_SCHEMA", "dates", "response", undefined, "/capabilities/dates/response"],
  ["E0201", undefined, undefined, undefined, "/colour"],
  ["E0212", "dates", undefined, undefined, "/capabilities/dates/timeoutMs"],
  ["E0105", "dates", undefined, "NO", "/capabilities/dates/errors/NO/details/type"],
  ["E0207", "a/b", undefined, undefined, "/capabilities/a~1b/name"],
  ["E0107", "versions", "response", undefined, "/capabilities/versions/0/response/properties/a~1b/$dynamicRef"],
  ["E0209", "versions", undefined, undefined, "/capabilities/versions/1/version"],
]));
assert.ok(found.diagnostics.every(({ path, line }) => path === undefined && line === undefined));
for (const part of ["Date cannot be represented", "toStandardJsonSchema", "capability `versions`, response, /capabilities", "lossy: true"]) {
  assert.ok(found.message.includes(part), `${part}: ${found.message}`);
}
await assert.rejects(readFile("never.yaml"), { code: "ENOENT" });
const result = await hopeless.check("never.yaml");
assert.deepEqual([result.ok, result.manifest, result.diff, result.message], [false, undefined, "", found.message]);

// Losses are listed if they are allowed.
const lossy = defineAgent({ id: "x", capabilities: { a: { request: { type: "array", items: { $dynamicRef: "#x" } } } } });
await assert.rejects(lossy.manifest(), { name: "AgentError" });
assert.deepEqual((await lossy.manifest({ lossy: true })).diagnostics.map(({ code, pointer }) => [code, pointer]), [
  ["W0901", "/capabilities/a/request/items/$dynamicRef"],
]);

assert.throws(() => defineAgent({ capabilities: {} }), TypeError);

// Values that are not JSON are reported with their places, and nothing is written.
class Request {}
for (const [request, kind, place] of [
  [Request, "a function", ""],
  [Symbol("s"), "a symbol", ""],
  [new Map([["type", "string"]]), "an object of the class `Map`", ""],
  [{ "~standard": { version: 1, vendor: "x", jsonSchema: { input: async () => ({}) } } }, "an object of the class `Promise`", ""],
  [{ "~standard": { version: 1, vendor: "x", jsonSchema: { input: () => undefined } } }, "`undefined`", ""],
  [{ type: "object", properties: { "a/b": Request } }, "a function", "/properties/a~1b"],
  [{ enum: ["a", undefined] }, "`undefined`", "/enum/1"],
  [{ const: 1n }, "a bigint", "/const"],
  [{ minimum: NaN }, "NaN", "/minimum"],
]) {
  const { ok, diagnostics } = await defineAgent({ id: "x", capabilities: { a: { request } } }).check("no-such-file.yaml");
  assert.deepEqual([ok, diagnostics.map(({ code, message, pointer }) => [code, message, pointer])], [
    false,
    [["CAPGEN_SCHEMA", `${kind} is not a part of a JSON Schema`, `/capabilities/a/request${place}`]],
  ]);
}
const plain = defineAgent({ id: "x", agent: "agent://other", capabilities: { a: { name: "b", request: { type: "string", title: undefined } } } });
assert.match((await plain.manifest()).manifest, /agent: agent:\/\/x\n[^]*- name: a\n/);
for (const path of [undefined, null, "", "-", 1]) await assert.rejects(plain.write(path), TypeError);
await assert.rejects(defineAgent({ id: "x", capabilities: { "\u001b[31m\n::error::a": {} } }).manifest(), (error) => !/[\0-\x09\x0b-\x1f]|^::/m.test(error.message));

assert.throws(() => defineAgent({ id: "x", capabilities: [] }), TypeError);
await assert.rejects(declared.write("x.yaml", { strict: true }), { name: "TypeError", message: "unknown option `strict`" });
await assert.rejects(defineAgent({ id: "x", capabilities: {} }).manifest(), { code: "CAPGEN_INVALID_AGENT" });
await assert.rejects(declared.manifest({ signal: AbortSignal.abort() }), { name: "AbortError" });

console.log("passed");
