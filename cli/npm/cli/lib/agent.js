"use strict";

// Agents that are declared in a program, with schemas of a library or plain JSON Schema. The program capgen turns them into a
// manifest: this file only collects what it reads.

const { fileURLToPath } = require("node:url");
const { CapgenError } = require("./binary.js");
const { importManifest } = require("./commands.js");

class AgentError extends CapgenError {
  constructor(diagnostics) {
    super("CAPGEN_INVALID_AGENT", diagnostics.map(shown).join("\n"));
    this.name = "AgentError";
    this.diagnostics = diagnostics;
  }
}

// The keys of a definition that have other names in a manifest.
const SIDES = { request: "inputSchema", response: "outputSchema" };
const KEYS = { inputSchema: "request", outputSchema: "response", detailsSchema: "details" };

// In draft-07, formats are assertions, as in a manifest. Libraries may lack it.
const TARGETS = ["draft-07", "draft-2020-12"];

// The direction of each side: a request is checked before it is transformed, and a response after it.
const DIRECTIONS = { request: "input", response: "output", details: "output" };

const escaped = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");

/** The JSON Schema of a schema of a library; other values are JSON Schema themselves. */
function jsonSchema(schema, direction) {
  const standard = schema?.["~standard"];
  if (standard === undefined) return schema;
  const convert = standard.jsonSchema?.[direction];
  if (typeof convert !== "function") {
    const remedy = standard.vendor === "valibot" ? "wrap it with `toStandardJsonSchema` of `@valibot/to-json-schema`" : "update the library";
    throw new TypeError(`the schema does not follow Standard JSON Schema: ${remedy}`);
  }
  let first;
  for (const target of TARGETS) {
    try {
      return convert({ target });
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

// A schema of capgen has at most 64 levels; far deeper ones contain themselves.
const MAX_LEVELS = 500;

/** The place and the kind of the first value that is not JSON; `undefined` if there is none. JSON.stringify would drop or change it. */
function foreign(value, pointer = "", level = 0) {
  if (level > MAX_LEVELS) return { pointer, kind: "a value that contains itself" };
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : { pointer, kind: String(value) };
  if (typeof value !== "object") return { pointer, kind: value === undefined ? "`undefined`" : `a ${typeof value}` };
  const prototype = Object.getPrototypeOf(value);
  const isList = Array.isArray(value);
  // Objects of other realms, such as those of a test runner, have another prototype, which has none itself.
  if (!isList && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    return { pointer, kind: `an object of the class \`${prototype.constructor?.name}\`` };
  }
  // A property that is `undefined` is absent, as in JSON.stringify; an element would become `null`.
  const entries = isList ? [...value].entries() : Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [name, member] of entries) {
    const found = foreign(member, `${pointer}/${escaped(name)}`, level + 1);
    if (found) return found;
  }
  return undefined;
}

/** Collects the document that capgen reads, the place in the definition of each of its parts, and the schemas that have no JSON Schema. */
class Collector {
  diagnostics = [];
  places = [];

  document({ id, capabilities, ...others }) {
    const list = Object.entries(capabilities).flatMap((entry) => this.versions(entry));
    return { ...others, version: 1, agent: `agent://${id}`, capabilities: list };
  }

  versions([name, definition]) {
    const at = `/capabilities/${escaped(name)}`;
    if (!Array.isArray(definition)) return [this.capability(name, definition, at)];
    return definition.map((version, index) => this.capability(name, version, `${at}/${index}`));
  }

  capability(name, { request, response, errors, ...others }, at) {
    const codes = Object.keys(errors ?? {});
    this.places.push({ name, at, codes });
    const capability = { ...others, name };
    if (errors !== undefined) {
      capability.errors = codes.map((code) => this.error(name, code, errors[code], `${at}/errors/${escaped(code)}`));
    }
    this.schema(capability, "inputSchema", request, { capability: name, side: "request" }, `${at}/request`);
    this.schema(capability, "outputSchema", response, { capability: name, side: "response" }, `${at}/response`);
    return capability;
  }

  error(capability, code, { details, ...others }, at) {
    const error = { ...others, code };
    this.schema(error, "detailsSchema", details, { capability, error: code }, `${at}/details`);
    return error;
  }

  /** Adds a schema. A side without one is loose. */
  schema(target, key, schema, subject, pointer) {
    if (schema === undefined) return;
    const report = (message, at) => this.diagnostics.push({ code: "CAPGEN_SCHEMA", severity: "error", message, ...subject, pointer: at });
    try {
      const converted = jsonSchema(schema, DIRECTIONS[KEYS[key]]);
      const found = foreign(converted);
      if (found === undefined) target[key] = converted;
      else report(`${found.kind} is not a part of a JSON Schema`, pointer + found.pointer);
    } catch (error) {
      report(`the schema cannot be converted to JSON Schema: ${error.message}`, pointer);
    }
  }

  /** A finding about the document as one about the definition. */
  placed(found) {
    const help = found.help === undefined ? {} : { help: remedy(found.help) };
    if (found.path !== undefined && found.path !== "<stdin>") return { ...found, ...help };
    // Lines and edits are those of a text that its author does not see.
    const { path, line, column, endLine, endColumn, related, suggestions, notes = [], pointer = "", ...finding } = found;
    const others = notes.filter((note) => !note.startsWith("at: "));
    return { ...finding, ...this.place(pointer), ...help, ...(others.length > 0 && { notes: others }) };
  }

  /** The place in the definition that a pointer into the document means. */
  place(pointer) {
    const [, root, index, key, ...rest] = pointer.split("/");
    const known = root === "capabilities" ? this.places[Number(index)] : undefined;
    if (known === undefined || index === undefined) return { pointer };
    const { name: capability, at, codes } = known;
    if (key === undefined) return { capability, pointer: at };
    const join = (tokens) => [at, ...tokens].join("/");
    if (key === "errors" && codes[Number(rest[0])] !== undefined) {
      const error = codes[Number(rest[0])];
      const below = rest.slice(1).map((token, depth) => (depth === 0 ? (KEYS[token] ?? token) : token));
      return { capability, error, pointer: join(["errors", escaped(error), ...below]) };
    }
    const side = Object.keys(SIDES).find((name) => SIDES[name] === key);
    return { capability, ...(side && { side }), pointer: join([side ?? key, ...rest]) };
  }
}

// Options of the command line that a remedy names, and those of this package.
const REMEDIES = [
  [", or with `--skip`, which leaves the entry out", ""],
  ["import with `--lossy`", "pass `lossy: true`"],
  ["pass `--force`", "pass `force: true`"],
  [" with `--out`", ""],
  ["run the command without `--check`", "call `write`"],
];

/** The remedy of a finding in words of this package. */
const remedy = (help) => REMEDIES.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), help);

