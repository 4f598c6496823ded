#!/usr/bin/env node
// Runs the program capgen of this platform with the same arguments and streams, and ends as it does.
"use strict";

const { spawn } = require("node:child_process");
const { CapgenError, findBinary, notStarted } = require("../lib/binary.js");

// On Windows, the system itself sends Ctrl-C and the like to every process of the console.
const SIGNALS = process.platform === "win32" ? ["SIGBREAK", "SIGHUP", "SIGINT"] : ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"];

function fail(error) {
  if (!(error instanceof CapgenError)) throw error;
  console.error(`capgen: ${error.message}`);
  process.exitCode = 1;
}

function run(binary) {
  let child;
  // Installed first, so that no signal ends this process and leaves the program running.
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (process.platform !== "win32") child?.kill(signal);
    });
  }
  // Messages of the program name a command that runs this package.
  const env = { ...process.env, CAPGEN_LAUNCHER: "npm" };
  child = spawn(binary.path, process.argv.slice(2), { stdio: "inherit", env });
  child.on("error", (error) => fail(notStarted(binary, error)));
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // A shell has to see that a signal ended the program.
    for (const name of SIGNALS) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

try {
  run(findBinary());
} catch (error) {
  fail(error);
}
