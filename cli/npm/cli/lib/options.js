"use strict";

// Options of the functions as arguments of the program. Each kind is a function from the name of an argument to one from a
// value to arguments; the latter throws a TypeError that says what the value must be.

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

const integer = (name) => (value) => {
  if (!Number.isSafeInteger(value)) throw new TypeError("must be an integer");
  return [`--${name}=${value}`];
};

/** An option that is not passed as an argument, but read where the program is run. */
const own = () => () => [];

// Where and how the program is run.
const RUN = { cwd: own(), signal: own() };

const CONTRACTS = { peer: texts("peer"), all: switches("all"), capabilities: texts("capabilities"), root: text("root") };

const ONE_CONTRACT = { ...RUN, peer: text("peer"), capabilities: text("capabilities"), root: text("root") };

const CAPABILITY = { ...ONE_CONTRACT, capability: text("capability"), side: text("side") };

/** Which files are written, and whether. */
const WRITTEN = { out: text("out"), check: switches("check"), diff: switches("diff"), force: switches("force") };

/** The options of each function, by the name of the subcommand. */
const OPTIONS = {
  check: { ...RUN, ...CONTRACTS, strict: switches("strict") },
  gen: {
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
  },
  validate: { ...CAPABILITY, redact: switches("redact"), payload: own(), payloads: own(), file: own() },
  example: { ...CAPABILITY, count: integer("count"), seed: integer("seed"), invalid: switches("invalid") },
  diff: {
    ...RUN,
    ...CONTRACTS,
    against: text("against"),
    assume: text("assume"),
    failOn: text("fail-on"),
    level: (value) => Object.entries(value).flatMap(([code, level]) => text("level")(`${code}=${level}`)),
    budget: integer("budget"),
    accepted: text("accepted"),
    replay: text("replay"),
    capability: text("capability"),
    side: text("side"),
  },
  lock: { ...RUN, ...CONTRACTS, check: switches("check") },
  import: {
    ...RUN,
    ...WRITTEN,
    format: own(),
    file: own(),
    document: own(),
    stdio: own(),
    http: text("http"),
    tokenFile: text("token-file"),
    ca: text("ca"),
    timeout: integer("timeout"),
    agent: text("agent"),
    lossy: switches("lossy"),
    skip: switches("skip"),
    formats: text("formats"),
    capability: text("capability"),
    side: text("side"),
    each: switches("each"),
    rootDir: text("root-dir"),
    madeFrom: text("made-from"),
  },
  export: {
    ...ONE_CONTRACT,
    format: own(),
    strictClients: switches("strict-clients"),
    allVersions: switches("all-versions"),
    chat: switches("chat"),
    url: text("url"),
    out: text("out"),
    file: own(),
  },
};

/**
 * The arguments for the options of a subcommand. Throws a TypeError for an option that it does not have, and for a value of the
 * wrong type.
 */
function argumentsOf(subcommand, options) {
  const known = OPTIONS[subcommand];
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

module.exports = { argumentsOf };
