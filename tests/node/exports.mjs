// Checks exports by independent validators. Reads JSON texts of documents from stdin, each with whether Ajv compiles its schemas, and
// writes for each document the errors of each validator, both JSON:
//   {"mcp": [["{\"tools\": []}", true]], "openapi": [], "a2a": [], "openai": [], "json-schema": []}
//     -> {"mcp": [{"2025-06-18": [], "2026-07-28": [], "sdk": [], "schemas": []}], ...}
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { AgentCard } from "@a2a-js/sdk";
import { ListToolsResultSchema } from "@modelcontextprotocol/core";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const read = (name) => JSON.parse(readFileSync(new URL(`schemas/${name}`, import.meta.url), "utf8"));

/** The errors about a value, by a schema of a protocol. */
function by(Draft, schema) {
  const validate = new Draft({ strict: false, allErrors: true }).compile(schema);
  return (value) => (validate(value) ? [] : validate.errors.map((error) => `${error.instancePath}: ${error.message}`));
}

/** Ajv in strict mode, in which it rejects keywords and formats that it does not know. Making one takes longer than most schemas. */
function strictAjv(Draft, keywords = []) {
  const ajv = new Draft({ strictSchema: true, strictTypes: false, strictRequired: false, addUsedSchema: false, allowMatchingProperties: true });
  addFormats(ajv);
  // `ajv-formats` lacks two formats of draft-07, and an example has an `x-format`, which exports write as `format`: JSON Schema ignores
  // formats that it does not define.
  for (const name of ["idn-email", "iri", "phone"]) ajv.addFormat(name, true);
  ajv.addVocabulary(keywords);
  return ajv;
}

/** Whether schemas are compiled, which takes a while. The others are checked by the meta-schema alone. */
let compiles = true;

/** The errors of a schema. */
function compiled(ajv, schema) {
  if (!compiles) return ajv.validateSchema(schema) ? [] : [ajv.errorsText()];
  try {
    ajv.compile(schema);
    return [];
  } catch (error) {
    return [error.message];
  }
}

const draft7 = strictAjv(Ajv);
const draft2020 = strictAjv(Ajv2020);
const ofDocuments = strictAjv(Ajv2020, ["openapi", "info", "servers", "security", "paths", "components", "x-capgen-definition"]);
const is2025 = by(Ajv, read("mcp-2025-06-18.json"));
const is2026 = by(Ajv2020, read("mcp-2026-07-28.json"));
const isCard = by(Ajv, read("a2a-0.3.json"));

function mcp(list) {
  const { error } = ListToolsResultSchema.safeParse(list);
  const schemas = list.tools.flatMap((tool) => [tool.inputSchema, tool.outputSchema].filter((schema) => schema !== undefined));
  return {
    "2025-06-18": is2025(list),
    "2026-07-28": is2026({ ...list, resultType: "complete", cacheScope: "private", ttlMs: 0 }),
    sdk: error ? error.issues.map((issue) => `${issue.path.join("/")}: ${issue.message}`) : [],
    schemas: schemas.flatMap((schema) => compiled(draft2020, schema)),
  };
}

const isOpenApi = new Validator();
const DOCUMENT = "https://example.com/document";
const token = (text) => text.replaceAll("~", "~0").replaceAll("/", "~1");

/**
 * A document without the members of capgen, and in which only references have the key `$ref`: the validators look for `$id` and `$ref` in
 * every object, even if it is a value of `enum` or the properties of a schema.
 */
function plain(document) {
  const rename = ([key, value]) => [key === "$ref" && !String(value).startsWith("#/components/") ? "ref" : key, value];
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (key === "x-capgen") return undefined;
    return value && !Array.isArray(value) && Object.hasOwn(value, "$ref") ? Object.fromEntries(Object.entries(value).map(rename)) : value;
  });
}

/** The errors of schemas in a document, which is read once. */
function referenced(document, places) {
  if (!compiles) return [];
  ofDocuments.addSchema(document, DOCUMENT);
  const errors = places.flatMap((place) => compiled(ofDocuments, { $ref: `${DOCUMENT}${place}` }));
  ofDocuments.removeSchema(DOCUMENT);
  return errors;
}

/** The rules that `redocly lint` applies by default. */
const recommended = await createConfig({
  extends: ["recommended"],
  // About valid schemas as their authors wrote them. The rules throw for a property with the name `hasOwnProperty`, and for an object with
  // the member `toString` in an `enum`.
  rules: { "no-required-schema-properties-undefined": "off", "no-enum-type-mismatch": "off" },
});

/**
 * Warnings about texts that a contract does not have, and about schemas that are valid: the licence of a document, the responses 4XX of
 * operations of others, definitions that nothing uses, unions whose alternatives overlap, and two bounds on one side.
 */
