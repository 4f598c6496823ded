"use strict";

const { spawn } = require("node:child_process");
const { CapgenError, findBinary, notStarted } = require("./binary.js");

/** Starts the program. Most errors are events, but some systems report a folder that cannot be entered at once. */
function start(binary, words, { cwd, signal }, input) {
  try {
    // Messages of the program name a command that runs this package.
    const env = { ...process.env, CAPGEN_LAUNCHER: "npm" };
    const stdin = input === undefined ? "ignore" : "pipe";
    return spawn(binary.path, words, { cwd, env, signal, stdio: [stdin, "pipe", "pipe"], windowsHide: true });
  } catch (error) {
    throw notStarted(binary, error, cwd);
  }
}

/**
 * Runs the program, with a text as its input if there is one. The result is its standard output, and whether it ended with
 * status 0; with status 1 there are findings.
 */
function run(words, { cwd, signal }, input) {
  return new Promise((resolve, reject) => {
    const binary = findBinary();
    const child = start(binary, words, { cwd, signal }, input);
    const output = { stdout: [], stderr: [] };
    for (const [name, chunks] of Object.entries(output)) child[name].on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => reject(error.name === "AbortError" ? error : notStarted(binary, error, cwd)));
    // The program may end before it has read everything.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
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

/** The values on the lines of an output. */
const lines = (stdout) => stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));

module.exports = { failed, lines, read, run };
