// Reads jobs from stdin and writes their results to stdout, both JSON. A job is a generated TypeScript file, the name of the object of a
// side, and JSON texts of payloads. The result has the verdicts of Ajv about the payloads, by the JSON Schema of the object in 2020-12 and
// in draft-07:
//   [{"file": "...", "side": "payRequest", "payloads": ["1", "{}"]}] -> [{"draft-2020-12": [false, true], "draft-07": [false, true]}]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Ajv07 from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import ts from "typescript";

const compilerOptions = { target: "es2022", module: "esnext" };
// In strict mode, Ajv also rejects keywords that it does not know.
const options = { strict: true, strictTypes: false, strictRequired: false, strictTuples: false, ownProperties: true };

/** The schema for a target. Each call must return a new one, and both functions the same. */
function convert({ input, output }, target) {
  const schema = input({ target });
  const text = JSON.stringify(schema);
  schema.title = "changed by the caller";
  if (JSON.stringify(input({ target })) !== text || JSON.stringify(output({ target })) !== text)
    throw new Error(`another schema is not equal: ${text}`);
  return JSON.parse(text);
}

function rejects(converter, target) {
  try {
    converter.input({ target });
  } catch (error) {
    return error.message.includes(target);
  }
  return false;
}

const folder = mkdtempSync(join(tmpdir(), "capgen-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const results = [];
for (const { file, side, payloads } of JSON.parse(readFileSync(0, "utf8"))) {
  const path = join(folder, `${results.length}.mjs`);
  writeFileSync(path, ts.transpileModule(file, { compilerOptions }).outputText);
  const converter = (await import(pathToFileURL(path)))[side]["~standard"].jsonSchema;
  if (!rejects(converter, "openapi-3.0") || !rejects(converter, "toString")) throw new Error("a target is not rejected");
  const result = {};
  for (const [target, Ajv] of [["draft-2020-12", Ajv2020.default ?? Ajv2020], ["draft-07", Ajv07.default ?? Ajv07]]) {
    const ajv = new Ajv(options);
    addFormats(ajv);
    const validate = ajv.compile(convert(converter, target));
    result[target] = payloads.map((payload) => validate(JSON.parse(payload)));
  }
  results.push(result);
}
process.stdout.write(JSON.stringify(results));
