import type { RspackPluginInstance as Plugin } from "@rspack/core";

import type { CapgenOptions } from "./index.js";

/** The plugin for Rspack. */
export default function capgen(options?: CapgenOptions): Plugin;