const OF_THE_AUTHOR = ["info-license", "operation-4xx-response", "no-unused-components",
  "no-illogical-composition-keywords", "no-mixed-number-range-constraints"];

async function redocly(document) {
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, absoluteRef: "/document.json", config: recommended });
  const broken = problems.filter(({ ruleId, severity }) => severity === "error" || !OF_THE_AUTHOR.includes(ruleId));
  return broken.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`);
}

async function openapi(document) {
  const { valid, errors } = await isOpenApi.validate(plain(document));
  const places = Object.keys(document.components?.schemas ?? {}).map((name) => `#/components/schemas/${name}`);
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(item)) {
      const at = `#/paths/${encodeURIComponent(token(path))}/${method}`;
      const content = "content/application~1json/schema";
      if (operation.requestBody) places.push(`${at}/requestBody/${content}`);
      places.push(`${at}/responses/200/${content}`);
    }
  return {
    openapi: valid ? [] : [errors].flat().map((error) => error.message ?? String(error)),
    redocly: await redocly(document),
    schemas: referenced(plain(document), places),
  };
}

/** The members that a card has for clients of version 0.3 only. */
const OLD = ["protocolVersion", "url", "preferredTransport"];

/** Whether a member has the default of its type, which the JSON of protocol buffers leaves out. */
const isDefault = (value) => value === false || value === "" || value === 0 || (Array.isArray(value) && value.length === 0);

/** The pointers of members that a program did not keep. It may add members. */
function lost(value, kept, at) {
  if (kept === undefined && isDefault(value)) return [];
  if (value === null || typeof value !== "object") return isDeepStrictEqual(value, kept) ? [] : [at];
  if (kept === null || typeof kept !== "object") return [at];
  return Object.entries(value).flatMap(([key, member]) => lost(member, kept[key], `${at}/${key}`));
}

function a2a(card) {
  const current = Object.fromEntries(Object.entries(card).filter(([key]) => !OLD.includes(key)));
  let sdk;
  try {
    sdk = lost(current, AgentCard.toJSON(AgentCard.fromJSON(current)), "");
  } catch (error) {
    sdk = [error.message];
  }
  return { "0.3": isCard(card), sdk };
}

/** The keywords of strict mode, from https://platform.openai.com/docs/guides/structured-outputs#supported-schemas. */
const STRICT = new Set(
  ("type properties required additionalProperties items anyOf enum const $ref $defs title description pattern format " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems").split(" "),
);
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** The rules of strict mode that a schema breaks. */
function strict(schema, at) {
  if (typeof schema !== "object") return [`${at}: not an object`];
  const errors = Object.keys(schema).filter((key) => !STRICT.has(key)).map((key) => `${at}: ${key}`);
  const types = [schema.type ?? []].flat();
  if (!types.length && !schema.anyOf && !schema.$ref) errors.push(`${at}: no type`);
  if (types.includes("object")) {
    const names = Object.keys(schema.properties ?? {});
    if (schema.additionalProperties !== false) errors.push(`${at}: additionalProperties`);
    if (!isDeepStrictEqual([...names].sort(), [...(schema.required ?? [])].sort())) errors.push(`${at}: required`);
  }
  if (types.includes("array") && !schema.items) errors.push(`${at}: items`);
  if (schema.format && !FORMATS.includes(schema.format)) errors.push(`${at}: format`);
  const inside = [...Object.entries(schema.properties ?? {}), ...Object.entries(schema.$defs ?? {}), ...Object.entries(schema.anyOf ?? [])];
  if (schema.items) inside.push(["items", schema.items]);
  return errors.concat(inside.flatMap(([key, inner]) => strict(inner, `${at}/${key}`)));
}

function openai(tools) {
  const rules = tools.flatMap(({ type, name, parameters, strict: isStrict }) => {
    const errors = isStrict ? strict(parameters, name) : [];
    if (type !== "function" || !/^[\w-]{1,64}$/.test(name)) errors.push(`${name}: not a function`);
    if (parameters.type !== "object" || parameters.anyOf) errors.push(`${name}: the root is not an object`);
    return errors;
  });
  return { rules, schemas: tools.flatMap(({ parameters }) => compiled(draft2020, parameters)) };
}

const validators = { mcp, openapi, a2a, openai, "json-schema": (schema) => ({ schemas: compiled(draft7, schema) }) };
const answers = {};
for (const [format, documents] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  answers[format] = [];
  for (const [text, isCompiled] of documents) {
    compiles = isCompiled;
    answers[format].push(await validators[format](JSON.parse(text)));
  }
}
process.stdout.write(JSON.stringify(answers));
