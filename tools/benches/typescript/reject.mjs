// Reports of invalid payloads: `parse` of generated code, zod's `safeParse`, and Ajv with `allErrors`. All three report every violation.
import { readFileSync } from "node:fs";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import * as z from "zod";
import { generate, least, names, print, printMeans, root } from "./measure.mjs";
import { load } from "./peers.mjs";

generate();

/** Changes that make a valid payload invalid, or return another payload. */
const cases = {
  flat: [
    ["one member out of range", (it) => void (it.attempts = 11)],
    ["one member of another type", (it) => void (it.attempts = "2")],
    ["one member missing", (it) => void delete it.customer],
    ["five violations", () => ({ requestId: "x", customer: "", subject: 1, priority: "no", more: 1 })],
    ["not an object", () => 5],
  ],
  findings: [
    ["one of 3 items", (it) => void ((it.findings.length = 3), (it.findings[1].location.line = 0))],
    ["one of 100 items", (it) => void (it.findings[1].location.line = 0)],
  ],
  union: [
    ["one item, within its branch", (it) => void ((it.events.length = 1), (it.events[0].ticket = 0))],
    ["one of 5 items, unknown tag", (it) => void ((it.events.length = 5), (it.events[2].kind = "x"))],
    ["one of 100 items, within its branch", (it) => void (it.events[2].ticket = 0)],
  ],
  enums: [["one item, an unknown value", (it) => void ((it.products.length = 1), (it.products[0].size = "q"))]],
  tree: [["the last of 1,000 names", (it) => void (lastLeaf(it).name = 7)]],
};

function lastLeaf(node) {
  return node.children.length ? lastLeaf(node.children.at(-1)) : node;
}

const products = {};
for (const name of names) {
  const contract = `${root}/benches/payloads/${name}/capabilities.yaml`;
  const module = await import(`./generated/bench-${name}.js`);
  const parse = module[Object.keys(module).find((key) => key.startsWith("parse") && key.endsWith("Request"))];
  const schema = load(contract);
  const zod = zodOf(schema);
  const instance = new Ajv.default({ allErrors: true, strict: true });
  addFormats.default(instance);
  const ajv = instance.compile(schema);
  const validators = { capgen: (it) => parse(it).ok, zod: (it) => zod.safeParse(it).success, ajv };
  const text = readFileSync(`${root}/benches/payloads/${name}/payload.json`, "utf8");
  for (const validate of Object.values(validators)) {
    if (!validate(JSON.parse(text))) throw new Error(`a valid payload of ${name} is rejected`);
  }
  for (const [label, change] of cases[name]) {
    const payload = JSON.parse(text);
    const invalid = change(payload) ?? payload;
    print(`${name}, ${label}:`, least(validators, invalid, false), products);
  }
}
printMeans(products);

/** The zod type that is equivalent to the schema of one of these payloads. */
function zodOf(schema, definitions = schema.definitions ?? {}, made = {}) {
  const of = (inner) => zodOf(inner, definitions, made);
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    if (!(name in made)) {
      made[name] = z.lazy(() => made[name]);
      made[name] = of(definitions[name]);
    }
    return made[name];
  }
  if ("const" in schema) return z.literal(schema.const);
  if (schema.enum) return schema.enum.every((value) => typeof value === "string") ? z.enum(schema.enum) : z.literal(schema.enum);
  if (schema.oneOf ?? schema.anyOf) return unionOf((schema.oneOf ?? schema.anyOf).map(of));
  if (Array.isArray(schema.type)) return z.union(schema.type.map((type) => of({ ...schema, type })));
  switch (schema.type) {
    case "object":
      return objectOf(schema, of);
    case "array":
      return bounded(z.array(of(schema.items)), schema.minItems, schema.maxItems);
    case "string":
      return stringOf(schema);
    case "integer":
      return bounded(z.int(), schema.minimum, schema.maximum);
    case "number":
      return bounded(z.number(), schema.minimum, schema.maximum);
    case "boolean":
      return z.boolean();
    default:
      return z.null();
  }
}

function unionOf(branches) {
  try {
    return z.discriminatedUnion("kind", branches);
  } catch {
    return z.union(branches);
  }
}

function objectOf({ properties, required = [], additionalProperties }, of) {
  const shape = Object.entries(properties).map(([name, inner]) => {
    return [name, required.includes(name) ? of(inner) : of(inner).optional()];
  });
  return (additionalProperties === false ? z.strictObject : z.looseObject)(Object.fromEntries(shape));
}

function stringOf({ format, pattern, minLength, maxLength }) {
  const formats = { uuid: z.guid, email: z.email, "date-time": () => z.iso.datetime({ offset: true }), uri: z.url };
  const type = bounded((formats[format] ?? z.string)(), minLength, maxLength);
  return pattern ? type.regex(new RegExp(pattern, "u")) : type;
}

function bounded(type, least, most) {
  const from = least === undefined ? type : type.min(least);
  return most === undefined ? from : from.max(most);
}
