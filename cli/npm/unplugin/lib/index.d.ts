import type { GenerateOptions, OutputsOptions } from "@capgen/cli";
import type { UnpluginInstance } from "unplugin";

/**
 * The options of `generate` of `@capgen/cli`, without `signal`. Without a selection, the outputs that `generate.outputs` in `fleet.yaml`
 * lists are generated. With `check`, nothing is written, and code that is out of date fails the build.
 */
export type CapgenOptions = Omit<OutputsOptions, "signal"> | (GenerateOptions & { signal?: undefined });

/** The plugin for each bundler: `capgen.vite(options)`. */
export const capgen: UnpluginInstance<CapgenOptions | undefined, false>;

export default capgen;
