// Reads a job from stdin and writes its result to stdout, both JSON:
//   [{"schema": "...", "payloads": ["1", "2"]}] -> for each pair, the result of each oracle for each payload, which is a verdict
//   or the message of an exception: [{"ajv": [true, false], "hyperjump": ["...", "..."]}]
import { text } from "node:stream/consumers";
import { registerSchema, setShouldValidateFormat, unregisterSchema, validate } from "@hyperjump/json-schema/draft-07";
import "@hyperjump/json-schema/formats";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import format from "./node_modules/@hyperjump/json-schema/draft-07/format.js";

const DIALECT = "http://json-schema.org/draft-07/schema";
setShouldValidateFormat(true);
// The package has the format `uuid`, but not in draft-07. ajv-formats checks it in every draft.
format.formats.uuid = "https://json-schema.org/format/uuid";

function ajv(schema) {
  const ajv = new Ajv({ strict: false, ownProperties: true, validateSchema: false, logger: false });
  addFormats(ajv);
  return ajv.compile(schema);
}

async function hyperjump(schema, index) {
  const uri = `https://oracle.example/${index}`;
  // It does not find `definitions` next to a `$ref` at the root, so the reference moves into an `allOf`.
  if (schema?.$ref) schema = { allOf: [{ $ref: schema.$ref }], definitions: schema.definitions };
  registerSchema(schema, uri, DIALECT);
  const validator = await validate(uri);
  unregisterSchema(uri);
  return (value) => validator(value).valid;
}

function verdict(validator, payload) {
  try {
    return validator(JSON.parse(payload));
  } catch (error) {
    return String(error?.message ?? error);
  }
}

async function ask(oracle, { schema, payloads }, index) {
  try {
    const validator = await oracle(JSON.parse(schema), index);
    return payloads.map((payload) => verdict(validator, payload));
  } catch (error) {
    return payloads.map(() => String(error?.message ?? error));
  }
}

const results = [];
for (const [index, pair] of JSON.parse(await text(process.stdin)).entries()) {
  results.push({ ajv: await ask(ajv, pair, index), hyperjump: await ask(hyperjump, pair, index) });
}
process.stdout.write(JSON.stringify(results));
