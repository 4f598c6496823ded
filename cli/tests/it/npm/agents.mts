// Compiled, and never run: the types of agents that are declared with the schemas of each library.
import { Type } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import NewType from "typebox";
import * as v from "valibot";
import { z } from "zod";

import { defineAgent, type AgentDiagnostic, type RequestOf, type ResponseOf } from "@capgen/cli";

type Equal<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const equal = <One, Other>(..._: Equal<One, Other> extends true ? [] : ["the types differ"]): void => {};

type Request = { url: string; severity: "high" | "low"; line?: number | undefined };
type Response = { note: string | null };

const zod = defineAgent({
  id: "zod",
  capabilities: {
    review: {
      request: z.strictObject({ url: z.url(), severity: z.enum(["high", "low"]), line: z.int().optional() }),
      response: z.strictObject({ note: z.string().nullable() }),
      errors: { QUOTA_USED: { status: 429, details: z.strictObject({ left: z.number() }) } },
      tags: ["review"],
      sideEffects: "pure",
    },
    // Callers send the input, and get the output.
    directions: { request: z.string().transform(Number).pipe(z.number()), response: z.string().transform(Number).pipe(z.number()) },
    versions: [
      { version: "2.0.0", request: z.string() },
      { version: "1.0.0", request: z.number() },
    ],
    loose: {},
  },
});
equal<RequestOf<typeof zod, "review">, Request>();
equal<ResponseOf<typeof zod, "review">, Response>();
equal<RequestOf<typeof zod, "directions">, string>();
equal<ResponseOf<typeof zod, "directions">, number>();
equal<RequestOf<typeof zod, "versions">, string | number>();
equal<RequestOf<typeof zod, "loose">, unknown>();
// @ts-expect-error: not a capability of the agent
export type Missing = RequestOf<typeof zod, "revieww">;

const valibot = defineAgent({
  id: "valibot",
  capabilities: {
    review: {
      request: toStandardJsonSchema(v.strictObject({ url: v.string(), severity: v.picklist(["high", "low"]), line: v.optional(v.number()) })),
      response: toStandardJsonSchema(v.strictObject({ note: v.nullable(v.string()) })),
    },
  },
});
equal<RequestOf<typeof valibot, "review">, Request>();
equal<ResponseOf<typeof valibot, "review">, Response>();

const arktype = defineAgent({
  id: "arktype",
  capabilities: { review: { request: type({ url: "string", severity: "'high'|'low'", "line?": "number" }), response: type({ note: "string|null" }) } },
});
equal<RequestOf<typeof arktype, "review">, { url: string; severity: "high" | "low"; line?: number }>();
equal<ResponseOf<typeof arktype, "review">, Response>();

const typebox = defineAgent({
  id: "typebox",
  capabilities: {
    review: {
      request: Type.Object({ url: Type.String(), severity: Type.Union([Type.Literal("high"), Type.Literal("low")]), line: Type.Optional(Type.Number()) }),
      response: Type.Object({ note: Type.Union([Type.String(), Type.Null()]) }),
    },
  },
});
equal<RequestOf<typeof typebox, "review">, { url: string; severity: "high" | "low"; line?: number }>();
equal<ResponseOf<typeof typebox, "review">, Response>();

const newTypebox = defineAgent({
  id: "typebox",
  capabilities: {
    review: {
      request: NewType.Object({ url: NewType.String(), severity: NewType.Enum(["high", "low"]), line: NewType.Optional(NewType.Number()) }),
      response: NewType.Object({ note: NewType.Union([NewType.String(), NewType.Null()]) }),
    },
  },
});
equal<RequestOf<typeof newTypebox, "review">, { url: string; severity: "high" | "low"; line?: number }>();
equal<ResponseOf<typeof newTypebox, "review">, Response>();

const plain = defineAgent({
  id: "plain",
  capabilities: {
    review: {
      request: {
        type: "object",
        properties: { url: { type: "string" }, severity: { enum: ["high", "low"] }, tags: { type: "array", items: { type: ["string", "null"] } } },
        required: ["url", "severity"],
      },
      response: { anyOf: [{ const: "done" }, { type: "integer" }, { type: "object" }] },
    },
    anything: { request: true, response: { $ref: "#/definitions/x", definitions: { x: {} } } },
  },
});
equal<RequestOf<typeof plain, "review">, { url: string; severity: "high" | "low"; tags?: (string | null)[] }>();
equal<ResponseOf<typeof plain, "review">, "done" | number | { [name: string]: unknown }>();
equal<RequestOf<typeof plain, "anything">, unknown>();
equal<ResponseOf<typeof plain, "anything">, unknown>();

export async function run(): Promise<string> {
  const { manifest, status }: { manifest: string; status: "written" | "unchanged" } = await zod.write("a.yaml", { source: import.meta.url });
  const { ok, diff, message } = await zod.check(new URL("a.yaml", import.meta.url));
  const found: AgentDiagnostic[] = (await zod.manifest({ lossy: true })).diagnostics;
  return [manifest, status, ok, diff, message, ...found.map(({ capability, side, error, pointer }) => `${capability} ${side} ${error} ${pointer}`)].join();
}

// @ts-expect-error: this schema has no JSON Schema
defineAgent({ id: "x", capabilities: { a: { request: v.string() } } });
// @ts-expect-error: not a key of a capability
defineAgent({ id: "x", capabilities: { a: { timeout: 1 } } });
// @ts-expect-error: not a value of the key
defineAgent({ id: "x", capabilities: { a: { sideEffects: "none" } } });
// @ts-expect-error: not a key of this kind of transport
defineAgent({ id: "x", transports: [{ kind: "nats", servers: [], topics: { requests: "x" } }], capabilities: {} });
// @ts-expect-error: an agent needs capabilities
defineAgent({ id: "x" });
