// The development server of Vite.

import { buildError, shown } from "./findings.js";

/** Saves of an editor come in groups: a temporary file, its new name. In milliseconds. */
const PAUSE = 20;

/** Generates again when a manifest is saved. The result has `update`, which does so now. */
export function serve(server, generator) {
  const { logger } = server.config;
  /** The error that the overlay shows. */
  let error;
  let timer;

  const send = () => {
    const { message, id, loc, plugin } = error;
    server.ws.send({ type: "error", err: { message, stack: "", id, loc, plugin } });
  };

  async function update() {
    const before = error;
    try {
      const result = await generator.run();
      for (const finding of result.others) logger.warn(shown(finding), { timestamp: true });
      error = result.errors.length > 0 ? buildError(result) : undefined;
    } catch (problem) {
      // The program is missing, or its options are invalid.
      error = Object.assign(new Error(problem.message), { plugin: "capgen" });
    }
    server.watcher.add(generator.places);
    if (error !== undefined) {
      logger.error(error.message, { timestamp: true });
      send();
    } else if (before !== undefined) {
      // The client closes the overlay when modules change, and perhaps none did.
      server.ws.send({ type: "full-reload" });
    }
  }

  function changed(path) {
    if (!generator.dependsOn(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void update(), PAUSE);
  }

  for (const event of ["add", "change", "unlink"]) server.watcher.on(event, changed);
  server.watcher.add(generator.places);
  // A page that is opened later has missed the message.
  server.ws.on("connection", () => {
    if (error !== undefined) send();
  });
  server.httpServer?.on("close", () => clearTimeout(timer));
  return { update };
}
