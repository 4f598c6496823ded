"use strict";

// One function for each subcommand. Each reads the JSON that the program prints.

const { argumentsOf } = require("./options.js");
const { failed, lines, read, run } = require("./run.js");

/** The findings that a subcommand prints, one on each line. */
async function findings(words, options) {
  const result = await run(words, options);
  const diagnostics = read(result, lines);
  if (!result.ok && diagnostics.length === 0) throw failed(result, "capgen ended with status 1 and without a finding");
  return { ok: result.ok, diagnostics };
}

/** The document that a subcommand prints. Invalid input is a document with `errors` alone. */
async function document(words, options, input) {
  const result = await run(words, options, input);
  const { errors: diagnostics = [], ...found } = read(result, JSON.parse);
  return { ok: result.ok, found, diagnostics };
}

/** The text of a value as JSON. */
function json(name, value) {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`the option \`${name}\` must be a JSON value`);
  return text;
}

/** The names of the options that have a value. */
const given = (options, names) => names.filter((name) => options[name] !== undefined);

/** The only one of these options that has a value. */
function only(options, names) {
  const found = given(options, names);
  if (found.length === 1) return found[0];
  throw new TypeError(`exactly one of the options ${names.map((name) => `\`${name}\``).join(", ")} is required`);
}

function string(options, name) {
  const value = options[name];
  if (typeof value !== "string") throw new TypeError(`the option \`${name}\` must be a string`);
  return value;
}

/** A path as an argument: one that starts with a dash is no option. */
const path = (text) => (text.startsWith("-") ? `./${text}` : text);

async function check(options = {}) {
  return findings(["check", "--format=json", ...argumentsOf("check", options)], options);
}

async function generate(options = {}) {
  const result = await run(["gen", "--json", ...argumentsOf("gen", options)], options);
  const { peers, shared, orphans, diagnostics } = read(result, JSON.parse);
  return { ok: result.ok, peers, shared, orphans, diagnostics };
}

async function lock(options = {}) {
  return findings(["lock", "--format=json", ...argumentsOf("lock", options)], options);
}

async function validate(options) {
  const words = ["validate", "--json", ...argumentsOf("validate", options)];
  const source = only(options, ["payload", "payloads", "file"]);
  if (source === "payloads") return validateAll(words, options);
  const file = source === "file" ? path(string(options, "file")) : "-";
  const input = source === "payload" ? json("payload", options.payload) : undefined;
  const { ok, found, diagnostics } = await document([...words, file], options, input);
  const { violations = [], truncated = false, error } = found;
  return { ok, violations, truncated, ...(error !== undefined && { error }), diagnostics };
}

async function validateAll(words, options) {
  if (!Array.isArray(options.payloads)) throw new TypeError("the option `payloads` must be an array");
  const input = options.payloads.map((payload) => `${json("payloads", payload)}\n`).join("");
  const result = await run([...words, "--lines"], options, input);
  const results = read(result, lines);
  const diagnostics = results.flatMap(({ errors = [] }) => errors);
  return { ok: result.ok, results: results.filter(({ errors }) => errors === undefined), diagnostics };
}

async function example(options) {
  const { ok, found, diagnostics } = await document(["example", "--json", ...argumentsOf("example", options)], options);
  return { ok, payloads: found.payloads ?? [], diagnostics };
}

async function diff(options = {}) {
  const { ok, found, diagnostics } = await document(["diff", "--format=json", ...argumentsOf("diff", options)], options);
  if (options.replay !== undefined) {
    return { ok, payloads: found.payloads ?? 0, rejected: found.rejected ?? 0, ...found, diagnostics };
  }
  const { capabilities = {}, findings = [], bump, bumps = {} } = found;
  return { ok, capabilities, findings, ...(bump !== undefined && { bump }), bumps, diagnostics };
}

async function importManifest(options) {
  const words = ["import", string(options, "format"), "--json", ...argumentsOf("import", options)];
  const source = only(options, ["file", "document", "stdio", "http"]);
  let input;
  if (source === "file") words.push("--", ...[options.file].flat().map(path));
  if (source === "document") {
    words.push("-");
    input = typeof options.document === "string" ? options.document : json("document", options.document);
  }
  // All arguments after this option belong to the command.
  if (source === "stdio") {
    const { stdio } = options;
    const isCommand = Array.isArray(stdio) && stdio.length > 0 && stdio.every((word) => typeof word === "string");
    if (!isCommand) throw new TypeError("the option `stdio` must be an array with a program and its arguments");
    words.push("--stdio", ...stdio);
  }
  const result = await run(words, options, input);
  return { ok: result.ok, ...read(result, JSON.parse) };
}

async function exportManifest(options) {
  const format = string(options, "format");
  const words = argumentsOf("export", options);
  if (format === "manifest-schema") {
    const result = await run(["export", format, ...words, ...given(options, ["file"]).map((name) => string(options, name))], options);
    return { ok: result.ok, document: read(result, JSON.parse), losses: [], diagnostics: [] };
  }
  if (options.file !== undefined) throw new TypeError("the option `file` is for the format `manifest-schema`");
  const { ok, found, diagnostics } = await document(["export", format, "--json", ...words], options);
  if (format === "json-schema") return { ok, files: found.files ?? [], diagnostics };
  return { ok, ...("document" in found && { document: found.document }), losses: found.losses ?? [], diagnostics };
}

module.exports = { check, diff, example, exportManifest, generate, importManifest, lock, validate };