/** A finding on one line. */
function shown({ severity, code, message, capability, side, error, pointer, path, help }) {
  const subject = capability !== undefined && `capability \`${capability}\`${side ? `, ${side}` : error ? `, error ${error}` : ""}`;
  const place = [path, subject, pointer].filter(Boolean).join(", ");
  return visible(`${severity}[${code}]: ${place && `${place}: `}${message}${help ? ` (${help})` : ""}`);
}

/** A text on one line of a terminal or a log: names and messages of libraries may contain anything. */
const visible = (text) => text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

const local = (path) => (path instanceof URL || String(path).startsWith("file:") ? fileURLToPath(path) : path);

/** The path of a manifest. The command line would take `-` for standard output. */
function fileOf(path) {
  if (!(path instanceof URL) && (typeof path !== "string" || path === "" || path === "-")) {
    throw new TypeError("the path of the manifest must be a string or a URL");
  }
  return local(path);
}

class Agent {
  #definition;

  constructor(definition) {
    this.#definition = definition;
  }

  get id() {
    return this.#definition.id;
  }

  get capabilities() {
    return this.#definition.capabilities;
  }

  async manifest(options = {}) {
    const { manifest, diagnostics } = await this.#import({}, options);
    if (manifest === undefined) throw new AgentError(diagnostics);
    return { manifest, diagnostics };
  }

  async write(path, options = {}) {
    const { ok, manifest, status, diagnostics } = await this.#import({ out: fileOf(path) }, options);
    if (!ok) throw new AgentError(diagnostics);
    return { manifest, status, diagnostics };
  }

  async check(path, options = {}) {
    const { ok, manifest, status, diff = "", diagnostics } = await this.#import({ out: fileOf(path), check: true, diff: true }, options);
    const lines = [...diagnostics.map(shown), ...(diff ? [diff] : [])];
    return { ok, ...(manifest !== undefined && { manifest, status }), diff, diagnostics, message: lines.join("\n") };
  }

  async #import(target, { source, force, lossy, formats, cwd, signal, ...unknown }) {
    const [name] = Object.keys(unknown);
    if (name !== undefined) throw new TypeError(`unknown option \`${name}\``);
    const collector = new Collector();
    const document = collector.document(this.#definition);
    // Schemas without JSON Schema are missing in the document, so it must not be written.
    const failed = collector.diagnostics.length > 0;
    const madeFrom = source === undefined ? undefined : local(source);
    const options = { format: "manifest", document, madeFrom, force, lossy, formats, cwd, signal };
    const result = await importManifest(failed ? options : { ...options, ...target });
    const diagnostics = [...collector.diagnostics, ...result.diagnostics.map((finding) => collector.placed(finding))];
    return failed ? { ok: false, diagnostics } : { ...result, diagnostics };
  }
}

/** Rejects a definition that has not the form of one; the rest is checked by capgen. */
function defineAgent(definition) {
  const { id, capabilities } = definition ?? {};
  if (typeof id !== "string") throw new TypeError("the id of an agent must be a string");
  if (typeof capabilities !== "object" || capabilities === null || Array.isArray(capabilities)) {
    throw new TypeError("`capabilities` must be an object whose keys are the names of the capabilities");
  }
  return new Agent(definition);
}

module.exports = { AgentError, defineAgent };
