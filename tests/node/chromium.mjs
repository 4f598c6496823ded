// Drives Chromium through its pipe, so that no package and no port is needed.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function fail(error) {
  console.error(error);
  process.exit(1);
}

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "capgen-chromium-"));
    const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
      "--disable-extensions", "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe",
      `--user-data-dir=${this.profile}`];
    this.process = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.process.on("error", (error) => fail(error));
    this.process.on("exit", (code) => this.waiting.size > 0 && fail(new Error(`Chromium ended with ${code}`)));
    this.waiting = new Map();
    this.listeners = new Set();
    this.number = 0;
    let text = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (part) => {
      const messages = (text + part).split("\0");
      text = messages.pop();
      messages.forEach((message) => this.receive(JSON.parse(message)));
    });
  }

  receive(message) {
    if (message.id === undefined) {
      this.listeners.forEach((listener) => listener(message));
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /** Ends the program, and removes its profile. */
  async close() {
    await this.send("Browser.close");
    await new Promise((resolve) => this.process.on("exit", resolve));
    rmSync(this.profile, { recursive: true, force: true });
  }
}
