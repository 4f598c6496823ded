// Reads jobs, as in `generated.mjs`, from stdin and writes their results to stdout, both JSON. A job has JSON texts of payloads, and either a JSON Schema in
// 2020-12 (or the `draft` of the job) or a generated TypeScript file with the name of the object of a side. The result has the verdicts of Ajv about the payloads, or
// the message of its error; by the JSON Schemas of an object, also in draft-07:
//   [{"file": "...", "side": "payRequest", "payloads": ["1", "{}"]}, {"schema": {}, "payloads": ["1"]}]
//     -> [{"draft-2020-12": [false, true], "draft-07": [false, true]}, {"draft-2020-12": [true]}]
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { job, load } from "./generated.mjs";

const drafts = { "draft-2020-12": Ajv2020, "draft-07": Ajv };

/** In strict mode, Ajv rejects keywords and formats that it does not know. */
function verdicts(draft, schema, payloads) {
  try {
    const ajv = new drafts[draft]({ strictSchema: true, strictTypes: false, strictRequired: false, ownProperties: true, allowMatchingProperties: true });
    addFormats(ajv);
    // The parts of an OpenAPI document that are next to its schemas, and the annotation of contracts that the extension of A2A keeps.
    ajv.addVocabulary(["components", "x-capgen-definition", "x-format"]);
    const validate = ajv.compile(schema);
    return payloads.map((payload) => validate(JSON.parse(payload)));
  } catch (error) {
    return error.message;
  }
}

/** The schema for a target. Each call must return a new one, and both functions the same. */
function convert({ input, output }, target) {
  const schema = input({ target });
  const text = JSON.stringify(schema);
  schema.title = "changed by the caller";
  if (JSON.stringify(input({ target })) !== text || JSON.stringify(output({ target })) !== text)
    throw new Error(`another schema is not equal: ${text}`);
  return JSON.parse(text);
}

function rejects({ input }, target) {
  try {
    input({ target });
  } catch (error) {
    return error.message.includes(target);
  }
  return false;
}

const results = [];
for (const { file, side, schema, draft = "draft-2020-12", payloads } of job) {
  if (schema !== undefined) {
    results.push({ [draft]: verdicts(draft, schema, payloads) });
    continue;
  }
  const converter = (await load(file))[side]["~standard"].jsonSchema;
  if (!rejects(converter, "openapi-3.0") || !rejects(converter, "toString")) throw new Error("a target is not rejected");
  results.push(
    Object.fromEntries(Object.keys(drafts).map((draft) => [draft, verdicts(draft, convert(converter, draft), payloads)])),
  );
}
process.stdout.write(JSON.stringify(results));
