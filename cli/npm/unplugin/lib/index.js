// Generates code from contracts before a build, and again when a manifest is saved.

import { createUnplugin } from "unplugin";

import { buildError, esbuildMessage, shown } from "./findings.js";
import { Generator } from "./generator.js";
import { serve } from "./server.js";

/** The plugin of esbuild, whose messages have places. */
function esbuild(generator) {
  return {
    setup(build) {
      build.onStart(async () => {
        const { errors, others, place } = await generator.run();
        const message = (finding) => esbuildMessage(finding, place);
        return { errors: errors.map(message), warnings: others.map(message) };
      });
      // Entry points are resolved in each build, so that their files are watched.
      build.onResolve({ filter: /.*/ }, ({ kind }) => (kind === "entry-point" ? { watchFiles: generator.files() } : undefined));
    },
  };
}

export const capgen = createUnplugin((options, meta) => {
  const generator = new Generator(options ?? {});
  // Vite's server goes on after errors, and shows them in the browser.
  let server;
  let warn = (text) => console.warn(text);

  async function buildStart() {
    if (server !== undefined) {
      await server.update();
      return;
    }
    let result;
    try {
      result = await generator.run();
    } finally {
      for (const file of generator.files()) this.addWatchFile(file);
    }
    for (const finding of result.others) (this.warn?.bind(this) ?? warn)(shown(finding));
    if (result.errors.length === 0) return;
    const error = buildError(result);
    const { compilation } = this.getNativeBuildContext?.() ?? {};
    // webpack and Rspack watch no files after an exception.
    if (compilation === undefined) throw error;
    compilation.errors.push(error);
  }

  return {
    name: "capgen",
    ...(meta.framework === "esbuild" ? { esbuild: esbuild(generator) } : { buildStart }),
    vite: {
      configResolved({ logger }) {
        warn = (text) => logger.warn(text);
      },
      configureServer(vite) {
        server = serve(vite, generator);
      },
    },
  };
});

export default capgen;
