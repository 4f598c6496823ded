// Checks JSON Schemas in draft-07 with Ajv in its strictest mode, and files with these schemas. Reads from stdin, and writes to stdout:
//   {"schemas": {"a": {}}, "files": [{"schema": "a", "yaml": "..."}, {"schema": "a", "json": "..."}]} -> [true, "/version must be 1"]
// An error of a schema is thrown. The second verdict is the error that an editor shows.
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { parseDocument } from "yaml";

const { schemas, files } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: true, strictTypes: true, strictTuples: true, strictRequired: true, allowUnionTypes: true, allowMatchingProperties: true });
addFormats(ajv);
// Language servers show it; validators ignore it.
ajv.addVocabulary(["patternErrorMessage"]);
const compile = (schema) => {
  // Ajv compiles schemas with another `$schema`, too, if it knows that one.
  if (schema.$schema !== "http://json-schema.org/draft-07/schema#" || !ajv.validateSchema(schema))
    throw new Error(`not a schema in draft-07: ${ajv.errorsText()}`);
  return ajv.compile(schema);
};
const validators = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, compile(schema)]));

function read({ yaml, json }) {
  if (json !== undefined) return JSON.parse(json);
  const document = parseDocument(yaml, { version: "1.2" });
  for (const problem of [...document.errors, ...document.warnings]) throw problem;
  return document.toJS();
}

const verdicts = files.map((file) => {
  const validate = validators[file.schema];
  return validate(read(file)) || ajv.errorsText(validate.errors, { dataVar: "" });
});
process.stdout.write(JSON.stringify(verdicts));
