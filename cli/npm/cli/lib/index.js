"use strict";

const { spawn } = require("node:child_process");
const { CapgenError, findBinary, notStarted } = require("./binary.js");

const switches = (name) => (value) => {
  if (typeof value !== "boolean") throw new TypeError("must be a boolean");
  return value ? [`--${name}`] : [];
};

const setting = (name) => (value) => {
  if (typeof value !== "boolean") throw new TypeError("must be a boolean");
  return [`--${name}=${value}`];
};

const text = (name) => (value) => {
  if (typeof value !== "string") throw new TypeError("must be a string");
  return [`--${name}=${value}`];
};

const texts = (name) => (value) => (Array.isArray(value) ? value : [value]).flatMap(text(name));

// The options that are not passed to the program, but determine how it is run.
const RUN = { cwd: () => [], signal: () => [] };

const CONTRACTS = { peer: texts("peer"), all: switches("all"), capabilities: texts("capabilities"), root: text("root") };

const CHECK = { ...RUN, ...CONTRACTS, strict: switches("strict") };

const GENERATE = {
  ...RUN,
  ...CONTRACTS,
  mcp: text("mcp"),
  agent: text("agent"),
  lossy: switches("lossy"),
  skip: switches("skip"),
  formats: text("formats"),
  out: text("out"),
  lang: texts("lang"),
  mergeNullable: setting("merge-nullable"),
  plainArrays: setting("plain-arrays"),
  calls: setting("calls"),
  history: texts("history"),
  assume: text("assume"),
  accepted: text("accepted"),
  standardSchema: setting("standard-schema"),
  singleFile: setting("single-file"),
  importExtension: text("import-extension"),
  runtimePath: text("runtime-path"),
  check: switches("check"),
};

/** The arguments for options. `known` has a function for each option, from its value to its arguments. */
function argumentsOf(known, options) {
  return Object.entries(options).flatMap(([name, value]) => {
    if (!Object.hasOwn(known, name)) throw new TypeError(`unknown option \`${name}\``);
    if (value === undefined) return [];
    try {
      return known[name](value);
    } catch (error) {
      throw new TypeError(`the option \`${name}\` ${error.message}`);
    }
  });
}

/** Starts the program. Most errors are events, but some systems report a folder that cannot be entered at once. */
function start(binary, words, { cwd, signal }) {
  try {
    // Messages of the program name a command that runs this package.
    const env = { ...process.env, CAPGEN_LAUNCHER: "npm" };
    return spawn(binary.path, words, { cwd, env, signal, stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
  } catch (error) {
    throw notStarted(binary, error, cwd);
  }
}

/** Runs the program. The result is its standard output, and whether it ended with status 0; with status 1 there are findings. */
function run(words, { cwd, signal }) {
  return new Promise((resolve, reject) => {
    const binary = findBinary();
    const child = start(binary, words, { cwd, signal });
    const output = { stdout: [], stderr: [] };
    for (const [name, chunks] of Object.entries(output)) child[name].on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => reject(error.name === "AbortError" ? error : notStarted(binary, error, cwd)));
    child.on("close", (status, ended) => {
      const stdout = Buffer.concat(output.stdout).toString();
      if (status === 0 || status === 1) {
        resolve({ ok: status === 0, stdout, stderr: () => Buffer.concat(output.stderr).toString() });
        return;
      }
      const stderr = Buffer.concat(output.stderr).toString().trim();
      const code = status === 2 ? "CAPGEN_USAGE" : "CAPGEN_FAILED";
      const end = status === null ? `ended by ${ended}` : `ended with status ${status}`;
      reject(new CapgenError(code, status === 2 ? stderr : `capgen ${end}: ${stderr}`));
    });
  });
}

/** The error for a program that ended without the output that capgen prints. */
function failed({ stderr }, message, cause) {
  const printed = stderr().trim();
  return new CapgenError("CAPGEN_FAILED", `${message}${printed && `: ${printed}`}`, { cause });
}

/** Reads the output of a run. */
function read(result, parse) {
  try {
    return parse(result.stdout);
  } catch (cause) {
    throw failed(result, `the output of capgen is invalid (${cause.message})`, cause);
  }
}

async function check(options = {}) {
  const words = ["check", "--format=json", ...argumentsOf(CHECK, options)];
  const result = await run(words, options);
  const diagnostics = read(result, (stdout) => stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line)));
  if (!result.ok && diagnostics.length === 0) throw failed(result, "capgen ended with status 1 and without a finding");
  return { ok: result.ok, diagnostics };
}

async function generate(options = {}) {
  const words = ["gen", "--json", ...argumentsOf(GENERATE, options)];
  const result = await run(words, options);
  const { peers, shared, orphans, diagnostics } = read(result, JSON.parse);
  return { ok: result.ok, peers, shared, orphans, diagnostics };
}

module.exports = { CapgenError, check, generate };
