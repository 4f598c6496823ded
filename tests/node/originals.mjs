// Reads jobs from stdin and writes their results to stdout, both JSON: the verdicts of Ajv about payloads by schemas as their authors wrote
// them. A job has a document, the dialect, and JSON Pointers into it with the texts of payloads; a result has the verdicts of each pointer, or
// the message of the error of Ajv. Formats are not checked.
//   [{"document": {}, "dialect": "draft-04", "checks": [{"pointer": "", "payloads": ["1"]}]}] -> [[[true]]]
import { text } from "node:stream/consumers";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";

const dialects = { "draft-04": AjvDraft04.default ?? AjvDraft04, "draft-07": Ajv, "2019-09": Ajv2019, "2020-12": Ajv2020 };

function verdicts(ajv, pointer, payloads) {
  try {
    const validate = pointer === "" ? ajv.getSchema("document:a") : ajv.compile({ $ref: `document:a#${pointer}` });
    return payloads.map((payload) => validate(JSON.parse(payload)));
  } catch (error) {
    return error.message;
  }
}

const results = JSON.parse(await text(process.stdin)).map(({ document, dialect, checks }) => {
  const ajv = new dialects[dialect]({ strict: false, logger: false, validateSchema: false, validateFormats: false, ownProperties: true });
  // References in the document are relative to it, wherever its author publishes it.
  delete document.$id;
  delete document.id;
  delete document.$schema;
  try {
    ajv.addSchema(document, "document:a");
  } catch (error) {
    return checks.map(() => error.message);
  }
  return checks.map(({ pointer, payloads }) => verdicts(ajv, pointer, payloads));
});
process.stdout.write(JSON.stringify(results));
