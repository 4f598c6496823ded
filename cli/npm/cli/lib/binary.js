"use strict";

const { statSync } = require("node:fs");
const { resolve } = require("node:path");
const { optionalDependencies } = require("../package.json");

class CapgenError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "CapgenError";
    this.code = code;
  }
}

/** Whether the C library of a Linux system is musl. Every other one that Node runs on is glibc. */
function isMusl() {
  // Otherwise, the report looks up the names of network peers.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** The packages whose programs run on this platform, the preferred one first. */
function candidates() {
  const name = `@capgen/cli-${process.platform}-${process.arch}`;
  if (process.platform !== "linux") return [name];
  // The program for musl is linked statically, so it runs with glibc, too.
  return isMusl() ? [`${name}-musl`] : [name, `${name}-musl`];
}

function installed(name) {
  try {
    return require.resolve(`${name}/bin/capgen${process.platform === "win32" ? ".exe" : ""}`);
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/**
 * The program capgen: `path`, and `source`, which is the package or the environment variable that names it.
 *
 * Throws a CapgenError if there is none.
 */
function findBinary() {
  const override = process.env.CAPGEN_BINARY;
  // A path is relative to the folder of this process, not to that in which the program runs. A name without a folder is searched for.
  if (override) return { path: /[/\\]/.test(override) ? resolve(override) : override, source: "CAPGEN_BINARY" };
  const names = candidates();
  for (const source of names) {
    const path = installed(source);
    if (path !== undefined) return { path, source };
  }
  const name = names[0];
  if (name in optionalDependencies) {
    throw new CapgenError(
      "CAPGEN_NOT_INSTALLED",
      `the package ${name}, which contains the program for this platform, is not installed.\n` +
        `npm leaves it out with --omit=optional, or if package-lock.json or node_modules was made on another platform. To add it:\n\n` +
        `  npm install --include=optional @capgen/cli\n\n` +
        `If that does not help, delete package-lock.json and node_modules first. Or set the environment variable CAPGEN_BINARY to the path of ` +
        `a program capgen.`,
    );
  }
  throw new CapgenError(
    "CAPGEN_NOT_INSTALLED",
    `there is no package for this platform, ${process.platform} on ${process.arch}. Build the program with \`cargo install capgen-cli\`, and ` +
      `set the environment variable CAPGEN_BINARY to its path.`,
  );
}

/** The error for a program that cannot be started in a folder. */
function notStarted(binary, cause, folder = ".") {
  // The system has the same errors for both.
  const stats = statSync(folder, { throwIfNoEntry: false });
  const problem = stats === undefined ? "which does not exist" : stats.isDirectory() ? undefined : "which is not a folder";
  const what = problem ? `capgen in the folder ${folder}, ${problem}` : `${binary.path}, the program of ${binary.source}`;
  return new CapgenError("CAPGEN_NOT_STARTED", `cannot start ${what}: ${cause.code ?? cause.message}`, { cause });
}

module.exports = { CapgenError, findBinary, notStarted };
